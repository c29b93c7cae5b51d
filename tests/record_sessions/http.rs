//! The proxy: requests and responses pass as they are, and at once.

use crate::support::{Place, Running, eventually, http_fixture, mcp_regress};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

struct Proxy {
    running: Running,
    address: String,
}

/// `record` in front of `url`.
fn proxy(place: &Place, url: &str, more: &[&str]) -> Proxy {
    let mut command = place.record(&["--url", url]);
    let mut running = Running::start(command.args(more));
    let said = running.await_err("listening on http://");
    let said = if said.contains(", in front of") { said } else { running.await_err(", in front of") };
    let address = said.rsplit("listening on http://").next().unwrap().split('/').next().unwrap().to_owned();
    Proxy { running, address }
}

/// Status line, headers, body.
fn exchange(address: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let host = if headers.contains("Host: ") { String::new() } else { format!("Host: {address}\r\n") };
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let media = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
    let head = format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n{media}{length}{headers}\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, head.to_lowercase(), body.to_owned())
}

/// A header's value, without the date, which differs.
fn values<'h>(head: &'h str, names: &[&str]) -> Vec<Option<&'h str>> {
    let find = |name: &&str| head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    names.iter().map(find).collect()
}

#[test]
fn exchanges_are_equal_with_and_without_the_proxy() {
    for options in [&[][..], &["--sse"][..]] {
        let place = Place::new();
        let (mut direct, address) = http_fixture(options);
        let (mut behind, hidden) = http_fixture(options);
        let url = format!("http://{hidden}/mcp?key=s3cr3t-query");
        let Proxy { running, address: through } = proxy(&place, &url, &["--name", "docs"]);
        let talk = |address: &str| {
            let mut all = Vec::new();
            let mut session = String::new();
            let secret = "Authorization: Bearer s3cr3t-header\r\n";
            let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
            let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            for (method, body) in [
                ("POST", INITIALIZE),
                ("POST", notice),
                ("POST", list),
                ("POST", "no json"),
                ("GET", ""),
                ("DELETE", ""),
            ] {
                let headers = format!("{secret}{session}");
                let (status, head, body) = exchange(address, method, "/mcp", &headers, body);
                if let [Some(id)] = values(&head, &["mcp-session-id"])[..] {
                    session = format!("Mcp-Session-Id: {id}\r\n");
                }
                let kept = values(&head, &["content-type", "mcp-session-id", "content-length", "allow"]);
                all.push((
                    status,
                    kept.iter().map(|value| value.map(str::to_owned)).collect::<Vec<_>>(),
                    body,
                ));
            }
            all
        };
        similar_asserts::assert_eq!(talk(&address), talk(&through));
        running.signal("INT");
        let (status, out, err) = running.finish();
        assert_eq!((status.code(), out), (Some(0), Vec::new()));

        let text = place.text();
        assert!(!text.contains("s3cr3t"), "{text}");
        assert!(!String::from_utf8_lossy(&err).contains("s3cr3t"));
        let requests = place.all("client", "request");
        assert_eq!(requests.len(), 6);
        assert_eq!(requests[0]["headers"]["authorization"], Value::Null);
        assert!(requests[0]["headers"].as_object().unwrap().contains_key("authorization"));
        assert_eq!(requests[0]["headers"]["content-type"], json!("application/json"));
        assert!(requests[2]["headers"]["mcp-session-id"].is_string());
        let methods: Vec<Value> =
            place.all("client", "msg").into_iter().map(|msg| msg["method"].clone()).collect();
        assert_eq!(methods, [json!("initialize"), json!("notifications/initialized"), json!("tools/list")]);
        assert_eq!(place.all("client", "text"), [json!("no json")]);
        let replies = place.all("server", "msg");
        assert!(replies.iter().any(|msg| msg["id"] == 2 && msg["result"]["tools"].is_array()), "{text}");
        direct.kill().and_then(|()| direct.wait()).unwrap();
        behind.kill().and_then(|()| behind.wait()).unwrap();
    }
}

#[test]
fn the_definition_leads_to_the_proxy() {
    let place = Place::new();
    let Proxy { mut running, address } = proxy(&place, "http://127.0.0.1:9/mcp", &["--name", "docs"]);
    let said = running.await_err("listening on");
    let definition = &said[said.find('{').unwrap()..said.rfind('}').unwrap() + 1];
    let definition: Value = serde_json::from_str(definition).unwrap();
    let url = format!("http://{address}/mcp");
    assert_eq!(definition, json!({"mcpServers": {"docs": {"type": "http", "url": url}}}));
}

