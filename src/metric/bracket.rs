//! Needs inferred as `last`: what a chain would have read if the need had truly stood elsewhere.
//!
//! Such a need asks for half of what the last recorded page brought; where in that page the agent found
//! what it looked for is not known. Continuation reads are therefore also counted for prefixes of the same
//! chain that show less or more of it. Calls made for that alone enter nothing else.

use super::measure::{is_continuation, measure};
use super::{AttemptTable, Column};
use crate::trace::{AttemptRecord, Bracket, NeedRecord};
use crate::words::{Metric, NeedKind, Side, Status};

crate::words::word_enum!(
/// An end of the bracket: the share of the last page's new content at which a chain would have ended.
BracketEnd { Low => "0.2", High => "0.95" });

impl BracketEnd {
    fn of(self, bracket: Bracket) -> Option<u32> {
        match self {
            Self::Low => bracket.low_at_call,
            Self::High => bracket.high_at_call,
        }
    }
}

/// Continuation reads of an attempt, had its chains ended at this end of their brackets. A chain that never
/// showed as much counts whole.
pub fn continuation_reads(attempt: &AttemptRecord, end: BracketEnd) -> Option<f64> {
    let mut reads = measure(attempt, Metric::ContinuationReads)?;
    for need in &attempt.needs {
        let Some(bracket) = need.bracket else { continue };
        let last = end.of(bracket).map_or(usize::MAX, |call| call as usize);
        for (index, call) in attempt.calls.iter().enumerate() {
            if call.step_index == need.step_index
                && call.in_read_step
                && call.was_sent()
                && is_continuation(call)
            {
                reads += f64::from(u8::from(index <= last)) - f64::from(u8::from(!call.past_need));
            }
        }
    }
    Some(reads)
}

/// Continuation reads of all attempts at both ends.
#[derive(Debug, Clone, Default)]
pub struct BracketColumns([Column; 2]);

impl BracketColumns {
    pub(super) fn push(&mut self, attempt: &AttemptRecord) {
        for (column, end) in self.0.iter_mut().zip(BracketEnd::ALL) {
            column.push(continuation_reads(attempt, *end));
        }
    }

    pub(super) fn moved(&self, move_column: impl Fn(&Column) -> Column) -> Self {
        Self([move_column(&self.0[0]), move_column(&self.0[1])])
    }
}

impl AttemptTable {
    /// The table as it would be at an end of the bracket; `None` when no need was inferred as `last`.
    pub fn at(&self, end: BracketEnd) -> Option<Self> {
        let bracket = self.bracket.as_ref()?;
        let place = self.metric(Metric::ContinuationReads.as_str())?;
        let mut table = Self { bracket: None, ..self.clone() };
        table.columns[place] = match end {
            BracketEnd::Low => bracket.0[0].clone(),
            BracketEnd::High => bracket.0[1].clone(),
        };
        Some(table)
    }
}

/// Whether the candidate seems to show the same content in another order, by a read step of a pair whose
/// need was inferred as `last`: its chain was carried on by another rule, or one side shows on its first
/// page, though that is no larger, what the other side walks to.
pub fn touches_order(records: &[AttemptRecord]) -> bool {
    let ok = |side| records.iter().filter(move |r: &&AttemptRecord| r.side == side && r.status == Status::Ok);
    ok(Side::Baseline).any(|base| {
        let twin = ok(Side::Candidate).find(|cand| cand.attempt == base.attempt);
        twin.is_some_and(|cand| pair_touches_order(base, cand))
    })
}

fn pair_touches_order(base: &AttemptRecord, cand: &AttemptRecord) -> bool {
    base.needs.iter().filter(|need| need.has_need && need.kind == NeedKind::Last).any(|need| {
        let Some(other) = cand.needs.iter().find(|other| other.step_index == need.step_index) else {
            return false;
        };
        let (a, b) = (Walk::of(base, need), Walk::of(cand, other));
        matches!((a.rule, b.rule), (Some(a), Some(b)) if a != b) || a.is_ahead_of(&b) || b.is_ahead_of(&a)
    })
}

/// How one side's chain of a step went.
struct Walk<'r> {
    rule: Option<&'r str>,
    first_chars: u64,
    /// Calls until the need was met.
    calls: Option<usize>,
}

impl<'r> Walk<'r> {
    fn of(record: &'r AttemptRecord, need: &NeedRecord) -> Self {
        let calls = || {
            record.calls.iter().enumerate().filter(|(_, c)| c.step_index == need.step_index && c.was_sent())
        };
        Self {
            rule: calls().find_map(|(_, call)| call.rule.as_deref()),
            first_chars: calls().next().map_or(0, |(_, call)| call.result_chars),
            calls: need.met_at_call.map(|last| calls().filter(|(index, _)| *index <= last as usize).count()),
        }
    }

    fn is_ahead_of(&self, other: &Self) -> bool {
        self.calls == Some(1)
            && other.calls.is_some_and(|calls| calls > 1)
            && self.first_chars <= other.first_chars
    }
}
