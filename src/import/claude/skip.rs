//! Lines that hold nothing wanted, told without decoding them: in most sessions most lines are of the client's
//! own tools.

use super::ClaudeReader;
use memchr::memmem::Finder;
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64;

struct Signs {
    tool_result: Finder<'static>,
    mcp_name: Finder<'static>,
    saved: Finder<'static>,
    user: Finder<'static>,
    others: [Finder<'static>; 4],
}

fn signs() -> &'static Signs {
    static SIGNS: OnceLock<Signs> = OnceLock::new();
    SIGNS.get_or_init(|| Signs {
        tool_result: Finder::new("\"tool_use_id\""),
        mcp_name: Finder::new("\"mcp__"),
        saved: Finder::new("tool-results"),
        user: Finder::new("\"user\""),
        others: ["\"mcp_tool_use\"", "agent_progress", "queued_command", "\"init\""].map(Finder::new),
    })
}

impl ClaudeReader {
    /// Whether a line holds neither a call of an MCP server, nor a result that is awaited, nor a prompt, nor
    /// a read of a saved result. A line that could hold one is read.
    pub(super) fn may_skip(&self, line: &[u8]) -> bool {
        let signs = signs();
        let mut results = signs.tool_result.find_iter(line).peekable();
        if results.peek().is_some() {
            return !results.any(|at| self.awaits(&line[at + "\"tool_use_id\"".len()..]))
                && signs.others[1].find(line).is_none();
        }
        let is_wanted = |finder: &Finder<'_>| finder.find(line).is_some();
        !(is_wanted(&signs.mcp_name)
            || is_wanted(&signs.saved)
            || is_wanted(&signs.user)
            || signs.others.iter().any(is_wanted))
    }

    /// Whether the id that follows is one of a call that was read.
    fn awaits(&self, after_key: &[u8]) -> bool {
        let value = after_key.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let Some(id) = value.and_then(|value| value.strip_prefix(b"\"")) else { return true };
        let Some(end) = memchr::memchr2(b'"', b'\\', id) else { return true };
        id[end] == b'\\' || self.calls.contains_key(&xxh3_64(&id[..end]))
    }
}
