//! `import`: cases of transcripts.

mod fragment;
mod summary;
mod table;
mod write;

use super::{Failure, Printer, printer::harmless, resolve};
use crate::case;
use crate::cli::{Format, ImportArgs, NeedChoice};
use crate::exit::ExitCode;
use crate::import::{DraftOptions, Grouping, ImportOptions, Imported, NeedOptions, import};
use crate::suite::{Found, Suite};
use crate::words::NeedKind;

pub(super) fn run(args: &ImportArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let suite = suite(args)?;
    let grouping = grouping(args)?;
    let needs = NeedOptions { only: kind(args.need), no_passages: args.no_passages };
    let imported = import(&ImportOptions {
        paths: &args.paths,
        servers: &args.server,
        suite: &suite,
        drafts: DraftOptions { needs },
        grouping,
        keep_text: args.keep_text,
    });
    for line in imported.problems.lines() {
        printer.note(&format!("warning: {}", harmless(&line)));
    }
    if imported.files == 0 {
        return Err(Failure::usage("nothing that was given could be read as a transcript")
            .hint("give files or folders of Claude Code sessions, such as ~/.claude/projects, or sessions of mcp-regress record"));
    }
    if imported.cases.is_empty() {
        return Err(nothing_found(args, &imported));
    }
    if imported.own_tools {
        printer
            .note("warning: no call of an MCP server was found: the client's own tools were taken instead");
    }
    // Files are ours: one that would not load must never be written.
    for case in &imported.cases {
        let path = write::file_of(&args.out, &case.id);
        case::parse(&write::text_of(&case.json), &path).map_err(|problems| {
            Failure::new(ExitCode::Internal, format!("a case was made that does not load: {problems}"))
        })?;
    }
    let fragment = fragment::fragment(&imported);
    let written = if args.dry_run { None } else { Some(write::write(args, &imported.cases, &fragment)?) };
    let told = match args.format {
        Format::Json => format!("{:#}\n", summary::summary(&imported)),
        Format::Human => table::told(args, &imported, &fragment, written.as_ref()),
    };
    printer.data(&harmless(&told));
    Ok(ExitCode::Success)
}

fn suite(args: &ImportArgs) -> Result<Suite, Failure> {
    match args.suite.as_deref() {
        Some(path) => resolve::suite_at(Some(path)),
        None => Ok(Found::Defaults { dir: std::env::current_dir()? }.load()?),
    }
}

fn grouping(args: &ImportArgs) -> Result<Grouping, Failure> {
    match args.group.as_deref() {
        None => Ok(Grouping::Each),
        Some("") => Ok(Grouping::ByPrompt),
        Some(id) => {
            // Checked before anything is read: a case of nothing but its id.
            let text = format!(
                "{{\"format_version\":1,\"id\":{},\"recordings\":[{{\"steps\":[{{\"call\":\"x\"}}]}}]}}",
                serde_json::Value::from(id)
            );
            case::parse(&text, std::path::Path::new("--group"))?;
            Ok(Grouping::All(id.to_owned()))
        }
    }
}

fn kind(choice: NeedChoice) -> Option<NeedKind> {
    match choice {
        NeedChoice::Infer => None,
        NeedChoice::End => Some(NeedKind::End),
        NeedChoice::Last => Some(NeedKind::Last),
        NeedChoice::All => Some(NeedKind::All),
    }
}

fn nothing_found(args: &ImportArgs, imported: &Imported) -> Failure {
    let files = imported.files;
    let of =
        if args.server.is_empty() { String::new() } else { format!(" of `{}`", args.server.join("`, `")) };
    Failure::new(ExitCode::NothingSelected, format!("no tool call{of} in {files} transcripts"))
        .hint("without --server the calls of every server are taken")
}
