//! `run.json`: what a run is made of, and whether a stored one is the same.

use super::Failure;
use super::resolve::{Selected, Settings};
use super::side::{ResolvedSide, ResolvedSides};
use super::stored::Stored;
use crate::cli::{self, RunArgs};
use crate::exit::ExitCode;
use crate::run::{Prepared, PreparedSide};
use crate::suite::{effective_rules, redact_own_argv};
use crate::text::sha256_hex;
use crate::trace::{
    CaseMeta, ClientMeta, ConfirmMeta, FORMAT_VERSION, FailOn, GateSettings, MissingPolicy, RunMeta,
    RunStatus, SideMeta, side_key,
};
use crate::words::Side;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};

/// Everything that is known when a run is about to start.
pub(super) struct Context<'c> {
    pub args: &'c RunArgs,
    pub selected: &'c Selected,
    pub settings: &'c Settings,
    pub sides: &'c ResolvedSides,
    /// A stored run that stands for the baseline.
    pub baseline: Option<&'c Stored>,
    pub prepared: &'c Prepared,
    pub skipped: &'c HashSet<String>,
    pub warnings: Vec<String>,
}

/// The record of a new run.
///
/// # Errors
/// When a stored baseline was not measured in the same way.
pub(super) fn new(context: &Context<'_>) -> Result<RunMeta, Failure> {
    let Context { args, selected, settings, sides, prepared, skipped, .. } = context;
    let (rules, rules_note) = effective_rules(&selected.suite);
    let started = Timestamp::now();
    let argv: Vec<String> = std::env::args().collect();
    let mut side_metas = BTreeMap::new();
    side_metas.insert(side_key(Side::Baseline), side_meta(&sides.baseline, &prepared.baseline));
    side_metas.insert(side_key(Side::Candidate), side_meta(&sides.candidate, &prepared.candidate));
    let mut meta = RunMeta {
        format_version: FORMAT_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: run_id(started, sides, &argv),
        status: RunStatus::Started,
        started_at: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        argv: redact_own_argv(&argv),
        cwd: std::env::current_dir().map(|cwd| cwd.display().to_string()).unwrap_or_default(),
        seed: settings.seed,
        attempts: settings.attempts,
        same_code: settings.same_code,
        candidate_again: true,
        a_a: sides.a_a,
        replay: settings.replay.mode,
        on_oversized: settings.replay.on_oversized,
        resamples: settings.resamples,
        suite_path: selected.suite.file.as_deref().unwrap_or(&selected.suite.dir).display().to_string(),
        suite_sha256: selected.suite.sha256.clone(),
        cases: cases(selected, skipped),
        shard: settings.shard,
        baseline_run: None,
        client: ClientMeta {
            profile: settings.profile.id.clone(),
            sha256: settings.profile.sha256(),
            unit: settings.profile.unit().to_string(),
            limit: settings.profile.limit_in_unit(),
            token_estimator: settings.profile.estimator.name(),
        },
        protocol: settings.profile.protocol.clone(),
        rules,
        gate: gate(&args.judge),
        rules_note,
        sides: side_metas,
        confirm: args.confirm_flips.then(ConfirmMeta::default),
        warnings: context.warnings.clone(),
    };
    if let Some(stored) = context.baseline {
        let selects_all = selected.cases.len() == selected.cases_in_all;
        stored.join(&mut meta, settings, selects_all)?;
    }
    Ok(meta)
}

/// How verdicts become an exit code, by the flags.
pub(super) fn gate(flags: &cli::JudgeFlags) -> GateSettings {
    GateSettings {
        missing: match flags.missing {
            Some(cli::MissingChoice::OkOnly) => MissingPolicy::OkOnly,
            Some(cli::MissingChoice::AsWorst) | None => MissingPolicy::AsWorst,
        },
        fail_on: match flags.fail_on {
            cli::FailOn::Regression => FailOn::Regression,
            cli::FailOn::Inconclusive => FailOn::Inconclusive,
        },
        warn_only: flags.warn_only,
    }
}

fn cases(selected: &Selected, skipped: &HashSet<String>) -> BTreeMap<String, CaseMeta> {
    let one = |case: &crate::case::Case| {
        let recorded = case.recordings.iter().filter_map(|r| Some((r.id.clone(), r.recorded?)));
        let meta = CaseMeta {
            sha256: case.sha256.clone(),
            split: case.split,
            cluster: case.cluster.clone(),
            skipped: skipped.contains(&case.id),
            recorded: recorded.collect(),
        };
        (case.id.clone(), meta)
    };
    selected.cases.iter().map(one).collect()
}

fn side_meta(side: &ResolvedSide, prepared: &PreparedSide) -> SideMeta {
    SideMeta {
        server_name: Some(prepared.server_name.clone()),
        server_version: Some(prepared.server_version.clone()),
        protocol: Some(prepared.protocol.clone()),
        tools_list: Some(prepared.tools_list.clone()),
        ..side.meta.clone()
    }
}

/// `<utc>-<candidate>-<4 hex>`: names sort by the time of the start.
fn run_id(started: Timestamp, sides: &ResolvedSides, argv: &[String]) -> String {
    let candidate = sides
        .candidate
        .meta
        .revision
        .as_deref()
        .map_or("local", |revision| &revision[..revision.len().min(7)]);
    let unique = format!("{argv:?}{}{}", started.as_nanosecond(), std::process::id());
    format!("{}-{candidate}-{}", started.strftime("%Y%m%dT%H%M%SZ"), &sha256_hex(unique)[..4])
}

/// What every attempt depends on beside its case, as one hash.
pub(super) fn inputs(settings: &Settings) -> String {
    sha256_hex(format!("{}\n{:?}\n{}", settings.profile.sha256(), settings.replay, settings.seed))
}

/// A stored run goes on only with the same cases, client profile and settings.
pub(super) fn require_same(stored: &RunMeta, context: &Context<'_>) -> Result<(), Failure> {
    let now = new(context)?;
    let stored_run = |meta: &RunMeta| {
        meta.baseline_run.as_ref().map(|stored| (stored.run_id.clone(), stored.side.clone()))
    };
    let differs = [
        ("suite file", stored.suite_sha256 == now.suite_sha256),
        ("cases", stored.cases == now.cases),
        ("client profile", stored.client.sha256 == now.client.sha256),
        ("protocol", stored.protocol == now.protocol),
        ("seed", stored.seed == now.seed),
        ("shard", stored.shard == now.shard),
        ("baseline", stored.a_a == now.a_a && stored_run(stored) == stored_run(&now)),
        ("attempts", stored.attempts == now.attempts && stored.same_code == now.same_code),
        ("reaction to oversized results", stored.on_oversized == now.on_oversized),
        ("version of mcp-regress", stored.tool_version == now.tool_version),
    ];
    let differs: Vec<&str> = differs.iter().filter(|(_, same)| !same).map(|(what, _)| *what).collect();
    if differs.is_empty() {
        return Ok(());
    }
    let message =
        format!("the stored run can't be resumed: {} changed since it was started", differs.join(", "));
    Err(Failure::new(ExitCode::NotComparable, message).hint("start a new run, or bring back what changed"))
}
