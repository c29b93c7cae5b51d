//! One cell to one value.

use crate::metric::Exposure;
use crate::words::{Split, Status};

/// What a cell of a metric holds.
pub(super) enum Number {
    Missing,
    Value(f64),
    /// Digits, and yet no number to reckon with: NaN, infinite, beyond all measure.
    Unusable,
    Text,
}

/// The statistics square values; beyond this a sum of squares is no number.
const LARGEST: f64 = 1e100;

pub(super) fn number(text: &str) -> Number {
    let text = text.trim();
    if text.is_empty() {
        return Number::Missing;
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value.abs() < LARGEST => Number::Value(value),
        Ok(_) => Number::Unusable,
        Err(_) => Number::Text,
    }
}

/// A whole number; `3.0` is one.
pub(super) fn whole(text: &str) -> Option<u32> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number = text.parse::<f64>().ok()?;
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

/// Text as it was before a leading `'` kept a spreadsheet from taking it for a formula.
pub(super) fn unguarded(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => text,
    }
}

pub(super) const STATUS_WORDS: &str =
    "`ok`, `failed` (or `error`, `fail`, `timeout`) or `infrastructure` (or `infra`, `skipped`) was expected";

pub(super) fn status(text: &str) -> Option<Status> {
    Some(match text.trim() {
        "ok" => Status::Ok,
        "failed" | "error" | "fail" | "timeout" => Status::Failed,
        "infrastructure" | "infra" | "skipped" => Status::Infrastructure,
        _ => return None,
    })
}

/// An empty cell is a case of the test split, like a file without the column.
pub(super) fn split(text: &str) -> Option<Split> {
    match text.trim() {
        "" => Some(DEFAULT_SPLIT),
        word => Split::parse(word),
    }
}

/// What a file that knows no splits holds.
pub(super) const DEFAULT_SPLIT: Split = Split::Test;

/// `None` for a word that is none; an empty cell says nothing of exposure.
pub(super) fn exposed(text: &str) -> Option<Option<Exposure>> {
    Some(match text.trim() {
        "" => None,
        "true" => Some(Exposure::Exposed),
        "false" => Some(Exposure::Unexposed),
        "unknown" => Some(Exposure::Unknown),
        _ => return None,
    })
}
