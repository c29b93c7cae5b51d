//! What to paste into a client's configuration.

use serde_json::{Value, json};
use std::path::Path;

/// Programs that only start another one, whose name says more.
const STARTERS: [&str; 14] = [
    "npx", "uvx", "node", "python", "python3", "uv", "bunx", "bun", "deno", "pipx", "docker", "sh", "bash",
    "env",
];
/// Words after a starter that name no server.
const VERBS: [&str; 7] = ["run", "exec", "x", "tool", "-m", "--", "start"];

/// A name for the server that a command starts: that of its program, or of what the program starts.
pub fn name_of_command(command: &[String]) -> String {
    let stem = |word: &str| {
        let last = Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
        let last = last.unwrap_or_default();
        let bare = last.split('@').find(|part| !part.is_empty()).unwrap_or_default();
        let known =
            [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"].iter().find_map(|end| bare.strip_suffix(end));
        known.unwrap_or(bare).to_owned()
    };
    let mut names = command.iter().filter(|word| !word.starts_with('-')).map(|word| stem(word));
    let first = names.next().unwrap_or_default();
    let named = if STARTERS.contains(&first.as_str()) {
        names.find(|name| !name.is_empty() && !VERBS.contains(&name.as_str())).unwrap_or(first)
    } else {
        first
    };
    if named.is_empty() { "server".to_owned() } else { named }
}

/// A name for the server at an address: its host.
pub fn name_of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    if host.is_empty() { "server".to_owned() } else { host.to_owned() }
}

/// The definition of a server whose command is recorded. `record` gets `--quiet`, so that a client sees on
/// standard error what the server writes there and nothing else.
pub fn of_command(program: &Path, name: &str, out: Option<&Path>, command: &[String]) -> Value {
    let mut arguments = vec!["record".to_owned(), "--quiet".to_owned(), "--name".to_owned(), name.to_owned()];
    if let Some(out) = out {
        // The client starts it elsewhere.
        let absolute = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
        arguments.extend(["--out".to_owned(), absolute.display().to_string()]);
    }
    arguments.push("--".to_owned());
    let (first, rest) = command.split_first().map_or((None, command), |(first, rest)| (Some(first), rest));
    arguments.extend(first.map(|first| {
        let is_path = first.contains('/');
        let absolute = is_path.then(|| std::path::absolute(first).ok()).flatten();
        absolute.map_or_else(|| first.clone(), |path| path.display().to_string())
    }));
    arguments.extend(rest.iter().cloned());
    let definition = json!({ "command": program.display().to_string(), "args": arguments });
    json!({ "mcpServers": { name: definition } })
}

/// The definition of a server behind the proxy at `url`.
pub fn of_url(name: &str, url: &str) -> Value {
    json!({ "mcpServers": { name: { "type": "http", "url": url } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_by_what_is_started() {
        for (command, expected) in [
            ("npx -y @modelcontextprotocol/server-filesystem /data", "server-filesystem"),
            ("npx -y @scope/pkg@1.2.3", "pkg"),
            ("uvx mcp-server-fetch", "mcp-server-fetch"),
            ("uv run server.py", "server"),
            ("python3 -m my_server", "my_server"),
            ("node build/index.js", "index"),
            ("/opt/bin/docs --port 1", "docs"),
            ("npx", "npx"),
            ("", "server"),
        ] {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            assert_eq!(name_of_command(&words), expected, "{command}");
        }
        for (url, expected) in [
            ("https://user:pw@mcp.example.com:8443/mcp?key=x", "mcp.example.com"),
            ("http://127.0.0.1:1/mcp", "127.0.0.1"),
            ("http:///", "server"),
        ] {
            assert_eq!(name_of_url(url), expected, "{url}");
        }
    }
}
