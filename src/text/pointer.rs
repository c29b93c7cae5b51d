//! JSON Pointers (RFC 6901), checked when a file is loaded.

use serde::Serialize;
use serde_json::Value;

/// A checked JSON Pointer: empty, or beginning with `/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Pointer(String);

/// Why a text is no JSON Pointer.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no JSON Pointer: it must be empty or begin with `/`, with `~0` for `~` and `~1` for `/`")]
pub struct PointerError(pub String);

impl Pointer {
    /// Checks `text`.
    ///
    /// # Errors
    /// When it is neither empty nor begins with `/`, or holds a `~` that is no escape.
    pub fn new(text: &str) -> Result<Self, PointerError> {
        let rooted = text.is_empty() || text.starts_with('/');
        let escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if rooted && escaped { Ok(Self(text.to_owned())) } else { Err(PointerError(text.to_owned())) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value at this place, null included.
    pub fn get<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        document.pointer(&self.0)
    }

    /// The value at this place in the first document in which it is present and not null.
    pub fn first_in<'v>(&self, documents: &'v [Value]) -> Option<&'v Value> {
        documents.iter().filter_map(|document| self.get(document)).find(|value| !value.is_null())
    }

    /// The last reference token, unescaped; empty for the root.
    pub fn last_token(&self) -> String {
        self.0.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~")
    }

    /// Whether a concrete pointer matches this one, where a `*` token stands for any one token.
    pub fn matches(&self, concrete: &str) -> bool {
        let mut wanted = self.0.split('/');
        let mut found = concrete.split('/');
        loop {
            match (wanted.next(), found.next()) {
                (None, None) => return true,
                (Some(w), Some(f)) if w == "*" || w == f => {}
                _ => return false,
            }
        }
    }
}
