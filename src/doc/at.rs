//! A checked view of one value: takes what is allowed, reports everything else.

use super::node::{entries_to_json, shown};
use super::place::{Step, render};
use super::{Content, Document, Form, Node, Report, Table, did_you_mean, list_of};
use crate::text::{Pattern, Pointer};
use serde_json::{Map, Value};
use std::ops::{Range, RangeInclusive};

/// The largest whole number that a double holds exactly.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A value with the way to it. Every method that returns `None` has reported why.
#[derive(Clone, Copy)]
pub struct At<'a> {
    node: &'a Node,
    report: &'a Report,
    form: Form,
    up: Option<&'a At<'a>>,
    step: Option<Step<'a>>,
    /// Whether the value may be secret: messages then show its kind only.
    secret: bool,
}

impl<'a> At<'a> {
    pub fn root(document: &'a Document, report: &'a Report) -> Self {
        Self { node: &document.root, report, form: document.form, up: None, step: None, secret: false }
    }

    pub(super) fn child(&'a self, step: Step<'a>, node: &'a Node) -> At<'a> {
        At { node, step: Some(step), up: Some(self), ..*self }
    }

    /// The same value; messages do not show it nor its parts.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    pub fn node(&self) -> &'a Node {
        self.node
    }

    pub fn form(&self) -> Form {
        self.form
    }

    /// JSON Pointer or TOML key of this value, or of a key in it.
    pub(super) fn place(&self, key: Option<&str>) -> String {
        let mut steps: Vec<Step<'_>> = key.map(Step::Key).into_iter().collect();
        let mut here = Some(self);
        while let Some(at) = here {
            steps.extend(at.step);
            here = at.up;
        }
        steps.reverse();
        render(self.form, &steps)
    }

    /// Reports a problem at this value.
    pub fn problem(&self, found: impl Into<String>, allowed: Option<String>, hint: Option<String>) {
        self.report.problem(&self.node.span, self.place(None), found.into(), allowed, hint);
    }

    fn describe(&self) -> String {
        if self.secret { self.node.describe_kind(self.form) } else { self.node.describe(self.form) }
    }

    /// Reports that another value is wanted here.
    pub fn wrong(&self, allowed: impl Into<String>) {
        self.wrong_with(allowed, None);
    }

    /// As [`At::wrong`], with what to do.
    pub fn wrong_with(&self, allowed: impl Into<String>, hint: Option<String>) {
        let found = self.describe();
        self.problem(found, Some(allowed.into()), hint);
    }

    pub(super) fn problem_of_key(
        &self,
        span: &Range<usize>,
        key: &str,
        found: String,
        allowed: Option<String>,
        hint: Option<String>,
    ) {
        self.report.problem(span, self.place(Some(key)), found, allowed, hint);
    }

    pub(super) fn warn_of_key(&self, span: &Range<usize>, key: &str, found: String, hint: Option<String>) {
        self.report.warning(span, self.place(Some(key)), found, hint);
    }

    /// Adds a warning at this value.
    pub fn warn(&self, found: impl Into<String>, hint: Option<String>) {
        self.report.warning(&self.node.span, self.place(None), found.into(), hint);
    }

