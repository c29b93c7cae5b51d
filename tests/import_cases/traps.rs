//! What real transcripts hold to mislead a reader; each with an input of its own.

use crate::support::{Talk, filler, import, texts};
use mcp_regress::import::{EventKind, ImportProblems, Input, Tokens, Wanted, sessions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let file = dir.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

fn written(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn user(uuid: &str, content: Value) -> Value {
    json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}})
}

fn part(uuid: &str, message: &str, block: Value, output_tokens: u64) -> Value {
    let usage = json!({"input_tokens": 4, "cache_creation_input_tokens": 6, "cache_read_input_tokens": 90,
        "output_tokens": output_tokens});
    json!({"type": "assistant", "uuid": uuid,
        "message": {"id": message, "role": "assistant", "model": "model-x", "content": [block], "usage": usage}})
}

#[test]
fn a_message_over_several_lines_is_one_and_its_usage_counts_once() {
    let say = json!({"type": "text", "text": "I read it."});
    let call = json!({"type": "tool_use", "id": "t1", "name": "mcp__docs__read_document", "input": {"documentId": "a"}});
    let lines = [
        user("u1", json!("Go")),
        part("a1", "m1", say.clone(), 1),
        part("a2", "m1", call.clone(), 1),
        // The same blocks again, as some versions write them.
        part("a3", "m1", say, 1),
        part("a4", "m1", call, 57),
        user("u2", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "{\"text\":\"x\"}"}])),
        part("a5", "m2", json!({"type": "text", "text": "Done."}), 8),
    ];
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "a.jsonl", &written(&lines));
    let input = Input { path: file.clone(), is_named: true };
    let sessions = sessions(&input, Wanted::All, &mut ImportProblems::default());
    let events = &sessions[0].events;
    let tokens: Vec<Tokens> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Tokens(tokens) => Some(tokens),
            _ => None,
        })
        .collect();
    assert_eq!(tokens, [Tokens { input: 100, output: 57 }, Tokens { input: 100, output: 8 }]);
    let said = events.iter().filter(|event| matches!(event.kind, EventKind::Say(_))).count();
    assert_eq!(said, 2);
    assert_eq!(import(&[&file], &[]).recorded(), [1, 1, 0, 0]);
}

#[test]
fn a_file_that_goes_on_from_another_repeats_its_history() {
    let first = || Talk::new("Go").read("t1", None, &filler(1), Some(8000));
    let longer =
        first().read("t2", Some(8000), &filler(2), None).prompt("Next").read("t3", None, &filler(3), None);
    let forked = first().did("t9", "mcp__docs__search", json!({"query": "q"}), "[]");
    let dir = tempfile::tempdir().unwrap();
    let files = [
        write(dir.path(), "a.jsonl", &first().text()),
        write(dir.path(), "b.jsonl", &longer.text()),
        write(dir.path(), "c.jsonl", &longer.text()),
        write(dir.path(), "d.jsonl", &forked.text()),
    ];
    let made = import(&[dir.path()], &[]);
    let ids: Vec<&str> = made.cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    // The longer one stands for the one it goes on from, a copy for nothing, a fork for itself.
    assert_eq!(ids, ["docs/b/1", "docs/b/2", "docs/d/1"]);
    assert_eq!(made.summary["repeated_calls"], 1 + 3 + 1);
    // The order of the files does not matter for what is kept.
    let turned = import(&[&files[1], &files[0]], &[]);
    assert_eq!(turned.cases.len(), 2);
    // A record that a file holds twice counts once.
    let twice = write(dir.path(), "twice.jsonl", &(first().text() + &first().text()));
    assert_eq!(import(&[&twice], &[]).recorded(), [1, 1, 0, 0]);
}

#[test]
fn equal_ids_of_other_calls_are_other_calls() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a.jsonl", &Talk::new("Go").read("t1", None, "one", None).text());
    write(dir.path(), "b.jsonl", &Talk::new("Go").read("t1", None, "two", None).text());
    assert_eq!(import(&[dir.path()], &[]).cases.len(), 2);
}

