//! The wire client against HTTP servers that misbehave.

#[path = "../wire_support/http.rs"]
mod http;
mod older;
mod stateless;
#[path = "../wire_support/mod.rs"]
mod wire_support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{Answer, Part, Request, Server, events, json, plain};
use mcp_regress::wire::{ClientInfo, HttpProblem, Limits, Session, StartErrorKind, Target, WireOutcome};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use wire_support::{call, kinds, launch, limits, word};

const RESULT: &str = r#"{"content":[{"type":"text","text":"hi"}]}"#;
const OK: &str = r#"result {"content":[{"type":"text","text":"hi"}]}"#;

fn reply(request: &Request) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{RESULT}}}"#, request.body["id"])
}

fn hello(request: &Request) -> String {
    let result =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"h","version":"1"}}"#;
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.body["id"])
}

/// A server with a session that answers everything well but calls, which `on_call` answers.
async fn serve(on_call: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.what() {
        "initialize" => {
            let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s-1")];
            plain(200, &headers, &hello(request))
        }
        "tools/call" => on_call(request),
        "GET" if request.headers.contains_key("last-event-id") => on_call(request),
        "GET" => plain(405, &[], ""),
        "DELETE" => plain(204, &[], ""),
        _ => plain(202, &[], ""),
    })
    .await
}

fn target(server: &Server) -> Target {
    Target::Http {
        url: server.url.clone(),
        headers: vec![("Authorization".to_owned(), "Bearer t".to_owned())],
    }
}

async fn start(server: &Server, limits: &Limits) -> Session {
    Session::start(&target(server), &ClientInfo::default(), limits).await.expect("a session")
}

