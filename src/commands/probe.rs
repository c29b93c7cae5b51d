//! `probe`: one case from one call.

mod place;
mod seen;

use super::resolve::{self, Settings};
use super::side::{self, ResolvedSides};
use super::{Failure, Printer, hints};
use crate::agent::{Answer, Caller, Reply, SideTool, Tool, ToolUse, Toolbox};
use crate::case;
use crate::cli::{ProbeArgs, RunArgs, SuiteFlags};
use crate::client::ToolResult;
use crate::exit::ExitCode;
use crate::run::{self, PrepareError};
use crate::suite::Suite;
use crate::suite::toml_lines;
use crate::words::{Side, ToolKind};
use seen::Seen;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(args: ProbeArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let arguments = arguments(&args.arguments)?;
    let flags = SuiteFlags { suite: args.suite.clone(), ..SuiteFlags::default() };
    let selected = resolve::cases_of(resolve::suite_at(flags.suite.as_deref())?, &flags)?;
    let run_args = RunArgs { client: args.client.clone(), ..RunArgs::default() };
    let settings = resolve::settings(&selected, &run_args)?;
    // A bad id and a place that is taken are found before anything is called.
    let place = place::new(&selected, args.id.as_deref(), &args.tool)?;
    case::parse(&written(&place.id, &args, &arguments, false), &place.file)?;
    let sides = side::resolve(&selected.suite, &args.sides, Path::new("results"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let probed = runtime.block_on(call(&args.tool, &arguments, &selected.suite, &settings, &sides))?;

    let Probed { tool, result, wire_bytes, server, warnings } = probed;
    for warning in &warnings {
        printer.note(&format!("warning: {}", super::printer::harmless(warning)));
    }
    let unknown = tool.schema.unknown(arguments.keys());
    if !unknown.is_empty() {
        printer.note(&format!(
            "warning: the schema of `{}` does not know `{}`; it was sent all the same",
            tool.name,
            unknown.join("`, `")
        ));
    }
    let seen = Seen::new(&tool, &arguments, &result, wire_bytes, &settings);
    let reads = tool.kind == ToolKind::Read || seen.offers_more() || !args.contains.is_empty();
    let text = written(&place.id, &args, &arguments, reads);
    let case = case::parse(&text, &place.file)?;
    if reads && !seen.offers_more() && !seen.meets_need(&case, &tool, &result) {
        printer.note(
            "warning: a text of --contains is not in this result, which offers no more: the case's need is met nowhere",
        );
    }
    if let Some(folder) = place.file.parent() {
        fs_err::create_dir_all(folder)?;
    }
    fs_err::File::create_new(&place.file).map_err(Failure::usage)?.write_all(text.as_bytes())?;

    let mut told = format!("{} on the {}\n{}", tool.side_name, server, seen.told(&tool));
    told.push_str(&format!("wrote {} (case `{}`): {}\n", place.file.display(), place.id, what(reads, &args)));
    if let Some(note) = &place.note {
        told.push_str(&format!("{note}\n"));
    }
    let suite = args
        .suite
        .as_ref()
        .map(|suite| format!(" --suite {}", shell_words::quote(&suite.display().to_string())));
    told.push_str(&format!("next: mcp-regress check{}\n", suite.unwrap_or_default()));
    printer.data(&super::printer::harmless(&told));
    Ok(ExitCode::Success)
}

fn arguments(text: &str) -> Result<Map<String, Value>, Failure> {
    let hint = "give them as one JSON object in single quotes, such as '{\"path\": \"a.md\"}'";
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Failure::usage(format!("the arguments `{text}` are no JSON object")).hint(hint)),
        Err(error) => Err(Failure::usage(format!("the arguments `{text}` are no JSON: {error}")).hint(hint)),
    }
}

/// A call that was answered well.
struct Probed {
    tool: Arc<Tool>,
    result: ToolResult,
    wire_bytes: usize,
    server: String,
    warnings: Vec<String>,
}

async fn call(
    name: &str,
    arguments: &Map<String, Value>,
    suite: &Suite,
    settings: &Settings,
    sides: &ResolvedSides,
) -> Result<Probed, Failure> {
    let output = tempfile::tempdir()?;
    let (services, dir, secrets) = (&suite.services, &suite.dir, sides.secrets());
    let _services = run::start_services(services, dir, output.path(), settings.limits.start, &secrets)
        .await
        .map_err(|error| Failure::new(ExitCode::SideFailed, error))?;
    let failed = |error: PrepareError| hints::side_failed(&error);
    let (info, limits, seed) = (&settings.info, &settings.limits, settings.seed);
    let spec = &sides.candidate.spec;
    let (prepared, mut seat) = run::open(Side::Candidate, spec, info, limits, seed).await.map_err(failed)?;
    // The baseline's annotations decide what may be called, unless the suite does.
    let baseline = if sides.a_a || is_decided(suite, name) {
        prepared.tools.clone()
    } else {
        run::prepare(Side::Baseline, &sides.baseline.spec, info, limits, seed).await.map_err(failed)?.tools
    };
    let tool = allowed(name, suite, sides, &baseline, &prepared.tools)?;
    let sent = tool.side_arguments(arguments).into_owned();
    let answer = seat.call(&tool.side_name, &sent).await;
    seat.close().await;
    let server = format!("candidate ({} {})", prepared.server_name, prepared.server_version);
    let warnings =
        sides.candidate.warnings.iter().chain(&prepared.warnings).chain(&answer.warnings).cloned().collect();
    let (result, wire_bytes) = answered(&tool, answer)?;
    Ok(Probed { tool, result, wire_bytes, server, warnings })
}

