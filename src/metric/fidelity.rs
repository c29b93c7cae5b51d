//! Replay fidelity: replaying the baseline should do what the recorded agent did.

use super::measure::{counted, is_continuation};
use crate::case::RecordedCounts;
use crate::trace::{AttemptRecord, CallRecord};
use crate::words::{Side, Status};
use serde::Serialize;
use std::collections::BTreeMap;

/// How the replay of the baseline compares with the recordings, over attempts whose recording
/// says what was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Fidelity {
    pub recorded_reads: u64,
    pub replayed_reads: u64,
    pub recorded_continuation_reads: u64,
    pub replayed_continuation_reads: u64,
    /// Cases with at least one recording that says what was done.
    pub cases: u64,
    /// Of them, those all of whose replayed recordings have equal read and continuation counts.
    pub cases_equal: u64,
    /// The others.
    pub unequal: Vec<String>,
    /// Read steps whose need holds pages alone; counted apart, they cannot show a paging change.
    pub pages_only_steps: u64,
}

impl Fidelity {
    /// The share of cases below which the report warns.
    pub const WARN_BELOW: f64 = 0.8;

    /// Adds a case.
    pub fn add(
        &mut self,
        case_id: &str,
        records: &[AttemptRecord],
        recorded: &BTreeMap<String, RecordedCounts>,
    ) {
        let (mut is_compared, mut is_equal) = (false, true);
        for attempt in records.iter().filter(|r| r.side == Side::Baseline && r.status == Status::Ok) {
            self.pages_only_steps += attempt.needs.iter().filter(|need| need.pages_only).count() as u64;
            let Some(recorded) = recorded.get(&attempt.recording_id) else { continue };
            let count = |wanted: &dyn Fn(&CallRecord) -> bool| {
                counted(attempt).filter(|(_, call)| wanted(call)).count() as u64
            };
            if let Some(reads) = recorded.read_calls {
                let replayed = count(&CallRecord::is_read);
                self.recorded_reads += reads;
                self.replayed_reads += replayed;
                (is_compared, is_equal) = (true, is_equal && reads == replayed);
            }
            if let Some(continuations) = recorded.continuation_reads {
                let replayed = count(&is_continuation);
                self.recorded_continuation_reads += continuations;
                self.replayed_continuation_reads += replayed;
                (is_compared, is_equal) = (true, is_equal && continuations == replayed);
            }
        }
        if is_compared {
            self.cases += 1;
            self.cases_equal += u64::from(is_equal);
            if !is_equal {
                self.unequal.push(case_id.to_owned());
            }
        }
    }

    /// The share of compared cases that are equal; `None` when nothing was recorded.
    pub fn share(&self) -> Option<f64> {
        (self.cases > 0).then(|| self.cases_equal as f64 / self.cases as f64)
    }

    pub fn is_low(&self) -> bool {
        self.share().is_some_and(|share| share < Self::WARN_BELOW)
    }
}
