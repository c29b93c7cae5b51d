//! A pointer, or `{ pattern = "regex" }`.

use super::Selector;
use crate::doc::{At, Content, Form};

/// Reads a pointer or a pattern; with `group`, group 1 of the pattern is the value.
pub(crate) fn selector(at: &At<'_>, group: bool) -> Option<Selector> {
    if matches!(at.node().content, Content::Table(_)) {
        let table = at.table(&["pattern"])?;
        return table.must("pattern", "a regular expression")?.pattern(group).map(Selector::Pattern);
    }
    if at.as_text().is_none() {
        at.wrong(match at.form() {
            Form::Json => "a JSON Pointer or `{\"pattern\": \"regex\"}`",
            Form::Toml => "a JSON Pointer or `{ pattern = \"regex\" }`",
        });
        return None;
    }
    at.pointer().map(Selector::Pointer)
}
