//! Declarations inferred from a schema, and continuation rules inferred from a result that offers more.

use super::rule::Request;
use super::toolbox::{Schema, Tool, ToolUse};
use crate::client::Page;
use crate::suite::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy};
use crate::text::{Pattern, Pointer};
use crate::words::ToolKind;
use serde_json::Value;

/// An argument name without `_`, `-` and case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Whether an argument of this name says where a read starts.
pub(super) fn is_position_name(name: &str) -> bool {
    let name = plain(name);
    matches!(name.as_str(), "cursor" | "page" | "pagetoken" | "offset" | "skip" | "continuationtoken")
        || ["start", "after", "before"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether an argument of this name bounds a result.
pub(super) fn is_size_name(name: &str) -> bool {
    let name = plain(name);
    let bounded =
        |rest: &str| matches!(rest, "results" | "items" | "size" | "length" | "chars" | "count" | "rows");
    matches!(name.as_str(), "limit" | "length" | "count" | "first" | "top" | "perpage" | "pagesize")
        || name.strip_prefix("max").is_some_and(bounded)
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
    /// Whether the page still announces more, beside what the rule itself asks.
    pub(super) fn announces_more(&self, request: &Request, page: &Page) -> bool {
        if scalars(page).any(|(pointer, value)| is_more_flag(&pointer) && value == &Value::Bool(false)) {
            return false;
        }
        !self.counts_pages || more_pages(request, page, self.rule.argument().unwrap_or_default())
    }
}

/// The first rule by which this result offers more, in the order: a field, a sentence, pages, lines.
pub(super) fn infer(request: &Request, page: &Page) -> Option<Inferred> {
    let tool = &request.tool;
    let mut positions: Vec<String> = tool.schema.names().map(str::to_owned).collect();
    positions.extend(request.arguments.keys().filter(|name| !tool.schema.has(name)).cloned());
    positions.retain(|name| is_position_name(name));
    let candidates = positions
        .iter()
        .filter_map(|argument| by_field(argument, request, page))
        .chain(positions.iter().filter_map(|argument| by_sentence(argument, page)))
        .chain(positions.iter().filter_map(|argument| by_pages(argument)))
        .chain(positions.iter().filter_map(|argument| by_lines(argument)));
    candidates.into_iter().find(|found| {
        found.announces_more(request, page)
            && super::rule::next_request(&found.rule, request, page, true, true).is_some()
    })
}

fn by_field(argument: &str, request: &Request, page: &Page) -> Option<Inferred> {
    let wanted = plain(argument);
    let is_token = wanted.ends_with("cursor") || wanted.ends_with("token");
    let (pointer, _) = scalars(page).find(|(pointer, value)| {
        let mut tokens = pointer.rsplit('/').map(plain);
        let key = tokens.next().unwrap_or_default();
        let parent = tokens.next().unwrap_or_default();
        let named = key == format!("next{wanted}") || (key == wanted && (parent == "next" || is_token));
        named && (value.is_string() || value.is_number()) && Some(*value) != request.arguments.get(argument)
    })?;
    let pointer = Pointer::new(&pointer).ok()?;
    Some(plain_rule(Next::From { argument: argument.to_owned(), pointer }))
}

fn by_sentence(argument: &str, page: &Page) -> Option<Inferred> {
    let pattern = Pattern::new(&format!(r"\b{} of (\d+)", regex::escape(argument))).ok()?;
    pattern.capture(&page.text)?;
    Some(plain_rule(Next::Pattern { argument: argument.to_owned(), pattern }))
}

fn by_pages(argument: &str) -> Option<Inferred> {
    let next =
        Next::Advance { argument: argument.to_owned(), unit: AdvanceUnit::Pages, by: None, items: None };
    (plain(argument) == "page")
        .then(|| Inferred { rule: ContinuationRule { next, guard: None }, counts_pages: true })
}

fn by_lines(argument: &str) -> Option<Inferred> {
    if plain(argument) != "offset" {
        return None;
    }
    let by = StepBy::Selector(Selector::Pattern(Pattern::new(r"(\d+) lines").ok()?));
    let guard = Selector::Pattern(Pattern::new(r"[1-9]\d* remaining").ok()?);
    let next =
        Next::Advance { argument: argument.to_owned(), unit: AdvanceUnit::Lines, by: Some(by), items: None };
    Some(Inferred { rule: ContinuationRule { next, guard: Some(guard) }, counts_pages: false })
}

fn plain_rule(next: Next) -> Inferred {
    Inferred { rule: ContinuationRule { next, guard: None }, counts_pages: false }
}

fn is_more_flag(pointer: &str) -> bool {
    plain(pointer.rsplit('/').next().unwrap_or_default()) == "hasmore"
}

/// Whether the page says `hasMore: true`, or is below `totalPages`.
fn more_pages(request: &Request, page: &Page, argument: &str) -> bool {
    let says_more =
        scalars(page).any(|(pointer, value)| is_more_flag(&pointer) && value == &Value::Bool(true));
    let total = scalars(page).find_map(|(pointer, value)| {
        (plain(pointer.rsplit('/').next().unwrap_or_default()) == "totalpages")
            .then(|| value.as_f64())
            .flatten()
    });
    let current = super::rule::last_sent(request, argument, AdvanceUnit::Pages);
    says_more || matches!((total, current), (Some(total), Some(current)) if current < total)
}

/// The scalars of a page's documents that stand outside arrays, with their pointers.
fn scalars(page: &Page) -> impl Iterator<Item = (String, &Value)> {
    let mut found = Vec::new();
    for document in page.documents() {
        collect_scalars(document, String::new(), &mut found);
    }
    found.into_iter()
}

fn collect_scalars<'v>(value: &'v Value, pointer: String, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                collect_scalars(inner, format!("{pointer}/{}", super::content::escape(key)), found);
            }
        }
        Value::Array(_) => {}
        scalar => found.push((pointer, scalar)),
    }
}
