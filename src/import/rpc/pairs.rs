//! Calls and their replies out of messages.

use super::{Frame, Sender};
use crate::client::{Block, ToolResult};
use crate::import::model::{About, Call, Output, OutputBlock};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// What a message tells.
#[derive(Debug)]
pub(super) enum Told {
    About(About),
    Call(Call),
    Output(Output),
}

/// A call whose reply is awaited.
#[derive(Debug)]
struct Awaited {
    call_id: String,
    line: u64,
}

/// The messages of a file so far.
#[derive(Debug)]
pub(super) struct Pairs {
    /// Where nothing else names the server.
    fallback: String,
    named: Option<String>,
    /// By id, and by the exchange where there are some.
    calls: HashMap<(Option<u64>, String), Awaited>,
    /// Requests of the client of other kinds that tell something in their reply.
    initializing: HashMap<String, ()>,
    /// Ids of requests that the server made: the client's replies to them are none of the server's.
    asked_by_server: HashMap<String, u32>,
    count: u64,
}

impl Pairs {
    pub fn new(file: &Path) -> Self {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name = stem.strip_prefix("mcp-server-").unwrap_or(&stem);
        Self {
            fallback: if name.is_empty() { "server".to_owned() } else { name.to_owned() },
            named: None,
            calls: HashMap::new(),
            initializing: HashMap::new(),
            asked_by_server: HashMap::new(),
            count: 0,
        }
    }

    /// The server's name in the client's configuration.
    pub fn named(&mut self, server: Option<String>) {
        self.named = server.or(self.named.take());
    }

    /// Ids begin anew.
    pub fn begin_session(&mut self) {
        self.initializing.clear();
        self.asked_by_server.clear();
    }

    /// Lines of calls that have no reply yet.
    pub fn open(&self) -> Vec<u64> {
        let mut lines: Vec<u64> = self.calls.values().map(|call| call.line).collect();
        lines.sort_unstable();
        lines
    }

    /// Takes in a message.
    pub fn take(&mut self, frame: Frame, line: u64) -> Vec<Told> {
        let id = frame.message.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        match (frame.message.get("method").and_then(Value::as_str), id) {
            (Some("tools/call"), Some(id)) if frame.sender != Sender::Server => self.call(frame, id, line),
            (Some("initialize"), Some(id)) if frame.sender != Sender::Server => {
                self.initializing.insert(id, ());
                Vec::new()
            }
            (Some(_), Some(id)) if frame.sender == Sender::Server => {
                *self.asked_by_server.entry(id).or_default() += 1;
                Vec::new()
            }
            (None, Some(id)) => self.reply(frame, &id),
            _ => Vec::new(),
        }
    }

    fn call(&mut self, mut frame: Frame, id: String, line: u64) -> Vec<Told> {
        let Some(params) = frame.message.get_mut("params") else { return Vec::new() };
        let Some(tool) = params.get("name").and_then(Value::as_str).map(str::to_owned) else {
            return Vec::new();
        };
        let arguments = match params.get_mut("arguments").map(Value::take) {
            Some(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let server = frame.server.or_else(|| self.named.clone()).unwrap_or_else(|| self.fallback.clone());
        // Ids of messages begin anew with each session; those of calls must not.
        self.count += 1;
        let call_id = format!("{}-{}", self.count, id.trim_matches('"'));
        self.calls.insert((frame.exchange, id), Awaited { call_id: call_id.clone(), line });
        vec![Told::Call(Call { id: call_id, server: Some(server), tool, arguments })]
    }

    fn reply(&mut self, mut frame: Frame, id: &str) -> Vec<Told> {
        let is_of_client = frame.sender == Sender::Client;
        if is_of_client || self.answers_server(&frame, id) {
            if let Some(count) = self.asked_by_server.get_mut(id) {
                *count = count.saturating_sub(1);
            }
            return Vec::new();
        }
        if self.initializing.remove(id).is_some()
            && let Some(info) = frame.message.pointer("/result/serverInfo/name").and_then(Value::as_str)
        {
            let server = self.named.get_or_insert_with(|| info.to_owned()).clone();
            return vec![Told::About(About { server: Some(server), ..About::default() })];
        }
        let found = [(frame.exchange, id.to_owned()), (None, id.to_owned())];
        let mut awaited = found.iter().find_map(|key| self.calls.remove(key));
        if awaited.is_none() && frame.exchange.is_some() {
            // A stream that was resumed brings the reply in another exchange.
            let key = self.calls.keys().find(|(_, other)| other == id).cloned();
            awaited = key.and_then(|key| self.calls.remove(&key));
        }
        let Some(awaited) = awaited else { return Vec::new() };
        let bytes = frame.bytes;
        let mut message = frame.message.take();
        vec![Told::Output(output(awaited.call_id, &mut message, bytes))]
    }

    /// Where no record tells the sender: a reply without the form of a tool's result, to an id that only the
    /// server has asked.
    fn answers_server(&self, frame: &Frame, id: &str) -> bool {
        frame.sender == Sender::Unknown
            && self.asked_by_server.get(id).is_some_and(|count| *count > 0)
            && frame.message.pointer("/result/content").is_none()
            && frame.message.get("error").is_none()
    }
}

fn output(call_id: String, message: &mut Value, bytes: Option<u64>) -> Output {
    match message.get_mut("result").map(Value::take) {
        Some(result) if !result.is_null() => {
            let raw = result.to_string();
            let wire_bytes = Some(raw.len() as u64);
            let read = ToolResult::parse(&raw);
            let others = result.get("content").and_then(Value::as_array).into_iter().flatten();
            let others = others.filter_map(|block| {
                let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
                (kind != "text").then(|| OutputBlock::Other(kind.to_owned()))
            });
            let texts = read.blocks.into_iter().map(OutputBlock::Text);
            Output {
                call_id,
                shown: texts.chain(others).collect(),
                is_error: read.is_error,
                structured: result.get("structuredContent").filter(|value| !value.is_null()).cloned(),
                wire_bytes,
                whole_bytes: None,
            }
        }
        _ => {
            let error = message.get("error");
            let text = error.and_then(|error| error.get("message")).and_then(Value::as_str);
            let text =
                text.map(str::to_owned).unwrap_or_else(|| error.map(Value::to_string).unwrap_or_default());
            let shown = vec![OutputBlock::Text(Block::of_text(text))];
            Output { call_id, shown, is_error: true, structured: None, wire_bytes: bytes, whole_bytes: None }
        }
    }
}
