//! The metrics of one attempt, from its trace alone.

use crate::trace::{AttemptRecord, CallRecord};
use crate::words::{ChainEnd, Metric, Outcome, Status};

/// The calls that count: sent, and not made past the need.
pub fn counted(attempt: &AttemptRecord) -> impl Iterator<Item = (usize, &CallRecord)> {
    attempt.calls.iter().enumerate().filter(|(_, call)| call.was_sent() && !call.past_need)
}

/// Whether the call is a continuation read. A retry of a continued page is a shrunk retry alone:
/// every call of a read step is exactly one of first, continuation, shrunk retry.
pub fn is_continuation(call: &CallRecord) -> bool {
    call.continuation.is_some() && !call.is_shrunk_retry
}

/// Whether the call counts as an error of the server.
pub fn is_error(call: &CallRecord) -> bool {
    matches!(call.outcome, Outcome::ToolError | Outcome::ProtocolError | Outcome::Timeout | Outcome::Crashed)
}

/// The value of `metric` in an attempt; `None` where it has none. An attempt that ended by
/// `infrastructure` has no value at all; a failed one has those of the calls that it made.
pub fn measure(attempt: &AttemptRecord, metric: Metric) -> Option<f64> {
    if attempt.status == Status::Infrastructure {
        return None;
    }
    let count = |wanted: &dyn Fn(&CallRecord) -> bool| {
        Some(counted(attempt).filter(|(_, call)| wanted(call)).count() as f64)
    };
    let sum = |size: &dyn Fn(&CallRecord) -> u64| {
        Some(counted(attempt).map(|(_, call)| size(call)).sum::<u64>() as f64)
    };
    match metric {
        Metric::ToolCalls => count(&|_| true),
        Metric::AgentCalls => sum(&|call| 1 + call.spill_reads),
        Metric::ReadCalls => count(&CallRecord::is_read),
        Metric::ContinuationReads => count(&is_continuation),
        Metric::ShrunkRetries => count(&|call| call.is_shrunk_retry),
        Metric::SpillReads => sum(&|call| call.spill_reads),
        Metric::RepeatedReads => count(&|call| call.is_repeat && call.is_read()),
        Metric::StuckChains => count(&|call| call.chain_end == Some(ChainEnd::Stuck)),
        Metric::CappedChains => count(&|call| call.chain_end == Some(ChainEnd::Capped)),
        Metric::OversizedResults => count(&|call| !call.oversized_by.is_empty()),
        Metric::MaxResultChars => counted(attempt).map(|(_, call)| call.result_chars).max().map(|n| n as f64),
        Metric::ResultChars => sum(&|call| call.result_chars),
        Metric::ResultWireBytes => sum(&|call| call.result_wire_bytes),
        Metric::ViewChars => sum(&|call| call.view_chars),
        Metric::InputTokens => sum(&|call| call.view_tokens_estimated),
        Metric::EvidenceRecall => evidence_recall(attempt),
        Metric::CallsToEvidence => calls_to_evidence(attempt),
        Metric::Errors => count(&is_error),
        Metric::DurationMs => {
            let past = attempt.calls.iter().filter(|call| call.past_need).map(|call| call.duration_ms);
            Some((attempt.duration_ms - past.sum::<f64>()).max(0.0))
        }
        // Usage and grades are there only when a model ran.
        Metric::OutputTokens
        | Metric::Turns
        | Metric::Correct
        | Metric::Completeness
        | Metric::Truthfulness
        | Metric::SourceRecall
        | Metric::CitedGold => None,
    }
}

/// (met, total) over the read steps that have a need.
pub fn needs(attempt: &AttemptRecord) -> (u32, u32) {
    let with_need = || attempt.needs.iter().filter(|need| need.has_need);
    (with_need().filter(|need| need.met).count() as u32, with_need().count() as u32)
}

/// Whether all needs were met; `None` when the recording has none. A failed attempt is not right.
pub fn is_right(attempt: &AttemptRecord) -> Option<bool> {
    let (met, total) = needs(attempt);
    (total > 0).then_some(attempt.status == Status::Ok && met == total)
}

/// (needs met + evidence texts seen) / (needs + evidence texts).
fn evidence_recall(attempt: &AttemptRecord) -> Option<f64> {
    let (met, total) = needs(attempt);
    let seen: u32 = attempt.needs.iter().map(|need| need.evidence_seen).sum();
    let texts: u32 = attempt.needs.iter().map(|need| need.evidence_total).sum();
    (total + texts > 0).then(|| f64::from(met + seen) / f64::from(total + texts))
}

/// Calls until the last need was met.
fn calls_to_evidence(attempt: &AttemptRecord) -> Option<f64> {
    let mut last = None;
    for need in attempt.needs.iter().filter(|need| need.has_need) {
        if !need.met {
            return None;
        }
        last = last.max(Some(need.met_at_call?));
    }
    let last = last? as usize;
    Some(counted(attempt).take_while(|(index, _)| *index <= last).count() as f64)
}
