//! One call: sent, answered, seen through the client profile, and written down.

use super::answer::{Answer, Caller, Reply};
use super::ignored::compared_hash;
use super::keep::Keeper;
use super::replay::{Attempt, AttemptTrace};
use super::request::{Request, key_of};
use super::toolbox::Tool;
use crate::case::{Intent, Step};
use crate::client::{Page, Profile, ToolResult, View, view};
use crate::trace::CallRecord;
use crate::words::{Outcome, ToolKind, ViewKind};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A result up to this may wait to be looked at.
const MOST_LEFT_BYTES: usize = 1 << 20;

/// The server is gone; the attempt ends.
pub(super) struct Gone;

/// A call that was answered: its index, its outcome, and what the model sees.
pub(super) struct Sent {
    pub index: u32,
    pub outcome: Outcome,
    pub view: View,
    pub result: ToolResult,
}

impl Sent {
    /// What the agent can use.
    pub fn visible(&self, profile: &Profile) -> Page<'_> {
        self.view.visible(profile, &self.result)
    }
}

/// An answer that is written down but not looked at: sizes, hash and outcome are still missing.
pub(super) struct Unread {
    index: u32,
    tool: Arc<Tool>,
    raw: Box<RawValue>,
    /// The message of a protocol error.
    error: Option<String>,
}

impl Unread {
    /// Looks at the answer and completes its record.
    fn read(self, trace: &mut AttemptTrace, profile: &Profile, keeper: Option<&Keeper<'_>>) -> Sent {
        let Self { index, tool, raw, error } = self;
        let (result, outcome) = match error {
            Some(message) => (ToolResult::of_text(message, true), Outcome::ProtocolError),
            None => {
                let result = ToolResult::parse(raw.get());
                let outcome = if result.is_error { Outcome::ToolError } else { Outcome::Ok };
                (result, outcome)
            }
        };
        if result.is_unreadable {
            *trace.notes.entry("unreadable result".to_owned()).or_default() += 1;
        }
        let (wire_bytes, hash) = (raw.get().len() as u64, compared_hash(raw.get(), &tool.ignore));
        // A huge result is not held twice for longer than needed.
        let raw = keeper.is_some().then_some(raw);
        let view = view(profile, &tool.name, &tool.meta, &result);
        let keep = |(keeper, raw): (&Keeper<'_>, Box<RawValue>)| {
            keeper.keep(raw.get(), !view.oversized_by.is_empty())
        };
        let body = keeper.zip(raw).map(keep).transpose().unwrap_or_else(|error| {
            trace.unkept.get_or_insert(error.to_string());
            None
        });
        if let Some(record) = trace.calls.get_mut(index as usize) {
            record.outcome = outcome;
            record.result_wire_bytes = wire_bytes;
            record.result_sha256 = hash;
            record.body_sha256 = body.flatten();
            record.result_chars = view.result_chars;
            record.view_chars = view.view_chars;
            record.view = view.kind;
            record.oversized_by.clone_from(&view.oversized_by);
            record.tokens_estimated = view.tokens_estimated;
            record.view_tokens_estimated = view.view_tokens_estimated;
        }
        Sent { index, outcome, view, result }
    }
}

