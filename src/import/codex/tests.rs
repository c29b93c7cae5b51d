//! Traps of rollouts.

use super::*;
use crate::import::model::Output;

fn read(text: &str) -> (Vec<EventKind>, ImportProblems) {
    let (mut events, mut problems) = (Vec::new(), ImportProblems::default());
    let mut reader = CodexReader::new(Path::new("rollout.jsonl"));
    for (index, line) in text.lines().enumerate() {
        let line = Line { bytes: line.as_bytes(), number: index as u64 + 1, is_unfinished: false };
        reader.line(line, &mut problems, &mut |event| events.push(event.kind));
    }
    reader.end(&mut problems, &mut |event| events.push(event.kind));
    (events, problems)
}

fn calls(events: &[EventKind]) -> Vec<String> {
    let call = |event: &EventKind| match event {
        EventKind::Call(call) => {
            let arguments = Value::Object(call.arguments.clone());
            Some(format!("{}/{}{arguments}", call.server.as_deref().unwrap_or("-"), call.tool))
        }
        _ => None,
    };
    events.iter().filter_map(call).collect()
}

fn outputs(events: &[EventKind]) -> Vec<&Output> {
    events
        .iter()
        .filter_map(|event| if let EventKind::Output(output) = event { Some(output) } else { None })
        .collect()
}

fn record(kind: &str, payload: Value) -> String {
    format!(
        "{}\n",
        serde_json::json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload})
    )
}

fn function_call(id: &str, arguments: &str) -> String {
    record(
        "response_item",
        serde_json::json!({"type": "function_call", "name": "mcp__docs__read_document", "arguments": arguments, "call_id": id}),
    )
}

fn end(id: &str, result: Value) -> String {
    let invocation = serde_json::json!({"server": "docs", "tool": "read_document", "arguments": {"id": "7"}});
    record(
        "event_msg",
        serde_json::json!({"type": "mcp_tool_call_end", "call_id": id, "invocation": invocation, "result": result}),
    )
}

fn output(id: &str, output: Value) -> String {
    record(
        "response_item",
        serde_json::json!({"type": "function_call_output", "call_id": id, "output": output}),
    )
}

fn text_result(text: &str) -> Value {
    serde_json::json!({"Ok": {"content": [{"type": "text", "text": text}], "isError": false}})
}

