//! Traps of logs.

use super::*;
use crate::import::model::EventKind;
use serde_json::{Value, json};

fn read(log: &str) -> (Vec<(ThreadId, String)>, ImportProblems) {
    let (mut told, mut problems) = (Vec::new(), ImportProblems::default());
    read_inspect(Path::new("log.json"), log.as_bytes(), &mut problems, &mut |event| {
        let text = match event.kind {
            EventKind::Prompt(text) => format!("prompt {text}"),
            EventKind::Call(call) => {
                let arguments = Value::Object(call.arguments);
                format!("call {}/{}{arguments}", call.server.as_deref().unwrap_or("-"), call.tool)
            }
            EventKind::Output(output) => {
                let whole = output.whole_bytes.map(|bytes| format!(" of {bytes}")).unwrap_or_default();
                format!("{} {}{whole}", if output.is_error { "error" } else { "output" }, output.text())
            }
            EventKind::Tokens(tokens) => format!("tokens {} {}", tokens.input, tokens.output),
            _ => return,
        };
        told.push((event.thread, text));
    });
    (told, problems)
}

fn sample(epoch: u64) -> Value {
    json!({"id": "case-1", "epoch": epoch, "input": "Summarise",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "attachment://a1"}]},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "tc1", "function": "docs_read_document", "arguments": {"id": "7"}},
                {"id": "tc2", "function": "bash", "arguments": {"cmd": "ls"}}]},
            {"role": "tool", "tool_call_id": "tc2", "content": "files"},
            {"role": "tool", "tool_call_id": "tc1", "content": [{"type": "text", "text": "part"}]}],
        "events": [
            {"event": "tool", "id": "tc1", "function": "docs_read_document", "arguments": {"id": "7"}, "result": "part", "truncated": [40000, 16384]},
            {"event": "tool", "id": "tc3", "function": "docs_read_document", "arguments": {}, "result": "attachment://a2", "error": null}],
        "attachments": {"a1": "A long question", "a2": "a long result"},
        "model_usage": {"m": {"input_tokens": 1200, "output_tokens": 60, "input_tokens_cache_read": 10}}})
}

#[test]
fn samples_and_epochs_are_conversations() {
    let log = json!({"version": 2, "eval": {"model": "m"}, "samples": [sample(1), sample(2)], "stats": {}});
    let (told, problems) = read(&log.to_string());
    let expected = [
        "prompt A long question",
        r#"call docs/read_document{"id":"7"}"#,
        r#"call -/bash{"cmd":"ls"}"#,
        "output files",
        "output part of 40000",
        "call docs/read_document{}",
        "output a long result",
        "tokens 1210 60",
    ];
    for thread in [0, 1] {
        let of_thread: Vec<&str> =
            told.iter().filter(|(of, _)| *of == thread).map(|(_, text)| text.as_str()).collect();
        assert_eq!(of_thread, expected);
    }
    assert!(problems.is_empty());
}

#[test]
fn a_log_that_was_cut_keeps_its_samples() {
    let log = json!({"eval": {}, "samples": [sample(1), sample(2)]}).to_string();
    let (told, problems) = read(&log[..log.len() - 200]);
    assert_eq!(told.iter().filter(|(_, text)| text.starts_with("call")).count(), 3);
    assert_eq!(problems.count(Damage::CutLine), 1);
    let (told, problems) = read(r#"{"eval": {}, "samples": null}"#);
    assert!(told.is_empty() && problems.is_empty());
}

#[test]
fn errors_and_missing_results() {
    let sample = json!({"id": 3, "epoch": 1, "input": [{"role": "user", "content": "Ask"}], "messages": [
        {"role": "assistant", "tool_calls": [{"id": "a", "function": "read_document", "arguments": {}}, {"id": "b", "function": "read_document", "arguments": {}}]},
        {"role": "tool", "tool_call_id": "a", "content": "", "error": {"type": "timeout", "message": "too late"}}]});
    let (told, problems) = read(&sample.to_string());
    let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        ["prompt Ask", "call mcp/read_document{}", "call mcp/read_document{}", "error too late"]
    );
    assert_eq!(problems.count(Damage::NoResult), 1);
}
