//! A server over stdio that misbehaves in one way, named by its first argument, once it has answered
//! as many calls well as its second argument says (none by default). The tests of the
//! wire client run it; with `well-behaved` it is the smallest useful MCP server.
#![expect(clippy::exit, clippy::print_stderr, reason = "dying and shouting is what it is for")]

use std::io::{BufRead, Write, stdin, stdout};
use std::process::exit;
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "well-behaved".to_owned());
    let well = std::env::args().nth(2).and_then(|well| well.parse().ok()).unwrap_or(0);
    at_start(&mode);
    let mut calls = 0;
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("initialize") => initialize(&mode, &id),
            Some("notifications/initialized") => initialized(&mode),
            Some("tools/list") => list(&mode, &id, &message["params"]),
            Some("tools/call") => {
                calls += 1;
                let mode = if calls <= well { "well-behaved" } else { mode.as_str() };
                call(mode, &id, &message["params"], calls - well.min(calls));
            }
            Some(_) => {}
            // An answer to a request of this server: it is shown by the next call.
            None => say(&json!({"jsonrpc": "2.0", "method": "notifications/heard", "params": message})),
        }
    }
    at_end(&mode);
}

fn at_start(mode: &str) {
    match mode {
        "dies-at-start" => {
            eprintln!("Traceback: the last word is module_not_found");
            exit(7);
        }
        "silent-at-start" => sleep_ms(600_000),
        "junk-at-start" => write_raw(b"npm notice\n\nContent-Length: 3\n{\"level\":30}\n[1,2]\n5\n"),
        "stderr-flood" => (0..20_000).for_each(|n| eprintln!("line {n} {}", "x".repeat(100))),
        "children" => {
            let child = std::process::Command::new("sleep").arg("600").spawn();
            eprintln!("child {}", child.map_or(0, |child| child.id()));
        }
        _ => {}
    }
}

fn at_end(mode: &str) {
    match mode {
        "ignores-eof" | "ignores-term" => sleep_ms(600_000),
        "last-words" => eprintln!("good bye"),
        _ => {}
    }
}

fn initialize(mode: &str, id: &Value) {
    let result = json!({
        "protocolVersion": if mode == "old-protocol" { "2024-11-05" } else { "2025-11-25" },
        "capabilities": {"tools": {"listChanged": mode.starts_with("changing")}},
        "serverInfo": {"name": "wire-server", "version": "1.0"},
        "instructions": "Be \u{e9}",
    });
    match mode {
        "dies-in-initialize" => exit(1),
        "refuses-initialize" => fail(id, -32022, "use server/discover"),
        "initialize-twice" => (0..2).for_each(|_| reply(id, &result)),
        "initialize-without-version" => reply(id, &json!({})),
        "initialize-text" => reply(id, &json!("hello")),
        _ => reply(id, &result),
    }
}

fn initialized(mode: &str) {
    match mode {
        "changing-for-ever" => {
            std::thread::spawn(|| {
                loop {
                    sleep_ms(5);
                    changed();
                }
            });
        }
        "changing" => {
            std::thread::spawn(|| {
                for _ in 0..3 {
                    sleep_ms(30);
                    changed();
                }
            });
        }
        "dies-between-calls" => exit(3),
        _ => {}
    }
}

