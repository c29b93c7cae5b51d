//! What was counted of one tool.

use super::notice::Wording;
use super::percentile::percentile;
use crate::words::{Layer, ToolKind};
use std::collections::BTreeMap;

/// Sizes of results in characters (UTF-16 units), also of those that the client refused where it told them.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    values: Vec<u64>,
}

impl Sizes {
    pub(super) fn take(&mut self, chars: u64) {
        self.values.push(chars);
    }

    /// The 50th, 90th and 99th percentile, nearest rank; `None` of no results.
    pub fn percentiles(&self) -> [Option<u64>; 3] {
        let mut sorted = self.values.clone();
        sorted.sort_unstable();
        [50, 90, 99].map(|percent| percentile(&sorted, percent))
    }

    fn add(&mut self, other: &Sizes) {
        self.values.extend_from_slice(&other.values);
    }
}

/// The counts of one tool of one server. Sizes are characters (UTF-16 units).
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// By its name, or because a call of it carried a position.
    pub kind: Option<ToolKind>,
    pub calls: u64,
    /// Results that came, errors and notices included.
    pub results: u64,
    pub errors: u64,
    /// Calls that never reached the server: the user or the client did not let them. In no other count.
    pub denied: u64,
    /// Results that the client did not show whole; on the wire, those over a limit of the profile.
    pub oversized: u64,
    /// Of these, those that only the estimate of tokens tells of: on the wire.
    pub oversized_by_estimate: u64,
    /// Results over each limit of the client profile, as far as their size is known or a notice says so.
    pub over: BTreeMap<Layer, u64>,
    pub notices: BTreeMap<Wording, u64>,
    /// Continuation reads whose position an earlier result offered,
    pub continuations_offered: u64,
    /// and those that go on where the last one ended.
    pub continuations_computed: u64,
    /// Reads of files into which the client saved a result.
    pub spill_reads: u64,
    pub shrunk_retries: u64,
    /// Calls with the arguments of an earlier one of the same task. Reads, where `kind` says so.
    pub repeats: u64,
    /// Repeats that brought the same again, and continuation reads that brought a page of their chain again.
    pub stuck: u64,
    pub largest_shown: Option<u64>,
    /// The smallest result that the client is known to have refused.
    pub smallest_refused: Option<u64>,
    pub smallest_refused_tokens: Option<u64>,
    pub sizes: Sizes,
}

impl Row {
    /// Continuation reads of either evidence.
    pub fn continuation_reads(&self) -> u64 {
        self.continuations_offered + self.continuations_computed
    }

    fn is_read(&self) -> bool {
        self.kind == Some(ToolKind::Read)
    }

    /// Reads with the tool and arguments of an earlier one.
    pub fn repeated_reads(&self) -> u64 {
        if self.is_read() { self.repeats } else { 0 }
    }

    /// Reads that brought nothing new.
    pub fn stuck_reads(&self) -> u64 {
        if self.is_read() { self.stuck } else { 0 }
    }

    pub fn over(&self, layer: Layer) -> u64 {
        self.over.get(&layer).copied().unwrap_or(0)
    }

    /// Takes in the counts of another tool: for totals.
    pub(super) fn add(&mut self, other: &Row) {
        self.kind = Some(ToolKind::Read);
        self.calls += other.calls;
        self.results += other.results;
        self.errors += other.errors;
        self.denied += other.denied;
        self.oversized += other.oversized;
        self.oversized_by_estimate += other.oversized_by_estimate;
        for (layer, count) in &other.over {
            *self.over.entry(*layer).or_default() += count;
        }
        for (wording, count) in &other.notices {
            *self.notices.entry(*wording).or_default() += count;
        }
        self.continuations_offered += other.continuations_offered;
        self.continuations_computed += other.continuations_computed;
        self.spill_reads += other.spill_reads;
        self.shrunk_retries += other.shrunk_retries;
        self.repeats += other.repeated_reads();
        self.stuck += other.stuck_reads();
        self.largest_shown = self.largest_shown.max(other.largest_shown);
        self.smallest_refused = least(self.smallest_refused, other.smallest_refused);
        self.smallest_refused_tokens = least(self.smallest_refused_tokens, other.smallest_refused_tokens);
        self.sizes.add(&other.sizes);
    }
}

/// The smaller of two values, where one may be missing.
pub(super) fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
