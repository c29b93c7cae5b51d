//! `--baseline-run`: a side of a stored run stands for the baseline, which then is not started.

use super::Failure;
use super::resolve::Settings;
use super::results::{self, RunFolder};
use super::side::{ResolvedSide, ResolvedSides};
use crate::agent::SideTool;
use crate::exit::ExitCode;
use crate::metric::case_order;
use crate::report::across;
use crate::run::{JournalWriter, PreparedSide, Sync};
use crate::suite::{Suite, side_definition};
use crate::trace::{BaselineRun, Bodies, Journal, RunMeta, RunStatus, SideMeta, ToolMeta, side_key};
use crate::words::Side;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// A stored run, and which of its sides is the baseline.
pub(super) struct Stored {
    folder: RunFolder,
    meta: RunMeta,
    side: Side,
}

impl Stored {
    /// The run that RUN[:SIDE] names; the side is `candidate` unless it is named, since a job on the main branch
    /// measures main as its candidate.
    pub fn find(named: &str, out: &Path) -> Result<Self, Failure> {
        let split = named.rsplit_once(':').and_then(|(run, word)| Some((run, Side::parse(word)?)));
        let (run, side) = split.unwrap_or((named, Side::Candidate));
        let folder = results::find(out, Some(Path::new(run))).map_err(|failure| {
            Failure::new(ExitCode::NotComparable, format!("the baseline is missing: {}", failure.message)).hint(
                "name a run's folder, or its name under --out; --if-no-baseline says what to do without one",
            )
        })?;
        let meta = folder.read_meta()?;
        let is_there = match side {
            Side::SameCode(k) => k <= meta.same_code,
            Side::Baseline | Side::Candidate => true,
            Side::CandidateAgain | Side::BaselineAgain => false,
        };
        if !is_there {
            return Err(Failure::usage(format!(
                "`{named}`: that run has no side `{side}` to stand for a baseline"
            )));
        }
        Ok(Self { folder, meta, side })
    }

    /// Which of its sides plays which. A baseline's code brings its further runs along; of any other side the
    /// repeat of attempt 1 tells how far it repeats itself.
    fn plays(&self) -> Vec<(Side, Side)> {
        let mut plays = vec![(self.side, Side::Baseline)];
        if self.side == Side::Candidate {
            plays.push((Side::CandidateAgain, Side::BaselineAgain));
            return plays;
        }
        let sides = std::iter::once(Side::Baseline).chain((1..=self.meta.same_code).map(Side::SameCode));
        let further = sides.filter(|side| *side != self.side).zip(1..);
        plays.extend(further.map(|(side, k)| (side, Side::SameCode(k))));
        plays.push((Side::BaselineAgain, Side::BaselineAgain));
        plays
    }

    /// Further runs of the baseline's code that the run brings along.
    pub fn same_code(&self) -> u32 {
        self.plays().iter().filter(|(_, to)| matches!(to, Side::SameCode(_))).count() as u32
    }

    fn side_meta(&self) -> SideMeta {
        let code = if self.side.is_baseline_code() { Side::Baseline } else { Side::Candidate };
        self.meta.sides.get(&side_key(code)).cloned().unwrap_or_default()
    }

    /// Both sides of a run whose candidate alone is started.
    pub fn with_candidate(&self, suite: &Suite, candidate: ResolvedSide) -> Result<ResolvedSides, Failure> {
        let renames =
            side_definition(suite, Side::Baseline)?.map(|side| side.config.renames).unwrap_or_default();
        let mut meta = self.side_meta();
        meta.revision_age_s = meta.revision_age_s.map(|age| age + self.age_s(Timestamp::now()));
        let baseline = ResolvedSide {
            spec: candidate.spec.clone(),
            meta,
            renames,
            warnings: Vec::new(),
            checkout: None,
        };
        Ok(ResolvedSides { baseline, candidate, a_a: false })
    }

    /// What its server said when it ran.
    pub fn prepared(&self) -> PreparedSide {
        let side = self.side_meta();
        let tools_list = side.tools_list.unwrap_or_default();
        PreparedSide {
            server_name: side.server_name.unwrap_or_default(),
            server_version: side.server_version.unwrap_or_default(),
            protocol: side.protocol.unwrap_or_default(),
            tools: tools_list.tools.iter().map(side_tool).collect(),
            tools_list,
            warnings: Vec::new(),
        }
    }