#[test]
fn results_come_in_any_order() {
    let made = Talk::new("Go")
        .call("t1", "mcp__docs__get_a", json!({"id": "a"}))
        .call("t2", "mcp__docs__get_b", json!({"id": "b"}))
        .result("t2", "{\"text\":\"second betaKeel_2\"}")
        .result("t1", "{\"text\":\"first alphaKeel_1\"}")
        .say("It is alphaKeel_1 and betaKeel_2.")
        .import(&[]);
    let contains: Vec<Vec<&str>> = made.reads().iter().map(|step| texts(&step["need"]["contains"])).collect();
    assert_eq!(contains, [["alphaKeel_1"], ["betaKeel_2"]]);
}

#[test]
fn a_call_may_have_no_result() {
    let made = Talk::new("Go")
        .read("t1", None, "one", Some(8000))
        .call("t2", "mcp__docs__search", json!({"query": "q"}))
        .import(&[]);
    assert_eq!(made.recorded(), [2, 1, 0, 0]);
    assert!(made.err.contains("1 call without a result"), "{}", made.err);
    let alone = Talk::new("Go").call("t1", "mcp__docs__get_a", json!({"id": "a"})).import(&[]);
    assert_eq!(alone.steps()[0], json!({"read": "get_a", "arguments": {"id": "a"}}));
}

#[test]
fn content_is_a_text_or_blocks() {
    let page = "{\"text\":\"see tideTableLoader\"}";
    let image = json!({"type": "image", "source": {"data": "AA=="}});
    for content in [
        json!(page),
        json!([{"type": "text", "text": page}]),
        json!([image, {"type": "text", "text": page}, {"type": "tool_reference", "tool_name": "x"}]),
    ] {
        let talk =
            Talk::new("Go").did("t1", "mcp__docs__get_a", json!({}), content.clone()).say("tideTableLoader");
        assert_eq!(talk.import(&[]).kinds(), ["used"], "{content}");
    }
    for content in [json!([image]), json!([]), Value::Null] {
        let made = Talk::new("Go").did("t1", "mcp__docs__get_a", json!({}), content.clone()).import(&[]);
        assert_eq!(made.code, Some(0), "{content}");
    }
    // The agent's own message may be one text.
    let said = json!({"type": "assistant", "message": {"role": "assistant", "content": "tideTableLoader"}});
    let made = Talk::new("Go").did("t1", "mcp__docs__get_a", json!({}), page).line(said).import(&[]);
    assert_eq!(made.kinds(), ["used"]);
}

#[test]
fn a_notice_counts_at_the_start_of_a_servers_result_alone() {
    let notice = "result (120.000 characters across 1.204 lines) exceeds maximum allowed tokens. Output saved to /h/x.txt";
    let oversized = |name: &str, result: &str| {
        let made = Talk::new("Go")
            .did("t1", name, json!({"id": "a"}), result)
            .did("t2", "mcp__docs__search", json!({"query": "q"}), "[]")
            .import(&[]);
        made.recorded()[3]
    };
    let persisted = "<persisted-output>\nOutput too large (66.5KB). Full output saved to: /h/x.txt\n\nPreview (first 2KB):\nab";
    let legacy = "MCP tool \"get_a\" response (31203 tokens) exceeds maximum allowed tokens (25000). Please use pagination";
    for text in [notice, persisted, legacy, &format!("Error: {notice}")] {
        assert_eq!(oversized("mcp__docs__get_a", text), 1, "{text}");
        assert_eq!(oversized("mcp__docs__get_a", &format!("The log says: {text}")), 0, "{text}");
        assert_eq!(oversized("mcp__docs__get_a", &json!({"text": text}).to_string()), 0, "{text}");
        assert_eq!(oversized("Bash", text), 0, "{text}");
    }
    let own = "File content (31203 tokens) exceeds maximum allowed tokens (25000).";
    assert_eq!(oversized("mcp__docs__get_a", own), 0);
    // The legacy notice comes as an error, and is still a refused result.
    let made =
        Talk::new("Go").call("t1", "mcp__docs__get_a", json!({"id": "a"})).error("t1", legacy).import(&[]);
    assert_eq!(made.recorded(), [1, 1, 0, 1]);
}