#[test]
fn hosts_and_origins_of_others_are_refused() {
    let place = Place::new();
    let (mut server, address) = http_fixture(&["--no-sessions"]);
    let url = format!("http://{address}/mcp");
    let Proxy { running, address } = proxy(&place, &url, &["--allow-host", "mine.example"]);
    for (headers, status) in [
        ("", 200),
        ("Host: localhost:1\r\n", 200),
        ("Host: mine.example\r\n", 200),
        ("Host: evil.example\r\n", 403),
        ("Host: 192.168.0.1\r\n", 403),
        ("Origin: http://localhost:6274\r\n", 200),
        ("Origin: http://mine.example\r\n", 200),
        ("Origin: https://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
    ] {
        let (got, _, body) = exchange(&address, "POST", "/mcp", headers, INITIALIZE);
        assert_eq!(got, status, "{headers:?} {body}");
        assert_eq!(body.contains("is refused"), status == 403, "{body}");
    }
    assert_eq!(place.all("client", "msg").len(), 5);
    assert_eq!(place.all("server", "refused").len(), 4);
    drop(running);
    server.kill().and_then(|()| server.wait()).unwrap();
}

/// An upstream that answers one request with these bytes, the next piece each time the test says so.
fn scripted(pieces: &'static [&'static str]) -> (String, std::sync::mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (go, gone) = channel::<()>();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
            line.clear();
        }
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && gone.recv().is_err() {
                return;
            }
            let _ = stream.write_all(piece.as_bytes());
        }
    });
    (address, go)
}

fn read_until(stream: &mut TcpStream, seen: &mut String, wanted: &str) {
    let mut chunk = [0; 4096];
    while !seen.contains(wanted) {
        let length = stream.read(&mut chunk).unwrap();
        assert!(length > 0, "`{wanted}` did not come, but `{seen}`");
        seen.push_str(std::str::from_utf8(&chunk[..length]).unwrap());
    }
}

#[test]
fn streams_pass_at_once() {
    let (address, go) = scripted(&[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Own: kept\r\n\r\nevent: message\nid: 1\ndata: {\"first\":1}\n\n",
        "data: {\"sec",
        "ond\":2}\n\n: comment\n\n",
    ]);
    let place = Place::new();
    let Proxy { running, address } = proxy(&place, &format!("http://{address}/sse"), &[]);
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(crate::support::PATIENCE)).unwrap();
    write!(stream, "GET /sse HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n").unwrap();
    let mut seen = String::new();
    // The upstream is silent until it is told to go on, so what came has come at once.
    read_until(&mut stream, &mut seen, "data: {\"first\":1}\n\n");
    assert!(seen.contains("x-own: kept"), "{seen}");
    eventually("the event is kept", || place.text().contains("\"msg\":{\"first\":1}}"));
    go.send(()).unwrap();
    read_until(&mut stream, &mut seen, "data: {\"sec");
    go.send(()).unwrap();
    read_until(&mut stream, &mut seen, ": comment\n\n");
    assert_eq!(place.all("server", "msg"), [json!({"first": 1}), json!({"second": 2})]);
    assert_eq!(place.all("server", "event_id"), [json!("1")]);
    drop(running);
}

#[test]
fn the_beginning_of_a_reply_survives_a_kill() {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\":";
    let (address, _go) = scripted(Box::leak(Box::new([&*head.to_owned().leak(), ""])));
    let place = Place::new();
    let Proxy { running, address } = proxy(&place, &format!("http://{address}/mcp"), &[]);
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /mcp HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    read_until(&mut stream, &mut String::new(), "{\"jsonrpc\":");
    eventually("it is kept", || place.text().contains("\"part\":true,\"text\":\"{\\\"jsonrpc\\\":\""));
    running.signal("KILL");
    drop(running);
    assert_eq!(place.all("client", "request").len(), 1);
}

#[test]
fn what_upstream_does_wrong_is_told() {
    let place = Place::new();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let Proxy { address, running } = proxy(&place, &format!("http://{unused}/mcp?token=s3cr3t"), &[]);
    let (status, _, body) = exchange(&address, "POST", "/mcp", "", INITIALIZE);
    assert_eq!(status, 502, "{body}");
    assert!(body.contains("can't be reached") && !body.contains("s3cr3t"), "{body}");
    assert_eq!(place.all("server", "refused")[0]["status"], json!(502));
    drop(running);

    let place = Place::new();
    let (address, go) = scripted(&[
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"cut",
        "",
    ]);
    let Proxy { address, running } = proxy(&place, &format!("http://{address}/mcp"), &[]);
    go.send(()).unwrap();
    let (_, _, body) = exchange(&address, "POST", "/mcp", "", "");
    assert_eq!(body, "{\"cut");
    eventually("the cut is noted", || place.text().contains("\"cut\":\"broken off"));
    drop(running);
}

#[test]
fn only_loopback_is_listened_on() {
    let place = Place::new();
    for (arguments, said) in [
        (["--url", "http://h/mcp", "--listen", "0.0.0.0:0"], "is no loopback address"),
        (["--url", "http://h/mcp", "--listen", "nonsense"], "--listen: `nonsense`"),
        (["--url", "ftp://u:s3cr3t@h", "--listen", "127.0.0.1:0"], "neither http nor https"),
    ] {
        let (status, _, err) = Running::start(&mut place.record(&arguments)).finish();
        let err = String::from_utf8(err).unwrap();
        assert_eq!(status.code(), Some(2), "{err}");
        assert!(err.contains(said) && !err.contains("s3cr3t"), "{err}");
    }
    let both = mcp_regress(&["record", "--url", "http://h", "--", "true"]).output().unwrap();
    assert_eq!(both.status.code(), Some(2));
    let Proxy { address, running } =
        proxy(&place, "http://127.0.0.1:9/mcp", &["--listen", "0.0.0.0:0", "--listen-public"]);
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    drop(running);
}
