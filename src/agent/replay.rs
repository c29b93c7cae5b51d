//! The replay of one recording on one side: steps in order, each call sent once, each read carried on.

use super::answer::{Answer, Caller, Reply};
use super::bindings::Bindings;
use super::chain;
use super::earlier::{Earlier, Relation};
use super::need::{NeedState, Seen};
use super::rule::Request;
use super::toolbox::{Tool, Toolbox};
use crate::case::{Intent, Recording, Step};
use crate::client::{Profile, ToolResult, View, view};
use crate::text::{canonical, sha256_hex};
use crate::trace::{CallRecord, NeedRecord};
use crate::words::{ChainEnd, OnOversized, Outcome, ReplayMode, ToolKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What holds for every attempt of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplaySettings {
    pub mode: ReplayMode,
    pub on_oversized: OnOversized,
    /// Characters of a saved file that one spill read shows; at least 1.
    pub spill_chunk: u64,
    /// Pages after which a chain that is offered more ends as capped; at least 1.
    pub max_pages: u32,
    /// An empty string as cursor is the end, as before protocol 2026-07-28.
    pub ends_on_empty: bool,
}

/// What an attempt did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttemptTrace {
    pub calls: Vec<CallRecord>,
    pub needs: Vec<NeedRecord>,
    pub notes: BTreeMap<String, u64>,
    /// The server timed out or died in a call: the attempt ended there.
    pub failure: Option<String>,
    /// The failure is none of the server's own.
    pub is_infrastructure: bool,
}

/// Replays `recording` by `caller`. Clock values count from `clock`.
pub async fn replay<C: Caller>(
    caller: &mut C,
    recording: &Recording,
    toolbox: &Toolbox,
    profile: &Profile,
    settings: ReplaySettings,
    clock: Instant,
) -> AttemptTrace {
    let mut attempt = Attempt {
        caller,
        toolbox,
        profile,
        settings,
        clock,
        trace: AttemptTrace::default(),
        bindings: Bindings::default(),
        earlier: Earlier::default(),
        chains: 0,
    };
    let steps = recording.steps.read();
    for (index, step) in steps.iter().enumerate() {
        if attempt.step(index as u32, step).await.is_err() {
            attempt.leave_unmet(index + 1, &steps);
            break;
        }
    }
    let unresolved = attempt.bindings.unresolved;
    if unresolved > 0 {
        attempt.note("unresolved binding", unresolved);
    }
    attempt.trace
}

/// The server is gone; the attempt ends.
pub(super) struct Gone;

/// An attempt under way.
pub(super) struct Attempt<'a, C> {
    caller: &'a mut C,
    pub toolbox: &'a Toolbox,
    pub profile: &'a Profile,
    pub settings: ReplaySettings,
    clock: Instant,
    pub trace: AttemptTrace,
    pub bindings: Bindings,
    pub earlier: Earlier,
    pub chains: u32,
}

/// A call that was answered: its index, its outcome, and what the model sees.
pub(super) struct Sent {
    pub index: u32,
    pub outcome: Outcome,
    pub view: View,
    pub result: ToolResult,
}

