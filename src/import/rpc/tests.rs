//! The shapes in which recorders keep messages.

use super::*;
use crate::import::model::{Call, Output};

/// Calls as `server/tool(arguments)`, and what came back by the ids of the calls.
fn read(text: &str) -> (Vec<String>, Vec<(String, bool)>, ImportProblems) {
    let mut problems = ImportProblems::default();
    let mut events = Vec::new();
    let mut reader = RpcReader::new(Path::new("mcp-server-file.log"));
    let is_document = serde_json::from_str::<Value>(text.lines().next().unwrap_or_default()).is_err()
        && serde_json::from_str::<Value>(text).is_ok();
    if is_document {
        reader.document(serde_json::from_str(text).unwrap(), &mut problems, &mut |event| events.push(event));
    } else {
        for (index, line) in text.lines().enumerate() {
            let line = Line { bytes: line.as_bytes(), number: index as u64 + 1, is_unfinished: false };
            reader.line(line, &mut problems, &mut |event| events.push(event));
        }
    }
    reader.end(&mut problems, &mut |event| events.push(event));
    let calls: Vec<Call> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Call(call) => Some(call.clone()),
            _ => None,
        })
        .collect();
    let outputs: Vec<Output> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Output(output) => Some(output.clone()),
            _ => None,
        })
        .collect();
    let by_call = |call: &Call| {
        let mut found = outputs.iter().filter(|output| output.call_id == call.id);
        let output = found.next()?;
        assert!(found.next().is_none(), "two results for {call:?}");
        Some((output.text(), output.is_error))
    };
    let texts = calls.iter().filter_map(by_call).collect();
    let shown = |call: &Call| {
        let arguments = Value::Object(call.arguments.clone());
        format!("{}/{}({arguments})", call.server.as_deref().unwrap_or_default(), call.tool)
    };
    (calls.iter().map(shown).collect(), texts, problems)
}

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"id":"7"}}}"#;
const REPLY: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"part one"}]}}"#;

