//! Names of tools as Gemini CLI writes them.

use crate::import::claude::mcp_name;
use crate::import::prefixed::server_and_bare;

/// The client's own tools; of any other bare name a server is the owner, though nothing says which.
const OWN: [&str; 26] = [
    "activate_skill",
    "ask_user",
    "complete_task",
    "delegate_to_agent",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "list_directory",
    "ls",
    "memory",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "shell",
    "tracker_create_task",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
    "edit",
];
/// The server of tools that are named without one.
pub(super) const UNNAMED: &str = "mcp";

/// Server and tool of a call. `shown` is the name by which a person is shown it: `TOOL (SERVER MCP Server)`.
pub(super) fn server_and_tool(name: &str, shown: Option<&str>) -> (Option<String>, String) {
    let named = |server: &str, tool: &str| (Some(server.to_owned()), tool.to_owned());
    let by_display = shown.and_then(|shown| shown.strip_suffix(" MCP Server)")?.rsplit_once(" ("));
    if let Some((tool, server)) = by_display {
        let tool = if tool.is_empty() { name } else { tool };
        return named(server, tool);
    }
    if let Some((server, tool)) = mcp_name(name).or_else(|| name.split_once("__")) {
        return named(server, tool);
    }
    if let Some((server, tool)) = name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_')) {
        return named(server, tool);
    }
    if OWN.contains(&name) {
        return (None, name.to_owned());
    }
    let (server, tool) = server_and_bare(name);
    named(server.unwrap_or(UNNAMED), tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_name() {
        for (name, shown, server, tool) in [
            ("mcp_docs_read_document", None, Some("docs"), "read_document"),
            ("mcp_my_docs_read", Some("read (my_docs MCP Server)"), Some("my_docs"), "read"),
            ("docs__read_document", None, Some("docs"), "read_document"),
            ("mcp__docs__read__all", None, Some("docs"), "read__all"),
            ("read_document", None, Some("mcp"), "read_document"),
            ("read_file", None, None, "read_file"),
            ("run_shell_command", Some("Shell"), None, "run_shell_command"),
        ] {
            let expected = (server.map(str::to_owned), tool.to_owned());
            assert_eq!(server_and_tool(name, shown), expected, "{name} {shown:?}");
        }
    }
}
