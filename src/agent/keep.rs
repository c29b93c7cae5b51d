//! Which results a run keeps, and what must not stand in them.

use crate::import::redact::{has_secret, is_secret_name, redacted_value};
use crate::trace::Bodies;
use crate::wire::read_value;
use crate::words::KeepBodies;
use serde_json::Value;
use std::borrow::Cow;

/// Where results of one side are kept.
pub struct Keeper<'a> {
    /// Not [`KeepBodies::Nothing`], with which there is no keeper.
    pub which: KeepBodies,
    pub bodies: &'a Bodies,
    /// Takes the values that the side was given out of a text; nothing where it holds none.
    pub hide: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

impl Keeper<'_> {
    /// Keeps a result that is to be kept, and says under which hash.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn keep(&self, raw: &str, is_oversized: bool) -> std::io::Result<Option<String>> {
        if self.which == KeepBodies::Oversized && !is_oversized {
            return Ok(None);
        }
        self.bodies.keep(self.without_secrets(raw).as_bytes()).map(Some)
    }

    /// The bytes as they came, where no secret stands in them; else the same value written anew. A secret may be
    /// escaped in the raw text, so it is looked for in what the text means.
    fn without_secrets<'r>(&self, raw: &'r str) -> Cow<'r, str> {
        let Ok(value) = read_value(raw) else {
            return (self.hide)(raw).map_or(Cow::Borrowed(raw), Cow::Owned);
        };
        // Most results hold none, and a huge one is not copied to learn it.
        match self.is_clean(&value) {
            true => Cow::Borrowed(raw),
            false => Cow::Owned(redacted_value(&self.hidden(value)).0.to_string()),
        }
    }

    fn is_clean(&self, value: &Value) -> bool {
        let is_clean = |text: &str| (self.hide)(text).is_none() && !has_secret(text);
        match value {
            Value::String(text) => is_clean(text),
            Value::Array(items) => items.iter().all(|item| self.is_clean(item)),
            Value::Object(map) => map.iter().all(|(name, value)| {
                is_clean(name) && !(is_secret_name(name) && value.is_string()) && self.is_clean(value)
            }),
            _ => true,
        }
    }

    fn hidden(&self, value: Value) -> Value {
        let hide = |text: String| (self.hide)(&text).unwrap_or(text);
        match value {
            Value::String(text) => Value::String(hide(text)),
            Value::Array(items) => items.into_iter().map(|item| self.hidden(item)).collect(),
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(name, value)| (hide(name), self.hidden(value))).collect())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_secret_is_written_anew_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let hide = |text: &str| text.contains("hunt\"er").then(|| text.replace("hunt\"er", "${PASS}"));
        let keeper = Keeper { which: KeepBodies::All, bodies: &Bodies::of(folder.path()), hide: &hide };
        for (raw, wanted) in [
            (r#"{ "a" : 1.0, "a": "\u0041" }"#, r#"{ "a" : 1.0, "a": "\u0041" }"#),
            (r#"{"a": ["of hunt\"er", {"hunt\u0022er": 1}]}"#, r#"{"a":["of ${PASS}",{"${PASS}":1}]}"#),
            (r#""sent with Bearer abcdefghijkl1234""#, r#""sent with Bearer [redacted token]""#),
            ("no JSON, hunt\"er", "no JSON, ${PASS}"),
        ] {
            assert_eq!(keeper.without_secrets(raw), wanted);
        }
    }
}
