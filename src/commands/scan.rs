//! `scan`: the census of transcripts.

use super::{Failure, Printer, printer::harmless, resolve};
use crate::cli::{ProgressKind, ScanArgs, ScanFormat};
use crate::exit::ExitCode;
use crate::scan::{self, Census, ScanOptions};
use crate::suite::{Found, Suite};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the progress is told.
const TELL: Duration = Duration::from_secs(10);

pub(super) fn run(args: &ScanArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let suite = suite(args)?;
    if let Some(out) = &args.out {
        // A folder that cannot be made is told before anything is read.
        fs_err::create_dir_all(out)?;
    }
    let options = ScanOptions {
        paths: &args.paths,
        servers: &args.server,
        suite: &suite,
        client: args.client.as_deref(),
    };
    let mut told = Instant::now();
    let mut each_file = |done: usize, of: usize| {
        if printer.progress != ProgressKind::None && told.elapsed() >= TELL {
            told = Instant::now();
            printer.note(&format!("{done} of {of} files"));
        }
    };
    let census = scan::scan(&options, &mut each_file).map_err(Failure::usage)?;
    for line in census.problems.lines() {
        printer.note(&format!("warning: {}", harmless(&line)));
    }
    if census.files.is_empty() {
        return Err(Failure::usage("nothing that was given could be read as a transcript")
            .hint("give files or folders of sessions, such as ~/.claude/projects"));
    }
    if census.rows.values().all(|row| row.calls == 0) {
        let of = if args.server.is_empty() {
            String::new()
        } else {
            format!(" of `{}`", args.server.join("`, `"))
        };
        let files: u64 = census.files.values().sum();
        return Err(Failure::new(
            ExitCode::NothingSelected,
            format!("no tool call{of} in {files} transcripts"),
        )
        .hint("calls of MCP servers are counted, not those of a client's own tools"));
    }
    if let Some(out) = &args.out {
        write(&census, out)?;
    }
    printer.data(&harmless(&shown(args, &census)?));
    Ok(ExitCode::Success)
}

fn suite(args: &ScanArgs) -> Result<Suite, Failure> {
    match args.suite.as_deref() {
        Some(path) => resolve::suite_at(Some(path)),
        None => Ok(Found::Defaults { dir: std::env::current_dir()? }.load()?),
    }
}

fn shown(args: &ScanArgs, census: &Census) -> Result<String, Failure> {
    match args.format {
        ScanFormat::Json => Ok(scan::json(census)),
        ScanFormat::Csv => {
            let mut table = Vec::new();
            scan::tools_table().write(&mut table, scan::tools_rows(census))?;
            Ok(String::from_utf8_lossy(&table).into_owned())
        }
        ScanFormat::Human => {
            let words = args.paths.iter().map(|path| path.to_string_lossy().into_owned());
            Ok(scan::terminal(census, &shell_words::join(words)))
        }
    }
}

fn write(census: &Census, out: &Path) -> Result<(), Failure> {
    let (tools, notices) = (scan::tools_table(), scan::notices_table());
    tools.write(fs_err::File::create(out.join(tools.file))?, scan::tools_rows(census))?;
    notices.write(fs_err::File::create(out.join(notices.file))?, scan::notices_rows(census))?;
    fs_err::write(out.join("scan.json"), scan::json(census))?;
    let columns = format!("# Columns\n\n{}\n{}", tools.describe(), notices.describe());
    fs_err::write(out.join("columns.md"), columns)?;
    Ok(())
}
