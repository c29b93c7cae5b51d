//! `init`: a suite file for a server that someone has, written once the server has said what it can do.

mod written;

use super::sizes::counted;
use super::{Failure, Printer, hints, resolve, side};
use crate::agent::{ToolUse, Toolbox};
use crate::cli::{InitArgs, SideFlags};
use crate::exit::ExitCode;
use crate::run::{self, PreparedSide};
use crate::suite::toml_lines as toml;
use crate::suite::{self, Found, SUITE_FILE, ServerConfig, Suite, definitions};
use crate::wire::ClientInfo;
use crate::words::Side;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// Server definitions that are taken when no flag says where the server is.
const DEFINITIONS: &str = ".mcp.json";

pub(super) fn run(args: InitArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let file = match args.dir.to_str() {
        Some(".") => PathBuf::from(SUITE_FILE),
        _ => args.dir.join(SUITE_FILE),
    };
    if file.exists() {
        return Err(Failure::usage(format!("`{}` is there already, and is not overwritten", file.display()))
            .hint("edit it, or give another folder with --dir"));
    }
    if !args.dir.is_dir() {
        return Err(Failure::usage(format!("--dir: there is no folder `{}`", args.dir.display())));
    }
    let dir = fs_err::canonicalize(&args.dir)?;
    let config = server(&args, &dir)?;
    let mut suite = Found::Defaults { dir: dir.clone() }.load()?;
    suite.server = Some(config.clone());
    let sides = side::resolve(&suite, &SideFlags::default(), &dir.join("results"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let limits = resolve::limits(&suite, None);
    let info = ClientInfo::default();
    let prepared = runtime
        .block_on(run::prepare(Side::Candidate, &sides.candidate.spec, &info, &limits, 0))
        .map_err(|error| hints::side_failed(&error))?;
    let tools = toolbox(&suite, &prepared);
    let text = written::suite(&config, &prepared, &tools);
    check(&text)?;
    let mut out = fs_err::File::create_new(&file)
        .map_err(|error| Failure::usage(error).hint("give another folder with --dir"))?;
    out.write_all(text.as_bytes())?;
    for warning in sides.candidate.warnings.iter().chain(&prepared.warnings) {
        printer.note(&format!("warning: {}", super::printer::harmless(warning)));
    }
    if has_secret(&sides.candidate.meta.command, &sides.candidate.spec) {
        printer.note(
            "warning: the command or URL in the suite file seems to hold a secret; keep it in a variable and write ${NAME}",
        );
    }
    printer.data(&super::printer::harmless(&told(&file, &prepared, &tools)));
    Ok(ExitCode::Success)
}

/// The server as the suite file will have it.
fn server(args: &InitArgs, dir: &Path) -> Result<ServerConfig, Failure> {
    if args.command.is_empty() && args.url.is_none() {
        return from_definitions(args, dir);
    }
    let pairs = |flag: &str, given: &[String], between: char| {
        let one = |pair: &String| match pair.split_once(between) {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim_start().to_owned()))
            }
            _ => Err(Failure::usage(format!("--{flag} is `{pair}`; expected NAME{between}VALUE"))),
        };
        given.iter().map(one).collect::<Result<Vec<_>, Failure>>()
    };
    let cwd = fs_err::canonicalize(std::env::current_dir()?)?;
    Ok(ServerConfig {
        command: (!args.command.is_empty()).then(|| args.command.clone()),
        url: args.url.clone(),
        headers: pairs("header", &args.header, ':')?,
        env: pairs("env", &args.env, '=')?,
        // The command was given as it works here, and sides start in the suite's folder.
        root: (!args.command.is_empty() && cwd != dir).then(|| relative(dir, &cwd)),
        ..ServerConfig::default()
    })
}

/// The only server of `.mcp.json`, or the one that `--name` picks.
fn from_definitions(args: &InitArgs, dir: &Path) -> Result<ServerConfig, Failure> {
    let shown = args.dir.join(DEFINITIONS);
    if !dir.join(DEFINITIONS).is_file() {
        return Err(Failure::usage(format!("no server is named, and there is no `{}`", shown.display()))
            .hint("mcp-regress init -- COMMAND..., or mcp-regress init --url URL"));
    }
    let found = definitions::read(&dir.join(DEFINITIONS), &shown)?;
    let names: Vec<String> = found.servers.iter().map(|(name, _)| name.clone()).collect();
    let listed = || crate::doc::list_of(names.iter().map(String::as_str));
    match &args.name {
        Some(name) if !names.contains(name) => {
            let near = crate::doc::did_you_mean(name, names.iter().map(String::as_str));
            let failure = Failure::usage(format!(
                "--name: no server `{name}` in `{}`; expected {}",
                shown.display(),
                listed()
            ));
            return Err(match near {
                Some(near) => failure.hint(near),
                None => failure,
            });
        }
        None if names.len() > 1 => {
            return Err(Failure::usage(format!("{} servers in `{}`", names.len(), shown.display()))
                .hint(format!("say which with --name: {}", listed())));
        }
        None if names.is_empty() => {
            return Err(Failure::usage(format!("no server in `{}`", shown.display())));
        }
        _ => {}
    }
    Ok(ServerConfig {
        from: Some(DEFINITIONS.to_owned()),
        name: args.name.clone(),
        ..ServerConfig::default()
    })
}

