//! Coverage: the share of recorded fingerprints that the text of a chain holds (fingerprints, version 1).
//!
//! XXH3-64 of every run of 32 code points; a text of 8 to 31 code points has one hash of the whole.

use super::joints::Joints;
use super::leaf::covers;
use super::texts::PageText;
use crate::case::Coverage;
use crate::text::Pointer;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Code points of one gram.
pub const GRAM: usize = 32;
/// Code points of the shortest text that has a fingerprint.
pub const SHORTEST: usize = 8;

/// Which recorded fingerprints have been seen.
pub(super) struct CoverageState<'s> {
    coverage: &'s Coverage,
    /// Not seen yet.
    missing: HashSet<u64>,
    total: usize,
    joints: Joints,
}

impl<'s> CoverageState<'s> {
    pub fn new(coverage: &'s Coverage) -> Self {
        let missing: HashSet<u64> = coverage.fingerprints.iter().copied().collect();
        Self { coverage, total: missing.len(), missing, joints: Joints::new(GRAM) }
    }

    /// The share seen, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total == 0 { 1.0 } else { (self.total - self.missing.len()) as f64 / self.total as f64 }
    }

    pub fn is_met(&self) -> bool {
        self.share() >= self.coverage.at_least
    }

    /// Takes in a text of the next page. What the recording took for prose is among its fingerprints, so
    /// looking up a leaf that is none can find nothing that was not recorded. `content`: the leaves that the
    /// tool's declaration picks.
    pub fn take(&mut self, text: &PageText<'_>, content: &[Pointer], backwards: bool) {
        let is_picked = |place| content.is_empty() || content.iter().any(|picked| covers(picked, place));
        if self.missing.is_empty() || !text.pointer.is_none_or(is_picked) {
            return;
        }
        let Self { missing, joints, .. } = self;
        look_up(missing, text.text);
        joints.join(text, backwards, &mut |whole| look_up(missing, whole));
    }
}

/// A text may have been recorded with or without the space at its ends.
fn look_up(missing: &mut HashSet<u64>, text: &str) {
    each_hash(text, |hash| {
        missing.remove(&hash);
    });
    let trimmed = text.trim();
    if trimmed.len() < text.len() && trimmed.len() < 4 * GRAM {
        each_hash(trimmed, |hash| {
            missing.remove(&hash);
        });
    }
}

/// The hash of every gram of a folded text, or of the whole when it is short.
pub fn hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    each_hash(text, |hash| hashes.push(hash));
    hashes
}

fn each_hash(text: &str, mut see: impl FnMut(u64)) {
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(GRAM);
    let starts = text.char_indices().map(|(at, _)| at);
    let mut is_short = true;
    for (start, end) in starts.zip(&mut ends) {
        is_short = false;
        see(xxh3_64(&text.as_bytes()[start..end]));
    }
    if is_short && text.chars().count() >= SHORTEST {
        see(xxh3_64(text.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gram_has_a_hash_and_a_short_text_one() {
        let text = "é".repeat(20) + &"x".repeat(13);
        assert_eq!(hashes(&text).len(), 2);
        assert_eq!(hashes(&text)[0], xxh3_64(("é".repeat(20) + &"x".repeat(12)).as_bytes()));
        for (points, count) in [(7, 0), (8, 1), (31, 1), (32, 1), (33, 2), (0, 0)] {
            assert_eq!(hashes(&"ü".repeat(points)).len(), count, "{points}");
        }
        assert_eq!(hashes("12345678"), [xxh3_64(b"12345678")]);
    }
}
