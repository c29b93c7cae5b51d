//! `run`: replay all cases on all sides, judge, report.

mod planned;
mod resume;

pub(super) use planned::{recorded, skipped_cases};

use super::resolve::{self, Selected, Settings};
use super::results::{RunFolder, ServiceLogs};
use super::side::{self, ResolvedSides};
use super::stored::Stored;
use super::{Failure, Printer, confirm, hints, report, wishes};
use crate::agent::{Toolbox, tools_used};
use crate::cli::{IfNoBaseline, RunArgs};
use crate::commands::progress::Progress;
use crate::exit::ExitCode;
use crate::plan::{PlanShape, Shard};
use crate::run::{self, Event, JournalWriter, PrepareError, Prepared, RunConfig, RunEnd, Sync};
use crate::trace::{Bodies, RunMeta, RunStatus};
use crate::words::{KeepBodies, Restart, Side};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

pub(super) fn run(args: RunArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    match args.resume.clone() {
        Some(named) => resume::resume(args, &named, printer),
        None => start(args, None, printer),
    }
}

fn out_of(args: &RunArgs) -> PathBuf {
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("results"));
    std::path::absolute(&out).unwrap_or(out)
}

/// Begins a run or goes on with one; a side that fails is told to those who asked for tests.
fn start(
    args: RunArgs,
    resumed: Option<(RunFolder, RunMeta)>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let reports = args.report.clone();
    wishes::prepare(&reports)?;
    let ended = begin(args, resumed, printer);
    if let Err(failure) = &ended
        && failure.code == ExitCode::SideFailed
    {
        wishes::failed_side(&reports, &failure.message)?;
    }
    ended
}

