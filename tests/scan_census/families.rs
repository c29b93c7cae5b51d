//! The transcripts of other clients: each trap of its own with its own input, for `scan` and for `import`.

use crate::support::{assert_total, census, imported, recorded};
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

/// A file that is kept as long as the folder.
fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Scans and imports a file; both must find the same calls, continuation reads and oversized results.
fn both(name: &str, text: &str, format: &str) -> (Value, Vec<Value>) {
    let (_dir, path) = file(name, text);
    let census = census(&path);
    assert_eq!(census["files"], json!({ format: 1 }), "{name}");
    let cases = imported(&path);
    let [calls, _, continuations, oversized] = recorded(&cases);
    assert_total(&census, &[("calls", calls), ("continuation_reads", continuations)]);
    if format != "json-rpc" {
        // What a client did with a result is not on the wire.
        assert_total(&census, &[("oversized", oversized)]);
    }
    let kinds = cases.iter().flat_map(|case| case["recordings"].as_array().unwrap());
    assert!(kinds.into_iter().all(|recording| recording["source"]["kind"] == format), "{cases:#?}");
    (census, cases)
}

fn tools(census: &Value) -> Vec<String> {
    let tools = census["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| format!("{}/{}", tool["server"].as_str().unwrap(), tool["tool"].as_str().unwrap()))
        .collect()
}

fn page(text: &str, next: Option<u64>) -> String {
    json!({"text": text, "next": next.map(|next| json!({"startOffset": next}))}).to_string()
}

mod codex {
    use super::*;

    fn record(kind: &str, payload: Value) -> Value {
        json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload})
    }

    fn start() -> Vec<Value> {
        vec![
            record("session_meta", json!({"id": "th-1", "cwd": "/w", "cli_version": "0.150.0"})),
            record("event_msg", json!({"type": "user_message", "message": "Summarise ticket 7"})),
        ]
    }

    fn call(id: &str, name: &str, namespace: Option<&str>, arguments: Value) -> Value {
        record(
            "response_item",
            json!({"type": "function_call", "name": name, "namespace": namespace, "arguments": arguments.to_string(), "call_id": id}),
        )
    }

    fn end(id: &str, tool: &str, arguments: Value, result: Value) -> Value {
        record(
            "event_msg",
            json!({"type": "mcp_tool_call_end", "call_id": id, "invocation": {"server": "docs", "tool": tool, "arguments": arguments},
                "duration": {"secs": 0, "nanos": 1}, "result": result}),
        )
    }

    fn ok(text: &str) -> Value {
        json!({"Ok": {"content": [{"type": "text", "text": text}], "isError": false}})
    }

    fn shown(id: &str, output: impl Into<Value>) -> Value {
        let output: Value = output.into();
        record("response_item", json!({"type": "function_call_output", "call_id": id, "output": output}))
    }

    fn headed(text: &str) -> String {
        format!("Wall time: 0.4200 seconds\nOutput:\n{text}")
    }

    #[test]
    fn both_forms_of_a_name_are_one_tool_and_a_call_is_told_once() {
        let first = json!({"id": "7"});
        let second = json!({"id": "7", "startOffset": 8000});
        let mut records = start();
        records.extend([
            call("c1", "read_document", Some("mcp__docs__"), first.clone()),
            end("c1", "read_document", first, ok(&page("one", Some(8000)))),
            shown("c1", headed(&page("one", Some(8000)))),
            call("c2", "mcp__docs__read_document", None, second.clone()),
            end("c2", "read_document", second, ok(&page("two", None))),
            shown("c2", json!([{"type": "input_text", "text": headed(&page("two", None))}])),
            call("c3", "mcp__docs__read__all", None, json!({})),
            shown("c3", headed("all")),
            call("c4", "shell", None, json!({"command": ["ls"]})),
            shown("c4", "files"),
        ]);
        let (census, cases) = both("rollout-1.jsonl", &lines(&records), "codex");
        assert_eq!(tools(&census), ["docs/read__all", "docs/read_document"]);
        assert_total(
            &census,
            &[("calls", 3), ("results", 3), ("continuation_reads_offered", 1), ("errors", 0)],
        );
        assert_eq!(cases.len(), 1);
        let source = &cases[0]["recordings"][0]["source"];
        assert_eq!((&source["client_version"], &source["session"]), (&json!("0.150.0"), &json!("th-1")));
    }

    #[test]
    fn a_cut_in_the_middle_is_a_floor_and_a_quoted_marker_is_none() {
        let marker = "part\u{2026}2900 tokens truncated\u{2026}end";
        let cut = format!("{}{marker}", "x".repeat(40_000));
        let mut records = start();
        for (id, own, view) in [
            // Both are bounded since 2026-04: what the client kept of the server's own is cut too.
            (
                "c1",
                json!({"Ok": {"content": [{"type": "text", "text": format!("{{\"content\":[{marker}")}]}}),
                cut.as_str(),
            ),
            // The server sent the marker itself: whole.
            ("c2", ok(marker), marker),
            ("c3", ok("rest"), "rest\n[omitted 2 text items ...]"),
        ] {
            let arguments = json!({ "id": id });
            records.push(call(id, "read_document", Some("mcp__docs"), arguments.clone()));
            records.push(end(id, "read_document", arguments, own));
            records.push(shown(id, headed(view)));
        }
        let (census, _) = both("rollout-2.jsonl", &lines(&records), "codex");
        assert_total(
            &census,
            &[("calls", 3), ("oversized", 2), ("largest_shown", marker.encode_utf16().count() as u64)],
        );
        assert_eq!(census["total"]["notices"], json!({"middle_cut": 2}));
        // 40,000 and the bytes of the marker's line, and 2,900 tokens of four bytes.
        let floor = cut.len() as u64 + 4 * 2_900;
        let (_dir, path) = file("r.jsonl", &lines(&records[..5]));
        assert_total(&super::census(&path), &[("smallest_refused", floor)]);
    }

    #[test]
    fn calls_of_code_mode_and_failed_ones_stand_in_events() {
        let mut records = start();
        records.extend([
            record(
                "response_item",
                json!({"type": "custom_tool_call", "name": "exec", "input": "docs()", "call_id": "x"}),
            ),
            end("m1", "read_document", json!({"id": "7"}), ok("one")),
            end("m2", "read_document", json!({"id": "8"}), json!({"Err": "no such document"})),
            record(
                "response_item",
                json!({"type": "custom_tool_call_output", "call_id": "x", "output": "done"}),
            ),
        ]);
        let (census, _) = both("rollout-3.jsonl", &lines(&records), "codex");
        assert_total(&census, &[("calls", 2), ("results", 2), ("errors", 1), ("oversized", 0)]);
    }

    #[test]
    fn exec_tells_items_by_either_key() {
        for key in ["type", "item_type"] {
            let item = |id: &str, arguments: Value, text: &str| {
                let mut item = json!({"id": id, "server": "docs", "tool": "read_document", "arguments": arguments,
                    "result": {"content": [{"type": "text", "text": text}], "structured_content": null}, "status": "completed"});
                item[key] = json!("mcp_tool_call");
                item
            };
            let first = item("item_1", json!({"id": "7"}), &page("one", Some(8000)));
            let mut begun = first.clone();
            begun["result"] = Value::Null;
            let records = [
                json!({"type": "thread.started", "thread_id": "th-1"}),
                json!({"type": "turn.started"}),
                json!({"type": "item.started", "item": begun}),
                json!({"type": "item.completed", "item": first}),
                json!({"type": "item.completed", "item": item("item_2", json!({"id": "7", "startOffset": 8000}), &page("two", None))}),
                json!({"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 2}}),
            ];
            let (census, _) = both("exec.jsonl", &lines(&records), "codex");
            assert_total(&census, &[("calls", 2), ("results", 2), ("continuation_reads_offered", 1)]);
        }
    }
}

mod gemini {
    use super::*;

    fn answer(id: &str, name: &str, arguments: Value, output: &str) -> Value {
        json!({"id": format!("m-{id}"), "timestamp": "2026-01-01T00:00:02.000Z", "type": "gemini", "model": "gemini-x", "content": "",
            "toolCalls": [{"id": id, "name": name, "args": arguments, "status": "success",
                "result": [{"functionResponse": {"id": id, "name": name, "response": {"output": output}}}]}]})
    }

    fn user(id: &str, text: &str) -> Value {
        json!({"id": id, "timestamp": "2026-01-01T00:00:00.000Z", "type": "user", "content": [{"text": text}]})
    }

    fn header() -> Value {
        json!({"sessionId": "g-1", "projectHash": "abc", "startTime": "2026-01-01T00:00:00.000Z", "messages": []})
    }

    #[test]
    fn later_records_win_and_what_was_rewound_is_gone() {
        let records = [
            header(),
            user("u1", "Summarise"),
            json!({"id": "m-t1", "type": "gemini", "content": "", "toolCalls": [{"id": "t1", "name": "mcp_docs_read_document", "args": {"id": "7"}, "status": "executing"}]}),
            answer("t1", "mcp_docs_read_document", json!({"id": "7"}), &page("one", Some(8000))),
            answer(
                "t2",
                "mcp_docs_read_document",
                json!({"id": "7", "startOffset": 8000}),
                &page("two", None),
            ),
            user("u2", "Another"),
            answer("t3", "mcp_docs_read_document", json!({"id": "9"}), "gone"),
            json!({"$rewindTo": "u2"}),
            // Old results are masked later; what was seen stays seen.
            answer(
                "t1",
                "mcp_docs_read_document",
                json!({"id": "7"}),
                "<tool_output_masked>cut</tool_output_masked>",
            ),
            json!({"$set": {"lastUpdated": "2026-01-01T00:00:09.000Z"}}),
        ];
        let (census, cases) = both("session-1.jsonl", &lines(&records), "gemini-cli");
        assert_total(&census, &[("calls", 2), ("results", 2), ("continuation_reads_offered", 1)]);
        assert_eq!((tools(&census), cases.len()), (vec!["docs/read_document".to_owned()], 1));
        // The same session as the one document of older versions.
        let mut whole = header();
        whole["messages"] = json!([records[1], records[3], records[4]]);
        let pretty = format!("{whole:#}\n");
        for text in [whole.to_string(), pretty] {
            let (older, _) = both("session-1.json", &text, "gemini-cli");
            assert_eq!(older["total"], census["total"]);
        }
    }

    #[test]
    fn a_result_over_the_limit_tells_its_size_and_its_file() {
        let view = format!(
            "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/out.txt\n{}\n\n... [14,205 characters omitted] ...\n\n{}",
            "h".repeat(8_000),
            "t".repeat(32_000)
        );
        let quoted = format!("The log says: {view}");
        let records = [
            header(),
            user("u1", "Summarise"),
            answer("t1", "mcp_docs_read_document", json!({"id": "7"}), &view),
            answer("t2", "read_file", json!({"absolute_path": "/t/out.txt", "limit": 100}), "part"),
            answer("t3", "mcp_docs_read_document", json!({"id": "log"}), &quoted),
        ];
        let (census, _) = both("session-2.jsonl", &lines(&records), "gemini-cli");
        let expected = [
            ("calls", 2),
            ("oversized", 1),
            ("smallest_refused", 54_205),
            ("spill_reads", 1),
            ("largest_shown", quoted.len() as u64),
        ];
        assert_total(&census, &expected);
        assert_eq!(census["total"]["notices"], json!({"head_tail_saved": 1}));
    }

    #[test]
    fn servers_are_told_by_every_form_of_a_name() {
        let shown = |mut answer: Value, name: &str| {
            answer["toolCalls"][0]["displayName"] = json!(name);
            answer
        };
        let records = [
            header(),
            user("u1", "Summarise"),
            answer("t1", "mcp_docs_read_document", json!({"id": "1"}), "a"),
            // The first `_` would divide at the wrong place; the name that people are shown does not.
            shown(
                answer("t2", "mcp_my_docs_read_page", json!({"id": "1"}), "b"),
                "read_page (my_docs MCP Server)",
            ),
            // Older logs have bare names.
            answer("t3", "get_issue", json!({"id": "1"}), "c"),
            answer("t4", "read_file", json!({"absolute_path": "/x"}), "d"),
        ];
        let (census, _) = both("session-3.jsonl", &lines(&records), "gemini-cli");
        assert_eq!(tools(&census), ["docs/read_document", "mcp/get_issue", "my_docs/read_page"]);
    }

    #[test]
    fn streams_pair_calls_and_results_by_id() {
        let records = [
            json!({"type": "init", "timestamp": "2026-01-01T00:00:00.000Z", "session_id": "g-1", "model": "gemini-x"}),
            json!({"type": "message", "role": "user", "content": "Summarise"}),
            json!({"type": "message", "role": "assistant", "content": "I re", "delta": true}),
            json!({"type": "tool_use", "tool_name": "mcp_docs_read_document", "tool_id": "a", "parameters": {"id": "7"}}),
            json!({"type": "tool_use", "tool_name": "mcp_docs_read_document", "tool_id": "b", "parameters": {"id": "8"}}),
            json!({"type": "tool_result", "tool_id": "b", "status": "error", "output": "", "error": {"message": "no"}}),
            json!({"type": "tool_result", "tool_id": "a", "status": "success", "output": "part"}),
            json!({"type": "tool_use", "tool_name": "mcp_docs_read_document", "tool_id": "c", "parameters": {"id": "9"}}),
            json!({"type": "result", "status": "success", "stats": {"input_tokens": 14, "output_tokens": 3}}),
        ];
        let (census, _) = both("stream.jsonl", &lines(&records), "gemini-cli");
        assert_total(&census, &[("calls", 3), ("results", 2), ("errors", 1), ("largest_shown", 4)]);
        assert_eq!(census["warnings"].as_array().unwrap().len(), 1, "{}", census["warnings"]);
    }
}

mod inspect {
    use super::*;

    fn sample(epoch: u64) -> Value {
        json!({"id": "case-1", "epoch": epoch, "input": "Summarise", "messages": [
                {"role": "user", "content": "Summarise"},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "a", "function": "docs_read_document", "arguments": {"id": "7"}},
                    {"id": "b", "function": "docs_read_document", "arguments": {"id": "8"}}]},
                {"role": "tool", "tool_call_id": "b", "content": "", "error": {"type": "timeout", "message": "too late"}},
                {"role": "tool", "tool_call_id": "a", "content": "attachment://long"},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "bash", "arguments": {"cmd": "ls"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "files"}],
            "events": [{"event": "tool", "id": "a", "function": "docs_read_document", "arguments": {"id": "7"}, "result": "x",
                "truncated": [40_000, 16_384], "completed": "2026-01-01T00:00:03+00:00"}],
            "attachments": {"long": "y".repeat(16_384)},
            "model_usage": {"m": {"input_tokens": 1200, "output_tokens": 60}}})
    }

    #[test]
    fn epochs_are_conversations_and_the_log_tells_what_was_cut() {
        let log =
            json!({"version": 2, "eval": {"model": "m"}, "samples": [sample(1), sample(2)], "stats": {}});
        for text in [log.to_string(), format!("{log:#}")] {
            let (census, cases) = both("log.json", &text, "inspect-ai");
            let expected = [("calls", 4), ("errors", 2), ("oversized", 2), ("smallest_refused", 40_000)];
            assert_total(&census, &expected);
            assert_eq!((&census["sessions"], cases.len()), (&json!(2), 2));
            assert_eq!(census["total"]["notices"], json!({"log_cut": 2}));
        }
        // Cut by a crash: the samples before it are read.
        let text = log.to_string();
        let (_dir, path) = file("cut.json", &text[..text.len() - 300]);
        assert_total(&census(&path), &[("calls", 2)]);
    }
}

