//! Server definitions in the files of other programs, told apart by their keys.
//!
//! `{"mcpServers": {...}}` (Claude Code, Claude Desktop, Cursor), `{"servers": {...}, "inputs": [...]}` (VS Code,
//! with comments), `[mcp_servers.NAME]` (Codex, TOML), and a registry's `server.json`. Unknown keys are warnings:
//! the files belong to others.

mod codex;
mod entry;
mod registry;

use super::ServerConfig;
use crate::doc::{
    At, Comments, Document, Form, Problem, Problems, Report, Source, did_you_mean, list_of, read_bytes,
    read_text,
};
use std::path::Path;

/// The servers of a file, in its order.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    pub servers: Vec<(String, ServerConfig)>,
    /// What the file says that is not used here.
    pub warnings: Vec<Problem>,
}

/// Reads a file of server definitions; messages call it `shown`.
///
/// # Errors
/// Every problem of the file, also that it is in none of the four formats.
pub fn read(path: &Path, shown: &Path) -> Result<Definitions, Problems> {
    let bytes = read_bytes(path, shown)?;
    // A byte order mark is common in files of editors, and harmless.
    let (text, _) = read_text(bytes, shown, 1)?;
    let form = match text.trim_start().as_bytes().first() {
        Some(b'{' | b'/') => Form::Json,
        _ => Form::Toml,
    };
    let source = Source { file: shown.to_owned(), text, form, first_line: 1 };
    let report = Report::default();
    let servers = Document::parse(&source, Comments::Allowed, &report)
        .and_then(|document| servers(&At::root(&document, &report)));
    let (problems, warnings) = report.into_both(&source);
    match servers {
        Some(servers) if problems.is_empty() => Ok(Definitions { servers, warnings }),
        _ => Err(Problems(problems)),
    }
}

fn servers(root: &At<'_>) -> Option<Vec<(String, ServerConfig)>> {
    let table = root.free_table()?;
    if let Some(at) = table.get("mcpServers") {
        return entry::entries(&at);
    }
    if let Some(at) = table.get("mcp_servers") {
        return codex::entries(&at);
    }
    if let Some(at) = table.get("servers") {
        return entry::entries(&at);
    }
    if table.has("packages") || table.has("remotes") {
        return registry::server(&table);
    }
    root.problem(
        "no server definitions",
        Some(
            "one of the keys `mcpServers`, `servers`, `mcp_servers`, or `packages`/`remotes` of a registry"
                .to_owned(),
        ),
        None,
    );
    None
}

/// The server called `name`, or the only one.
///
/// # Errors
/// When there is no such server, or several and no name.
pub fn pick(
    mut servers: Vec<(String, ServerConfig)>,
    name: Option<&str>,
    shown: &Path,
) -> Result<(String, ServerConfig), Problems> {
    let names: Vec<String> = servers.iter().map(|(name, _)| name.clone()).collect();
    let names = || names.iter().map(String::as_str);
    let Some(name) = name else {
        return match servers.len() {
            1 => Ok(servers.remove(0)),
            0 => Err(Problem::of_file(shown, "no server in this file").into()),
            several => Err(Problem::of_file(shown, format!("{several} servers in this file"))
                .expected(format!("`name` = {}", list_of(names())))
                .hint("say which with `name` beside `from`")
                .into()),
        };
    };
    match servers.iter().position(|(found, _)| found == name) {
        Some(index) => Ok(servers.swap_remove(index)),
        None => {
            let problem = Problem::of_file(shown, format!("no server `{name}` in this file"));
            let problem = problem.expected(list_of(names()));
            Err(Problem { hint: did_you_mean(name, names()), ..problem }.into())
        }
    }
}
