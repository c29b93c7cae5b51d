//! Features of a text: what would be recognised when it came back somewhere else (identifiers, numbers, runs of
//! words), and the longer runs by which a copy is told.

use std::ops::Range;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Characters of the shortest identifier.
pub const IDENTIFIER_CHARS: usize = 8;
/// Digits of the shortest hexadecimal name.
pub const HEX_CHARS: usize = 7;
/// Significant digits of the shortest number.
pub const NUMBER_DIGITS: usize = 4;
/// Words of a run.
pub const RUN_WORDS: usize = 5;
/// Letters that the words of a run have at least.
pub const RUN_LETTERS: usize = 20;
/// Words of a run that say something: no stop words, not shorter than [`SAYING_CHARS`].
pub const RUN_SAYING_WORDS: usize = 3;
/// Characters of the shortest word that says something.
pub const SAYING_CHARS: usize = 3;
/// Words of a run by which a copy is told.
pub const COPY_WORDS: usize = 8;
/// Years are no numbers of their own.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2099;

/// What a feature is. Names and numbers say more than runs of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeatureKind {
    Identifier,
    Number,
    Run,
    /// A run of [`COPY_WORDS`]: alone it says nothing.
    Copy,
}

impl FeatureKind {
    /// What one feature counts among others.
    pub fn weight(self) -> u32 {
        match self {
            Self::Identifier | Self::Number => 2,
            Self::Run => 1,
            Self::Copy => 0,
        }
    }
}

/// A feature of a text and where it stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    pub kind: FeatureKind,
    /// Equal for equal features of a kind, whatever the case of words and the separators of thousands.
    pub hash: u64,
    /// Bytes of the text.
    pub range: Range<usize>,
}

/// Calls `see` for every feature, in the order of their kinds' starts.
pub fn each_feature(text: &str, with_copies: bool, see: &mut impl FnMut(Feature)) {
    identifiers(text, see);
    numbers(text, see);
    runs(text, with_copies, see);
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The maximal pieces of word characters.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = chars.find(|(_, c)| is_word(*c))?;
        let mut end = text.len();
        while let Some((at, c)) = chars.peek() {
            if !is_word(*c) {
                end = *at;
                break;
            }
            chars.next();
        }
        Some(start..end)
    })
}

/// Names: words joined by `-`, `.`, `:` or `/`.
fn identifiers(text: &str, see: &mut impl FnMut(Feature)) {
    let bytes = text.as_bytes();
    let mut name: Option<Range<usize>> = None;
    let mut end_name = |name: Option<Range<usize>>| {
        if let Some(range) = name.filter(|range| is_identifier(&text[range.clone()])) {
            let hash = xxh3_64_with_seed(text[range.clone()].as_bytes(), 1);
            see(Feature { kind: FeatureKind::Identifier, hash, range });
        }
    };
    for word in words(text) {
        let is_joined = |name: &Range<usize>| {
            word.start == name.end + 1 && matches!(bytes[name.end], b'-' | b'.' | b':' | b'/')
        };
        name = match name {
            Some(name) if is_joined(&name) => Some(name.start..word.end),
            other => {
                end_name(other);
                Some(word)
            }
        };
    }
    end_name(name);
}

fn is_identifier(name: &str) -> bool {
    let has = |wanted: fn(char) -> bool| name.chars().any(wanted);
    let digits = has(|c| c.is_ascii_digit());
    let letters = has(char::is_alphabetic);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let is_hex = name.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        return is_hex && digits && letters && name.len() >= HEX_CHARS;
    }
    if name.len() >= HEX_CHARS && digits && name.bytes().all(|b| b.is_ascii_hexdigit()) {
        return true;
    }
    let rises = name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    name.chars().count() >= IDENTIFIER_CHARS && (name.contains('_') || rises || (letters && digits))
}

/// Numbers that stand alone, without separators of thousands and zeros that add nothing.
fn numbers(text: &str, see: &mut impl FnMut(Feature)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + offset;
        let (plain, end) = number_at(text, start);
        at = end;
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        let is_alone = !before.is_some_and(is_word) && !after.is_some_and(is_word);
        if is_alone && says_something(&plain) && !is_in_name(text, start, end) {
            let hash = xxh3_64_with_seed(plain.as_bytes(), 2);
            see(Feature { kind: FeatureKind::Number, hash, range: start..end });
        }
    }
}

/// The number at `start`, as plain digits, and where it ends.
fn number_at(text: &str, start: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = start + digits_from(start);
    let mut plain = text[start..end].to_owned();
    let may_group = end - start <= 3;
    while let Some(separator) = text[end..].chars().next() {
        let from = end + separator.len_utf8();
        let is_separator = matches!(separator, ',' | '.' | ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}');
        let count = if is_separator { digits_from(from) } else { 0 };
        if may_group && count == 3 {
            plain.push_str(&text[from..from + count]);
            end = from + count;
            continue;
        }
        if separator == '.' && count > 0 {
            plain.push('.');
            plain.push_str(&text[from..from + count]);
            end = from + count;
        }
        break;
    }
    let trimmed =
        if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.') } else { &plain };
    (trimmed.trim_start_matches('0').to_owned(), end)
}

fn says_something(plain: &str) -> bool {
    let digits: Vec<u8> = plain.bytes().filter(u8::is_ascii_digit).collect();
    let is_year = plain.parse::<u32>().is_ok_and(|number| YEARS.contains(&number));
    let is_round = !plain.contains('.') && digits.iter().skip(1).all(|digit| *digit == b'0');
    let is_one_digit = digits.windows(2).all(|pair| pair[0] == pair[1]);
    digits.len() >= NUMBER_DIGITS && !is_year && !is_round && !is_one_digit
}

