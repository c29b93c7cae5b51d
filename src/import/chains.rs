//! Calls of one conversation as chains: reads that carry one another on, and calls that stand alone.

use super::model::{Call, Event, EventKind, Output, Session};
use super::notice::Oversize;
use super::offered::{ends_at, holds, offers_value, texts_in};
use super::scope::Scope;
use super::shown::{Shown, shown, was_never_made};
use super::tools::{Tools, is_position};
use crate::agent::{ReadRelation, RecordedReads, Tool, as_number, is_same, plain_name, read_identity};
use crate::client::Page;
use crate::words::{Evidence, ToolKind};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

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
    /// The client showed a part of the result.
    pub is_cut: bool,
    pub made: Made,
    /// Places of calls that read the file into which the result was saved.
    pub spill_reads: Vec<usize>,
}

impl ChainCall {
    /// A notice stood in place of the result, or a part of it.
    pub fn is_oversized(&self) -> bool {
        self.is_cut || matches!(self.shown, Shown::Notice(_))
    }
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

    /// Results that were not shown whole.
    pub fn oversized(&self) -> u64 {
        self.calls.iter().filter(|call| call.is_oversized()).count() as u64
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
            EventKind::Output(_) => folding.output(index),
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
    /// Reads by the place of their result: chain and call.
    awaited: HashMap<usize, (usize, usize)>,
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
            awaited: HashMap::new(),
            saved: Vec::new(),
            reads: HashMap::new(),
        }
    }

    fn prompt(&mut self) {
        self.open.clear();
        self.awaited.clear();
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
        let is_cut = result.is_some_and(Output::is_cut);
        let mut made =
            ChainCall { event: index, output, shown, is_cut, made: Made::First, spill_reads: Vec::new() };
        if !is_read {
            self.chains.push(Chain { server: server.to_owned(), tool, calls: vec![made], is_read });
            return;
        }
        let identity = identity_of(server, &tool, call);
        made.made = self.relation(identity, server, &tool, call);
        let chain = match self.open.get(&identity) {
            Some(chain) if made.made != Made::First => *chain,
            _ => {
                self.chains.push(Chain { server: server.to_owned(), tool, calls: Vec::new(), is_read });
                self.chains.len() - 1
            }
        };
        self.open.insert(identity, chain);
        if let Some(output) = output {
            self.awaited.insert(output, (chain, self.chains[chain].calls.len()));
        }
        self.chains[chain].calls.push(made);
    }

    /// A result arrives: from now on what it showed can be carried on. Of calls made side by side none carries
    /// on another.
    fn output(&mut self, index: usize) {
        let Some((chain, place)) = self.awaited.remove(&index) else { return };
        let Chain { server, tool, calls, .. } = &self.chains[chain];
        let call = &calls[place];
        let (page, nothing) = (call.shown.page(), Page::new([], "\n"));
        let is_refused = call.is_oversized();
        let seen = if matches!(call.shown, Shown::Notice(_)) { Some(&nothing) } else { page.as_ref() };
        let tools = self.tools;
        let reads = self.reads.entry(server.clone()).or_insert_with(|| reads(tools));
        let arguments = arguments_of(self.session, call.event);
        reads.take(chain as u32, tool, arguments, seen, is_refused, call.made != Made::First);
        if let Shown::Notice(Oversize { saved: Some(path), .. }) = &call.shown {
            self.saved.push((path.clone(), chain, place));
        }
        if matches!(call.shown, Shown::Error) {
            self.open.retain(|_, open| *open != chain);
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
            ReadRelation::First => self.goes_on(chain, call).map_or(Made::First, Made::Continuation),
        }
    }

    /// How a read goes on where no rule says so: an earlier result of the chain holds the position that it asks
    /// for, or shows as much as lies before it.
    fn goes_on(&self, chain: &Chain, call: &Call) -> Option<Evidence> {
        let positions = call.arguments.iter().filter(|(name, value)| is_position(name, value));
        let sent_before = |name: &str, value: &Value| {
            chain
                .calls
                .iter()
                .any(|earlier| is_same(arguments_of(self.session, earlier.event).get(name), value))
        };
        let mut moved = positions.filter(|(name, value)| !sent_before(name, value));
        moved.find_map(|(name, value)| {
            let mut earlier = chain.calls.iter().filter(|earlier| !self.awaits(earlier));
            earlier.find_map(|earlier| self.goes_on_from(chain, earlier, name, value))
        })
    }

    /// Whether the result of a call is still to come.
    fn awaits(&self, call: &ChainCall) -> bool {
        call.output.is_none_or(|output| self.awaited.contains_key(&output))
    }

    fn goes_on_from(
        &self,
        chain: &Chain,
        earlier: &ChainCall,
        name: &str,
        value: &Value,
    ) -> Option<Evidence> {
        if let Some(page) = earlier.shown.page() {
            if offers_value(&page, name, value) {
                return Some(Evidence::Offered);
            }
            let before = arguments_of(self.session, earlier.event).get(name).filter(|value| !value.is_null());
            let start = before.or_else(|| chain.tool.schema.default_of(name)).and_then(as_number);
            // A page's number counts neither lines nor characters.
            if plain_name(name) != "page" && ends_at(&page, start.unwrap_or(0.0), value) {
                return Some(Evidence::Computed);
            }
        }
        // Of a saved result the agent has seen what it read of the file.
        let mut texts = earlier.spill_reads.iter().filter_map(|event| self.text_shown_by(*event));
        texts.any(|text| holds(&text, value)).then_some(Evidence::Offered)
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
                let arguments = arguments_of(self.session, first);
                if let Some(reads) = self.reads.get_mut(server) {
                    reads.end_chain(tool, arguments);
                }
            }
        }
    }
}

/// The arguments of the call at a place among the events.
pub(super) fn arguments_of(session: &Session, event: usize) -> &Map<String, Value> {
    static NONE: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    match &session.events[event].kind {
        EventKind::Call(call) => &call.arguments,
        _ => NONE.get_or_init(Default::default),
    }
}

/// What is read: server, then tool and arguments.
fn identity_of(server: &str, tool: &Arc<Tool>, call: &Call) -> (u128, u128) {
    (xxh3_128(server.as_bytes()), read_identity(tool, &call.arguments))
}

fn reads(tools: &Tools) -> RecordedReads {
    RecordedReads::new(tools.facts().map(|((_, tool), _)| tool.clone()))
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| name.len() >= 8).unwrap_or(path)
}
