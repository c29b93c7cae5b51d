//! What one attempt did, as it stands in the journal: one line of JSON an attempt.
//!
//! Sizes are exact; texts of arguments and results stand here as hashes only.

use crate::words::{ChainEnd, Evidence, Layer, NeedKind, Outcome, Side, Split, Status, ToolKind, ViewKind};
use serde::{Deserialize, Serialize};

/// One replay of one case on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    pub case_id: String,
    pub split: Split,
    pub cluster: Option<String>,
    pub side: Side,
    /// From 1 on each side.
    pub attempt: u32,
    pub recording_id: String,
    pub status: Status,
    /// What went wrong, when the status is not `ok`; one line, no text of results.
    pub failure: Option<String>,
    /// SHA-256 over what the attempt depends on: case, suite, client profile, settings.
    pub inputs_sha256: String,
    /// One entry a read step that has a need or evidence, in order.
    pub needs: Vec<NeedRecord>,
    pub calls: Vec<CallRecord>,
    /// Bindings that fell back, warnings of replies: kind to count.
    pub notes: std::collections::BTreeMap<String, u64>,
    /// What the server did besides answering: kind to count of messages.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub oddities: std::collections::BTreeMap<String, u64>,
    /// Milliseconds since the run's start.
    pub started_ms: f64,
    pub duration_ms: f64,
}

/// What became of one read step's need and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeedRecord {
    pub step_index: u32,
    /// Whether the step has a need (a step may hold evidence alone).
    pub has_need: bool,
    pub kind: NeedKind,
    /// The need holds pages alone: it cannot show a paging change.
    pub pages_only: bool,
    pub met: bool,
    /// Why the step's chain ended.
    pub chain_end: Option<ChainEnd>,
    pub evidence_seen: u32,
    pub evidence_total: u32,
    /// The index of the call that met it.
    pub met_at_call: Option<u32>,
    /// For a need inferred as `last`, which may truly have stood earlier or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bracket: Option<Bracket>,
}

/// The indices of the calls by which a chain had shown 0.2 and 0.95 of the recorded content; `None` when it
/// never did. The calls past the need are marked `past_need`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bracket {
    pub low_at_call: Option<u32>,
    pub high_at_call: Option<u32>,
}

/// One `tools/call` and its result. Indices count from 0 within the attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub step_index: u32,
    /// The tool's name in recordings and suite, also where the side calls it otherwise.
    pub tool: String,
    pub kind: ToolKind,
    /// Whether a `read` step made it.
    pub in_read_step: bool,
    pub continuation: Option<Evidence>,
    pub continues_call_index: Option<u32>,
    pub is_shrunk_retry: bool,
    pub is_repeat: bool,
    pub is_stuck: bool,
    pub chain_index: Option<u32>,
    /// On the chain's last call.
    pub chain_end: Option<ChainEnd>,
    pub spill_reads: u64,
    /// Index of the continuation rule, or `inferred`.
    pub rule: Option<String>,
    pub outcome: Outcome,
    /// Bytes of the raw `result` or `error` value.
    pub result_wire_bytes: u64,
    /// What the client forwards, in the unit that it counts.
    pub result_chars: u64,
    /// What the model sees, in the same unit.
    pub view_chars: u64,
    pub view: ViewKind,
    pub oversized_by: Vec<Layer>,
    /// Of what the client forwards.
    pub tokens_estimated: u64,
    /// Of what the model sees.
    pub view_tokens_estimated: u64,
    /// Of the raw value, without what `ignore` matches.
    pub result_sha256: String,
    /// Under which the result was kept, if it was: of the bytes without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_sha256: Option<String>,
    /// Of tool and canonical arguments, bound and carried values replaced by their names.
    pub arguments_sha256: String,
    pub past_need: bool,
    pub unknown_arguments: Vec<String>,
    /// Milliseconds since the run's start.
    pub started_ms: f64,
    pub duration_ms: f64,
}

impl CallRecord {
    /// A call that reads: by a `read` step, or of a tool of kind `read`. Skipped calls are none.
    pub fn is_read(&self) -> bool {
        self.was_sent() && (self.in_read_step || self.kind == ToolKind::Read)
    }

    /// A skipped call enters no count.
    pub fn was_sent(&self) -> bool {
        self.outcome != Outcome::Skipped
    }
}
