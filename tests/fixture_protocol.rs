//! The fixture server's protocol, noise and determinism.

mod fixture_support;

use fixture_support::Server;
use serde_json::{Value, json};

#[test]
fn initialize_answers_the_version_that_was_asked() {
    let mut server = Server::start("--scenario echo");
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        assert_eq!(server.request("initialize", &params)["result"]["protocolVersion"], json!(answered));
    }
}

#[test]
fn every_request_is_answered_and_nothing_else() {
    let mut server = Server::start("--scenario echo");
    server.write_line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    server.write_line("");
    for (line, code) in [
        (r#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"none"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":7}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"d"}"#, -32600),
        ("no json", -32700),
    ] {
        server.write_line(line);
        let reply: Value = serde_json::from_str(&server.read_line()).expect("JSON");
        assert_eq!(reply["error"]["code"], json!(code), "{line}");
    }
    assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn echo_returns_as_many_bytes_as_asked() {
    let mut server = Server::start("--scenario echo");
    for size in [0, 1, 40, 8_192, 50_000] {
        assert_eq!(
            server.call("echo", &json!({ "size": size })),
            (
                "the quick brown fox jumps over the lazy dog 0123456789 and runs "
                    .chars()
                    .cycle()
                    .take(size)
                    .collect(),
                false
            )
        );
    }
}

#[test]
fn noise_is_a_function_of_its_key_and_of_the_request() {
    let requests = [
        "documents read_document {\"documentIds\":[\"doc-003\"],\"limit\":8}",
        "documents search_documents {\"query\":\"audit\"}",
        "threads thread_read {\"threadId\":\"thread-01\"}",
    ];
    for request in requests {
        let mut parts = request.splitn(3, ' ');
        let (scenario, tool, arguments) =
            (parts.next().expect("a"), parts.next().expect("b"), parts.next().expect("c"));
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let answer =
            |jitter: &str| Server::start(&format!("--scenario {scenario} {jitter}")).call(tool, &arguments).0;
        assert_eq!(answer(""), answer(""));
        assert_eq!(answer("--jitter a"), answer("--jitter a"));
        let varied: std::collections::BTreeSet<String> =
            (0..5).map(|key| answer(&format!("--jitter {key}"))).collect();
        assert!(varied.len() > 1, "{request}");
    }
}

#[test]
fn another_seed_makes_other_documents() {
    let read = |seed: u64| {
        let mut server = Server::start(&format!("--seed {seed}"));
        server.call("read_document", &json!({ "documentIds": ["doc-001"] })).0
    };
    assert_eq!(read(1), read(1));
    assert_ne!(read(1), read(2));
}
