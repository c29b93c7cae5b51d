//! Events of `--output-format stream-json`.

use super::names::server_and_tool;
use super::session::with_cut;
use crate::import::model::{About, Call, Event, EventKind, Output, Tokens};
use crate::import::problems::{Damage, ImportProblems};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// A stream as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What the agent is saying: it comes in pieces.
    saying: String,
    /// Lines of calls without a result.
    open: BTreeMap<String, u64>,
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

impl Stream {
    /// Whether a record is an event of a stream, and none of a session.
    pub fn is_event(record: &Value) -> bool {
        let kind = text(record, "type").unwrap_or_default();
        record.get("id").is_none()
            && matches!(kind, "init" | "message" | "tool_use" | "tool_result" | "result" | "error")
    }

    pub fn take(&mut self, mut event: Value, line: u64, sink: &mut dyn FnMut(Event)) {
        let at = text(&event, "timestamp").map(str::to_owned);
        let owned = |key: &str| text(&event, key).map(str::to_owned);
        let kind = text(&event, "type").unwrap_or_default().to_owned();
        let is_agent = kind == "message" && text(&event, "role") != Some("user");
        if is_agent {
            let content = text(&event, "content").unwrap_or_default().to_owned();
            let is_piece = event.get("delta").and_then(Value::as_bool).unwrap_or(false);
            if !is_piece {
                self.said(at.clone(), line, sink);
            }
            self.saying.push_str(&content);
            return;
        }
        self.said(at.clone(), line, sink);
        let mut tell = |kind: EventKind| sink(Event { thread: 0, at: at.clone(), line, kind });
        match kind.as_str() {
            "init" => {
                let about =
                    About { session_id: owned("session_id"), model: owned("model"), ..About::default() };
                tell(EventKind::About(about));
            }
            "message" => tell(EventKind::Prompt(owned("content").unwrap_or_default())),
            "tool_use" => {
                let (Some(id), Some(name)) = (owned("tool_id"), owned("tool_name")) else { return };
                let (server, tool) = server_and_tool(&name, None);
                let arguments = match event.get_mut("parameters").map(Value::take) {
                    Some(Value::Object(arguments)) => arguments,
                    _ => Map::new(),
                };
                self.open.insert(id.clone(), line);
                tell(EventKind::Call(Call { id, server, tool, arguments }));
            }
            "tool_result" => {
                let Some(id) = owned("tool_id") else { return };
                if self.open.remove(&id).is_none() {
                    return;
                }
                let error = event.get("error").filter(|error| !error.is_null());
                let why = error
                    .and_then(|error| text(error, "message").or_else(|| error.as_str()))
                    .map(str::to_owned);
                let is_error = error.is_some() || text(&event, "status") == Some("error");
                let shown = owned("output").filter(|shown| !shown.is_empty()).or(why).unwrap_or_default();
                tell(EventKind::Output(with_cut(Output::of_text(id, shown, is_error))));
            }
            "result" => {
                let stats = event.get("stats").filter(|stats| stats.is_object());
                let count = |key: &str| stats.and_then(|stats| stats.get(key)?.as_u64()).unwrap_or(0);
                if stats.is_some() {
                    tell(EventKind::Tokens(Tokens {
                        input: count("input_tokens"),
                        output: count("output_tokens"),
                    }));
                }
            }
            _ => {}
        }
    }

    fn said(&mut self, at: Option<String>, line: u64, sink: &mut dyn FnMut(Event)) {
        let said = std::mem::take(&mut self.saying);
        if !said.trim().is_empty() {
            sink(Event { thread: 0, at, line, kind: EventKind::Say(said) });
        }
    }

    pub fn end(&mut self, file: &Path, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        self.said(None, 0, sink);
        for line in std::mem::take(&mut self.open).into_values() {
            problems.note(Damage::NoResult, file, line, "");
        }
    }
}
