//! `runs.jsonl`: what every round said, so that looking again until it is flat does not go unseen.
//!
//! History depends on what else stands in the results folder, so it is for the terminal, and in none of
//! the files that two equal runs must write alike.

use super::Failure;
use super::printer::harmless;
use crate::report::{Report, drift_is_seen};
use crate::stats::spread::Drift;
use crate::text::sha256_hex;
use crate::trace::{RunMeta, side_key};
use crate::words::Side;
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

const FILE: &str = "runs.jsonl";
/// Earlier rounds that are spelled out.
const SHOWN: usize = 5;

/// One line of `runs.jsonl`. What an older version did not write is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Round {
    format_version: u32,
    run_id: String,
    started_at: String,
    suite_sha256: String,
    client_sha256: String,
    baseline: Option<String>,
    /// Tells baselines apart: of revision and changes, else of the command.
    #[serde(default)]
    baseline_sha256: String,
    candidate: Option<String>,
    #[serde(default)]
    cases: usize,
    #[serde(default)]
    attempts: u32,
    #[serde(default)]
    same_code: u32,
    verdict: String,
    exit_code: u8,
    /// By metric, over all cases; nothing where the noise of the same code is zero or not known.
    #[serde(default)]
    drift: BTreeMap<String, KeptDrift>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct KeptDrift {
    q: f64,
    df: usize,
}

impl Round {
    pub fn of(report: &Report) -> Self {
        let meta = &report.meta;
        let revision = |side| meta.sides.get(&side_key(side)).and_then(|side| side.revision.clone());
        let table = &report.collected.table;
        let drifts = report.splits[0].metrics.iter().filter_map(|row| {
            let Drift { q, df } = row.drift?;
            Some((table.metrics[row.metric].name.clone(), KeptDrift { q, df }))
        });
        Self {
            format_version: meta.format_version,
            run_id: meta.run_id.clone(),
            started_at: meta.started_at.clone(),
            suite_sha256: meta.suite_sha256.clone(),
            client_sha256: meta.client.sha256.clone(),
            baseline: revision(Side::Baseline),
            baseline_sha256: baseline_sha256(meta),
            candidate: revision(Side::Candidate),
            cases: meta.cases.len(),
            attempts: meta.attempts,
            same_code: meta.same_code,
            verdict: report.gate.verdict.as_str().to_owned(),
            exit_code: report.gate.exit as u8,
            drift: drifts.collect(),
        }
    }

    /// Appends the round, with one write.
    pub fn keep(&self, out: &Path) -> Result<(), Failure> {
        let mut line = serde_json::to_string(self)
            .map_err(|error| Failure::new(crate::exit::ExitCode::Internal, error))?;
        line.push('\n');
        let mut file = fs::OpenOptions::new().create(true).append(true).read(true).open(out.join(FILE))?;
        if !ends_with_line_feed(&mut file)? {
            // A kill cut the last line: it is lost, and takes no other with it.
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes())?;
        Ok(())
    }

    fn is_of_suite(&self, other: &Self) -> bool {
        (&self.suite_sha256, &self.client_sha256) == (&other.suite_sha256, &other.client_sha256)
    }

    fn said(&self) -> String {
        let day = self.started_at.get(..10).unwrap_or(&self.started_at);
        let candidate = self.candidate.as_ref().map_or_else(String::new, |revision| format!("{revision}, "));
        format!("{} ({candidate}{day})", self.verdict)
    }
}

/// Whether a file is empty or its last line is whole.
pub(super) fn ends_with_line_feed(file: &mut fs::File) -> std::io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn baseline_sha256(meta: &RunMeta) -> String {
    let Some(side) = meta.sides.get(&side_key(Side::Baseline)) else { return String::new() };
    sha256_hex(match &side.revision {
        Some(revision) => {
            format!("revision\n{revision}\n{}", side.diff_sha256.as_deref().unwrap_or_default())
        }
        None => format!("command\n{}", side.command_sha256),
    })
}

/// The rounds before one, and lines that could not be read.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// Of the same suite and client profile, oldest first, each run once.
    rounds: Vec<Round>,
    unreadable: usize,
}

