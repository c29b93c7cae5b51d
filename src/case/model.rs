//! A case and its recordings as typed values.

use super::Steps;
use crate::suite::Selector;
use crate::text::Pointer;
use crate::words::{NeedKind, OnOversized, Split};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// One task that an agent did once. `question`, `gold` and a recording's `source` are checked and stay in the file:
/// no part of a replay reads them.
#[derive(Debug, Clone)]
pub struct Case {
    pub id: String,
    pub split: Split,
    pub cluster: Option<String>,
    pub tags: Vec<String>,
    /// At least one.
    pub recordings: Vec<Recording>,
    /// The file it came from, and the line in it for a `.cases.jsonl`.
    pub file: PathBuf,
    pub line: Option<u64>,
    /// SHA-256 of the case's own JSON text.
    pub sha256: String,
}

impl Case {
    /// The recording that an attempt, numbered from 1, replays.
    pub fn recording_of(&self, attempt: u32) -> &Recording {
        &self.recordings[(attempt as usize - 1) % self.recordings.len()]
    }
}

/// The calls that one agent made for the case.
#[derive(Debug, Clone)]
pub struct Recording {
    pub id: String,
    pub recorded: Option<RecordedCounts>,
    pub steps: Steps,
}

/// What the agent really did, as far as the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedCounts {
    pub calls: Option<u64>,
    pub read_calls: Option<u64>,
    pub continuation_reads: Option<u64>,
    pub oversized: Option<u64>,
}

/// One intent of the agent.
#[derive(Debug, Clone)]
pub struct Step {
    pub intent: Intent,
    pub tool: String,
    /// May hold `{"$from": name, "recorded": value}` anywhere.
    pub arguments: Map<String, Value>,
    /// Name to the place in the step's first visible result.
    pub save: Vec<(String, Selector)>,
    /// Only on `read`.
    pub need: Option<Need>,
    /// Only on `read`: texts that the chain should show.
    pub evidence: Vec<String>,
    pub need_kind: NeedKind,
    pub on_oversized: Option<OnOversized>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// A call, done once.
    Call,
    /// Read until the need is met.
    Read,
}

/// What the agent must have seen before a read step is over; all parts must hold, at least one is set.
#[derive(Debug, Clone, Default)]
pub struct Need {
    /// Texts in the text of the chain; empty when this part is absent.
    pub contains: Vec<String>,
    pub coverage: Option<Coverage>,
    pub reach: Option<Reach>,
    pub items: Option<Items>,
    pub end: bool,
    pub pages: Option<u64>,
}

impl Need {
    /// Whether `pages` is all that it asks: such a need cannot show a paging change.
    pub fn is_pages_only(&self) -> bool {
        self.pages.is_some()
            && self.contains.is_empty()
            && self.coverage.is_none()
            && self.reach.is_none()
            && self.items.is_none()
            && !self.end
    }
}

/// A share of the recorded fingerprints, at most 0.95.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// Sorted, unique.
    pub fingerprints: Vec<u64>,
    pub at_least: f64,
}

/// The number at the pointer of the latest visible result; at least one limit is set.
#[derive(Debug, Clone)]
pub struct Reach {
    pub pointer: Pointer,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
}

/// So many array elements over the chain.
#[derive(Debug, Clone)]
pub struct Items {
    pub pointer: Pointer,
    pub at_least: u64,
}
