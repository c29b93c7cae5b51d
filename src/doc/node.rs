//! A document as a tree: one shape for TOML and JSON.

use super::Form;
use serde_json::{Map, Number, Value};
use std::ops::Range;

/// A value and the bytes of the source text that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub content: Content,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file, each key once.
    Table(Vec<Entry>),
    /// What no key takes: a date, an infinite number; as a person would call it.
    Other(String),
}

/// A key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

/// So many characters of a wrong value are shown.
const SHOWN_CHARS: usize = 60;

impl Node {
    /// The entry of a key, when this is a table that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.content {
            Content::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// What stands here, for a message: `the text "x"`, `a list`.
    pub fn describe(&self, form: Form) -> String {
        match &self.content {
            Content::Null => "`null`".to_owned(),
            Content::Flag(flag) => format!("`{flag}`"),
            Content::Number(number) => format!("the number {number}"),
            Content::Text(text) => format!("the text {}", shown(text)),
            Content::List(_) => "a list".to_owned(),
            Content::Table(_) => form.table().to_owned(),
            Content::Other(what) => what.clone(),
        }
    }

    /// As [`Node::describe`], without the content of a text.
    pub fn describe_kind(&self, form: Form) -> String {
        match &self.content {
            Content::Text(_) => "a text".to_owned(),
            Content::Number(_) => "a number".to_owned(),
            _ => self.describe(form),
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Flag(flag) => Value::Bool(*flag),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) | Content::Other(text) => Value::String(text.clone()),
            Content::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            Content::Table(entries) => Value::Object(entries_to_json(entries)),
        }
    }
}

/// The entries of a table as a JSON object.
pub fn entries_to_json(entries: &[Entry]) -> Map<String, Value> {
    let mut map = Map::with_capacity(entries.len());
    for entry in entries {
        map.insert(entry.key.clone(), entry.node.to_json());
    }
    map
}

/// A text in quotes, escaped, cut when it is long.
pub fn shown(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHOWN_CHARS).collect();
    if chars.next().is_some() { format!("{head:?}...") } else { format!("{head:?}") }
}