#[tokio::test]
async fn a_session_over_http_says_what_the_protocol_asks_for() {
    let server = serve(|request| json(&reply(request))).await;
    let mut session = start(&server, &limits()).await;
    assert_eq!(word(&call(&mut session, "hi").await.outcome), OK);
    assert!(session.is_alive());
    let report = session.close().await;
    assert_eq!((report.ending, report.status), (None, None));

    let first = &server.seen("initialize")[0];
    assert_eq!(first.header("accept"), "application/json, text/event-stream");
    assert_eq!(first.header("content-type"), "application/json");
    assert_eq!(first.header("authorization"), "Bearer t");
    assert_eq!((first.header("mcp-session-id"), first.header("mcp-protocol-version")), ("", ""));
    assert_eq!(first.body["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(first.body["params"]["capabilities"], serde_json::json!({}));
    for what in ["notifications/initialized", "tools/call", "DELETE"] {
        let seen = server.seen(what);
        assert_eq!(seen.len(), 1, "{what}");
        assert_eq!(seen[0].header("mcp-session-id"), "s-1", "{what}");
        assert_eq!(seen[0].header("mcp-protocol-version"), "2025-11-25", "{what}");
    }
    assert_eq!(server.seen("tools/call")[0].body["params"]["arguments"], serde_json::json!({"text": "hi"}));
}

#[tokio::test]
async fn one_call_ends_with_a_named_outcome_whatever_the_server_answers() {
    type Case = (&'static str, Box<dyn Fn(&Request) -> Answer + Send + Sync>, &'static str, bool);
    let event = |request: &Request, ends: &str| format!("event: message\ndata: {}{ends}", reply(request));
    let table: Vec<Case> = vec![
        ("json", Box::new(|r| json(&reply(r))), OK, true),
        ("batch", Box::new(|r| json(&format!("[{}]", reply(r)))), OK, true),
        ("events", Box::new(move |r| events(&[&event(r, "\n\n")], true)), OK, true),
        ("priming", Box::new(move |r| events(&["id: 1\ndata: \n\n", &event(r, "\n\n")], true)), OK, true),
        (
            "stream left open",
            Box::new(move |r| {
                let mut parts = events(&[&event(r, "\n\n")], true);
                parts.insert(2, Part::Pause(Duration::from_secs(600)));
                parts
            }),
            OK,
            true,
        ),
        ("CR", Box::new(move |r| events(&[&event(r, "\r\r").replace('\n', "\r")], true)), OK, true),
        (
            "other events",
            Box::new(move |r| events(&["event: ping\ndata: 1\n\n: comment\n\n", &event(r, "\n\n")], true)),
            OK,
            true,
        ),
        (
            "many lines",
            Box::new(move |r| {
                events(&[&event(r, "\n\n").replace(",\"result\"", ",\ndata: \"result\"")], true)
            }),
            OK,
            true,
        ),
        (
            "cut in an event",
            Box::new(move |r| events(&[&event(r, "")], false)),
            "crashed connection_cut: the connection was cut in the middle of an event: ",
            false,
        ),
        (
            "cut between events",
            Box::new(move |_| events(&[": hm\n\n"], false)),
            "crashed connection_cut: the connection was cut between events: ",
            false,
        ),
        (
            "no reply in the stream",
            Box::new(move |_| events(&["data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"], true)),
            "crashed connection_cut: the connection was cut between events: the stream ended without a reply",
            false,
        ),
        (
            "cut before the answer",
            Box::new(|_| vec![Part::Close]),
            "crashed connection_cut: the connection was cut before the answer: ",
            false,
        ),
        (
            "cut in a body",
            Box::new(|_| {
                vec![
            Part::Bytes(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"json".to_vec()),
            Part::Close,
        ]
            }),
            "crashed connection_cut: the connection was cut inside a body: ",
            false,
        ),
        ("vanished", Box::new(|_| plain(404, &[], "gone")), "crashed session_vanished: ", false),
        (
            "content type",
            Box::new(|_| plain(200, &[("Content-Type", "text/html")], "<p>Sign in</p>")),
            "refused http_content_type: content type `text/html` instead of `application/json` or `text/event-stream`: `<p>Sign in</p>`",
            true,
        ),
        (
            "an encoding",
            Box::new(|_| {
                plain(200, &[("Content-Type", "application/json"), ("Content-Encoding", "gzip")], "\u{1f}")
            }),
            "refused http_encoding: content encoding `gzip`, which was not asked for",
            true,
        ),
        (
            "accepted only",
            Box::new(|_| plain(202, &[], "")),
            "refused http_no_reply: status 202 and no reply",
            true,
        ),
        (
            "empty json",
            Box::new(|_| json("")),
            "refused http_no_reply: status 200 and no reply to the request: ``",
            true,
        ),
        ("cut json", Box::new(|_| json("{\"jsonrpc\":")), "refused http_no_reply: status 200", true),
        (
            "500",
            Box::new(|_| plain(500, &[], "oops\nat line 1")),
            "refused http_status: status 500: `oops at line 1`",
            true,
        ),
        (
            "400 with an error",
            Box::new(|r| {
                plain(
                    400,
                    &[("Content-Type", "application/json")],
                    &format!(
                        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32602,"message":"bad"}}}}"#,
                        r.body["id"]
                    ),
                )
            }),
            "error -32602 bad",
            true,
        ),
        (
            "400 without an id",
            Box::new(|_| {
                plain(
                    400,
                    &[("Content-Type", "application/json")],
                    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#,
                )
            }),
            "refused http_status: status 400: `{\"jsonrpc\"",
            true,
        ),
        (
            "401",
            Box::new(|_| plain(401, &[("WWW-Authenticate", "Bearer realm=\"x\"")], "")),
            "infrastructure http_unauthorized: status 401: the server wants credentials (`Bearer`); give them as a header",
            true,
        ),
        ("403", Box::new(|_| plain(403, &[], "no")), "infrastructure http_forbidden: status 403: ", true),
        (
            "redirect",
            Box::new(|_| plain(307, &[("Location", "https://u:p@else.where/x?token=secret")], "")),
            "infrastructure http_redirect: status 307: a redirect to `https://else.where/x`, which",
            true,
        ),
        (
            "429",
            Box::new(|_| plain(429, &[], "")),
            "infrastructure http_overloaded: status 429: too many requests or overloaded, and it does not say",
            true,
        ),
        (
            "503 for long",
            Box::new(|_| plain(503, &[("Retry-After", "3600")], "")),
            "infrastructure http_overloaded: status 503: too many requests or overloaded, and it asks for 3600 s",
            true,
        ),
        (
            "503 for ever",
            Box::new(|_| plain(503, &[("Retry-After", "0")], "")),
            "infrastructure http_overloaded: status 503",
            true,
        ),
        (
            "bad gateway",
            Box::new(|_| plain(502, &[], "")),
            "infrastructure http_status: status 502: ``",
            true,
        ),
    ];
    for (name, on_call, expected, goes_on) in table {
        let server = serve(on_call).await;
        let mut session = start(&server, &limits()).await;
        let seen = word(&call(&mut session, "hi").await.outcome);
        assert!(seen.starts_with(expected), "{name}: {seen}");
        assert!(!seen.contains("secret"), "{name}: {seen}");
        assert_eq!(session.is_alive(), goes_on, "{name}");
        let again = call(&mut session, "hi").await;
        assert_eq!(!matches!(again.outcome, WireOutcome::Crashed { .. }), goes_on, "{name}");
        session.close().await;
    }
}

