//! A smaller read after an oversized result.

use super::rule::{Request, as_number, last_sent, number};
use crate::suite::{AdvanceUnit, ContinuationRule, Next};
use serde_json::{Value, json};

/// The request with its size argument halved: the first one that it carries with an integer over 1, else
/// the first with such a default in the schema. `None` when there is none.
pub(super) fn halve(request: &Request, rule: Option<&ContinuationRule>) -> Option<Request> {
    let over_one = |value: Option<&Value>| value.and_then(Value::as_i64).filter(|size| *size > 1);
    let tool = &request.tool;
    let sent = tool.size.iter().find_map(|name| Some((name, over_one(request.arguments.get(name))?)));
    let by_default = || {
        let absent = tool.size.iter().filter(|name| !request.arguments.contains_key(*name));
        absent.into_iter().find_map(|name| Some((name, over_one(tool.schema.default_of(name))?)))
    };
    let (name, size) = sent.or_else(by_default)?;
    let smaller = (size / 2).max(1);
    let mut next = request.clone();
    next.arguments.insert(name.clone(), json!(smaller));
    next.key_arguments.insert(name.clone(), json!(smaller));
    keep_place(&mut next, request, rule, size as f64 / smaller as f64);
    Some(next)
}

/// Under a rule that counts pages a smaller page has another number: the retry starts at the same item.
fn keep_place(next: &mut Request, request: &Request, rule: Option<&ContinuationRule>, factor: f64) {
    let pages_of = |rule: &ContinuationRule| match &rule.next {
        Next::Advance { argument, unit: AdvanceUnit::Pages, .. } => Some(argument.clone()),
        _ => None,
    };
    let argument = match rule {
        Some(rule) => pages_of(rule),
        None => request.tool.rules.iter().flatten().find_map(pages_of),
    };
    let Some(argument) = argument.filter(|name| request.arguments.contains_key(name)) else { return };
    let first = request.tool.schema.default_of(&argument).and_then(as_number).unwrap_or(1.0);
    if let Some(page) = last_sent(request, &argument, AdvanceUnit::Pages) {
        next.arguments.insert(argument, number(((page - first) * factor + first).floor()));
    }
}