#[test]
fn a_call_is_told_once_with_what_the_server_sent() {
    let text = function_call("c1", "{\"id\":\"7\"}")
        + &end("c1", text_result("whole"))
        + &output("c1", "Wall time: 0.1 seconds\nOutput:\n[{\"type\":\"text\",\"text\":\"whole\"}]".into());
    let (events, problems) = read(&text);
    assert_eq!(calls(&events), [r#"docs/read_document{"id":"7"}"#]);
    let outputs = outputs(&events);
    assert_eq!((outputs.len(), outputs[0].text().as_str(), outputs[0].whole_bytes), (1, "whole", None));
    assert!(problems.is_empty());
}

#[test]
fn a_cut_view_is_what_the_model_saw() {
    let view = "[{\"type\":\"text\",\"text\":\"part\u{2026}2900 tokens truncated\u{2026}end\"}]";
    let text = function_call("c1", "{}")
        + &end("c1", text_result("part"))
        + &output("c1", format!("Wall time: 1 seconds\nOutput:\n{view}").into());
    let (events, _) = read(&text);
    let outputs = outputs(&events);
    assert_eq!(outputs[0].text(), view);
    assert_eq!(outputs[0].whole_bytes, Some(view.len() as u64 + 4 * 2900));
}

#[test]
fn calls_of_code_mode_stand_in_events_alone() {
    let text = record(
        "response_item",
        serde_json::json!({"type": "custom_tool_call", "name": "exec", "input": "docs.read()", "call_id": "x"}),
    ) + &end("c9", text_result("one"))
        + &record(
            "response_item",
            serde_json::json!({"type": "custom_tool_call_output", "call_id": "x", "output": "done"}),
        );
    let (events, problems) = read(&text);
    assert_eq!(calls(&events), [r#"-/exec{"input":"docs.read()"}"#, r#"docs/read_document{"id":"7"}"#]);
    assert_eq!(outputs(&events).iter().map(|output| output.text()).collect::<Vec<_>>(), ["one", "done"]);
    assert!(problems.is_empty());
}

#[test]
fn results_may_lack_either_side() {
    // No view, a view alone, an error, no result at all; items instead of text.
    let text = function_call("c1", "{}")
        + &end("c1", text_result("own"))
        + &function_call("c2", "{}")
        + &output("c2", "[{\"type\":\"text\",\"text\":\"view\"}]".into())
        + &function_call("c3", "{}")
        + &end("c3", serde_json::json!({"Err": "no such document"}))
        + &output("c3", serde_json::json!({"content": "no such document", "success": false}))
        + &function_call("c4", "{}")
        + &function_call("c5", "{}")
        + &output("c5", serde_json::json!([{"type": "input_text", "text": "items"}]))
        + &output("c6", "of no call".into());
    let (events, problems) = read(&text);
    let told: Vec<(String, bool)> =
        outputs(&events).iter().map(|output| (output.text(), output.is_error)).collect();
    let expected = [("view", false), ("no such document", true), ("items", false), ("own", false)];
    assert_eq!(told, expected.map(|(text, is_error)| (text.to_owned(), is_error)));
    assert_eq!((problems.count(Damage::NoResult), problems.count(Damage::NoCall)), (1, 1));
}

#[test]
fn words_that_stand_twice_are_told_once() {
    let message = |role: &str, text: &str| {
        record(
            "response_item",
            serde_json::json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}),
        )
    };
    let event =
        |kind: &str, text: &str| record("event_msg", serde_json::json!({"type": kind, "message": text}));
    let usage = |total: u64| {
        record(
            "event_msg",
            serde_json::json!({"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": 1200, "output_tokens": 40}}}),
        )
    };
    let text = message("user", "<environment_context>linux</environment_context>")
        + &message("user", "Summarise")
        + &event("user_message", "Summarise")
        + &event("agent_message", "Done")
        + &message("assistant", "Done")
        + &event("user_message", "Again")
        + &event("agent_message", "Done")
        + &message("assistant", "Done")
        + &usage(1)
        + &usage(1)
        + &usage(2);
    let (events, _) = read(&text);
    let said: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            EventKind::Prompt(text) => Some(format!("prompt {text}")),
            EventKind::Say(text) => Some(format!("say {text}")),
            EventKind::Tokens(tokens) => Some(format!("tokens {} {}", tokens.input, tokens.output)),
            _ => None,
        })
        .collect();
    let expected =
        ["prompt Summarise", "say Done", "prompt Again", "say Done", "tokens 1200 40", "tokens 1200 40"];
    assert_eq!(said, expected);
}

#[test]
fn exec_tells_items() {
    let item = |kind: &str, key: &str, more: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"item\":{{\"id\":\"item_1\",\"{key}\":\"mcp_tool_call\",\"server\":\"docs\",\"tool\":\"read_document\",\"arguments\":{{\"id\":\"7\"}}{more}}}}}\n"
        )
    };
    let result = r#","result":{"content":[{"type":"text","text":"one"}],"structured_content":null},"error":null,"status":"completed""#;
    for key in ["type", "item_type"] {
        let (events, problems) =
            read(&(item("item.started", key, "") + &item("item.completed", key, result)));
        assert_eq!(calls(&events), [r#"docs/read_document{"id":"7"}"#]);
        assert_eq!(outputs(&events).iter().map(|output| output.text()).collect::<Vec<_>>(), ["one"]);
        assert!(problems.is_empty());
    }
    let failed =
        item("item.completed", "type", r#","result":null,"error":{"message":"no"},"status":"failed""#);
    let (events, _) = read(&failed);
    assert_eq!((outputs(&events)[0].text().as_str(), outputs(&events)[0].is_error), ("no", true));
    let (_, problems) = read(&item("item.started", "type", ""));
    assert_eq!(problems.count(Damage::NoResult), 1);
}
