//! Stored runs: the first is the reference, every other is compared with it in a table of its own.

use super::super::results::{self, RunFolder};
use super::super::{Failure, Printer, meta};
use super::show::show;
use crate::cli::{CompareArgs, Format};
use crate::exit::ExitCode;
use crate::metric::collect;
use crate::report::across::{self, Part};
use crate::report::{self, Measured, Report, SideBySide};
use crate::trace::{RunMeta, RunStatus};
use crate::words::Side;
use std::path::Path;

/// A side of a stored run, as a person names it.
struct Named {
    folder: RunFolder,
    meta: RunMeta,
    side: Side,
}

impl Named {
    fn called(&self) -> String {
        format!("{}:{}", self.meta.run_id, self.side)
    }
}

pub(super) fn compare(runs: &[String], args: &CompareArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    for (flag, given) in [
        ("--baseline", args.foreign.baseline.is_some()),
        ("--candidate", args.foreign.candidate.is_some()),
        ("--metric", !args.foreign.metric.is_empty()),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{flag} is for a CSV file; a stored run has its own sides and rules"
            ))
            .hint("name sides as RUN:SIDE, such as main-run:baseline"));
        }
    }
    if let ([one], []) = (runs, args.foreign.same_code.as_slice()) {
        let (folder, _) = find(one, &args.runs)?;
        return judge_again(&folder, args, printer);
    }
    let [reference, others @ ..] = runs else { return Err(Failure::usage("name a run")) };
    if others.is_empty() {
        return Err(Failure::usage("--same-code needs a second run, which is compared with the first"));
    }
    let reference = named(reference, &args.runs)?;
    let same_code: Vec<Named> =
        args.foreign.same_code.iter().map(|name| named(name, &args.runs)).collect::<Result<_, _>>()?;
    let others: Vec<Named> = others.iter().map(|name| named(name, &args.runs)).collect::<Result<_, _>>()?;
    for other in others.iter().chain(&same_code) {
        require_comparable(&reference, other)?;
    }
    let mut codes = Vec::new();
    let mut all = SideBySide::new(&reference.called());
    for (place, other) in others.iter().enumerate() {
        if place > 0 {
            printer.data("\n");
        }
        let out = args.out.as_ref().map(|out| match others.len() {
            1 => out.clone(),
            _ => out.join(format!("{}-{}", other.meta.run_id, other.side)),
        });
        let report = compare_two(&reference, other, &same_code, args)?;
        codes.push(show(&report, out.as_deref(), args, printer)?);
        all.add(&other.called(), &report);
    }
    let lines = all.lines(printer.width);
    if args.judge.format == Format::Human && !lines.is_empty() {
        printer.data(&format!("\n{}\n", lines.join("\n")));
    }
    Ok(ExitCode::decide(&codes).0)
}

/// The run's own sides once more, by the flags given now.
fn judge_again(folder: &RunFolder, args: &CompareArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let mut meta = folder.read_meta()?;
    set(&mut meta, args);
    let report = report::build(meta, &folder.journals()?).map_err(internal)?;
    show(&report, args.out.as_deref(), args, printer)
}

fn set(run: &mut RunMeta, args: &CompareArgs) {
    run.gate = meta::gate(&args.judge);
    run.seed = args.seed.unwrap_or(run.seed);
    run.resamples = args.resamples.unwrap_or(run.resamples);
}

fn compare_two(
    reference: &Named,
    other: &Named,
    same_code: &[Named],
    args: &CompareArgs,
) -> Result<Report, Failure> {
    let parts = parts(reference, other, same_code)?;
    let (mut meta, journal, missing) = across::joined(&parts).map_err(internal)?;
    set(&mut meta, args);
    meta.rules_note = Some(format!(
        "compared with {}:{}, judged by the rules of {}",
        reference.meta.run_id, reference.side, other.meta.run_id
    ));
    meta.warnings = warnings(reference, other, same_code);
    let collected = collect(&meta, &journal).map_err(internal)?;
    let settings = report::settings(&meta);
    let measured =
        Measured { meta, journal, collected, settings, missing, confirmation: None, is_foreign: false };
    report::judge(measured, &[]).map_err(internal)
}

