//! `{"NAME": {"command": ..., "args": [...], "env": {...}}}`, as `mcpServers` and VS Code's `servers` have it.

use super::ServerConfig;
use crate::doc::{At, Table};
use crate::suite::HttpTransport;

/// Keys that are used, and those of clients' own that change nothing about the server.
const KNOWN: [&str; 18] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "disabled",
    "enabled",
    "timeout",
    "alwaysAllow",
    "autoApprove",
    "description",
    "gallery",
    "version",
];

pub(super) fn entries(at: &At<'_>) -> Option<Vec<(String, ServerConfig)>> {
    named(at, server)
}

/// Every server of a table, each read by `server`; none when one cannot be read.
pub(super) fn named(
    at: &At<'_>,
    server: impl Fn(&At<'_>) -> Option<ServerConfig>,
) -> Option<Vec<(String, ServerConfig)>> {
    let table = at.free_table()?;
    let found: Vec<Option<(String, ServerConfig)>> =
        table.all().map(|(name, at)| Some((name.to_owned(), server(&at)?))).collect();
    found.into_iter().collect()
}

fn server(at: &At<'_>) -> Option<ServerConfig> {
    let table = at.free_table()?;
    table.warn_of_unknown(&KNOWN);
    let url_key = ["url", "serverUrl", "httpUrl"].into_iter().find(|key| table.has(key));
    let url = url_key.and_then(|key| table.get(key)).and_then(|at| at.secret().text().map(str::to_owned));
    let command = command(&table);
    match (&command, &url) {
        (None, None) if !table.has("command") && url_key.is_none() => {
            at.problem("a server without `command` and `url`", Some("one of them".to_owned()), None);
            return None;
        }
        (Some(_), Some(_)) => {
            at.problem("a server with `command` and `url`", Some("one of them".to_owned()), None);
            return None;
        }
        _ => {}
    }
    let transport = url.as_ref().and_then(|_| transport(&table));
    Some(ServerConfig {
        command,
        url,
        transport,
        headers: table.get("headers").map(|at| texts(&at)).unwrap_or_default(),
        env: table.get("env").map(|at| texts(&at)).unwrap_or_default(),
        cwd: table.get("cwd").and_then(|at| at.text().map(str::to_owned)),
        ..ServerConfig::default()
    })
}

/// `"type": "sse"` as clients write it; some call the key `transport`, and the newer transport has several names.
pub(super) fn transport(table: &Table<'_>) -> Option<HttpTransport> {
    let at = table.get("type").or_else(|| table.get("transport"))?;
    match at.as_text() {
        Some("sse") => Some(HttpTransport::LegacySse),
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => {
            Some(HttpTransport::Streamable)
        }
        _ => {
            at.warn("a transport that is not known", Some("streamable HTTP is tried at this URL".to_owned()));
            None
        }
    }
}

/// `command` and `args` as one list.
pub(super) fn command(table: &Table<'_>) -> Option<Vec<String>> {
    let mut words = vec![table.get("command")?.text()?.to_owned()];
    if let Some(args) = table.get("args") {
        for item in args.items("a list of texts", 0)? {
            words.push(item.any_text()?.to_owned());
        }
    }
    Some(words)
}

/// A table of texts; numbers and truth values are taken as their texts, which is what clients do.
pub(super) fn texts(at: &At<'_>) -> Vec<(String, String)> {
    let at = at.secret();
    let Some(table) = at.free_table() else { return Vec::new() };
    table
        .all()
        .filter_map(|(name, value)| {
            use crate::doc::Content::{Flag, Number};
            let text = match &value.node().content {
                Number(number) => number.to_string(),
                Flag(flag) => flag.to_string(),
                _ => value.any_text()?.to_owned(),
            };
            Some((name.to_owned(), text))
        })
        .collect()
}
