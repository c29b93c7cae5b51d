//! News: the content of a page that its chain has not shown before.
//!
//! Content is the whitespace-folded lines of a page's text or of its string leaves, and numbers inside
//! arrays. Not content: a line in which a pattern of the chain's rule matches, the leaf at a pointer that a
//! rule names, leaves outside arrays that are an RFC 3339 time, and what `ignore` matches.

use super::fold::fold_into;
use super::leaf::{Leaf, covers, each_leaf};
use super::rule::{pattern_of, patterns_of, pointer_of, pointers_of};
use super::toolbox::Tool;
use crate::client::{Page, Part, utf16_len};
use crate::suite::{ContinuationRule, Selector};
use crate::text::{Pattern, Pointer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use xxhash_rust::xxh3::xxh3_128;

/// What is not content.
pub(super) struct Sieve<'t> {
    patterns: Vec<&'t Pattern>,
    pointers: Vec<&'t Pointer>,
    ignore: &'t [Selector],
}

impl<'t> Sieve<'t> {
    /// For pages of `tool` in a chain that goes on by `rule`.
    pub fn new(tool: &'t Tool, rule: Option<&'t ContinuationRule>) -> Self {
        let mut pointers: Vec<&Pointer> = tool.rules.iter().flatten().flat_map(pointers_of).collect();
        pointers.extend(rule.iter().flat_map(|rule| pointers_of(rule)));
        Self { patterns: rule.map(patterns_of).unwrap_or_default(), pointers, ignore: &tool.ignore }
    }

    fn is_notice(&self, line: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(line))
    }

    /// What is left of a line that is no notice.
    fn kept<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let patterns = self.ignore.iter().filter_map(pattern_of).filter(|pattern| pattern.is_match(line));
        patterns.fold(Cow::Borrowed(line), |text, pattern| Cow::Owned(pattern.remove_from(&text)))
    }

    pub fn keeps(&self, leaf: &Leaf<'_, '_>) -> bool {
        let named = self.pointers.iter().any(|pointer| pointer.as_str() == leaf.pointer);
        let ignored = self.ignore.iter().filter_map(pointer_of).any(|pointer| covers(pointer, leaf.pointer));
        let is_clock = !leaf.in_array && leaf.value.as_str().is_some_and(is_rfc3339);
        !(named || ignored || is_clock)
    }

    /// Calls `see` with the hash of every piece of content until it breaks.
    fn each_content(&self, page: &Page<'_>, see: &mut impl FnMut(u128) -> ControlFlow<()>) {
        let mut sifting = Sifting { sieve: self, see, line: String::new(), is_over: false };
        for part in page.parts() {
            match part {
                Part::Text(text) => sifting.lines(text),
                Part::Json(document) => each_leaf(document, &mut |leaf| sifting.leaf(&leaf)),
            }
        }
    }

    /// UTF-16 units of a text without the lines in which a pattern of the rule matches, and without the line
    /// breaks that set such lines apart: a count too small shows a character twice, one too large loses it.
    pub fn units(&self, text: &str) -> u64 {
        let (mut units, mut breaks, mut is_after_notice) = (0, 0, false);
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            if self.is_notice(content) {
                units -= std::mem::take(&mut breaks);
                is_after_notice = true;
                continue;
            }
            if content.is_empty() && is_after_notice {
                continue;
            }
            is_after_notice = false;
            breaks = if content.is_empty() { breaks } else { 0 } + utf16_len(&line[content.len()..]);
            units += utf16_len(line);
        }
        units
    }
}

struct Sifting<'s, F> {
    sieve: &'s Sieve<'s>,
    see: &'s mut F,
    /// Filled anew for every line.
    line: String,
    is_over: bool,
}

impl<F: FnMut(u128) -> ControlFlow<()>> Sifting<'_, F> {
    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            if self.is_over {
                return;
            }
            if self.sieve.is_notice(line) {
                continue;
            }
            self.line.clear();
            fold_into(&mut self.line, &self.sieve.kept(line));
            let content = self.line.trim();
            if !content.is_empty() {
                self.is_over = (self.see)(xxh3_128(content.as_bytes())).is_break();
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf<'_, '_>) {
        match leaf.value {
            _ if self.is_over => {}
            Value::String(text) if self.sieve.keeps(leaf) => self.lines(text),
            Value::Number(number) if leaf.in_array && self.sieve.keeps(leaf) => {
                self.is_over = (self.see)(xxh3_128(number.to_string().as_bytes())).is_break();
            }
            _ => {}
        }
    }
}

/// A date and time as RFC 3339 has it.
pub fn is_rfc3339(text: &str) -> bool {
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
    pub fn take(&mut self, page: &Page<'_>, sieve: &Sieve<'_>) -> bool {
        let before = self.0.len();
        sieve.each_content(page, &mut |hash| {
            self.0.insert(hash);
            ControlFlow::Continue(())
        });
        self.0.len() > before
    }

    /// Whether a page has content that was not shown before.
    pub fn lacks(&self, page: &Page<'_>, sieve: &Sieve<'_>) -> bool {
        let mut found = false;
        sieve.each_content(page, &mut |hash| {
            found = !self.0.contains(&hash);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }
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
    fn units_leave_out_notices_and_the_breaks_before_them() {
        let notice = Pattern::new(r"^\[more at \d+\]").unwrap();
        let sieve = Sieve { patterns: vec![&notice], pointers: Vec::new(), ignore: &[] };
        for (text, units) in [
            ("ab\ncd\n", 6),
            ("ab\ncd\n\n[more at 5]", 5),
            ("ab\r\n[more at 5]\ncd", 4),
            ("[more at 5]\n\nab", 2),
            ("😀\n", 3),
            ("", 0),
        ] {
            assert_eq!(sieve.units(text), units, "{text:?}");
        }
    }
}