#[test]
fn every_shape_tells_the_same_call() {
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let shapes = [
        format!("{CALL}\n{REPLY}"),
        format!("{{\"ts\":1,\"dir\":\"out\",\"msg\":{CALL}}}\n{{\"ts\":2,\"dir\":\"in\",\"msg\":{REPLY}}}"),
        format!(
            "{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"direction\":\"client_to_server\",\"message\":{CALL}}}\n\
             {{\"timestamp\":\"2026-01-01T00:00:00Z\",\"direction\":\"server_to_client\",\"message\":{REPLY}}}"
        ),
        format!(
            "{{\"time\":1767225600000,\"source\":\"client\",\"raw\":{}}}\n{{\"time\":1767225600000,\"source\":\"server\",\"raw\":{}}}",
            quoted(CALL),
            quoted(REPLY)
        ),
        format!("{{\"version\":1,\"messages\":[{{\"direction\":\"c2s\",\"message\":{CALL}}},{{\"direction\":\"s2c\",\"message\":{REPLY}}}]}}"),
        format!("{{\n\"metadata\":{{}},\n\"interactions\":[{{\"request\":{CALL},\"response\":{REPLY}}}]}}"),
        format!("{{\n\"session\":{{\"interactions\":[{{\"direction\":\"client\",\"request\":{CALL},\"response\":{REPLY}}}]}}}}"),
        "{\n\"interactions\":[{\"request\":{\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"arguments\":{\"id\":\"7\"}}},\
         \"response\":{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"part one\"}]}}}]}"
            .to_owned(),
        "{\"request\":{\"tool\":\"read\",\"arguments\":{\"id\":\"7\"}},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"part one\"}]}}"
            .to_owned(),
        format!("[\n{CALL},\n{REPLY}\n]"),
        format!("2026-01-01 00:00:00.1 [trace] [editor -> server] {CALL}\n2026-01-01 00:00:00.2 [trace] [server -> editor] {REPLY}"),
    ];
    for shape in shapes {
        let (calls, outputs, problems) = read(&shape);
        assert_eq!(calls, [r#"file/read({"id":"7"})"#], "{shape}");
        assert_eq!(outputs, [("part one".to_owned(), false)], "{shape}");
        assert!(problems.is_empty(), "{shape} {:?}", problems.lines());
    }
}

#[test]
fn servers_are_named_by_whatever_names_them() {
    let initialize = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#;
    let initialized = r#"{"jsonrpc":"2.0","id":7,"result":{"serverInfo":{"name":"docs"}}}"#;
    for (before, named) in [
        (format!("{initialize}\n{initialized}\n"), "docs"),
        (
            "{\"format\":\"mcp-regress-session\",\"format_version\":1,\"server\":\"docs\"}\n".to_owned(),
            "docs",
        ),
        (format!("{{\"format_version\":1,\"server\":\"mine\"}}\n{initialize}\n{initialized}\n"), "mine"),
    ] {
        let (calls, outputs, _) = read(&format!("{before}{CALL}\n{REPLY}"));
        assert_eq!(calls, [format!(r#"{named}/read({{"id":"7"}})"#)]);
        assert_eq!(outputs.len(), 1);
    }
    let desktop = format!("2026-01-01T00:00:00Z [docs] [info] Message from client: {CALL}");
    let (calls, outputs, problems) = read(&desktop);
    assert_eq!((calls.len(), outputs.len(), problems.count(Damage::NoResult)), (1, 0, 1));
    assert!(calls[0].starts_with("docs/"));
}

#[test]
fn replies_go_to_their_requests() {
    // The server asks under the id of a call; the client's answer is no result of the call.
    let asked = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}"#;
    let session = |lines: &[(&str, &str)]| {
        let line = |(dir, msg): &(&str, &str)| format!("{{\"ts\":\"t\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n");
        lines.iter().map(line).collect::<String>()
    };
    let lines = [("client", CALL), ("server", asked), ("client", answer), ("server", REPLY)];
    assert_eq!(read(&session(&lines)).1, [("part one".to_owned(), false)]);

    // Ids begin anew, replies come in another order, an error is a result.
    let other = CALL.replace(":7,", ":\"x\",");
    let failed = r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#;
    let lines = [
        ("client", CALL),
        ("client", &other),
        ("server", failed),
        ("server", REPLY),
        ("client", CALL),
        ("server", REPLY),
    ];
    let expected = [("part one".to_owned(), false), ("no".to_owned(), true), ("part one".to_owned(), false)];
    assert_eq!(read(&session(&lines)).1, expected);

    // Two clients of a proxy use the same id at once.
    let mut text = String::new();
    for (dir, http, msg) in [
        ("client", 1, CALL.to_owned()),
        ("client", 2, CALL.replace("\"7\"", "\"8\"")),
        ("server", 2, REPLY.replace("one", "two")),
        ("server", 1, REPLY.to_owned()),
    ] {
        text.push_str(&format!("{{\"ts\":\"t\",\"dir\":\"{dir}\",\"http\":{http},\"msg\":{msg}}}\n"));
    }
    let (calls, outputs, _) = read(&text);
    assert_eq!(calls, [r#"file/read({"id":"7"})"#, r#"file/read({"id":"8"})"#]);
    assert_eq!(outputs, [("part one".to_owned(), false), ("part two".to_owned(), false)]);

    let batch = format!(
        "{{\"ts\":\"t\",\"dir\":\"client\",\"msg\":[{CALL}]}}\n{{\"ts\":\"t\",\"dir\":\"server\",\"msg\":[{REPLY}]}}"
    );
    assert_eq!(read(&batch).1.len(), 1);
}

#[test]
fn lines_in_pieces_are_put_together() {
    let (start, rest) = REPLY.split_at(40);
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let line = |dir: &str, more: &str| format!("{{\"ts\":\"t\",\"dir\":\"{dir}\",{more}}}\n");
    let mut text = line("client", &format!("\"msg\":{CALL}"));
    text += &line("server", &format!("\"part\":true,\"text\":{}", quoted(start)));
    text += &line("stderr", "\"text\":\"a word of the server\"");
    text += &line("server", &format!("\"rest\":true,\"text\":{}", quoted(rest)));
    assert_eq!(read(&text).1, [("part one".to_owned(), false)]);

    // Killed in the middle.
    let cut = text.rsplit_once("{\"ts\"").unwrap().0;
    let (_, outputs, problems) = read(cut);
    assert!(outputs.is_empty());
    assert_eq!((problems.count(Damage::NoResult), problems.count(Damage::CutLine)), (1, 1));
}

#[test]
fn structured_content_is_kept_beside_the_text() {
    let reply = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"t"},{"type":"image","data":""}],"structuredContent":{"k":1},"isError":true}}"#;
    let mut events = Vec::new();
    let mut reader = RpcReader::new(Path::new("f.jsonl"));
    let mut problems = ImportProblems::default();
    for text in [CALL, reply] {
        let line = Line { bytes: text.as_bytes(), number: 1, is_unfinished: false };
        reader.line(line, &mut problems, &mut |event| events.push(event));
    }
    let Some(EventKind::Output(output)) = events.pop().map(|event| event.kind) else { panic!() };
    assert_eq!((output.text().as_str(), output.is_error, output.shown.len()), ("t", true, 2));
    assert_eq!(output.structured, Some(serde_json::json!({"k": 1})));
    assert!(output.wire_bytes.is_some_and(|bytes| bytes > 80));
}
