//! Regular expressions from suite and case files, bounded in size so that no file can exhaust memory.

use regex::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};

/// The largest compiled form of one expression, in bytes.
const COMPILED_BYTES: usize = 1 << 20;

/// A compiled expression that keeps its source text.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

/// Why an expression cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("bad regular expression `{pattern}`: {reason}")]
pub struct PatternError {
    pub pattern: String,
    pub reason: String,
}

impl Pattern {
    /// Compiles `text`; matching is linear in the length of the text.
    ///
    /// # Errors
    /// When the expression has a fault or its compiled form is over one mebibyte.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        RegexBuilder::new(text).size_limit(COMPILED_BYTES).build().map(Self).map_err(|error| PatternError {
            pattern: text.to_owned(),
            reason: error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        })
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Group 1 of the first match; `None` when there is no match or no such group.
    pub fn capture<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.0.captures(text)?.get(1).map(|group| group.as_str())
    }

    /// Whether the expression has a group to capture.
    pub fn has_group(&self) -> bool {
        self.0.captures_len() > 1
    }

    /// `text` without any match.
    pub fn remove_from(&self, text: &str) -> String {
        self.0.replace_all(text, "").into_owned()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