#[test]
fn names_hold_underscores() {
    let made = Talk::new("Go")
        .did("t1", "mcp__docs__read__all__pages", json!({}), "{}")
        .did("t2", "mcp__plugin_tools_docs__search", json!({"query": "q"}), "[]")
        .did("t3", "mcp__claude_ai_Linear__get_issue", json!({"id": "x"}), "{}")
        .did("t4", "mcp__ide__getDiagnostics", json!({}), "{}")
        .import(&[]);
    let ids: Vec<&str> = made.cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["claude_ai_Linear/talk/1", "docs/talk/1", "plugin_tools_docs/talk/1"]);
    assert_eq!(made.cases[1]["recordings"][0]["steps"][0]["read"], "read__all__pages");
}

#[test]
fn a_server_is_chosen_by_its_name() {
    let talk = Talk::new("Go")
        .did("t1", "mcp__docs__get_a", json!({}), "{}")
        .did("t2", "mcp__plugin_tools_docs__get_b", json!({}), "{}")
        .did("t3", "mcp__chat__get_c", json!({}), "{}")
        .did("t4", "mcp__ide__getDiagnostics", json!({}), "{}");
    assert_eq!(talk.import(&["--server", "chat"]).cases.len(), 1);
    assert_eq!(talk.import(&["--server", "docs"]).cases.len(), 2);
    assert_eq!(talk.import(&["--server", "ide"]).cases.len(), 1);
    let none = talk.import(&["--server", "nothing"]);
    assert_eq!(none.code, Some(4));
    assert!(none.err.contains("no tool call of `nothing`"), "{}", none.err);
}

#[test]
fn what_the_client_writes_is_no_prompt() {
    let meta = |text: &str| json!({"type": "user", "isMeta": true, "message": {"content": text}});
    let talk = Talk::new("Go")
        .prompt("<command-name>/mcp</command-name>\n<command-message>mcp</command-message>")
        .prompt("<local-command-stdout>ok</local-command-stdout>")
        .line(meta("Base directory for this skill: /x"))
        .line(json!({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 1}}))
        .line(json!({"type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
            "message": {"role": "user", "content": "So far"}}))
        .read("t1", None, "x", None)
        .prompt("<command-message>pr</command-message>\n<command-name>/pr</command-name>")
        .read("t2", None, "y", None);
    let made = talk.import(&[]);
    let ids: Vec<&str> = made.cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["docs/talk/1", "docs/talk/2"]);
}

fn side(agent: Option<&str>, uuid: &str, parent: Option<&str>, body: &Value) -> Value {
    let mut line = body.clone();
    line["uuid"] = json!(uuid);
    line["parentUuid"] = json!(parent);
    line["isSidechain"] = json!(true);
    if let Some(agent) = agent {
        line["agentId"] = json!(agent);
    }
    line
}

fn calls(id: &str) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": "mcp__docs__get_a", "input": {"id": id}});
    json!({"type": "assistant", "message": {"id": format!("m-{id}"), "content": [block]}})
}