fn changed() {
    say(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
}

fn list(mode: &str, id: &Value, params: &Value) {
    let tool = |name: &str| {
        json!({"name": name, "title": "T", "description": "d", "inputSchema": {"type": "object"},
               "annotations": {"readOnlyHint": true}, "_meta": {"k": 1}})
    };
    let cursor = params["cursor"].as_str();
    match (mode, cursor) {
        ("empty-cursor", _) => reply(id, &json!({"tools": [tool("echo")], "nextCursor": ""})),
        ("stuck-cursor", _) => reply(id, &json!({"tools": [tool("echo")], "nextCursor": "again"})),
        ("endless-cursor", _) => {
            reply(id, &json!({"tools": [tool(&format!("t{id}"))], "nextCursor": format!("c{id}")}));
        }
        ("repeated-cursor", None) => reply(id, &json!({"tools": [tool("a")], "nextCursor": "same"})),
        ("repeated-cursor", Some(_)) if id.as_u64() < Some(5) => {
            reply(id, &json!({"tools": [tool(&format!("b{id}"))], "nextCursor": "same"}));
        }
        ("no-tools", _) => reply(id, &json!({"tool": []})),
        ("refuses-list", _) => fail(id, -32601, "no tools here"),
        ("odd-tools", _) => write_raw(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{ \"tools\" : [ {{\"name\":\"a\",\"name\":\"b\",\"description\":\"\\ud800\",\
                 \"inputSchema\":{0}{1}}}, {{}}, 5,  {{\"name\":\"b\"}} ] }}}}\n",
                "[".repeat(100_000),
                "]".repeat(100_000)
            )
            .as_bytes(),
        ),
        _ => reply(id, &json!({"tools": [tool("echo"), tool("other")]})),
    }
}

fn call(mode: &str, id: &Value, params: &Value, calls: u32) {
    let arguments = &params["arguments"];
    let size = arguments["size"].as_u64().unwrap_or(0) as usize;
    let text = if size > 0 { "x".repeat(size) } else { arguments["text"].as_str().unwrap_or("").to_owned() };
    let result = json!({"content": [{"type": "text", "text": text}], "isError": false});
    let ok = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    let line = |text: String| write_raw(format!("{text}\n").as_bytes());
    match mode {
        "never-answers" => {}
        "answers-late" if calls == 1 => {
            sleep_ms(400);
            line(ok);
        }
        "answers-twice" => (0..2).for_each(|_| line(ok.clone())),
        "unknown-id" => {
            line(r#"{"jsonrpc":"2.0","id":987654,"result":{"content":[]}}"#.to_owned());
            line(r#"{"jsonrpc":"2.0","id":"abc","result":{"content":[]}}"#.to_owned());
            line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#.to_owned());
            line(ok);
        }
        "dies-in-call" => exit(9),
        "dies-in-line" => {
            write_raw(&ok.as_bytes()[..ok.len() / 2]);
            exit(9);
        }
        "dies-after-reply-without-line-end" => {
            write_raw(ok.as_bytes());
            exit(0);
        }
        "aborts-in-call" => std::process::abort(),
        "no-line-end" => loop {
            write_raw(&[b'x'; 65_536]);
        },
        "notification-flood" => {
            for n in 0..20_000 {
                say(&json!({"jsonrpc": "2.0", "method": format!("notifications/m{}", n % 200)}));
            }
            line(ok);
        }
        "notifies-for-ever" => loop {
            say(&json!({"jsonrpc": "2.0", "method": "notifications/message"}));
        },
        "asks" => {
            for (n, method) in
                ["ping", "roots/list", "sampling/createMessage", "elicitation/create"].iter().enumerate()
            {
                say(&json!({"jsonrpc": "2.0", "id": format!("s{n}"), "method": method}));
            }
            line(ok);
        }
        "asks-for-ever" => loop {
            say(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x".repeat(500)}));
        },
        "never-reads-again" => sleep_ms(600_000),
        "deep" => line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        )),
        "duplicate-keys" => {
            line(format!(r#"{{"jsonrpc":"2.0","id":0,"id":{id},"result":1,"result":{result}}}"#))
        }
        "surrogates" => line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"\u0000 \ud800 \udc00x"}}]}}}}"#
        )),
        "raw-nul" => line(ok.replace("\"isError\"", "\"a\u{0}b\":1,\"isError\"")),
        "split-utf8" => {
            let mut bytes = ok.into_bytes();
            let at = bytes.windows(4).position(|window| window == b"text").unwrap_or(0);
            bytes.splice(at..at + 4, [0xe2, 0x82]);
            bytes.push(b'\n');
            write_raw(&bytes);
        }
        "cut-json" => line(ok[..ok.len() - 5].to_owned()),
        "no-jsonrpc" => line(format!(r#"{{"result":{result},"id":{id}}}"#)),
        "jsonrpc-1" => line(format!(r#"{{"jsonrpc":1.0,"result":{result},"id":{id}}}"#)),
        "error-null" => line(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":null,"result":{result}}}"#)),
        "only-error-null" => line(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":null}}"#)),
        "error-and-result" => line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1.0,"message":"\ud800no"}},"result":1}}"#
        )),
        "text-id" => line(format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{result}}}"#)),
        "error" => line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error": {{"code": -32602 ,"message":"bad \"x\"","data":[1]}}}}"#
        )),
        "spaced" => line(format!(
            "\u{feff}  {{ \"id\" : {id} , \"result\" :  {{ \"b\" : 1.50,\"a\":[ ] }}  , \"jsonrpc\":\"2.0\" }} \r"
        )),
        "batch" => line(format!(r#"[{{"jsonrpc":"2.0","method":"notifications/message"}},{ok}]"#)),
        "junk-in-call" => {
            line("\n> tool@1.0.0 start\n{\"level\":30,\"msg\":\"pino\"}".to_owned());
            line(ok);
        }
        "slow" => {
            sleep_ms(20);
            line(ok);
        }
        _ => line(ok),
    }
}

fn reply(id: &Value, result: &Value) {
    say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn fail(id: &Value, code: i64, message: &str) {
    say(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
}

fn say(message: &Value) {
    write_raw(format!("{message}\n").as_bytes());
}

fn write_raw(bytes: &[u8]) {
    let mut out = stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn sleep_ms(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}
