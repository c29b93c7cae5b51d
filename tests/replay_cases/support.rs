//! A replay in memory: a suite and steps as files hold them, and a server that is a function.

use mcp_regress::agent::{
    Answer, AttemptTrace, Caller, ReplaySettings, Reply, SideTool, Toolbox, replay, tools_used,
};
use mcp_regress::client::Profile;
use mcp_regress::suite::{Rename, Suite};
use mcp_regress::trace::CallRecord;
use mcp_regress::words::{ChainEnd, OnOversized, ReplayMode};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the server says to one call.
pub enum Say {
    /// Text blocks.
    Text(Vec<String>),
    /// `structuredContent` and text blocks.
    Both(Value, Vec<String>),
    /// The bytes of the result.
    Raw(String),
    ToolError(String),
    ProtocolError(String),
    Timeout,
    Crash,
    Infrastructure,
}

pub fn text(text: impl Into<String>) -> Say {
    Say::Text(vec![text.into()])
}

/// A document as a text block.
pub fn doc(document: Value) -> Say {
    text(document.to_string())
}

pub fn structured(document: Value) -> Say {
    Say::Both(document, Vec::new())
}

impl Say {
    fn reply(self) -> Reply {
        let blocks = |texts: Vec<String>| -> Vec<Value> {
            texts.into_iter().map(|text| json!({"type": "text", "text": text})).collect()
        };
        let result = |value: Value| Reply::Result(raw(value.to_string()));
        match self {
            Self::Text(texts) => result(json!({"content": blocks(texts)})),
            Self::Both(document, texts) => {
                result(json!({"content": blocks(texts), "structuredContent": document}))
            }
            Self::Raw(text) => Reply::Result(raw(text)),
            Self::ToolError(text) => result(json!({"content": blocks(vec![text]), "isError": true})),
            Self::ProtocolError(message) => {
                let error = json!({"code": -32602, "message": message});
                Reply::Error { raw: raw(error.to_string()), message }
            }
            Self::Timeout => Reply::Timeout,
            Self::Crash => Reply::Crashed("the process ended".into()),
            Self::Infrastructure => Reply::Infrastructure("status 401".into()),
        }
    }
}

fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).expect("JSON")
}

struct Scripted<F> {
    server: F,
    requests: Vec<(String, Value)>,
}

impl<F: FnMut(&str, &Map<String, Value>) -> Say + Send> Caller for Scripted<F> {
    async fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Answer {
        self.requests.push((tool.to_owned(), Value::Object(arguments.clone())));
        assert!(self.requests.len() < 2_000, "the replay does not end");
        let reply = (self.server)(tool, arguments).reply();
        Answer { reply, duration: Duration::from_millis(1), warnings: Vec::new() }
    }
}

/// A replay to be tried.
#[derive(Clone)]
pub struct Trial {
    suite: String,
    steps: Value,
    tools: Value,
    baseline_tools: Option<Value>,
    renames: bool,
    client: &'static str,
    settings: ReplaySettings,
}

/// What came of it.
pub struct Ran {
    pub trace: AttemptTrace,
    pub requests: Vec<(String, Value)>,
}

impl Trial {
    /// `suite`: the tables of tools. `steps`: a list of steps, or one step.
    pub fn new(suite: &str, steps: Value) -> Self {
        let steps = if steps.is_array() { steps } else { json!([steps]) };
        let settings = ReplaySettings {
            mode: ReplayMode::Adaptive,
            on_oversized: OnOversized::RetrySmaller,
            spill_chunk: 20_000,
            max_pages: 200,
            ends_on_empty: true,
        };
        let tools = json!({"read": {}});
        let suite = suite.to_owned();
        Self { suite, steps, tools, baseline_tools: None, renames: false, client: "none", settings }
    }

    /// The side's tools: name to the properties of the schema, or to a whole entry with `inputSchema`.
    pub fn tools(mut self, tools: Value) -> Self {
        self.tools = tools;
        self
    }

