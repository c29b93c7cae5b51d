//! What the pictures of results show, counted while the traces are written.

use crate::metric::measure::{counted, is_continuation};
use crate::trace::AttemptRecord;
use crate::words::{Side, Status};
use std::collections::BTreeMap;

/// Counts of the baseline and of the candidate.
pub type Both = [u64; 2];

/// Of a tool's results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolTally {
    pub calls: Both,
    pub oversized: Both,
    pub largest: Both,
}

/// Ok attempts of baseline and candidate.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub tools: BTreeMap<String, ToolTally>,
    /// Results by the power of two that they reach.
    pub sizes: BTreeMap<u32, Both>,
    /// Chains by their continuation reads.
    pub chains: BTreeMap<u64, Both>,
    /// Attempts, and their wall time in milliseconds: a clock value.
    pub clock: [(u64, f64); 2],
}

impl Tally {
    /// Counts an attempt of baseline or candidate that is ok.
    pub fn record(&mut self, record: &AttemptRecord) {
        match (record.side, record.status) {
            (Side::Baseline, Status::Ok) => self.add(0, record),
            (Side::Candidate, Status::Ok) => self.add(1, record),
            _ => {}
        }
    }

    fn add(&mut self, side: usize, record: &AttemptRecord) {
        self.clock[side].0 += 1;
        self.clock[side].1 += record.duration_ms;
        let mut chains: BTreeMap<u32, u64> = BTreeMap::new();
        for (_, call) in counted(record) {
            let tool = self.tools.entry(call.tool.clone()).or_default();
            tool.calls[side] += 1;
            tool.oversized[side] += u64::from(!call.oversized_by.is_empty());
            tool.largest[side] = tool.largest[side].max(call.result_chars);
            self.sizes.entry(call.result_chars.max(1).ilog2()).or_default()[side] += 1;
            if let Some(chain) = call.chain_index {
                *chains.entry(chain).or_default() += u64::from(is_continuation(call));
            }
        }
        for length in chains.into_values() {
            self.chains.entry(length).or_default()[side] += 1;
        }
    }
}
