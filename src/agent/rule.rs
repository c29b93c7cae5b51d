//! Continuation rules on a page: does it offer more, and what is the next request?

use super::news::{Shown, Sieve};
use super::request::Request;
use super::step;
use super::toolbox::{Tool, Toolbox};
use crate::client::Page;
use crate::suite::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy};
use crate::text::{Pattern, Pointer};
use crate::words::Evidence;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A page as a rule looks at it.
pub(super) struct Sight<'p> {
    pub page: &'p Page<'p>,
    /// What the chain has shown before this page.
    pub shown: &'p Shown,
    /// An empty string is the end, as before protocol 2026-07-28.
    pub ends_on_empty: bool,
}

impl Sight<'_> {
    fn has_news(&self, tool: &Tool, rule: &ContinuationRule) -> bool {
        self.shown.lacks(self.page, &Sieve::new(tool, Some(rule)))
    }

    fn is_cursor(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => false,
            Value::String(text) => !(self.ends_on_empty && text.is_empty()),
            _ => true,
        }
    }
}

/// What a rule makes of a page.
#[derive(Debug, Clone)]
pub(super) struct Onward {
    /// The tool to call when the rule carries on by another one.
    pub tool: Option<String>,
    pub arguments: Map<String, Value>,
    key_arguments: Map<String, Value>,
    pub evidence: Evidence,
    /// Names of values that a pattern captured for another tool, whose schema may want numbers.
    captured: Vec<String>,
}

impl Onward {
    /// The request itself, for the side's own tool; the tool's name when the toolbox does not hold it.
    pub fn into_request(mut self, current: &Request, toolbox: &Toolbox) -> Result<Request, String> {
        let tool = match self.tool {
            None => current.tool.clone(),
            Some(name) => match toolbox.get(&name) {
                Some(tool) => Arc::clone(tool),
                None => return Err(name),
            },
        };
        for name in &self.captured {
            if let Some(Value::String(text)) = self.arguments.get(name) {
                let value = typed(text, tool.schema.is_number(name));
                self.arguments.insert(name.clone(), value);
            }
        }
        Ok(Request { tool, arguments: self.arguments, key_arguments: self.key_arguments })
    }
}

/// The next request by `rule`, or `None` when the rule does not match on the page.
pub(super) fn next_request(rule: &ContinuationRule, request: &Request, sight: &Sight<'_>) -> Option<Onward> {
    let page = sight.page;
    if rule.guard.as_ref().is_some_and(|guard| !holds(guard, page)) {
        return None;
    }
    match &rule.next {
        Next::From { argument, pointer } => {
            let value = page.value_at(pointer).filter(|value| sight.is_cursor(value))?;
            Some(carry_on(request, argument, value.clone(), Evidence::Offered))
        }
        Next::Pattern { argument, pattern } => {
            let text = pattern.capture(page.text())?;
            let value = typed(text, request.tool.schema.is_number(argument));
            sight.is_cursor(&value).then(|| carry_on(request, argument, value, Evidence::Offered))
        }
        Next::Advance { argument, unit, by, items } => {
            // Without a guard nothing else would end the walk.
            if rule.guard.is_none() && !sight.has_news(&request.tool, rule) {
                return None;
            }
            let last = step::last_sent(request, argument, *unit).filter(|last| *last >= 0.0)?;
            let step = step::size_of(rule, *unit, by.as_ref(), items.as_ref(), request, page)?;
            Some(carry_on(request, argument, step::number(last + step), Evidence::Computed))
        }
        Next::Tool { tool, carry } => by_another_tool(tool, carry, sight),
        Next::Same => Some(Onward {
            tool: None,
            arguments: request.arguments.clone(),
            key_arguments: request.key_arguments.clone(),
            evidence: Evidence::Computed,
            captured: Vec::new(),
        }),
    }
}

fn by_another_tool(tool: &str, carry: &[(String, Selector)], sight: &Sight<'_>) -> Option<Onward> {
    let mut arguments = Map::new();
    let mut key_arguments = Map::new();
    for (name, place) in carry {
        let value = find(place, sight.page).filter(|value| value.is_boolean() || sight.is_cursor(value))?;
        arguments.insert(name.clone(), value);
        key_arguments.insert(name.clone(), carried(name));
    }
    let captured = carry.iter().filter(|(_, place)| matches!(place, Selector::Pattern(_)));
    let captured = captured.map(|(name, _)| name.clone()).collect();
    let tool = Some(tool.to_owned());
    Some(Onward { tool, arguments, key_arguments, evidence: Evidence::Offered, captured })
}