mod wire {
    use super::*;

    fn call(id: Value, arguments: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "read_document", "arguments": arguments}})
    }

    fn reply(id: Value, text: &str) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
    }

    /// Two reads of which the second carries on the first; replies in the other order.
    fn talk() -> Vec<(&'static str, Value)> {
        vec![
            ("client", call(json!(1), json!({"id": "7"}))),
            ("server", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})),
            ("client", json!({"jsonrpc": "2.0", "id": 1, "result": {}})),
            ("server", reply(json!(1), &page("one", Some(8000)))),
            ("client", call(json!("x"), json!({"id": "7", "startOffset": 8000}))),
            ("server", reply(json!("x"), &page(&"z".repeat(60_000), None))),
        ]
    }

    #[test]
    fn every_shape_of_a_recorder_tells_the_same() {
        let time = "2026-01-01T00:00:00.000Z";
        let each = |make: &dyn Fn(&str, &Value) -> Value| {
            lines(&talk().iter().map(|(sender, message)| make(sender, message)).collect::<Vec<_>>())
        };
        let arrow = |sender: &str, client: &'static str, server: &'static str| {
            if sender == "client" { client } else { server }
        };
        let frames: Vec<Value> = talk()
            .iter()
            .map(|(sender, message)| json!({"ts": time, "direction": arrow(sender, "client_to_server", "server_to_client"), "message": message}))
            .collect();
        let shapes = [
            (
                "rec.jsonl",
                each(
                    &|sender, message| json!({"ts": 1767225600.5, "dir": arrow(sender, "c2s", "s2c"), "msg": message}),
                ),
            ),
            (
                "vcr.ndjson",
                each(
                    &|sender, message| json!({"timestamp": time, "direction": arrow(sender, "out", "in"), "raw": message.to_string()}),
                ),
            ),
            ("cassette.json", json!({"version": 1, "messages": frames}).to_string()),
            ("pretty.json", format!("{:#}", json!({"version": 1, "messages": frames}))),
            (
                "vscode.log",
                talk()
                    .iter()
                    .map(|(sender, message)| {
                        let arrow = arrow(sender, "[editor -> server]", "[server -> editor]");
                        format!("2026-01-01 00:00:00.100 [trace] {arrow} {message}\n")
                    })
                    .collect(),
            ),
            (
                "mcp-server-docs.log",
                talk()
                    .iter()
                    .map(|(sender, message)| {
                        format!("{time} [docs] [info] Message from {sender}: {message}\n")
                    })
                    .collect(),
            ),
        ];
        for (name, text) in shapes {
            let (census, _) = both(name, &text, "json-rpc");
            let expected = [
                ("calls", 2),
                ("results", 2),
                ("continuation_reads_offered", 1),
                ("errors", 0),
                ("smallest_refused", 60_000 + page("", None).len() as u64),
            ];
            assert_total(&census, &expected);
        }
    }

    #[test]
    fn a_log_whose_reply_was_cut_has_a_call_without_result() {
        let text = format!(
            "2026-01-01T00:00:00Z [docs] [info] Server started\n\
             2026-01-01T00:00:00Z [docs] [info] Message from client: {}\n\
             2026-01-01T00:00:01Z [docs] [info] Message from server: {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":...\n",
            call(json!(1), json!({"id": "7"}))
        );
        let (_dir, path) = file("mcp-server-docs.log", &text);
        let census = census(&path);
        assert_total(&census, &[("calls", 1), ("results", 0), ("oversized", 0)]);
        let warnings = census["warnings"].to_string();
        assert!(warnings.contains("no record") && warnings.contains("without a result"), "{warnings}");
    }
}
