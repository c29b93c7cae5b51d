//! A bare client of the fixture server and a walk of its own over the pages of a result.
//!
//! Nothing here comes from the library: the figures that the demonstrations promise are counted
//! once more, by other code than that which replays them.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod http;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    sent: u64,
}

impl Server {
    /// Starts `mcp-regress fixture` with these options.
    pub fn start(options: &str) -> Server {
        Server::of(
            Command::new(env!("CARGO_BIN_EXE_mcp-regress")).arg("fixture").args(options.split_whitespace()),
        )
    }

    /// Starts it behind `mcp-regress record`, which writes a session into `folder`.
    pub fn recorded(options: &str, folder: &std::path::Path) -> Server {
        let program = env!("CARGO_BIN_EXE_mcp-regress");
        let mut command = Command::new(program);
        command
            .arg("record")
            .arg("--out")
            .arg(folder)
            .args(["--quiet", "--name", "docs", "--", program, "fixture"]);
        Server::of(command.args(options.split_whitespace()))
    }

    fn of(command: &mut Command) -> Server {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the fixture server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Server { child, input, output, sent: 0 }
    }

    pub fn write_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("stdin is open");
        input.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers in UTF-8");
        line
    }

    /// Sends a request and returns the whole reply as it came.
    pub fn request_raw(&mut self, method: &str, params: &Value) -> String {
        self.sent += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.sent, "method": method, "params": params });
        self.write_line(&message.to_string());
        self.read_line()
    }

    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        serde_json::from_str(&self.request_raw(method, params)).expect("a reply is JSON")
    }

    /// The text of a call's result, and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let reply = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text =
            reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {reply}"));
        (text.to_owned(), reply["result"]["isError"] == json!(true))
    }

    pub fn page(&mut self, tool: &str, arguments: &Value) -> Value {
        serde_json::from_str(&self.call(tool, arguments).0).expect("the result is JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}

/// What came of one recording.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Walk {
    pub calls: usize,
    pub reads: usize,
    pub continuations: usize,
    pub oversized: usize,
    pub spill_reads: usize,
    pub largest: usize,
    pub unmet: usize,
}

/// Plays the steps of a recording, each read until its need is met.
pub fn walk(server: &mut Server, recording: &Value) -> Walk {
    let (mut walk, mut saved) = (Walk::default(), BTreeMap::new());
    for step in recording["steps"].as_array().expect("steps") {
        let arguments = bound(&step["arguments"], &saved);
        if let Some(tool) = step["call"].as_str() {
            let page = server.page(tool, &arguments);
            walk.calls += 1;
            for (name, pointer) in step["save"].as_object().into_iter().flatten() {
                let value = page.pointer(pointer.as_str().expect("a pointer"));
                saved.insert(name.clone(), value.expect("the saved value is there").clone());
            }
        } else {
            read(server, step, arguments, &mut walk);
        }
    }
    walk
}

fn read(server: &mut Server, step: &Value, mut arguments: Value, walk: &mut Walk) {
    let tool = step["read"].as_str().expect("a read step");
    let (mut shown, mut items, mut pages, mut halvings) = (String::new(), 0, 0, 0);
    let mut forward = arguments.get("afterPosition").map(|_| true);
    let mut continues = false;
    loop {
        let (text, is_error) = server.call(tool, &arguments);
        assert!(!is_error, "{text}");
        let size = text.encode_utf16().count();
        walk.calls += 1;
        walk.reads += 1;
        walk.continuations += usize::from(continues);
        walk.largest = walk.largest.max(size);
        if size > 50_000 || text.len().div_ceil(3) > 25_000 {
            walk.oversized += 1;
            match step["on_oversized"].as_str() {
                Some("give_up") => break,
                None if halvings < 3 && halve(&mut arguments) => {
                    (halvings, continues) = (halvings + 1, false);
                    continue;
                }
                _ => walk.spill_reads += size.div_ceil(20_000),
            }
        }
        let page: Value = serde_json::from_str(&text).expect("a page is JSON");
        for document in page["documents"].as_object().into_iter().flatten() {
            shown += document.1["text"].as_str().expect("text");
        }
        for item in page["items"].as_array().into_iter().flatten() {
            shown += item["text"].as_str().expect("text");
            items += 1;
        }
        pages += 1;
        let next = next(&page, &mut forward);
        if is_met(&step["need"], &shown, items, pages, &page, next.is_none()) {
            return;
        }
        let Some((argument, value)) = next else { break };
        arguments[argument] = value;
        continues = true;
        assert!(pages <= 200, "a walk that does not end");
    }
    walk.unmet += 1;
}

fn next(page: &Value, forward: &mut Option<bool>) -> Option<(&'static str, Value)> {
    if let Some(offset) = page.pointer("/next/startOffset") {
        return Some(("startOffset", offset.clone()));
    }
    if *forward != Some(true) && page.get("earlierPosition").is_some() {
        *forward = Some(false);
        return Some(("beforePosition", page["earlierPosition"].clone()));
    }
    let goes_on = *forward != Some(false) && page["hasMore"] == json!(true);
    goes_on.then(|| ("afterPosition", page["nextPosition"].clone()))
}

fn is_met(need: &Value, shown: &str, items: usize, pages: usize, page: &Value, is_over: bool) -> bool {
    let texts = need["contains"].as_array();
    if let Some(texts) = texts {
        return texts.iter().all(|text| shown.contains(text.as_str().expect("a text")));
    }
    if let Some(reach) = need.get("reach") {
        let value = page.pointer(reach["pointer"].as_str().expect("a pointer")).and_then(Value::as_u64);
        return is_over || value >= reach["at_least"].as_u64();
    }
    if let Some(wanted) = need.get("items") {
        return items as u64 >= wanted["at_least"].as_u64().expect("a count");
    }
    if let Some(count) = need["pages"].as_u64() {
        return is_over || pages as u64 >= count;
    }
    need.is_null() || is_over
}

fn halve(arguments: &mut Value) -> bool {
    let carried = ["limit", "maxCharsPerItem"].into_iter().find(|name| arguments[*name].as_u64() > Some(1));
    match carried {
        Some(name) => arguments[name] = json!(arguments[name].as_u64().expect("an integer") / 2),
        None => arguments["limit"] = json!(50),
    }
    true
}

fn bound(value: &Value, saved: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::Object(map) if map.contains_key("$from") => {
            let value = &saved[map["$from"].as_str().expect("a name")];
            assert_eq!(value, &map["recorded"], "a binding finds what was recorded");
            value.clone()
        }
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), bound(value, saved))).collect(),
        Value::Array(list) => list.iter().map(|value| bound(value, saved)).collect(),
        other => other.clone(),
    }
}

/// The committed cases of a suite.
pub fn cases(folder: &str) -> Vec<Value> {
    let mut cases = Vec::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> =
        std::fs::read_dir(root).expect("the suite").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".case.json") {
            cases.push(
                serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("a case"),
            );
        } else if name.ends_with(".cases.jsonl") {
            let text = std::fs::read_to_string(path).expect("readable");
            cases.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case")));
        }
    }
    cases
}

/// F01 to F55.
pub fn fault_numbers() -> Vec<String> {
    (1..=55).map(|number| format!("F{number:02}")).collect()
}
