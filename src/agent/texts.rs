//! The texts of a page, as needs and evidence look at them.
//!
//! A document gives its string and number leaves; those outside arrays carry on the leaf at the same place
//! of the page before, those inside arrays stand each for itself. All other text of a page carries on the
//! text of the page before, without notices and without the head that every page repeats.

use super::fold::fold_into;
use super::leaf::each_leaf;
use crate::client::{Page, Part};
use crate::text::Pattern;
use serde_json::Value;
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// One text of a page, its white space folded.
pub(super) struct PageText<'t> {
    /// The leaf's JSON Pointer; `None` for text that is no leaf.
    pub pointer: Option<&'t str>,
    /// Which of a page's documents it is from.
    pub document: usize,
    pub text: &'t str,
    /// It is one of a list, and carries on nothing.
    pub stands_alone: bool,
}

/// Takes the texts out of a chain's pages, one page after the other.
#[derive(Debug, Default)]
pub(super) struct TextReader {
    /// Hashes of the first page's lines of text.
    first_lines: Option<Vec<u64>>,
}

impl TextReader {
    /// Calls `see` for every text of the chain's next page. `notices`: lines in which one of these matches
    /// are no text of the page.
    pub fn each_text(&mut self, page: &Page<'_>, notices: &[&Pattern], see: &mut impl FnMut(PageText<'_>)) {
        let mut folded = String::new();
        let mut document = 0;
        let mut plain: Option<String> = None;
        for part in page.parts() {
            match part {
                Part::Text(text) => match &mut plain {
                    Some(joined) => {
                        joined.push_str(page.join());
                        joined.push_str(text);
                    }
                    None => plain = Some(text.to_owned()),
                },
                Part::Json(value) => {
                    each_leaf(value, &mut |leaf| {
                        folded.clear();
                        match leaf.value {
                            Value::String(text) => fold_into(&mut folded, text),
                            Value::Number(number) => {
                                let _ = write!(folded, "{number}");
                            }
                            _ => return,
                        }
                        let pointer = Some(leaf.pointer);
                        see(PageText { pointer, document, text: &folded, stands_alone: leaf.in_array });
                    });
                    document += 1;
                }
            }
        }
        if let Some(text) = plain {
            folded.clear();
            fold_into(&mut folded, &self.page_of_text(&text, notices));
            see(PageText { pointer: None, document: 0, text: &folded, stands_alone: false });
        }
    }

    /// A page of plain text without notices, leading lines of the first page, and line breaks at its ends.
    fn page_of_text(&mut self, text: &str, notices: &[&Pattern]) -> String {
        let is_notice = |line: &&str| notices.iter().any(|pattern| pattern.is_match(line));
        let mut lines: Vec<&str> = text.lines().filter(|line| !is_notice(line)).collect();
        let hashes = lines.iter().map(|line| xxh3_64(line.as_bytes()));
        match &self.first_lines {
            None => self.first_lines = Some(hashes.collect()),
            Some(first) => {
                let same = hashes.zip(first).take_while(|(line, first)| line == *first).count();
                lines.drain(..same);
            }
        }
        lines.join("\n").trim_matches(['\n', '\r']).to_owned()
    }
}
