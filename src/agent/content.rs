//! The content of a page: the lines and leaves by which news is told from repetition.

use super::rule;
use super::toolbox::Tool;
use crate::client::{Page, Part, Profile, ToolResult};
use crate::suite::{ContinuationRule, Next, Selector, StepBy};
use crate::text::{Pattern, Pointer, sha256_hex, stringify};
use serde_json::Value;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_128;

/// A leaf of a document, where it stands, and whether that is inside an array.
pub(super) struct Leaf<'v> {
    pub pointer: String,
    pub value: &'v Value,
    pub in_array: bool,
}

/// A reference token of a JSON Pointer.
pub(super) fn escape(key: &str) -> String {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1") } else { key.to_owned() }
}

/// Calls `see` for every scalar leaf, in document order.
pub(super) fn each_leaf<'v>(document: &'v Value, see: &mut impl FnMut(Leaf<'v>)) {
    walk(document, &mut String::new(), false, see);
}

fn walk<'v>(value: &'v Value, pointer: &mut String, in_array: bool, see: &mut impl FnMut(Leaf<'v>)) {
    let length = pointer.len();
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                pointer.push('/');
                pointer.push_str(&escape(key));
                walk(inner, pointer, in_array, see);
                pointer.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                pointer.push('/');
                pointer.push_str(&index.to_string());
                walk(inner, pointer, true, see);
                pointer.truncate(length);
            }
        }
        _ => see(Leaf { pointer: pointer.clone(), value, in_array }),
    }
}

/// The patterns of a rule.
pub(super) fn patterns_of(rule: &ContinuationRule) -> Vec<&Pattern> {
    let mut patterns: Vec<&Pattern> = rule.guard.iter().filter_map(pattern_of).collect();
    match &rule.next {
        Next::Pattern { pattern, .. } => patterns.push(pattern),
        Next::Advance { by: Some(StepBy::Selector(place)), .. } => patterns.extend(pattern_of(place)),
        Next::Tool { carry, .. } => patterns.extend(carry.iter().filter_map(|(_, place)| pattern_of(place))),
        _ => {}
    }
    patterns
}

/// The pointers of a rule.
fn pointers_of(rule: &ContinuationRule) -> Vec<&Pointer> {
    let mut pointers: Vec<&Pointer> = rule.guard.iter().filter_map(pointer_of).collect();
    match &rule.next {
        Next::From { pointer, .. } => pointers.push(pointer),
        Next::Advance { by: Some(StepBy::Selector(place)), .. } => pointers.extend(pointer_of(place)),
        Next::Tool { carry, .. } => pointers.extend(carry.iter().filter_map(|(_, place)| pointer_of(place))),
        _ => {}
    }
    pointers
}

fn pattern_of(place: &Selector) -> Option<&Pattern> {
    match place {
        Selector::Pattern(pattern) => Some(pattern),
        Selector::Pointer(_) => None,
    }
}

fn pointer_of(place: &Selector) -> Option<&Pointer> {
    match place {
        Selector::Pointer(pointer) => Some(pointer),
        Selector::Pattern(_) => None,
    }
}

/// What is not content: patterns of the chain's rule, pointers of any rule of the tool, what `ignore` matches.
struct Sieve<'t> {
    patterns: Vec<&'t Pattern>,
    pointers: Vec<&'t Pointer>,
    ignore: &'t [Selector],
}

impl<'t> Sieve<'t> {
    fn new(tool: &'t Tool, rule: Option<&'t ContinuationRule>) -> Self {
        let mut pointers: Vec<&Pointer> = tool.rules.iter().flatten().flat_map(pointers_of).collect();
        pointers.extend(rule.iter().flat_map(|rule| pointers_of(rule)));
        Self { patterns: rule.map(patterns_of).unwrap_or_default(), pointers, ignore: &tool.ignore }
    }

    /// The content of one line, folded; `None` when nothing of it is content.
    fn line(&self, line: &str) -> Option<String> {
        if self.patterns.iter().any(|pattern| pattern.is_match(line)) {
            return None;
        }
        let kept =
            self.ignore.iter().filter_map(pattern_of).fold(line.to_owned(), |text, p| p.remove_from(&text));
        let folded = super::fold::fold_space(&kept).trim().to_owned();
        (!folded.is_empty()).then_some(folded)
    }

    fn keeps(&self, leaf: &Leaf<'_>) -> bool {
        let named = self.pointers.iter().any(|pointer| pointer.as_str() == leaf.pointer);
        let ignored = self.ignore.iter().filter_map(pointer_of).any(|pointer| covers(pointer, &leaf.pointer));
        let is_clock = !leaf.in_array && leaf.value.as_str().is_some_and(is_rfc3339);
        !(named || ignored || is_clock)
    }
}

/// Whether a place is at or below a pointer, in which `*` stands for any one token.
pub(super) fn covers(pointer: &Pointer, place: &str) -> bool {
    let depth = pointer.as_str().matches('/').count();
    let head: Vec<&str> = place.split('/').take(depth + 1).collect();
    pointer.matches(&head.join("/"))
}

