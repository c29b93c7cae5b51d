//! Fields of a record that may have any shape.

use crate::client::Block;
use crate::import::model::{OutputBlock, Tokens};
use serde_json::{Map, Value};

pub(super) fn text<'v>(record: &'v Value, key: &str) -> Option<&'v str> {
    record.get(key)?.as_str()
}

pub(super) fn flag(record: &Value, key: &str) -> bool {
    record.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// A text that is moved out of its record.
pub(super) fn take_text(value: &mut Value) -> Option<String> {
    match value.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The arguments of a call; anything else than an object counts as none.
pub(super) fn arguments(block: &mut Value) -> Map<String, Value> {
    match block.get_mut("input").map(Value::take) {
        Some(Value::Object(arguments)) => arguments,
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or_default(),
        _ => Map::new(),
    }
}

/// The content of a result: a text, or blocks.
pub(super) fn blocks(content: Option<Value>) -> Vec<OutputBlock> {
    match content {
        Some(Value::String(text)) => vec![OutputBlock::Text(Block::of_text(text))],
        Some(Value::Array(items)) => items.into_iter().filter_map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(mut item: Value) -> Option<OutputBlock> {
    if let Value::String(text) = item {
        return Some(OutputBlock::Text(Block::of_text(text)));
    }
    let kind = text(&item, "type")?.to_owned();
    match item.get_mut("text").and_then(take_text) {
        Some(text) if kind == "text" => Some(OutputBlock::Text(Block::of_text(text))),
        _ => Some(OutputBlock::Other(kind)),
    }
}

/// The usage of a message: what the model read, cached or not, and what it wrote.
pub(super) fn tokens(message: &Value) -> Option<Tokens> {
    let usage = message.get("usage")?.as_object()?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    let input =
        count("input_tokens") + count("cache_creation_input_tokens") + count("cache_read_input_tokens");
    Some(Tokens { input, output: count("output_tokens") })
}
