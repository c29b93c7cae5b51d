//! Which calls are wanted.

use super::model::Call;

/// The name under which a client's own tools are taken, when they are.
pub const CLIENT: &str = "client";
/// The bridge of an editor is no server under test.
const BRIDGES: [&str; 1] = ["ide"];
/// What clients put before the names of servers that come by another way.
const PREFIXES: [&str; 2] = ["plugin_", "claude_ai_"];

/// Which calls become steps.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only these servers; empty: every server but the bridge of an editor.
    pub servers: Vec<String>,
    /// The client's own tools instead of servers.
    pub own_tools: bool,
}

impl Scope {
    /// The server of a call that is wanted.
    pub fn server_of<'c>(&self, call: &'c Call) -> Option<&'c str> {
        match &call.server {
            None => self.own_tools.then_some(CLIENT),
            Some(_) if self.own_tools => None,
            Some(server) => self.wants(server).then_some(server.as_str()),
        }
    }

    fn wants(&self, server: &str) -> bool {
        if self.servers.is_empty() {
            return !BRIDGES.contains(&server);
        }
        self.servers.iter().any(|wanted| {
            let is_short = || {
                let behind_prefix = PREFIXES.iter().find_map(|prefix| server.strip_prefix(prefix));
                behind_prefix.is_some_and(|rest| rest == wanted || rest.ends_with(&format!("_{wanted}")))
            };
            server == wanted || is_short()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_by_their_own_name() {
        let call = |server: Option<&str>| Call {
            id: String::new(),
            server: server.map(str::to_owned),
            tool: "t".to_owned(),
            arguments: Default::default(),
        };
        let docs = Scope { servers: vec!["docs".to_owned()], own_tools: false };
        for (server, wanted) in [
            (Some("docs"), true),
            (Some("plugin_docs"), true),
            (Some("plugin_tools_docs"), true),
            (Some("claude_ai_docs"), true),
            (Some("mydocs"), false),
            (Some("other_docs"), false),
            (None, false),
        ] {
            assert_eq!(docs.server_of(&call(server)).is_some(), wanted, "{server:?}");
        }
        assert_eq!(Scope::default().server_of(&call(Some("ide"))), None);
        let own = Scope { own_tools: true, ..Scope::default() };
        assert_eq!(own.server_of(&call(None)), Some(CLIENT));
        assert_eq!(own.server_of(&call(Some("docs"))), None);
    }
}
