//! Reading a suite file.

use super::find::{SUITE_FILE, absolute};
use super::server::Around;
use super::{ClientConfig, Rule, ServerConfig, Suite, client, globs, rule, server, tool};
use crate::doc::{At, Comments, Document, Form, Problems, Report, Source, Table, read_bytes, read_text};
use crate::text::sha256_hex;
use crate::words::{OnOversized, Restart};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const KEYS: [&str; 18] = [
    "format_version",
    "cases",
    "attempts",
    "same_code",
    "seed",
    "on_oversized",
    "spill_chunk",
    "restart",
    "max_pages",
    "start_timeout_s",
    "call_timeout_s",
    "client",
    "server",
    "baseline",
    "candidate",
    "service",
    "tools",
    "rule",
];

const MOST_ATTEMPTS: u32 = 100_000;
const MOST_SAME_CODE: u32 = 1_000;
const LONGEST_WAIT_S: f64 = 86_400.0;

/// Reads and checks a suite file; a folder means its `mcp-regress.toml`.
///
/// # Errors
/// Every problem of the file.
pub fn load(path: &Path) -> Result<Suite, Problems> {
    let file = if path.is_dir() { path.join(SUITE_FILE) } else { path.to_owned() };
    let bytes = read_bytes(&file, &file)?;
    let sha256 = sha256_hex(&bytes);
    let (text, mark) = read_text(bytes, &file, 1)?;
    let source = Source { file: file.clone(), text, form: Form::Toml, first_line: 1 };
    let report = Report::default();
    let suite = Document::parse(&source, Comments::Refused, &report)
        .and_then(|document| read(&At::root(&document, &report)));
    let problems: Vec<_> = mark.into_iter().chain(report.into_problems(&source)).collect();
    match suite {
        Some(suite) if problems.is_empty() => Ok(Suite {
            dir: absolute(file.parent().unwrap_or(Path::new("."))),
            file: Some(file),
            sha256,
            ..suite
        }),
        _ => Err(Problems(problems)),
    }
}

fn read(root: &At<'_>) -> Option<Suite> {
    let table = root.table(&KEYS)?;
    if let Some(at) = table.must("format_version", "`1`") {
        at.whole(1..=1);
    }
    let restart = table.get("restart").and_then(|at| at.choice(Restart::ALL, Restart::as_str));
    let [server, baseline, candidate] = servers(&table, restart);
    let whole = |key: &str, least: u32, most: u32| table.get(key).and_then(|at| at.whole32(least..=most));
    Some(Suite {
        file: None,
        dir: Default::default(),
        sha256: String::new(),
        cases: table
            .get("cases")
            .map(|at| case_globs(&at))
            .unwrap_or_else(|| globs::DEFAULT_CASES.map(str::to_owned).to_vec()),
        attempts: whole("attempts", 1, MOST_ATTEMPTS),
        same_code: whole("same_code", 0, MOST_SAME_CODE),
        seed: table.get("seed").and_then(|at| at.whole(0..=u64::MAX)),
        on_oversized: table
            .get("on_oversized")
            .and_then(|at| at.choice(OnOversized::ALL, OnOversized::as_str)),
        spill_chunk: table.get("spill_chunk").and_then(|at| at.whole(1..=u64::MAX)),
        restart,
        max_pages: whole("max_pages", 1, u32::MAX),
        start_timeout: table.get("start_timeout_s").and_then(|at| wait(&at)),
        call_timeout: table.get("call_timeout_s").and_then(|at| wait(&at)),
        client: table.get("client").and_then(|at| client::client(&at)).unwrap_or_else(ClientConfig::default),
        server,
        baseline,
        candidate,
        services: list(&table, "service", "[[service]]", server::service),
        tools: tools(&table),
        rules: list::<Rule>(&table, "rule", "[[rule]]", rule::rule),
    })
}

/// `[server]`, `[baseline]`, `[candidate]`.
fn servers(table: &Table<'_>, restart: Option<Restart>) -> [Option<ServerConfig>; 3] {
    let server_has_from = table.get("server").is_some_and(|at| at.node().entry("from").is_some());
    ["server", "baseline", "candidate"].map(|key| {
        let at = table.get(key)?;
        server::server(&at, Around { restart, server_has_from, is_side: key != "server" })
    })
}

/// Globs of case files, relative to the suite's folder and inside it.
fn case_globs(at: &At<'_>) -> Vec<String> {
    let Some(items) = at.items("a list of globs", 1) else { return Vec::new() };
    let mut found = Vec::new();
    for item in &items {
        let Some(glob) = item.text() else { continue };
        if let Err(error) = globs::compile(glob, true) {
            item.problem(error.to_string(), None, None);
        } else if glob.starts_with('/') || glob.split('/').any(|part| part == "..") {
            let hint = "case files lie in the suite file's folder or below it";
            item.wrong_with("a glob relative to the suite file's folder", Some(hint.to_owned()));
        } else {
            found.push(glob.strip_prefix("./").unwrap_or(glob).to_owned());
        }
    }
    found
}

fn wait(at: &At<'_>) -> Option<Duration> {
    let allowed = "a number of seconds over 0, at most 86400";
    let seconds = at.number(allowed, |value| value > 0.0 && value <= LONGEST_WAIT_S)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// An array of tables; what cannot be read has been reported.
fn list<T>(table: &Table<'_>, key: &str, allowed: &str, read: impl Fn(&At<'_>) -> Option<T>) -> Vec<T> {
    let Some(at) = table.get(key) else { return Vec::new() };
    let Some(items) = at.items(&format!("a list of tables, each `{allowed}`"), 0) else { return Vec::new() };
    items.iter().filter_map(read).collect()
}

fn tools(table: &Table<'_>) -> BTreeMap<String, super::ToolDeclaration> {
    let Some(at) = table.get("tools") else { return BTreeMap::new() };
    let Some(by_name) = at.free_table() else { return BTreeMap::new() };
    by_name.all().filter_map(|(name, at)| Some((name.to_owned(), tool::tool(&at)?))).collect()
}
