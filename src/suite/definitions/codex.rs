//! `[mcp_servers.NAME]` of Codex.

use super::ServerConfig;
use super::entry::{command, named, texts};
use crate::doc::At;

const KNOWN: [&str; 18] = [
    "command",
    "args",
    "env",
    "env_vars",
    "cwd",
    "url",
    "bearer_token_env_var",
    "http_headers",
    "env_http_headers",
    "startup_timeout_sec",
    "startup_timeout_ms",
    "tool_timeout_sec",
    "enabled",
    "required",
    "enabled_tools",
    "disabled_tools",
    "scopes",
    "supports_parallel_tool_calls",
];

pub(super) fn entries(at: &At<'_>) -> Option<Vec<(String, ServerConfig)>> {
    named(at, server)
}

fn server(at: &At<'_>) -> Option<ServerConfig> {
    let table = at.free_table()?;
    table.warn_of_unknown(&KNOWN);
    let command = command(&table);
    let url = table.get("url").and_then(|at| at.secret().text().map(str::to_owned));
    if !table.has("command") && !table.has("url") {
        at.problem("a server without `command` and `url`", Some("one of them".to_owned()), None);
        return None;
    }
    if command.is_some() && url.is_some() {
        at.problem("a server with `command` and `url`", Some("one of them".to_owned()), None);
        return None;
    }
    let mut headers = table.get("http_headers").map(|at| texts(&at)).unwrap_or_default();
    // These name the variable that holds the value.
    if let Some(at) = table.get("env_http_headers") {
        headers.extend(texts(&at).into_iter().map(|(name, variable)| (name, format!("${{{variable}}}"))));
    }
    if let Some(variable) = table.get("bearer_token_env_var").and_then(|at| at.text().map(str::to_owned)) {
        headers.push(("Authorization".to_owned(), format!("Bearer ${{{variable}}}")));
    }
    Some(ServerConfig {
        command,
        url,
        headers,
        env: table.get("env").map(|at| texts(&at)).unwrap_or_default(),
        cwd: table.get("cwd").and_then(|at| at.text().map(str::to_owned)),
        pass_env: table.get("env_vars").and_then(|at| at.texts(0)),
        ..ServerConfig::default()
    })
}