impl<C: Caller> Attempt<'_, C> {
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
        let unread = self.exchange(request, step_index, in_read_step).await?;
        Ok(unread.read(&mut self.trace, self.profile, self.keeper))
    }

    /// Sends one call and records it; the answer is looked at while the server works on the next one.
    ///
    /// # Errors
    /// As [`Attempt::send`].
    pub async fn send_and_leave(&mut self, request: &Request, step_index: u32) -> Result<(), Gone> {
        let unread = self.exchange(request, step_index, false).await?;
        // One that is huge would be held beside the next.
        if unread.raw.get().len() > MOST_LEFT_BYTES {
            unread.read(&mut self.trace, self.profile, self.keeper);
        } else {
            self.unread = Some(unread);
        }
        Ok(())
    }

    /// Looks at the answer that was left.
    pub fn read_unread(&mut self) {
        if let Some(unread) = self.unread.take() {
            unread.read(&mut self.trace, self.profile, self.keeper);
        }
    }

    async fn exchange(
        &mut self,
        request: &Request,
        step_index: u32,
        in_read_step: bool,
    ) -> Result<Unread, Gone> {
        let tool = &request.tool;
        let mut record = blank_record(step_index, &tool.name, tool.kind, in_read_step);
        record.started_ms = self.clock.elapsed().as_secs_f64() * 1e3;
        let arguments = tool.side_arguments(&request.arguments);
        let (unread, trace, profile, keeper) = (&mut self.unread, &mut self.trace, self.profile, self.keeper);
        let mut aside = None;
        // Whatever the call itself does not need is done while the server works on it.
        let mut meanwhile = || {
            aside.get_or_insert_with(|| (request.key(), tool.schema.unknown(request.arguments.keys())));
            if let Some(unread) = unread.take() {
                unread.read(trace, profile, keeper);
            }
        };
        let answer = self.caller.call_meanwhile(&tool.side_name, &arguments, &mut meanwhile).await;
        // A call that was never written has not had its moment.
        meanwhile();
        (record.arguments_sha256, record.unknown_arguments) = aside.unwrap_or_default();
        record.duration_ms = answer.duration.as_secs_f64() * 1e3;
        for warning in &answer.warnings {
            self.note(warning, 1);
        }
        self.take_answer(record, tool, answer)
    }

    /// Writes the call down, and ends the attempt when the server is gone.
    fn take_answer(&mut self, record: CallRecord, tool: &Arc<Tool>, answer: Answer) -> Result<Unread, Gone> {
        let index = self.trace.calls.len() as u32;
        let (raw, error) = match answer.reply {
            Reply::Result(raw) => (raw, None),
            Reply::Error { raw, message } => (raw, Some(message)),
            Reply::Timeout => return self.lose(record, Outcome::Timeout, "no answer within the time limit"),
            Reply::Crashed(how) => return self.lose(record, Outcome::Crashed, &how),
            Reply::Infrastructure(how) => {
                self.trace.is_infrastructure = true;
                return self.lose(record, Outcome::Crashed, &how);
            }
        };
        self.trace.calls.push(record);
        Ok(Unread { index, tool: tool.clone(), raw, error })
    }

    fn lose(&mut self, mut record: CallRecord, outcome: Outcome, how: &str) -> Result<Unread, Gone> {
        record.outcome = outcome;
        self.trace.failure = Some(format!("call {} of `{}`: {how}", self.trace.calls.len(), record.tool));
        self.trace.calls.push(record);
        Err(Gone)
    }

    /// Lists a step whose call may not be made.
    pub fn skip(&mut self, index: u32, step: &Step, key_arguments: &Map<String, Value>) {
        let kind = self.toolbox.get(&step.tool).map_or(ToolKind::Other, |tool| tool.kind);
        let mut record = blank_record(index, &step.tool, kind, step.intent == Intent::Read);
        record.arguments_sha256 = key_of(&step.tool, key_arguments);
        self.list_skipped(record);
    }

    /// Lists a continuation by a tool that may not be called.
    pub fn skip_continuation(&mut self, index: u32, tool: &str, past_need: bool) {
        let kind = self.toolbox.get(tool).map_or(ToolKind::Other, |tool| tool.kind);
        self.list_skipped(CallRecord { past_need, ..blank_record(index, tool, kind, true) });
    }

    fn list_skipped(&mut self, mut record: CallRecord) {
        record.outcome = Outcome::Skipped;
        record.started_ms = self.clock.elapsed().as_secs_f64() * 1e3;
        self.trace.calls.push(record);
    }
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
        view: ViewKind::Whole,
        oversized_by: Vec::new(),
        tokens_estimated: 0,
        view_tokens_estimated: 0,
        result_sha256: String::new(),
        body_sha256: None,
        arguments_sha256: String::new(),
        past_need: false,
        unknown_arguments: Vec::new(),
        started_ms: 0.0,
        duration_ms: 0.0,
    }
}
