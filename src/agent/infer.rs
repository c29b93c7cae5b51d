//! Declarations inferred from names, and continuation rules inferred from a result that offers more.

use super::leaf::each_leaf_outside_arrays;
use super::request::Request;
use super::rule::{Onward, Sight, next_request};
use super::schema::Schema;
use super::step::last_sent;
use super::toolbox::{Tool, ToolUse};
use crate::client::Page;
use crate::suite::toml_lines;
use crate::suite::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy};
use crate::text::{Pattern, Pointer, canonical};
use crate::words::ToolKind;
use serde_json::Value;
use std::sync::OnceLock;

/// An argument name without `_`, `-` and case.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Whether an argument of this name says where a read starts.
pub fn is_position_name(name: &str) -> bool {
    let name = plain(name);
    matches!(name.as_str(), "cursor" | "page" | "pagetoken" | "offset" | "skip" | "continuationtoken")
        || ["start", "after", "before"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether an argument of this name bounds a result.
pub fn is_size_name(name: &str) -> bool {
    let name = plain(name);
    let bounded =
        |rest: &str| matches!(rest, "results" | "items" | "size" | "length" | "chars" | "count" | "rows");
    matches!(name.as_str(), "limit" | "length" | "count" | "first" | "top" | "perpage" | "pagesize")
        || name.strip_prefix("max").is_some_and(bounded)
}

/// Whether an argument of this name is the number of a page.
pub(super) fn counts_pages(name: &str) -> bool {
    plain(name) == "page"
}

/// `read` when a read step names the tool or it has a position argument, else `other`.
pub(super) fn kind(usage: ToolUse, schema: &Schema) -> ToolKind {
    let reads = usage.in_read_step || schema.names().any(is_position_name);
    if reads { ToolKind::Read } else { ToolKind::Other }
}

/// The size arguments of a schema, in its order.
pub(super) fn size_names(schema: &Schema) -> Vec<String> {
    schema.names().filter(|name| is_size_name(name)).map(str::to_owned).collect()
}

/// What a schema tells of a tool without a declaration: position and size arguments.
pub fn inferred_declaration(tool: &Tool) -> (Vec<String>, Vec<String>) {
    let positions = tool.schema.names().filter(|name| is_position_name(name)).map(str::to_owned).collect();
    (positions, size_names(&tool.schema))
}

/// A rule found in a result, with the condition that its form brings along.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    pub rule: ContinuationRule,
    counts_pages: bool,
}

impl Inferred {
    fn plain(next: Next) -> Self {
        Self { rule: ContinuationRule { next, guard: None }, counts_pages: false }
    }

    /// As a suite file has it. The guard of a count of pages is a stand-in for `hasMore` and `totalPages`,
    /// which no key of a suite names.
    pub(super) fn written(&self) -> String {
        let guard = self.rule.guard.clone().filter(|_| !self.counts_pages);
        toml_lines::rule(&ContinuationRule { next: self.rule.next.clone(), guard })
    }

    fn argument(&self) -> &str {
        self.rule.argument().unwrap_or_default()
    }

    /// The next request by this rule. A value equal to the one sent is no offer.
    pub(super) fn onward(&self, request: &Request, sight: &Sight<'_>) -> Option<Onward> {
        self.onward_among(&scalars(sight.page), request, sight)
    }

    fn onward_among(
        &self,
        scalars: &[(String, &Value)],
        request: &Request,
        sight: &Sight<'_>,
    ) -> Option<Onward> {
        let flags = || scalars.iter().filter(|(place, _)| is_more_flag(place)).map(|(_, value)| *value);
        if flags().any(|flag| flag == &Value::Bool(false)) {
            return None;
        }
        let says_more = || flags().any(|flag| flag == &Value::Bool(true));
        if self.counts_pages && !says_more() && !is_below_total(scalars, request, self.argument()) {
            return None;
        }
        let onward = next_request(&self.rule, request, sight)?;
        let is_new = !is_same(request.arguments.get(self.argument()), onward.arguments.get(self.argument())?);
        is_new.then_some(onward)
    }
}

/// The rule by which this result offers more, and the request that it makes: a field, else a sentence, else
/// pages, else lines. The argument that the request carries already comes before all others.
pub(super) fn infer(request: &Request, sight: &Sight<'_>) -> Option<(Inferred, Onward)> {
    let schema = &request.tool.schema;
    let foreign = request.arguments.keys().map(String::as_str).filter(|name| !schema.has(name));
    let positions: Vec<&str> = schema.names().chain(foreign).filter(|name| is_position_name(name)).collect();
    if positions.is_empty() {
        return None;
    }
    let scalars = scalars(sight.page);
    let each = || positions.iter().copied();
    let fields = each().filter_map(|argument| by_field(argument, request, &scalars));
    let sentences = each().filter_map(|argument| by_sentence(argument, sight.page));
    let pages = each().filter_map(by_pages);
    let lines = each().filter_map(|argument| by_lines(argument, sight.page));
    let found = fields.chain(sentences).chain(pages).chain(lines).filter_map(|rule| {
        let onward = rule.onward_among(&scalars, request, sight)?;
        Some((rule, onward))
    });
    let mut found: Vec<_> = found.collect();
    let is_carried = |rule: &Inferred| request.sent(rule.argument()).is_some() && schema.has(rule.argument());
    let kept = found.iter().position(|(rule, _)| is_carried(rule)).unwrap_or(0);
    (!found.is_empty()).then(|| found.swap_remove(kept))
}

/// A scalar outside arrays whose key is next + the argument's name, or that sits under `next` and is named as
/// the argument, or that is named as the argument when that is a cursor or token.
fn by_field(argument: &str, request: &Request, scalars: &[(String, &Value)]) -> Option<Inferred> {
    let wanted = plain(argument);
    let is_token = wanted.ends_with("cursor") || wanted.ends_with("token");
    let (pointer, _) = scalars.iter().find(|(pointer, value)| {
        let mut tokens = pointer.rsplit('/').map(plain);
        let key = tokens.next().unwrap_or_default();
        let parent = tokens.next().unwrap_or_default();
        let named =
            key.strip_prefix("next") == Some(&wanted) || (key == wanted && (parent == "next" || is_token));
        named && (value.is_string() || value.is_number()) && !is_same(request.arguments.get(argument), value)
    })?;
    let pointer = Pointer::new(pointer).ok()?;
    Some(Inferred::plain(Next::From { argument: argument.to_owned(), pointer }))
}

/// The sentence `NAME of N`.
fn by_sentence(argument: &str, page: &Page<'_>) -> Option<Inferred> {
    if !page.text().contains(&format!("{argument} of ")) {
        return None;
    }
    let pattern = Pattern::new(&format!(r"\b{} of (\d+)", regex::escape(argument))).ok()?;
    Some(Inferred::plain(Next::Pattern { argument: argument.to_owned(), pattern }))
}

fn by_pages(argument: &str) -> Option<Inferred> {
    let next =
        Next::Advance { argument: argument.to_owned(), unit: AdvanceUnit::Pages, by: None, items: None };
    // That the flags announce more is its `while`; any document holds them.
    let guard = Pointer::new("").ok().map(Selector::Pointer);
    counts_pages(argument).then(|| Inferred { rule: ContinuationRule { next, guard }, counts_pages: true })
}

/// `offset` plus what `N lines` says while some number of them is `remaining`.
fn by_lines(argument: &str, page: &Page<'_>) -> Option<Inferred> {
    static PATTERNS: OnceLock<Option<[Pattern; 2]>> = OnceLock::new();
    if plain(argument) != "offset" || !page.text().contains(" remaining") {
        return None;
    }
    let read = || Some([Pattern::new(r"(\d+) lines").ok()?, Pattern::new(r"[1-9]\d* remaining").ok()?]);
    let [lines, remaining] = PATTERNS.get_or_init(read).clone()?;
    let by = Some(StepBy::Selector(Selector::Pattern(lines)));
    let next = Next::Advance { argument: argument.to_owned(), unit: AdvanceUnit::Lines, by, items: None };
    let guard = Some(Selector::Pattern(remaining));
    Some(Inferred { rule: ContinuationRule { next, guard }, counts_pages: false })
}

fn last_token(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap_or_default()
}

fn is_more_flag(pointer: &str) -> bool {
    plain(last_token(pointer)) == "hasmore"
}

fn is_below_total(scalars: &[(String, &Value)], request: &Request, argument: &str) -> bool {
    let totals = scalars.iter().filter(|(pointer, _)| plain(last_token(pointer)) == "totalpages");
    let total = totals.filter_map(|(_, value)| value.as_f64()).next();
    let current = last_sent(request, argument, AdvanceUnit::Pages);
    matches!((total, current), (Some(total), Some(current)) if current < total)
}

/// Whether two values are the same to a server that takes numbers as texts.
pub(crate) fn is_same(sent: Option<&Value>, offered: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| canonical(value), str::to_owned);
    sent.is_some_and(|sent| sent == offered || text(sent) == text(offered))
}

/// The scalars of a page's documents that stand outside arrays, with their pointers.
fn scalars<'p>(page: &Page<'p>) -> Vec<(String, &'p Value)> {
    let mut found = Vec::new();
    for document in page.documents() {
        each_leaf_outside_arrays(document, &mut |leaf| found.push((leaf.pointer.to_owned(), leaf.value)));
    }
    found
}
