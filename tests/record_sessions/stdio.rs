//! The shim: transparent in both directions, and complete whoever ends first.

use crate::support::{Place, Running, eventually, mcp_regress, mode, program, signal};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

/// What a client may send, sense and nonsense.
fn dialog() -> Vec<u8> {
    let call = |id: u32, offset: u32| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "read_document",
            "arguments": {"documentIds": ["doc-0001"], "startOffset": offset}}})
    };
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let mut bytes = Vec::new();
    for line in [initialize, list, call(3, 0), call(4, 8000)] {
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }
    bytes.extend_from_slice(b"{\"jsonrpc\": \"2.0\",\t\"id\":5.0, \"id\": 6, \"method\":\"ping\"}\r\n");
    bytes.extend_from_slice(
        "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud83d\",\"method\":\"gr\u{fc}\u{df}e \u{1f600}\"}\n".as_bytes(),
    );
    bytes.extend_from_slice(b"no json\n\n\xff\xfe\x00\n");
    bytes.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
    bytes
}

#[test]
fn bytes_are_equal_with_and_without_the_shim() {
    let place = Place::new();
    let server = [program(), "fixture", "--scenario", "documents"];
    let mut ends = Vec::new();
    for mut command in
        [mcp_regress(&server[1..]), place.record(&["-q", "--", server[0], server[1], server[2], server[3]])]
    {
        let mut running = Running::start(&mut command);
        running.write(&dialog());
        let (status, out, err) = running.finish();
        ends.push((
            status.code(),
            String::from_utf8(out).unwrap(),
            String::from_utf8_lossy(&err).into_owned(),
        ));
    }
    let through = ends.pop().unwrap();
    similar_asserts::assert_eq!(ends[0], through);
    assert!(through.1.lines().count() >= 8, "{}", through.1);

    // The session holds the same bytes again.
    let text = place.text();
    let replies: Vec<&str> = through.1.lines().collect();
    let server: Vec<&str> = raw(&text, "server");
    assert_eq!(server, replies);
    let client = raw(&text, "client");
    assert_eq!(client[4], "{\"jsonrpc\": \"2.0\",\t\"id\":5.0, \"id\": 6, \"method\":\"ping\"}");
    assert_eq!(client.len(), 6);
    assert_eq!(place.all("client", "text"), [json!("no json"), json!(""), json!(dialog_end())]);
    assert_eq!(place.all("client", "base64"), [json!("//4A")]);
}

fn dialog_end() -> &'static str {
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"
}

/// The messages of one direction, byte for byte.
fn raw<'t>(session: &'t str, origin: &str) -> Vec<&'t str> {
    let sign = format!("\"dir\":\"{origin}\"");
    let lines = session.lines().filter(|line| line.contains(&sign));
    lines.filter_map(|line| line.split_once("\"msg\":")?.1.strip_suffix('}')).collect()
}

#[test]
fn beginnings_of_lines_pass_at_once_and_are_kept() {
    let place = Place::new();
    let mut running = Running::start(&mut place.record(&["-q", "--", "cat"]));
    running.write(b"{\"half");
    running.await_out("{\"half");
    eventually("the beginning is kept", || place.text().contains("\"part\":true,\"text\":\"{\\\"half\""));
    running.write(b"\":1}\nnext");
    running.await_out("\":1}\nnext");
    eventually("the rest is kept", || place.text().contains("\"rest\":true,\"text\":\"\\\":1}\""));
    running.signal("KILL");
    let (status, out, _) = running.finish();
    assert_eq!((status.signal(), out), (Some(9), b"{\"half\":1}\nnext".to_vec()));
    assert!(place.text().starts_with("{\"format\":\"mcp-regress-session\",\"format_version\":1,"));
}

