//! Traps of sessions and streams.

use super::*;
use crate::import::model::EventKind;
use crate::import::problems::Damage;

fn read(text: &str) -> (Vec<String>, ImportProblems) {
    let (mut events, mut problems) = (Vec::new(), ImportProblems::default());
    let mut reader = GeminiReader::new(Path::new("session.jsonl"));
    for (index, line) in text.lines().enumerate() {
        let line = Line { bytes: line.as_bytes(), number: index as u64 + 1, is_unfinished: false };
        reader.line(line, &mut problems, &mut |event| events.push(event.kind));
    }
    reader.end(&mut problems, &mut |event| events.push(event.kind));
    let told = |event: EventKind| match event {
        EventKind::Prompt(text) => Some(format!("prompt {text}")),
        EventKind::Say(text) => Some(format!("say {text}")),
        EventKind::Call(call) => {
            let arguments = Value::Object(call.arguments);
            Some(format!("call {}/{}{arguments}", call.server.as_deref().unwrap_or("-"), call.tool))
        }
        EventKind::Output(output) => {
            Some(format!("{} {}", if output.is_error { "error" } else { "output" }, output.text()))
        }
        EventKind::Tokens(tokens) => Some(format!("tokens {} {}", tokens.input, tokens.output)),
        _ => None,
    };
    (events.into_iter().filter_map(told).collect(), problems)
}

fn answer(id: &str, output: &str, calls: &str) -> String {
    format!(
        r#"{{"id":"{id}","timestamp":"2026-01-01T00:00:00Z","type":"gemini","content":"","toolCalls":[{{"id":"{calls}","name":"mcp_docs_read_document","args":{{"id":"7"}},"status":"success","result":[{{"functionResponse":{{"id":"{calls}","name":"x","response":{{"output":"{output}"}}}}}}]}}],"tokens":{{"input":1400,"output":100,"thoughts":5}}}}"#
    )
}

const HEADER: &str =
    r#"{"sessionId":"g","projectHash":"a","startTime":"2026-01-01T00:00:00Z","messages":[]}"#;
const PROMPT: &str =
    r#"{"id":"m1","timestamp":"2026-01-01T00:00:00Z","type":"user","content":[{"text":"Summarise"}]}"#;

#[test]
fn later_records_win() {
    let waiting = r#"{"id":"m2","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"mcp_docs_read_document","args":{"id":"7"},"status":"executing"}]}"#;
    let text = format!(
        "{HEADER}\n{PROMPT}\n{waiting}\n{}\n{{\"$set\":{{\"lastUpdated\":\"x\"}}}}",
        answer("m2", "one", "t1")
    );
    let (told, problems) = read(&text);
    let expected =
        ["prompt Summarise", r#"call docs/read_document{"id":"7"}"#, "output one", "tokens 1400 105"];
    assert_eq!(told, expected);
    assert!(problems.is_empty());
}

#[test]
fn what_was_rewound_is_no_history() {
    let kept = answer("m2", "one", "t1");
    let gone = answer("m4", "two", "t2");
    let second = PROMPT.replace("m1", "m3").replace("Summarise", "Second");
    let text = format!("{HEADER}\n{PROMPT}\n{kept}\n{second}\n{gone}\n{{\"$rewindTo\":\"m3\"}}");
    let (told, _) = read(&text);
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(!told.iter().any(|line| line.contains("Second") || line.contains("two")));
    let (told, _) = read(&format!("{text}\n{{\"$rewindTo\":\"unknown\"}}"));
    assert!(told.is_empty());
}

#[test]
fn masked_and_compressed_history_stays_known() {
    let text = format!(
        "{HEADER}\n{PROMPT}\n{}\n{}\n{{\"$set\":{{\"messages\":[{{\"id\":\"m9\",\"type\":\"user\",\"content\":\"Go on\"}}]}}}}",
        answer("m2", "one", "t1"),
        answer("m2", "<tool_output_masked>cut</tool_output_masked>", "t1")
    );
    let (told, _) = read(&text);
    assert!(told.contains(&"output one".to_owned()) && told.contains(&"prompt Go on".to_owned()), "{told:?}");
}

#[test]
fn calls_may_fail_be_refused_or_have_no_result() {
    let message =
        |call: &str| format!("{{\"id\":\"m2\",\"type\":\"gemini\",\"content\":\"\",\"toolCalls\":[{call}]}}");
    let failed = r#"{"id":"t","name":"docs__read","args":{},"status":"error","result":[{"functionResponse":{"response":{"error":"no"}}}]}"#;
    assert_eq!(read(&message(failed)).0, ["call docs/read{}", "error no"]);
    assert!(read(&message(&failed.replace("\"error\",\"result\"", "\"cancelled\",\"result\""))).0.is_empty());
    let (told, problems) = read(&message(r#"{"id":"t","name":"docs__read","args":{},"status":"executing"}"#));
    assert_eq!((told.len(), problems.count(Damage::NoResult)), (1, 1));
}

#[test]
fn streams_come_in_pieces() {
    let text = r#"{"type":"init","timestamp":"t","session_id":"g","model":"x"}
{"type":"message","role":"user","content":"Summarise"}
{"type":"message","role":"assistant","content":"I re","delta":true}
{"type":"message","role":"assistant","content":"ad.","delta":true}
{"type":"tool_use","tool_name":"mcp_docs_read_document","tool_id":"a","parameters":{"id":"7"}}
{"type":"tool_use","tool_name":"read_file","tool_id":"b","parameters":{}}
{"type":"tool_result","tool_id":"b","status":"success","output":"file"}
{"type":"tool_result","tool_id":"a","status":"error","output":"","error":{"type":"x","message":"no"}}
{"type":"tool_use","tool_name":"mcp_docs_read_document","tool_id":"c","parameters":{}}
{"type":"result","status":"success","stats":{"input_tokens":14,"output_tokens":3}}"#;
    let (told, problems) = read(text);
    let expected = [
        "prompt Summarise",
        "say I read.",
        r#"call docs/read_document{"id":"7"}"#,
        "call -/read_file{}",
        "output file",
        "error no",
        "call docs/read_document{}",
        "tokens 14 3",
    ];
    assert_eq!(told, expected);
    assert_eq!(problems.count(Damage::NoResult), 1);
}
