//! Names and rules as a suite file has them. Names come from servers: none may end its line.

use super::{ContinuationRule, Next, Selector, StepBy};
use std::fmt::Write;

/// A text in quotes, on one line whatever stands in it.
pub fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Line and paragraph separators are no control characters, and editors break lines at them.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A name as a key.
pub fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { text(name) }
}

/// A list of texts.
pub fn texts<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(|item| text(item.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

/// A table of texts on one line.
pub fn table(pairs: &[(String, String)]) -> String {
    let entries: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{} = {}", key(name), text(value))).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A rule of `continue`.
pub fn rule(rule: &ContinuationRule) -> String {
    let mut keys = match &rule.next {
        Next::From { argument, pointer } => {
            format!("argument = {}, from = {}", text(argument), text(pointer.as_str()))
        }
        Next::Pattern { argument, pattern } => {
            format!("argument = {}, pattern = {}", text(argument), text(pattern.as_str()))
        }
        Next::Advance { argument, unit, by, items } => {
            let mut keys = format!("argument = {}, advance = \"{unit}\"", text(argument));
            match by {
                Some(StepBy::Argument(name)) => keys.push_str(&format!(", by = {}", text(name))),
                Some(StepBy::Selector(Selector::Pointer(pointer))) => {
                    keys.push_str(&format!(", by = {{ from = {} }}", text(pointer.as_str())));
                }
                Some(StepBy::Selector(Selector::Pattern(pattern))) => {
                    keys.push_str(&format!(", by = {{ pattern = {} }}", text(pattern.as_str())));
                }
                None => {}
            }
            if let Some(items) = items {
                keys.push_str(&format!(", from = {}", text(items.as_str())));
            }
            keys
        }
        Next::Tool { tool, carry } => {
            let carried: Vec<String> =
                carry.iter().map(|(name, place)| format!("{} = {}", key(name), selector(place))).collect();
            format!("tool = {}, carry = {{ {} }}", text(tool), carried.join(", "))
        }
        Next::Same => "same = true".to_owned(),
    };
    if let Some(guard) = &rule.guard {
        keys.push_str(&format!(", while = {}", selector(guard)));
    }
    format!("{{ {keys} }}")
}

fn selector(place: &Selector) -> String {
    match place {
        Selector::Pointer(pointer) => text(pointer.as_str()),
        Selector::Pattern(pattern) => format!("{{ pattern = {} }}", text(pattern.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_and_never_ends_its_line() {
        for odd in ["plain", "a \"b\" \\c", "two\nlines\r", "\u{7f}\u{85}\u{2028}", "é😀", ""] {
            let line = format!("{} = {}", key(odd), texts([odd]));
            assert_eq!(line.lines().count(), 1, "{odd:?}");
            let read: toml::Table = line.parse().unwrap();
            assert_eq!(read[odd].as_array().unwrap()[0].as_str(), Some(odd));
        }
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        for written in [
            r#"{ argument = "cursor", from = "/nextCursor" }"#,
            r#"{ argument = "start", pattern = "start of (\\d+)", while = "/hasMore" }"#,
            r#"{ argument = "offset", advance = "lines", by = { pattern = "(\\d+) lines" }, while = { pattern = "more" } }"#,
            r#"{ argument = "offset", advance = "items", by = "limit" }"#,
            r#"{ argument = "offset", advance = "items", from = "/items" }"#,
            r#"{ tool = "more", carry = { id = "/id", "a b" = { pattern = "s: (\\S+)" } } }"#,
            r#"{ same = true, while = "/more" }"#,
        ] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("mcp-regress.toml");
            let suite = format!("format_version = 1\n[tools.a]\ncontinue = [{written}]\n[tools.more]\n");
            fs_err::write(&file, suite).unwrap();
            let suite = crate::suite::load(&file).unwrap();
            let rules = suite.tools["a"].continuation.as_ref().unwrap();
            assert_eq!(rule(&rules[0]), written);
        }
    }
}
