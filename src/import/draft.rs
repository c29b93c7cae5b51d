//! The part of a case that one conversation gives: a task's calls of one server, as a recording.

use super::bind::{Binding, Unbound, bindings, put};
use super::chains::{Chain, chains};
use super::model::{EventKind, Session};
use super::needs::{Inferred, NeedOptions, infer};
use super::prints::encode;
use super::redact::{PACK, redacted, redacted_arguments};
use super::scope::Scope;
use super::sightings::Sightings;
use super::tools::Tools;
use crate::case::{Need, escaped};
use crate::text::canonical;
use crate::words::{NeedKind, OnOversized};
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A call by which tasks are told to be the same: a file that goes on from another repeats its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallKey {
    pub call: u128,
    /// Hash of its result, when it has one.
    pub result: Option<u64>,
}

impl CallKey {
    /// The same call, as far as both know its result.
    pub fn is_same(&self, other: &CallKey) -> bool {
        self.call == other.call
            && (self.result.is_none() || other.result.is_none() || self.result == other.result)
    }
}

/// What one step came to, for a person.
#[derive(Debug, Clone)]
pub struct StepNote {
    pub tool: String,
    pub is_read: bool,
    pub reads: u64,
    pub continuations: u64,
    pub shrunk_retries: u64,
    pub spill_reads: u64,
    pub oversized: u64,
    pub kind: Option<NeedKind>,
    pub fallbacks: Vec<NeedKind>,
    pub evidence: usize,
    pub why: String,
}

/// One task of a conversation, with the calls of one server.
#[derive(Debug, Clone)]
pub struct Draft {
    pub server: String,
    /// The number of the prompt that began the task, from 1; 0 before the first.
    pub task: usize,
    pub prompt: Option<String>,
    pub keys: Vec<CallKey>,
    /// As it will stand in the case, without its id.
    pub recording: Map<String, Value>,
    pub steps: Vec<StepNote>,
    pub bindings: Vec<Binding>,
    pub unbound: Vec<Unbound>,
    pub redacted_arguments: u64,
    pub calls: u64,
    pub read_calls: u64,
    pub continuation_reads: u64,
    pub oversized: u64,
}

/// How drafts are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct DraftOptions {
    pub needs: NeedOptions,
}

/// The tasks of a conversation that call a wanted server, each server by itself.
pub fn drafts(
    session: &Session,
    scope: &Scope,
    tools: &Tools,
    format: &str,
    options: DraftOptions,
) -> Vec<Draft> {
    let chains = chains(session, scope, tools);
    if chains.is_empty() {
        return Vec::new();
    }
    let sightings = Sightings::of(session, tools);
    let mut groups: Vec<((usize, String), Vec<Chain>)> = Vec::new();
    for chain in chains {
        let key = (task_of(session, chain.first_event()), chain.server.clone());
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(chain),
            None => groups.push((key, vec![chain])),
        }
    }
    let made = groups
        .into_iter()
        .map(|((task, server), chains)| draft(session, task, server, &chains, &sightings, format, options));
    made.collect()
}

fn prompts(session: &Session) -> impl Iterator<Item = (usize, &str)> {
    session.events.iter().enumerate().filter_map(|(index, event)| match &event.kind {
        EventKind::Prompt(text) => Some((index, text.as_str())),
        _ => None,
    })
}

fn task_of(session: &Session, event: usize) -> usize {
    prompts(session).filter(|(index, _)| *index < event).count()
}

fn draft(
    session: &Session,
    task: usize,
    server: String,
    chains: &[Chain],
    sightings: &Sightings,
    format: &str,
    options: DraftOptions,
) -> Draft {
    let (bindings, unbound) = bindings(chains, session);
    let mut draft = Draft {
        server,
        task,
        prompt: prompts(session).nth(task.wrapping_sub(1)).map(|(_, text)| text.to_owned()),
        keys: Vec::new(),
        recording: Map::new(),
        steps: Vec::new(),
        bindings,
        unbound,
        redacted_arguments: 0,
        calls: 0,
        read_calls: 0,
        continuation_reads: 0,
        oversized: 0,
    };
    let mut steps = Vec::new();
    for (index, chain) in chains.iter().enumerate() {
        let inferred =
            if chain.is_read { infer(chain, session, sightings, options.needs) } else { Inferred::default() };
        draft.count(chain, session, &inferred);
        steps.push(draft.step(index, chain, session, inferred));
    }
    let first = session.events.get(chains[0].first_event()).and_then(|event| event.at.as_deref());
    draft.recording.insert("source".to_owned(), source(session, format, first));
    draft.recording.insert(
        "recorded".to_owned(),
        json!({"calls": draft.calls, "read_calls": draft.read_calls,
            "continuation_reads": draft.continuation_reads, "oversized": draft.oversized}),
    );
    draft.recording.insert("steps".to_owned(), Value::Array(steps));
    draft
}

