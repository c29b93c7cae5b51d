//! Continuation rules on a page: does it offer more, and what is the next request?

use super::content;
use super::toolbox::{Tool, Toolbox};
use crate::client::{Page, utf16_len};
use crate::suite::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy};
use crate::text::Pointer;
use crate::words::Evidence;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A call about to be made. `key_arguments` has bound and carried values replaced by their names.
#[derive(Debug, Clone)]
pub struct Request {
    pub tool: Arc<Tool>,
    pub arguments: Map<String, Value>,
    pub key_arguments: Map<String, Value>,
}

/// What a rule makes of a page.
#[derive(Debug, Clone)]
pub struct Onward {
    /// The tool to call when the rule carries on by another one.
    pub tool: Option<String>,
    pub arguments: Map<String, Value>,
    pub key_arguments: Map<String, Value>,
    pub evidence: Evidence,
    /// Names of values that a pattern captured for another tool, whose schema may want numbers.
    captured: Vec<String>,
}

impl Onward {
    /// The request itself, for the side's own tool.
    pub fn into_request(mut self, current: &Request, toolbox: &Toolbox) -> Option<Request> {
        let tool = match &self.tool {
            None => current.tool.clone(),
            Some(name) => toolbox.get(name)?.clone(),
        };
        for name in &self.captured {
            if let Some(Value::String(text)) = self.arguments.get(name) {
                let value = typed(text, tool.schema.is_number(name));
                self.arguments.insert(name.clone(), value);
            }
        }
        Some(Request { tool, arguments: self.arguments, key_arguments: self.key_arguments })
    }
}

/// The next request by `rule`, or `None` when the rule does not match on the page.
///
/// `has_news`: whether the page brought content that its chain had not shown. `ends_on_empty`: an empty
/// string is the end, as before protocol 2026-07-28.
pub fn next_request(
    rule: &ContinuationRule,
    request: &Request,
    page: &Page,
    has_news: bool,
    ends_on_empty: bool,
) -> Option<Onward> {
    if rule.guard.as_ref().is_some_and(|guard| !holds(guard, page)) {
        return None;
    }
    match &rule.next {
        Next::From { argument, pointer } => {
            let value = page.value_at(pointer).filter(|value| is_cursor(value, ends_on_empty))?;
            Some(carry_on(request, argument, value.clone(), Evidence::Offered))
        }
        Next::Pattern { argument, pattern } => {
            let text = pattern.capture(&page.text).filter(|text| !(ends_on_empty && text.is_empty()))?;
            let value = typed(text, request.tool.schema.is_number(argument));
            Some(carry_on(request, argument, value, Evidence::Offered))
        }
        Next::Advance { argument, unit, by, items } => {
            // Without a guard nothing else would end the walk.
            if rule.guard.is_none() && !has_news {
                return None;
            }
            let last = last_sent(request, argument, *unit).filter(|last| *last >= 0.0)?;
            let step = step_of(rule, *unit, by.as_ref(), items.as_ref(), request, page)?;
            Some(carry_on(request, argument, number(last + step), Evidence::Computed))
        }
        Next::Tool { tool, carry } => {
            let values = carry.iter().map(|(name, place)| Some((name.clone(), find(place, page)?)));
            let arguments = values.collect::<Option<Map<String, Value>>>()?;
            let key_arguments = arguments.keys().map(|name| (name.clone(), carried(name))).collect();
            let captured = carry.iter().filter(|(_, place)| matches!(place, Selector::Pattern(_)));
            let captured = captured.map(|(name, _)| name.clone()).collect();
            Some(Onward {
                tool: Some(tool.clone()),
                arguments,
                key_arguments,
                evidence: Evidence::Offered,
                captured,
            })
        }
        Next::Same => Some(Onward {
            tool: None,
            arguments: request.arguments.clone(),
            key_arguments: request.key_arguments.clone(),
            evidence: Evidence::Computed,
            captured: Vec::new(),
        }),
    }
}

fn is_cursor(value: &Value, ends_on_empty: bool) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => !(ends_on_empty && text.is_empty()),
        _ => true,
    }
}

/// The request with `argument` set and the arguments of the tool's other rules dropped.
fn carry_on(request: &Request, argument: &str, value: Value, evidence: Evidence) -> Onward {
    let others: Vec<&str> = request.tool.rules.iter().flatten().filter_map(|rule| rule.argument()).collect();
    let with = |from: &Map<String, Value>, value: Value| {
        let mut arguments = from.clone();
        arguments.retain(|name, _| name == argument || !others.contains(&name.as_str()));
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

/// The last value sent for a position: else the schema's default, else the first one of its unit.
pub(super) fn last_sent(request: &Request, argument: &str, unit: AdvanceUnit) -> Option<f64> {
    let sent = request.arguments.get(argument).filter(|value| !value.is_null());
    match sent.or_else(|| request.tool.schema.default_of(argument).filter(|value| !value.is_null())) {
        Some(value) => as_number(value),
        None => Some(if unit == AdvanceUnit::Pages { 1.0 } else { 0.0 }),
    }
}

fn step_of(
    rule: &ContinuationRule,
    unit: AdvanceUnit,
    by: Option<&StepBy>,
    items: Option<&Pointer>,
    request: &Request,
    page: &Page,
) -> Option<f64> {
    match by {
        Some(StepBy::Argument(name)) => {
            as_number(request.arguments.get(name).or_else(|| request.tool.schema.default_of(name))?)
        }
        Some(StepBy::Selector(place)) => as_number(&find(place, page)?),
        None => match unit {
            AdvanceUnit::Pages => Some(1.0),
            AdvanceUnit::Items => page.value_at(items?)?.as_array().map(|array| array.len() as f64),
            AdvanceUnit::Lines => {
                let patterns = content::patterns_of(rule);
                let counted =
                    page.text.lines().filter(|line| !patterns.iter().any(|pattern| pattern.is_match(line)));
                Some(counted.count() as f64)
            }
            AdvanceUnit::Chars => Some(content::chars_of(page, rule, &request.tool) as f64),
        },
    }
}

/// The value at a pointer, or group 1 of a pattern as text.
pub(super) fn find(place: &Selector, page: &Page) -> Option<Value> {
    match place {
        Selector::Pointer(pointer) => page.value_at(pointer).cloned(),
        Selector::Pattern(pattern) => pattern.capture(&page.text).map(|text| Value::String(text.to_owned())),
    }
}

fn holds(guard: &Selector, page: &Page) -> bool {
    match guard {
        Selector::Pattern(pattern) => pattern.is_match(&page.text),
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
    let number = as_number.then(|| serde_json::from_str::<serde_json::Number>(text).ok()).flatten();
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// A number as JSON, an integer when it is one.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// UTF-16 units of a text without the lines in which a pattern matches.
pub(super) fn units_without(text: &str, patterns: &[&crate::text::Pattern]) -> u64 {
    if patterns.is_empty() {
        return utf16_len(text);
    }
    text.split_inclusive('\n')
        .filter(|line| !patterns.iter().any(|pattern| pattern.is_match(line)))
        .map(utf16_len)
        .sum()
}