#[tokio::test]
async fn every_third_call_may_fail_and_the_session_goes_on() {
    let calls = AtomicU32::new(0);
    let server = serve(move |request| match calls.fetch_add(1, Ordering::Relaxed) % 3 {
        2 => plain(500, &[], ""),
        _ => json(&reply(request)),
    })
    .await;
    let mut session = start(&server, &limits()).await;
    let mut words = Vec::new();
    for _ in 0..6 {
        words.push(word(&call(&mut session, "hi").await.outcome));
    }
    assert_eq!(
        words,
        [OK, OK, "refused http_status: status 500: ``", OK, OK, "refused http_status: status 500: ``"]
    );
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_kept_and_counted() {
    let calls = AtomicU32::new(0);
    let server = serve(move |request| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => plain(429, &[("Retry-After", "1")], ""),
        1 => plain(503, &[("Retry-After", "0")], ""),
        _ => json(&reply(request)),
    })
    .await;
    let mut session = start(&server, &limits()).await;
    let reply = call(&mut session, "hi").await;
    assert_eq!(word(&reply.outcome), OK);
    assert_eq!(kinds(&reply), ["waited_retry_after", "waited_retry_after"]);
    assert!(reply.duration >= Duration::from_secs(1));
    assert_eq!(session.counters().retry_after_waits, 2);
    assert_eq!(server.seen("tools/call").len(), 3);
}

#[tokio::test]
async fn every_wait_has_an_end() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    let long = Duration::from_secs(600);
    type Parts = fn(&str, Duration) -> Answer;
    let table: [(&str, Parts); 4] = [
        ("slow headers", |_, long| {
            vec![Part::Bytes(b"HTTP/1.1 200 OK\r\nContent-".to_vec()), Part::Pause(long)]
        }),
        ("no headers", |_, long| vec![Part::Pause(long)]),
        ("slow body", |head, long| vec![Part::Bytes(head.as_bytes().to_vec()), Part::Pause(long)]),
        ("slow stream", |_, long| {
            let mut parts = events(&[": open\n\n"], true);
            parts.insert(2, Part::Pause(long));
            parts
        }),
    ];
    for (name, parts) in table {
        let server = serve(move |_| parts(head, long)).await;
        let mut session = start(&server, &Limits { call: Duration::from_millis(300), ..limits() }).await;
        assert_eq!(word(&call(&mut session, "hi").await.outcome), "timeout", "{name}");
        let cancelled = server.seen("notifications/cancelled");
        assert_eq!(cancelled.len(), 1, "{name}");
        assert_eq!(cancelled[0].body["params"]["requestId"], 2, "{name}");
    }
}

#[tokio::test]
async fn a_broken_stream_is_resumed_where_it_broke() {
    let server = serve(|request| {
        let reply = |id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{RESULT}}}\n\n");
        match request.header("last-event-id") {
            "" => events(&["id: e1\nretry: 10\ndata:\n\n", "data: {\"jsonr"], false),
            "e1" => events(&["id: e2\ndata:\n\n"], true),
            _ => events(&[&reply(2)], true),
        }
    })
    .await;
    let mut session = start(&server, &limits()).await;
    let reply = call(&mut session, "hi").await;
    assert_eq!(word(&reply.outcome), OK);
    assert_eq!(kinds(&reply), ["resumed", "resumed"]);
    assert_eq!(session.counters().stream_resumptions, 2);
    let last_ids: Vec<String> = server
        .seen("GET")
        .iter()
        .map(|get| get.header("last-event-id").to_owned())
        .filter(|id| !id.is_empty())
        .collect();
    assert_eq!(last_ids, ["e1", "e2"]);
}

