//! What the pictures of results show: one pass over the journal, one case in memory at a time.

use crate::metric::measure::{counted, is_continuation};
use crate::report::Report;
use crate::trace::AttemptRecord;
use crate::words::{Side, Status};
use std::collections::BTreeMap;
use std::io;

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
}

impl Tally {
    pub fn of(report: &Report) -> io::Result<Self> {
        let mut tally = Self::default();
        if report.journal.is_empty() {
            return Ok(tally);
        }
        let mut reader = report.journal.reader().map_err(io::Error::other)?;
        for case in 0..report.collected.table.cases.len() {
            for record in reader.case(case).map_err(io::Error::other)? {
                match (record.side, record.status) {
                    (Side::Baseline, Status::Ok) => tally.add(0, &record),
                    (Side::Candidate, Status::Ok) => tally.add(1, &record),
                    _ => {}
                }
            }
        }
        Ok(tally)
    }

    fn add(&mut self, side: usize, record: &AttemptRecord) {
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