impl Earlier {
    /// Reads what is kept beside the folders of the runs. A file that is not there is no history.
    pub fn than(round: &Round, out: &Path) -> Result<Self, Failure> {
        let text = match fs::read(out.join(FILE)) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        let key = |round: &Round| (round.started_at.clone(), round.run_id.clone());
        let mut unreadable = 0;
        let mut rounds = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str::<Round>(line) {
                // A run that was judged again stands there twice: the later word counts.
                Ok(line) => _ = rounds.insert(key(&line), line),
                Err(_) => unreadable += 1,
            }
        }
        let end = key(round);
        let before = rounds.into_iter().filter(|(key, line)| *key < end && line.is_of_suite(round));
        Ok(Self { rounds: before.map(|(_, line)| line).collect(), unreadable })
    }

    /// The lines that a person sees below the table.
    pub fn lines(&self, round: &Round) -> Vec<String> {
        let mut lines = vec![self.rounds_said(round)];
        lines.extend(self.drift(round));
        if self.unreadable > 0 {
            lines.push(format!("{FILE}: {} lines are no rounds and were left out", self.unreadable));
        }
        lines.iter().map(|line| harmless(line)).collect()
    }

    fn rounds_said(&self, round: &Round) -> String {
        let same: Vec<&Round> =
            self.rounds.iter().filter(|line| line.baseline_sha256 == round.baseline_sha256).collect();
        let lead = format!("round {} of this suite against this baseline", same.len() + 1);
        if same.is_empty() {
            return lead;
        }
        let said: Vec<String> = same.iter().rev().take(SHOWN).map(|line| line.said()).collect();
        let more = match same.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{lead}; the earlier ones, latest first: {}{more}", said.join(", "))
    }

    /// Q and its degrees of freedom, summed over the rounds of this suite and client; nothing for a first
    /// round, whose own report says it.
    fn drift(&self, round: &Round) -> Option<String> {
        let mut sums = BTreeMap::<&str, (f64, usize, usize)>::new();
        for line in self.rounds.iter().chain([round]) {
            for (metric, kept) in &line.drift {
                let sum = sums.entry(metric).or_default();
                *sum = (sum.0 + kept.q, sum.1 + kept.df, sum.2 + 1);
            }
        }
        let seen: Vec<String> = sums
            .into_iter()
            .filter(|(_, (.., rounds))| *rounds > 1)
            .filter_map(|(metric, (q, df, rounds))| {
                let p = drift_is_seen(Drift { q, df })?;
                Some(format!("{} (Q {q:.1}, {df} df, p {p:.4}, {rounds} rounds)", metric.replace('_', " ")))
            })
            .collect();
        (!seen.is_empty()).then(|| {
            format!(
                "warning: over these rounds whole runs of the same code differ by more than their attempts explain: {}; judge by 4 same-code runs or more",
                seen.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(run_id: &str, verdict: &str, baseline: &str, q: f64) -> Round {
        Round {
            format_version: 1,
            run_id: run_id.to_owned(),
            started_at: format!("2026-11-{run_id}T10:00:00Z"),
            suite_sha256: "s".to_owned(),
            client_sha256: "c".to_owned(),
            baseline: None,
            baseline_sha256: baseline.to_owned(),
            candidate: Some("0043".to_owned()),
            cases: 3,
            attempts: 4,
            same_code: 1,
            verdict: verdict.to_owned(),
            exit_code: 0,
            drift: BTreeMap::from([("read_calls".to_owned(), KeptDrift { q, df: 1 })]),
        }
    }

    #[test]
    fn rounds_count_by_baseline_and_drift_by_suite() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        let third = round("03", "pass", "b", 5.0);
        assert_eq!(
            Earlier::than(&third, out).unwrap().lines(&third),
            ["round 1 of this suite against this baseline"]
        );
        let other_client = Round { client_sha256: "d".to_owned(), ..round("02", "regression", "b", 90.0) };
        for line in [
            round("01", "inconclusive", "b", 3.0),
            round("01", "regression", "b", 3.0),
            other_client,
            round("02", "pass", "another", 4.0),
            third.clone(),
            round("04", "regression", "b", 99.0),
        ] {
            line.keep(out).unwrap();
        }
        let kept = std::fs::read_to_string(out.join(FILE)).unwrap();
        std::fs::write(out.join(FILE), format!("{kept}{{\"run_id\": \"cut\n")).unwrap();
        // Q of 3 + 4 + 5 with 3 degrees of freedom has p .0074; that of the later round is not known yet.
        assert_eq!(
            Earlier::than(&third, out).unwrap().lines(&third),
            [
                "round 2 of this suite against this baseline; the earlier ones, latest first: regression (0043, 2026-11-01)",
                "warning: over these rounds whole runs of the same code differ by more than their attempts explain: \
                 read calls (Q 12.0, 3 df, p 0.0074, 3 rounds); judge by 4 same-code runs or more",
                "runs.jsonl: 1 lines are no rounds and were left out"
            ]
        );
    }
}
