//! Fingerprints of recorded content, version 1: the hashes of grams, winnowed.

use super::redact::secrets;
use crate::agent::{ChainText, GRAM, SHORTEST, fingerprint_hashes};
use crate::text::base64;
use std::collections::{BTreeSet, HashSet};

/// Hashes of which one is kept.
pub const WINDOW: usize = 32;
/// The most fingerprints of one need; the smallest are kept.
pub const MOST: usize = 4096;

/// The fingerprints of what `last` holds and no page before it; of all pages when there are none before.
pub fn fingerprints(before: &[Vec<ChainText>], pages: &[Vec<ChainText>]) -> Vec<u64> {
    let mut found = BTreeSet::new();
    let texts: Vec<&ChainText> = pages.iter().flatten().collect();
    let has_prose = texts.iter().any(|text| is_prose(&text.text));
    for text in texts.iter().filter(|text| !has_prose || is_prose(&text.text)) {
        winnow(&text.text, &mut found);
    }
    let mut seen: HashSet<u64> = HashSet::new();
    for text in before.iter().flatten() {
        seen.extend(hashes_of(&text.text));
    }
    found.into_iter().filter(|hash| !seen.contains(hash)).take(MOST).collect()
}

/// Every gram, not winnowed, that holds a whole passage and no secret; the whole text when that is short.
pub fn grams_around(text: &str, passage: std::ops::Range<usize>) -> Vec<u64> {
    let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let secrets = secrets(text);
    if chars.len() <= GRAM {
        return if secrets.is_empty() { fingerprint_hashes(text.trim()) } else { Vec::new() };
    }
    let is_clean = |at: usize| {
        let (from, to) = (chars[at], chars[at + GRAM]);
        !secrets.iter().any(|(secret, _)| secret.start < to && from < secret.end)
    };
    let place = |byte: usize| chars.partition_point(|at| *at < byte);
    let (from, to) = (place(passage.start), place(passage.end));
    let first = to.saturating_sub(GRAM);
    let last = from.min(chars.len() - 1 - GRAM);
    let (first, last) = (first.min(last), first.max(last));
    let mut hashes: Vec<u64> = (first..=last)
        .filter(|at| at + GRAM < chars.len() && is_clean(*at))
        .flat_map(|at| fingerprint_hashes(&text[chars[at]..chars[at + GRAM]]))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Two words or more.
fn is_prose(text: &str) -> bool {
    text.trim().contains(' ')
}

/// Every hash that a replay would look up in this text.
fn hashes_of(text: &str) -> Vec<u64> {
    let mut hashes = fingerprint_hashes(text);
    if text.trim().len() < text.len() {
        hashes.extend(fingerprint_hashes(text.trim()));
    }
    hashes
}

/// Of every window of hashes the smallest, the rightmost of equals. What holds a secret has no hash.
fn winnow(text: &str, found: &mut BTreeSet<u64>) {
    let secrets = secrets(text);
    let mut from = 0;
    for (range, _) in &secrets {
        winnow_piece(&text[from..range.start], true, found);
        from = range.end;
    }
    winnow_piece(&text[from..], !secrets.is_empty(), found);
}

/// `is_part`: of a text that is cut at a secret; a short part is no text of its own.
fn winnow_piece(text: &str, is_part: bool, found: &mut BTreeSet<u64>) {
    let points = text.chars().count();
    if points < GRAM {
        let text = text.trim();
        if !is_part && text.chars().count() >= SHORTEST {
            found.extend(fingerprint_hashes(text));
        }
        return;
    }
    let hashes = fingerprint_hashes(text);
    for window in hashes.windows(WINDOW.min(hashes.len())) {
        found.extend(window.iter().min());
    }
}

/// Base64 of 8-byte big-endian values.
pub fn encode(values: &[u64]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let mut out = Vec::new();
    base64::encode(&bytes, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(texts: &[&str]) -> Vec<ChainText> {
        let text = |text: &&str| ChainText {
            pointer: None,
            document: 0,
            text: (*text).to_owned(),
            stands_alone: true,
        };
        texts.iter().map(text).collect()
    }

    fn long(words: std::ops::Range<u32>) -> String {
        words.map(|n| format!("word{} ", n * 7919 % 1009)).collect()
    }

    #[test]
    fn the_winnowed_are_some_of_all_grams() {
        let text = long(0..300);
        let all = fingerprint_hashes(&text);
        let kept = fingerprints(&[], &[page(&[&text])]);
        assert!(kept.is_sorted() && kept.iter().all(|hash| all.contains(hash)));
        let density = kept.len() as f64 / all.len() as f64;
        assert!((0.04..0.09).contains(&density), "{density}");
        // Every window is hit.
        let kept: HashSet<u64> = kept.into_iter().collect();
        assert!(all.windows(WINDOW).all(|window| window.iter().any(|hash| kept.contains(hash))));
    }

    #[test]
    fn prose_alone_counts_where_there_is_some() {
        let prose = "a prose leaf of many words that is longer than one gram";
        let kept = fingerprints(&[], &[page(&[prose, "0123456789abcdef0123456789abcdef0123456789"])]);
        assert_eq!(kept, fingerprints(&[], &[page(&[prose])]));
        assert_eq!(fingerprints(&[], &[page(&["identifier_1"])]), fingerprint_hashes("identifier_1"));
        assert_eq!(fingerprints(&[], &[page(&[" two words "])]), fingerprint_hashes("two words"));
        assert!(fingerprints(&[], &[page(&["short"])]).is_empty());
    }

    #[test]
    fn what_an_earlier_page_held_is_left_out() {
        let (first, second) = (long(0..100), long(90..200));
        let kept = fingerprints(&[page(&[&first])], &[page(&[&second])]);
        let before = fingerprint_hashes(&first);
        assert!(!kept.is_empty() && kept.iter().all(|hash| !before.contains(hash)));
    }

    #[test]
    fn no_gram_holds_a_secret() {
        let (a, b) = (long(0..40), long(50..90));
        let with = format!("{a}mail a.person@example.com {b}");
        let without = [page(&[&format!("{a}mail "), &format!(" {b}")])];
        assert_eq!(fingerprints(&[], &[page(&[&with])]), fingerprints(&[], &without));
    }

    #[test]
    fn no_gram_around_a_passage_holds_a_secret() {
        let text = format!("{}tideTable ann@example.org {}", long(0..20), long(30..50));
        let at = text.find("tideTable").unwrap();
        let secret = text.find("ann@").unwrap();
        let hashes = grams_around(&text, at..at + 9);
        assert_eq!(hashes, {
            let mut clean = fingerprint_hashes(&text[at + 9 - GRAM..secret]);
            clean.sort_unstable();
            clean
        });
        assert!(grams_around("to ann@example.org", 0..2).is_empty());
    }

    #[test]
    fn grams_around_a_passage_hold_it() {
        let text = long(0..60);
        let at = 100..108;
        let hashes = grams_around(&text, at);
        assert_eq!(hashes.len(), GRAM - 8 + 1);
        assert_eq!(grams_around("two words", 0..3), fingerprint_hashes("two words"));
        assert!(!grams_around(&text, text.len() - 3..text.len()).is_empty());
    }
}
