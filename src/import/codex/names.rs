//! Names of tools as Codex writes them.

use crate::import::claude::mcp_name;

/// Server and tool of a function call: `mcp__SERVER__TOOL`, or the tool with `mcp__SERVER__` as its namespace.
pub(super) fn server_and_tool(name: &str, namespace: Option<&str>) -> (Option<String>, String) {
    let server =
        namespace.and_then(|space| space.strip_prefix("mcp__")).map(|rest| rest.trim_end_matches("__"));
    if let Some(server) = server.filter(|server| !server.is_empty()) {
        let bare = mcp_name(name).map_or(name, |(_, tool)| tool);
        return (Some(server.to_owned()), bare.to_owned());
    }
    match mcp_name(name) {
        Some((server, tool)) => (Some(server.to_owned()), tool.to_owned()),
        None => (None, name.to_owned()),
    }
}

/// A server's name in an event, which may be written as a namespace.
pub(super) fn trimmed_server(server: &str) -> &str {
    let bare = server.strip_prefix("mcp__").unwrap_or(server).trim_end_matches("__");
    if bare.is_empty() { server } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_name_server_and_tool() {
        for (name, namespace, server, tool) in [
            ("mcp__docs__read_document", None, Some("docs"), "read_document"),
            ("mcp__docs__read__all", None, Some("docs"), "read__all"),
            ("read_document", Some("mcp__docs__"), Some("docs"), "read_document"),
            ("read__all", Some("mcp__docs"), Some("docs"), "read__all"),
            ("mcp__docs__read_document", Some("mcp__docs__"), Some("docs"), "read_document"),
            ("shell", None, None, "shell"),
            ("exec", Some("functions"), None, "exec"),
        ] {
            let expected = (server.map(str::to_owned), tool.to_owned());
            assert_eq!(server_and_tool(name, namespace), expected, "{name} {namespace:?}");
        }
    }
}
