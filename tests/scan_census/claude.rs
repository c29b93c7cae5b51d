//! The census of Claude Code sessions: oversized results, and everything that could be counted wrongly.

use crate::support::{Session, assert_total, census, census_of, saved, scan};
use serde_json::{Value, json};

/// Scenario B of METHOD.md: 308 calls, 137 of them refused, 133 of these had asked for small items.
fn scenario_b(name: &str) -> Session {
    let mut session = Session::new(name);
    let (mut refused, mut shown) = (0, 0);
    for index in 0..308u64 {
        // 137 of 308, spread over the session.
        let is_refused = (index + 1) * 137 / 308 > index * 137 / 308;
        let max_chars = if is_refused && refused < 133 { 1 } else { 1500 };
        let input = json!({"threadId": format!("th-{index}"), "limit": 100, "maxCharsPerItem": max_chars});
        let id = session.call("mcp__threads__thread_read", input);
        if is_refused {
            let chars = 54_205 + refused * 311;
            let grouped = format!("{},{:03}", chars / 1000, chars % 1000);
            session.result(&id, json!(saved(&grouped, &format!("/h/tool-results/mcp-{index}.txt"))));
            refused += 1;
        } else {
            let chars = if shown == 99 { 48_608 } else { 2_000 + 37 * shown };
            session.result(&id, json!([{"type": "text", "text": "x".repeat(chars)}]));
            shown += 1;
        }
        if index % 20 == 0 {
            session.prompt("And the next");
        }
    }
    assert_eq!((refused, shown), (137, 171));
    session
}

