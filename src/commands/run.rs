//! `run`: replay all cases on all sides, judge, report.

use super::resolve::{self, Selected, Settings};
use super::results::{self, RunFolder, ServiceLogs};
use super::side::{self, ResolvedSides};
use super::{Failure, Printer, confirm, hints, report};
use crate::agent::{Toolbox, tools_used};
use crate::case::Case;
use crate::cli::{Cli, Command, RunArgs, SideFlags};
use crate::commands::progress::Progress;
use crate::exit::ExitCode;
use crate::plan::{PlanShape, order_cases};
use crate::run::{self, Event, JournalWriter, PrepareError, Prepared, RunConfig, RunEnd, Sync};
use crate::trace::{Journal, RunMeta, RunStatus};
use crate::words::{Restart, Side};
use clap::Parser;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub(super) fn run(args: RunArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    match args.resume.clone() {
        Some(named) => resume(args, &named, printer),
        None => start(args, None, printer),
    }
}

/// Goes on with a stored run, by the flags that it was started with.
fn resume(args: RunArgs, named: &str, printer: &Printer) -> Result<ExitCode, Failure> {
    let out = out_of(&args);
    let (named, wanted) =
        if named.is_empty() { (None, Some(RunStatus::Started)) } else { (Some(PathBuf::from(named)), None) };
    let folder = match results::find(&out, named.as_deref(), wanted) {
        Ok(folder) => folder,
        Err(_) if named.is_none() && results::find(&out, None, None).is_ok() => {
            printer.note("nothing is left to resume: every run is complete; the last one is judged again");
            results::find(&out, None, None)?
        }
        Err(failure) => return Err(failure),
    };
    let meta = folder.read_meta()?;
    let again = Cli::try_parse_from(&meta.argv)
        .map_err(|error| Failure::usage(format!("the stored command can't be used again: {error}")))?;
    let Command::Run(mut stored) = again.command else {
        return Err(Failure::usage(format!("`{}` was not made by `run`", folder.0.display())));
    };
    stored.jobs = args.jobs.or(stored.jobs);
    give_again(&mut stored.sides, &args.sides)?;
    stored.confirm_flips |= args.confirm_flips || meta.confirm.is_some();
    stored.out = Some(out);
    std::env::set_current_dir(&meta.cwd)
        .map_err(|error| Failure::usage(format!("the run was started in `{}`: {error}", meta.cwd)))?;
    start(*stored, Some((folder, meta)), printer)
}

/// Takes commands and addresses from the flags of now: secrets in the stored ones were not written down.
fn give_again(stored: &mut SideFlags, now: &SideFlags) -> Result<(), Failure> {
    for (flag, stored, now) in [
        ("--baseline-cmd", &mut stored.baseline_cmd, &now.baseline_cmd),
        ("--candidate-cmd", &mut stored.candidate_cmd, &now.candidate_cmd),
        ("--baseline-url", &mut stored.baseline_url, &now.baseline_url),
        ("--candidate-url", &mut stored.candidate_url, &now.candidate_url),
    ] {
        if now.is_some() {
            stored.clone_from(now);
        }
        if stored.as_deref().is_some_and(|text| text.contains("***")) {
            let message = format!("`{flag}` of the stored run held a secret, which was not written down");
            return Err(Failure::usage(message).hint(format!("give `{flag}` once more beside --resume")));
        }
    }
    Ok(())
}

fn out_of(args: &RunArgs) -> PathBuf {
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("results"));
    std::path::absolute(&out).unwrap_or(out)
}

