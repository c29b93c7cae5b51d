//! `run.json`: what a run was made of. Everything a report needs beside the journal.

use crate::plan::Shard;
use crate::words::{OnOversized, ReplayMode, Side};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the results folder's formats.
pub const FORMAT_VERSION: u32 = 1;

/// The whole of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunMeta {
    pub format_version: u32,
    pub tool_version: String,
    /// The folder's name.
    pub run_id: String,
    pub status: RunStatus,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The command line, secrets as `***`.
    pub argv: Vec<String>,
    /// The folder in which it was given.
    pub cwd: String,
    pub seed: u64,
    pub attempts: u32,
    pub same_code: u32,
    pub candidate_again: bool,
    /// One side was defined: it is replayed against itself.
    pub a_a: bool,
    pub replay: ReplayMode,
    pub on_oversized: OnOversized,
    pub resamples: u32,
    /// Absolute path of the suite file as given; for `--resume` and `report` to find it again.
    pub suite_path: String,
    pub suite_sha256: String,
    /// Case id to the hash of the case, in order of ids: the selected cases, also those of other shards.
    pub cases: BTreeMap<String, CaseMeta>,
    /// The part of the cases that was replayed; nothing when that is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The stored run that stands for the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_run: Option<BaselineRun>,
    pub client: ClientMeta,
    pub protocol: String,
    /// The rules as judged, defaults added; `report` judges with these.
    pub rules: Vec<crate::suite::Rule>,
    /// How the rules' verdicts become an exit code; `report` judges with these too.
    #[serde(default)]
    pub gate: GateSettings,
    /// Why rules that the suite does not name are there, for the report's first lines.
    pub rules_note: Option<String>,
    pub sides: BTreeMap<String, SideMeta>,
    /// Flipped cases are replayed once more, when the run was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<ConfirmMeta>,
    /// Warnings of planning and running that the report repeats, in order.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    Started,
    Complete,
}

crate::words::word_enum!(
/// What a failed attempt counts as, in shares where higher is better. Costs use ok attempts alone.
MissingPolicy {
    /// The worst value, 0.
    AsWorst => "as-worst",
    /// Left out.
    OkOnly => "ok-only",
});

crate::words::word_enum!(
/// The mildest verdict that fails a run.
FailOn { Regression => "regression", Inconclusive => "inconclusive" });

/// How verdicts become an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSettings {
    pub missing: MissingPolicy,
    pub fail_on: FailOn,
    /// A regression or an inconclusive verdict ends as success.
    pub warn_only: bool,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { missing: MissingPolicy::AsWorst, fail_on: FailOn::Regression, warn_only: false }
    }
}

/// The fresh attempts of flipped cases, numbered on after the run's own; in journals of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmMeta {
    /// On baseline and candidate each; 0 before the run was judged.
    pub attempts: u32,
    /// The flipped cases; `None` before the run was judged.
    pub cases: Option<Vec<String>>,
    /// The flips repeat themselves: there is nothing to confirm.
    pub exact: bool,
}

/// A side of a stored run, whose attempts play the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineRun {
    pub run_id: String,
    /// Its side, by its word.
    pub side: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// From its start to this run's start, in seconds.
    pub age_s: i64,
    /// Cases that this run selected and it does not hold, by id: they have no baseline.
    pub cases_new: Vec<String>,
    /// Cases that it holds and the suite no longer has, by id: they have no candidate.
    pub cases_gone: Vec<String>,
}

/// What a report must know of a selected case without reading its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseMeta {
    pub sha256: String,
    pub split: crate::words::Split,
    pub cluster: Option<String>,
    /// No call of it may be replayed.
    pub skipped: bool,
    /// By recording id: what the agent really did.
    pub recorded: BTreeMap<String, crate::case::RecordedCounts>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientMeta {
    pub profile: String,
    pub sha256: String,
    /// The unit of `result_chars`.
    pub unit: String,
    /// The smallest limit in that unit, if it has one.
    pub limit: Option<u64>,
    pub token_estimator: String,
}

/// What is known of a side: its server and its tool list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct SideMeta {
    pub revision: Option<String>,
    pub dirty: bool,
    /// Of what is changed and not committed.
    pub diff_sha256: Option<String>,
    /// Committed so many seconds before the run's start.
    pub revision_age_s: Option<i64>,
    pub command_sha256: String,
    /// Redacted.
    pub command: Vec<String>,
    pub variables: Vec<String>,
    pub server_name: Option<String>,
    pub server_version: Option<String>,
    pub protocol: Option<String>,
    pub tools_list: Option<ToolsListMeta>,
}

/// The tool list of a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct ToolsListMeta {
    /// Of the raw `tools` arrays, pages joined.
    pub bytes: u64,
    pub sha256: String,
    pub tools: Vec<ToolMeta>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct ToolMeta {
    pub name: String,
    /// Of the tool's canonical JSON.
    pub sha256: String,
    pub description_sha256: String,
    pub arguments: Vec<String>,
    pub required: Vec<String>,
    pub read_only: Option<bool>,
    /// As it was listed: a later run that takes this one as its baseline infers from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<serde_json::Value>,
}

impl RunMeta {
    /// Every (side, attempt) of a case that must have a record, in the order of the tables.
    pub fn planned(&self, id: &str) -> Vec<(Side, u32)> {
        if self.cases.get(id).is_none_or(|case| case.skipped) {
            return Vec::new();
        }
        let is_in = |ids: fn(&BaselineRun) -> &Vec<String>| {
            self.baseline_run
                .as_ref()
                .is_some_and(|stored| ids(stored).binary_search_by(|one| one.as_str().cmp(id)).is_ok())
        };
        let (is_new, is_gone) = (is_in(|stored| &stored.cases_new), is_in(|stored| &stored.cases_gone));
        let same_code = (1..=self.same_code).map(Side::SameCode);
        let sides = [Side::Baseline, Side::Candidate].into_iter().chain(same_code);
        let has_side = |side: &Side| if side.is_baseline_code() { !is_new } else { !is_gone };
        let mut planned: Vec<(Side, u32)> = sides
            .filter(has_side)
            .flat_map(|side| (1..=self.attempts).map(move |attempt| (side, attempt)))
            .collect();
        planned.extend((self.candidate_again && !is_gone).then_some((Side::CandidateAgain, 1)));
        planned
    }

    /// The run as its own cases alone: those of its shard.
    pub fn of_its_cases(mut self) -> Self {
        if let Some(shard) = self.shard {
            let own = shard.ids(self.cases.keys(), self.seed);
            self.cases.retain(|id, _| own.contains(id));
            let note = format!("this is shard {shard} alone: `merge` judges all of them together");
            self.warnings.push(note);
        }
        self
    }
}

/// Sides as keys of `run.json`.
pub fn side_key(side: Side) -> String {
    side.to_string()
}