/// `to` as seen from `from`, both absolute and without links: upwards only, else as it is.
fn relative(from: &Path, to: &Path) -> String {
    match from.strip_prefix(to) {
        Ok(below) => {
            let ups: PathBuf = below.components().map(|_| Component::ParentDir).collect();
            ups.display().to_string()
        }
        Err(_) => to.display().to_string(),
    }
}

fn toolbox(suite: &Suite, prepared: &PreparedSide) -> Toolbox {
    let used = prepared.tools.iter().map(|tool| (tool.name.clone(), ToolUse::default())).collect();
    Toolbox::new(suite, &used, &prepared.tools, &prepared.tools, &BTreeMap::new())
}

/// What is written must load, whatever the server calls its tools.
fn check(text: &str) -> Result<(), Failure> {
    let trial = tempfile::tempdir()?;
    let file = trial.path().join(SUITE_FILE);
    fs_err::write(&file, text)?;
    suite::load(&file)
        .map_err(|problems| Failure::usage(format!("the suite file would not load:\n{problems}")))?;
    Ok(())
}

/// Whether something that is hidden when written elsewhere stands in the suite file as given.
fn has_secret(redacted: &[String], spec: &run::SideSpec) -> bool {
    let given: Vec<&String> =
        if spec.argv.is_empty() { spec.url.iter().collect() } else { spec.argv.iter().collect() };
    redacted.iter().zip(given).any(|(redacted, given)| redacted != given && redacted.contains("***"))
}

/// What was done, and the ways on.
fn told(file: &Path, prepared: &PreparedSide, tools: &Toolbox) -> String {
    let count = prepared.tools.len();
    let annotated = prepared.tools.iter().filter(|tool| tool.read_only == Some(true)).count();
    let mut told = format!(
        "{} {}, protocol {}: {}, {annotated} of them annotated as reading only\nwrote {}\n\n",
        prepared.server_name,
        prepared.server_version,
        prepared.protocol,
        counted(count as u64, "tool", "tools"),
        file.display()
    );
    if count > annotated {
        told.push_str(
            "A replay never calls a tool that may change anything. Of the others, those that only read are allowed in the\nsuite file: remove the # in front of their lines.\n\n",
        );
    }
    let suite = if file.parent().is_some_and(|dir| !matches!(dir.to_str(), Some("" | "." | "cases"))) {
        format!(" --suite {}", shell_words::quote(&file.parent().unwrap_or(file).display().to_string()))
    } else {
        String::new()
    };
    told.push_str("Ways to cases:\n");
    told.push_str(&format!("  one call    mcp-regress probe{suite} {}\n", example(prepared, tools)));
    told.push_str("  by hand     NAME.case.json beside the suite file, in the form that cases/README.md of mcp-regress shows\n");
    told.push_str(&format!("Then: mcp-regress check{suite}\n"));
    told
}

/// A call to try: of a tool that may be called and reads, with what it requires.
fn example(prepared: &PreparedSide, tools: &Toolbox) -> String {
    let reads = |name: &str| tools.get(name).is_some_and(|tool| tool.kind == crate::words::ToolKind::Read);
    let allowed = || prepared.tools.iter().filter(|tool| tool.read_only == Some(true));
    let Some(tool) = allowed().find(|tool| reads(&tool.name)).or_else(|| allowed().next()) else {
        return "TOOL '{\"argument\": \"value\"}'".to_owned();
    };
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let arguments: Map<String, Value> = names
        .map(|name| {
            let kind =
                tool.input_schema.get("properties").and_then(|all| all.get(name)?.get("type")?.as_str());
            let value = match kind {
                Some("integer" | "number") => Value::from(1),
                Some("boolean") => Value::from(true),
                Some("array") => Value::Array(vec![Value::from("...")]),
                Some("object") => Value::Object(Map::new()),
                _ => Value::from("..."),
            };
            (name.to_owned(), value)
        })
        .collect();
    let arguments = Value::Object(arguments).to_string();
    format!("{} {}", shell_words::quote(&tool.name), shell_words::quote(&arguments))
}
