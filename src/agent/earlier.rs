//! What an attempt has read so far: repeated reads, and continuation reads among single calls.
//!
//! A `call` step, or any step sent word for word, carries on an earlier read when tool and identity
//! arguments are the same and its position was offered by an earlier result of the chain, or is adjacent to
//! what was seen: it starts at, or up to three units past, the end of that, or overlaps it and moves on. A
//! jump, an error, or the same position again opens a new chain.

use super::infer::{self, is_same};
use super::news::Shown;
use super::request::Request;
use super::rule::{Sight, is_backwards, next_request, page_argument};
use super::step::as_number;
use super::toolbox::{Tool, Toolbox};
use crate::case::{Intent, Step};
use crate::client::Page;
use crate::suite::{ContinuationRule, Next};
use crate::words::{Evidence, ReplayMode, ToolKind};
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
    /// The server keeps the cursor: the same arguments read on.
    asks_again: bool,
    /// The result was oversized, and not shown whole.
    is_refused: bool,
}

/// How a single call relates to the reads before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relation {
    Carries { call_index: u32, evidence: Evidence, is_asked_again: bool },
    Shrinks,
}

/// All reads of an attempt.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    sent: HashSet<u128>,
    /// The tools that single calls read: only for these anything can come of an earlier read.
    single_tools: HashSet<String>,
    /// By what is read: the chain at hand.
    chains: HashMap<u128, Vec<Read>>,
}

impl Earlier {
    /// For the steps of a recording.
    pub fn new(steps: &[Step], mode: ReplayMode, toolbox: &Toolbox) -> Self {
        let is_single = |step: &&Step| step.intent == Intent::Call || mode == ReplayMode::Verbatim;
        let reads = |step: &&Step| {
            let kind = toolbox.get(&step.tool).map(|tool| tool.kind);
            step.intent == Intent::Read || kind == Some(ToolKind::Read)
        };
        let single_tools = steps.iter().filter(is_single).filter(reads).map(|step| step.tool.clone());
        Self { single_tools: single_tools.collect(), ..Self::default() }
    }

    /// For single calls of these tools.
    pub fn of_tools(tools: impl IntoIterator<Item = String>) -> Self {
        Self { single_tools: tools.into_iter().collect(), ..Self::default() }
    }

    /// What comes begins another chain.
    pub fn end_chain(&mut self, request: &Request) {
        self.chains.remove(&request.identity());
    }

    /// Notes a read; true when one with its tool and arguments was made before.
    pub fn is_repeat(&mut self, request: &Request) -> bool {
        !self.sent.insert(request.digest())
    }

    /// How this single read relates to the earlier ones of the same thing.
    pub fn relation(&self, request: &Request) -> Option<Relation> {
        let chain = self.chains.get(&request.identity())?;
        let last = chain.last()?;
        if last.is_refused && shrinks(&last.arguments, request) {
            return Some(Relation::Shrinks);
        }
        let carries = |read: &Read, evidence, is_asked_again| {
            Some(Relation::Carries { call_index: read.call_index, evidence, is_asked_again })
        };
        if last.asks_again && last.arguments == request.arguments {
            return carries(last, Evidence::Computed, true);
        }
        if chain.iter().any(|read| is_same_position(&read.arguments, request)) {
            return None;
        }
        for read in chain.iter().rev() {
            let offer = read.offers.iter().find(|(name, value, _)| is_same(request.sent(name), value));
            if let Some((_, _, evidence)) = offer {
                return carries(read, *evidence, false);
            }
        }
        let positions = request.arguments.keys().filter(|name| request.tool.is_position(name));
        let is_adjacent = positions.into_iter().any(|name| is_adjacent(name, chain, last, request));
        if is_adjacent { carries(last, Evidence::Computed, false) } else { None }
    }

    /// Takes in a read and its visible page (`None` for an error, which breaks the chain).
    pub fn take(
        &mut self,
        call_index: u32,
        request: &Request,
        page: Option<&Page<'_>>,
        is_refused: bool,
        carries_on: bool,
    ) {
        if !self.single_tools.contains(&request.tool.name) {
            return;
        }
        let chain = self.chains.entry(request.identity()).or_default();
        if !carries_on {
            chain.clear();
        }
        match page {
            None => chain.clear(),
            Some(page) => {
                let (offers, asks_again) = offers(request, page);
                let arguments = request.arguments.clone();
                chain.push(Read { call_index, arguments, offers, asks_again, is_refused });
            }
        }
    }
}

