//! Transcripts made line by line, and what `import` makes of them.

use crate::cli::{mcp_regress, said};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A session of Claude Code in the making.
pub struct Talk {
    lines: Vec<Value>,
    messages: u32,
    session: &'static str,
}

impl Talk {
    /// A session that begins with this prompt.
    pub fn new(prompt: &str) -> Self {
        Self { lines: Vec::new(), messages: 0, session: "s-1" }.prompt(prompt)
    }

    /// A line as it is, with the common fields put in where it lacks them.
    pub fn line(mut self, line: Value) -> Self {
        let mut line = line;
        let common = json!({"uuid": format!("u-{}", self.lines.len()), "sessionId": self.session,
            "isSidechain": false, "version": "2.1.220"});
        for (key, value) in common.as_object().unwrap() {
            if line.get(key).is_none() {
                line[key] = value.clone();
            }
        }
        self.lines.push(line);
        self
    }

    pub fn prompt(self, text: &str) -> Self {
        self.line(json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    fn agent(mut self, block: Value) -> Self {
        self.messages += 1;
        let message = json!({"id": format!("m-{}", self.messages), "role": "assistant", "model": "model-x",
            "content": [block]});
        self.line(json!({"type": "assistant", "message": message}))
    }

    pub fn say(self, text: &str) -> Self {
        self.agent(json!({"type": "text", "text": text}))
    }

    /// So many things said that use nothing.
    pub fn chat(self, count: usize) -> Self {
        (0..count).fold(self, |talk, index| talk.say(&format!("Note {index}.")))
    }

    pub fn think(self, text: &str) -> Self {
        self.agent(json!({"type": "thinking", "thinking": text}))
    }

    /// A call by the name that the client writes.
    pub fn call(self, id: &str, name: &str, input: Value) -> Self {
        self.agent(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
    }

    pub fn result(self, id: &str, content: impl Into<Value>) -> Self {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": content.into()});
        self.line(json!({"type": "user", "message": {"role": "user", "content": [block]}}))
    }

    pub fn error(self, id: &str, text: &str) -> Self {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": true});
        self.line(json!({"type": "user", "message": {"role": "user", "content": [block]}}))
    }

    /// A call and its result.
    pub fn did(self, id: &str, name: &str, input: Value, result: impl Into<Value>) -> Self {
        self.call(id, name, input).result(id, result)
    }

    /// A read of `read_document` of the server `docs`, whose page has this text and offers `next`.
    pub fn read(self, id: &str, start: Option<u64>, text: &str, next: Option<u64>) -> Self {
        let mut input = json!({"documentId": "doc-a", "limit": 3});
        if let Some(start) = start {
            input["startOffset"] = json!(start);
        }
        let next = next.map(|next| json!({"startOffset": next}));
        self.did(id, "mcp__docs__read_document", input, json!({"text": text, "next": next}).to_string())
    }

    /// Three pages of which each has this text among others.
    pub fn walk(self, texts: [&str; 3]) -> Self {
        let page =
            |index: usize| format!("{} {} {}", filler(10 * index), texts[index], filler(10 * index + 5));
        self.read("w1", None, &page(0), Some(8000)).read("w2", Some(8000), &page(1), Some(16000)).read(
            "w3",
            Some(16000),
            &page(2),
            Some(24000),
        )
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub fn import(&self, flags: &[&str]) -> Made {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("talk.jsonl");
        std::fs::write(&file, self.text()).unwrap();
        import_in(dir, &[&file], flags)
    }
}

/// Words that nobody quotes.
pub fn filler(seed: usize) -> String {
    const WORDS: [&str; 12] = [
        "elm", "sage", "cedar", "iris", "poplar", "olive", "maple", "ginger", "amber", "nettle", "thyme",
        "rowan",
    ];
    (0..30).map(|index| WORDS[(seed * 7 + index * index + index) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// What an import made.
pub struct Made {
    pub dir: TempDir,
    /// By the names of their files.
    pub cases: Vec<Value>,
    pub summary: Value,
    pub err: String,
    pub code: Option<i32>,
}

/// Imports these files into a folder that goes with the result.
pub fn import(paths: &[&Path], flags: &[&str]) -> Made {
    import_in(tempfile::tempdir().unwrap(), paths, flags)
}

fn import_in(dir: TempDir, paths: &[&Path], flags: &[&str]) -> Made {
    let out = dir.path().join("out");
    let mut command = mcp_regress();
    command.arg("import").args(paths).arg("--out").arg(&out).args(["--format", "json"]).args(flags);
    let said = said(&mut command);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&out)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let read = |path: &PathBuf| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    Made {
        cases: files.iter().map(read).collect(),
        summary: serde_json::from_str(&said.out).unwrap_or(Value::Null),
        err: said.err,
        code: said.code,
        dir,
    }
}

impl Made {
    /// The only recording of the only case.
    pub fn recording(&self) -> &Value {
        assert_eq!(self.cases.len(), 1, "{}", self.err);
        let recordings = self.cases[0]["recordings"].as_array().unwrap();
        assert_eq!(recordings.len(), 1);
        &recordings[0]
    }

    pub fn steps(&self) -> &Vec<Value> {
        self.recording()["steps"].as_array().unwrap()
    }

    /// The read steps.
    pub fn reads(&self) -> Vec<&Value> {
        self.steps().iter().filter(|step| step.get("read").is_some()).collect()
    }

    /// The kind of need of each read step; `-` for none.
    pub fn kinds(&self) -> Vec<&str> {
        self.reads().iter().map(|step| step["need_kind"].as_str().unwrap_or("-")).collect()
    }

    /// Calls that each read step was made of.
    pub fn reads_made(&self) -> Vec<u64> {
        let steps = self.summary["cases"][0]["recordings"][0]["steps"].as_array().unwrap();
        steps
            .iter()
            .filter(|step| step["intent"] == "read")
            .map(|step| step["calls"].as_u64().unwrap())
            .collect()
    }

    /// `[calls, read_calls, continuation_reads, oversized]`
    pub fn recorded(&self) -> [u64; 4] {
        let recorded = &self.recording()["recorded"];
        ["calls", "read_calls", "continuation_reads", "oversized"].map(|key| recorded[key].as_u64().unwrap())
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join("out").join(name)).unwrap()
    }
}

/// The texts of a list.
pub fn texts(list: &Value) -> Vec<&str> {
    list.as_array().map(|items| items.iter().map(|item| item.as_str().unwrap()).collect()).unwrap_or_default()
}

/// A transcript that the repository holds.
pub fn transcript(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts").join(name)
}