/// Which side of which run plays which. A reference that runs a baseline's code brings the other
/// runs of that code along; of any other side its own repeat tells how far it repeats itself.
fn parts(reference: &Named, other: &Named, same_code: &[Named]) -> Result<Vec<Part>, Failure> {
    let named: Vec<&Named> = [reference, other].into_iter().chain(same_code).collect();
    let mut plays = vec![(reference.side, Side::Baseline)];
    let mut repeats = 0;
    if reference.side.is_baseline_code() {
        for side in further_runs(reference, &named) {
            repeats += 1;
            plays.push((side, Side::SameCode(repeats)));
        }
    } else {
        plays.push((Side::CandidateAgain, Side::BaselineAgain));
    }
    let mut parts = vec![part(reference, plays)?];
    let again = match other.side.is_baseline_code() {
        true => further_runs(other, &named).into_iter().next(),
        false => Some(Side::CandidateAgain),
    };
    let mut plays = vec![(other.side, Side::Candidate)];
    plays.extend(again.map(|side| (side, Side::CandidateAgain)));
    parts.push(part(other, plays)?);
    for named in same_code {
        repeats += 1;
        parts.push(part(named, vec![(named.side, Side::SameCode(repeats))])?);
    }
    Ok(parts)
}

/// The other sides of a run that have the code of its baseline, without those that play a part.
fn further_runs(of: &Named, named: &[&Named]) -> Vec<Side> {
    let sides = std::iter::once(Side::Baseline).chain((1..=of.meta.same_code).map(Side::SameCode));
    let is_named =
        |side: &Side| named.iter().any(|named| named.meta.run_id == of.meta.run_id && named.side == *side);
    sides.filter(|side| !is_named(side)).collect()
}

fn part(named: &Named, plays: Vec<(Side, Side)>) -> Result<Part, Failure> {
    Ok(Part { meta: named.meta.clone(), journals: named.folder.journals()?, plays })
}

fn warnings(reference: &Named, other: &Named, same_code: &[Named]) -> Vec<String> {
    let mut warnings = Vec::new();
    for run in [reference, other].into_iter().chain(same_code) {
        if run.meta.status == RunStatus::Started {
            warnings.push(format!("{} is not complete: `run --resume` ends it", run.meta.run_id));
        }
    }
    if reference.meta.replay != other.meta.replay {
        warnings.push(format!("recordings were sent {} and {}", reference.meta.replay, other.meta.replay));
    }
    warnings
}

fn require_comparable(reference: &Named, other: &Named) -> Result<(), Failure> {
    let differences = across::differences(&reference.meta, &other.meta);
    if differences.is_empty() {
        return Ok(());
    }
    let message = format!(
        "`{}` and `{}` are not comparable:\n  {}",
        reference.meta.run_id,
        other.meta.run_id,
        differences.join("\n  ")
    );
    Err(Failure::new(ExitCode::NotComparable, message)
        .hint("run both with the same cases, client profile and settings"))
}

fn named(what: &str, runs: &Path) -> Result<Named, Failure> {
    let (folder, side) = find(what, runs)?;
    let meta = folder.read_meta()?;
    let is_there = match side {
        Side::SameCode(k) => k <= meta.same_code,
        Side::Baseline | Side::Candidate => true,
        Side::CandidateAgain | Side::BaselineAgain => false,
    };
    if !is_there {
        let mut sides = vec!["`baseline`".to_owned(), "`candidate`".to_owned()];
        sides.extend((1..=meta.same_code).map(|k| format!("`{}`", Side::SameCode(k))));
        return Err(Failure::usage(format!("`{what}`: the sides of that run are {}", sides.join(", "))));
    }
    Ok(Named { folder, meta, side })
}

/// RUN[:SIDE]; the side is `candidate` unless it is named.
fn find(what: &str, runs: &Path) -> Result<(RunFolder, Side), Failure> {
    let split = what.rsplit_once(':').and_then(|(run, word)| Some((run, Side::parse(word)?)));
    match split {
        Some((run, side)) => Ok((results::find(runs, Some(Path::new(run)))?, side)),
        None => Ok((
            results::find(runs, Some(Path::new(what))).map_err(|failure| {
                failure.hint("name a run as a folder, as its name under --runs, or as RUN:SIDE")
            })?,
            Side::Candidate,
        )),
    }
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(ExitCode::Internal, error)
}
