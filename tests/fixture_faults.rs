//! The fixture server misbehaves as it was told, and only there.

mod fixture_support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use fixture_support::http::HttpServer;
use fixture_support::{Server, fault_numbers};
use serde_json::{Value, json};

const LIST: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_items","arguments":{}}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;

/// Follows nextCursor for at most twelve pages; the first item of each, and the cursors.
fn listed(fault: &str) -> (Vec<String>, Vec<Value>) {
    let mut server = Server::start(&format!("--scenario pages {fault}"));
    let (mut firsts, mut cursors, mut arguments) = (Vec::new(), Vec::new(), json!({}));
    for _ in 0..12 {
        let page = server.page("list_items", &arguments);
        firsts
            .push(page["items"][0]["id"].as_str().unwrap_or("none").trim_start_matches("item-0").to_owned());
        cursors.push(page["nextCursor"].clone());
        if page["nextCursor"].as_str().is_none_or(str::is_empty) {
            break;
        }
        arguments["cursor"] = page["nextCursor"].clone();
    }
    (firsts, cursors)
}

#[test]
fn cursors_misbehave_in_their_own_ways() {
    let steps = ["00", "10", "20", "30", "40", "50"];
    let walk = |fault: &str| (listed(fault).0.join(" "), listed(fault).1.last().cloned());
    assert_eq!(walk(""), (steps.join(" "), Some(Value::Null)));
    assert_eq!(walk("--fault F01"), (format!("00{}", " 10".repeat(11)), Some(json!("10"))));
    assert_eq!(walk("--fault F02"), (format!("{}{}", steps.join(" "), " 50".repeat(6)), Some(json!("50"))));
    assert_eq!(walk("--fault f03"), (steps.join(" "), Some(json!(""))));
    assert_eq!(walk("--fault F04"), (steps.join(" "), Some(Value::Null)));
    assert_eq!(listed("--fault F04").1[..5], vec![json!("more"); 5]);
    assert_eq!(walk("--fault F05").0, "00 ".repeat(12).trim());
    assert_eq!(walk("--fault F07").0, "00 09 19 29 39 49");
    assert_eq!(walk("--fault F08").0, "00 11 21 31 41 51");
    assert_eq!(walk("--fault F09"), (format!("{}{}", steps.join(" "), " none".repeat(6)), Some(json!("60"))));
    assert_ne!(walk("--fault F20").0, steps.join(" "));
}

