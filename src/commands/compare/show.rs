//! What a comparison writes and prints.

use super::super::{Failure, Printer};
use crate::cli::{CompareArgs, Format};
use crate::exit::ExitCode;
use crate::report::{self, Report, TerminalOptions};
use fs_err as fs;
use std::path::Path;

/// Writes the tables when a folder is given, prints the table, and says how the command ends.
pub(super) fn show(
    report: &Report,
    out: Option<&Path>,
    args: &CompareArgs,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    if let Some(out) = out {
        fs::create_dir_all(out)?;
        report::write_all(report, out)?;
    }
    match args.judge.format {
        Format::Json => printer.data(&report::summary_json(report)),
        Format::Human => printer.data(&report::terminal(
            report,
            &TerminalOptions {
                width: Some(printer.width),
                color: printer.color,
                folder: out.map(|out| out.display().to_string()),
                rounds: Vec::new(),
            },
        )),
    }
    Ok(report.gate.exit)
}
