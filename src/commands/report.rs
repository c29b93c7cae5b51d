//! `report`: any format again from a stored run; also the last step of `run`.

use super::results::{self, RunFolder};
use super::rounds::{Earlier, Round};
use super::{Failure, Printer, meta};
use crate::cli::{self, ReportArgs};
use crate::exit::ExitCode;
use crate::report;
use crate::trace::{RunMeta, RunStatus};
use std::path::Path;

pub(super) fn run(args: &ReportArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let folder = results::find(&args.out, args.run.as_deref(), None)?;
    let meta = folder.read_meta()?;
    if meta.status == RunStatus::Started {
        printer.note(&format!(
            "the run is not complete; go on with: mcp-regress run --resume {}",
            folder.0.display()
        ));
    }
    judge_and_show(&folder, meta, &args.judge, printer, false)
}

/// Reads the journal, judges, writes every derived file and shows the table.
pub(super) fn judge_and_show(
    folder: &RunFolder,
    mut meta: RunMeta,
    flags: &cli::JudgeFlags,
    printer: &Printer,
    is_new: bool,
) -> Result<ExitCode, Failure> {
    if is_new {
        meta.gate = meta::gate(flags);
    }
    let report =
        report::build(meta, &folder.journals()?).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    report::write_all(&report, &folder.0)?;
    let rounds = match folder.0.parent() {
        Some(out) => rounds(&report, out, is_new)?,
        None => Vec::new(),
    };
    match flags.format {
        cli::Format::Json => {
            rounds.iter().for_each(|line| printer.note(line));
            printer.data(&fs_err::read_to_string(folder.0.join("summary.json"))?);
        }
        cli::Format::Human => {
            let here = std::env::current_dir().unwrap_or_default();
            let options = report::TerminalOptions {
                width: Some(printer.width),
                color: printer.color,
                folder: Some(folder.0.strip_prefix(&here).unwrap_or(&folder.0).display().to_string()),
                rounds,
            };
            printer.data(&report::terminal(&report, &options));
        }
    }
    Ok(report.gate.exit)
}

/// Which round this is and what the earlier ones said; a new one is kept.
fn rounds(report: &report::Report, out: &Path, is_new: bool) -> Result<Vec<String>, Failure> {
    let round = Round::of(report);
    let lines = Earlier::than(&round, out)?.lines(&round);
    if is_new {
        round.keep(out)?;
    }
    Ok(lines)
}
