//! Which format a file has, from its first bytes.

use serde_json::{Map, Value};

crate::words::word_enum!(
/// A format of transcripts. The text is the `kind` of a recording's source.
Format {
    /// Sessions of Claude Code and the stream-json of `claude -p`: one reader.
    ClaudeCode => "claude-code",
    /// Rollouts, and `codex exec --json`.
    Codex => "codex",
    /// Sessions as JSON and JSON Lines, and stream-json.
    Gemini => "gemini-cli",
    /// JSON logs of samples.
    Inspect => "inspect-ai",
    /// JSON-RPC messages with direction and time: proxies, cassettes, logs of VS Code and Claude Desktop.
    JsonRpc => "json-rpc",
});

/// Bytes from the start of a file that decide its format.
pub const HEAD_BYTES: usize = 64 << 10;
/// Members under which recorders keep a message.
const MESSAGES: [&str; 9] = ["msg", "message", "frame", "payload", "data", "body", "raw", "rpc", "json"];
/// Lines of them that are looked at.
const MOST_LINES: usize = 50;

/// The format of a file that begins with `head` (at most [`HEAD_BYTES`] of it); `None` when it is none known.
pub fn detect(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(MOST_LINES).find_map(of_line).or_else(|| of_one_document(&text))
}

fn of_line(line: &str) -> Option<Format> {
    if let Ok(Value::Object(record)) = serde_json::from_str::<Value>(line) {
        return of_record(&record);
    }
    let is_log = ["Message from client: {", "Message from server: {", "-> server] {", "server -> "];
    if line.contains("\"jsonrpc\"") && is_log.iter().any(|sign| line.contains(sign)) {
        return Some(Format::JsonRpc);
    }
    // A record too long for the head: what stands at its start decides.
    if line.starts_with('{') { of_start(line) } else { None }
}

/// The format of a whole record.
fn of_record(record: &Map<String, Value>) -> Option<Format> {
    let has = |key: &str| record.contains_key(key);
    let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
    if has("jsonrpc") || MESSAGES.iter().any(|key| is_rpc(record.get(*key))) {
        return Some(Format::JsonRpc);
    }
    if has("payload") && has("timestamp")
        || matches!(text("type"), "thread.started" | "turn.started" | "item.started" | "item.completed")
    {
        return Some(Format::Codex);
    }
    if has("projectHash")
        || has("$set")
        || has("$rewindTo")
        || matches!(text("type"), "init" | "tool_use" | "tool_result") && has("timestamp")
        || text("type") == "gemini"
    {
        return Some(Format::Gemini);
    }
    if (has("eval") && has("samples")) || (has("messages") && has("epoch")) {
        return Some(Format::Inspect);
    }
    is_claude(record, text("type")).then_some(Format::ClaudeCode)
}

fn is_claude(record: &Map<String, Value>, kind: &str) -> bool {
    let has = |key: &str| record.contains_key(key);
    match kind {
        "user" | "assistant" if has("v") => has("content"),
        "user" | "assistant" => record.get("message").is_some_and(Value::is_object),
        "summary" => has("leafUuid"),
        "file-history-snapshot" | "queue-operation" | "custom-title" | "pr-link" => true,
        "progress" => has("data"),
        "system" => has("subtype"),
        _ => false,
    }
}

/// Whether a member is a message of JSON-RPC, itself or as a text.
fn is_rpc(value: Option<&Value>) -> bool {
    value.is_some_and(|value| match value {
        Value::String(text) => text.trim_start().starts_with('{') && text.contains("\"jsonrpc\""),
        _ => value.get("jsonrpc").is_some(),
    })
}

