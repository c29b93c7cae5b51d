//! A tool result as received, and the part of it that a client forwards.

use super::page::{Block, Page};
use super::profile::{Profile, Representation};
use crate::wire::read_value;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A `tools/call` result, as far as a client looks at it.
#[derive(Debug, Clone, Default)]
pub struct ToolResult {
    pub is_error: bool,
    /// The text blocks.
    pub blocks: Vec<Block>,
    /// `structuredContent`; `None` also when it is null.
    pub structured: Option<Block>,
    /// Blocks of any type.
    pub parts: usize,
    /// The result is no JSON that can be read here; its raw text stands for it.
    pub is_unreadable: bool,
}

#[derive(Deserialize)]
struct WireResult<'r> {
    #[serde(borrow, default)]
    content: Option<Vec<WireBlock<'r>>>,
    #[serde(rename = "structuredContent", borrow, default)]
    structured: Option<&'r RawValue>,
    #[serde(rename = "isError", default)]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct WireBlock<'r> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'r, str>,
    #[serde(default)]
    text: Option<String>,
}

impl ToolResult {
    /// Reads what a client reads of the raw `result`; anything of another shape is left out.
    pub fn parse(raw: &str) -> Self {
        match serde_json::from_str::<WireResult<'_>>(raw) {
            Ok(result) => Self::of_wire(result),
            // Another shape, a member twice, a lone surrogate: slower, and as lenient as can be.
            Err(_) => match read_value(raw) {
                Ok(value) => Self::of_value(&value),
                Err(_) => Self { is_unreadable: true, ..Self::of_text(raw.to_owned(), false) },
            },
        }
    }

    /// A result of one text block.
    pub fn of_text(text: String, is_error: bool) -> Self {
        Self { is_error, blocks: vec![Block::of_text(text)], parts: 1, ..Self::default() }
    }

    fn of_wire(result: WireResult<'_>) -> Self {
        let content = result.content.unwrap_or_default();
        let parts = content.len();
        let texts = content.into_iter().filter(|block| block.kind == "text").filter_map(|block| block.text);
        let structured = result.structured.map(|raw| match read_value(raw.get()) {
            Ok(value) => Block::of_document(value),
            Err(_) => Block::of_unreadable(raw.get().to_owned()),
        });
        Self {
            is_error: result.is_error.unwrap_or(false),
            blocks: texts.map(Block::of_text).collect(),
            structured,
            parts,
            is_unreadable: false,
        }
    }

    fn of_value(result: &Value) -> Self {
        let blocks = result.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let text_of = |block: &Value| {
            (block.get("type").and_then(Value::as_str) == Some("text"))
                .then(|| block.get("text").and_then(Value::as_str).map(str::to_owned))
                .flatten()
        };
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        Self {
            is_error: result.get("isError").and_then(Value::as_bool).unwrap_or(false),
            blocks: blocks.iter().filter_map(text_of).map(Block::of_text).collect(),
            structured: structured.cloned().map(Block::of_document),
            parts: blocks.len(),
            is_unreadable: false,
        }
    }

    /// What the profile forwards.
    pub fn forwarded(&self, profile: &Profile) -> Page<'_> {
        match self.forwarded_structured(profile) {
            Some(document) => Page::new([document], profile.join),
            None => Page::new(&self.blocks, profile.join),
        }
    }

    /// The structured content, when that is what the profile forwards.
    pub fn forwarded_structured(&self, profile: &Profile) -> Option<&Block> {
        let has_text = self.blocks.iter().any(|block| !block.text().is_empty());
        let wins = match profile.representation {
            Representation::StructuredFirst => !self.is_error || !has_text,
            Representation::Content => !has_text,
        };
        self.structured.as_ref().filter(|_| wins)
    }

    /// All that the server sent: structured content, then the text blocks.
    pub fn everything(&self, profile: &Profile) -> Page<'_> {
        Page::new(self.structured.iter().chain(&self.blocks), profile.join)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::ClientConfig;

    fn forwarded(client: &str, raw: &str) -> String {
        let profile = Profile::resolve(&ClientConfig::default(), Some(client)).unwrap();
        ToolResult::parse(raw).forwarded(&profile).text().to_owned()
    }

    const TEXT: &str =
        r#"{"type":"text","text":"a"},{"type":"image","data":"AA=="},{"type":"text","text":"b"}"#;

    #[test]
    fn each_representation_forwards_its_part() {
        let both = format!(r#"{{"content":[{TEXT}],"structuredContent":{{"k": 1.0}},"_meta":{{"x":1}}}}"#);
        let failed = both.replacen('{', r#"{"isError":true,"#, 1);
        let bare = r#"{"structuredContent":{"k":"é"}}"#;
        let failed_bare = r#"{"isError":true,"content":[],"structuredContent":{"why":"x"}}"#;
        for (client, result, wanted) in [
            ("claude-code", both.as_str(), r#"{"k":1}"#),
            ("claude-code", &failed, "a\nb"),
            ("claude-code", failed_bare, r#"{"why":"x"}"#),
            ("none", &both, "a\nb"),
            ("zed", &both, "ab"),
            ("cline", &both, "a\n\nb"),
            ("none", bare, r#"{"k":"é"}"#),
            ("none", r#"{"content":[{"type":"text","text":""}],"structuredContent":[]}"#, "[]"),
            ("claude-code", r#"{"content":[{"type":"text","text":"t"}],"structuredContent":null}"#, "t"),
            ("none", "{}", ""),
        ] {
            assert_eq!(forwarded(client, result), wanted, "{client} {result}");
        }
    }

    #[test]
    fn odd_shapes_lose_only_what_is_odd() {
        let deep = format!(
            r#"{{"content":[{{"type":"text","text":"x"}}],"structuredContent":{}{}}}"#,
            "[".repeat(1_000),
            "]".repeat(1_000)
        );
        for (result, wanted) in [
            (r#"{"content":[{"type":"text","text":"a"},7,{"type":"text"}]}"#, "a"),
            (r#"{"content":"no list","isError":"yes"}"#, ""),
            (r#"{"content":[{"type":"text","text":"\ud800!"}]}"#, "\u{fffd}!"),
            (r#"{"content":[{"type":"text","text":"1"}],"content":[{"type":"text","text":"2"}]}"#, "2"),
            ("[1]", ""),
            (&deep, "x"),
        ] {
            assert_eq!(forwarded("none", result), wanted, "{result:.80}");
        }
        assert!(forwarded("claude-code", &deep).starts_with("[[["));
        assert!(ToolResult::parse(&"[".repeat(1_000)).is_unreadable);
    }
}
