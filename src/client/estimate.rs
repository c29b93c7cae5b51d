//! Sizes and token estimates of a text.

use super::profile::SizeUnit;
use serde::Serialize;

/// How many tokens a text is taken to have: its UTF-8 bytes over a divisor, rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Estimator {
    divisor: u64,
}

impl Default for Estimator {
    fn default() -> Self {
        Self { divisor: 3 }
    }
}

impl Estimator {
    /// `utf8-bytes/N` with N from 1 to 9.
    pub fn parse(text: &str) -> Option<Self> {
        let divisor = text.strip_prefix("utf8-bytes/")?.parse().ok()?;
        (1..=9).contains(&divisor).then_some(Self { divisor })
    }

    /// What `parse` takes, for an error text.
    pub fn allowed() -> String {
        "`utf8-bytes/3` (any divisor from 1 to 9)".to_owned()
    }

    pub fn name(self) -> String {
        format!("utf8-bytes/{}", self.divisor)
    }

    pub fn tokens(self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(self.divisor)
    }
}

/// The size of `text` in `unit`.
pub fn size(text: &str, unit: SizeUnit, estimator: Estimator) -> u64 {
    match unit {
        SizeUnit::Utf16 => utf16_len(text),
        SizeUnit::Scalars => scalar_len(text),
        SizeUnit::Bytes => text.len() as u64,
        SizeUnit::Lines => text.lines().count() as u64,
        SizeUnit::TokensEstimated => estimator.tokens(text),
        SizeUnit::BytesDiv4 => (text.len() as u64).div_ceil(4),
    }
}

/// Whether the size of `text` in `unit` is over `limit`. No unit counts more than the bytes, so most texts
/// need no counting.
pub(super) fn is_over(text: &str, unit: SizeUnit, estimator: Estimator, limit: u64) -> bool {
    text.len() as u64 > limit && size(text, unit, estimator) > limit
}

/// UTF-16 code units: one a scalar, two for those beyond the basic plane (whose UTF-8 begins at 0xF0).
pub fn utf16_len(text: &str) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    scalar_len(text) + text.bytes().filter(|byte| *byte >= 0xF0).count() as u64
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
        for wrong in ["utf8-bytes/0", "utf8-bytes/", "o200k", "utf8-bytes/10"] {
            assert_eq!(Estimator::parse(wrong), None, "{wrong}");
        }
    }
}
