//! Sides of several stored runs, put together as if one run had made them.

use super::MissingAttempt;
use crate::metric::case_order;
use crate::trace::{CaseMeta, Journal, JournalError, RunMeta, side_key};
use crate::words::Side;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A stored run, and which of its sides play which.
#[derive(Debug, Clone)]
pub struct Part {
    pub meta: RunMeta,
    pub journals: Vec<PathBuf>,
    /// (side of the run, side that it plays); a side may play one part only.
    pub plays: Vec<(Side, Side)>,
}

/// Why runs must not be compared: one line a difference.
pub fn differences(reference: &RunMeta, other: &RunMeta) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, a: &str, b: &str| {
        if a != b {
            found.push(format!("{what}: `{a}` and `{b}`"));
        }
    };
    differ("client profile", &reference.client.profile, &other.client.profile);
    differ("hash of the client profile", short(&reference.client.sha256), short(&other.client.sha256));
    differ("protocol", &reference.protocol, &other.protocol);
    differ("on_oversized", reference.on_oversized.as_str(), other.on_oversized.as_str());
    differ("format version", &reference.format_version.to_string(), &other.format_version.to_string());
    let changed: Vec<&str> = reference
        .cases
        .iter()
        .filter(|(id, case)| other.cases.get(*id).is_some_and(|twin| twin.sha256 != case.sha256))
        .map(|(id, _)| id.as_str())
        .collect();
    if !changed.is_empty() {
        const SHOWN: usize = 5;
        let names: Vec<String> = changed.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
        let more = if changed.len() > SHOWN { ", ..." } else { "" };
        found.push(format!("{} with another hash in each run: {}{more}", changed.len(), names.join(", ")));
    }
    found
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// The cases of both runs. Where both hold one, its meta is the other's.
fn cases_of_both(reference: &RunMeta, other: &RunMeta) -> BTreeMap<String, CaseMeta> {
    let mut cases = other.cases.clone();
    for (id, case) in &reference.cases {
        cases
            .entry(id.clone())
            .and_modify(|twin| twin.skipped &= case.skipped)
            .or_insert_with(|| case.clone());
    }
    cases
}

/// One run made of parts: the first holds the baseline, the second the candidate, the rest further
/// sides of the same code.
///
/// # Errors
/// When a journal cannot be read.
pub fn joined(parts: &[Part]) -> Result<(RunMeta, Journal, Vec<MissingAttempt>), JournalError> {
    let (reference, other) = (&parts[0].meta, &parts[parts.len().min(2) - 1].meta);
    let mut meta = other.clone();
    meta.cases = cases_of_both(reference, other);
    meta.attempts = parts.iter().map(|part| part.meta.attempts).max().unwrap_or(other.attempts);
    meta.a_a = false;
    meta.confirm = None;
    meta.warnings.clear();
    meta.sides.clear();
    for (part, (from, to)) in parts.iter().flat_map(|part| part.plays.iter().map(move |play| (part, play))) {
        // A repeat has no meta of its own: it is the side that it repeats.
        let source = if from.is_baseline_code() { Side::Baseline } else { Side::Candidate };
        let side = part.meta.sides.get(&side_key(*from)).or_else(|| part.meta.sides.get(&side_key(source)));
        meta.sides.insert(side_key(*to), side.cloned().unwrap_or_default());
    }
    let plays: Vec<(Side, Side)> = parts.iter().flat_map(|part| part.plays.iter().copied()).collect();
    meta.same_code = plays.iter().filter(|(_, to)| matches!(to, Side::SameCode(_))).count() as u32;
    meta.candidate_again = plays.iter().any(|(_, to)| *to == Side::CandidateAgain);
    let ids: Vec<String> = case_order(&meta).into_iter().map(|(id, _)| id.clone()).collect();
    let mut paths = Vec::new();
    let mut owners = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        paths.extend(part.journals.iter().cloned());
        owners.extend(part.journals.iter().map(|_| place));
    }
    let plays = |file: usize, side: Side| {
        let plays = &parts[owners[file]].plays;
        plays.iter().find(|(from, _)| *from == side).map(|(_, to)| *to)
    };
    let journal = Journal::open_as(paths, &ids, &plays)?;
    let missing = missing(parts, &ids, &journal);
    Ok((meta, journal, missing))
}

/// Attempts that a part planned and has no record of. What the other run did not plan is not missing.
fn missing(parts: &[Part], ids: &[String], journal: &Journal) -> Vec<MissingAttempt> {
    let mut missing = Vec::new();
    for (place, id) in ids.iter().enumerate() {
        for part in parts {
            let planned = part.meta.cases.get(id).is_some_and(|case| !case.skipped);
            let sides = part.plays.iter().map(|(_, to)| *to);
            let counted = sides.filter(|side| !matches!(side, Side::CandidateAgain | Side::BaselineAgain));
            for side in counted.filter(|_| planned) {
                let absent = (1..=part.meta.attempts).filter(|attempt| !journal.has(place, side, *attempt));
                missing.extend(absent.map(|attempt| MissingAttempt { case_id: id.clone(), side, attempt }));
            }
        }
    }
    missing
}
