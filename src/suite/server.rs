//! `[server]`, `[baseline]`, `[candidate]`, `[[service]]`.

use super::placeholder::{Placeholder, placeholders_in};
use super::{HttpTransport, Rename, ServerConfig, ServiceConfig};
use crate::doc::{At, Content, Table};
use crate::words::Restart;
use std::collections::BTreeMap;

const KEYS: [&str; 12] =
    ["command", "url", "type", "headers", "env", "cwd", "root", "rev", "build", "from", "name", "pass_env"];

/// What the rest of the suite says that a server's table is checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    pub restart: Option<Restart>,
    /// `name` may stand alone when `[server]` has the `from`.
    pub server_has_from: bool,
    /// `tools.NAME.rename` stands per side.
    pub is_side: bool,
}

pub(super) fn server(at: &At<'_>, around: Around) -> Option<ServerConfig> {
    let mut keys = KEYS.to_vec();
    keys.push("tools");
    let table = at.table(&keys)?;
    let text = |key: &str| table.get(key).and_then(|at| at.text().map(str::to_owned));
    let config = ServerConfig {
        command: table.get("command").and_then(|at| command(&at, around.restart)),
        url: table.get("url").and_then(|at| url(&at, around.restart)),
        transport: table.get("type").and_then(|at| at.choice(HttpTransport::ALL, HttpTransport::as_str)),
        headers: table.get("headers").map(|at| texts_by_name(&at, None)).unwrap_or_default(),
        env: table.get("env").map(|at| texts_by_name(&at, Some(around.restart))).unwrap_or_default(),
        cwd: text("cwd"),
        root: text("root"),
        rev: text("rev"),
        build: text("build"),
        from: text("from"),
        name: text("name"),
        pass_env: table.get("pass_env").and_then(|at| pass_env(&at)),
        renames: renames(&table, around),
    };
    check_together(&table, around);
    Some(config)
}

/// Keys that exclude or need each other.
fn check_together(table: &Table<'_>, around: Around) {
    if table.has("from") {
        table.refuse(&["command", "url"], "beside `from`: two kinds of server in one place");
    }
    if table.has("rev") {
        table.refuse(&["root"], "beside `rev`: the root is then the checkout of the revision");
    }
    if table.has("url") && !table.has("command") && !table.has("from") {
        let why = "has no meaning for a server that is only reached by `url`";
        table.refuse(&["rev", "build", "root", "cwd", "env", "pass_env"], why);
        if let Some(at) = table.get("url")
            && at.as_text().is_some_and(|url| placeholders_in(url).contains(&Placeholder::Port))
        {
            at.problem("`{port}` in a `url` without a `command`", None, Some(PORT_HINT.to_owned()));
        }
    }
    if table.has("command") && !table.has("url") {
        let why = "beside a `command` without `url`: it has a meaning over HTTP only";
        table.refuse(&["type"], why);
        table.refuse(&["headers"], "beside a `command` without `url`: headers are sent over HTTP only");
    }
    if !table.has("from") && !around.server_has_from {
        table.refuse(&["name"], "without `from`: it names a server in that file");
    }
}

const PORT_HINT: &str = "a free port is chosen for a server that is started by `command`";

/// A program with its arguments.
fn command(at: &At<'_>, restart: Option<Restart>) -> Option<Vec<String>> {
    if at.as_text().is_some() {
        let hint = "write the program and each argument as a text of its own".to_owned();
        at.wrong_with("a list of texts such as `[\"python3\", \"server.py\"]`", Some(hint));
        return None;
    }
    let items = at.items("a list of texts", 1)?;
    let words: Vec<Option<String>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let word = if index == 0 { item.text() } else { item.any_text() }?;
            check_placeholders(item, word, restart);
            Some(word.to_owned())
        })
        .collect();
    words.into_iter().collect()
}

fn url(at: &At<'_>, restart: Option<Restart>) -> Option<String> {
    let at = at.secret();
    let text = at.text()?;
    check_placeholders(&at, text, restart);
    // A whole URL may come from a variable: it is then looked at when the variable is known.
    if !(text.starts_with("http://") || text.starts_with("https://") || text.starts_with("${")) {
        at.problem("a text", Some("a URL that begins with `http://` or `https://`".to_owned()), None);
        return None;
    }
    Some(text.to_owned())
}