#[tokio::test]
async fn requests_in_a_stream_are_answered_and_second_replies_counted() {
    let server = serve(|request| {
        let asks = "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n";
        let reply = format!("data: {}\n\n", reply(request));
        events(&[asks, &reply, &reply], true)
    })
    .await;
    let mut session = start(&server, &limits()).await;
    for _ in 0..2 {
        assert_eq!(word(&call(&mut session, "hi").await.outcome), OK);
    }
    let counters = session.close().await.counters;
    assert_eq!(counters.server_requests.values().sum::<u64>(), 4);
    assert_eq!((counters.duplicate_replies, counters.answers_dropped), (2, 0));
    let answers: Vec<String> = server
        .seen("POST")
        .iter()
        .map(|answer| String::from_utf8_lossy(&answer.bytes).into_owned())
        .collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0], r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    assert!(answers[1].contains("\"id\":7,\"error\":{\"code\":-32601"), "{}", answers[1]);
}

#[tokio::test]
async fn what_the_server_says_by_itself_is_heard() {
    let server = Server::start(|request| match request.what() {
        "initialize" => json(&hello(request)),
        "GET" => {
            let says = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
            let mut parts = events(&[says], true);
            parts.insert(2, Part::Pause(Duration::from_secs(600)));
            parts
        }
        _ => plain(202, &[], ""),
    })
    .await;
    let session = start(&server, &limits()).await;
    for _ in 0..500 {
        if !server.seen("POST").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let counters = session.close().await.counters;
    assert_eq!(counters.notifications["notifications/message"], 1);
    assert_eq!(counters.server_requests["ping"], 1);
    assert_eq!(server.seen("DELETE").len(), 0, "there is no session to end");
}

#[tokio::test]
async fn large_bodies_are_bounded() {
    let body = |request: &Request| reply(request).replace("hi", &"x".repeat(2 << 20));
    let limits = Limits { max_message_bytes: 1 << 20, ..limits() };
    let in_json = serve(move |request| json(&body(request))).await;
    let in_events = serve(move |request| events(&[&format!("data: {}\n\n", body(request))], true)).await;
    for server in [in_json, in_events] {
        let mut session = start(&server, &limits).await;
        let seen = word(&call(&mut session, "hi").await.outcome);
        assert!(seen.starts_with("crashed message_too_large: "), "{seen}");
    }
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let closed = Server::start(|_| vec![Part::Close]).await;
    let unauthorized = Server::start(|_| plain(401, &[], "")).await;
    let missing = Server::start(|_| plain(404, &[], "no such page")).await;
    let silent = Server::start(|_| vec![Part::Pause(Duration::from_secs(600))]).await;
    let limits = Limits { start: Duration::from_secs(1), ..limits() };
    for (url, expected) in [
        (closed.url.as_str(), "the connection was cut before the answer"),
        (
            &unauthorized.url,
            "the answer to `initialize` was status 401: the server wants credentials; give them",
        ),
        (&missing.url, "the answer to `initialize` was status 404: `no such page`"),
        (&silent.url, "no answer within 1 s: `initialize`"),
        ("http://127.0.0.1:1/mcp?key=secret", "the server can't be reached: "),
        ("mailto:secret", "its url is neither http nor https"),
    ] {
        let target = Target::Http { url: url.to_owned(), headers: Vec::new() };
        let error = Session::start(&target, &ClientInfo::default(), &limits).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error} instead of {expected}");
        assert!(!error.to_string().contains("secret"), "{error}");
        let is_401 =
            matches!(&error.kind, StartErrorKind::Http { how: HttpProblem::Unauthorized { .. }, .. });
        assert_eq!(is_401, url == unauthorized.url);
    }
}

#[tokio::test]
async fn a_command_that_serves_http_is_awaited() {
    let limits = Limits { start: Duration::from_secs(1), ..limits() };
    let command = |script: &str| Target::HttpCommand {
        launch: launch(&["sh", "-c", script]),
        url: "http://127.0.0.1:1/mcp".to_owned(),
        headers: Vec::new(),
    };
    for (script, expected, words) in [
        ("echo on stdout; echo no port >&2; exit 5", "the process ended: exit code 5", "no port"),
        ("sleep 600", "no answer within 1 s: `connection to its url`", ""),
    ] {
        let error =
            Session::start(&command(script), &ClientInfo::default(), &limits).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.stderr_tail.contains(words), "{}", error.stderr_tail);
    }
}

#[tokio::test]
async fn a_port_that_is_taken_is_not_measured_for_the_command() {
    let server = serve(|request| json(&reply(request))).await;
    let target = Target::HttpCommand {
        launch: launch(&["sleep", "600"]),
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let error = Session::start(&target, &ClientInfo::default(), &limits()).await.expect_err("a taken port");
    assert!(error.to_string().contains("before the command is started"), "{error}");
}