/// Whether a number is part of a name that is itself a feature.
fn is_in_name(text: &str, start: usize, end: usize) -> bool {
    let is_part = |c: char| is_word(c) || matches!(c, '-' | '.' | ':' | '/');
    let from =
        text[..start].char_indices().rev().find(|(_, c)| !is_part(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let to = text[end..].find(|c: char| !is_part(c)).map_or(text.len(), |at| end + at);
    (from < start || to > end) && is_identifier(text[from..to].trim_end_matches(['-', '.', ':', '/']))
}

/// Runs of words in lower case, and the longer ones by which a copy is told.
fn runs(text: &str, with_copies: bool, see: &mut impl FnMut(Feature)) {
    let mut recent: Vec<(Range<usize>, String, bool)> = Vec::with_capacity(COPY_WORDS);
    for range in words(text) {
        let word = text[range.clone()].to_lowercase();
        let is_letters = word.chars().all(char::is_alphabetic);
        if recent.len() == COPY_WORDS {
            recent.remove(0);
        }
        recent.push((range, word, is_letters));
        if recent.len() >= RUN_WORDS {
            let run = &recent[recent.len() - RUN_WORDS..];
            if is_run(run) {
                see(feature_of(run, FeatureKind::Run, 3));
            }
        }
        if with_copies && recent.len() == COPY_WORDS {
            see(feature_of(&recent, FeatureKind::Copy, 4));
        }
    }
}

fn is_run(run: &[(Range<usize>, String, bool)]) -> bool {
    let letters: usize = run.iter().map(|(_, word, _)| word.chars().count()).sum();
    let saying =
        run.iter().filter(|(_, word, _)| word.chars().count() >= SAYING_CHARS && !is_stop_word(word));
    run.iter().all(|(_, _, is_letters)| *is_letters)
        && letters >= RUN_LETTERS
        && saying.count() >= RUN_SAYING_WORDS
}

fn feature_of(run: &[(Range<usize>, String, bool)], kind: FeatureKind, seed: u64) -> Feature {
    let mut hash = seed;
    for (_, word, _) in run {
        hash = xxh3_64_with_seed(&xxh3_64(word.as_bytes()).to_le_bytes(), hash);
    }
    let end = run.last().map_or(0, |(range, _, _)| range.end);
    let start = run.first().map_or(0, |(range, _, _)| range.start);
    Feature { kind, hash, range: start..end }
}

/// Words that say nothing by themselves; sorted.
const STOP_WORDS: [&str; 118] = [
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could",
    "did", "do", "does", "doing", "down", "during", "each", "few", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "let", "may", "me", "more", "most", "must", "my", "no", "nor", "not", "now", "of", "off",
    "on", "once", "only", "or", "other", "our", "out", "over", "own", "same", "she", "should", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
];

fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(text: &str, kind: FeatureKind) -> Vec<&str> {
        let mut found = Vec::new();
        each_feature(text, true, &mut |feature| {
            if feature.kind == kind {
                found.push(&text[feature.range]);
            }
        });
        found
    }

    #[test]
    fn identifiers_are_long_and_do_not_look_like_words() {
        for (text, wanted) in [
            ("see tideTableLoader now", vec!["tideTableLoader"]),
            ("if attemptBudget420 < 1", vec!["attemptBudget420"]),
            ("LedgerBook_North, Oldfield", vec!["LedgerBook_North"]),
            ("value10 short_1 twelve-letters", vec![]),
            ("src/main.rs2 a.b.c9/long", vec!["src/main.rs2", "a.b.c9/long"]),
            ("commit 3f2a91c and 1234567", vec!["3f2a91c"]),
            ("6f1d2c3b-0a9e-4b7c-8d5f-1e2a3b4c5d6e.", vec!["6f1d2c3b-0a9e-4b7c-8d5f-1e2a3b4c5d6e"]),
            ("defaced", vec![]),
        ] {
            assert_eq!(of_kind(text, FeatureKind::Identifier), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_have_four_digits_and_say_something() {
        for (text, wanted) in [
            ("closed at 48,317 crowns", vec!["48,317"]),
            ("201.710 or 4 096 or 3.14159", vec!["201.710", "4 096", "3.14159"]),
            ("551824. In 2024, 8000 of 1111 and 999", vec!["551824"]),
            ("x1234 12:30 0012", vec![]),
            ("QX-1734", vec!["1734"]),
        ] {
            assert_eq!(of_kind(text, FeatureKind::Number), wanted, "{text}");
        }
        let hash = |text: &str| {
            let mut hashes = Vec::new();
            each_feature(text, false, &mut |feature| hashes.push(feature.hash));
            hashes
        };
        assert_eq!(hash("48,317"), hash("48317"));
        assert_eq!(hash("48317.50"), hash("48,317.5"));
        assert_ne!(hash("48317"), hash("48318"));
    }

    #[test]
    fn runs_are_five_words_that_say_something() {
        assert_eq!(
            of_kind("ship the Slipway repair, before the regatta starts", FeatureKind::Run),
            [
                "ship the Slipway repair, before",
                "Slipway repair, before the regatta",
                "repair, before the regatta starts"
            ]
        );
        assert!(of_kind("it is all that they were and had", FeatureKind::Run).is_empty());
        assert!(of_kind("contract closed at 48317 crowns", FeatureKind::Run).is_empty());
        assert_eq!(of_kind("a b c d e f g 1 h", FeatureKind::Copy).len(), 2);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
