//! A tool result as received, and the part of it that a client forwards.

use super::profile::{Profile, Representation};
use crate::text::stringify;
use serde_json::Value;

/// One piece of a page: a document, or text that is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Json(Value),
    Text(String),
}

/// What an agent can use of a result: its text, and the pieces of which the text is made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    pub text: String,
    pub parts: Vec<Part>,
}

impl Page {
    /// A page of text blocks; a block that parses as an object or array is a document.
    pub fn of_blocks<'t>(blocks: impl IntoIterator<Item = &'t str>, join: &str) -> Self {
        let blocks: Vec<&str> = blocks.into_iter().collect();
        let parts = blocks.iter().map(|block| part_of(block)).collect();
        Self { text: blocks.join(join), parts }
    }

    /// A page of one document, in the text that the client writes of it.
    pub fn of_document(document: &Value) -> Self {
        Self { text: stringify(document), parts: vec![Part::Json(document.clone())] }
    }

    /// The documents, in order.
    pub fn documents(&self) -> impl Iterator<Item = &Value> {
        self.parts.iter().filter_map(|part| match part {
            Part::Json(value) => Some(value),
            Part::Text(_) => None,
        })
    }

    /// The value at a pointer in the first document in which it is present and not null.
    pub fn value_at(&self, pointer: &crate::text::Pointer) -> Option<&Value> {
        self.documents().filter_map(|document| pointer.get(document)).find(|value| !value.is_null())
    }
}

fn part_of(block: &str) -> Part {
    let begins_as_json = block.trim_start().starts_with(['{', '[']);
    match begins_as_json.then(|| serde_json::from_str::<Value>(block)) {
        Some(Ok(value)) => Part::Json(value),
        _ => Part::Text(block.to_owned()),
    }
}

/// A `tools/call` result, parsed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    pub is_error: bool,
    pub blocks: Vec<String>,
    pub structured: Option<Value>,
}

impl ToolResult {
    /// Reads what a client reads; anything of another shape is left out.
    pub fn parse(result: &Value) -> Self {
        let blocks = result.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let text_of = |block: &Value| {
            (block.get("type").and_then(Value::as_str) == Some("text"))
                .then(|| block.get("text").and_then(Value::as_str).map(str::to_owned))
                .flatten()
        };
        Self {
            is_error: result.get("isError").and_then(Value::as_bool).unwrap_or(false),
            blocks: blocks.iter().filter_map(text_of).collect(),
            structured: result.get("structuredContent").filter(|value| !value.is_null()).cloned(),
        }
    }

    /// What the profile forwards.
    pub fn forwarded(&self, profile: &Profile) -> Page {
        match self.forwarded_structured(profile) {
            Some(document) => Page::of_document(document),
            None => Page::of_blocks(self.blocks.iter().map(String::as_str), profile.join),
        }
    }

    /// The structured content, when that is what the profile forwards.
    pub fn forwarded_structured(&self, profile: &Profile) -> Option<&Value> {
        let wins = match profile.representation {
            Representation::StructuredFirst => !self.is_error,
            Representation::Content => self.blocks.is_empty(),
        };
        self.structured.as_ref().filter(|_| wins)
    }

    /// All that the server sent: structured content, then the text blocks.
    pub fn everything(&self, profile: &Profile) -> Page {
        let mut page = Page::of_blocks(self.blocks.iter().map(String::as_str), profile.join);
        if let Some(document) = &self.structured {
            page.parts.insert(0, Part::Json(document.clone()));
            page.text = format!("{}{}{}", stringify(document), profile.join, page.text);
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::ClientConfig;
    use serde_json::json;

    fn profile(name: &str) -> Profile {
        Profile::resolve(&ClientConfig::default(), Some(name)).unwrap()
    }

    #[test]
    fn each_representation_forwards_its_part() {
        let both = json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}],
            "structuredContent": {"k": 1.0}, "_meta": {"x": 1}});
        let mut failed = both.clone();
        failed["isError"] = json!(true);
        let bare = json!({"structuredContent": {"k": "é"}});
        for (client, result, wanted) in [
            ("claude-code", &both, r#"{"k":1}"#),
            ("claude-code", &failed, "a\nb"),
            ("none", &both, "a\nb"),
            ("zed", &both, "ab"),
            ("cline", &both, "a\n\nb"),
            ("none", &bare, r#"{"k":"é"}"#),
            ("none", &json!({}), ""),
        ] {
            assert_eq!(
                ToolResult::parse(result).forwarded(&profile(client)).text,
                wanted,
                "{client} {result}"
            );
        }
    }

    #[test]
    fn documents_are_objects_and_arrays_only() {
        let page = Page::of_blocks(["[1]", "12", "{\"a\":1}", "{cut"], "\n");
        assert_eq!(page.documents().count(), 2);
        assert_eq!(page.parts.len(), 4);
    }
}
