//! The fixture server over streamable HTTP: sessions, both reply forms, refusals.

mod fixture_support;

use fixture_support::http::{HttpServer, Reply};
use serde_json::{Value, json};

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

fn session(reply: &Reply) -> String {
    reply.header("mcp-session-id").expect("initialize opens a session").to_owned()
}

#[test]
fn a_session_is_opened_asked_for_and_closed() {
    let server = HttpServer::start("--scenario echo");
    let opened = server.post(INITIALIZE, &[]);
    assert_eq!((opened.status, opened.header("content-type")), (200, Some("application/json")));
    let id = session(&opened);
    let named = [("Mcp-Session-Id", id.as_str())];
    assert_eq!(server.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &named).status, 202);
    assert_eq!(server.post(LIST, &named).status, 200);
    assert_eq!(server.post(LIST, &[]).status, 400);
    assert_eq!(server.post(LIST, &[("Mcp-Session-Id", "other")]).status, 404);
    assert_eq!(server.send("DELETE", "", &named).status, 204);
    assert_eq!(server.post(LIST, &named).status, 404);
    assert_eq!(server.send("GET", "", &named).status, 405);
}

#[test]
fn replies_are_the_same_in_both_forms_and_over_stdio() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_document","arguments":{"documentIds":["doc-003"]}}}"#;
    let json = HttpServer::start("--no-sessions").post(call, &[]);
    let events = HttpServer::start("--no-sessions --sse").post(call, &[]);
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let expected = format!("id: 0\ndata: \n\nevent: message\nid: 1\ndata: {}\n\n", json.body);
    assert_eq!(events.body, expected);
    let mut stdio = fixture_support::Server::start("");
    let arguments = json!({ "name": "read_document", "arguments": { "documentIds": ["doc-003"] } });
    assert_eq!(stdio.request_raw("tools/call", &arguments).trim_end(), json.body);
}

#[test]
fn both_media_types_must_be_accepted() {
    let server = HttpServer::start("--scenario echo --no-sessions");
    assert_eq!(
        server.raw("POST", LIST, "Accept: application/json\r\nContent-Type: application/json\r\n").status,
        406
    );
    let both = "Accept: application/json, text/event-stream\r\n";
    assert_eq!(server.raw("POST", LIST, &format!("{both}Content-Type: text/plain\r\n")).status, 415);
    let reply = server.raw("POST", "no json", &format!("{both}Content-Type: application/json\r\n"));
    let body: Value = serde_json::from_str(&reply.body).expect("JSON");
    assert_eq!(body["error"]["code"], json!(-32700));
}
