//! A call about to be made, and the keys by which requests are told apart.

use super::toolbox::Tool;
use crate::text::{canonical, sha256_hex};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// A call about to be made. `key_arguments` has bound and carried values replaced by their names.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub tool: Arc<Tool>,
    pub arguments: Map<String, Value>,
    pub key_arguments: Map<String, Value>,
}

impl Request {
    /// Equal for requests of the same tool with the same arguments.
    pub fn digest(&self) -> u128 {
        xxh3_128(text_of(&self.tool.name, &self.arguments).as_bytes())
    }

    /// The key by which requests of two sides are compared: tool and canonical arguments, bound and carried
    /// values by name.
    pub fn key(&self) -> String {
        key_of(&self.tool.name, &self.key_arguments)
    }

    /// Sets an argument that is neither bound nor carried.
    pub fn set(&mut self, name: &str, value: Value) {
        self.key_arguments.insert(name.to_owned(), value.clone());
        self.arguments.insert(name.to_owned(), value);
    }

    /// The argument, unless it is null: a null asks for the default, as an absent one does.
    pub fn sent(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    /// What was read, whatever the position and the size.
    pub fn identity(&self) -> u128 {
        let kept = self.arguments.iter().filter(|(name, _)| self.tool.is_identity(name));
        xxh3_128(text_of(&self.tool.name, kept).as_bytes())
    }
}

/// The key of a request that was not sent.
pub(super) fn key_of(tool: &str, key_arguments: &Map<String, Value>) -> String {
    sha256_hex(text_of(tool, key_arguments))
}

fn text_of<'a>(tool: &str, arguments: impl IntoIterator<Item = (&'a String, &'a Value)>) -> String {
    let mut entries: Vec<_> = arguments.into_iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    let mut text = format!("{tool}\n");
    for (name, value) in entries {
        let _ = writeln!(text, "{name:?}:{}", canonical(value));
    }
    text
}
