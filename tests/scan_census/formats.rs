//! One file of every format, with exact counts; and sessions of `record`.

use crate::support::{assert_total, census, imported, recorded, scan};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn synthetic(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts/synthetic").join(name)
}

#[test]
fn every_synthetic_file_has_its_counts() {
    for (file, format, server, calls, oversized, notices, continuations, spills) in [
        ("claude_code.jsonl", "claude-code", "docs", 2, 1, json!({"tokens_saved": 1}), 1, 1),
        ("claude_desktop_mcp-server-docs.log", "json-rpc", "docs", 1, 0, json!({}), 0, 0),
        ("vscode_mcp.log", "json-rpc", "vscode_mcp", 1, 0, json!({}), 0, 0),
        ("codex_rollout.jsonl", "codex", "docs", 1, 1, json!({"middle_cut": 1}), 0, 0),
        ("gemini_session.json", "gemini-cli", "docs", 1, 1, json!({"head_tail_saved": 1}), 0, 0),
        ("gemini_stream.jsonl", "gemini-cli", "mcp", 1, 0, json!({}), 0, 0),
        ("inspect_sample.json", "inspect-ai", "docs", 1, 1, json!({"log_cut": 1}), 0, 0),
    ] {
        let census = census(&synthetic(file));
        assert_eq!(census["files"], json!({format: 1}), "{file}");
        let tools = census["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 1, "{file}");
        assert_eq!(
            (&tools[0]["server"], &tools[0]["tool"]),
            (&json!(server), &json!("read_document")),
            "{file}"
        );
        assert_total(
            &census,
            &[
                ("calls", calls),
                ("results", calls),
                ("oversized", oversized),
                ("errors", 0),
                ("continuation_reads", continuations),
                ("spill_reads", spills),
            ],
        );
        assert_eq!(census["total"]["notices"], notices, "{file}");
    }
    // What was cut: by the marker, by the log.
    let cut = |file: &str| census(&synthetic(file))["total"]["smallest_refused"].as_u64().unwrap();
    assert!((11_600..11_800).contains(&cut("codex_rollout.jsonl")));
    assert_eq!(cut("inspect_sample.json"), 40_000);
    assert_eq!(cut("gemini_session.json"), 40_001);
}

#[test]
fn every_synthetic_file_becomes_a_case() {
    for (file, id, counts) in [
        ("claude_code.jsonl", "docs/claude_code/1", [2, 2, 1, 1]),
        ("claude_desktop_mcp-server-docs.log", "docs/claude_desktop_mcp-server-docs/0", [1, 1, 0, 0]),
        ("vscode_mcp.log", "vscode_mcp/vscode_mcp/0", [1, 1, 0, 0]),
        ("codex_rollout.jsonl", "docs/codex_rollout/1", [1, 1, 0, 1]),
        ("gemini_session.json", "docs/gemini_session/1", [1, 1, 0, 1]),
        ("gemini_stream.jsonl", "mcp/gemini_stream/1", [1, 1, 0, 0]),
        ("inspect_sample.json", "docs/inspect_sample/1", [1, 1, 0, 1]),
    ] {
        let cases = imported(&synthetic(file));
        let ids: Vec<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
        assert_eq!((ids, recorded(&cases)), (vec![id], counts), "{file}");
    }
}

#[test]
fn the_real_session_has_its_counts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts/entireio-cli");
    let census = census(&folder);
    assert_eq!((&census["files"], &census["sessions"]), (&json!({"claude-code": 1}), &json!(1)));
    assert_total(
        &census,
        &[
            ("calls", 7),
            ("results", 7),
            ("errors", 1),
            // A comment that the user did not let through.
            ("denied", 1),
            ("oversized", 0),
            ("continuation_reads", 0),
            ("spill_reads", 0),
            ("repeated_reads", 0),
            ("largest_shown", 1_269),
            ("size_p50", 1_034),
        ],
    );
    let tools: Vec<(&str, u64)> = census["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["tool"].as_str().unwrap(), tool["calls"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("create_comment", 0),
        ("create_document", 1),
        ("get_document", 1),
        ("get_issue", 2),
        ("list_documents", 1),
        ("search_documentation", 1),
        ("update_document", 1),
    ];
    assert_eq!(tools, expected);
}

