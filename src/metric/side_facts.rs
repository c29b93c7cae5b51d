//! What became of a side over the whole run: statuses, limits, tools, the largest result.

use super::bracket::touches_order;
use super::measure::{counted, is_continuation, is_error, needs};
use crate::trace::AttemptRecord;
use crate::words::{ChainEnd, Evidence, Layer, NeedKind, Outcome, Side, Status};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Reasons quote servers, so they are bounded.
const MOST_REASON_CHARS: usize = 300;

/// Counts of one side. Results and calls are those of ok attempts; statuses are of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SideFacts {
    pub ok_attempts: u64,
    pub failed_attempts: u64,
    pub infrastructure_attempts: u64,
    pub needs_met: u64,
    pub needs_total: u64,
    /// Continuation reads whose value an earlier result offered.
    pub continuation_reads_offered: u64,
    /// Continuation reads whose value was computed.
    pub continuation_reads_computed: u64,
    /// Results over each limit layer; one result may trip several.
    pub oversized_by: BTreeMap<Layer, u64>,
    pub largest_result: Option<LargestResult>,
    /// By tool name.
    pub tools: BTreeMap<String, ToolFacts>,
    /// Arguments that the side's schema does not know, as `tool.argument`, with the calls that sent them.
    pub unknown_arguments: BTreeMap<String, u64>,
    /// Bindings that fell back, warnings of replies: kind to count.
    pub notes: BTreeMap<String, u64>,
    /// Why attempts were not ok, with their number; of all attempts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, u64>,
    /// What the server did besides answering; of all attempts. Kinds alone: how many messages of a kind fall
    /// into attempts depends on how many processes share the work.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub oddities: BTreeSet<String>,
    /// Chains that ended as stuck, capped or blind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cut_chains: BTreeMap<ChainEnd, u64>,
}

/// What became of one tool's calls on a side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToolFacts {
    pub calls: u64,
    pub errors: u64,
    pub oversized: u64,
    /// Not sent: the tool may change something.
    pub skipped: u64,
}

/// The largest result of a side, in the unit that the client counts, with its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LargestResult {
    pub result_chars: u64,
    pub tool: String,
    /// A call of a read step or of a tool of kind `read`.
    pub is_read: bool,
    pub case_id: String,
    pub attempt: u32,
    pub call_index: u32,
}

impl SideFacts {
    /// Adds an attempt. Attempts must come in the order of the tables: of equally large results
    /// the first is named.
    pub fn add(&mut self, attempt: &AttemptRecord) {
        match attempt.status {
            Status::Ok => self.ok_attempts += 1,
            Status::Failed => self.failed_attempts += 1,
            Status::Infrastructure => self.infrastructure_attempts += 1,
        }
        self.oddities.extend(attempt.oddities.keys().cloned());
        if let Some(failure) = &attempt.failure {
            *self.failures.entry(reason(failure)).or_default() += 1;
        }
        if attempt.status != Status::Ok {
            return;
        }
        let (met, total) = needs(attempt);
        self.needs_met += u64::from(met);
        self.needs_total += u64::from(total);
        for (kind, count) in &attempt.notes {
            *self.notes.entry(kind.clone()).or_default() += count;
        }
        for call in attempt.calls.iter().filter(|call| call.outcome == Outcome::Skipped && !call.past_need) {
            self.tools.entry(call.tool.clone()).or_default().skipped += 1;
        }
        for (index, call) in counted(attempt) {
            let tool = self.tools.entry(call.tool.clone()).or_default();
            tool.calls += 1;
            tool.errors += u64::from(is_error(call));
            if let Some(end @ (ChainEnd::Stuck | ChainEnd::Capped | ChainEnd::Blind)) = call.chain_end {
                *self.cut_chains.entry(end).or_default() += 1;
            }
            tool.oversized += u64::from(!call.oversized_by.is_empty());
            for layer in &call.oversized_by {
                *self.oversized_by.entry(*layer).or_default() += 1;
            }
            for argument in &call.unknown_arguments {
                *self.unknown_arguments.entry(format!("{}.{argument}", call.tool)).or_default() += 1;
            }
            match call.continuation.filter(|_| is_continuation(call)) {
                Some(Evidence::Offered) => self.continuation_reads_offered += 1,
                Some(Evidence::Computed) => self.continuation_reads_computed += 1,
                None => {}
            }
            if self.largest_result.as_ref().is_none_or(|l| call.result_chars > l.result_chars) {
                self.largest_result = Some(LargestResult {
                    result_chars: call.result_chars,
                    tool: call.tool.clone(),
                    is_read: call.is_read(),
                    case_id: attempt.case_id.clone(),
                    attempt: attempt.attempt,
                    call_index: index as u32,
                });
            }
        }
    }
}

/// A failure without the call that it befell, so that equal ones are counted together.
fn reason(failure: &str) -> String {
    let reason = failure.split_once(": ").map_or(failure, |(_, reason)| reason);
    reason.chars().take(MOST_REASON_CHARS).collect()
}

/// Where the needs of the replayed read steps come from, counted over the baseline's ok attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NeedFacts {
    pub read_steps: u64,
    pub by_kind: BTreeMap<NeedKind, u64>,
    /// Needs that hold pages alone: they cannot show a change of paging.
    pub pages_only: u64,
    pub evidence_texts: u64,
    /// Read steps on any side that have a bracket: their needs were inferred as `last`.
    #[serde(skip)]
    pub bracketed: u64,
    /// Cases with a need inferred as `last` whose content the candidate seems to show in another order.
    pub other_order: Vec<String>,
}

impl NeedFacts {
    pub fn add(&mut self, attempt: &AttemptRecord) {
        self.bracketed += attempt.needs.iter().filter(|need| need.bracket.is_some()).count() as u64;
        if attempt.side != Side::Baseline || attempt.status != Status::Ok {
            return;
        }
        for need in &attempt.needs {
            self.evidence_texts += u64::from(need.evidence_total);
            if need.has_need {
                self.read_steps += 1;
                *self.by_kind.entry(need.kind).or_default() += 1;
                self.pages_only += u64::from(need.pages_only);
            }
        }
    }

    /// Notes a case of which one side shows the content in another order.
    pub fn add_order(&mut self, case_id: &str, records: &[AttemptRecord]) {
        if touches_order(records) {
            self.other_order.push(case_id.to_owned());
        }
    }

    /// The share of a kind among the needs; 0 without any.
    pub fn share(&self, kind: NeedKind) -> f64 {
        let count = self.by_kind.get(&kind).copied().unwrap_or(0);
        if self.read_steps == 0 { 0.0 } else { count as f64 / self.read_steps as f64 }
    }
}
