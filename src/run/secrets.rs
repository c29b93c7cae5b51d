//! Values that must not be written down, and the texts that could hold them.
//!
//! A server may repeat what it was given: in an error, on stderr, in its own name. Whatever it says is passed
//! through here before it reaches a file or a terminal.

use crate::text::base64;
use crate::wire::{CallFailure, StartError};
use std::collections::BTreeMap;

/// Shorter values are no secrets, and hiding them would cut up every text.
const LEAST_BYTES: usize = 6;
const HIDDEN: &str = "***";

/// The secrets of one side: each value with what stands for it.
#[derive(Clone, Default)]
pub struct Secrets(Vec<(String, String)>);

/// Shows how many there are.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Secrets").field(&self.0.len()).finish()
    }
}

impl Secrets {
    /// From values with the name of their variable, if they have one. A value of several words is hidden word by
    /// word too: of `Bearer TOKEN` a server repeats the second.
    pub fn new(values: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let mut found = BTreeMap::new();
        for (value, name) in values {
            let shown = name.map_or_else(|| HIDDEN.to_owned(), |name| format!("${{{name}}}"));
            for part in std::iter::once(value.as_str()).chain(value.split_whitespace()) {
                if part.len() >= LEAST_BYTES && !part.eq_ignore_ascii_case("bearer") {
                    for form in forms(part) {
                        found.entry(form).or_insert_with(|| shown.clone());
                    }
                }
            }
        }
        let mut pairs: Vec<_> = found.into_iter().collect();
        // A value that holds another one goes first.
        pairs.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self(pairs)
    }

    /// Those of both sides.
    pub fn and(&self, other: &Self) -> Self {
        let mut pairs = [self.0.as_slice(), other.0.as_slice()].concat();
        pairs.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        pairs.dedup_by(|(a, _), (b, _)| a == b);
        Self(pairs)
    }

    /// Bytes of the longest value.
    pub fn longest(&self) -> usize {
        self.0.first().map_or(0, |(value, _)| value.len())
    }

    /// The text without the values.
    pub fn hide(&self, text: &str) -> String {
        self.hidden(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same; nothing where the text holds none.
    pub fn hidden(&self, text: &str) -> Option<String> {
        self.0.iter().fold(None, |hidden, (value, shown)| {
            let text = hidden.as_deref().unwrap_or(text);
            if text.contains(value.as_str()) { Some(text.replace(value.as_str(), shown)) } else { hidden }
        })
    }

    /// The same of every text of a start that failed.
    pub fn hide_in_start(&self, mut error: StartError) -> StartError {
        error.each_text(&mut |text| *text = self.hide(text));
        error
    }

    /// The same of a listing that failed.
    pub fn hide_in_listing(&self, mut error: CallFailure) -> CallFailure {
        error.each_text(&mut |text| *text = self.hide(text));
        error
    }
}

/// A value as it is, and as a server may repeat it: in a URL, in a form, in JSON, in base64.
fn forms(value: &str) -> Vec<String> {
    /// What `encodeURIComponent` and its like leave as it is, beside letters and digits.
    const KEPT: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    let in_url = percent_encoding::utf8_percent_encode(value, KEPT).to_string();
    let in_form = in_url.replace("%20", "+");
    let in_json = serde_json::Value::from(value).to_string();
    let mut encoded = Vec::new();
    base64::encode(value.as_bytes(), &mut encoded);
    let encoded = String::from_utf8_lossy(&encoded).trim_end_matches('=').to_owned();
    let in_json = in_json[1..in_json.len() - 1].to_owned();
    let mut forms = vec![value.to_owned(), in_url, in_form, in_json, encoded];
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_words_are_hidden_and_short_ones_are_not() {
        let value = |value: &str, name: Option<&str>| (value.to_owned(), name.map(str::to_owned));
        let secrets = Secrets::new([
            value("Bearer tok-123456", None),
            value("hunter2!", Some("PASS")),
            value("on", Some("DEBUG")),
        ]);
        for (text, wanted) in [
            ("got Bearer tok-123456.", "got ***."),
            ("token tok-123456 is old, the Bearer stays", "token *** is old, the Bearer stays"),
            ("hunter2!hunter2!", "${PASS}${PASS}"),
            ("on and on", "on and on"),
            ("at /x?p=hunter2%21&q=1", "at /x?p=${PASS}&q=1"),
            ("Basic aHVudGVyMiE=", "Basic ${PASS}="),
        ] {
            assert_eq!(secrets.hide(text), wanted);
        }
    }
}