#[test]
fn the_examples_of_needs_have_their_counts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts/needs");
    let census = census(&folder);
    let expected = [
        ("calls", 16),
        ("results", 16),
        ("continuation_reads_offered", 6),
        ("continuation_reads_computed", 2),
        ("oversized", 0),
        ("largest_shown", 687),
    ];
    assert_total(&census, &expected);
    assert_eq!(census["files"], json!({"claude-code": 7}));
}

#[test]
fn a_folder_of_everything_is_read_as_one() {
    let census = census(synthetic("").as_path());
    assert_eq!(
        census["files"],
        json!({"claude-code": 1, "codex": 1, "gemini-cli": 2, "inspect-ai": 1, "json-rpc": 2})
    );
    assert_total(&census, &[("calls", 8), ("oversized", 4)]);
    assert_eq!(census["clients"], json!(["claude-code", "codex", "gemini-cli", "inspect-ai"]));
}

#[test]
fn sessions_of_record_are_measured_by_the_profile() {
    let dir = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_mcp-regress");
    let mut child = Command::new(program)
        .args(["record", "-q", "--name", "chat", "--out", dir.path().to_str().unwrap(), "--"])
        .args([program, "fixture", "--scenario", "threads"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |method: &str, params: Value, id: u64| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    ask(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}),
        1,
    );
    let found = ask("tools/call", json!({"name": "thread_search", "arguments": {"query": "channel"}}), 2);
    let text = found["result"]["content"][0]["text"].as_str().unwrap();
    let document: Value = serde_json::from_str(text).unwrap();
    let thread = find_thread(&document).unwrap_or_else(|| panic!("a thread in {text}"));
    let mut sizes = Vec::new();
    let mut position = None;
    for (id, limit) in [(3, 100), (4, 50), (5, 5), (6, 5)] {
        let mut arguments = json!({"threadId": thread, "limit": limit});
        if let (6, Some(next)) = (id, &position) {
            arguments["afterPosition"] = Value::clone(next);
        }
        let reply = ask("tools/call", json!({"name": "thread_read", "arguments": arguments}), id);
        let text = reply["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let page: Value = serde_json::from_str(&text).unwrap();
        position = page.get("nextPosition").cloned();
        sizes.push(text.encode_utf16().count() as u64);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let census = census(dir.path());
    let read = census["tools"].as_array().unwrap().iter().find(|tool| tool["tool"] == "thread_read").unwrap();
    let oversized = sizes.iter().filter(|size| **size > 50_000).count() as u64;
    assert_eq!((&read["server"], &read["calls"]), (&json!("chat"), &json!(4)));
    assert!(oversized >= 1, "{sizes:?}");
    assert!(read["oversized"].as_u64().unwrap() >= oversized);
    assert_eq!(read["smallest_refused"], json!(sizes.iter().copied().filter(|size| *size > 50_000).min()));
    assert!(read["shrunk_retries"].as_u64().unwrap() >= 1, "{read:#}");
    assert_eq!(read["continuation_reads"], json!(1));
    let none = scan(&[dir.path().to_str().unwrap(), "--client", "none", "--format", "json"]);
    let none: Value = serde_json::from_str(&none.out).unwrap();
    assert_total(&none, &[("oversized", 0)]);
}

fn find_thread(value: &Value) -> Option<String> {
    match value {
        Value::Object(map) => {
            let own = map.get("threadId").or_else(|| map.get("id")).and_then(Value::as_str);
            own.map(str::to_owned).or_else(|| map.values().find_map(find_thread))
        }
        Value::Array(items) => items.iter().find_map(find_thread),
        _ => None,
    }
}
