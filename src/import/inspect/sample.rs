//! One epoch of a sample: its messages, and the events of its tools, which know sizes that messages lack.

use crate::import::model::{About, Call, Event, EventKind, Output, ThreadId, Tokens};
use crate::import::prefixed::server_and_bare;
use crate::import::problems::{Damage, ImportProblems};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// Tools that Inspect brings along.
const OWN: [&str; 12] = [
    "bash",
    "bash_session",
    "computer",
    "memory",
    "python",
    "skill",
    "submit",
    "text_editor",
    "think",
    "update_plan",
    "web_browser",
    "web_search",
];
/// The server of tools that are named without one.
const UNNAMED: &str = "mcp";
/// Long texts stand once in a sample, and are named by this and their hash.
const ATTACHMENT: &str = "attachment://";

/// A sample to be told.
pub(super) struct Sample {
    value: Value,
    attachments: Map<String, Value>,
    /// Before the ids of its calls, which may be those of another epoch.
    prefix: String,
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

impl Sample {
    /// `None` of what is no sample.
    pub fn of(mut value: Value) -> Option<Self> {
        value.get("messages").or_else(|| value.get("events"))?;
        let attachments = match value.get_mut("attachments").map(Value::take) {
            Some(Value::Object(attachments)) => attachments,
            _ => Map::new(),
        };
        let id = value.get("id").map(plain).unwrap_or_default();
        let epoch = value.get("epoch").and_then(Value::as_u64).unwrap_or(1);
        Some(Self { value, attachments, prefix: format!("{id}/{epoch}/") })
    }

    pub fn tell(
        mut self,
        thread: ThreadId,
        file: &Path,
        problems: &mut ImportProblems,
        sink: &mut dyn FnMut(Event),
    ) {
        let mut tell = |at: Option<String>, kind: EventKind| sink(Event { thread, at, line: 0, kind });
        let session_id = text(&self.value, "uuid").map(str::to_owned);
        let session_id = session_id.or_else(|| Some(self.prefix.trim_end_matches('/').to_owned()));
        let models = self.value.get("model_usage").and_then(Value::as_object).cloned().unwrap_or_default();
        let model = models.keys().next().cloned();
        tell(None, EventKind::About(About { session_id, model, ..About::default() }));
        let messages = match self.value.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => messages,
            _ => Vec::new(),
        };
        let mut tools = Tools::of(&mut self.value);
        if !messages.iter().any(|message| text(message, "role") == Some("user")) {
            let asked = self.words(self.value.get("input"));
            if !asked.is_empty() {
                tell(None, EventKind::Prompt(asked));
            }
        }
        let mut open: HashMap<String, Call> = HashMap::new();
        for message in &messages {
            self.message(message, &mut tools, &mut open, &mut tell);
        }
        // Tools that code called, and calls of a conversation within.
        for event in tools.left() {
            let call = self.call_of(&event, "function");
            let Some(call) = call else { continue };
            let at = text(&event, "timestamp").map(str::to_owned);
            let id = call.id.clone();
            tell(at.clone(), EventKind::Call(call));
            let result = self.words(event.get("result"));
            tell(at, EventKind::Output(output(id, result, None, Some(&event))));
        }
        for _ in open {
            problems.note(Damage::NoResult, file, 0, "");
        }
        for usage in models.values() {
            let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
            let cached = count("input_tokens_cache_read") + count("input_tokens_cache_write");
            let tokens = Tokens { input: count("input_tokens") + cached, output: count("output_tokens") };
            tell(None, EventKind::Tokens(tokens));
        }
    }

