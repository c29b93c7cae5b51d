//! TOML with places.

use super::{Content, Entry, Node, Report};
use serde_json::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses a text; `None` when it is no TOML, and then the report says where and why, for every fault.
pub fn parse(text: &str, report: &Report) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or_default();
        report.problem(&span, String::new(), format!("no TOML: {}", error.message()), None, None);
    }
    if !errors.is_empty() {
        return None;
    }
    let span = table.span();
    Some(Node { content: table_content(table.into_inner()), span })
}

fn table_content(table: DeTable<'_>) -> Content {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: key.span(),
            key: key.into_inner().into_owned(),
            node: build(value),
        })
        .collect();
    // The parser sorts by key; messages follow the file.
    entries.sort_by_key(|entry| entry.key_span.start);
    Content::Table(entries)
}

fn build(value: Spanned<DeValue<'_>>) -> Node {
    let span = value.span();
    let content = match value.into_inner() {
        DeValue::String(text) => Content::Text(text.into_owned()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => Content::Number(number.into()),
            Err(_) => Content::Other(format!("the number {integer}, which is out of range")),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Content::Number(number),
            None => Content::Other(format!("the number {}, which is not finite", float.as_str())),
        },
        DeValue::Boolean(flag) => Content::Flag(flag),
        DeValue::Datetime(date) => Content::Other(format!("the date {date}")),
        DeValue::Array(array) => Content::List(array.into_iter().map(build).collect()),
        DeValue::Table(table) => table_content(table),
    };
    Node { content, span }
}
