//! Sessions of Claude Code: the files that it keeps, those of subagents, and the stream-json of `claude -p`.

mod fields;
mod names;
mod normalised;
mod record;
mod skip;
mod threads;
mod words;

pub use names::mcp_name;
pub(super) use words::without_reminders;

use super::lines::{Line, decode};
use super::model::{About, Call, Event, EventKind, Output, ThreadId, Tokens};
use super::problems::{Damage, ImportProblems};
use fields::{arguments, blocks, flag, take_text, text, tokens};
use record::Record;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use threads::Threads;
use words::{UserFlags, UserText, user_text};
use xxhash_rust::xxh3::xxh3_64;

/// What the events are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Everything.
    All,
    /// Prompts, calls of MCP servers with their results, and reads of saved results. Other lines are passed
    /// over without being decoded.
    McpCalls,
}

/// Reads one file, line by line.
pub struct ClaudeReader {
    file: PathBuf,
    wanted: Wanted,
    threads: Threads,
    /// Records met, by the hash of their id: a file that goes on from another repeats it.
    records: HashSet<u64>,
    /// Calls met, by the hash of their id, while their result is awaited.
    calls: HashMap<u64, Awaited>,
    told: HashMap<ThreadId, About>,
    messages: HashMap<ThreadId, Message>,
    /// Messages whose usage was told.
    counted: HashSet<u64>,
    /// Records that the file repeats.
    pub repeated: u64,
}

struct Awaited {
    line: u64,
    is_answered: bool,
}

/// The message of a model that is being read: its parts stand on lines of their own.
#[derive(Default)]
struct Message {
    id: u64,
    tokens: Option<Tokens>,
    texts: HashSet<u64>,
}

/// A record where it stands.
struct Place<'p> {
    thread: ThreadId,
    at: Option<String>,
    line: u64,
    sink: &'p mut dyn FnMut(Event),
}

impl Place<'_> {
    fn tell(&mut self, kind: EventKind) {
        (self.sink)(Event { thread: self.thread, at: self.at.clone(), line: self.line, kind });
    }
}

impl ClaudeReader {
    pub fn new(file: &Path, wanted: Wanted) -> Self {
        Self {
            file: file.to_owned(),
            wanted,
            threads: Threads::default(),
            records: HashSet::new(),
            calls: HashMap::new(),
            told: HashMap::new(),
            messages: HashMap::new(),
            counted: HashSet::new(),
            repeated: 0,
        }
    }

