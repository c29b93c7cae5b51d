//! The step of an `advance` rule: from the last value sent to the next.

use super::leaf::{covers, each_leaf};
use super::news::Sieve;
use super::request::Request;
use super::rule::{find, patterns_of};
use super::toolbox::Tool;
use crate::client::{Page, Part};
use crate::suite::{AdvanceUnit, ContinuationRule, StepBy};
use crate::text::Pointer;
use serde_json::{Number, Value, json};

/// The last value sent for a position: else the schema's default, else the first one of its unit.
pub(super) fn last_sent(request: &Request, argument: &str, unit: AdvanceUnit) -> Option<f64> {
    match request.sent(argument).or_else(|| request.tool.schema.default_of(argument)) {
        Some(value) => as_number(value),
        None => Some(if unit == AdvanceUnit::Pages { 1.0 } else { 0.0 }),
    }
}

/// How far this page reaches; `None` when nothing on it says so, and the rule does not match.
pub(super) fn size_of(
    rule: &ContinuationRule,
    unit: AdvanceUnit,
    by: Option<&StepBy>,
    items: Option<&Pointer>,
    request: &Request,
    page: &Page<'_>,
) -> Option<f64> {
    match by {
        Some(StepBy::Argument(name)) => {
            as_number(request.sent(name).or_else(|| request.tool.schema.default_of(name))?)
        }
        Some(StepBy::Selector(place)) => as_number(&find(place, page)?),
        None => match unit {
            AdvanceUnit::Pages => Some(1.0),
            AdvanceUnit::Items => page.value_at(items?)?.as_array().map(|array| array.len() as f64),
            AdvanceUnit::Lines => Some(lines_of(page, rule) as f64),
            AdvanceUnit::Chars => Some(chars_of(page, rule, &request.tool) as f64),
        },
    }
}

/// The lines of the forwarded text in which no pattern of the rule matches, blank ones included.
fn lines_of(page: &Page<'_>, rule: &ContinuationRule) -> usize {
    let patterns = patterns_of(rule);
    page.text().lines().filter(|line| !patterns.iter().any(|pattern| pattern.is_match(line))).count()
}

/// UTF-16 units of a page's content: of its text, or of the string leaves of its documents (those that
/// `content` picks, where the declaration has it).
fn chars_of(page: &Page<'_>, rule: &ContinuationRule, tool: &Tool) -> u64 {
    let sieve = Sieve::new(tool, Some(rule));
    let is_picked =
        |place: &str| tool.content.is_empty() || tool.content.iter().any(|picked| covers(picked, place));
    let mut units = 0;
    for part in page.parts() {
        match part {
            Part::Text(text) => units += sieve.units(text),
            Part::Json(document) => each_leaf(document, &mut |leaf| {
                if let Some(text) =
                    leaf.value.as_str().filter(|_| is_picked(leaf.pointer) && sieve.keeps(&leaf))
                {
                    units += sieve.units(text);
                }
            }),
        }
    }
    units
}

/// A number, also when it is written as text.
pub(crate) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => number_in(text)?.as_f64(),
        _ => None,
    }
}

/// The number that a text is, with or without commas between thousands.
pub(super) fn number_in(text: &str) -> Option<Number> {
    let text = text.trim();
    let digits = text.replace(',', "");
    let is_grouped = text.split(',').skip(1).all(|group| group.len() == 3);
    let plain = if is_grouped { digits.as_str() } else { text };
    let whole = || plain.parse::<i64>().ok().map(Number::from);
    serde_json::from_str(plain).ok().or_else(whole)
}

/// A number as JSON, an integer when it is one.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}
