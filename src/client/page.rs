//! Pieces of a result, and the page that an agent can use of them. Documents are parsed when first asked for.

use crate::text::{Pointer, stringify};
use crate::wire::read_value;
use serde_json::Value;
use std::cell::OnceCell;

/// A text block, or structured content in the text that a client writes of it.
#[derive(Debug, Clone)]
pub struct Block {
    text: String,
    document: OnceCell<Option<Value>>,
}

impl Block {
    /// A text block; it is a document when it parses as an object or array.
    pub fn of_text(text: String) -> Self {
        Self { text, document: OnceCell::new() }
    }

    /// Structured content.
    pub fn of_document(document: Value) -> Self {
        Self { text: stringify(&document), document: OnceCell::from(Some(document)) }
    }

    /// Structured content that no reader here can hold (nested too deep): text alone.
    pub(super) fn of_unreadable(text: String) -> Self {
        Self { text, document: OnceCell::from(None) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn document(&self) -> Option<&Value> {
        let read = || {
            let begins_as_json = self.text.trim_start().starts_with(['{', '[']);
            begins_as_json.then(|| read_value(&self.text).ok()).flatten()
        };
        self.document.get_or_init(read).as_ref()
    }
}

/// One piece of a page: a document, or text that is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part<'r> {
    Json(&'r Value),
    Text(&'r str),
}

/// What an agent can use of a result, or all that the server sent of it.
#[derive(Debug, Clone)]
pub struct Page<'r> {
    blocks: Vec<&'r Block>,
    join: &'static str,
    joined: OnceCell<String>,
}

impl<'r> Page<'r> {
    pub fn new(blocks: impl IntoIterator<Item = &'r Block>, join: &'static str) -> Self {
        Self { blocks: blocks.into_iter().collect(), join, joined: OnceCell::new() }
    }

    /// A page on which nothing can be seen.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The texts of all blocks, joined as the client joins them.
    pub fn text(&self) -> &str {
        match self.blocks[..] {
            [] => "",
            [only] => only.text(),
            _ => self.joined.get_or_init(|| {
                self.blocks.iter().map(|block| block.text()).collect::<Vec<_>>().join(self.join)
            }),
        }
    }

    /// What stands between two text blocks.
    pub fn join(&self) -> &'static str {
        self.join
    }

    pub fn parts(&self) -> impl Iterator<Item = Part<'r>> {
        self.blocks.iter().map(|block| block.document().map_or(Part::Text(block.text()), Part::Json))
    }

    /// The documents, in order.
    pub fn documents(&self) -> impl Iterator<Item = &'r Value> {
        self.blocks.iter().filter_map(|block| block.document())
    }

    /// The value at a pointer in the first document in which it is present and not null.
    pub fn value_at(&self, pointer: &Pointer) -> Option<&'r Value> {
        self.documents().filter_map(|document| pointer.get(document)).find(|value| !value.is_null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_objects_and_arrays_only() {
        let blocks =
            ["[1]", "12", "{\"a\":\"\\ud800\"}", "{cut", "\n {}"].map(|text| Block::of_text(text.into()));
        let page = Page::new(&blocks, "|");
        assert_eq!(page.documents().count(), 3);
        assert_eq!(page.parts().count(), 5);
        assert_eq!(page.text(), "[1]|12|{\"a\":\"\\ud800\"}|{cut|\n {}");
    }

    #[test]
    fn a_pointer_takes_the_first_document_that_has_a_value_there() {
        let blocks = ["{\"a\": null}", "{\"a\": 0}", "{\"a\": 2}"].map(|text| Block::of_text(text.into()));
        let page = Page::new(&blocks, "\n");
        assert_eq!(page.value_at(&Pointer::new("/a").unwrap()), Some(&Value::from(0)));
        assert_eq!(page.value_at(&Pointer::new("/b").unwrap()), None);
    }

    #[test]
    fn depth_costs_no_stack() {
        let block = Block::of_text("[".repeat(100_000));
        assert!(block.document().is_none());
    }
}
