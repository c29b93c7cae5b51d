//! Calls of one conversation as chains: reads that carry one another on, and calls that stand alone.

use super::model::{Call, Event, EventKind, Output, Session};
use super::notice::{Oversize, oversize};
use super::scope::Scope;
use super::tools::{Tools, is_position};
use super::without_numbers::without_numbers;
use crate::agent::{
    ReadRelation, RecordedReads, Tool, as_number, each_leaf_outside_arrays, is_same, plain_name,
    read_identity,
};
use crate::client::{Block, Page};
use crate::words::{Evidence, ToolKind};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// What a call showed the agent.
#[derive(Debug, Clone)]
pub enum Shown {
    Page(Vec<Block>),
    /// A notice instead of the result.
    Notice(Oversize),
    /// The call failed; the text is no content.
    Error,
    /// No result is known.
    Nothing,
}

impl Shown {
    pub fn page(&self) -> Option<Page<'_>> {
        match self {
            Self::Page(blocks) => Some(Page::new(blocks, "\n")),
            _ => None,
        }
    }
}

/// How a call of a chain came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    First,
    Continuation(Evidence),
    Retry,
}

/// One call of a wanted server.
#[derive(Debug, Clone)]
pub struct ChainCall {
    /// Its place among the events, and that of its result.
    pub event: usize,
    pub output: Option<usize>,
    pub shown: Shown,
    pub made: Made,
    /// Places of calls that read the file into which the result was saved.
    pub spill_reads: Vec<usize>,
}

/// One step as it will be: the reads of a chain, or a call that stands alone.
#[derive(Debug, Clone)]
pub struct Chain {
    pub server: String,
    pub tool: Arc<Tool>,
    /// At least one.
    pub calls: Vec<ChainCall>,
    /// It reads; else it is a single call.
    pub is_read: bool,
}

impl Chain {
    /// The place of its first call among the events.
    pub fn first_event(&self) -> usize {
        self.calls[0].event
    }

    /// Continuation reads by their evidence.
    pub fn continuations(&self) -> u64 {
        self.calls.iter().filter(|call| matches!(call.made, Made::Continuation(_))).count() as u64
    }

    /// Reads that asked for less of what was refused.
    pub fn retries(&self) -> u64 {
        self.calls.iter().filter(|call| call.made == Made::Retry).count() as u64
    }

    /// Results that were a notice.
    pub fn oversized(&self) -> u64 {
        self.calls.iter().filter(|call| matches!(call.shown, Shown::Notice(_))).count() as u64
    }
}

/// The chains of a conversation, in the order of their first calls.
pub fn chains(session: &Session, scope: &Scope, tools: &Tools) -> Vec<Chain> {
    let outputs = outputs(&session.events);
    let mut folding = Folding::new(session, scope, tools);
    for (index, event) in session.events.iter().enumerate() {
        match &event.kind {
            EventKind::Prompt(_) => folding.prompt(),
            EventKind::Call(call) => {
                let output = outputs.get(call.id.as_str()).copied();
                folding.call(index, call, output);
            }
            _ => {}
        }
    }
    folding.chains
}

/// The place of the result of each call, by the call's id.
pub(super) fn outputs(events: &[Event]) -> HashMap<&str, usize> {
    let output = |(index, event): (usize, &'_ Event)| match &event.kind {
        EventKind::Output(_) => Some(index),
        _ => None,
    };
    let places = events.iter().enumerate().filter_map(output);
    let mut by_id = HashMap::new();
    for index in places {
        if let EventKind::Output(output) = &events[index].kind {
            by_id.entry(output.call_id.as_str()).or_insert(index);
        }
    }
    by_id
}

struct Folding<'s> {
    session: &'s Session,
    scope: &'s Scope,
    tools: &'s Tools,
    chains: Vec<Chain>,
    /// By what is read: the chain that may go on.
    open: HashMap<(u128, u128), usize>,
    /// Files into which results were saved, and the chain and call that they belong to.
    saved: Vec<(String, usize, usize)>,
    /// By server.
    reads: HashMap<String, RecordedReads>,
}

impl<'s> Folding<'s> {
    fn new(session: &'s Session, scope: &'s Scope, tools: &'s Tools) -> Self {
        Self {
            session,
            scope,
            tools,
            chains: Vec::new(),
            open: HashMap::new(),
            saved: Vec::new(),
            reads: HashMap::new(),
        }
    }

    fn prompt(&mut self) {
        self.open.clear();
        self.saved.clear();
        self.reads.clear();
    }