fn start(
    args: RunArgs,
    stored: Option<(RunFolder, RunMeta)>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let selected = resolve::select(&args.suite)?;
    selected.require_cases()?;
    let settings = resolve::settings(&selected, &args)?;
    let out = out_of(&args);
    let sides = side::resolve(&selected.suite, &args.sides, &out)?;
    if settings.restart != Restart::Attempt
        && [&sides.baseline, &sides.candidate].iter().any(|side| side.spec.mentions("{attempt_seed}"))
    {
        let message =
            format!("`{{attempt_seed}}` needs restart = \"attempt\", and restart is `{}`", settings.restart);
        return Err(
            Failure::usage(message).hint("leave out --restart, or set restart = \"attempt\" in the suite")
        );
    }
    fs_err::create_dir_all(&out)
        .map_err(|error| Failure::usage(error).hint("give another folder with --out"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(go(args, selected, settings, sides, out, stored, printer))
}

/// Starts the sides, replays, reports.
async fn go(
    args: RunArgs,
    selected: Selected,
    settings: Settings,
    sides: ResolvedSides,
    out: PathBuf,
    stored: Option<(RunFolder, RunMeta)>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let clock = Instant::now();
    let service_logs = ServiceLogs::new(stored.as_ref().map(|(folder, _)| folder), &out)?;
    let start_limit = settings.limits.start;
    let services = selected.suite.services.clone();
    let _services = run::start_services(&services, &selected.suite.dir, service_logs.folder(), start_limit)
        .await
        .map_err(|error| Failure::new(ExitCode::SideFailed, error))?;
    let prepared = prepare_both(&sides, &settings).await?;
    let used = tools_used(&selected.suite, &selected.cases);
    let toolbox = |side: &run::PreparedSide, renames| {
        Toolbox::new(&selected.suite, &used, &prepared.baseline.tools, &side.tools, renames)
    };
    let baseline_tools = toolbox(&prepared.baseline, &sides.baseline.renames);
    let candidate_tools = toolbox(&prepared.candidate, &sides.candidate.renames);
    let skipped = skipped_cases(&selected.cases, &baseline_tools);
    if skipped.len() == selected.cases.len() {
        return Err(hints::nothing_allowed(&baseline_tools, &prepared.candidate.tools));
    }
    let warnings = hints::before_run(&selected, &sides, &prepared, &baseline_tools, &candidate_tools);
    let context = super::meta::Context {
        args: &args,
        selected: &selected,
        settings: &settings,
        sides: &sides,
        prepared: &prepared,
        skipped: &skipped,
        warnings,
    };
    if args.dry_run {
        return Ok(dry_run(&super::meta::new(&context), &settings, printer));
    }
    let (folder, mut meta) = match stored {
        Some((folder, stored)) => {
            super::meta::require_same(&stored, &context)?;
            (folder, stored)
        }
        None => {
            let meta = super::meta::new(&context);
            let folder = RunFolder::create(&out, &meta.run_id)?;
            (folder, meta)
        }
    };
    service_logs.keep_in(&folder)?;
    folder.write_meta(&meta)?;
    let shape = PlanShape {
        attempts: settings.attempts,
        same_code: settings.same_code,
        candidate_again: true,
        baseline: true,
        after: 0,
    };
    let ids: Vec<String> = meta.cases.keys().cloned().collect();
    let recorded = recorded(&folder.journal(), &ids, shape)?;
    let planned = ((selected.cases.len() - skipped.len()) * shape.expected().len()) as u64;
    let config = Arc::new(RunConfig {
        cases: in_order(selected.cases, &skipped, settings.seed),
        shape,
        seed: settings.seed,
        jobs: settings.jobs,
        restart: settings.restart,
        settings: settings.replay,
        inputs: super::meta::inputs(&settings),
        profile: settings.profile,
        baseline: sides.baseline.spec.clone(),
        candidate: sides.candidate.spec.clone(),
        baseline_tools,
        candidate_tools,
        info: settings.info,
        limits: settings.limits,
        clock: recorded.clock(clock),
        done: recorded.done,
    });
    let mut end = replay_all(config.clone(), &folder.journal(), planned, &args, printer).await?;
    if args.confirm_flips && matches!(end, RunEnd::Complete) {
        end = confirm::replay(&config, &folder, &mut meta, &args, printer).await?;
    }
    match end {
        RunEnd::Complete => {
            meta.status = RunStatus::Complete;
            folder.write_meta(&meta)?;
            let code = report::judge_and_show(&folder, meta, &args.judge, printer, true)?;
            Ok(code)
        }
        RunEnd::Interrupted => {
            printer.note(&format!(
                "interrupted; everything finished is kept. resume: mcp-regress run --resume {}",
                folder.0.display()
            ));
            Ok(ExitCode::Interrupted)
        }
        RunEnd::SideLost { side, error } => {
            let prepared = PrepareError::Start { side, error };
            Err(hints::side_failed(&prepared).hint(format!(
                "everything finished is kept; go on with: mcp-regress run --resume {}",
                folder.0.display()
            )))
        }
        RunEnd::JournalFailed(error) => {
            Err(Failure::new(ExitCode::Internal, format!("the journal can't be written: {error}")).hint(
                format!(
                    "everything finished is kept; go on with: mcp-regress run --resume {}",
                    folder.0.display()
                ),
            ))
        }
    }
}

async fn prepare_both(sides: &ResolvedSides, settings: &Settings) -> Result<Prepared, Failure> {
    let one = |side: Side, spec: Arc<run::SideSpec>| {
        let (info, limits, seed) = (settings.info.clone(), settings.limits.clone(), settings.seed);
        async move {
            run::prepare(side, &spec, &info, &limits, seed).await.map_err(|error| hints::side_failed(&error))
        }
    };
    let (baseline, candidate) = tokio::join!(
        one(Side::Baseline, sides.baseline.spec.clone()),
        one(Side::Candidate, sides.candidate.spec.clone())
    );
    Ok(Prepared { baseline: baseline?, candidate: candidate? })
}

/// Cases of which no call may be replayed.
pub(super) fn skipped_cases(cases: &[Case], tools: &Toolbox) -> HashSet<String> {
    let may_call = |name: &str| tools.get(name).is_some_and(|tool| tool.may_call);
    let has_call = |case: &Case| {
        case.recordings.iter().flat_map(|recording| recording.steps.outline()).any(|(_, tool)| may_call(tool))
    };
    cases.iter().filter(|case| !has_call(case)).map(|case| case.id.clone()).collect()
}

fn in_order(cases: Vec<Case>, skipped: &HashSet<String>, seed: u64) -> Vec<Case> {
    let mut by_id: HashMap<String, Case> = cases
        .into_iter()
        .filter(|case| !skipped.contains(&case.id))
        .map(|case| (case.id.clone(), case))
        .collect();
    let mut ids: Vec<String> = by_id.keys().cloned().collect();
    order_cases(&mut ids, seed);
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

/// The attempts that a journal holds already. A round of which one side is missing is replayed as a whole.
pub(super) fn recorded(journal: &Path, ids: &[String], shape: PlanShape) -> Result<Recorded, Failure> {
    if !journal.is_file() {
        return Ok(Recorded::default());
    }
    let journal =
        Journal::open(&[journal.to_owned()], ids).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let expected = shape.expected();
    let mut done = HashSet::new();
    for (place, id) in ids.iter().enumerate() {
        let recorded = expected.iter().filter(|(side, attempt)| journal.has(place, *side, *attempt));
        done.extend(recorded.map(|(side, attempt)| (id.clone(), *side, *attempt)));
    }
    Ok(Recorded { done, latest_start_ms: journal.latest_start_ms() })
}

/// What a journal holds already.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub done: HashSet<(String, Side, u32)>,
    latest_start_ms: f64,
}

impl Recorded {
    /// The clock to go on by: whatever starts from now on is later than all that is recorded. Of two records
    /// of an attempt the later start counts, and the system's clock may have jumped since.
    pub fn clock(&self, clock: Instant) -> Instant {
        let behind = Duration::try_from_secs_f64(self.latest_start_ms.max(0.0) / 1e3).ok();
        let start = behind
            .and_then(|behind| Instant::now().checked_sub(behind.saturating_add(Duration::from_millis(1))));
        start.map_or(clock, |start| clock.min(start))
    }
}

fn dry_run(meta: &RunMeta, settings: &Settings, printer: &Printer) -> ExitCode {
    let calls = meta.cases.values().filter(|case| !case.skipped).count();
    printer.data(&format!(
        "would replay {calls} cases x {} attempts on baseline, candidate and {} same-code sides ({} skipped)\n",
        settings.attempts,
        settings.same_code,
        meta.cases.len() - calls
    ));
    ExitCode::Success
}

/// Replays what a plan has left, into the journal at that path.
pub(super) async fn replay_all(
    config: Arc<RunConfig>,
    journal: &Path,
    planned: u64,
    args: &RunArgs,
    printer: &Printer,
) -> Result<RunEnd, Failure> {
    let sync = if args.sync.is_some() { Sync::EveryAttempt } else { Sync::EverySecond };
    let journal = Arc::new(JournalWriter::open(journal, sync)?);
    let progress = Arc::new(Progress::new(*printer));
    let done = config.done.len() as u64;
    progress.take(Event::Planned { attempts: planned, done });
    if args.resume.is_some() || done > 0 {
        let left = planned.saturating_sub(done);
        printer.note(&if left == 0 {
            "nothing is left to replay".to_owned()
        } else {
            format!("{left} of {planned} attempts are left")
        });
    }
    let (stop, stopped) = watch::channel(false);
    let signals = tokio::spawn(async move {
        let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            _ = term.recv() => {}
        }
        // The receiver is gone when the run has ended by itself.
        let _ = stop.send(true);
        std::io::Result::Ok(stop)
    });
    let listener = progress.clone();
    let end = run::run(config, journal, Arc::new(move |event| listener.take(event)), stopped).await;
    signals.abort();
    progress.end();
    Ok(end)
}
