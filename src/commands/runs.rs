//! `runs`: what is kept, and what one run was made of.

use super::results::{self, RunFolder};
use super::{Failure, Printer};
use crate::cli::{Format, RunsArgs, RunsCommand};
use crate::exit::ExitCode;
use crate::metric::case_order;
use crate::report::counted;
use crate::trace::{Journal, RunMeta, RunStatus, SideMeta, side_key};
use crate::words::Side;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(args: &RunsArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    match &args.command {
        RunsCommand::List { out, format } => list(out, *format, printer),
        RunsCommand::Show { run, out, format } => {
            show(&results::find(out, run.as_deref())?, *format, printer)?
        }
    }
    Ok(ExitCode::Success)
}

/// One line a run, oldest first. A folder that is no run of this version is listed as such.
fn list(out: &Path, format: Format, printer: &Printer) {
    let lines: Vec<Value> = results::all(out).iter().map(line).collect();
    if format == Format::Json {
        printer.data(&format!("{:#}\n", Value::Array(lines)));
        return;
    }
    if lines.is_empty() {
        printer.note(&format!("no run under `{}`", out.display()));
        return;
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for line in &lines {
        let told = match &line["unreadable"] {
            Value::String(why) => format!("{}  {why}", text(&line["run"])),
            _ => format!(
                "{}  {:<12}  {} -> {}  {}{}",
                text(&line["run"]),
                text(&line["verdict"]),
                text(&line["baseline"]),
                text(&line["candidate"]),
                counted(line["cases"].as_u64().unwrap_or(0), "case", "cases"),
                line["shard"].as_str().map_or_else(String::new, |shard| format!(", shard {shard}")),
            ),
        };
        printer.data(&format!("{}\n", super::printer::harmless(&told)));
    }
}

fn line(folder: &RunFolder) -> Value {
    let name = folder.0.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let meta = match folder.read_meta() {
        Ok(meta) => meta,
        Err(failure) => return json!({ "run": name, "unreadable": failure.message }),
    };
    let (verdict, exit_code) = verdict(folder, &meta);
    json!({
        "run": name,
        "started_at": meta.started_at,
        "status": meta.status,
        "verdict": verdict,
        "exit_code": exit_code,
        "baseline": side(&meta, Side::Baseline),
        "candidate": side(&meta, Side::Candidate),
        "cases": meta.cases.len(),
        "attempts": meta.attempts,
        "same_code": meta.same_code,
        "shard": meta.shard.map(|shard| shard.to_string()),
        "baseline_run": meta.baseline_run.as_ref().map(|stored| format!("{}:{}", stored.run_id, stored.side)),
    })
}

/// What its last report said; a run that is not complete, or a shard, has none.
fn verdict(folder: &RunFolder, meta: &RunMeta) -> (String, Value) {
    let summary = fs_err::read_to_string(folder.0.join("summary.json")).ok();
    let summary: Option<Value> = summary.and_then(|text| serde_json::from_str(&text).ok());
    let of_summary = summary.as_ref().and_then(|summary| summary["verdict"].as_str());
    match (of_summary, meta.status) {
        (Some(verdict), _) => {
            (verdict.to_owned(), summary.as_ref().map_or(Value::Null, |s| s["exit_code"].clone()))
        }
        (None, RunStatus::Started) => ("started".to_owned(), Value::Null),
        (None, RunStatus::Complete) => ("not judged".to_owned(), Value::Null),
    }
}

/// The revision, else server and version.
fn side(meta: &RunMeta, side: Side) -> String {
    meta.sides.get(&side_key(side)).map_or_else(|| "not known".to_owned(), name)
}

fn name(side: &SideMeta) -> String {
    let dirty = if side.dirty { "+dirty" } else { "" };
    match (&side.revision, &side.server_name) {
        (Some(revision), _) => format!("{revision}{dirty}"),
        (None, Some(name)) => {
            format!("{name} {}", side.server_version.as_deref().unwrap_or_default()).trim().to_owned()
        }
        (None, None) => "not known".to_owned(),
    }
}

fn show(folder: &RunFolder, format: Format, printer: &Printer) -> Result<(), Failure> {
    let meta = folder.read_meta()?;
    let ids: Vec<String> = case_order(&meta).into_iter().map(|(id, _)| id.clone()).collect();
    let journal =
        Journal::open(&folder.journals()?, &ids).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let planned: usize = ids.iter().map(|id| meta.planned(id).len()).sum();
    let mut value = line(folder);
    value["folder"] = folder.0.display().to_string().into();
    value["tool_version"] = meta.tool_version.clone().into();
    value["argv"] = json!(meta.argv);
    value["cwd"] = meta.cwd.clone().into();
    value["seed"] = meta.seed.into();
    value["client"] = meta.client.profile.clone().into();
    value["protocol"] = meta.protocol.clone().into();
    value["attempts_planned"] = planned.into();
    value["attempts_recorded"] = journal.len().into();
    value["files"] = json!(files(folder)?);
    if format == Format::Json {
        printer.data(&format!("{value:#}\n"));
        return Ok(());
    }
    let mut text = String::new();
    for (key, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        };
        text.push_str(&format!("{:<18} {value}\n", key.replace('_', " ")));
    }
    if meta.status == RunStatus::Started {
        text.push_str(&format!("\nnext: mcp-regress run --resume {}\n", folder.0.display()));
    }
    printer.data(&super::printer::harmless(&text));
    Ok(())
}

fn files(folder: &RunFolder) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs_err::read_dir(&folder.0)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