    /// Takes in the next line; `sink` gets its events.
    pub fn line(&mut self, line: Line<'_>, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        if self.wanted == Wanted::McpCalls && self.may_skip(line.bytes) {
            return;
        }
        let Some(Record(record)) = decode(line, &self.file, problems) else { return };
        if normalised::is_normalised(&record) {
            for record in normalised::records(record) {
                self.record(record, line.number, problems, sink);
            }
            return;
        }
        self.record(record, line.number, problems, sink);
    }

    /// Tells what is known only at the end, and notes calls that have no result.
    pub fn end(&mut self, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        let mut left: Vec<(ThreadId, Message)> = self.messages.drain().collect();
        left.sort_by_key(|(thread, _)| *thread);
        for (thread, message) in left {
            let mut place = Place { thread, at: None, line: 0, sink };
            tell_tokens(&mut self.counted, message, &mut place);
        }
        let mut open: Vec<u64> =
            self.calls.values().filter(|call| !call.is_answered).map(|call| call.line).collect();
        open.sort_unstable();
        for line in open {
            problems.note(Damage::NoResult, &self.file, line, "");
        }
    }

    fn record(
        &mut self,
        mut record: Value,
        line: u64,
        problems: &mut ImportProblems,
        sink: &mut dyn FnMut(Event),
    ) {
        if text(&record, "type") == Some("progress") {
            return self.progress(record, line, problems, sink);
        }
        if let Some(uuid) = text(&record, "uuid")
            && !self.records.insert(xxh3_64(uuid.as_bytes()))
        {
            self.repeated += 1;
            return;
        }
        let thread = self.threads.of(&record);
        let at = text(&record, "timestamp").map(str::to_owned);
        let mut place = Place { thread, at, line, sink };
        self.about(&record, &mut place);
        match text(&record, "type").unwrap_or_default() {
            "assistant" => self.assistant(&mut record, &mut place),
            "user" => self.user(&mut record, problems, &mut place),
            "attachment" => attachment(&record, &mut place),
            _ => {}
        }
    }

    /// A subagent at work, told within its session.
    fn progress(
        &mut self,
        mut record: Value,
        line: u64,
        problems: &mut ImportProblems,
        sink: &mut dyn FnMut(Event),
    ) {
        let Some(data) = record.get_mut("data").filter(|data| text(data, "type") == Some("agent_progress"))
        else {
            return;
        };
        let Some(agent) = text(data, "agentId").map(str::to_owned) else { return };
        let Some(mut inner) = data.get_mut("message").map(Value::take).filter(Value::is_object) else {
            return;
        };
        inner["isSidechain"] = Value::Bool(true);
        inner["agentId"] = Value::String(agent);
        self.record(inner, line, problems, sink);
    }

    /// Tells the facts of a record that were not told before.
    fn about(&mut self, record: &Value, place: &mut Place<'_>) {
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let message_model = record.get("message").and_then(|message| text(message, "model"));
        let model = message_model.or_else(|| text(record, "model")).filter(|model| *model != SYNTHETIC);
        let about = About {
            session_id: owned(text(record, "sessionId").or_else(|| text(record, "session_id"))),
            agent_id: owned(text(record, "agentId")).or_else(|| unnamed(place.thread)),
            client_version: owned(text(record, "version").or_else(|| text(record, "claude_code_version"))),
            model: owned(model),
            server: None,
        };
        let told = self.told.entry(place.thread).or_default();
        let before = told.clone();
        told.fill_from(about.clone());
        if *told != before {
            place.tell(EventKind::About(about));
        }
    }

    fn assistant(&mut self, record: &mut Value, place: &mut Place<'_>) {
        let is_error = flag(record, "isApiErrorMessage");
        let Some(message) = record.get_mut("message") else { return };
        if is_error || text(message, "model") == Some(SYNTHETIC) {
            return;
        }
        self.begin_message(message, place);
        match message.get_mut("content").map(Value::take) {
            Some(Value::String(text)) => self.say(text, EventKind::Say, place),
            Some(Value::Array(items)) => {
                for mut item in items {
                    self.agent_block(&mut item, place);
                }
            }
            _ => {}
        }
    }

    /// Usage is repeated on every line of a message, and only the last one is whole.
    fn begin_message(&mut self, message: &Value, place: &mut Place<'_>) {
        let id = text(message, "id").map_or(0, |id| xxh3_64(id.as_bytes()));
        let current = self.messages.entry(place.thread).or_default();
        if current.id != id || id == 0 {
            let ended = std::mem::replace(current, Message { id, ..Message::default() });
            tell_tokens(&mut self.counted, ended, place);
        }
        if let (Some(current), Some(tokens)) = (self.messages.get_mut(&place.thread), tokens(message)) {
            current.tokens = Some(tokens);
        }
    }

    fn agent_block(&mut self, item: &mut Value, place: &mut Place<'_>) {
        let taken = |item: &mut Value, key: &str| item.get_mut(key).and_then(take_text);
        match text(item, "type").unwrap_or_default() {
            "text" => {
                if let Some(text) = taken(item, "text") {
                    self.say(text, EventKind::Say, place);
                }
            }
            "thinking" => {
                if let Some(text) = taken(item, "thinking") {
                    self.say(text, EventKind::Think, place);
                }
            }
            "tool_use" | "mcp_tool_use" | "server_tool_use" => self.call(item, place),
            "mcp_tool_result" => {
                let mut ignored = ImportProblems::default();
                self.output(item, &mut ignored, place);
            }
            _ => {}
        }
    }

    fn say(&mut self, text: String, kind: fn(String) -> EventKind, place: &mut Place<'_>) {
        if text.trim().is_empty() {
            return;
        }
        let message = self.messages.entry(place.thread).or_default();
        if message.texts.insert(xxh3_64(text.as_bytes())) || message.id == 0 {
            place.tell(kind(text));
        }
    }

    fn call(&mut self, item: &mut Value, place: &mut Place<'_>) {
        let Some(id) = text(item, "id").map(str::to_owned) else { return };
        let Some(name) = text(item, "name").map(str::to_owned) else { return };
        let awaited = Awaited { line: place.line, is_answered: false };
        if self.calls.contains_key(&xxh3_64(id.as_bytes())) {
            self.repeated += 1;
            return;
        }
        self.calls.insert(xxh3_64(id.as_bytes()), awaited);
        let (server, tool) = match (text(item, "server_name"), mcp_name(&name)) {
            (Some(server), _) => (Some(server.to_owned()), name),
            (None, Some((server, tool))) => (Some(server.to_owned()), tool.to_owned()),
            (None, None) => (None, name),
        };
        place.tell(EventKind::Call(Call { id, server, tool, arguments: arguments(item) }));
    }

    fn user(&mut self, record: &mut Value, problems: &mut ImportProblems, place: &mut Place<'_>) {
        let mut flags = UserFlags {
            is_meta: flag(record, "isMeta") || flag(record, "isSynthetic"),
            is_compact_summary: flag(record, "isCompactSummary"),
            has_results: false,
        };
        let Some(content) = record.get_mut("message").and_then(|message| message.get_mut("content")) else {
            return;
        };
        let mut texts: Vec<String> = Vec::new();
        match content.take() {
            Value::String(text) => texts.push(text),
            Value::Array(items) => {
                for mut item in items {
                    match text(&item, "type").unwrap_or_default() {
                        "tool_result" => {
                            flags.has_results = true;
                            self.output(&mut item, problems, place);
                        }
                        "text" => texts.extend(item.get_mut("text").and_then(take_text)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        // What stands in one record was typed as one.
        let prompts = texts.iter().filter_map(|text| user_text(text, flags));
        let mut prompt: Option<String> = None;
        for typed in prompts {
            match typed {
                UserText::Prompt(text) => match &mut prompt {
                    Some(whole) => whole.extend(["\n", &text]),
                    None => prompt = Some(text),
                },
                UserText::Shown(text) => place.tell(EventKind::Shown(text)),
                UserText::Compaction(text) => place.tell(EventKind::Compaction(text)),
            }
        }
        if let Some(text) = prompt {
            place.tell(EventKind::Prompt(text));
        }
    }

    fn output(&mut self, item: &mut Value, problems: &mut ImportProblems, place: &mut Place<'_>) {
        let Some(call_id) = text(item, "tool_use_id").map(str::to_owned) else { return };
        let Some(call) = self.calls.get_mut(&xxh3_64(call_id.as_bytes())) else {
            if self.wanted == Wanted::All {
                problems.note(Damage::NoCall, &self.file, place.line, "");
            }
            return;
        };
        if std::mem::replace(&mut call.is_answered, true) {
            self.repeated += 1;
            return;
        }
        let shown = blocks(item.get_mut("content").map(Value::take));
        let is_error = flag(item, "is_error");
        let output =
            Output { call_id, shown, is_error, structured: None, wire_bytes: None, whole_bytes: None };
        // A call that goes on in the background has no result yet, and its result never comes as one.
        let text = output.text();
        let kind =
            if is_moved_to_background(&text) { EventKind::Shown(text) } else { EventKind::Output(output) };
        place.tell(kind);
    }
}

/// The model of messages that the client wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// A name for a subagent that has none.
fn unnamed(thread: ThreadId) -> Option<String> {
    (thread > 0).then(|| format!("side{thread}"))
}

fn is_moved_to_background(text: &str) -> bool {
    text.starts_with("MCP tool ") && text.contains("moved to the background")
}

/// What the user typed while the agent was at work.
fn attachment(record: &Value, place: &mut Place<'_>) {
    let Some(attachment) = record.get("attachment") else { return };
    if text(attachment, "type") == Some("queued_command")
        && let Some(prompt) = text(attachment, "prompt")
        && let Some(UserText::Prompt(prompt)) = user_text(prompt, UserFlags::default())
    {
        place.tell(EventKind::Prompt(prompt));
    }
}

fn tell_tokens(counted: &mut HashSet<u64>, message: Message, place: &mut Place<'_>) {
    let Some(tokens) = message.tokens else { return };
    if message.id == 0 || counted.insert(message.id) {
        place.tell(EventKind::Tokens(tokens));
    }
}
