//! The derived files of a results folder.

use super::cell::TableSpec;
use super::{Report, comment, csv_attempts, csv_calls, csv_cases, csv_figures};
use crate::verdict::Comparison;
use crate::words::Split;
use fs_err as fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The files that [`write_all`] writes beside report.html with its pages, and comment.md when there is something to
/// say. All but timings.csv and the block "run" of report.html and comment.md are reproducible.
pub const FILES: [&str; 11] = [
    "calls.csv",
    "attempts.csv",
    "cases.csv",
    "metrics.csv",
    "flips.csv",
    "rules.csv",
    "timings.csv",
    "columns.md",
    "summary.json",
    "summary.md",
    "junit.xml",
];

/// Writes every derived file into the folder. A file that exists is replaced in one step, so that
/// a reader sees the old one or the new one whole.
///
/// # Errors
/// When a file cannot be written, or the journal cannot be read again.
pub fn write_all(report: &Report, folder: &Path) -> io::Result<()> {
    let table = &report.collected.table;
    let splits: Vec<Split> = table.cases.iter().map(|case| case.split).collect();
    let comparison = Comparison::new(table, report.settings).map_err(io::Error::other)?;
    let cases = || write_table(folder, &csv_cases::cases_table(), csv_cases::case_rows(&comparison));
    let attempts = || {
        write_table(folder, &csv_calls::calls_table(), csv_calls::call_rows(&report.journal, &splits)?)?;
        write_table(folder, &csv_calls::timings_table(), csv_calls::timing_rows(&report.journal, &splits)?)?;
        write_table(folder, &csv_attempts::attempts_table(table), csv_attempts::attempt_rows(table))
    };
    // The long tables, side by side.
    std::thread::scope(|scope| {
        let cases = scope.spawn(cases);
        attempts()?;
        cases.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    write_table(folder, &csv_figures::metrics_table(), csv_figures::metric_lines(table, &report.splits))?;
    write_table(folder, &csv_figures::flips_table(), csv_figures::flip_lines(table, &report.splits[0]))?;
    write_table(folder, &csv_figures::rules_table(), report.rules.iter().map(Ok))?;
    for (name, text) in [
        ("columns.md", columns(report)),
        ("summary.json", super::summary_json::render(report)),
        ("summary.md", super::summary_md::render(report)),
        ("junit.xml", super::junit::render(report)?),
    ] {
        replace(folder, name, |out| out.write_all(text.as_bytes()))?;
    }
    super::html::write(report, &comparison, folder)?;
    match comment::comment(report, &comparison) {
        Some(text) => replace(folder, COMMENT, |out| out.write_all(text.as_bytes())),
        // What an earlier report said may no longer hold.
        None => match fs::remove_file(folder.join(COMMENT)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

const COMMENT: &str = "comment.md";

/// What stands on a CI's page of the run, in fewer than [`comment::STEP_BYTES`] bytes.
///
/// # Errors
/// When the attempts cannot be compared.
pub fn step_summary(report: &Report) -> io::Result<String> {
    let comparison = Comparison::new(&report.collected.table, report.settings).map_err(io::Error::other)?;
    Ok(comment::within(report, Some(&comparison), comment::STEP_BYTES))
}

/// `columns.md`: every column of every table, from the tables themselves.
pub fn columns(report: &Report) -> String {
    let mut text = "# Columns of the tables\n\nRFC 4180, UTF-8, LF, one header line. An empty cell is a missing value; `true` and `false`; at most six decimals.\nText that begins with `= + - @`, tab or CR has a leading `'`.\n".to_owned();
    for part in [
        csv_calls::calls_table().describe(),
        csv_attempts::attempts_table(&report.collected.table).describe(),
        csv_cases::cases_table().describe(),
        csv_figures::metrics_table().describe(),
        csv_figures::flips_table().describe(),
        csv_figures::rules_table().describe(),
        csv_calls::timings_table().describe(),
    ] {
        text.push('\n');
        text.push_str(&part);
    }
    text
}

fn write_table<R>(
    folder: &Path,
    table: &TableSpec<R>,
    rows: impl IntoIterator<Item = io::Result<R>>,
) -> io::Result<()> {
    replace(folder, table.file, |out| table.write(out, rows))
}

/// Writes a file beside its place, then puts it there.
pub(super) fn replace(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let beside = folder.join(format!(".{name}.partial"));
    let mut out = BufWriter::new(fs::File::create(&beside)?);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    fs::rename(&beside, folder.join(name))
}
