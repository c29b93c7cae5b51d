//! The attempts of any harness in one CSV file.

use super::super::{Failure, Printer};
use super::show::show;
use crate::cli::{self, CompareArgs};
use crate::exit::ExitCode;
use crate::foreign::{self, Foreign, SideNames, Wanted};
use crate::metric::side_facts::SideFacts;
use crate::metric::{AttemptTable, Collected};
use crate::report::{self, Measured};
use crate::stats::bootstrap::RESAMPLES;
use crate::stats::sample::Pairing;
use crate::suite::Rule;
use crate::trace::{
    ClientMeta, FORMAT_VERSION, GateSettings, Journal, MissingPolicy, RunMeta, RunStatus, SideMeta, side_key,
};
use crate::verdict::Settings;
use crate::words::{OnOversized, ReplayMode, Side, Status};
use std::path::Path;

/// The seed of suites without one, and so of files.
const SEED: u64 = 7;

pub(super) fn compare(path: &Path, args: &CompareArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let foreign = read(path, &args.foreign)?;
    let rules: Vec<Rule> = args.foreign.metric.iter().filter_map(|declared| declared.rule()).collect();
    let gate = GateSettings {
        missing: match args.judge.missing {
            Some(cli::MissingChoice::AsWorst) => MissingPolicy::AsWorst,
            Some(cli::MissingChoice::OkOnly) | None => MissingPolicy::OkOnly,
        },
        ..super::super::meta::gate(&args.judge)
    };
    let seed = args.seed.unwrap_or(SEED);
    let resamples = args.resamples.unwrap_or(RESAMPLES as u32);
    let measured = measured(foreign, rules, gate, (seed, resamples), args.question);
    let report = report::judge(measured, &[]).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    show(&report, args.out.as_deref(), args, printer)
}

/// Reads a file by the flags that say what its columns and sides are.
pub(in crate::commands) fn read(path: &Path, flags: &cli::ForeignFlags) -> Result<Foreign, Failure> {
    let sides = SideNames {
        baseline: flags.baseline.clone(),
        candidate: flags.candidate.clone(),
        same_code: flags.same_code.clone(),
    };
    let wanted = Wanted { sides, metrics: flags.metric.clone() };
    foreign::read(path, &wanted).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))
}

/// The numbers of a file as a run would have given them.
pub(in crate::commands) fn measured(
    foreign: Foreign,
    rules: Vec<Rule>,
    gate: GateSettings,
    (seed, resamples): (u64, u32),
    question: crate::words::Question,
) -> Measured {
    let Foreign { table, names, has_recordings, notes } = foreign;
    let mut meta = meta(&table, &names, rules, gate, (seed, resamples));
    meta.warnings = notes;
    meta.warnings.push("comparability not checked: a file holds no hashes of cases or client".to_owned());
    let settings = Settings {
        // With a recording each, attempts of one number are pairs.
        pairing: if has_recordings { Pairing::SameAttempt } else { Pairing::SideMeans },
        question,
        ..report::settings(&meta)
    };
    let mut collected = Collected::default();
    for row in &table.rows {
        count(collected.sides.entry(row.side).or_default(), row.status, row.needs);
    }
    let journal = Journal::without_records(table.cases.len());
    collected.table = table;
    Measured { meta, journal, collected, settings, missing: Vec::new(), confirmation: None, is_foreign: true }
}

fn count(facts: &mut SideFacts, status: Status, needs: Option<(u32, u32)>) {
    match status {
        Status::Ok => {
            facts.ok_attempts += 1;
            let (met, total) = needs.unwrap_or_default();
            facts.needs_met += u64::from(met);
            facts.needs_total += u64::from(total);
        }
        Status::Failed => facts.failed_attempts += 1,
        Status::Infrastructure => facts.infrastructure_attempts += 1,
    }
}

fn meta(
    table: &AttemptTable,
    names: &[(Side, String)],
    rules: Vec<Rule>,
    gate: GateSettings,
    (seed, resamples): (u64, u32),
) -> RunMeta {
    let rules_note = rules.is_empty().then(|| {
        "nothing was gated: no --metric NAME:UNIT:lower|higher:guardrail[:MARGIN] makes a rule".to_owned()
    });
    let side = |name: &String| SideMeta { server_name: Some(name.clone()), ..SideMeta::default() };
    RunMeta {
        format_version: FORMAT_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: String::new(),
        status: RunStatus::Complete,
        started_at: String::new(),
        argv: Vec::new(),
        cwd: String::new(),
        seed,
        attempts: most_attempts(table),
        same_code: names.iter().filter(|(side, _)| matches!(side, Side::SameCode(_))).count() as u32,
        candidate_again: names.iter().any(|(side, _)| *side == Side::CandidateAgain),
        a_a: false,
        replay: ReplayMode::Adaptive,
        on_oversized: OnOversized::RetrySmaller,
        resamples,
        suite_path: String::new(),
        suite_sha256: String::new(),
        cases: std::collections::BTreeMap::new(),
        client: ClientMeta {
            profile: String::new(),
            sha256: String::new(),
            unit: String::new(),
            limit: None,
            token_estimator: String::new(),
        },
        protocol: String::new(),
        rules,
        gate,
        rules_note,
        sides: names.iter().map(|(of, name)| (side_key(*of), side(name))).collect(),
        shard: None,
        baseline_run: None,
        confirm: None,
        warnings: Vec::new(),
    }
}

/// The most attempts that a case has on baseline or candidate.
fn most_attempts(table: &AttemptTable) -> u32 {
    let same =
        |a: &crate::metric::AttemptRow, b: &crate::metric::AttemptRow| (a.case, a.side) == (b.case, b.side);
    table.rows.chunk_by(same).map(|rows| rows.len() as u32).max().unwrap_or(0)
}