#[test]
fn the_limit_can_be_read_off() {
    let dir = tempfile::tempdir().unwrap();
    scenario_b("b").write(&dir.path().join("b.jsonl"));
    let said = scan(&[dir.path().to_str().unwrap()]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let first = said.out.lines().next().unwrap();
    assert_eq!(first, "137 of 308 calls (44 %) oversized; largest shown 48,608, smallest refused 54,205");
    let census = census(dir.path());
    assert_total(
        &census,
        &[
            ("calls", 308),
            ("results", 308),
            ("oversized", 137),
            ("largest_shown", 48_608),
            ("smallest_refused", 54_205),
            ("continuation_reads", 0),
            ("repeated_reads", 0),
        ],
    );
    assert_eq!(census["total"]["notices"], json!({"tokens_saved": 137}));
    assert_eq!(census["total"]["over"], json!({"tokens": 137, "chars": 137, "bytes": 0, "lines": 0}));
}

#[test]
fn resumed_sessions_repeat_their_history() {
    let dir = tempfile::tempdir().unwrap();
    let first = scenario_b("b");
    first.write(&dir.path().join("1.jsonl"));
    // The same records under another session's name, then one call more.
    let mut resumed = first.text().replace("\"sessionId\":\"b\"", "\"sessionId\":\"c\"");
    let mut more = Session::new("more");
    more.done("mcp__threads__thread_read", json!({"threadId": "new"}), "new");
    resumed.push_str(&more.text());
    std::fs::write(dir.path().join("2.jsonl"), resumed).unwrap();
    let census = census(dir.path());
    assert_total(&census, &[("calls", 309), ("oversized", 137), ("results", 309)]);
    assert_eq!((&census["repeated_calls"], &census["sessions"]), (&json!(308), &json!(2)));
}

#[test]
fn every_wording_counts_at_the_start_alone() {
    let mut session = Session::new("w");
    let tool = "mcp__docs__get_page";
    let notices = [
        saved("113,673", "/h/tool-results/a.txt"),
        saved("201.710", "/h/tool-results/b.txt"),
        "result (60\u{202f}000 characters) exceeds maximum allowed tokens. Output saved to /h/tool-results/c.txt".to_owned(),
        "MCP tool \"get_page\" response (31203 tokens) exceeds maximum allowed tokens (25000). Please use pagination".to_owned(),
        "<persisted-output>\nOutput too large (66.5KB). Full output saved to: /h/tool-results/d.txt\n\nPreview (first 2KB):\nab".to_owned(),
    ];
    for (index, notice) in notices.iter().enumerate() {
        let id = session.call(tool, json!({"page_id": format!("p{index}")}));
        session.result(&id, json!(notice));
    }
    // Quoted, of the client's own tools, of an editor's bridge.
    session.done(tool, json!({"page_id": "log"}), &format!("The log says: {}", notices[0]));
    session.done(tool, json!({"page_id": "json"}), &json!({"text": notices[4]}).to_string());
    session.done(
        "Read",
        json!({"file_path": "/x"}),
        "File content (31203 tokens) exceeds maximum allowed tokens (25000). Please use offset",
    );
    session.done("Bash", json!({"command": "cat x"}), &notices[4]);
    session.done("mcp__ide__getDiagnostics", json!({}), &notices[0]);
    let census = census_of(&session);
    assert_total(
        &census,
        &[("calls", 7), ("oversized", 5), ("smallest_refused", 60_000), ("smallest_refused_tokens", 31_203)],
    );
    assert_eq!(
        census["total"]["notices"],
        json!({"tokens_rejected": 1, "tokens_saved": 3, "chars_saved": 1})
    );
    assert_eq!(census["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn records_are_told_apart() {
    let mut session = Session::new("t");
    // One message over two lines, with repeated usage; its results in the other order.
    let first = session.call("mcp__docs__read__all", json!({"id": "a"}));
    let message = session.last()["message"]["id"].clone();
    let second = session.call("mcp__docs__read__all", json!({"id": "b"}));
    session.last()["message"]["id"] = message;
    session.result(&second, json!("a text"));
    session.result(&first, json!([{"type": "text", "text": "blocks"}, {"type": "image", "source": {}}]));
    // Progress, compaction, and a summary are no calls and no prompts.
    session.raw(json!({"type": "progress", "uuid": "p", "toolUseID": first, "data": {"type": "mcp_progress", "status": "started", "serverName": "docs", "toolName": "read__all"}}));
    session.raw(json!({"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": null, "content": "Compacted"}));
    session.prompt("Summary of mcp__docs__read__all");
    session.last()["isCompactSummary"] = json!(true);
    // A subagent in the same file, a plugin's server, an error, a denied call, one without result.
    let issue = session.call("mcp__plugin_x_tickets__get_issue", json!({"id": "QX-1"}));
    session.of_subagent("a1");
    session.result(&issue, json!("issue"));
    session.of_subagent("a1");
    let failed = session.call("mcp__claude_ai_Linear__get_issue", json!({"id": 1}));
    session.failed(&failed, "no such issue");
    let denied = session.call("mcp__docs__delete_all", json!({}));
    session.failed(&denied, "The user doesn't want to proceed with this tool use. The tool use was rejected");
    session.call("mcp__docs__read__all", json!({"id": "z"}));
    let census = census_of(&session);
    let tools: Vec<(String, u64)> = census["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let name = |key: &str| tool[key].as_str().unwrap().to_owned();
            (format!("{}/{}", name("server"), name("tool")), tool["calls"].as_u64().unwrap())
        })
        .collect();
    let expected = [
        ("claude_ai_Linear/get_issue", 1),
        ("docs/delete_all", 0),
        ("docs/read__all", 3),
        ("plugin_x_tickets/get_issue", 1),
    ];
    assert_eq!(tools, expected.map(|(name, count)| (name.to_owned(), count)));
    assert_total(&census, &[("calls", 5), ("results", 4), ("errors", 1), ("denied", 1), ("oversized", 0)]);
    assert_eq!(census["warnings"].as_array().unwrap().len(), 1, "{}", census["warnings"]);
}

#[test]
fn sizes_are_utf16_and_limits_the_clients() {
    let mut session = Session::new("s");
    let tool = "mcp__docs__get";
    for (index, text) in
        [("\u{1f600}".repeat(25_000)), "é".repeat(50_001), "x".repeat(50_001), "y\n".repeat(1_001)]
            .iter()
            .enumerate()
    {
        session.done(tool, json!({"id": index}), text);
    }
    let shown = census_of(&session);
    // Two units an emoji: 50,000 is not over 50,000. 100,000 bytes are 33,334 estimated tokens.
    assert_eq!(shown["total"]["over"], json!({"tokens": 2, "chars": 2, "bytes": 0, "lines": 0}));
    assert_total(&shown, &[("oversized", 0), ("largest_shown", 50_001), ("size_p50", 50_000)]);
    let dir = tempfile::tempdir().unwrap();
    session.write(&dir.path().join("s.jsonl"));
    let said = scan(&[dir.path().to_str().unwrap(), "--client", "qwen-code", "--format", "json"]);
    let measured: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(measured["total"]["over"], json!({"tokens": 0, "chars": 3, "bytes": 0, "lines": 1}));
    assert_eq!(measured["clients"], json!(["qwen-code"]));
}