impl<C: Caller> Attempt<'_, C> {
    async fn step(&mut self, index: u32, step: &Step) -> Result<(), Gone> {
        let Some(tool) = self.toolbox.get(&step.tool).filter(|tool| tool.may_call).cloned() else {
            self.skip(index, step);
            return Ok(());
        };
        let verbatim = self.settings.mode == ReplayMode::Verbatim;
        let bound = self.bindings.resolve(&step.arguments, verbatim);
        let request = Request { tool, arguments: bound.arguments, key_arguments: bound.key_arguments };
        match step.intent {
            Intent::Read if !verbatim => chain::read(self, index, step, request).await,
            _ => self.single(index, step, request).await,
        }
    }

    /// One call, done once: a `call` step, or any step sent word for word.
    async fn single(&mut self, index: u32, step: &Step, request: Request) -> Result<(), Gone> {
        let in_read_step = step.intent == Intent::Read;
        let sent = self.send(&request, index, in_read_step).await;
        if in_read_step || request.tool.kind == ToolKind::Read {
            self.relate(&request, sent.as_ref().ok());
        }
        let mut need = NeedState::new(step);
        if let Ok(sent) = sent.as_ref()
            && sent.outcome == Outcome::Ok
        {
            self.bindings.save(&step.save, &sent.view.visible);
            let is_whole = !sent.view.is_partial();
            let is_end = is_whole
                && request.tool.is_listed
                && !chain::offers_more(&request, &sent.view.visible, self.settings.ends_on_empty);
            need.take(&Seen {
                page: &sent.view.visible,
                tool: &request.tool,
                rule: None,
                backwards: false,
                is_whole,
                has_news: true,
                is_end,
            });
        }
        let last_call = (self.trace.calls.len() - 1) as u32;
        self.judge_need(index, step, &need, None, last_call);
        sent.map(|_| ())
    }

    /// How a single read relates to the ones before it.
    fn relate(&mut self, request: &Request, sent: Option<&Sent>) {
        let relation = self.earlier.relation(request);
        let is_repeat = self.earlier.is_repeat(request);
        let Some(record) = self.trace.calls.last_mut() else { return };
        record.is_repeat = is_repeat;
        match relation {
            Some(Relation::Carries { call_index, evidence }) => {
                record.continuation = Some(evidence);
                record.continues_call_index = Some(call_index);
            }
            Some(Relation::Shrinks { .. }) => record.is_shrunk_retry = true,
            None => {}
        }
        if let Some(sent) = sent {
            let page = (sent.outcome == Outcome::Ok).then_some(&sent.view.visible);
            self.earlier.take(sent.index, request, page, sent.view.is_partial());
        }
    }

    /// Writes down what became of a step's need and evidence; nothing for a step that has neither.
    pub fn judge_need(
        &mut self,
        index: u32,
        step: &Step,
        need: &NeedState<'_>,
        end: Option<ChainEnd>,
        last_call: u32,
    ) {
        if step.need.is_none() && step.evidence.is_empty() {
            return;
        }
        let met = step.need.is_some() && need.is_met();
        self.trace.needs.push(NeedRecord {
            step_index: index,
            has_need: step.need.is_some(),
            kind: step.need_kind,
            pages_only: step.need.as_ref().is_some_and(crate::case::Need::is_pages_only),
            met,
            chain_end: end,
            evidence_seen: need.evidence_seen(),
            evidence_total: need.evidence_total(),
            met_at_call: met.then_some(last_call),
        });
    }

    /// The needs of steps that were never reached stay unmet.
    fn leave_unmet(&mut self, from: usize, steps: &[Step]) {
        for (index, step) in steps.iter().enumerate().skip(from) {
            if step.intent == Intent::Read && self.toolbox.get(&step.tool).is_some_and(|tool| tool.may_call) {
                self.judge_need(index as u32, step, &NeedState::new(step), None, 0);
            }
        }
    }

    pub fn note(&mut self, kind: &str, count: u64) {
        *self.trace.notes.entry(kind.to_owned()).or_default() += count;
    }

    /// Lists a call that may not be made.
    fn skip(&mut self, index: u32, step: &Step) {
        let kind = self.toolbox.get(&step.tool).map_or(ToolKind::Other, |tool| tool.kind);
        let mut record = blank_record(index, &step.tool, kind, step.intent == Intent::Read);
        let key_arguments = Bindings::default().resolve(&step.arguments, true).key_arguments;
        record.arguments_sha256 = key_of(&step.tool, &key_arguments);
        record.outcome = Outcome::Skipped;
        record.started_ms = self.clock.elapsed().as_secs_f64() * 1e3;
        self.trace.calls.push(record);
    }

    /// Lists a continuation by a tool that may not be called.
    pub fn skip_continuation(&mut self, index: u32, tool: &Tool) {
        let mut record = blank_record(index, &tool.name, tool.kind, true);
        record.outcome = Outcome::Skipped;
        record.started_ms = self.clock.elapsed().as_secs_f64() * 1e3;
        self.trace.calls.push(record);
    }

    /// Sends one call and records it.
    ///
    /// # Errors
    /// When the server timed out or died: the call is recorded and the attempt is over.
    pub async fn send(
        &mut self,
        request: &Request,
        step_index: u32,
        in_read_step: bool,
    ) -> Result<Sent, Gone> {
        let tool = request.tool.clone();
        let started_ms = self.clock.elapsed().as_secs_f64() * 1e3;
        let answer = self.caller.call(&tool.side_name, &tool.side_arguments(&request.arguments)).await;
        let mut record = blank_record(step_index, &tool.name, tool.kind, in_read_step);
        record.started_ms = started_ms;
        record.duration_ms = answer.duration.as_secs_f64() * 1e3;
        record.arguments_sha256 = key_of(&tool.name, &request.key_arguments);
        record.unknown_arguments = tool.schema.unknown(request.arguments.keys());
        for warning in &answer.warnings {
            self.note(warning, 1);
        }
        self.take_answer(record, &tool, answer)
    }

    fn take_answer(
        &mut self,
        mut record: CallRecord,
        tool: &Arc<Tool>,
        answer: Answer,
    ) -> Result<Sent, Gone> {
        let index = self.trace.calls.len() as u32;
        let (outcome, view, result) = match answer.reply {
            Reply::Result(raw) => {
                record.result_wire_bytes = raw.get().len() as u64;
                let (value, is_readable) = read_result(raw.get());
                if !is_readable {
                    self.note("unreadable result", 1);
                }
                let result = ToolResult::parse(&value);
                record.result_sha256 = compared_hash(raw.get(), tool, &result, self.profile);
                let outcome = if result.is_error { Outcome::ToolError } else { Outcome::Ok };
                (outcome, view(self.profile, &tool.name, &tool.meta, &result), result)
            }
            Reply::Error { raw, message } => {
                record.result_wire_bytes = raw.get().len() as u64;
                record.result_sha256 = sha256_hex(raw.get());
                (Outcome::ProtocolError, View::of_text(self.profile, &message), ToolResult::default())
            }
            Reply::Timeout => return self.lose(record, Outcome::Timeout, "no answer within the time limit"),
            Reply::Crashed(how) => return self.lose(record, Outcome::Crashed, &how),
            Reply::Infrastructure(how) => {
                self.trace.is_infrastructure = true;
                return self.lose(record, Outcome::Crashed, &how);
            }
        };
        record.outcome = outcome;
        record.result_chars = view.result_chars;
        record.view_chars = view.view_chars;
        record.view = view.kind;
        record.oversized_by.clone_from(&view.oversized_by);
        record.tokens_estimated = view.tokens_estimated;
        record.view_tokens_estimated = view.view_tokens_estimated;
        self.trace.calls.push(record);
        Ok(Sent { index, outcome, view, result })
    }

    fn lose(&mut self, mut record: CallRecord, outcome: Outcome, how: &str) -> Result<Sent, Gone> {
        record.outcome = outcome;
        self.trace.failure = Some(format!("call {} of `{}`: {how}", self.trace.calls.len(), record.tool));
        self.trace.calls.push(record);
        Err(Gone)
    }
}

