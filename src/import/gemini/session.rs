//! A session: messages that later records replace, update or take back.

use super::cut::cut;
use super::names::server_and_tool;
use crate::client::Block;
use crate::import::model::{About, Call, Event, EventKind, Output, OutputBlock, Tokens};
use crate::import::problems::{Damage, ImportProblems};
use serde_json::{Map, Value};
use std::path::Path;

/// What the client puts in place of an old result; the result itself stood in an earlier record.
const MASKED: &str = "tool_output_masked";

/// A session as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    about: About,
    started: Option<String>,
    messages: Vec<(u64, Value)>,
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

impl Conversation {
    /// Applies the next record.
    pub fn apply(&mut self, mut record: Value, line: u64) {
        if let Some(target) = text(&record, "$rewindTo") {
            // The message itself is taken back too; without it nothing is left.
            let place = self.messages.iter().position(|(_, message)| text(message, "id") == Some(target));
            self.messages.truncate(place.unwrap_or(0));
            return;
        }
        if let Some(update) = record.get_mut("$set").map(Value::take) {
            return self.update(update, line);
        }
        let is_message = record.get("type").is_some() && record.get("id").is_some();
        if is_message { self.put(record, line) } else { self.update(record, line) }
    }

    fn update(&mut self, mut update: Value, line: u64) {
        let owned = |key: &str| text(&update, key).map(str::to_owned);
        let about = About { session_id: owned("sessionId"), model: owned("model"), ..About::default() };
        self.about.fill_from(about);
        self.started = self.started.take().or_else(|| owned("startTime"));
        if let Some(Value::Array(messages)) = update.get_mut("messages").map(Value::take) {
            // A compressed history lacks messages that were there: what the agent did stays done.
            messages.into_iter().for_each(|message| self.put(message, line));
        }
    }

    fn put(&mut self, mut message: Value, line: u64) {
        let known = text(&message, "id")
            .and_then(|id| self.messages.iter().position(|(_, known)| text(known, "id") == Some(id)));
        match known {
            Some(place) => {
                keep_results(&self.messages[place].1, &mut message);
                self.messages[place].1 = message;
            }
            None => self.messages.push((line, message)),
        }
    }

    /// Tells the session.
    pub fn tell(self, file: &Path, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        if self.messages.is_empty() {
            return;
        }
        let about = Event { thread: 0, at: self.started, line: 0, kind: EventKind::About(self.about) };
        sink(about);
        for (line, mut message) in self.messages {
            let at = text(&message, "timestamp").map(str::to_owned);
            let mut tell = |kind: EventKind| sink(Event { thread: 0, at: at.clone(), line, kind });
            of_message(&mut message, line, file, problems, &mut tell);
        }
    }
}

/// Takes over results that the newer record masks.
fn keep_results(old: &Value, new: &mut Value) {
    let Some(calls) = new.get_mut("toolCalls").and_then(Value::as_array_mut) else { return };
    for call in calls {
        let is_masked = call.get("result").is_some_and(|result| result.to_string().contains(MASKED));
        if !is_masked {
            continue;
        }
        let of_old = old.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
        let before =
            of_old.filter(|other| other.get("id") == call.get("id")).find_map(|other| other.get("result"));
        if let Some(before) = before {
            call["result"] = before.clone();
        }
    }
}

fn of_message(
    message: &mut Value,
    line: u64,
    file: &Path,
    problems: &mut ImportProblems,
    tell: &mut dyn FnMut(EventKind),
) {
    let said = words(message.get("content"));
    match text(message, "type").unwrap_or_default() {
        "user" if !said.trim().is_empty() => tell(EventKind::Prompt(said)),
        "gemini" => {
            let model = text(message, "model").map(str::to_owned);
            tell(EventKind::About(About { model, ..About::default() }));
            for thought in message.get("thoughts").and_then(Value::as_array).into_iter().flatten() {
                let parts = ["subject", "description"].map(|key| text(thought, key).unwrap_or_default());
                tell(EventKind::Think(parts.join("\n")));
            }
            if !said.trim().is_empty() {
                tell(EventKind::Say(said));
            }
            if let Some(Value::Array(calls)) = message.get_mut("toolCalls").map(Value::take) {
                calls.into_iter().for_each(|call| of_call(call, line, file, problems, tell));
            }
            if let Some(tokens) = message.get("tokens").filter(|tokens| tokens.is_object()) {
                let count = |key: &str| tokens.get(key).and_then(Value::as_u64).unwrap_or(0);
                tell(EventKind::Tokens(Tokens {
                    input: count("input"),
                    output: count("output") + count("thoughts"),
                }));
            }
        }
        "info" | "error" | "warning" if !said.trim().is_empty() => tell(EventKind::Shown(said)),
        _ => {}
    }
}

/// The text of a content: a text, a part, or parts.
fn words(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().map(|part| words(Some(part))).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(part) => text(part, "text").unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

fn of_call(
    mut call: Value,
    line: u64,
    file: &Path,
    problems: &mut ImportProblems,
    tell: &mut dyn FnMut(EventKind),
) {
    let (Some(id), Some(name)) = (text(&call, "id").map(str::to_owned), text(&call, "name")) else { return };
    let (server, tool) = server_and_tool(name, text(&call, "displayName"));
    let arguments = match call.get_mut("args").map(Value::take) {
        Some(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    let status = text(&call, "status").unwrap_or_default().to_owned();
    let result = call.get_mut("result").map(Value::take).filter(|result| !result.is_null());
    if status == "cancelled" {
        // The user said no: the tool was never called.
        return;
    }
    tell(EventKind::Call(Call { id: id.clone(), server, tool, arguments }));
    match result {
        Some(result) => tell(EventKind::Output(output(id, &result, status == "error"))),
        None => problems.note(Damage::NoResult, file, line, ""),
    }
}

/// The client cuts a result that is one text, and says so in it.
pub(super) fn with_cut(mut output: Output) -> Output {
    let first = output.blocks().next().and_then(|block| cut(block.text()));
    output.whole_bytes = first.map(|cut| cut.chars);
    output
}

/// A result: parts, of which some are answers to functions.
fn output(call_id: String, result: &Value, mut is_error: bool) -> Output {
    let mut shown = Vec::new();
    let parts = result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
    for part in parts {
        let response = part.get("functionResponse").and_then(|answer| answer.get("response"));
        let text_block = |text: &str| OutputBlock::Text(Block::of_text(text.to_owned()));
        match (response, part) {
            (Some(response), _) => {
                is_error |= response.get("error").is_some_and(|error| !error.is_null());
                let texts =
                    ["output", "error", "content", "result"].iter().find_map(|key| response.get(*key));
                match texts {
                    Some(Value::String(text)) => shown.push(text_block(text)),
                    Some(other) => shown.push(text_block(&other.to_string())),
                    None => shown.push(text_block(&response.to_string())),
                }
            }
            (None, Value::String(text)) => shown.push(text_block(text)),
            (None, part) if part.get("text").is_some() => {
                shown.push(text_block(text(part, "text").unwrap_or_default()));
            }
            (None, _) => shown.push(OutputBlock::Other("data".to_owned())),
        }
    }
    with_cut(Output { call_id, shown, is_error, structured: None, wire_bytes: None, whole_bytes: None })
}