fn asks(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

#[test]
fn subagents_in_the_file_of_their_session_are_told_apart_by_their_parents() {
    let made = Talk::new("Go")
        .did("t1", "mcp__docs__get_a", json!({"id": "main"}), "{}")
        .line(side(None, "x1", None, &asks("Task one")))
        .line(side(None, "y1", None, &asks("Task two")))
        .line(side(None, "x2", Some("x1"), &calls("s1")))
        .line(side(None, "y2", Some("y1"), &calls("s2")))
        .did("t2", "mcp__docs__get_a", json!({"id": "main2"}), "{}")
        .import(&[]);
    let calls_of = |case: &Value| case["recordings"][0]["recorded"]["calls"].as_u64().unwrap();
    let cases: Vec<(&str, u64)> =
        made.cases.iter().map(|case| (case["id"].as_str().unwrap(), calls_of(case))).collect();
    assert_eq!(cases, [("docs/talk-side1/1", 1), ("docs/talk-side2/1", 1), ("docs/talk/1", 2)]);
}

#[test]
fn subagents_in_files_of_their_own_are_not_counted_twice() {
    let dir = tempfile::tempdir().unwrap();
    // The session tells of the subagent as it goes.
    let inner = side(None, "z2", Some("z1"), &calls("s3"));
    let progress =
        json!({"type": "progress", "data": {"type": "agent_progress", "agentId": "ab12", "message": inner}});
    let main = Talk::new("Go").did("t1", "mcp__docs__get_a", json!({"id": "main"}), "{}").line(progress);
    write(dir.path(), "talk.jsonl", &main.text());
    let result = user("z3", json!([{"type": "tool_result", "tool_use_id": "s3", "content": "{}"}]));
    let lines = [
        side(Some("ab12"), "z1", None, &asks("Task three")),
        side(Some("ab12"), "z2", Some("z1"), &calls("s3")),
        side(Some("ab12"), "z3", Some("z2"), &result),
    ];
    write(dir.path(), "talk/subagents/agent-ab12.jsonl", &written(&lines));
    let made = import(&[dir.path()], &[]);
    assert_eq!(made.cases.len(), 2, "{}", made.summary);
    assert_eq!(made.summary["repeated_calls"], 1);
}

#[test]
fn the_stream_of_a_run_without_a_terminal_is_a_session_too() {
    let call = json!({"type": "tool_use", "id": "t1", "name": "mcp__docs__get_a", "input": {"id": "a"}});
    let result =
        json!({"type": "tool_result", "tool_use_id": "t1", "content": "{\"text\":\"see tideTableLoader\"}"});
    let said = json!({"type": "text", "text": "tideTableLoader"});
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s-9", "model": "model-y", "tools": ["mcp__docs__get_a"],
            "mcp_servers": [{"name": "docs", "status": "connected"}], "claude_code_version": "2.1.220"}),
        json!({"type": "assistant", "session_id": "s-9", "parent_tool_use_id": null, "message": {"id": "m1", "content": [call]}}),
        json!({"type": "user", "session_id": "s-9", "parent_tool_use_id": null, "tool_use_result": "x",
            "message": {"content": [result]}}),
        json!({"type": "assistant", "session_id": "s-9", "message": {"id": "m2", "content": [said]}}),
        json!({"type": "result", "subtype": "success", "num_turns": 2, "usage": {"input_tokens": 5}, "session_id": "s-9"}),
    ];
    let dir = tempfile::tempdir().unwrap();
    let made = import(&[&write(dir.path(), "run.txt", &written(&lines))], &[]);
    assert_eq!(made.kinds(), ["used"]);
    let source = &made.recording()["source"];
    assert_eq!(
        [&source["session"], &source["model"], &source["client_version"]],
        ["s-9", "model-y", "2.1.220"]
    );
}

#[test]
fn checkpoints_in_their_normalised_form_are_read() {
    let result = json!({"output": "{\"text\":\"see tideTableLoader\"}", "status": "success"});
    let call = json!({"type": "tool_use", "id": "t1", "name": "mcp__docs__get_a", "input": {"id": "a"}, "result": result});
    let line = |kind: &str, id: &str, content: Value| {
        json!({"v": 1, "agent": "claude-code", "cli_version": "0.42.0", "type": kind, "ts": "2026-01-01T00:00:00Z",
            "id": id, "input_tokens": 3, "output_tokens": 5, "content": content})
    };
    let lines = [
        line("user", "u1", json!([{"text": "Go"}])),
        line("assistant", "m1", json!([call])),
        line("assistant", "m2", json!([{"type": "text", "text": "tideTableLoader"}])),
    ];
    let dir = tempfile::tempdir().unwrap();
    let made = import(&[&write(dir.path(), "transcript.jsonl", &written(&lines))], &[]);
    assert_eq!((made.kinds(), made.recorded()), (vec!["used"], [1, 1, 0, 0]), "{}", made.err);
}