    fn call(&mut self, index: usize, call: &Call, output: Option<usize>) {
        let Some(server) = self.scope.server_of(call) else { return self.foreign(index, call) };
        let Some(tool) = self.tools.get(server, &call.tool).cloned() else { return };
        let result = output.and_then(|at| match &self.session.events[at].kind {
            EventKind::Output(output) => Some(output),
            _ => None,
        });
        if result.is_some_and(was_never_made) {
            return;
        }
        if self.scope.own_tools && self.spill(index, call) {
            return;
        }
        let is_read = tool.kind == ToolKind::Read;
        let shown = result.map_or(Shown::Nothing, |output| shown(output, call.server.is_none()));
        if tool.kind == ToolKind::Write {
            self.write(call);
        }
        let mut made = ChainCall { event: index, output, shown, made: Made::First, spill_reads: Vec::new() };
        if !is_read {
            self.chains.push(Chain { server: server.to_owned(), tool, calls: vec![made], is_read });
            return;
        }
        let identity = identity_of(server, &tool, call);
        made.made = self.relation(identity, server, &tool, call);
        let carries_on = made.made != Made::First;
        let page = made.shown.page();
        let nothing = Page::new([], "\n");
        let is_refused = matches!(made.shown, Shown::Notice(_));
        let seen = if is_refused { Some(&nothing) } else { page.as_ref() };
        let tools = self.tools;
        let reads = self.reads.entry(server.to_owned()).or_insert_with(|| reads(tools));
        reads.take(self.chains.len() as u32, &tool, &call.arguments, seen, is_refused, carries_on);
        let breaks = matches!(made.shown, Shown::Error);
        drop(page);
        let chain = match self.open.get(&identity) {
            Some(chain) if carries_on => *chain,
            _ => {
                self.chains.push(Chain { server: server.to_owned(), tool, calls: Vec::new(), is_read });
                self.chains.len() - 1
            }
        };
        if let Shown::Notice(Oversize { saved: Some(path), .. }) = &made.shown {
            self.saved.push((path.clone(), chain, self.chains[chain].calls.len()));
        }
        self.chains[chain].calls.push(made);
        if breaks {
            self.open.remove(&identity);
        } else {
            self.open.insert(identity, chain);
        }
    }

    /// How a read carries on the open chain of the same thing, if it does.
    fn relation(&self, identity: (u128, u128), server: &str, tool: &Arc<Tool>, call: &Call) -> Made {
        let Some(chain) = self.open.get(&identity).map(|chain| &self.chains[*chain]) else {
            return Made::First;
        };
        let reads = self.reads.get(server);
        match reads.map_or(ReadRelation::First, |reads| reads.relation(tool, &call.arguments)) {
            ReadRelation::Continues { evidence, .. } => Made::Continuation(evidence),
            ReadRelation::Shrinks => Made::Retry,
            ReadRelation::First if self.is_offered(chain, call) => Made::Continuation(Evidence::Offered),
            ReadRelation::First => Made::First,
        }
    }

    /// Whether an earlier result of the chain holds the position that this call asks for, where no rule says so.
    fn is_offered(&self, chain: &Chain, call: &Call) -> bool {
        let mut positions = call.arguments.iter().filter(|(name, value)| is_position(name, value));
        let sent_before = |name: &str, value: &Value| {
            chain.calls.iter().any(|earlier| is_same(self.arguments_of(earlier.event).get(name), value))
        };
        positions.any(|(name, value)| {
            !sent_before(name, value) && chain.calls.iter().any(|earlier| self.offers(earlier, name, value))
        })
    }