/// `{attempt_seed}` changes with every attempt: a process that outlives one would keep the first.
fn check_placeholders(at: &At<'_>, text: &str, restart: Option<Restart>) {
    if restart != Some(Restart::Attempt) && placeholders_in(text).contains(&Placeholder::AttemptSeed) {
        at.problem(
            "`{attempt_seed}` without `restart = \"attempt\"`",
            None,
            Some("set `restart = \"attempt\"`, or use `{seed}`".to_owned()),
        );
    }
}

/// A table of texts; `checked` asks for a look at placeholders.
fn texts_by_name(at: &At<'_>, checked: Option<Option<Restart>>) -> Vec<(String, String)> {
    let at = at.secret();
    let Some(table) = at.free_table() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in table.all() {
        if name.is_empty() || name.contains(['=', '\0', '\n', '\r']) {
            value.problem("a bad name", Some("a name without `=` and line breaks".to_owned()), None);
            continue;
        }
        let Some(text) = value.as_text() else {
            let hint = "put the value in quotes".to_owned();
            value.wrong_with("a text", Some(hint));
            continue;
        };
        if let Some(restart) = checked {
            check_placeholders(&value, text, restart);
        }
        found.push((name.to_owned(), text.to_owned()));
    }
    found
}

fn pass_env(at: &At<'_>) -> Option<Vec<String>> {
    match at.node().content {
        Content::Text(ref text) if text == "all" => Some(vec!["all".to_owned()]),
        Content::List(_) => at.texts(0),
        _ => {
            at.wrong("a list of variable names, or `\"all\"`");
            None
        }
    }
}

/// `[candidate.tools.NAME] rename = { tool = ..., arguments = { old = new } }`.
fn renames(table: &Table<'_>, around: Around) -> BTreeMap<String, Rename> {
    let mut found = BTreeMap::new();
    let Some(tools) = table.get("tools") else { return found };
    if !around.is_side {
        let hint = "`rename` stands per side, as `[candidate.tools.NAME]`; everything else as `[tools.NAME]`";
        table.problem_at_key("tools", "`tools` under `[server]`", None, Some(hint.to_owned()));
        return found;
    }
    let Some(by_name) = tools.free_table() else { return found };
    for (name, tool) in by_name.all() {
        if let Some(rename) = rename_of(&tool) {
            found.insert(name.to_owned(), rename);
        }
    }
    found
}

fn rename_of(tool: &At<'_>) -> Option<Rename> {
    let table = tool.table(&["rename"])?;
    let at = table.must("rename", "`{ tool = \"new_name\", arguments = { old = \"new\" } }`")?;
    let parts = at.table(&["tool", "arguments"])?;
    if parts.is_empty() {
        at.problem("an empty table", Some("`tool`, `arguments` or both".to_owned()), None);
        return None;
    }
    let tool = parts.get("tool").and_then(|at| at.text().map(str::to_owned));
    let mut arguments: BTreeMap<String, String> = BTreeMap::new();
    if let Some(at) = parts.get("arguments")
        && let Some(names) = at.free_table()
    {
        for (old, new) in names.all() {
            let Some(text) = new.text() else { continue };
            if arguments.values().any(|taken| taken == text) {
                new.problem(format!("`{text}` is the new name of two arguments"), None, None);
                continue;
            }
            arguments.insert(old.to_owned(), text.to_owned());
        }
    }
    Some(Rename { tool, arguments })
}

/// `[[service]]`.
pub(super) fn service(at: &At<'_>) -> Option<ServiceConfig> {
    let table = at.table(&["command", "ready"])?;
    // A service outlives every attempt, whatever `restart` says.
    let command = table.must("command", "a list of texts").and_then(|at| command(&at, None));
    let ready = table.get("ready").map(|at| url(&at, None));
    Some(ServiceConfig { command: command?, ready: ready.flatten() })
}
