//! Where two attempts of one case part, and in what.

use crate::trace::{AttemptRecord, CallRecord};
use crate::words::{Outcome, ViewKind};
use std::sync::Arc;

crate::words::word_enum!(
/// What is other at the call at which the sides part.
Difference {
    /// The call ended otherwise.
    Error => "error",
    /// The client made something else of the result: it is oversized on one side.
    View => "view",
    Size => "size",
    /// Equal size, other content.
    Content => "content",
    /// The step shows the same results, in another order.
    Order => "order",
    /// A read is carried on otherwise, or on one side alone.
    Cursor => "cursor",
    /// Another tool, or other arguments.
    Request => "request",
    /// One side alone makes the call.
    Call => "call",
});

/// What came back for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub outcome: Outcome,
    pub view: ViewKind,
    /// In the unit that the client counts.
    pub result_chars: u64,
}

/// The first call at which an attempt on the baseline and the same attempt on the candidate differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    pub attempt: u32,
    /// From 0.
    pub call_index: u32,
    /// The tool of that call; the baseline's, where both make one.
    pub tool: Arc<str>,
    /// At least one, in the order of the words.
    pub differs: Vec<Difference>,
    /// Absent where that side makes no such call.
    pub baseline: Option<Seen>,
    pub candidate: Option<Seen>,
}

impl Parting {
    /// `None` when no call differs. What was read past a need is no call of the agent's.
    pub fn of(base: &AttemptRecord, cand: &AttemptRecord) -> Option<Self> {
        let longest = base.calls.len().max(cand.calls.len());
        (0..longest).find_map(|index| {
            let (old, new) = (own_call(base, index), own_call(cand, index));
            let differs = match (old, new) {
                (None, None) => return None,
                (Some(old), Some(new)) => differences(base, cand, old, new),
                (Some(only), None) | (None, Some(only)) => vec![alone(only)],
            };
            if differs.is_empty() {
                return None;
            }
            let tool = old.or(new)?.tool.as_str().into();
            let (baseline, candidate) = (old.map(Seen::of), new.map(Seen::of));
            Some(Self { attempt: base.attempt, call_index: index as u32, tool, differs, baseline, candidate })
        })
    }
}

impl Seen {
    fn of(call: &CallRecord) -> Self {
        Self { outcome: call.outcome, view: call.view, result_chars: call.result_chars }
    }
}

fn own_call(record: &AttemptRecord, index: usize) -> Option<&CallRecord> {
    record.calls.get(index).filter(|call| !call.past_need)
}

fn alone(call: &CallRecord) -> Difference {
    if carries_on(call) { Difference::Cursor } else { Difference::Call }
}

fn carries_on(call: &CallRecord) -> bool {
    call.continuation.is_some() || call.is_shrunk_retry
}

fn differences(
    base: &AttemptRecord,
    cand: &AttemptRecord,
    old: &CallRecord,
    new: &CallRecord,
) -> Vec<Difference> {
    if old.arguments_sha256 != new.arguments_sha256 {
        let reads_on = carries_on(old) || carries_on(new);
        return vec![if reads_on { Difference::Cursor } else { Difference::Request }];
    }
    let mut differs = Vec::new();
    if old.outcome != new.outcome {
        differs.push(Difference::Error);
    }
    if old.result_sha256 == new.result_sha256 {
        return differs;
    }
    // The view follows from the size: it says nothing of its own where the result is the same.
    if old.view != new.view {
        differs.push(Difference::View);
    }
    differs.push(match () {
        () if shows_the_same(base, cand, old.step_index) => Difference::Order,
        () if old.result_chars != new.result_chars => Difference::Size,
        () => Difference::Content,
    });
    differs
}

/// Whether a step brings the same results on both sides, in whatever order.
fn shows_the_same(base: &AttemptRecord, cand: &AttemptRecord, step: u32) -> bool {
    let results = |record: &AttemptRecord| {
        let calls = record.calls.iter().filter(|call| call.step_index == step && !call.past_need);
        let mut found: Vec<String> = calls.map(|call| call.result_sha256.clone()).collect();
        found.sort_unstable();
        found
    };
    results(base) == results(cand)
}