#[test]
fn calls_that_the_client_kept_are_none() {
    for text in [
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "Claude requested permissions to use mcp__docs__get_a, but you haven't granted it yet.",
        "<tool_use_error>InputValidationError: x</tool_use_error>",
    ] {
        let made = Talk::new("Go")
            .call("t1", "mcp__docs__get_a", json!({"id": "a"}))
            .error("t1", text)
            .did("t2", "mcp__docs__get_a", json!({"id": "b"}), "{}")
            .import(&[]);
        assert_eq!(made.recorded()[0], 1, "{text}");
    }
    // One that goes on in the background has no result.
    let moved = "MCP tool get_a is still running after 120s. It was moved to the background as task x";
    let made = Talk::new("Go").did("t1", "mcp__docs__get_a", json!({"id": "a"}), moved).import(&[]);
    assert_eq!(made.recorded(), [1, 1, 0, 0]);
}

#[test]
fn tasks_of_one_prompt_can_be_recordings_of_one_case() {
    let dir = tempfile::tempdir().unwrap();
    for (name, prompt, id) in
        [("a.jsonl", "Read  it", "t1"), ("b.jsonl", "read it", "t2"), ("c.jsonl", "Other", "t3")]
    {
        write(dir.path(), name, &Talk::new(prompt).read(id, None, name, None).text());
    }
    let counts = |flags: &[&str]| {
        let made = import(&[dir.path()], flags);
        made.cases.iter().map(|case| case["recordings"].as_array().unwrap().len()).collect::<Vec<_>>()
    };
    assert_eq!(counts(&[]), [1, 1, 1]);
    assert_eq!(counts(&["--group"]), [2, 1]);
    assert_eq!(counts(&["--group=docs/audit"]), [3]);
    assert_eq!(import(&[dir.path()], &["--group=1 bad"]).code, Some(2));
}

#[test]
fn what_stands_beside_a_result_may_be_of_any_shape() {
    let page = "{\"text\":\"see tideTableLoader\"}";
    for beside in [None, Some(json!(null)), Some(json!("Error: x")), Some(json!([1])), Some(json!({"a": {}}))]
    {
        let block = json!([{"type": "tool_result", "tool_use_id": "t1", "content": page}]);
        let mut line = json!({"type": "user", "message": {"role": "user", "content": block}});
        if let Some(beside) = &beside {
            line["toolUseResult"] = beside.clone();
        }
        let made = Talk::new("Go")
            .call("t1", "mcp__docs__get_a", json!({"id": "a"}))
            .line(line)
            .say("tideTableLoader")
            .import(&[]);
        assert_eq!(made.kinds(), ["used"], "{beside:?}");
    }
}

#[test]
fn tool_search_boundaries_and_redacted_names_are_in_nobodys_way() {
    let reference = json!([{"type": "tool_reference", "tool_name": "mcp__docs__get_a"}]);
    let boundary = |kind: &str| json!({"type": "system", "subtype": kind, "parentUuid": null, "cwd": "/Users/[redacted]/\u{fffd}", "gitBranch": "?"});
    let made = Talk::new("Go")
        .did("t0", "ToolSearch", json!({"query": "select:mcp__docs__get_a"}), reference)
        .line(boundary("compact_boundary"))
        .line(boundary("microcompact_boundary"))
        .line(boundary("turn_duration"))
        .line(json!({"type": "queue-operation", "operation": "enqueue", "content": "mcp__docs__get_a"}))
        .line(json!({"type": "file-history-snapshot", "snapshot": {}}))
        .line(json!({"type": "a-type-of-tomorrow", "message": {"content": [7, null]}}))
        .did("t1", "mcp__docs__get_a", json!({"id": "a"}), "{}")
        .import(&[]);
    assert_eq!((made.code, made.recorded()), (Some(0), [1, 1, 0, 0]), "{}", made.err);
}