    /// The baseline's tools, when they are not the side's: the side is then the candidate.
    pub fn baseline(mut self, tools: Value) -> Self {
        self.baseline_tools = Some(tools);
        self.renames = true;
        self
    }

    pub fn client(mut self, client: &'static str) -> Self {
        self.client = client;
        self
    }

    pub fn settings(mut self, change: impl FnOnce(&mut ReplaySettings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub fn run(self, server: impl FnMut(&str, &Map<String, Value>) -> Say + Send) -> Ran {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect(name);
        write("mcp-regress.toml", format!("format_version = 1\n{}", self.suite));
        let case =
            json!({"format_version": 1, "id": "c", "recordings": [{"id": "r", "steps": self.steps.clone()}]});
        write("c.case.json", case.to_string());
        let suite = mcp_regress::suite::load(folder.path()).unwrap_or_else(|problems| panic!("{problems}"));
        let cases = mcp_regress::case::load(&suite).unwrap_or_else(|problems| panic!("{problems}"));
        let toolbox = self.toolbox(&suite, &cases);
        let profile = Profile::resolve(&suite.client, Some(self.client)).expect("a profile");
        let mut caller = Scripted { server, requests: Vec::new() };
        let steps = cases[0].recordings[0].steps.read();
        let replaying = replay(&mut caller, &steps, &toolbox, &profile, self.settings, Instant::now(), None);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let trace = runtime.block_on(replaying);
        Ran { trace, requests: caller.requests }
    }

    fn toolbox(&self, suite: &Suite, cases: &[mcp_regress::case::Case]) -> Toolbox {
        let used = tools_used(suite, cases);
        let side = side_tools(&self.tools);
        let baseline = self.baseline_tools.as_ref().map_or_else(|| side.clone(), side_tools);
        let none = BTreeMap::<String, Rename>::new();
        let server = if self.renames { &suite.candidate } else { &suite.baseline };
        let renames = server.as_ref().map_or(&none, |server| &server.renames);
        Toolbox::new(suite, &used, &baseline, &side, renames)
    }
}

fn side_tools(tools: &Value) -> Vec<SideTool> {
    let tool = |(name, entry): (&String, &Value)| {
        let schema = entry.get("inputSchema").cloned().unwrap_or_else(|| json!({"properties": entry}));
        SideTool {
            name: name.clone(),
            input_schema: schema,
            meta: entry.get("_meta").cloned().unwrap_or_default(),
            read_only: entry.get("readOnlyHint").and_then(Value::as_bool),
        }
    };
    tools.as_object().into_iter().flatten().map(tool).collect()
}

impl Ran {
    pub fn calls(&self) -> &[CallRecord] {
        &self.trace.calls
    }

    pub fn end(&self) -> ChainEnd {
        self.calls().iter().rev().find_map(|call| call.chain_end).expect("a chain that ended")
    }

    /// End of the only chain, calls, and whether the need was met.
    pub fn summary(&self) -> (&'static str, usize, bool) {
        let met = self.trace.needs.first().is_some_and(|need| need.met);
        (self.end().as_str(), self.calls().len(), met)
    }

    /// The values that were sent for an argument; null where it was not sent.
    pub fn sent(&self, argument: &str) -> Vec<Value> {
        self.requests.iter().map(|(_, arguments)| arguments[argument].clone()).collect()
    }

    pub fn continuations(&self) -> usize {
        self.calls().iter().filter(|call| call.continuation.is_some()).count()
    }
}

/// The whole number in an argument, or `default`.
pub fn number(arguments: &Map<String, Value>, name: &str, default: u64) -> usize {
    let value = arguments.get(name).filter(|value| !value.is_null());
    value.map_or(default, |value| value.as_u64().unwrap_or_else(|| panic!("`{name}` is {value}"))) as usize
}

/// Prose of `words` words, each with its number in it.
pub fn prose(words: usize) -> String {
    (0..words).map(|word| format!("word{word} ")).collect()
}
