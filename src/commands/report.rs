//! `report`: any format again from a stored run; also the last step of `run`.

use super::results::{self, RunFolder};
use super::{Failure, Printer, meta};
use crate::cli::{self, ReportArgs};
use crate::exit::ExitCode;
use crate::report;
use crate::trace::{RunMeta, RunStatus, side_key};
use crate::words::Side;

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
    if is_new {
        remember(folder, &report)?;
    }
    match flags.format {
        cli::Format::Json => printer.data(&fs_err::read_to_string(folder.0.join("summary.json"))?),
        cli::Format::Human => {
            let here = std::env::current_dir().unwrap_or_default();
            let options = report::TerminalOptions {
                width: Some(printer.width),
                color: printer.color,
                folder: Some(folder.0.strip_prefix(&here).unwrap_or(&folder.0).display().to_string()),
            };
            printer.data(&report::terminal(&report, &options));
        }
    }
    Ok(report.gate.exit)
}

/// One line of the run in `runs.jsonl`, beside its folder.
fn remember(folder: &RunFolder, report: &report::Report) -> Result<(), Failure> {
    let meta = &report.meta;
    let side = |side| meta.sides.get(&side_key(side)).and_then(|side| side.revision.clone());
    let line = serde_json::json!({
        "format_version": meta.format_version,
        "run_id": meta.run_id,
        "started_at": meta.started_at,
        "suite_sha256": meta.suite_sha256,
        "client_sha256": meta.client.sha256,
        "baseline": side(Side::Baseline),
        "candidate": side(Side::Candidate),
        "verdict": report.gate.verdict.as_str(),
        "exit_code": report.gate.exit as u8,
    });
    match folder.0.parent() {
        Some(out) => results::append_history(out, &line),
        None => Ok(()),
    }
}