#[test]
fn exit_codes_and_stderr_pass() {
    for (script, code, out, err) in [
        ("printf out; printf err >&2; exit 7", 7, "out", "err"),
        ("cat >/dev/null; exit 0", 0, "", ""),
        ("exec 2>&-; echo x; exit 100", 100, "x\n", ""),
        ("(sleep 1000; echo never) & exit 5", 5, "", ""),
    ] {
        let place = Place::new();
        let running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", script]));
        let (status, said, complained) = running.finish();
        assert_eq!(status.code(), Some(code), "{script}");
        assert_eq!(String::from_utf8_lossy(&said), out, "{script}");
        assert_eq!(String::from_utf8_lossy(&complained), err, "{script}");
        assert_eq!(place.all("server", "exit"), [json!({"code": code})], "{script}");
    }
}

#[test]
fn signals_pass_in_both_directions() {
    for name in ["TERM", "INT", "HUP", "USR1"] {
        let place = Place::new();
        let script = format!("trap 'echo got; exit 9' {name}; echo ready; while :; do sleep 0.05; done");
        let mut running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", &script]));
        running.await_out("ready");
        running.signal(name);
        let (status, out, _) = running.finish();
        assert_eq!((status.code(), out), (Some(9), b"ready\ngot\n".to_vec()), "{name}");
        assert_eq!(place.all("client", "signal"), [json!(name)]);
    }
    for (name, number) in [("TERM", 15), ("KILL", 9), ("USR2", 12)] {
        let place = Place::new();
        let script = format!("kill -{name} $$; sleep 1000");
        let running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", &script]));
        let (status, _, _) = running.finish();
        assert_eq!(status.signal(), Some(number), "{name}");
        assert_eq!(place.all("server", "exit"), [json!({"signal": number})]);
    }
}

fn is_alive(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    state.is_ok_and(|state| !state.contains(") Z"))
}

/// A server that tells its process id and outlives the end of its stdin.
const STUBBORN: &str = "echo pid $$ ; cat; while :; do sleep 0.05; done";

fn process_of(out: &str) -> String {
    out.lines().find_map(|line| line.strip_prefix("pid ")).unwrap().trim().to_owned()
}

#[test]
fn a_killed_shim_loses_nothing_and_leaves_no_server() {
    let place = Place::new();
    let mut running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", STUBBORN]));
    let process = process_of(&running.await_out("pid "));
    for number in 0..200 {
        running.write(format!("{{\"number\":{number}}}\n").as_bytes());
    }
    running.await_out("{\"number\":199}\n");
    running.signal("KILL");
    eventually("the server is gone", || !is_alive(&process));
    for origin in ["client", "server"] {
        let numbers: Vec<Value> =
            place.all(origin, "msg").into_iter().map(|msg| msg["number"].clone()).collect();
        assert_eq!(numbers, (0..200).map(Value::from).collect::<Vec<_>>(), "{origin}");
    }
}

#[test]
fn a_killed_server_ends_the_shim() {
    let place = Place::new();
    let mut running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", STUBBORN]));
    let process = process_of(&running.await_out("pid "));
    running.write(b"{\"last\":1}\n");
    running.await_out("{\"last\":1}\n");
    signal(process.parse().unwrap(), "KILL");
    let (status, _, _) = running.finish();
    assert_eq!(status.signal(), Some(9));
    assert_eq!(place.all("server", "msg"), [json!({"last": 1})]);
}

#[test]
fn a_server_whose_client_is_gone_is_ended() {
    let place = Place::new();
    // The client is a shell that is killed; its pipes close with it.
    let folder = place.folder();
    let script = "\"$0\" record -q --out \"$1\" -- sh -c \"$2\" | cat";
    let mut client = mcp_regress(&[]);
    let program = client.get_program().to_owned();
    client = std::process::Command::new("sh");
    client.args(["-c", script, program.to_str().unwrap(), folder.to_str().unwrap(), STUBBORN]);
    let mut running = Running::start(&mut client);
    let process = process_of(&running.await_out("pid "));
    let shim = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let shim = shim.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let parent = running.child.id().to_string();
    let mut find = std::process::Command::new("pgrep");
    let reader = find.args(["-P", &parent, "-x", "cat"]).output().unwrap();
    signal(String::from_utf8(reader.stdout).unwrap().trim().parse().unwrap(), "KILL");
    drop(running.stdin.take());
    eventually("server and shim are gone", || !is_alive(&process) && !is_alive(&shim));
}

