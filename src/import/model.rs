//! What every reader makes of a transcript: threads of events, in the order of the file.

use crate::client::Block;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A conversation of one agent within a file: the main one is 0, each subagent has its own.
pub type ThreadId = u32;

/// One thing that happened in a conversation.
#[derive(Debug, Clone)]
pub struct Event {
    pub thread: ThreadId,
    /// RFC 3339, as the transcript has it.
    pub at: Option<String>,
    /// Counted from 1; 0 where the format has no lines.
    pub line: u64,
    pub kind: EventKind,
}

#[derive(Debug, Clone)]
pub enum EventKind {
    /// Facts about the conversation; what is `None` adds nothing to what was told before.
    About(About),
    /// A real prompt: of the user, or the task that a subagent was given. It begins a task.
    Prompt(String),
    /// Text that the agent was shown and nobody asked for: command output, the body of a skill, a reminder.
    Shown(String),
    /// The agent said so.
    Say(String),
    /// The agent thought so.
    Think(String),
    Call(Call),
    /// May come in any order, long after its call, or never.
    Output(Output),
    /// The context was compacted; the summary stands for the agent's own words.
    Compaction(String),
    /// Usage of one message of a model, once a message.
    Tokens(Tokens),
}

/// Facts about a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub session_id: Option<String>,
    /// Of a subagent: its own id.
    pub agent_id: Option<String>,
    pub client_version: Option<String>,
    pub model: Option<String>,
    /// Of a server that the transcript is about as a whole, where calls do not name it.
    pub server: Option<String>,
}

impl About {
    /// Takes over what `other` knows and this does not.
    pub fn fill_from(&mut self, other: About) {
        let fill = |known: &mut Option<String>, new: Option<String>| {
            if known.is_none() {
                *known = new;
            }
        };
        fill(&mut self.session_id, other.session_id);
        fill(&mut self.agent_id, other.agent_id);
        fill(&mut self.client_version, other.client_version);
        fill(&mut self.model, other.model);
        fill(&mut self.server, other.server);
    }
}

/// A tool call of the agent.
#[derive(Debug, Clone)]
pub struct Call {
    /// As the transcript has it; results name it.
    pub id: String,
    /// The MCP server; `None` for a tool of the client itself.
    pub server: Option<String>,
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// The result of a call.
#[derive(Debug, Clone)]
pub struct Output {
    pub call_id: String,
    /// What the model was shown: the text blocks, or the text of a notice.
    pub shown: Vec<OutputBlock>,
    pub is_error: bool,
    /// What the server itself sent, where the format holds it beside what the model was shown.
    pub structured: Option<Value>,
    /// Bytes of the raw `result`, where the format holds the wire.
    pub wire_bytes: Option<u64>,
    /// The size of the text of the whole result, where the transcript tells that the model was shown less: in
    /// bytes, of Gemini in characters; at least so much where it tells no more.
    pub whole_bytes: Option<u64>,
}

/// A block of a result.
#[derive(Debug, Clone)]
pub enum OutputBlock {
    Text(Block),
    /// An image, a resource, a reference: the name of its type.
    Other(String),
}

impl Output {
    pub fn of_text(call_id: String, text: String, is_error: bool) -> Self {
        let shown = vec![OutputBlock::Text(Block::of_text(text))];
        Self { call_id, shown, is_error, structured: None, wire_bytes: None, whole_bytes: None }
    }

    /// Whether the model was shown a part of the result.
    pub fn is_cut(&self) -> bool {
        self.whole_bytes.is_some()
    }

    /// The text blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.shown.iter().filter_map(|block| match block {
            OutputBlock::Text(block) => Some(block),
            OutputBlock::Other(_) => None,
        })
    }

    /// The text of all blocks, a line feed between two.
    pub fn text(&self) -> String {
        self.blocks().map(Block::text).collect::<Vec<_>>().join("\n")
    }
}

/// Tokens of one message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// With what was read from and written to a cache.
    pub input: u64,
    pub output: u64,
}

/// A conversation as a whole.
#[derive(Debug, Clone)]
pub struct Session {
    pub file: PathBuf,
    pub about: About,
    /// The first time that the transcript tells.
    pub started: Option<String>,
    pub events: Vec<Event>,
}

/// Collects the events of a file into its conversations.
#[derive(Debug)]
pub struct SessionBuilder {
    file: PathBuf,
    sessions: Vec<Session>,
}

impl SessionBuilder {
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), sessions: Vec::new() }
    }

    /// Takes in the next event.
    pub fn take(&mut self, event: Event) {
        let index = event.thread as usize;
        while self.sessions.len() <= index {
            self.sessions.push(Session {
                file: self.file.clone(),
                about: About::default(),
                started: None,
                events: Vec::new(),
            });
        }
        let session = &mut self.sessions[index];
        if session.started.is_none() {
            session.started.clone_from(&event.at);
        }
        match event.kind {
            EventKind::About(about) => session.about.fill_from(about),
            _ => session.events.push(event),
        }
    }

    /// The conversations, the main one first; those of subagents know the session that they are part of.
    pub fn finish(mut self) -> Vec<Session> {
        let main = self.sessions.first().map(|session| session.about.clone()).unwrap_or_default();
        for session in self.sessions.iter_mut().skip(1) {
            session.about.fill_from(About { agent_id: None, ..main.clone() });
        }
        self.sessions.retain(|session| !session.events.is_empty());
        self.sessions
    }
}
