//! What an attempt has read so far: repeated reads, and continuation reads among single calls.
//!
//! A `call` step, or any step sent word for word, carries on an earlier read when tool and identity
//! arguments are the same and its position was offered by an earlier result, or is adjacent to what was
//! seen: it starts at, or up to three units past, the end of that, or overlaps it and moves forward.

use super::infer;
use super::rule::{self, Request, as_number};
use crate::client::Page;
use crate::text::canonical;
use crate::words::Evidence;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Units past the end of what was seen that still count as adjacent.
const ADJACENT_GAP: f64 = 3.0;

/// One read that may be carried on.
#[derive(Debug, Clone)]
struct Read {
    call_index: u32,
    arguments: Map<String, Value>,
    /// Per position argument: the value by which a rule carries on, and where it came from.
    offers: Vec<(String, Value, Evidence)>,
    is_refused: bool,
}

/// How a single call relates to the reads before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relation {
    Carries { call_index: u32, evidence: Evidence },
    Shrinks { call_index: u32 },
}

/// All reads of an attempt.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    sent: HashSet<String>,
    reads: HashMap<String, Vec<Read>>,
}

impl Earlier {
    /// Notes a read; true when one with its tool and arguments was made before.
    pub fn is_repeat(&mut self, request: &Request) -> bool {
        let key = format!("{}\n{}", request.tool.name, canonical(&Value::Object(request.arguments.clone())));
        !self.sent.insert(key)
    }

    /// How this single read relates to the earlier ones of the same thing.
    pub fn relation(&self, request: &Request) -> Option<Relation> {
        let reads = self.reads.get(&identity(request))?;
        if let Some(last) = reads.last().filter(|last| last.is_refused && shrinks(&last.arguments, request)) {
            return Some(Relation::Shrinks { call_index: last.call_index });
        }
        let offered = reads.iter().rev().find_map(|read| {
            let (_, _, evidence) =
                read.offers.iter().find(|(name, value, _)| same(request.arguments.get(name), value))?;
            Some(Relation::Carries { call_index: read.call_index, evidence: *evidence })
        });
        offered.or_else(|| {
            let adjacent =
                |read: &&Read| read.offers.iter().any(|(name, end, _)| is_adjacent(name, end, read, request));
            let read = reads.iter().rev().find(adjacent)?;
            Some(Relation::Carries { call_index: read.call_index, evidence: Evidence::Computed })
        })
    }

    /// Takes in a single read and its visible page; an error breaks the chain.
    pub fn take(&mut self, call_index: u32, request: &Request, page: Option<&Page>, is_refused: bool) {
        let key = identity(request);
        let Some(page) = page else {
            self.reads.remove(&key);
            return;
        };
        let offers = offers(request, page);
        let read = Read { call_index, arguments: request.arguments.clone(), offers, is_refused };
        self.reads.entry(key).or_default().push(read);
    }
}

fn identity(request: &Request) -> String {
    let mut arguments = request.arguments.clone();
    arguments.retain(|name, _| request.tool.is_identity(name));
    format!("{}\n{}", request.tool.name, canonical(&Value::Object(arguments)))
}

fn offers(request: &Request, page: &Page) -> Vec<(String, Value, Evidence)> {
    let value_of = |rule: &crate::suite::ContinuationRule| {
        let onward = rule::next_request(rule, request, page, true, true)?;
        let argument = rule.argument()?;
        Some((argument.to_owned(), onward.arguments.get(argument)?.clone(), onward.evidence))
    };
    match &request.tool.rules {
        Some(rules) => rules.iter().filter_map(value_of).collect(),
        None => infer::infer(request, page).iter().filter_map(|found| value_of(&found.rule)).collect(),
    }
}

fn same(sent: Option<&Value>, offered: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| canonical(value), str::to_owned);
    sent.is_some_and(|sent| text(sent) == text(offered))
}

fn is_adjacent(argument: &str, end: &Value, read: &Read, request: &Request) -> bool {
    let start = read.arguments.get(argument).and_then(as_number).unwrap_or(0.0);
    let sent = request.arguments.get(argument).and_then(as_number);
    match (sent, as_number(end)) {
        (Some(sent), Some(end)) => sent > start && sent <= end + ADJACENT_GAP,
        _ => false,
    }
}

/// The same read with a smaller size argument.
fn shrinks(before: &Map<String, Value>, request: &Request) -> bool {
    let is_smaller = |name: &String| {
        let sizes =
            (before.get(name).and_then(Value::as_i64), request.arguments.get(name).and_then(Value::as_i64));
        matches!(sizes, (Some(old), Some(new)) if new < old) || matches!(sizes, (None, Some(_)))
    };
    let rest_is_same = request
        .arguments
        .iter()
        .all(|(name, value)| request.tool.size.contains(name) || before.get(name) == Some(value));
    rest_is_same && request.tool.size.iter().any(is_smaller)
}
