//! Rollouts of Codex, and the events of `codex exec --json`.
//!
//! A rollout tells a call of a server up to three times: as the model's function call and what the model was
//! shown, and as the client's own event with the server's result. In code mode only the event is there.

mod exec;
mod names;
mod outputs;

use super::lines::{Line, decode};
use super::model::{About, Call, Event, EventKind, Tokens};
use super::problems::{Damage, ImportProblems};
use names::{server_and_tool, trimmed_server};
use outputs::{Own, shown};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Reads one file.
pub struct CodexReader {
    file: PathBuf,
    calls: HashMap<String, State>,
    /// What was last said by each: messages stand in the file twice.
    last: HashMap<&'static str, String>,
    total_tokens: Option<Value>,
}

/// A call that was told.
#[derive(Debug)]
struct State {
    line: u64,
    /// What the server sent, until it is known what the model was shown.
    own: Option<Own>,
    /// The model made it; else code that the model wrote, and nothing tells what the model was shown.
    is_of_model: bool,
    is_answered: bool,
}

/// Where an event stands.
struct Place<'p> {
    at: Option<String>,
    line: u64,
    sink: &'p mut dyn FnMut(Event),
}

impl Place<'_> {
    fn tell(&mut self, kind: EventKind) {
        (self.sink)(Event { thread: 0, at: self.at.clone(), line: self.line, kind });
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

impl CodexReader {
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), calls: HashMap::new(), last: HashMap::new(), total_tokens: None }
    }

    /// Takes in the next line.
    pub fn line(&mut self, line: Line<'_>, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        let Some(mut record) = decode::<Value>(line, &self.file, problems) else { return };
        let at = text(&record, "timestamp").map(str::to_owned);
        let mut place = Place { at, line: line.number, sink };
        let kind = text(&record, "type").unwrap_or_default().to_owned();
        let Some(mut payload) = record.get_mut("payload").map(Value::take) else {
            return self.exec(&kind, &mut record, &mut place);
        };
        match kind.as_str() {
            "session_meta" => self.session(&payload, &mut place),
            "turn_context" => {
                let model = text(&payload, "model").map(str::to_owned);
                place.tell(EventKind::About(About { model, ..About::default() }));
            }
            "response_item" => self.item(&mut payload, problems, &mut place),
            "event_msg" => self.event(&mut payload, &mut place),
            "compacted" => {
                let summary = text(&payload, "message").unwrap_or_default().to_owned();
                place.tell(EventKind::Compaction(summary));
            }
            _ => {}
        }
    }

    /// Tells results that the model was never seen to get, and notes calls without any.
    pub fn end(&mut self, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        let mut left: Vec<(String, State)> =
            self.calls.drain().filter(|(_, state)| !state.is_answered).collect();
        left.sort_by(|a, b| (a.1.line, &a.0).cmp(&(b.1.line, &b.0)));
        for (id, state) in left {
            match state.own {
                Some(own) => {
                    let mut place = Place { at: None, line: state.line, sink };
                    place.tell(EventKind::Output(own.output(id)));
                }
                None => problems.note(Damage::NoResult, &self.file, state.line, ""),
            }
        }
    }

    fn session(&mut self, payload: &Value, place: &mut Place<'_>) {
        let owned = |key: &str| text(payload, key).map(str::to_owned);
        place.tell(EventKind::About(About {
            session_id: owned("id"),
            client_version: owned("cli_version"),
            ..About::default()
        }));
    }

    fn item(&mut self, item: &mut Value, problems: &mut ImportProblems, place: &mut Place<'_>) {
        match text(item, "type").unwrap_or_default() {
            "message" => self.message(item, place),
            "reasoning" => {
                for summary in item.get("summary").and_then(Value::as_array).into_iter().flatten() {
                    self.once("think", text(summary, "text").unwrap_or_default(), EventKind::Think, place);
                }
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => self.function_call(item, place),
            "function_call_output" | "custom_tool_call_output" => self.shown(item, problems, place),
            _ => {}
        }
    }

    fn message(&mut self, item: &Value, place: &mut Place<'_>) {
        let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<&str> = parts.filter_map(|part| text(part, "text")).collect();
        let joined = texts.join("\n");
        match text(item, "role").unwrap_or_default() {
            "assistant" => self.once("say", &joined, EventKind::Say, place),
            // Before the first prompt the client puts instructions and facts of the machine.
            "user" if is_of_client(&joined) => place.tell(EventKind::Shown(joined)),
            "user" => self.once("prompt", &joined, EventKind::Prompt, place),
            _ => {}
        }
    }

    fn event(&mut self, event: &mut Value, place: &mut Place<'_>) {
        let message = text(event, "message").unwrap_or_default().to_owned();
        match text(event, "type").unwrap_or_default() {
            "user_message" if is_of_client(&message) => place.tell(EventKind::Shown(message)),
            "user_message" => self.once("prompt", &message, EventKind::Prompt, place),
            "agent_message" => self.once("say", &message, EventKind::Say, place),
            "agent_reasoning" => {
                let thought = text(event, "text").unwrap_or_default().to_owned();
                self.once("think", &thought, EventKind::Think, place);
            }
            "mcp_tool_call_begin" => self.begin(event, place),
            "mcp_tool_call_end" => self.finish(event, place),
            "token_count" => self.tokens(event, place),
            _ => {}
        }
    }

    /// Tells a text unless the other of its two places has told it just before.
    fn once(&mut self, who: &'static str, said: &str, kind: fn(String) -> EventKind, place: &mut Place<'_>) {
        if said.trim().is_empty() {
            return;
        }
        if self.last.get(who).is_some_and(|last| last == said) {
            self.last.remove(who);
            return;
        }
        self.last.insert(who, said.to_owned());
        place.tell(kind(said.to_owned()));
    }

    fn function_call(&mut self, item: &mut Value, place: &mut Place<'_>) {
        let id = text(item, "call_id").or_else(|| text(item, "id")).map(str::to_owned);
        let Some(id) = id.filter(|id| !self.calls.contains_key(id)) else { return };
        let name = text(item, "name").unwrap_or("shell").to_owned();
        let (server, tool) = server_and_tool(&name, text(item, "namespace"));
        let arguments =
            match (item.get_mut("arguments").map(Value::take), item.get("input"), item.get("action")) {
                (Some(Value::String(text)), ..) => object(crate::wire::read_value(&text).unwrap_or_default()),
                (Some(value), ..) => object(value),
                (None, Some(input), _) => Map::from_iter([("input".to_owned(), input.clone())]),
                (None, None, Some(action)) => object(action.clone()),
                _ => Map::new(),
            };
        self.calls
            .insert(id.clone(), State { line: place.line, own: None, is_of_model: true, is_answered: false });
        place.tell(EventKind::Call(Call { id, server, tool, arguments }));
    }

    /// What the model was shown.
    fn shown(&mut self, item: &mut Value, problems: &mut ImportProblems, place: &mut Place<'_>) {
        let Some(id) = text(item, "call_id").map(str::to_owned) else { return };
        let Some(state) = self.calls.get_mut(&id) else {
            return problems.note(Damage::NoCall, &self.file, place.line, "");
        };
        if std::mem::replace(&mut state.is_answered, true) {
            return;
        }
        let output = shown(id, item.get_mut("output").map(Value::take), state.own.take());
        place.tell(EventKind::Output(output));
    }

    fn begin(&mut self, event: &mut Value, place: &mut Place<'_>) {
        let Some(id) = text(event, "call_id").map(str::to_owned) else { return };
        if self.calls.contains_key(&id) {
            return;
        }
        let Some(invocation) = event.get_mut("invocation") else { return };
        let Some(tool) = text(invocation, "tool").map(str::to_owned) else { return };
        let server = text(invocation, "server").map(|server| trimmed_server(server).to_owned());
        let arguments = object(invocation.get_mut("arguments").map(Value::take).unwrap_or_default());
        self.calls.insert(
            id.clone(),
            State { line: place.line, own: None, is_of_model: false, is_answered: false },
        );
        place.tell(EventKind::Call(Call { id, server, tool, arguments }));
    }

    /// What the server sent, as far as the client kept it.
    fn finish(&mut self, event: &mut Value, place: &mut Place<'_>) {
        self.begin(event, place);
        let Some(id) = text(event, "call_id").map(str::to_owned) else { return };
        let Some(own) = event.get_mut("result").map(Value::take).map(Own::of_rollout) else { return };
        let Some(state) = self.calls.get_mut(&id).filter(|state| !state.is_answered) else { return };
        if state.is_of_model {
            state.own = Some(own);
            return;
        }
        state.is_answered = true;
        place.tell(EventKind::Output(own.output(id)));
    }

    fn tokens(&mut self, event: &Value, place: &mut Place<'_>) {
        let Some(info) = event.get("info").filter(|info| info.is_object()) else { return };
        // The same count is told again whenever limits change.
        let total = info.get("total_token_usage").cloned();
        if total.is_some() && total == self.total_tokens {
            return;
        }
        self.total_tokens = total;
        if let Some(usage) = info.get("last_token_usage") {
            place.tell(EventKind::Tokens(usage_of(usage)));
        }
    }
}

/// The input has what was read from a cache in it.
fn usage_of(usage: &Value) -> Tokens {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    Tokens { input: count("input_tokens"), output: count("output_tokens") }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Whether a text under the user's name was put there by the client.
fn is_of_client(text: &str) -> bool {
    let text = text.trim_start();
    [
        "<environment_context>",
        "<user_instructions>",
        "<permissions",
        "<turn_aborted>",
        "# AGENTS.md",
        "<skill",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests;