    /// The text here, if it is one; reports nothing.
    pub fn as_text(&self) -> Option<&'a str> {
        match &self.node.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A text, empty or not.
    pub fn any_text(&self) -> Option<&'a str> {
        let text = self.as_text();
        if text.is_none() {
            self.wrong("a text");
        }
        text
    }

    /// A text that is not blank.
    pub fn text(&self) -> Option<&'a str> {
        let text = self.any_text()?;
        if text.trim().is_empty() {
            self.wrong("a text that is not empty");
            return None;
        }
        Some(text)
    }

    /// Texts that are not blank; at least `least` of them.
    pub fn texts(&self, least: usize) -> Option<Vec<String>> {
        let items = self.items("a list of texts", least)?;
        let texts: Vec<Option<&str>> = items.iter().map(At::text).collect();
        texts.into_iter().map(|text| text.map(str::to_owned)).collect()
    }

    /// The items of a list, at least `least` of them.
    pub fn items(&'a self, allowed: &str, least: usize) -> Option<Vec<At<'a>>> {
        let Content::List(items) = &self.node.content else {
            self.wrong(allowed);
            return None;
        };
        if items.len() < least {
            self.problem(
                if items.is_empty() { "an empty list".to_owned() } else { format!("{} items", items.len()) },
                Some(format!("at least {least}")),
                None,
            );
            return None;
        }
        Some(items.iter().enumerate().map(|(index, node)| self.child(Step::Index(index), node)).collect())
    }

    /// A table of ours: keys outside `allowed` are reported.
    pub fn table(&'a self, allowed: &[&str]) -> Option<Table<'a>> {
        let table = self.free_table()?;
        table.check_keys(allowed);
        Some(table)
    }

    /// A table with any keys.
    pub fn free_table(&'a self) -> Option<Table<'a>> {
        match &self.node.content {
            Content::Table(entries) => Some(Table::new(self, entries)),
            _ => {
                self.wrong(self.form.table());
                None
            }
        }
    }

    /// A JSON object with any content.
    pub fn object(&self) -> Option<Map<String, Value>> {
        match &self.node.content {
            Content::Table(entries) => Some(entries_to_json(entries)),
            _ => {
                self.wrong("an object");
                None
            }
        }
    }

    pub fn flag(&self) -> Option<bool> {
        match self.node.content {
            Content::Flag(flag) => Some(flag),
            _ => {
                self.wrong("`true` or `false`");
                None
            }
        }
    }

    /// Only `true`: leaving the key out says the other.
    pub fn only_true(&self) -> Option<bool> {
        match self.node.content {
            Content::Flag(true) => Some(true),
            Content::Flag(false) => {
                self.wrong_with("`true`", Some("leave the key out instead".to_owned()));
                None
            }
            _ => {
                self.wrong("`true`");
                None
            }
        }
    }

    /// A whole number in `range`; in JSON also one that is written with a fraction of zero.
    pub fn whole(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let found = match &self.node.content {
            Content::Number(number) => number.as_u64().or_else(|| {
                let float = number.as_f64().filter(|_| self.form == Form::Json)?;
                (float.fract() == 0.0 && (0.0..=LARGEST_EXACT).contains(&float)).then_some(float as u64)
            }),
            _ => None,
        };
        let value = found.filter(|value| range.contains(value));
        if value.is_none() {
            self.wrong(match (*range.start(), *range.end()) {
                (start, end) if start == end => format!("`{start}`"),
                (start, end) if end >= i64::MAX as u64 => format!("a whole number of at least {start}"),
                (start, end) => format!("a whole number from {start} to {end}"),
            });
        }
        value
    }

    /// As [`At::whole`], for values that are kept in 32 bits.
    pub fn whole32(&self, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.whole(u64::from(*range.start())..=u64::from(*range.end()))?;
        u32::try_from(value).ok()
    }

    /// A number for which `holds` is true; `allowed` says which.
    pub fn number(&self, allowed: &str, holds: impl Fn(f64) -> bool) -> Option<f64> {
        let value = match &self.node.content {
            Content::Number(number) => number.as_f64().filter(|value| value.is_finite() && holds(*value)),
            _ => None,
        };
        if value.is_none() {
            self.wrong(allowed);
        }
        value
    }

    /// One of the words of a vocabulary: `all` are its values, `text` their spelling.
    pub fn choice<T: Copy>(&self, all: &[T], text: fn(T) -> &'static str) -> Option<T> {
        let words = || all.iter().map(|value| text(*value));
        let found = self.as_text();
        let value = found.and_then(|found| all.iter().copied().find(|value| text(*value) == found));
        if value.is_none() {
            self.wrong_with(list_of(words()), found.and_then(|found| did_you_mean(found, words())));
        }
        value
    }

    /// A JSON Pointer.
    pub fn pointer(&self) -> Option<Pointer> {
        let text = self.any_text()?;
        Pointer::new(text)
            .map_err(|_| {
                self.problem(
                    self.describe(),
                    Some("a JSON Pointer".to_owned()),
                    Some("it is empty or begins with `/`, with `~0` for `~` and `~1` for `/`".to_owned()),
                );
            })
            .ok()
    }

    /// A regular expression; `group` asks for a group to capture.
    pub fn pattern(&self, group: bool) -> Option<Pattern> {
        let text = self.text()?;
        match Pattern::new(text) {
            Ok(pattern) if group && !pattern.has_group() => {
                self.problem(
                    format!("the pattern {} has no group", shown(text)),
                    Some("a group `(...)`: group 1 is the value".to_owned()),
                    None,
                );
                None
            }
            Ok(pattern) => Some(pattern),
            Err(error) => {
                self.problem(
                    format!("the pattern {} is no regular expression: {}", shown(text), error.reason),
                    None,
                    None,
                );
                None
            }
        }
    }
}
