//! How the tool lists of two sides differ.

use crate::suite::Require;
use crate::trace::{ToolMeta, ToolsListMeta};
use serde::Serialize;
use std::collections::BTreeMap;

/// The candidate's list against the baseline's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolsComparison {
    pub baseline_bytes: u64,
    pub candidate_bytes: u64,
    pub baseline_sha256: String,
    pub candidate_sha256: String,
    /// The bytes are equal.
    pub identical: bool,
    /// The bytes differ, and yet the same tools stand in both: only their order or spelling changed.
    pub only_order: bool,
    /// Nothing was removed and no argument became required.
    pub compatible: bool,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<ChangedTool>,
}

/// A tool that both sides list, with another definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedTool {
    pub name: String,
    pub description_changed: bool,
    pub arguments_added: Vec<String>,
    pub arguments_removed: Vec<String>,
    /// Arguments that the candidate requires and the baseline does not.
    pub required_added: Vec<String>,
    pub required_removed: Vec<String>,
}

impl ToolsComparison {
    pub fn of(baseline: &ToolsListMeta, candidate: &ToolsListMeta) -> Self {
        let (base, cand) = (by_name(baseline), by_name(candidate));
        let added: Vec<String> = missing_in(&base, &cand);
        let removed: Vec<String> = missing_in(&cand, &base);
        let changed: Vec<ChangedTool> = base
            .iter()
            .filter_map(|(name, old)| Some((old, cand.get(name)?)))
            .filter(|(old, new)| old.sha256 != new.sha256)
            .map(|(old, new)| ChangedTool::of(old, new))
            .collect();
        let identical = (baseline.bytes, &baseline.sha256) == (candidate.bytes, &candidate.sha256);
        let same_length = baseline.tools.len() == candidate.tools.len();
        Self {
            baseline_bytes: baseline.bytes,
            candidate_bytes: candidate.bytes,
            baseline_sha256: baseline.sha256.clone(),
            candidate_sha256: candidate.sha256.clone(),
            identical,
            only_order: !identical
                && same_length
                && added.is_empty()
                && removed.is_empty()
                && changed.is_empty(),
            compatible: removed.is_empty()
                && changed.iter().all(|c| c.arguments_removed.is_empty() && c.required_added.is_empty()),
            added,
            removed,
            changed,
        }
    }

    /// What differs, in one line; names as the servers gave them.
    pub fn in_words(&self) -> String {
        if self.identical {
            return "byte-identical".to_owned();
        }
        if self.only_order {
            return "only the order or the spelling changed".to_owned();
        }
        let mut parts = Vec::new();
        for (word, names) in [("added", &self.added), ("removed", &self.removed)] {
            if !names.is_empty() {
                parts.push(format!("{word} {}", names.join(" ")));
            }
        }
        parts.extend(self.changed.iter().map(|tool| format!("changed {} ({})", tool.name, tool.what())));
        if parts.is_empty() { "the bytes differ".to_owned() } else { parts.join("; ") }
    }

    /// Whether the lists satisfy a rule.
    pub fn satisfies(&self, require: Require) -> bool {
        match require {
            Require::Identical => self.identical,
            Require::SameTools => self.identical || self.only_order,
            Require::Compatible => self.compatible,
        }
    }
}

impl ChangedTool {
    fn of(old: &ToolMeta, new: &ToolMeta) -> Self {
        Self {
            name: old.name.clone(),
            description_changed: old.description_sha256 != new.description_sha256,
            arguments_added: without(&new.arguments, &old.arguments),
            arguments_removed: without(&old.arguments, &new.arguments),
            required_added: without(&new.required, &old.required),
            required_removed: without(&old.required, &new.required),
        }
    }

    /// What changed, in words; `definition` when it is none of the known parts.
    pub fn what(&self) -> String {
        let mut parts = Vec::new();
        if self.description_changed {
            parts.push("description".to_owned());
        }
        for (word, names) in [
            ("new argument", &self.arguments_added),
            ("argument gone", &self.arguments_removed),
            ("now required", &self.required_added),
            ("no longer required", &self.required_removed),
        ] {
            if !names.is_empty() {
                parts.push(format!("{word} {}", names.join(" ")));
            }
        }
        if parts.is_empty() { "definition".to_owned() } else { parts.join(", ") }
    }
}

/// Of tools with one name the first counts, as for a client that looks a tool up.
fn by_name(list: &ToolsListMeta) -> BTreeMap<&str, &ToolMeta> {
    list.tools.iter().rev().map(|tool| (tool.name.as_str(), tool)).collect()
}

fn missing_in(here: &BTreeMap<&str, &ToolMeta>, there: &BTreeMap<&str, &ToolMeta>) -> Vec<String> {
    there.keys().filter(|name| !here.contains_key(*name)).map(|name| (*name).to_owned()).collect()
}

fn without(names: &[String], others: &[String]) -> Vec<String> {
    names.iter().filter(|name| !others.contains(name)).cloned().collect()
}