#[test]
fn results_are_bent() {
    for (fault, tool, arguments, holds) in [
        ("", "read_text", json!({ "more": 1 }), r#""isError":true"#),
        ("F06", "list_items", json!({ "limit": 2 }), "item-009"),
        ("F10", "fetch", json!({ "start_index": 90_000 }), "start_index of 92000"),
        ("F11", "list_items", json!({}), "0123456789abcdef0123456789abcdef"),
        ("F15", "read_text", json!({}), r#"{\"truncated\":true}"#),
        (
            "F16",
            "read_text",
            json!({}),
            r#"File too large (1048576 bytes). Maximum size is 65536 bytes."}],"isError":false"#,
        ),
        ("F17", "read_text", json!({}), r#""structuredContent":{"text":""#),
        ("F18", "read_text", json!({}), r#""structuredContent":{"byteCount":"#),
        ("F19", "read_text", json!({ "length": 1_001 }), r#""isError":true"#),
        ("F24", "list_entries", json!({ "page_size": 3 }), "item-002"),
        ("F25", "read_text", json!({ "more": 1 }), r#""isError":false"#),
        ("F26", "read_text", json!({ "more": 1 }), r#"[{"type":"text","text":"Note: the argument more"#),
        ("F39", "read_text", json!({}), "xxxxxxxxxx"),
        ("F40", "read_text", json!({}), "[[[[[[[[[[[[[[[[[[[["),
        ("F41", "read_text", json!({}), r#""result":{"content":[],"isError":true,"content":[{"#),
        ("F42", "read_text", json!({}), r"\u0000 and lone \ud800"),
        ("F43", "read_text", json!({}), r#"{"id":1,"result""#),
    ] {
        let mode =
            if fault.is_empty() { String::new() } else { format!("--fault {fault} --fault-bytes 3000000") };
        let mut server = Server::start(&format!("--scenario pages {mode}"));
        let reply = server.request_raw("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(reply.contains(holds), "{fault}: {}", &reply[..reply.len().min(600)]);
    }
}

#[test]
fn paging_of_every_form_ends_without_a_fault() {
    let mut server = Server::start("--scenario pages");
    assert!(server.call("fetch", &json!({ "start_index": 10_000 })).0.ends_with(|last| last != '>'));
    assert!(server.call("read_lines", &json!({ "offset": 500 })).0.contains("0 remaining"));
    assert!(server.call("start_search", &json!({})).0.contains("More results"));
    let more: Vec<bool> = (0..5)
        .map(|_| server.call("get_more_search_results", &json!({ "sessionId": "s" })).0.contains("More"))
        .collect();
    assert_eq!(more, [true, true, true, true, false]);
    assert!(
        Server::start("--fault F09").call("read_lines", &json!({ "offset": 500 })).0.contains("1 remaining")
    );
    let pages: Vec<Value> =
        (0..2).map(|_| server.page("list_items", &json!({}))["items"][0]["id"].clone()).collect();
    assert_eq!(pages, [json!("item-000"), json!("item-000")]);
    let mut keeping = Server::start("--fault F22");
    let pages: Vec<Value> =
        (0..2).map(|_| keeping.page("list_items", &json!({}))["items"][0]["id"].clone()).collect();
    assert_eq!(pages, [json!("item-000"), json!("item-010")]);
    let mut staying = Server::start("--scenario threads --build candidate --fault F01");
    let page = staying.page("thread_read", &json!({ "threadId": "thread-01", "beforePosition": 300 }));
    assert_eq!(page["earlierPosition"], json!(300));
}

/// All that a process writes to stdout after these lines and the end of stdin, and whether it ended well.
fn spoken(options: &str, lines: &[&str]) -> (Vec<u8>, bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
        .arg("fixture")
        .args(options.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    for line in lines {
        let _ = writeln!(input, "{line}");
    }
    drop(input);
    let mut bytes = Vec::new();
    child.stdout.take().expect("stdout is piped").read_to_end(&mut bytes).expect("readable");
    (bytes, child.wait().expect("it ends").success())
}

#[test]
fn processes_misbehave() {
    for (options, lines, ends_well, count) in [
        ("F27", &[INITIALIZE, LIST][..], true, 1),
        ("F28 --fault-delay-ms 1", &[INITIALIZE, LIST], true, 2),
        ("F29", &[INITIALIZE, LIST], true, 3),
        ("F30", &[INITIALIZE, LIST], true, 3),
        ("F31", &[INITIALIZE, LIST], false, 0),
        ("F32", &[INITIALIZE, LIST, LIST], false, 1),
        ("F33", &[INITIALIZE, LIST, LIST], false, 2),
        ("F32 --fault-on poison", &[INITIALIZE, LIST, LIST], true, 3),
        ("F36 --fault-bytes 1000000", &[LIST], true, 1),
        ("F37 --fault-bytes 1000000", &[LIST], true, 1),
        ("F38", &[LIST], true, 20_001),
        ("F44", &[LIST], true, 6),
        ("F46", &[LIST, r#"{"jsonrpc":"2.0","id":"server-4","result":{}}"#], true, 5),
    ] {
        let (bytes, success) = spoken(&format!("--fault {options}"), lines);
        let shown: Vec<_> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
        let blank = usize::from(options == "F44");
        assert_eq!((success, shown.len() + blank), (ends_well, count), "{options}");
    }
}

#[test]
fn characters_are_split_in_two_ways() {
    let (bytes, _) = spoken("--fault F14", &[LIST, LIST]);
    let replies: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    assert!(std::str::from_utf8(replies[0]).is_err());
    assert!(std::str::from_utf8(replies[1]).expect("UTF-8").contains(r"\ud83d"));
}

#[test]
fn stdout_closes_while_the_process_lives_on() {
    for (options, message) in [("--fault F34", LIST), ("--fault F35", INITIALIZE)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
            .arg("fixture")
            .args(options.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        writeln!(child.stdin.take().expect("piped"), "{message}").expect("the server reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("readable");
        assert_eq!(line.is_empty(), options.ends_with("F34"), "{options}: {line}");
        if options.ends_with("F35") {
            let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
            assert!(sent.expect("kill runs").success());
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        assert!(child.try_wait().expect("a state").is_none(), "{options} lives on");
        child.kill().expect("KILL ends it");
        child.wait().expect("it is gone");
    }
}

#[test]
fn the_list_changes_after_it_was_read() {
    let mut server = Server::start("--fault F45");
    let first = server.request("tools/list", &json!({}));
    assert!(server.read_line().contains("list_changed") && server.read_line().contains("list_changed"));
    let second = server.request("tools/list", &json!({}));
    let count = |reply: &Value| reply["result"]["tools"].as_array().map(Vec::len);
    assert_eq!((count(&first), count(&second)), (Some(6), Some(7)));
}

#[test]
fn http_misbehaves() {
    let statuses = |options: &str| {
        let server = HttpServer::start(&format!("--no-sessions --fault {options}"));
        (0..3).map(|_| server.post(LIST, &[]).status).collect::<Vec<_>>()
    };
    assert_eq!(statuses("F49"), [307; 3]);
    assert_eq!(statuses("F51"), [200, 200, 500]);
    assert_eq!(statuses("F54"), [429, 503, 200]);
    assert_eq!(statuses("F55"), [401; 3]);
    assert_eq!(statuses("F32"), [0; 3]);
    assert_eq!(statuses("F52 --fault-delay-ms 1"), [200; 3]);
    let one = |options: &str| HttpServer::start(&format!("--no-sessions --fault {options}")).post(LIST, &[]);
    assert!(!one("F47").body.contains("\n\n"));
    assert_eq!(one("F48").header("content-type"), Some("text/html"));
    assert!(one("F53").body.starts_with("id: 0\ndata: \n\n"));
    assert_eq!(one("F54").header("retry-after"), Some("1"));
    let refused = HttpServer::start("--fault F55").post(LIST, &[("Authorization", "Bearer x")]);
    assert_eq!(refused.status, 403);
}

#[test]
fn a_session_vanishes() {
    let server = HttpServer::start("--fault F50");
    let opened = server.post(INITIALIZE, &[]);
    let named = [("Mcp-Session-Id", opened.header("mcp-session-id").expect("a session"))];
    let statuses: Vec<u16> = (0..3).map(|_| server.post(LIST, &named).status).collect();
    assert_eq!(statuses, [200, 200, 404]);
}

#[test]
fn misplaced_faults_are_refused() {
    for options in ["--fault F07 --scenario documents", "--fault F47", "--fault F34 --http 0"] {
        assert!(!spoken(options, &[]).1, "{options}");
    }
}

#[test]
fn every_number_is_a_mode() {
    let is_known = |number: &str| {
        let help = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
            .args(["fixture", "--fault", number, "--help"])
            .output();
        help.expect("the binary runs").status.success()
    };
    for number in fault_numbers() {
        assert!(is_known(&number), "{number}");
    }
    assert!(!is_known("F56"));
}
