//! Names of tools as Claude Code writes them.

/// Server and tool of `mcp__SERVER__TOOL`; `None` for a tool of the client itself. A tool's name may hold `__`,
/// a server's does not: the first one divides.
pub fn mcp_name(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_underscores_divide_server_and_tool() {
        for (name, wanted) in [
            ("mcp__docs__read_document", Some(("docs", "read_document"))),
            ("mcp__docs__read__all", Some(("docs", "read__all"))),
            ("mcp__plugin_a_b__get", Some(("plugin_a_b", "get"))),
            ("mcp__claude_ai_Linear__get", Some(("claude_ai_Linear", "get"))),
            ("mcp__docs", None),
            ("mcp____x", None),
            ("mcp__docs__", None),
            ("Read", None),
        ] {
            assert_eq!(mcp_name(name), wanted, "{name}");
        }
    }
}