/// What a page offers by each rule, and whether one asks for the same arguments again.
fn offers(request: &Request, page: &Page<'_>) -> (Vec<(String, Value, Evidence)>, bool) {
    let shown = Shown::default();
    let sight = Sight { page, shown: &shown, ends_on_empty: true };
    let value_of = |rule: &ContinuationRule, onward: super::rule::Onward| {
        let argument = rule.argument()?;
        Some((argument.to_owned(), onward.arguments.get(argument)?.clone(), onward.evidence))
    };
    match &request.tool.rules {
        Some(rules) => {
            let matching = || rules.iter().filter_map(|r| Some((r, next_request(r, request, &sight)?)));
            let asks_again = matching().any(|(rule, _)| matches!(rule.next, Next::Same));
            (matching().filter_map(|(rule, onward)| value_of(rule, onward)).collect(), asks_again)
        }
        None => {
            let found = infer::infer(request, &sight);
            (found.and_then(|(found, onward)| value_of(&found.rule, onward)).into_iter().collect(), false)
        }
    }
}

fn is_same_position(before: &Map<String, Value>, request: &Request) -> bool {
    let names = before.keys().chain(request.arguments.keys());
    let mut positions = names.filter(|name| request.tool.is_position(name));
    let value = |arguments: &Map<String, Value>, name: &str| {
        let sent = arguments.get(name).filter(|value| !value.is_null());
        sent.or_else(|| request.tool.schema.default_of(name)).cloned()
    };
    positions.all(|name| value(before, name) == value(&request.arguments, name))
}

/// Whether the request moves on from the last read, no further than the end of what the chain has shown.
fn is_adjacent(argument: &str, chain: &[Read], last: &Read, request: &Request) -> bool {
    let tool = &request.tool;
    let counts_pages = tool.counts_pages(argument);
    let start_of = |read: &Read| {
        let sent = read.arguments.get(argument).filter(|value| !value.is_null());
        sent.or_else(|| tool.schema.default_of(argument)).and_then(as_number)
    };
    let Some(sent) = request.sent(argument).and_then(as_number) else { return false };
    let ends = chain.iter().filter_map(|read| {
        let first = if counts_pages { 1.0 } else { 0.0 };
        end_of(argument, read, start_of(read).unwrap_or(first), tool)
    });
    if is_backwards(argument) {
        let end = ends.fold(f64::INFINITY, f64::min);
        return sent < start_of(last).unwrap_or(f64::INFINITY)
            && end.is_finite()
            && sent >= end - ADJACENT_GAP;
    }
    let gap = if counts_pages { 0.0 } else { ADJACENT_GAP };
    let start = start_of(last).unwrap_or(if counts_pages { 1.0 } else { 0.0 });
    sent > start && sent <= ends.fold(f64::NEG_INFINITY, f64::max) + gap
}

/// Where a read ended: at the value offered; else, where the agent is the one to count, after what it asked for.
fn end_of(argument: &str, read: &Read, start: f64, tool: &Tool) -> Option<f64> {
    if let Some((_, value, _)) = read.offers.iter().find(|(name, _, _)| name == argument) {
        return as_number(value);
    }
    let is_offered = |rule: &ContinuationRule| {
        rule.argument() == Some(argument) && !matches!(rule.next, Next::Advance { .. })
    };
    if tool.rules.iter().flatten().any(is_offered) || is_backwards(argument) {
        return None;
    }
    if tool.counts_pages(argument) {
        return Some(start + 1.0);
    }
    let sizes = tool.size.iter().filter_map(|name| {
        as_number(read.arguments.get(name).filter(|value| !value.is_null()).or(tool.schema.default_of(name))?)
    });
    sizes.into_iter().next().map(|size| start + size)
}

/// The same read with a smaller size argument.
fn shrinks(before: &Map<String, Value>, request: &Request) -> bool {
    let is_smaller = |name: &String| {
        let sizes = (before.get(name).and_then(as_number), request.arguments.get(name).and_then(as_number));
        matches!(sizes, (Some(old), Some(new)) if new < old) || matches!(sizes, (None, Some(_)))
    };
    let is_rest = |name: &&String| !request.tool.is_size(name) && !request.tool.counts_pages(name);
    let names = before.keys().chain(request.arguments.keys());
    let rest_is_same = names.filter(is_rest).all(|name| before.get(name) == request.arguments.get(name));
    rest_is_same && request.arguments.keys().filter(|name| request.tool.is_size(name)).any(is_smaller)
}

impl Tool {
    /// Whether this argument is the number of a page.
    fn counts_pages(&self, argument: &str) -> bool {
        match &self.rules {
            Some(rules) => rules.iter().any(|rule| page_argument(rule) == Some(argument)),
            None => infer::counts_pages(argument),
        }
    }
}
