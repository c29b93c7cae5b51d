//! `merge`: the shards of a run become one run, which is judged as if one machine had made it.

mod same;
mod shards;

use super::report::{Asked, judge_and_show};
use super::results::RunFolder;
use super::{Failure, Printer, wishes};
use crate::cli::MergeArgs;
use crate::exit::ExitCode;
use crate::metric::case_order;
use crate::plan::Shard;
use crate::report::counted;
use crate::text::sha256_hex;
use crate::trace::{Bodies, Journal, JournalNote, MergePart, RunMeta, RunStatus, merge_journals};
use jiff::Timestamp;
use shards::Found;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(super) fn run(args: &MergeArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    wishes::prepare(&args.report)?;
    let found = shards::find(&args.dirs, printer)?;
    same::require_same(&found)?;
    let started = started(&found)?;
    let mut meta = joined(&found);
    let folder = RunFolder::create_again(&args.out, &meta.run_id)?;
    let by_shard = join_journals(&folder, &found, &started)?;
    let gaps = gaps(&meta, &found, &by_shard)?;
    meta.warnings.extend(gaps.iter().cloned());
    meta.status = if gaps.is_empty() { RunStatus::Complete } else { RunStatus::Started };
    folder.write_meta(&meta)?;
    let asked = Asked { judge: &args.judge, reports: &args.report, is_new: true };
    let code = judge_and_show(&folder, meta, &asked, printer)?;
    if !gaps.is_empty() {
        let failure =
            Failure::new(ExitCode::Incomplete, format!("the run is not whole: {}", gaps.join("; ")));
        printer.failure(&failure.hint("replay what is missing on its machine and merge again"));
    }
    Ok(code)
}

/// When each run was started.
fn started(found: &[Found]) -> Result<Vec<Timestamp>, Failure> {
    let one = |found: &Found| {
        found.meta.started_at.parse::<Timestamp>().map_err(|error| {
            Failure::usage(format!(
                "`{}`: started_at is `{}`: {error}",
                found.folder.0.display(),
                found.meta.started_at
            ))
        })
    };
    found.iter().map(one).collect()
}

/// One run of all shards. The same shards make the same name, so that merging again replaces the merged run.
fn joined(found: &[Found]) -> RunMeta {
    // They are sorted by their start.
    let mut meta = found[0].meta.clone();
    let mut ids: Vec<&str> = found.iter().map(|found| found.meta.run_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let name = meta.run_id.rsplit_once('-').map_or(meta.run_id.as_str(), |(name, _)| name);
    meta.run_id = format!("{name}-{}", &sha256_hex(ids.join("\n"))[..4]);
    meta.argv = without_shard(meta.argv);
    meta.shard = None;
    meta
}

/// The command of the whole run.
fn without_shard(argv: Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    let mut argv = argv.into_iter();
    while let Some(word) = argv.next() {
        if word == "--shard" {
            argv.next();
        } else if !word.starts_with("--shard=") {
            words.push(word);
        }
    }
    words
}

/// Writes one journal a shard, and takes the kept results over.
fn join_journals(
    folder: &RunFolder,
    found: &[Found],
    started: &[Timestamp],
) -> Result<BTreeMap<Shard, PathBuf>, Failure> {
    let mut parts = BTreeMap::<Shard, Vec<MergePart>>::new();
    let first = started.iter().min().copied().unwrap_or(Timestamp::UNIX_EPOCH);
    for (found, started) in found.iter().zip(started) {
        let later_ms = started.duration_since(first).as_millis_f64();
        let journals = found.folder.journals()?.into_iter();
        let parts = parts.entry(found.shard()).or_default();
        parts.extend(journals.map(|journal| MergePart { journal, later_ms }));
    }
    for found in found {
        Bodies::of(&folder.0).take_all(&Bodies::of(&found.folder.0))?;
    }
    let mut written = BTreeMap::new();
    for (shard, parts) in parts {
        let path = folder.journal(Some(shard))?;
        merge_journals(&parts, &path)?;
        written.insert(shard, path);
    }
    Ok(written)
}

/// What is missing: whole shards, and attempts of those that are there. A key that is there twice must have been
/// made from the same inputs.
fn gaps(
    meta: &RunMeta,
    found: &[Found],
    by_shard: &BTreeMap<Shard, PathBuf>,
) -> Result<Vec<String>, Failure> {
    let ids: Vec<String> = case_order(meta).into_iter().map(|(id, _)| id.clone()).collect();
    let paths: Vec<_> = by_shard.values().cloned().collect();
    let journal = Journal::open(&paths, &ids).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    refuse_other_inputs(&journal)?;
    let places: BTreeMap<&str, usize> =
        ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
    let count = found[0].shard().count;
    let mut gaps = Vec::new();
    for index in 1..=count {
        let shard = Shard { index, count };
        let own = shard.ids(&ids, meta.seed);
        let of_case = |id: &String| {
            let planned = meta.planned(id);
            let absent =
                planned.iter().filter(|(side, attempt)| !journal.has(places[id.as_str()], *side, *attempt));
            (planned.len(), absent.count())
        };
        let (planned, absent) = own.iter().map(of_case).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let attempts = counted(planned as u64, "attempt", "attempts");
        if absent > 0 && !by_shard.contains_key(&shard) {
            let cases = counted(own.len() as u64, "case", "cases");
            gaps.push(format!(
                "shard {shard} is lost, with {cases} and {attempts}: run it with `--shard {shard}`"
            ));
        } else if absent > 0 {
            let folders: Vec<String> = found
                .iter()
                .filter(|found| found.shard() == shard)
                .map(|found| found.meta.run_id.clone())
                .collect();
            gaps.push(format!(
                "shard {shard} lacks {absent} of its {attempts}: go on with `mcp-regress run --resume {}`",
                folders.join(" or ")
            ));
        }
    }
    Ok(gaps)
}

fn refuse_other_inputs(journal: &Journal) -> Result<(), Failure> {
    let others =
        journal.notes().iter().find(|note| matches!(note, JournalNote::Twice { same_inputs: false, .. }));
    let Some(note) = others else { return Ok(()) };
    Err(Failure::new(ExitCode::NotComparable, format!("the shards are not of one run: {note}")))
}
