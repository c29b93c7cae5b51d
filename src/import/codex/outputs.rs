//! Results: what the server sent, as far as the client kept it, and what the model was shown of it.

use crate::client::{Block, ToolResult};
use crate::import::model::{Output, OutputBlock};
use regex::Regex;
use serde_json::Value;
use std::sync::OnceLock;

/// Bytes that Codex takes for one token.
const BYTES_PER_TOKEN: u64 = 4;

/// What the server sent.
#[derive(Debug, Clone)]
pub(super) struct Own {
    result: ToolResult,
    wire_bytes: u64,
}

impl Own {
    /// Of an event: `{"Ok": result}` or `{"Err": text}`.
    pub fn of_rollout(mut value: Value) -> Self {
        if let Some(result) = value.get_mut("Ok").map(Value::take) {
            return Self::of_result(&result);
        }
        match value.get("Err").cloned() {
            Some(error) => Self::of_error(&error),
            None => Self::of_result(&value),
        }
    }

    pub fn of_result(result: &Value) -> Self {
        let raw = result.to_string();
        Self { wire_bytes: raw.len() as u64, result: ToolResult::parse(&raw) }
    }

    pub fn of_error(error: &Value) -> Self {
        let text = error.as_str().or_else(|| error.get("message")?.as_str());
        let text = text.map_or_else(|| error.to_string(), str::to_owned);
        Self { wire_bytes: text.len() as u64, result: ToolResult::of_text(text, true) }
    }

    /// For a call of which nothing else is known.
    pub fn output(self, call_id: String) -> Output {
        let is_error = self.result.is_error;
        Output {
            call_id,
            is_error,
            structured: self.result.structured.as_ref().and_then(|block| block.document().cloned()),
            shown: self.result.blocks.into_iter().map(OutputBlock::Text).collect(),
            wire_bytes: Some(self.wire_bytes),
            whole_bytes: None,
        }
    }

    /// Whether a text shows the whole of it.
    fn is_shown_as(&self, text: &str) -> bool {
        let own: Vec<&str> = self.result.blocks.iter().map(|block| block.text()).collect();
        let structured = self.result.structured.as_ref().is_some_and(|block| block.text() == text);
        structured || own.join("\n") == text || blocks_of(text).is_some_and(|shown| shown == own)
    }

    /// Bytes of what the client forwards: structured content before text.
    fn forwarded_bytes(&self) -> u64 {
        match &self.result.structured {
            Some(structured) if !self.result.is_error => structured.text().len() as u64,
            _ => self.result.blocks.iter().map(|block| block.text().len() as u64).sum(),
        }
    }
}

/// What the model was shown. The server's own result stands for it where nothing was cut.
pub(super) fn shown(call_id: String, output: Option<Value>, own: Option<Own>) -> Output {
    let (text, failed) = text_of(output);
    let bare = without_header(&text);
    // A marker that the server itself sent is a quoted one.
    if let Some(own) = own.as_ref().filter(|own| own.is_shown_as(bare)) {
        return own.clone().output(call_id);
    }
    if let Some(omitted) = omitted_bytes(bare) {
        // Both the event and what the model saw are bounded: either is a floor.
        let estimated = bare.len() as u64 + omitted;
        let kept = own.as_ref().map_or(0, Own::forwarded_bytes);
        let is_error = failed || own.is_some_and(|own| own.result.is_error);
        let mut cut = Output::of_text(call_id, bare.to_owned(), is_error);
        cut.whole_bytes = Some(estimated.max(kept));
        return cut;
    }
    match own {
        Some(own) => own.output(call_id),
        None => {
            let blocks = blocks_of(bare).unwrap_or_else(|| vec![bare.to_owned()]);
            let shown = blocks.into_iter().map(|text| OutputBlock::Text(Block::of_text(text))).collect();
            Output { call_id, shown, is_error: failed, structured: None, wire_bytes: None, whole_bytes: None }
        }
    }
}

/// The text of a `function_call_output`, and whether it says that the call failed: a text, items, or an object
/// with both.
fn text_of(output: Option<Value>) -> (String, bool) {
    match output {
        Some(Value::String(text)) => (text, false),
        Some(Value::Array(items)) => {
            let texts = items.iter().filter_map(|item| item.get("text").and_then(Value::as_str));
            (texts.collect::<Vec<_>>().join("\n"), false)
        }
        Some(Value::Object(mut members)) => {
            let failed = members.get("success") == Some(&Value::Bool(false));
            let content = members.remove("content").or_else(|| members.remove("output"));
            (text_of(content).0, failed)
        }
        _ => (String::new(), false),
    }
}

/// Without `Wall time: S seconds` and `Output:` in front.
fn without_header(text: &str) -> &str {
    if !text.starts_with("Wall time: ") {
        return text;
    }
    text.split_once("\nOutput:\n").map_or(text, |(_, rest)| rest)
}

/// The texts of a JSON array of blocks.
fn blocks_of(text: &str) -> Option<Vec<String>> {
    let value = text.starts_with('[').then(|| crate::wire::read_value(text).ok())??;
    let items = value.as_array().filter(|items| !items.is_empty())?;
    let is_block = |item: &Value| item.get("type").is_some();
    if !items.iter().all(is_block) {
        return None;
    }
    let texts = items.iter().filter_map(|item| item.get("text").and_then(Value::as_str));
    Some(texts.map(str::to_owned).collect())
}

/// Bytes that a cut in the middle left out, by its marker.
fn omitted_bytes(text: &str) -> Option<u64> {
    static MARKERS: OnceLock<[Regex; 3]> = OnceLock::new();
    let [middle, items, lines] = MARKERS.get_or_init(|| {
        let compile = |text: &str| Regex::new(text).expect("the expression is a constant");
        [
            compile("\u{2026}([\\d.,]+) (tokens|chars|characters) truncated\u{2026}"),
            compile(r"\[omitted \d+ (?:text )?items?"),
            compile(r"\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes) \.\.\.\]"),
        ]
    });
    if let Some(found) = middle.captures(text) {
        let number: u64 = found[1].chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()?;
        return Some(if &found[2] == "tokens" { number.saturating_mul(BYTES_PER_TOKEN) } else { number });
    }
    (items.is_match(text) || lines.is_match(text)).then_some(0)
}