/// The request with `argument` set and the arguments of the tool's other rules dropped.
fn carry_on(request: &Request, argument: &str, value: Value, evidence: Evidence) -> Onward {
    let others = || request.tool.rules.iter().flatten().filter_map(|rule| rule.argument());
    let with = |from: &Map<String, Value>, value: Value| {
        let is_kept = |name: &str| name == argument || others().all(|other| other != name);
        let kept = from.iter().filter(|(name, _)| is_kept(name));
        let mut arguments: Map<String, Value> = kept.map(|(n, v)| (n.clone(), v.clone())).collect();
        arguments.insert(argument.to_owned(), value);
        arguments
    };
    Onward {
        tool: None,
        key_arguments: with(&request.key_arguments, carried(argument)),
        arguments: with(&request.arguments, value),
        evidence,
        captured: Vec::new(),
    }
}

/// What stands in a request's key in place of a carried value.
fn carried(argument: &str) -> Value {
    json!({ "$carried": argument })
}

/// The value at a pointer, or group 1 of a pattern as text.
pub(super) fn find(place: &Selector, page: &Page<'_>) -> Option<Value> {
    match place {
        Selector::Pointer(pointer) => page.value_at(pointer).cloned(),
        Selector::Pattern(pattern) => pattern.capture(page.text()).map(|text| Value::String(text.to_owned())),
    }
}

fn holds(guard: &Selector, page: &Page<'_>) -> bool {
    match guard {
        Selector::Pattern(pattern) => pattern.is_match(page.text()),
        Selector::Pointer(pointer) => match page.value_at(pointer) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        },
    }
}

/// A captured text as the schema wants it.
fn typed(text: &str, as_number: bool) -> Value {
    let number = as_number.then(|| step::number_in(text)).flatten();
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// The patterns of a rule.
pub(super) fn patterns_of(rule: &ContinuationRule) -> Vec<&Pattern> {
    selectors_of(rule).filter_map(pattern_of).chain(own_pattern(rule)).collect()
}

/// The pointers of a rule, but not the one to the array that it counts.
pub(super) fn pointers_of(rule: &ContinuationRule) -> Vec<&Pointer> {
    let own = match &rule.next {
        Next::From { pointer, .. } => Some(pointer),
        _ => None,
    };
    selectors_of(rule).filter_map(pointer_of).chain(own).collect()
}

fn own_pattern(rule: &ContinuationRule) -> Option<&Pattern> {
    match &rule.next {
        Next::Pattern { pattern, .. } => Some(pattern),
        _ => None,
    }
}

fn selectors_of(rule: &ContinuationRule) -> impl Iterator<Item = &Selector> {
    let by = match &rule.next {
        Next::Advance { by: Some(StepBy::Selector(place)), .. } => Some(place),
        _ => None,
    };
    let carry = match &rule.next {
        Next::Tool { carry, .. } => carry.as_slice(),
        _ => &[],
    };
    rule.guard.iter().chain(by).chain(carry.iter().map(|(_, place)| place))
}

pub(super) fn pattern_of(place: &Selector) -> Option<&Pattern> {
    match place {
        Selector::Pattern(pattern) => Some(pattern),
        Selector::Pointer(_) => None,
    }
}

pub(super) fn pointer_of(place: &Selector) -> Option<&Pointer> {
    match place {
        Selector::Pointer(pointer) => Some(pointer),
        Selector::Pattern(_) => None,
    }
}

/// Whether the rule's pages come in reverse.
pub(super) fn reads_backwards(rule: &ContinuationRule) -> bool {
    rule.argument().is_some_and(is_backwards)
}

/// Whether a position argument of this name asks for what stands before it.
pub(super) fn is_backwards(argument: &str) -> bool {
    argument.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("before"))
}

/// Whether the rule counts pages, and by which argument.
pub(super) fn page_argument(rule: &ContinuationRule) -> Option<&str> {
    match &rule.next {
        Next::Advance { argument, unit: AdvanceUnit::Pages, .. } => Some(argument),
        _ => None,
    }
}
