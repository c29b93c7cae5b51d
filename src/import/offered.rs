//! Whether a page holds the position at which a later read starts.

use crate::agent::{as_number, each_leaf_outside_arrays, is_same, plain_name};
use crate::client::{Page, Part, utf16_len};
use serde_json::Value;

/// Units past the end of what was seen that still count as adjacent.
const ADJACENT_GAP: f64 = 3.0;
/// Words before a number in a sentence that make it a place.
const OF_PLACES: [&str; 9] =
    ["next", "offset", "start", "cursor", "continu", "page", "from", "after", "more"];

/// Whether a page holds the position that is asked for: a scalar outside lists, or a sentence of a text. A text is
/// told by itself, a number by what stands before it.
pub(super) fn offers_value(page: &Page<'_>, name: &str, value: &Value) -> bool {
    page.parts().any(|part| match part {
        Part::Json(document) => {
            let mut found = false;
            each_leaf_outside_arrays(document, &mut |leaf| {
                let is_it = is_same(Some(leaf.value), value);
                found |= is_it && (is_text_cursor(value) || speaks_of_place(leaf.pointer, name));
            });
            found
        }
        Part::Text(text) => text.lines().any(|line| line_offers(line, value)),
    })
}

fn line_offers(line: &str, value: &Value) -> bool {
    let wanted = text_of(value);
    let Some(at) = place_of(line, &wanted) else { return false };
    let before = line[..at].to_lowercase();
    is_text_cursor(value) || OF_PLACES.iter().any(|word| before.contains(word))
}

/// Whether what a page shows, read from `start`, ends where a read at `value` begins: counted in lines, in
/// characters, or in the items of one of its lists.
pub(super) fn ends_at(page: &Page<'_>, start: f64, value: &Value) -> bool {
    let Some(value) = as_number(value) else { return false };
    let mut counts: Vec<u64> = Vec::new();
    for part in page.parts() {
        match part {
            Part::Text(text) => counts.extend([text.lines().count() as u64, utf16_len(text)]),
            Part::Json(document) => collect_counts(document, &mut counts),
        }
    }
    counts.retain(|count| *count > 1);
    counts.iter().any(|count| (0.0..=ADJACENT_GAP).contains(&(value - start - *count as f64)))
}

/// The lengths of the lists outside lists, and of the long texts.
fn collect_counts(document: &Value, counts: &mut Vec<u64>) {
    match document {
        Value::Array(items) => counts.push(items.len() as u64),
        Value::Object(map) => map.values().for_each(|value| collect_counts(value, counts)),
        Value::String(text) if text.len() > 100 => {
            counts.extend([text.lines().count() as u64, utf16_len(text)])
        }
        _ => {}
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn is_text_cursor(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() >= 4) && as_number(value).is_none()
}

/// Whether a pointer's key speaks of where a read goes on.
pub(crate) fn speaks_of_place(pointer: &str, argument: &str) -> bool {
    let argument = plain_name(argument);
    pointer.rsplit('/').take(2).map(plain_name).any(|key| {
        key == argument
            || ["next", "cursor", "offset", "after", "before", "start", "continu"]
                .iter()
                .any(|word| key.contains(word))
    })
}

/// Whether a text holds a value, standing alone.
pub(super) fn holds(text: &str, value: &Value) -> bool {
    place_of(text, &text_of(value)).is_some()
}

/// Where a text holds another one that stands alone.
fn place_of(text: &str, wanted: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(wanted).find(|(at, found)| {
        !text[..*at].chars().next_back().is_some_and(is_word)
            && !text[at + found.len()..].chars().next().is_some_and(is_word)
    });
    found.map(|(at, _)| at)
}

/// Every text in a value; numbers as texts.
pub(crate) fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(map) => map.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}
