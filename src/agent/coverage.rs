//! Coverage: the share of recorded fingerprints that the text of a chain holds (fingerprints, version 1).
//!
//! XXH3-64 of every run of 32 code points; a text of 8 to 31 code points has one hash of the whole.

use super::content::{covers, each_leaf};
use super::fold::fold_space;
use super::need::Seen;
use crate::case::Coverage;
use crate::client::Part;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Code points of one gram.
pub const GRAM: usize = 32;
/// Code points of the shortest text that has a fingerprint.
pub const SHORTEST: usize = 8;

/// Which recorded fingerprints have been seen.
pub(super) struct CoverageState<'s> {
    coverage: &'s Coverage,
    wanted: HashSet<u64>,
    seen: HashSet<u64>,
    /// The last code points of each text, joined with nothing and with one space.
    edges: HashMap<String, [String; 2]>,
}

impl<'s> CoverageState<'s> {
    pub fn new(coverage: &'s Coverage) -> Self {
        let wanted = coverage.fingerprints.iter().copied().collect();
        Self { coverage, wanted, seen: HashSet::new(), edges: HashMap::new() }
    }

    pub fn is_met(&self) -> bool {
        self.seen.len() as f64 >= self.coverage.at_least * self.wanted.len() as f64
    }

    pub fn take(&mut self, page: &Seen<'_>) {
        for (place, text, is_listed) in texts_of(page) {
            self.look_up(&text);
            if !is_listed {
                self.join(place, &text, page.backwards);
            }
        }
    }

    fn join(&mut self, place: String, text: &str, backwards: bool) {
        let edges = self.edges.remove(&place).unwrap_or_default();
        let kept = edges.iter().zip(["", " "]).map(|(edge, join)| {
            let (whole, kept) = if backwards {
                let whole = if edge.is_empty() {
                    text.to_owned()
                } else {
                    fold_space(&format!("{text}{join}{edge}"))
                };
                let kept = whole.chars().take(GRAM).collect::<String>();
                (whole, kept)
            } else {
                let whole = if edge.is_empty() {
                    text.to_owned()
                } else {
                    fold_space(&format!("{edge}{join}{text}"))
                };
                let skipped = whole.chars().count().saturating_sub(GRAM);
                let kept = whole.chars().skip(skipped).collect::<String>();
                (whole, kept)
            };
            if !edge.is_empty() {
                self.look_up_border(&whole, edge, backwards);
            }
            kept
        });
        let kept: Vec<String> = kept.collect();
        if let Ok(kept) = <[String; 2]>::try_from(kept) {
            self.edges.insert(place, kept);
        }
    }

    /// Looks up the grams that cross the border between an edge and the page beside it.
    fn look_up_border(&mut self, whole: &str, edge: &str, backwards: bool) {
        let reach = edge.chars().count() + GRAM + 1;
        let near: String = if backwards {
            let skipped = whole.chars().count().saturating_sub(reach);
            whole.chars().skip(skipped).collect()
        } else {
            whole.chars().take(reach).collect()
        };
        self.look_up(&near);
    }

    fn look_up(&mut self, text: &str) {
        for hash in hashes(text) {
            if self.wanted.contains(&hash) {
                self.seen.insert(hash);
            }
        }
    }
}

/// The hash of every gram of a folded text, or of the whole when it is short.
pub fn hashes(text: &str) -> Vec<u64> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let points = starts.len() - 1;
    if points < SHORTEST {
        return Vec::new();
    }
    if points < GRAM {
        return vec![xxh3_64(text.as_bytes())];
    }
    starts.windows(GRAM + 1).map(|gram| xxh3_64(text[gram[0]..gram[GRAM]].as_bytes())).collect()
}

/// The folded texts of a page: where each stands, and whether it is one of a list.
fn texts_of(seen: &Seen<'_>) -> Vec<(String, String, bool)> {
    let mut texts = Vec::new();
    for (index, part) in seen.page.parts.iter().enumerate() {
        match part {
            Part::Text(text) => {
                texts.push((format!("text{index}"), fold_space(text).trim().to_owned(), false))
            }
            Part::Json(document) => each_leaf(document, &mut |leaf| {
                let picked = &seen.tool.content;
                if !picked.is_empty() && !picked.iter().any(|pointer| covers(pointer, &leaf.pointer)) {
                    return;
                }
                let text = match leaf.value {
                    Value::String(text) => fold_space(text).trim().to_owned(),
                    Value::Number(number) => number.to_string(),
                    _ => return,
                };
                texts.push((format!("{index}{}", leaf.pointer), text, leaf.in_array));
            }),
        }
    }
    let is_prose = |text: &str| text.contains(' ');
    if seen.tool.content.is_empty() && texts.iter().any(|(_, text, _)| is_prose(text)) {
        texts.retain(|(_, text, _)| is_prose(text));
    }
    texts
}
