//! A checked view of a table: which keys it has, which it must have, which stand together.

use super::place::Step;
use super::{At, Entry, did_you_mean, list_of};

/// The entries of a table with the way to it.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    at: &'a At<'a>,
    entries: &'a [Entry],
}

impl<'a> Table<'a> {
    pub(super) fn new(at: &'a At<'a>, entries: &'a [Entry]) -> Self {
        Self { at, entries }
    }

    /// The table as a value.
    pub fn at(&self) -> &'a At<'a> {
        self.at
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reports every key outside `allowed`.
    pub fn check_keys(&self, allowed: &[&str]) {
        for entry in self.entries.iter().filter(|entry| !allowed.contains(&entry.key.as_str())) {
            self.at.problem_of_key(
                &entry.key_span,
                &entry.key,
                format!("unknown key `{}`", entry.key),
                Some(list_of(allowed.iter().copied())),
                did_you_mean(&entry.key, allowed.iter().copied()),
            );
        }
    }

    /// Warns of every key outside `known`: for files of other programs.
    pub fn warn_of_unknown(&self, known: &[&str]) {
        for entry in self.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            self.at.warn_of_key(
                &entry.key_span,
                &entry.key,
                format!("unknown key `{}` is not used", entry.key),
                did_you_mean(&entry.key, known.iter().copied()),
            );
        }
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The value of a key, if the table has it.
    pub fn get(&self, key: &str) -> Option<At<'a>> {
        self.entry(key).map(|entry| self.at.child(Step::Key(&entry.key), &entry.node))
    }

    /// The value of a key that must be there; its absence is reported.
    pub fn must(&self, key: &str, allowed: &str) -> Option<At<'a>> {
        let found = self.get(key);
        if found.is_none() {
            self.at.problem(format!("key `{key}` is missing"), Some(allowed.to_owned()), None);
        }
        found
    }

    /// Every key with its value, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = (&'a str, At<'a>)> {
        let at = self.at;
        self.entries
            .iter()
            .map(move |entry| (entry.key.as_str(), at.child(Step::Key(&entry.key), &entry.node)))
    }

    /// Reports a key of this table, at the key itself.
    pub fn problem_at_key(
        &self,
        key: &str,
        found: impl Into<String>,
        allowed: Option<String>,
        hint: Option<String>,
    ) {
        if let Some(entry) = self.entry(key) {
            self.at.problem_of_key(&entry.key_span, key, found.into(), allowed, hint);
        }
    }

    /// Reports each of `keys` that is there although it has no place here; `why` completes "`key` ...".
    pub fn refuse(&self, keys: &[&str], why: &str) {
        for key in keys {
            self.problem_at_key(key, format!("`{key}` {why}"), None, None);
        }
    }

    /// Which of `keys` is there, when exactly one is; anything else is reported.
    pub fn exactly_one(&self, keys: &[&'static str]) -> Option<&'static str> {
        let present: Vec<&'static str> = keys.iter().copied().filter(|key| self.has(key)).collect();
        match present.as_slice() {
            [one] => Some(one),
            [] => {
                self.at.problem(
                    format!("{} without any of these keys", self.at.form().table()),
                    Some(format!("exactly {}", list_of(keys.iter().copied()))),
                    None,
                );
                None
            }
            [_, others @ ..] => {
                for key in others {
                    self.problem_at_key(
                        key,
                        format!("`{key}` beside `{}`", present[0]),
                        Some(format!("exactly {}", list_of(keys.iter().copied()))),
                        None,
                    );
                }
                None
            }
        }
    }
}