    fn arguments_of(&self, event: usize) -> &'s serde_json::Map<String, Value> {
        static NONE: std::sync::OnceLock<serde_json::Map<String, Value>> = std::sync::OnceLock::new();
        match &self.session.events[event].kind {
            EventKind::Call(call) => &call.arguments,
            _ => NONE.get_or_init(Default::default),
        }
    }

    fn offers(&self, earlier: &ChainCall, name: &str, value: &Value) -> bool {
        let on_page = earlier.shown.page().is_some_and(|page| offers_value(&page, name, value));
        // Of a saved result the agent has seen what it read of the file.
        let in_file = || {
            earlier
                .spill_reads
                .iter()
                .any(|event| self.text_shown_by(*event).is_some_and(|text| holds(&text, value)))
        };
        on_page || in_file()
    }

    fn text_shown_by(&self, event: usize) -> Option<String> {
        let EventKind::Call(call) = &self.session.events[event].kind else { return None };
        let output = self.session.events[event..].iter().find_map(|event| match &event.kind {
            EventKind::Output(output) if output.call_id == call.id => Some(output),
            _ => None,
        })?;
        Some(output.text())
    }

    /// A call of another server, or of the client: it may read a saved result, or write what a chain reads.
    fn foreign(&mut self, index: usize, call: &Call) {
        if !self.spill(index, call) && super::kinds::kind_by_name(&call.tool) == ToolKind::Write {
            self.write(call);
        }
    }

    /// Notes a read of a file into which a result was saved.
    fn spill(&mut self, index: usize, call: &Call) -> bool {
        let texts = texts_in(&Value::Object(call.arguments.clone()));
        let names =
            |path: &str| texts.iter().any(|text| text.contains(path) || text.contains(file_name(path)));
        let Some((_, chain, place)) = self.saved.iter().rev().find(|(path, _, _)| names(path)) else {
            return false;
        };
        self.chains[*chain].calls[*place].spill_reads.push(index);
        true
    }

    /// A write ends the chains of what it writes.
    fn write(&mut self, call: &Call) {
        let written: BTreeSet<String> = texts_in(&Value::Object(call.arguments.clone()))
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        let session = self.session;
        let chains = &self.chains;
        let is_written = |chain: &usize| {
            let chain = &chains[*chain];
            let EventKind::Call(first) = &session.events[chain.first_event()].kind else { return false };
            let mut identity = first.arguments.iter().filter(|(name, _)| chain.tool.is_identity(name));
            identity.any(|(_, value)| texts_in(value).iter().any(|text| written.contains(text)))
        };
        let ended: Vec<(u128, u128)> =
            self.open.iter().filter(|(_, chain)| is_written(chain)).map(|(identity, _)| *identity).collect();
        for identity in ended {
            if let Some(chain) = self.open.remove(&identity) {
                let first = self.chains[chain].first_event();
                let Chain { server, tool, .. } = &self.chains[chain];
                let arguments = self.arguments_of(first);
                if let Some(reads) = self.reads.get_mut(server) {
                    reads.end_chain(tool, arguments);
                }
            }
        }
    }
}

/// What is read: server, then tool and arguments.
fn identity_of(server: &str, tool: &Arc<Tool>, call: &Call) -> (u128, u128) {
    (xxh3_128(server.as_bytes()), read_identity(tool, &call.arguments))
}

fn reads(tools: &Tools) -> RecordedReads {
    RecordedReads::new(tools.facts().map(|((_, tool), _)| tool.clone()))
}

/// What a result showed the agent.
pub(super) fn shown(output: &Output, is_own: bool) -> Shown {
    if let Some(first) = output.blocks().next().filter(|_| !is_own)
        && let Some(notice) = oversize(first.text())
    {
        return Shown::Notice(notice);
    }
    if output.is_error {
        return Shown::Error;
    }
    match &output.structured {
        Some(document) if !document.is_null() => Shown::Page(vec![Block::of_document(document.clone())]),
        _ if is_own => {
            Shown::Page(output.blocks().map(|block| Block::of_text(without_numbers(block.text()))).collect())
        }
        _ => Shown::Page(output.blocks().cloned().collect()),
    }
}

/// How the client says that a call never reached its tool.
const NEVER_MADE: [&str; 6] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "Permission to use ",
    "Claude requested permissions to use ",
    "<tool_use_error>",
    "Error: No such tool available",
];

/// Whether the client kept the call to itself.
pub(crate) fn was_never_made(output: &Output) -> bool {
    output.is_error
        && output
            .blocks()
            .next()
            .is_some_and(|block| NEVER_MADE.iter().any(|start| block.text().starts_with(start)))
}

/// Whether a scalar outside arrays is the position that is asked for: a text by itself, a number where its key
/// speaks of a place.
pub(crate) fn offers_value(page: &Page<'_>, name: &str, value: &Value) -> bool {
    let mut found = false;
    for document in page.documents() {
        each_leaf_outside_arrays(document, &mut |leaf| {
            found |= is_same(Some(leaf.value), value)
                && (is_text_cursor(value) || speaks_of_place(leaf.pointer, name));
        });
    }
    found
}

pub(crate) fn is_text_cursor(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() >= 4) && as_number(value).is_none()
}

/// Whether a pointer's key speaks of where a read goes on.
pub(crate) fn speaks_of_place(pointer: &str, argument: &str) -> bool {
    let argument = plain_name(argument);
    pointer.rsplit('/').take(2).map(plain_name).any(|key| {
        key == argument
            || ["next", "cursor", "offset", "after", "before", "start", "continu"]
                .iter()
                .any(|word| key.contains(word))
    })
}

/// Whether a text holds a value, standing alone.
fn holds(text: &str, value: &Value) -> bool {
    let wanted = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&wanted).any(|(at, found)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + found.len()..].chars().next().is_some_and(is_word)
    })
}

/// Every text in a value; numbers as texts.
pub(crate) fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(map) => map.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| name.len() >= 8).unwrap_or(path)
}