fn begin(
    mut args: RunArgs,
    resumed: Option<(RunFolder, RunMeta)>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let selected = resolve::select(&args.suite)?;
    // Of several things that are wrong, a side that does not start and a baseline that does not fit come first.
    let nothing = selected.require_cases().err();
    let settings = resolve::settings(&selected, &args)?;
    let out = out_of(&args);
    let (sides, baseline) = match sides_of(&args, &selected, &out) {
        Ok(found) => found,
        Err(failure) if failure.code == ExitCode::NotComparable => match args.if_no_baseline {
            IfNoBaseline::Fail => return Err(failure),
            IfNoBaseline::Warn => {
                printer.note(&format!("warning: {}; nothing was run", failure.message));
                return Ok(ExitCode::Success);
            }
            IfNoBaseline::Record => {
                args.judge.warn_only = true;
                (against_itself(&args, &selected, &out, &failure)?, None)
            }
        },
        Err(failure) => return Err(failure),
    };
    require_fresh_seeds(&sides, &settings)?;
    fs_err::create_dir_all(&out)
        .map_err(|error| Failure::usage(error).hint("give another folder with --out"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(go(Begun { args, selected, nothing, settings, sides, baseline, out }, resumed, printer))
}

/// Both sides; with `--baseline-run` the candidate, and what is stored of the baseline.
fn sides_of(
    args: &RunArgs,
    selected: &Selected,
    out: &Path,
) -> Result<(ResolvedSides, Option<Stored>), Failure> {
    let Some(named) = &args.baseline_run else {
        return Ok((side::resolve(&selected.suite, &args.sides, out)?, None));
    };
    let stored = Stored::find(named, out)?;
    let candidate = side::resolve_candidate(&selected.suite, &args.sides, out)?;
    Ok((stored.with_candidate(&selected.suite, candidate)?, Some(stored)))
}

/// The candidate on both sides: a run that a later one can take as its baseline.
fn against_itself(
    args: &RunArgs,
    selected: &Selected,
    out: &Path,
    why: &Failure,
) -> Result<ResolvedSides, Failure> {
    let mut candidate = side::resolve_candidate(&selected.suite, &args.sides, out)?;
    let baseline = candidate.clone();
    candidate.warnings.push(format!(
        "{}; the candidate was replayed against itself, to be the baseline of a later run",
        why.message
    ));
    Ok(ResolvedSides { baseline, candidate, a_a: true })
}

fn require_fresh_seeds(sides: &ResolvedSides, settings: &Settings) -> Result<(), Failure> {
    let asks = |side: &side::ResolvedSide| side.spec.mentions("{attempt_seed}");
    if settings.restart == Restart::Attempt || !(asks(&sides.baseline) || asks(&sides.candidate)) {
        return Ok(());
    }
    let message =
        format!("`{{attempt_seed}}` needs restart = \"attempt\", and restart is `{}`", settings.restart);
    Err(Failure::usage(message).hint("leave out --restart, or set restart = \"attempt\" in the suite"))
}

/// Everything of a run that is decided before a side starts.
struct Begun {
    args: RunArgs,
    selected: Selected,
    /// No case is selected.
    nothing: Option<Failure>,
    settings: Settings,
    sides: ResolvedSides,
    /// A stored run that stands for the baseline.
    baseline: Option<Stored>,
    out: PathBuf,
}

/// Starts the sides, replays, reports.
async fn go(
    begun: Begun,
    resumed: Option<(RunFolder, RunMeta)>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let Begun { args, selected, nothing, settings, sides, baseline, out } = begun;
    let clock = planned::clock(resumed.as_ref().map(|(_, meta)| meta));
    let service_logs = ServiceLogs::new(resumed.as_ref().map(|(folder, _)| folder), &out)?;
    let start_limit = settings.limits.start;
    let services = selected.suite.services.clone();
    let dir = &selected.suite.dir;
    let _services = run::start_services(&services, dir, service_logs.folder(), start_limit, &sides.secrets())
        .await
        .map_err(|error| Failure::new(ExitCode::SideFailed, error))?;
    let prepared = prepare_both(&sides, baseline.as_ref(), &settings).await?;
    let used = tools_used(&selected.suite, &selected.cases);
    let toolbox = |side: &run::PreparedSide, renames| {
        Toolbox::new(&selected.suite, &used, &prepared.baseline.tools, &side.tools, renames)
    };
    let baseline_tools = toolbox(&prepared.baseline, &sides.baseline.renames);
    let candidate_tools = toolbox(&prepared.candidate, &sides.candidate.renames);
    let skipped = skipped_cases(&selected.cases, &baseline_tools);
    let nothing_allowed = || hints::nothing_allowed(&baseline_tools, &prepared.candidate.tools);
    let nothing = nothing.or_else(|| (skipped.len() == selected.cases.len()).then(nothing_allowed));
    let warnings = hints::before_run(&selected, &sides, &prepared, &baseline_tools, &candidate_tools);
    let context = super::meta::Context {
        args: &args,
        selected: &selected,
        settings: &settings,
        sides: &sides,
        baseline: baseline.as_ref(),
        prepared: &prepared,
        skipped: &skipped,
        warnings,
    };
    if let Some(nothing) = nothing {
        super::meta::new(&context)?;
        return Err(nothing);
    }
    if args.dry_run {
        return Ok(dry_run(&super::meta::new(&context)?, printer));
    }
    let (folder, mut meta) = match resumed {
        Some((folder, stored)) => {
            super::meta::require_same(&stored, &context)?;
            (folder, stored)
        }
        None => planned::new_run(&out, &context)?,
    };
    service_logs.keep_in(&folder)?;
    folder.write_meta(&meta)?;
    if let Some(baseline) = &baseline {
        baseline.copy(&folder, &meta)?;
    }
    let shape = PlanShape {
        attempts: settings.attempts,
        same_code: if baseline.is_some() { 0 } else { settings.same_code },
        candidate_again: true,
        baseline: baseline.is_none(),
        after: 0,
    };
    let ids: Vec<String> = meta.cases.keys().cloned().collect();
    let journal = folder.journal(meta.shard)?;
    let recorded = recorded(&folder.journals()?, &ids, shape)?;
    let config = Arc::new(RunConfig {
        cases: planned::in_order(selected.cases, &skipped, &meta),
        shape,
        seed: settings.seed,
        jobs: settings.jobs,
        restart: settings.restart,
        keep: args.keep_bodies.unwrap_or(KeepBodies::Nothing),
        bodies: Bodies::of(&folder.0),
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
    let attempts = (config.cases.len() * shape.expected().len()) as u64;
    let mut end = replay_all(config.clone(), &journal, attempts, &args, printer).await?;
    if args.confirm_flips && matches!(end, RunEnd::Complete) {
        end = confirm::replay(&config, &folder, &mut meta, &args, printer).await?;
    }
    ended(end, &folder, meta, &args, printer)
}

/// What a run says when it has ended, however that was.
fn ended(
    end: RunEnd,
    folder: &RunFolder,
    mut meta: RunMeta,
    args: &RunArgs,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let go_on =
        format!("everything finished is kept; go on with: mcp-regress run --resume {}", folder.0.display());
    match end {
        RunEnd::Complete => {
            meta.status = RunStatus::Complete;
            folder.write_meta(&meta)?;
            match meta.shard {
                Some(_) => super::shard::end(folder, meta, args.judge.format, printer),
                None => {
                    let asked = report::Asked { judge: &args.judge, reports: &args.report, is_new: true };
                    report::judge_and_show(folder, meta, &asked, printer)
                }
            }
        }
        RunEnd::Interrupted => {
            printer.note(&format!(
                "interrupted; everything finished is kept. resume: mcp-regress run --resume {}",
                folder.0.display()
            ));
            Ok(ExitCode::Interrupted)
        }
        RunEnd::SideLost { side, error } => {
            Err(hints::side_failed(&PrepareError::Start { side, error }).hint(go_on))
        }
        RunEnd::JournalFailed(error) => {
            Err(Failure::new(ExitCode::Internal, format!("the journal can't be written: {error}"))
                .hint(go_on))
        }
    }
}

async fn prepare_both(
    sides: &ResolvedSides,
    stored: Option<&Stored>,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    let one = |side: Side, spec: Arc<run::SideSpec>| {
        let (info, limits, seed) = (settings.info.clone(), settings.limits.clone(), settings.seed);
        async move {
            run::prepare(side, &spec, &info, &limits, seed).await.map_err(|error| hints::side_failed(&error))
        }
    };
    if let Some(stored) = stored {
        let candidate = one(Side::Candidate, sides.candidate.spec.clone()).await?;
        return Ok(Prepared { baseline: stored.prepared(), candidate });
    }
    let (baseline, candidate) = tokio::join!(
        one(Side::Baseline, sides.baseline.spec.clone()),
        one(Side::Candidate, sides.candidate.spec.clone())
    );
    Ok(Prepared { baseline: baseline?, candidate: candidate? })
}

fn dry_run(meta: &RunMeta, printer: &Printer) -> ExitCode {
    let is_planned = |id: &&String| !meta.planned(id).is_empty();
    let own = meta.shard.unwrap_or(Shard::WHOLE).ids(meta.cases.keys(), meta.seed);
    let cases = own.iter().filter(is_planned).count();
    let part = meta.shard.map_or_else(String::new, |shard| format!("shard {shard}: "));
    let sides = match meta.baseline_run {
        Some(_) => "the candidate, beside the stored baseline".to_owned(),
        None => format!("baseline, candidate and {} same-code sides", meta.same_code),
    };
    printer.data(&format!(
        "{part}would replay {cases} cases x {} attempts on {sides} ({} skipped)\n",
        meta.attempts,
        own.len() - cases
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