fn source(session: &Session, format: &str, at: Option<&str>) -> Value {
    let mut source = Map::new();
    let mut put = |key: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            source.insert(key.to_owned(), json!(redacted(value)));
        }
    };
    put("kind", Some(format));
    put("client_version", session.about.client_version.as_deref());
    put("model", session.about.model.as_deref());
    put("recorded_at", at.or(session.started.as_deref()));
    put("session", session.about.session_id.as_deref());
    put("agent", session.about.agent_id.as_deref());
    put("redaction", Some(PACK));
    Value::Object(source)
}

impl Draft {
    fn count(&mut self, chain: &Chain, session: &Session, inferred: &Inferred) {
        let calls = chain.calls.len() as u64;
        self.calls += calls;
        if chain.is_read {
            self.read_calls += calls;
        }
        self.continuation_reads += chain.continuations();
        self.oversized += chain.oversized();
        for call in &chain.calls {
            self.keys.push(key_of(call.event, call.output, session));
        }
        self.steps.push(StepNote {
            tool: chain.tool.name.clone(),
            is_read: chain.is_read,
            reads: calls,
            continuations: chain.continuations(),
            shrunk_retries: chain.retries(),
            spill_reads: chain.calls.iter().map(|call| call.spill_reads.len() as u64).sum(),
            oversized: chain.oversized(),
            kind: inferred.kind,
            fallbacks: inferred.fallbacks.clone(),
            evidence: inferred.evidence.len(),
            why: inferred.why.clone(),
        });
    }

    fn step(&mut self, index: usize, chain: &Chain, session: &Session, inferred: Inferred) -> Value {
        let mut step = Map::new();
        let intent = if chain.is_read { "read" } else { "call" };
        step.insert(intent.to_owned(), json!(chain.tool.name));
        if let EventKind::Call(call) = &session.events[chain.first_event()].kind {
            let (arguments, redacted) = redacted_arguments(&call.arguments);
            self.redacted_arguments += redacted;
            let mut arguments = escaped(Value::Object(arguments));
            for binding in self.bindings.iter().filter(|binding| binding.step == index) {
                put(&mut arguments, binding);
            }
            step.insert("arguments".to_owned(), arguments);
        }
        let saves = self.bindings.iter().filter(|binding| binding.from_step == index);
        let save: Map<String, Value> =
            saves.map(|binding| (binding.name.clone(), json!(binding.pointer))).collect();
        if !save.is_empty() {
            step.insert("save".to_owned(), Value::Object(save));
        }
        if let Some(need) = &inferred.need {
            step.insert("need".to_owned(), need_json(need));
        }
        if let Some(kind) = inferred.kind {
            step.insert("need_kind".to_owned(), json!(kind.as_str()));
        }
        if !inferred.evidence.is_empty() {
            step.insert("evidence".to_owned(), json!(inferred.evidence));
        }
        if let Some(reaction) = reaction(chain).filter(|_| chain.is_read) {
            step.insert("on_oversized".to_owned(), json!(reaction.as_str()));
        }
        Value::Object(step)
    }
}

/// What the agent did about a result over the limit of its client.
fn reaction(chain: &Chain) -> Option<OnOversized> {
    if chain.oversized() == 0 {
        None
    } else if chain.retries() > 0 {
        Some(OnOversized::RetrySmaller)
    } else if chain.calls.iter().any(|call| !call.spill_reads.is_empty()) {
        Some(OnOversized::ReadSavedFile)
    } else {
        Some(OnOversized::GiveUp)
    }
}

fn need_json(need: &Need) -> Value {
    let mut json_need = Map::new();
    if !need.contains.is_empty() {
        json_need.insert("contains".to_owned(), json!(need.contains));
    }
    if let Some(coverage) = &need.coverage {
        let fingerprints = json!({"v": 1, "data": encode(&coverage.fingerprints)});
        json_need.insert(
            "coverage".to_owned(),
            json!({"fingerprints": fingerprints, "at_least": coverage.at_least}),
        );
    }
    if need.end {
        json_need.insert("end".to_owned(), json!(true));
    }
    if let Some(pages) = need.pages {
        json_need.insert("pages".to_owned(), json!(pages));
    }
    Value::Object(json_need)
}

fn key_of(event: usize, output: Option<usize>, session: &Session) -> CallKey {
    let call = match &session.events[event].kind {
        EventKind::Call(call) => {
            let arguments = canonical(&Value::Object(call.arguments.clone()));
            xxh3_128(format!("{}\0{:?}\0{}\0{arguments}", call.id, call.server, call.tool).as_bytes())
        }
        _ => 0,
    };
    let result = output.and_then(|at| match &session.events[at].kind {
        EventKind::Output(output) => Some(xxh3_64(output.text().as_bytes())),
        _ => None,
    });
    CallKey { call, result }
}
