//! The wire client and rmcp's client on the same servers, which are built with rmcp: both must see
//! the same names, texts and `isError`.

mod wire_support;

use mcp_regress::wire::{ClientInfo, LaunchSpec, ListingEnd, Session, Target, WireOutcome};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Map, Value, json};
use wire_support::{example, launch, limits};

const CALLS: [&str; 5] = ["echo", "blocks", "fail", "refuse", "nonsense"];

fn arguments() -> Map<String, Value> {
    json!({"text": "caf\u{e9} \u{1f600}\n\"x\""}).as_object().cloned().expect("an object")
}

fn peer(arguments: &[&str]) -> LaunchSpec {
    let program = example("rmcp_server");
    launch(&[&[program.to_str().expect("a path")], arguments].concat())
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// What a call showed: texts and `isError`, or code and message.
fn shown(result: &Value) -> String {
    let texts: Vec<&str> = result["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|block| block["text"].as_str())
        .collect();
    format!("{texts:?} {}", result["isError"].as_bool().unwrap_or(false))
}

async fn seen_by_us(mut session: Session) -> Vec<String> {
    let listing = session.list_tools().await.expect("a list");
    assert_eq!((listing.pages.len(), listing.end), (2, ListingEnd::Complete));
    assert_eq!(listing.tools[0].read_only_hint, Some(true));
    let mut seen: Vec<String> = listing.tools.iter().map(|tool| tool.name.clone()).collect();
    for name in CALLS {
        let reply = session.call(name, &arguments()).await;
        assert!(reply.warnings.is_empty(), "{:?}", reply.warnings);
        seen.push(match reply.outcome {
            WireOutcome::Result(raw) => shown(&serde_json::from_str(raw.get()).expect("json")),
            WireOutcome::Error { code, message, .. } => format!("{code} {message}"),
            other => panic!("{other:?}"),
        });
    }
    let report = session.close().await;
    assert_eq!(report.counters.junk, 0);
    seen
}

async fn seen_by_rmcp(client: RunningService<RoleClient, ()>) -> Vec<String> {
    let tools = client.list_all_tools().await.expect("a list");
    let mut seen: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
    for name in CALLS {
        let params = CallToolRequestParams::new(name).with_arguments(arguments());
        seen.push(match client.call_tool(params).await {
            Ok(result) => shown(&serde_json::to_value(result).expect("json")),
            Err(rmcp::ServiceError::McpError(error)) => format!("{} {}", error.code.0, error.message),
            Err(other) => panic!("{other}"),
        });
    }
    client.cancel().await.expect("an end");
    seen
}

#[tokio::test]
async fn both_clients_see_the_same_over_stdio() {
    let session = Session::start(&Target::Stdio(peer(&["stdio"])), &ClientInfo::default(), &limits()).await;
    let session = session.expect("a session");
    assert_eq!((session.server().protocol.as_str(), session.server().instructions_chars), ("2025-11-25", 7));
    let ours = seen_by_us(session).await;

    let mut command = tokio::process::Command::new(example("rmcp_server"));
    command.arg("stdio");
    let theirs = ().serve(TokioChildProcess::new(command).expect("a process")).await.expect("a client");
    assert_eq!(ours, seen_by_rmcp(theirs).await);
    assert_eq!(ours[..5], ["echo", "blocks", "fail", "refuse", "ask"]);
}

#[tokio::test]
async fn both_clients_see_the_same_over_http() {
    for mode in ["http", "json"] {
        let port = free_port();
        let url = format!("http://127.0.0.1:{port}/mcp");
        let launch = peer(&[mode, &port.to_string()]);
        let target = Target::HttpCommand { launch, url: url.clone(), headers: Vec::new() };
        let session = Session::start(&target, &ClientInfo::default(), &limits()).await.expect("a session");
        let theirs = ().serve(StreamableHttpClientTransport::from_uri(url)).await.expect("a client");
        let theirs = seen_by_rmcp(theirs).await;
        assert_eq!(seen_by_us(session).await, theirs, "{mode}");
    }
}

fn stateless() -> ClientInfo {
    ClientInfo { protocol: "2026-07-28".to_owned(), ..ClientInfo::default() }
}

/// A tool that asks for input gets a refusal, and what it says then is the result of one call.
async fn ask(mode: &str, mut session: Session) {
    let reply = session.call("ask", &arguments()).await;
    let warnings: Vec<&str> = reply.warnings.iter().map(|warning| warning.kind()).collect();
    assert_eq!(warnings, ["input_declined"], "{mode}");
    let WireOutcome::Result(raw) = reply.outcome else { panic!("{mode}: {:?}", reply.outcome) };
    let result: Value = serde_json::from_str(raw.get()).expect("json");
    let answers = r#"answers: {"name":{"action":"decline"}}"#;
    assert_eq!(shown(&result), format!("{:?} false", [answers]), "{mode}");
    assert_eq!(session.close().await.counters.input_rounds, 1, "{mode}");
}

#[tokio::test]
async fn the_revision_without_initialize_is_spoken_over_both_transports() {
    let target = |mode: &str| {
        if mode == "stdio" {
            return Target::Stdio(peer(&["stdio"]));
        }
        let port = free_port();
        let url = format!("http://127.0.0.1:{port}/mcp");
        Target::HttpCommand { launch: peer(&[mode, &port.to_string()]), url, headers: Vec::new() }
    };
    for mode in ["stdio", "http", "json"] {
        let start = async || Session::start(&target(mode), &stateless(), &limits()).await.expect(mode);
        let session = start().await;
        let hello = session.server();
        assert_eq!((hello.protocol.as_str(), hello.instructions_chars), ("2026-07-28", 7), "{mode}");
        assert!(!hello.name.is_empty(), "{mode}");
        let seen = seen_by_us(session).await;
        assert_eq!(seen[..5], ["echo", "blocks", "fail", "refuse", "ask"], "{mode}");
        assert!(seen[5].starts_with("[\"caf\u{e9} "), "{mode}: {}", seen[5]);
        ask(mode, start().await).await;
    }
}