/// A result as JSON; an unreadable one counts as its text.
fn read_result(raw: &str) -> (Value, bool) {
    match crate::wire::read_value(raw) {
        Ok(value) => (value, true),
        Err(_) => (serde_json::json!({"content": [{"type": "text", "text": raw}]}), false),
    }
}

/// The hash by which results are compared: of the raw bytes, or of what `ignore` leaves of the result.
fn compared_hash(raw: &str, tool: &Tool, result: &ToolResult, profile: &Profile) -> String {
    if tool.ignore.is_empty() {
        sha256_hex(raw)
    } else {
        super::content::hash_without_ignored(tool, result, profile)
    }
}

/// The key of a request: tool and canonical arguments, bound and carried values by name.
fn key_of(tool: &str, key_arguments: &serde_json::Map<String, Value>) -> String {
    sha256_hex(format!("{tool}\n{}", canonical(&Value::Object(key_arguments.clone()))))
}

fn blank_record(step_index: u32, tool: &str, kind: ToolKind, in_read_step: bool) -> CallRecord {
    CallRecord {
        step_index,
        tool: tool.to_owned(),
        kind,
        in_read_step,
        continuation: None,
        continues_call_index: None,
        is_shrunk_retry: false,
        is_repeat: false,
        is_stuck: false,
        chain_index: None,
        chain_end: None,
        spill_reads: 0,
        rule: None,
        outcome: Outcome::Ok,
        result_wire_bytes: 0,
        result_chars: 0,
        view_chars: 0,
        view: crate::words::ViewKind::Whole,
        oversized_by: Vec::new(),
        tokens_estimated: 0,
        view_tokens_estimated: 0,
        result_sha256: String::new(),
        arguments_sha256: String::new(),
        past_need: false,
        unknown_arguments: Vec::new(),
        started_ms: 0.0,
        duration_ms: 0.0,
    }
}