/// The format of a record whose end is not in the head.
fn of_start(line: &str) -> Option<Format> {
    let has = |key: &str| line.contains(&format!("\"{key}\":"));
    if has("jsonrpc") {
        Some(Format::JsonRpc)
    } else if has("payload") && has("timestamp") {
        Some(Format::Codex)
    } else if has("projectHash") {
        Some(Format::Gemini)
    } else if has("epoch") && has("input") || has("eval") && has("samples") {
        Some(Format::Inspect)
    } else if (has("uuid") && has("isSidechain")) || (has("message") && has("session_id")) {
        Some(Format::ClaudeCode)
    } else {
        None
    }
}

/// The format of a file that is one document over many lines.
fn of_one_document(text: &str) -> Option<Format> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    if let Ok(Value::Object(record)) = serde_json::from_str::<Value>(text)
        && let Some(format) = of_record(&record)
    {
        return Some(format);
    }
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    if has("jsonrpc") {
        Some(Format::JsonRpc)
    } else if has("projectHash") {
        Some(Format::Gemini)
    } else if (has("eval") && (has("samples") || has("plan"))) || has("epoch") {
        Some(Format::Inspect)
    } else if has("tools/call") && (has("request") || has("method")) {
        // Some recorders leave `jsonrpc` out.
        Some(Format::JsonRpc)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_records() {
        for (head, wanted) in [
            (r#"{"type":"summary","summary":"x","leafUuid":"u"}"#, Some(Format::ClaudeCode)),
            (
                r#"{"type":"user","message":{"role":"user","content":"x"},"uuid":"u"}"#,
                Some(Format::ClaudeCode),
            ),
            (r#"{"v":1,"agent":"claude-code","type":"user","content":[]}"#, Some(Format::ClaudeCode)),
            (r#"{"type":"system","subtype":"init","session_id":"s","tools":[]}"#, Some(Format::ClaudeCode)),
            (r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#, Some(Format::Codex)),
            (r#"{"type":"item.completed","item":{}}"#, Some(Format::Codex)),
            (r#"{"type":"init","timestamp":"t","session_id":"g"}"#, Some(Format::Gemini)),
            (r#"{"sessionId":"g","projectHash":"a","messages":[]}"#, Some(Format::Gemini)),
            (r#"{"id":"c","epoch":1,"messages":[],"events":[]}"#, Some(Format::Inspect)),
            (r#"{"ts":1,"dir":"out","msg":{"jsonrpc":"2.0","id":1,"method":"x"}}"#, Some(Format::JsonRpc)),
            (r#"{"dir":"out","raw":"{\"jsonrpc\":\"2.0\",\"id\":1}"}"#, Some(Format::JsonRpc)),
            (
                r#"2026-01-01T00:00:00Z [docs] [info] Message from client: {"jsonrpc":"2.0","id":9}"#,
                Some(Format::JsonRpc),
            ),
            (
                r#"2026-01-01 00:00:00.1 [trace] [editor -> server] {"jsonrpc":"2.0","id":3}"#,
                Some(Format::JsonRpc),
            ),
            ("\n\nnot a record\n{\"type\":\"user\",\"message\":{}}", Some(Format::ClaudeCode)),
            (
                r#"{"interactions":[{"request":{"method":"tools/call","params":{}},"response":{}}]}"#,
                Some(Format::JsonRpc),
            ),
            ("{\n \"calls\": [\n  {\"method\": \"tools/call\"}]}", Some(Format::JsonRpc)),
            (r#"{"format_version":1,"id":"a","recordings":[]}"#, None),
            (r#"{"text":"the method \"tools/call\" of a request"}"#, None),
            ("plain text", None),
            ("", None),
        ] {
            assert_eq!(detect(head.as_bytes()), wanted, "{head}");
        }
    }

    #[test]
    fn a_record_longer_than_the_head_is_told_by_its_start() {
        let long = format!(
            r#"{{"uuid":"u","isSidechain":false,"type":"user","message":{{"content":"{}"#,
            "x".repeat(99)
        );
        assert_eq!(detect(long.as_bytes()), Some(Format::ClaudeCode));
    }
}
