//! Transcripts of Claude Code, written call by call, and what a scan counts of them.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A session that is being written.
#[derive(Default)]
pub struct Session {
    lines: Vec<Value>,
    calls: usize,
    name: String,
}

impl Session {
    /// `name` keeps the ids of two sessions apart.
    pub fn new(name: &str) -> Self {
        let mut session = Self { name: name.to_owned(), ..Self::default() };
        session.prompt("Do it");
        session
    }

    fn push(&mut self, kind: &str, more: Value) {
        let mut line = json!({
            "type": kind,
            "uuid": format!("{}-{}", self.name, self.lines.len()),
            "parentUuid": null,
            "isSidechain": false,
            "sessionId": self.name,
            "version": "2.1.212",
            "timestamp": "2026-01-01T00:00:00.000Z",
        });
        for (key, value) in more.as_object().unwrap() {
            line[key] = value.clone();
        }
        self.lines.push(line);
    }

    pub fn prompt(&mut self, text: &str) {
        self.push("user", json!({"message": {"role": "user", "content": text}}));
    }

    /// A call; its id.
    pub fn call(&mut self, tool: &str, input: Value) -> String {
        self.calls += 1;
        let id = format!("toolu_{}_{}", self.name, self.calls);
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let usage = json!({"input_tokens": 4, "output_tokens": 1});
        let message = json!({"id": format!("msg_{id}"), "role": "assistant", "model": "m", "content": [block], "usage": usage});
        self.push("assistant", json!({"message": message}));
        id
    }

    pub fn result(&mut self, id: &str, content: Value) {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
        self.push("user", json!({"message": {"role": "user", "content": [block]}}));
    }

    pub fn failed(&mut self, id: &str, text: &str) {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": true});
        self.push("user", json!({"message": {"role": "user", "content": [block]}}));
    }

    /// A call and its result.
    pub fn done(&mut self, tool: &str, input: Value, text: &str) {
        let id = self.call(tool, input);
        self.result(&id, json!([{"type": "text", "text": text}]));
    }

    /// Changes the last line.
    pub fn last(&mut self) -> &mut Value {
        self.lines.last_mut().unwrap()
    }

    /// Makes the last line one of a subagent.
    pub fn of_subagent(&mut self, agent: &str) {
        let last = self.last();
        last["isSidechain"] = json!(true);
        last["agentId"] = json!(agent);
    }

    pub fn raw(&mut self, line: Value) {
        self.lines.push(line);
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub fn write(&self, path: &Path) {
        std::fs::write(path, self.text()).unwrap();
    }
}

/// A notice of Claude Code about so many characters.
pub fn saved(chars: &str, path: &str) -> String {
    format!(
        "Error: result ({chars} characters across 1 line) exceeds maximum allowed tokens. Output has been saved to {path}.\nFormat: Plain text"
    )
}

/// What the command said.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn scan(arguments: &[&str]) -> Said {
    said("scan", arguments)
}

/// What `import` makes of a path: its cases, by the names of their files.
pub fn imported(path: &Path) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let said = said("import", &[path.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let entries = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files.iter().map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).collect()
}

/// `[calls, read_calls, continuation_reads, oversized]` of the recordings of all cases.
pub fn recorded(cases: &[Value]) -> [u64; 4] {
    let recordings = cases.iter().flat_map(|case| case["recordings"].as_array().unwrap());
    let counts = recordings.map(|recording| {
        ["calls", "read_calls", "continuation_reads", "oversized"].map(|name| {
            recording["recorded"][name].as_u64().unwrap_or_else(|| panic!("{name} of {recording}"))
        })
    });
    counts.fold([0; 4], |sum, of| std::array::from_fn(|index| sum[index] + of[index]))
}

fn said(what: &str, arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-regress"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MCP_REGRESS_")) {
        command.env_remove(name);
    }
    let dir = tempfile::tempdir().unwrap();
    let output = command.arg(what).args(arguments).current_dir(dir.path()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The census of a path.
pub fn census(path: &Path) -> Value {
    let said = scan(&[path.to_str().unwrap(), "--format", "json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    serde_json::from_str(&said.out).unwrap()
}

/// The census of a session.
pub fn census_of(session: &Session) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session.jsonl");
    session.write(&path);
    census(&path)
}

/// Asserts some counts of the total.
pub fn assert_total(census: &Value, expected: &[(&str, u64)]) {
    let total = &census["total"];
    for (name, count) in expected {
        assert_eq!(total[*name], json!(count), "{name} of {total:#}");
    }
}