/// Whether the suite alone says that the tool may be called, or not.
fn is_decided(suite: &Suite, name: &str) -> bool {
    suite
        .tools
        .get(name)
        .is_some_and(|tool| tool.replay.is_some() || tool.kind.is_some_and(|kind| kind != ToolKind::Other))
}

/// The tool on the candidate, when it is there and may be called.
fn allowed(
    name: &str,
    suite: &Suite,
    sides: &ResolvedSides,
    baseline: &[SideTool],
    candidate: &[SideTool],
) -> Result<Arc<Tool>, Failure> {
    let used = BTreeMap::from([(name.to_owned(), ToolUse::default())]);
    let toolbox = Toolbox::new(suite, &used, baseline, candidate, &sides.candidate.renames);
    let tool = toolbox.get(name).cloned().filter(|tool| tool.is_listed);
    let Some(tool) = tool else {
        let names = || candidate.iter().map(|tool| tool.name.as_str());
        let near = crate::doc::did_you_mean(name, names());
        let failure = Failure::usage(format!("the candidate lists no tool `{name}`"));
        return Err(
            failure.hint(near.unwrap_or_else(|| format!("it lists {}", crate::doc::list_of(names()))))
        );
    };
    if tool.may_call {
        return Ok(tool);
    }
    let why = match suite.tools.get(name) {
        Some(declared) if declared.replay == Some(false) => "the suite says `replay = false`",
        Some(declared) if declared.kind == Some(ToolKind::Write) => "the suite calls it a `write` tool",
        _ => "neither the suite nor the baseline's annotations say that it only reads",
    };
    let lines = format!("[tools.{}]\nreplay = true", toml_lines::key(name));
    Err(Failure::new(
        ExitCode::NothingSelected,
        format!("`{name}` was not called: {why}. Where it only reads, paste into the suite:\n\n{lines}"),
    ))
}

/// The result and its size on the wire; an answer that is none makes no case.
fn answered(tool: &Tool, answer: Answer) -> Result<(ToolResult, usize), Failure> {
    let refused = |message: &str| {
        let first: String = message.chars().take(500).collect();
        Failure::usage(format!("`{}` failed, and no case was written: {first}", tool.name))
            .hint("give arguments with which it works")
    };
    let lost = |how: &str| Failure::new(ExitCode::SideFailed, format!("calling `{}`: {how}", tool.name));
    match answer.reply {
        Reply::Result(raw) => {
            let result = ToolResult::parse(raw.get());
            if result.is_error {
                let text: Vec<&str> = result.blocks.iter().map(|block| block.text()).collect();
                return Err(refused(&text.join("\n")));
            }
            Ok((result, raw.get().len()))
        }
        Reply::Error { message, .. } => Err(refused(&message)),
        Reply::Timeout => {
            Err(lost("no answer within the time limit").hint("`call_timeout_s` in the suite gives it longer"))
        }
        Reply::Crashed(how) | Reply::Infrastructure(how) => Err(lost(&how)),
    }
}

/// The case file.
fn written(id: &str, args: &ProbeArgs, arguments: &Map<String, Value>, reads: bool) -> String {
    let mut step = Map::new();
    step.insert(if reads { "read" } else { "call" }.to_owned(), json!(args.tool));
    step.insert("arguments".to_owned(), crate::case::escaped(Value::Object(arguments.clone())));
    if reads {
        let need =
            if args.contains.is_empty() { json!({"end": true}) } else { json!({"contains": args.contains}) };
        step.insert("need".to_owned(), need);
    }
    let case = json!({
        "format_version": 1,
        "id": id,
        "recordings": [{ "id": "r1", "source": { "kind": "probe" }, "steps": [step] }],
    });
    // A map of texts and numbers can always be written.
    format!("{case:#}\n")
}

fn what(reads: bool, args: &ProbeArgs) -> &'static str {
    match (reads, args.contains.is_empty()) {
        (false, _) => "a `call` step, done once",
        (true, false) => "a `read` step that goes on until the texts have been seen",
        (true, true) => {
            "a `read` step that goes on to the end.\n\
             `end` cannot see lost content: better name a text that the agent needed, \
             with --contains TEXT or as \"need\": {\"contains\": [...]} in the file"
        }
    }
}
