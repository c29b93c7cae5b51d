//! A smaller read after an oversized result.

use super::infer;
use super::request::Request;
use super::rule::page_argument;
use super::step::{as_number, last_sent, number};
use crate::suite::{AdvanceUnit, ContinuationRule};
use serde_json::{Value, json};

/// The request with its size argument halved: the first one that it carries with an integer over 1, else
/// the first with such a default in the schema that it does not carry. `None` when there is none.
///
/// `rule` is the chain's, when it has one already.
pub(super) fn halve(request: &Request, rule: Option<&ContinuationRule>) -> Option<Request> {
    let tool = &request.tool;
    let sent = tool.size.iter().find_map(|name| Some((name, integer_over_one(request.sent(name)?)?)));
    let by_default = || {
        let mut absent = tool.size.iter().filter(|name| request.sent(name).is_none());
        absent.find_map(|name| Some((name, integer_over_one(tool.schema.default_of(name)?)?)))
    };
    let (name, size) = sent.or_else(by_default)?;
    let smaller = (size / 2).max(1);
    let mut next = request.clone();
    next.set(name, json!(smaller));
    keep_place(&mut next, request, rule, size, smaller);
    Some(next)
}

/// JSON tells 8.0 from 8 no more than a schema does.
fn integer_over_one(value: &Value) -> Option<i64> {
    let whole = |float: &f64| float.fract() == 0.0 && float.abs() < 9e15;
    let size = value.as_i64().or_else(|| value.as_f64().filter(whole).map(|float| float as i64))?;
    (size > 1).then_some(size)
}

/// Under a rule that counts pages a smaller page has another number: the retry starts at the same item.
fn keep_place(
    next: &mut Request,
    request: &Request,
    rule: Option<&ContinuationRule>,
    size: i64,
    smaller: i64,
) {
    let tool = &request.tool;
    let argument = match (rule, &tool.rules) {
        (Some(rule), _) => page_argument(rule),
        (None, Some(rules)) => rules.iter().find_map(page_argument),
        (None, None) => request.arguments.keys().map(String::as_str).find(|name| infer::counts_pages(name)),
    };
    let Some(argument) = argument.filter(|name| request.sent(name).is_some()) else { return };
    let first = tool.schema.default_of(argument).and_then(as_number).unwrap_or(1.0);
    let Some(page) = last_sent(request, argument, AdvanceUnit::Pages) else { return };
    let moved = number(((page - first) * size as f64 / smaller as f64).floor() + first);
    let is_named = request.key_arguments.get(argument) != request.arguments.get(argument);
    next.arguments.insert(argument.to_owned(), moved.clone());
    if !is_named {
        next.key_arguments.insert(argument.to_owned(), moved);
    }
}