    /// Refuses what is not measured in the same way, and notes which run stands for the baseline.
    pub fn join(&self, now: &mut RunMeta, settings: &Settings, selects_all: bool) -> Result<(), Failure> {
        let mut differences = across::differences(&self.meta, now);
        for (what, stored, now) in [
            ("attempts", u64::from(self.meta.attempts), u64::from(settings.attempts)),
            ("seed", self.meta.seed, settings.seed),
        ] {
            if stored != now {
                differences.push(format!("{what}: `{stored}` and `{now}`"));
            }
        }
        if !differences.is_empty() {
            let message = format!(
                "the stored run `{}` is no baseline of this run:\n  {}",
                self.meta.run_id,
                differences.join("\n  ")
            );
            return Err(Failure::new(ExitCode::NotComparable, message).hint(
                "make the baseline again with the same cases, client profile and settings, or measure both sides here",
            ));
        }
        let absent = |here: &RunMeta, there: &RunMeta| -> Vec<String> {
            here.cases.keys().filter(|id| !there.cases.contains_key(*id)).cloned().collect()
        };
        let cases_new = absent(now, &self.meta);
        // Of a selection, what it leaves out is not gone.
        let cases_gone = if selects_all { absent(&self.meta, now) } else { Vec::new() };
        for id in &cases_gone {
            now.cases.extend(self.meta.cases.get(id).map(|case| (id.clone(), case.clone())));
        }
        if self.meta.status == RunStatus::Started {
            now.warnings.push("the stored run that stands for the baseline is not complete".to_owned());
        }
        if self.meta.replay != now.replay {
            now.warnings.push(format!(
                "the baseline's recordings were sent {}, the candidate's {}",
                self.meta.replay, now.replay
            ));
        }
        now.same_code = self.same_code();
        now.baseline_run = Some(BaselineRun {
            run_id: self.meta.run_id.clone(),
            side: self.side.to_string(),
            started_at: self.meta.started_at.clone(),
            age_s: self.age_s(now.started_at.parse().unwrap_or_else(|_| Timestamp::now())),
            cases_new,
            cases_gone,
        });
        Ok(())
    }

    fn age_s(&self, now: Timestamp) -> i64 {
        let started = self.meta.started_at.parse::<Timestamp>();
        started.map_or(0, |started| now.as_second() - started.as_second())
    }

    /// Copies its attempts into the new run's journals, so that the new run can be reported without it. What
    /// is there already, after a run was cut, is not copied again.
    pub fn copy(&self, run: &RunFolder, meta: &RunMeta) -> Result<(), Failure> {
        let internal = |error: &dyn std::fmt::Display| Failure::new(ExitCode::Internal, error);
        let own: BTreeSet<String> = match meta.shard {
            Some(shard) => shard.ids(meta.cases.keys(), meta.seed),
            None => meta.cases.keys().cloned().collect(),
        };
        let ids: Vec<String> = case_order(meta).into_iter().map(|(id, _)| id.clone()).collect();
        let plays = self.plays();
        let role = |_: usize, side: Side| plays.iter().find(|(from, _)| *from == side).map(|(_, to)| *to);
        let stored = Journal::open_as(self.folder.journals()?, &ids, &role).map_err(|e| internal(&e))?;
        let here = Journal::open(&run.journals()?, &ids).map_err(|e| internal(&e))?;
        let (bodies, from) = (Bodies::of(&run.0), Bodies::of(&self.folder.0));
        let mut reader = stored.reader().map_err(|e| internal(&e))?;
        let writer = JournalWriter::open(&run.journal(meta.shard)?, Sync::EverySecond)?;
        for (place, _) in ids.iter().enumerate().filter(|(_, id)| own.contains(*id)) {
            for record in reader.case(place).map_err(|e| internal(&e))? {
                if !here.has(place, record.side, record.attempt) {
                    for sha256 in record.calls.iter().filter_map(|call| call.body_sha256.as_deref()) {
                        bodies.take(&from, sha256)?;
                    }
                    writer.append(record)?;
                }
            }
        }
        Ok(writer.finish()?)
    }
}

fn side_tool(tool: &ToolMeta) -> SideTool {
    SideTool {
        name: tool.name.clone(),
        input_schema: tool.input_schema.clone().unwrap_or(Value::Null),
        meta: Value::Null,
        read_only: tool.read_only,
    }
}