#[test]
fn a_server_that_closes_its_stdout_is_ended() {
    let place = Place::new();
    let script = "echo pid $$; exec >&-; while :; do sleep 0.05; done";
    let mut running = Running::start(&mut place.record(&["-q", "--", "sh", "-c", script]));
    let process = process_of(&running.await_out("pid "));
    eventually("the server is gone", || !is_alive(&process));
    assert_eq!(running.finish().0.signal(), Some(15));
}

#[test]
fn sessions_are_private_and_hide_secrets_of_the_command() {
    let place = Place::new();
    let running = Running::start(&mut place.record(&["--", "true", "--token", "s3cr3t", "API_KEY=s3cr3t"]));
    let (status, _, err) = running.finish();
    assert_eq!(status.code(), Some(0));
    assert_eq!((mode(&place.folder()), mode(&place.file())), (0o700, 0o600));
    assert!(!place.text().contains("s3cr3t"), "{}", place.text());
    assert_eq!(place.header()["command"], json!(["true", "--token", "***", "API_KEY=***"]));
    assert_eq!(place.header()["server"], json!("true"));

    // What is to be pasted is whole, and works.
    let err = String::from_utf8(err).unwrap();
    let definition: Value = serde_json::from_str(&err[err.find('{').unwrap()..]).unwrap();
    let server = &definition["mcpServers"]["true"];
    assert_eq!(server["command"], json!(program()));
    let arguments: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    assert!(arguments.ends_with(&["--", "true", "--token", "s3cr3t", "API_KEY=s3cr3t"]), "{arguments:?}");
    let (status, _, err) = Running::start(&mut mcp_regress(&arguments)).finish();
    assert_eq!((status.code(), err), (Some(0), Vec::new()));
    assert_eq!(std::fs::read_dir(place.folder()).unwrap().count(), 2);
}

#[test]
fn long_messages_are_kept_whole() {
    let place = Place::new();
    let mut running = Running::start(&mut place.record(&["-q", "--", "cat"]));
    let message = format!("{{\"text\":\"{}\"}}\n", "x".repeat(20_000_000));
    running.write(message.as_bytes());
    let (_, out, _) = running.finish();
    assert!(out == message.as_bytes());
    // Past some size, or when the machine is slow, a line is kept in pieces.
    let lines = place.lines();
    let pieces: Vec<&Value> =
        lines.iter().filter(|line| line["dir"] == "server" && line["text"].is_string()).collect();
    let kept: String = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
    assert!(kept + "\n" == message);
    let (last, parts) = pieces.split_last().unwrap();
    assert!(parts.iter().all(|part| part["part"] == true) && last["part"].is_null());
}

#[test]
fn a_session_file_is_appended_to() {
    let place = Place::new();
    let file = place.dir.path().join("one.jsonl");
    for _ in 0..2 {
        let mut command = mcp_regress(&["record", "-q", "--out", file.to_str().unwrap(), "--", "echo", "1"]);
        assert_eq!(Running::start(&mut command).finish().0.code(), Some(0));
    }
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("\"format_version\":1").count(), 2);
    assert_eq!(text.matches("\"msg\":1}").count(), 2);
}

#[test]
fn what_cannot_start_is_said() {
    let place = Place::new();
    for (command, code, said) in [
        (place.record(&["--", "/no/such/server"]), 3, "`/no/such/server` can't be started: No such file"),
        (mcp_regress(&["record"]), 2, "no server is named"),
        (
            mcp_regress(&["record", "--out", "/proc/none", "--", "true"]),
            2,
            "can't make the folder of the session",
        ),
    ] {
        let mut command = command;
        let (status, out, err) = Running::start(&mut command).finish();
        let err = String::from_utf8(err).unwrap();
        assert_eq!((status.code(), out), (Some(code), Vec::new()), "{err}");
        assert!(err.contains(said) && err.contains("hint: "), "{err}");
    }
    assert!(Path::new(program()).is_absolute());
}