    fn message(
        &self,
        message: &Value,
        tools: &mut Tools,
        open: &mut HashMap<String, Call>,
        tell: &mut dyn FnMut(Option<String>, EventKind),
    ) {
        let said = self.words(message.get("content"));
        match text(message, "role").unwrap_or_default() {
            "user" if !said.is_empty() => tell(None, EventKind::Prompt(said)),
            "assistant" => {
                if !said.is_empty() {
                    tell(None, EventKind::Say(said));
                }
                for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                    let Some(call) = self.call_of(call, "function") else { continue };
                    let at = tools.time_of(&call.id[self.prefix.len()..]);
                    open.insert(call.id.clone(), call.clone());
                    tell(at, EventKind::Call(call));
                }
            }
            "tool" => {
                let Some(id) = text(message, "tool_call_id") else { return };
                let event = tools.take(id);
                let id = format!("{}{id}", self.prefix);
                if open.remove(&id).is_some() {
                    let at = event.as_ref().and_then(|event| text(event, "completed")).map(str::to_owned);
                    let error = message.get("error").filter(|error| !error.is_null());
                    tell(at, EventKind::Output(output(id, said, error, event.as_ref())));
                }
            }
            _ => {}
        }
    }

    fn call_of(&self, value: &Value, name: &str) -> Option<Call> {
        let id = format!("{}{}", self.prefix, text(value, "id")?);
        let name = text(value, name)?;
        let (server, tool) = if OWN.contains(&name) {
            (None, name)
        } else {
            let (server, tool) = server_and_bare(name);
            (Some(server.unwrap_or(UNNAMED).to_owned()), tool)
        };
        let arguments = match value.get("arguments") {
            Some(Value::Object(arguments)) => arguments.clone(),
            _ => Map::new(),
        };
        Some(Call { id, server, tool: tool.to_owned(), arguments })
    }

    /// The text of a content, whose long texts stand elsewhere in the sample.
    fn words(&self, content: Option<&Value>) -> String {
        match content {
            Some(Value::String(text)) => self.resolved(text),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().map(|part| match part {
                    Value::String(text) => self.resolved(text),
                    part if text(part, "role").is_some() => self.words(part.get("content")),
                    part => text(part, "text").map(|text| self.resolved(text)).unwrap_or_default(),
                });
                texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
            }
            Some(Value::Null) | None => String::new(),
            Some(other) => text(other, "text").map_or_else(|| other.to_string(), |text| self.resolved(text)),
        }
    }

    fn resolved(&self, text: &str) -> String {
        let named = text.strip_prefix(ATTACHMENT).and_then(|hash| self.attachments.get(hash)?.as_str());
        named.unwrap_or(text).to_owned()
    }
}

/// The events of tools, by the id of their call.
struct Tools {
    events: Vec<(String, Option<Value>)>,
}

impl Tools {
    fn of(sample: &mut Value) -> Self {
        let events = match sample.get_mut("events").map(Value::take) {
            Some(Value::Array(events)) => events,
            _ => Vec::new(),
        };
        let tool = |event: Value| {
            let is_tool =
                text(&event, "event") == Some("tool") && event.get("pending") != Some(&Value::Bool(true));
            let id = text(&event, "id").filter(|_| is_tool)?.to_owned();
            Some((id, Some(event)))
        };
        Self { events: events.into_iter().filter_map(tool).collect() }
    }

    fn take(&mut self, id: &str) -> Option<Value> {
        self.events.iter_mut().find(|(other, event)| other == id && event.is_some())?.1.take()
    }

    fn time_of(&self, id: &str) -> Option<String> {
        let event = self.events.iter().find(|(other, event)| other == id && event.is_some())?.1.as_ref()?;
        text(event, "timestamp").map(str::to_owned)
    }

    fn left(self) -> Vec<Value> {
        self.events.into_iter().filter_map(|(_, event)| event).collect()
    }
}

/// A result, of which the event tells whether and how much was cut.
fn output(id: String, shown: String, error: Option<&Value>, event: Option<&Value>) -> Output {
    let error = error.or_else(|| event?.get("error").filter(|error| !error.is_null()));
    let why = error.map(|error| text(error, "message").map_or_else(|| error.to_string(), str::to_owned));
    let shown = if shown.is_empty() { why.clone().unwrap_or_default() } else { shown };
    let mut output = Output::of_text(id, shown, why.is_some());
    let truncated = event.and_then(|event| event.get("truncated")?.as_array()?.first()?.as_u64());
    output.whole_bytes = truncated;
    output
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
