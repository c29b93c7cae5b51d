//! `--resume`: which stored run goes on, and by which flags.

use super::super::results::{self, RunFolder};
use super::super::{Failure, Printer, shard};
use super::{out_of, start};
use crate::cli::{Cli, Command, ReportWish, RunArgs, ShardChoice, SideFlags};
use crate::exit::ExitCode;
use crate::trace::{RunMeta, RunStatus};
use clap::Parser;
use std::path::Path;

/// Goes on with a stored run, by the flags that it was started with.
pub(super) fn resume(args: RunArgs, named: &str, printer: &Printer) -> Result<ExitCode, Failure> {
    let out = out_of(&args);
    let folder = to_resume(&args, named, &out, printer)?;
    let meta = folder.read_whole_meta()?;
    let again = Cli::try_parse_from(&meta.argv)
        .map_err(|error| Failure::usage(format!("the stored command can't be used again: {error}")))?;
    let Command::Run(mut stored) = again.command else {
        return Err(Failure::usage(format!("`{}` was not made by `run`", folder.0.display())));
    };
    stored.jobs = args.jobs.or(stored.jobs);
    give_again(&mut stored.sides, &args.sides)?;
    stored.confirm_flips |= args.confirm_flips || meta.confirm.is_some();
    stored.out = Some(out);
    if !args.report.is_empty() {
        // Relative to where they are asked for, not to where the run was started.
        let here = |wish: &ReportWish| ReportWish {
            path: wish.path.as_ref().map(|path| std::path::absolute(path).unwrap_or(path.clone())),
            ..wish.clone()
        };
        stored.report = args.report.iter().map(here).collect();
    }
    stored.shard = meta.shard.map(ShardChoice::Given);
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

/// The run that is named, the last one that is unfinished, or the last one.
fn to_resume(args: &RunArgs, named: &str, out: &Path, printer: &Printer) -> Result<RunFolder, Failure> {
    if !named.is_empty() {
        return results::find(out, Some(Path::new(named)));
    }
    // Shards of one run may share a folder of results: each goes on with its own.
    let shard = shard::resolve(args.shard)?;
    let is_mine = |meta: &RunMeta| args.shard.is_none() || meta.shard == shard;
    let unfinished = |meta: &RunMeta| meta.status == RunStatus::Started && is_mine(meta);
    if let Some(folder) = results::find_last(out, &unfinished) {
        return Ok(folder);
    }
    let last = results::find_last(out, &is_mine)
        .ok_or_else(|| Failure::usage(format!("no unfinished run under `{}`", out.display())))?;
    printer.note("nothing is left to resume: every run is complete; the last one is judged again");
    Ok(last)
}