/// A date and time as RFC 3339 has it.
fn is_rfc3339(text: &str) -> bool {
    let b = text.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't' | b' '),
        other => byte == other,
    };
    if b.len() <= shape.len() || !b.iter().zip(shape).all(fits) {
        return false;
    }
    let rest = &text[shape.len()..];
    let rest = rest
        .strip_prefix('.')
        .map_or(rest, |fraction| fraction.trim_start_matches(|c: char| c.is_ascii_digit()));
    let is_offset = |rest: &str| {
        let o = rest.as_bytes();
        o.len() == 6
            && matches!(o[0], b'+' | b'-')
            && o[3] == b':'
            && [1, 2, 4, 5].iter().all(|at| o[*at].is_ascii_digit())
    };
    matches!(rest, "Z" | "z") || is_offset(rest)
}

/// The content that a chain has shown, as hashes.
#[derive(Debug, Default)]
pub(super) struct Shown(HashSet<u128>);

impl Shown {
    /// Takes in a page; true when it brought content that was not shown before.
    pub fn take(&mut self, page: &Page, tool: &Tool, rule: Option<&ContinuationRule>) -> bool {
        let before = self.0.len();
        let sieve = Sieve::new(tool, rule);
        for part in &page.parts {
            match part {
                Part::Text(text) => self.take_lines(text, &sieve),
                Part::Json(document) => each_leaf(document, &mut |leaf| self.take_leaf(&leaf, &sieve)),
            }
        }
        self.0.len() > before
    }

    fn take_lines(&mut self, text: &str, sieve: &Sieve<'_>) {
        for line in text.lines() {
            if let Some(content) = sieve.line(line) {
                self.0.insert(xxh3_128(content.as_bytes()));
            }
        }
    }

    fn take_leaf(&mut self, leaf: &Leaf<'_>, sieve: &Sieve<'_>) {
        match leaf.value {
            Value::String(text) if sieve.keeps(leaf) => self.take_lines(text, sieve),
            Value::Number(number) if leaf.in_array && sieve.keeps(leaf) => {
                self.0.insert(xxh3_128(number.to_string().as_bytes()));
            }
            _ => {}
        }
    }
}

/// The hash of a result without what the tool's `ignore` matches.
pub(super) fn hash_without_ignored(tool: &Tool, result: &ToolResult, profile: &Profile) -> String {
    let patterns: Vec<&Pattern> = tool.ignore.iter().filter_map(pattern_of).collect();
    let pointers: Vec<&Pointer> = tool.ignore.iter().filter_map(pointer_of).collect();
    let mut text = format!("error: {}\n", result.is_error);
    for part in result.everything(profile).parts {
        let whole = match part {
            Part::Text(text) => text,
            Part::Json(mut document) => {
                remove_at(&mut document, &mut String::new(), &pointers);
                stringify(&document)
            }
        };
        text.push_str(&patterns.iter().fold(whole, |text, pattern| pattern.remove_from(&text)));
        text.push('\n');
    }
    sha256_hex(text)
}

fn remove_at(value: &mut Value, place: &mut String, pointers: &[&Pointer]) {
    if pointers.iter().any(|pointer| pointer.matches(place)) {
        *value = Value::Null;
        return;
    }
    let length = place.len();
    let mut visit = |token: &str, inner: &mut Value| {
        place.push('/');
        place.push_str(token);
        remove_at(inner, place, pointers);
        place.truncate(length);
    };
    match value {
        Value::Object(map) => map.iter_mut().for_each(|(key, inner)| visit(&escape(key), inner)),
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(at, inner)| visit(&at.to_string(), inner))
        }
        _ => {}
    }
}

/// UTF-16 units of a page's content: of its text, or of the string leaves of its documents.
pub(super) fn chars_of(page: &Page, rule: &ContinuationRule, tool: &Tool) -> u64 {
    let sieve = Sieve::new(tool, Some(rule));
    let mut units = 0;
    for part in &page.parts {
        match part {
            Part::Text(text) => units += rule::units_without(text, &sieve.patterns),
            Part::Json(document) => each_leaf(document, &mut |leaf| {
                if let Some(text) = leaf.value.as_str().filter(|_| sieve.keeps(&leaf)) {
                    units += rule::units_without(text, &sieve.patterns);
                }
            }),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_texts() {
        for time in ["2026-11-30T21:00:00Z", "2026-11-30t21:00:00.123+01:00", "2026-11-30 21:00:00z"] {
            assert!(is_rfc3339(time), "{time}");
        }
        for other in
            ["2026-11-30", "2026-11-30T21:00:00", "2026-11-30T21:00:00Z later", "é026-11-30T21:00:00Z"]
        {
            assert!(!is_rfc3339(other), "{other}");
        }
    }

    #[test]
    fn pointers_cover_what_is_below_them() {
        let covered = |pointer: &str, place: &str| covers(&Pointer::new(pointer).unwrap(), place);
        assert!(covered("/a", "/a/b") && covered("/items/*/id", "/items/3/id") && covered("", "/x"));
        assert!(!covered("/a", "/ab") && !covered("/items/*/id", "/items/3/name"));
    }
}
