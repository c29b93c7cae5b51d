//! Sizes and token estimates of a text.

use super::profile::SizeUnit;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// How many tokens a text is taken to have. No client tells its own tokenizer: every number of it is an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// The UTF-8 bytes over a divisor, rounded up.
    Bytes { divisor: u64 },
    /// The tokens of the vocabulary `o200k_base`, counted as a model of that family reads the text.
    #[cfg(feature = "tokens")]
    O200k,
}

impl Default for Estimator {
    fn default() -> Self {
        Self::Bytes { divisor: 3 }
    }
}

/// A part of the hash of a profile: the form of the divisor must stay what it is.
impl Serialize for Estimator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Estimator", 1)?;
        match self {
            Self::Bytes { divisor } => members.serialize_field("divisor", divisor)?,
            #[cfg(feature = "tokens")]
            Self::O200k => members.serialize_field("vocabulary", "o200k")?,
        }
        members.end()
    }
}

impl Estimator {
    /// `utf8-bytes/N` with N from 1 to 9, and `o200k` in a build with the feature `tokens`.
    pub fn parse(text: &str) -> Option<Self> {
        #[cfg(feature = "tokens")]
        if text == "o200k" {
            return Some(Self::O200k);
        }
        let divisor = text.strip_prefix("utf8-bytes/")?.parse().ok()?;
        (1..=9).contains(&divisor).then_some(Self::Bytes { divisor })
    }

    /// What `parse` takes, for an error text.
    pub fn allowed() -> String {
        let tokenizer = if cfg!(feature = "tokens") {
            "`o200k`"
        } else {
            "`o200k` in a build with the feature `tokens`, which this one is without"
        };
        format!("`utf8-bytes/3` (any divisor from 1 to 9), {tokenizer}")
    }

    pub fn name(self) -> String {
        match self {
            Self::Bytes { divisor } => format!("utf8-bytes/{divisor}"),
            #[cfg(feature = "tokens")]
            Self::O200k => "o200k".to_owned(),
        }
    }

    pub fn tokens(self, text: &str) -> u64 {
        match self {
            Self::Bytes { divisor } => (text.len() as u64).div_ceil(divisor),
            #[cfg(feature = "tokens")]
            Self::O200k => bpe_openai::o200k_base().count(text) as u64,
        }
    }
}

/// The size of `text` in `unit`.
pub fn size(text: &str, unit: SizeUnit, estimator: Estimator) -> u64 {
    match unit {
        SizeUnit::Utf16 => utf16_len(text),
        SizeUnit::Scalars => scalar_len(text),
        SizeUnit::Bytes => text.len() as u64,
        SizeUnit::Lines => line_count(text),
        SizeUnit::TokensEstimated => estimator.tokens(text),
        SizeUnit::BytesDiv4 => (text.len() as u64).div_ceil(4),
    }
}

/// Whether the size of `text` in `unit` is over `limit`. No unit counts more than the bytes and one, so most
/// texts need no counting.
pub(super) fn is_over(text: &str, unit: SizeUnit, estimator: Estimator, limit: u64) -> bool {
    text.len() as u64 >= limit && size(text, unit, estimator) > limit
}

/// UTF-16 code units: one a scalar, two for those beyond the basic plane (whose UTF-8 begins at 0xF0).
pub fn utf16_len(text: &str) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    scalar_len(text) + text.bytes().filter(|byte| *byte >= 0xF0).count() as u64
}

/// Lines as the clients that have a limit of them count: what stands between line feeds, so that a line feed at
/// the end begins one more.
fn line_count(text: &str) -> u64 {
    if text.is_empty() { 0 } else { 1 + memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64 }
}

fn scalar_len(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte & 0xC0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_counts_its_own() {
        let text = "aé😀\nb";
        for (unit, wanted) in [
            (SizeUnit::Utf16, 6),
            (SizeUnit::Scalars, 5),
            (SizeUnit::Bytes, 9),
            (SizeUnit::Lines, 2),
            (SizeUnit::TokensEstimated, 3),
            (SizeUnit::BytesDiv4, 3),
        ] {
            assert_eq!(size(text, unit, Estimator::default()), wanted, "{unit}");
        }
        assert_eq!(utf16_len(text), text.encode_utf16().count() as u64);
    }

    #[test]
    fn estimators_have_one_form() {
        assert_eq!(Estimator::parse("utf8-bytes/4").map(|e| e.tokens("12345")), Some(2));
        for wrong in ["utf8-bytes/0", "utf8-bytes/", "o200", "utf8-bytes/10"] {
            assert_eq!(Estimator::parse(wrong), None, "{wrong}");
        }
        assert_eq!(serde_json::to_string(&Estimator::default()).unwrap(), r#"{"divisor":3}"#);
        assert_eq!(Estimator::parse("o200k").is_some(), cfg!(feature = "tokens"));
        assert!(Estimator::allowed().contains("`o200k`"));
    }

    /// Counts as the cookbook of the vocabulary's makers prints them.
    #[cfg(feature = "tokens")]
    #[test]
    fn tokens_are_those_of_the_vocabulary() {
        let estimator = Estimator::parse("o200k").unwrap();
        assert_eq!(serde_json::to_string(&estimator).unwrap(), r#"{"vocabulary":"o200k"}"#);
        for (text, wanted) in [
            ("", 0),
            ("hello world", 2),
            ("tiktoken is great!", 6),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
            ("\u{304a}\u{8a95}\u{751f}\u{65e5}\u{304a}\u{3081}\u{3067}\u{3068}\u{3046}", 8),
        ] {
            assert_eq!(estimator.tokens(text), wanted, "{text}");
        }
    }
}
