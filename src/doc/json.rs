//! JSON with places.
//!
//! `serde_json` judges whether the text is JSON (RFC 8259); the tree is then built by `jsonc-parser`, which knows
//! places but lets some texts pass that are no JSON. Files of other programs may hold comments and trailing
//! commas; there `jsonc-parser` judges alone. It stops at 512 open brackets, so that no text exhausts the stack.

use super::place::{Step, render};
use super::{Content, Entry, Form, Node, Report};
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::HashMap;

/// Whether comments and trailing commas are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    Refused,
    Allowed,
}

/// Parses a text; `None` when it is no JSON, and then the report says where and why.
pub fn parse(text: &str, comments: Comments, report: &Report) -> Option<Node> {
    if comments == Comments::Refused
        && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text)
    {
        let offset = offset_of(text, error.line(), error.column());
        report.problem(&(offset..offset), String::new(), reason(&error), None, None);
        return None;
    }
    let options = ParseOptions {
        allow_comments: comments == Comments::Allowed,
        allow_trailing_commas: comments == Comments::Allowed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => match parsed.value {
            Some(value) => Some(build(value, report, &mut Vec::new())),
            None => {
                report.problem(&(0..0), String::new(), "no JSON: the text is empty".to_owned(), None, None);
                None
            }
        },
        Err(error) => {
            let start = error.range().start;
            report.problem(
                &(start..start),
                String::new(),
                format!("no JSON: {}", error.kind()).to_lowercase().replace("json", "JSON"),
                None,
                None,
            );
            None
        }
    }
}

/// `serde_json` names the place at the end of its message; here it stands in front. Its shortest messages are
/// put into words.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let plain = message.rsplit_once(" at line ").map_or(message.as_str(), |(plain, _)| plain);
    match plain {
        _ if error.is_eof() => format!("no JSON: the text ends too early ({plain})"),
        "expected ident" => "no JSON: a word other than `true`, `false`, `null`".to_owned(),
        "key must be a string" => {
            "no JSON: a key in double quotes is wanted here (and no comma stands before `}`)".to_owned()
        }
        _ => format!("no JSON: {plain}"),
    }
}

/// `serde_json` counts lines from 1 and columns in bytes from 1; column 0 is the end of the line before.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(text.len(), |end| end + 1),
    };
    (start + column.saturating_sub(1)).min(text.len())
}

fn build(value: Value<'_>, report: &Report, path: &mut Vec<String>) -> Node {
    let range = value.range();
    let span = range.start..range.end;
    let content = match value {
        Value::NullKeyword(_) => Content::Null,
        Value::BooleanLit(literal) => Content::Flag(literal.value),
        Value::StringLit(literal) => Content::Text(literal.value.into_owned()),
        Value::NumberLit(literal) => number(literal.value),
        Value::Array(array) => {
            let mut items = Vec::with_capacity(array.elements.len());
            for (index, element) in array.elements.into_iter().enumerate() {
                path.push(index.to_string());
                items.push(build(element, report, path));
                path.pop();
            }
            Content::List(items)
        }
        Value::Object(object) => object_content(object, report, path),
    };
    Node { content, span }
}

/// A number that no double holds stays what it is called, and fits no key.
fn number(text: &str) -> Content {
    match serde_json::from_str(text) {
        Ok(number) => Content::Number(number),
        Err(_) => Content::Other(format!("the number {text}, which is out of range")),
    }
}

fn object_content(object: jsonc_parser::ast::Object<'_>, report: &Report, path: &mut Vec<String>) -> Content {
    let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
    let mut seen: HashMap<String, ()> = HashMap::with_capacity(object.properties.len());
    for property in object.properties {
        let range = property.name.range();
        let key_span = range.start..range.end;
        let key = match property.name {
            ObjectPropName::String(literal) => literal.value.into_owned(),
            ObjectPropName::Word(word) => word.value.to_owned(),
        };
        path.push(key.clone());
        let node = build(property.value, report, path);
        if seen.insert(key.clone(), ()).is_some() {
            let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
            report.problem(
                &key_span,
                render(Form::Json, &steps),
                format!("key `{key}` is there twice"),
                Some("each key once".to_owned()),
                None,
            );
        } else {
            entries.push(Entry { key, key_span, node });
        }
        path.pop();
    }
    Content::Table(entries)
}
