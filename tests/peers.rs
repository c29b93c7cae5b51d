//! The main job on servers of the Python SDK and of rmcp, in the lifecycle of revision 2026-07-28, and over the
//! transport of revision 2024-11-05.
//!
//! `scripts/test peers` installs the Python SDK and names its interpreter in `MCP_REGRESS_PEERS_PYTHON`; without
//! it these tests fail.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;
mod wire_support;

use cli::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn python() -> String {
    let python = std::env::var("MCP_REGRESS_PEERS_PYTHON");
    python.expect("`MCP_REGRESS_PEERS_PYTHON` is not set; run `scripts/test peers`, which installs the SDK")
}

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/peers/python_server.py")
}

/// A read to the end, a tool that asks the user, and one that fails.
fn python_cases() -> String {
    let steps = [
        json!([{ "read": "read_document", "arguments": {}, "need": { "end": true } }]),
        json!([{ "call": "read_of_someone", "arguments": {} }]),
        json!([{ "call": "fail", "arguments": {} }]),
    ];
    let cases = ["document", "asked", "fails"].into_iter().zip(steps);
    cases.map(|(id, steps)| case(id, &steps)).collect()
}

fn case(id: &str, steps: &serde_json::Value) -> String {
    let recordings = json!([{ "id": "r1", "steps": steps }]);
    format!("{}\n", json!({ "format_version": 1, "id": id, "split": "dev", "recordings": recordings }))
}

const READS: &str = "[tools.read_document]\nkind = \"read\"\n\
                     continue = [{ argument = \"offset\", pattern = 'offset of (\\d+)' }]\n";

/// Runs a suite of these texts; its folder, what it said, and the run.
fn ran(toml: &str, cases: &str) -> (tempfile::TempDir, Said, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mcp-regress.toml"), format!("format_version = 1\n{toml}")).unwrap();
    std::fs::write(folder.path().join("a.cases.jsonl"), cases).unwrap();
    let out = folder.path().join("out");
    let said = said(
        mcp_regress()
            .args(["run", "--suite"])
            .arg(folder.path())
            .arg("--out")
            .arg(&out)
            .env("COLUMNS", "300"),
    );
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let run = only_run(&out);
    (folder, said, run)
}

fn calls<'r>(
    rows: &'r [std::collections::HashMap<String, String>],
    case: &str,
) -> Vec<&'r std::collections::HashMap<String, String>> {
    let of = |row: &&std::collections::HashMap<String, String>| {
        row["case_id"] == case && row["side"] == "candidate" && row["attempt"] == "1"
    };
    rows.iter().filter(of).collect()
}

fn protocol(run: &Path) -> String {
    let meta: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap();
    meta["sides"]["candidate"]["protocol"].as_str().unwrap().to_owned()
}

#[test]
fn the_python_sdk_without_initialize() {
    let (python, server) = (python(), server());
    for transport in ["stdio", "streamable-http"] {
        let command = format!("[{python:?}, {server:?}, {transport:?}");
        let side = match transport {
            "stdio" => format!("command = {command}]"),
            _ => format!("command = {command}, \"{{port}}\"]\nurl = \"http://127.0.0.1:{{port}}/mcp\""),
        };
        let client = "[client]\nprofile = \"claude-code\"\nprotocol = \"2026-07-28\"\n\
                      capabilities = { elicitation = { form = {} } }\n";
        let (_folder, said, run) = ran(&format!("{client}[server]\n{side}\n{READS}"), &python_cases());
        assert_eq!(protocol(&run), "2026-07-28", "{transport}");
        let rows = rows(&run.join("calls.csv"));
        let document = calls(&rows, "document");
        assert_eq!(document.last().unwrap()["chain_end"], "met", "{transport}");
        assert_eq!(document.len(), 5, "{transport}");
        // A call that was sent again with what the server asked for is one call.
        assert_eq!(calls(&rows, "asked").len(), 1, "{transport}");
        let asked = "baseline: calls for which it asked the user, who was not there";
        assert!(said.out.contains(asked), "{transport}: {}", said.out);
        assert_eq!(calls(&rows, "fails")[0]["outcome"], "tool_error", "{transport}");
    }
}

#[test]
fn rmcp_without_initialize() {
    let program = wire_support::example("rmcp_server");
    let program = program.to_str().unwrap();
    let cases = case("asked", &json!([{ "call": "ask", "arguments": { "text": "x" } }]))
        + &case("echoed", &json!([{ "call": "echo", "arguments": { "text": "caf\u{e9}" } }]));
    for side in [
        format!("command = [{program:?}, \"stdio\"]"),
        format!("command = [{program:?}, \"http\", \"{{port}}\"]\nurl = \"http://127.0.0.1:{{port}}/mcp\""),
    ] {
        let client = "[client]\nprofile = \"claude-code\"\nprotocol = \"2026-07-28\"\n";
        let tools = "[tools.ask]\nreplay = true\n[tools.echo]\nreplay = true\n";
        let (_folder, _, run) = ran(&format!("{client}[server]\n{side}\n{tools}"), &cases);
        assert_eq!(protocol(&run), "2026-07-28");
        let rows = rows(&run.join("calls.csv"));
        for case in ["asked", "echoed"] {
            let calls = calls(&rows, case);
            assert_eq!((calls.len(), calls[0]["outcome"].as_str()), (1, "ok"), "{case}");
        }
    }
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_python_sdk_over_the_older_transport() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(python())
        .arg(server())
        .args(["sse", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Running(child);
    let until = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "the server does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
    // As clients write it: in a file of definitions, and in the suite.
    let definitions = tempfile::tempdir().unwrap();
    let file = definitions.path().join(".mcp.json");
    let url = format!("http://127.0.0.1:{port}/sse");
    let text = json!({ "mcpServers": { "peer": { "type": "sse", "url": url } } });
    std::fs::write(&file, text.to_string()).unwrap();
    for side in [format!("from = {file:?}"), format!("url = {url:?}\ntype = \"sse\"")] {
        let (_folder, said, run) =
            ran(&format!("[client]\nprofile = \"claude-code\"\n[server]\n{side}\n{READS}"), &python_cases());
        assert_eq!(protocol(&run), "2025-11-25");
        let rows = rows(&run.join("calls.csv"));
        assert_eq!(calls(&rows, "document").len(), 5);
        assert!(!said.out.contains("no messages"), "{}", said.out);
    }
}
