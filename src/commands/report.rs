//! `report`: any format again from a stored run; also the last step of `run`.

use super::ci::Ci;
use super::results::{self, RunFolder};
use super::rounds::{Earlier, Round};
use super::{Failure, Printer, meta, wishes};
use crate::cli::{self, ReportArgs, ReportKind, ReportWish};
use crate::exit::ExitCode;
use crate::report::{self, from_summary};
use crate::trace::{RunMeta, RunStatus};
use std::path::Path;

pub(super) fn run(args: &ReportArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    if let Some(file) = args.run.as_deref().filter(|run| run.is_file()) {
        return of_summary(file, args, printer);
    }
    let folder = results::find(&args.out, args.run.as_deref())?;
    let meta = folder.read_meta()?;
    if meta.status == RunStatus::Started {
        printer.note(&format!(
            "the run is not complete; go on with: mcp-regress run --resume {}",
            folder.0.display()
        ));
    }
    wishes::prepare(&args.report)?;
    judge_and_show(
        &folder,
        meta,
        &Asked { judge: &args.judge, reports: &args.report, is_new: false },
        printer,
    )
}

/// What one summary.json tells, of which nothing is known and nothing is judged again: a job that comments on a
/// stranger's run takes that file alone.
fn of_summary(file: &Path, args: &ReportArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("`{}`: {error}", file.display()))
            .hint("give a run's folder, or its summary.json")
    };
    let length = fs_err::metadata(file)?.len();
    if length > from_summary::MOST_BYTES {
        return Err(unreadable(&from_summary::SummaryError::TooLarge));
    }
    let report = from_summary::read(&fs_err::read(file)?).map_err(|error| unreadable(&error))?;
    wishes::prepare(&args.report)?;
    for wish in &args.report {
        let text = match wish.kind {
            ReportKind::Comment => report::comment_of_summary(&report),
            ReportKind::Junit => Some(report::junit::render(&report)?),
            kind @ (ReportKind::Json | ReportKind::Markdown) => {
                return Err(Failure::usage(format!(
                    "--report {kind}: a summary.json alone makes comment and junit"
                )));
            }
        };
        match (&wish.path, text) {
            (Some(path), Some(text)) => fs_err::write(path, text)?,
            (None, Some(text)) => printer.data(&text),
            (_, None) => printer.note("there is nothing to say: no comment was written"),
        }
    }
    Ok(ExitCode::Success)
}

/// How a run is to be judged and shown.
pub(super) struct Asked<'a> {
    pub judge: &'a cli::JudgeFlags,
    /// Reports beside those of the folder.
    pub reports: &'a [ReportWish],
    /// It was made just now: it is judged by the flags, and its round is kept.
    pub is_new: bool,
}

/// Reads the journal, judges, writes every derived file and shows the table.
pub(super) fn judge_and_show(
    folder: &RunFolder,
    mut meta: RunMeta,
    asked: &Asked<'_>,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    if asked.is_new {
        meta.gate = meta::gate(asked.judge);
    }
    let report =
        report::build(meta, &folder.journals()?).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    report::write_all(&report, &folder.0).map_err(|error| {
        let again = format!("mcp-regress report {}", folder.0.display());
        Failure::from(error)
            .hint(format!("everything that was measured is kept; judge it again with: {again}"))
    })?;
    wishes::fulfil(asked.reports, &folder.0)?;
    let rounds = match folder.0.parent() {
        Some(out) => rounds(&report, out, asked.is_new)?,
        None => Vec::new(),
    };
    let prints_data = asked.judge.format == cli::Format::Json;
    if prints_data {
        rounds.iter().for_each(|line| printer.note(line));
        printer.data(&fs_err::read_to_string(folder.0.join("summary.json"))?);
    } else {
        let here = std::env::current_dir().unwrap_or_default();
        let options = report::TerminalOptions {
            width: Some(printer.width),
            color: printer.color,
            folder: Some(folder.0.strip_prefix(&here).unwrap_or(&folder.0).display().to_string()),
            rounds,
        };
        printer.data(&report::terminal(&report, &options));
    }
    Ci::detect().tell(&report, prints_data, printer);
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
