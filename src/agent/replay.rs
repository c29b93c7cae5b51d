//! The replay of one recording on one side: steps in order, each call sent once, each read carried on.

use super::answer::Caller;
use super::bindings::Bindings;
use super::call::{Gone, Sent, Unread};
use super::chain::{self, PastNeed};
use super::earlier::{Earlier, Relation};
use super::keep::Keeper;
use super::need::{NeedState, Seen};
use super::request::Request;
use super::toolbox::Toolbox;
use super::turn;
use crate::case::{Intent, Need, Step};
use crate::client::{Page, Profile};
use crate::trace::{CallRecord, NeedRecord};
use crate::words::{ChainEnd, OnOversized, Outcome, ReplayMode, ToolKind};
use std::collections::BTreeMap;
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
    /// The server was lost after the last step: the attempt is whole, its session is of no more use.
    pub is_session_lost: bool,
    /// Why a result that was to be kept was not.
    pub unkept: Option<String>,
}

/// Replays the steps of a recording by `caller`. Clock values count from `clock`.
pub async fn replay<C: Caller>(
    caller: &mut C,
    steps: &[Step],
    toolbox: &Toolbox,
    profile: &Profile,
    settings: ReplaySettings,
    clock: Instant,
    keeper: Option<&Keeper<'_>>,
) -> AttemptTrace {
    let mut attempt = Attempt {
        caller,
        toolbox,
        profile,
        settings,
        clock,
        keeper,
        trace: AttemptTrace::default(),
        bindings: Bindings::default(),
        earlier: Earlier::new(steps, settings.mode, toolbox),
        chains: 0,
        unread: None,
    };
    let mut past_needs = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        match attempt.step(index as u32, step).await {
            Ok(past_need) => past_needs.extend(past_need),
            Err(Gone) => {
                attempt.leave_unmet(index + 1, steps);
                past_needs.clear();
                break;
            }
        }
    }
    attempt.read_unread();
    attempt.read_past(past_needs).await;
    let unresolved = attempt.bindings.unresolved;
    if unresolved > 0 {
        attempt.note("unresolved binding", unresolved);
    }
    attempt.trace
}

/// An attempt under way.
pub(super) struct Attempt<'a, C> {
    pub caller: &'a mut C,
    pub toolbox: &'a Toolbox,
    pub profile: &'a Profile,
    pub settings: ReplaySettings,
    pub clock: Instant,
    pub keeper: Option<&'a Keeper<'a>>,
    pub trace: AttemptTrace,
    pub bindings: Bindings,
    pub earlier: Earlier,
    pub chains: u32,
    /// An answer that nothing waits for: it is looked at while the server works on the next call.
    pub unread: Option<Unread>,
}

impl<C: Caller> Attempt<'_, C> {
    /// One step. A read that is to be looked at past its need comes back.
    async fn step<'s>(&mut self, index: u32, step: &'s Step) -> Result<Option<PastNeed<'s>>, Gone> {
        let Some(tool) = self.toolbox.get(&step.tool).filter(|tool| tool.may_call).cloned() else {
            let recorded = Bindings::default().resolve(&step.arguments, true);
            self.skip(index, step, &recorded.key_arguments);
            return Ok(None);
        };
        let verbatim = self.settings.mode == ReplayMode::Verbatim;
        let bound = self.bindings.resolve(&step.arguments, verbatim);
        let request = Request { tool, arguments: bound.arguments, key_arguments: bound.key_arguments };
        match step.intent {
            Intent::Read if !verbatim => chain::read(self, index, step, request).await,
            _ => self.single(index, step, request).await.map(|()| None),
        }
    }

    /// Reads on past the needs, after the last step: nothing that the agent did can depend on it. What it
    /// meets is no word on the attempt, not even when the server is lost.
    async fn read_past(&mut self, past_needs: Vec<PastNeed<'_>>) {
        let notes = self.trace.notes.clone();
        let mut is_lost = false;
        for past_need in past_needs {
            is_lost = past_need.read_on(self).await.is_err();
            if is_lost {
                break;
            }
        }
        self.trace.notes = notes;
        if is_lost {
            (self.trace.failure, self.trace.is_infrastructure) = (None, false);
            self.trace.is_session_lost = true;
            self.note("reading past a need cut short", 1);
        }
    }

    /// One call, done once: a `call` step, or any step sent word for word.
    async fn single(&mut self, index: u32, step: &Step, request: Request) -> Result<(), Gone> {
        let in_read_step = step.intent == Intent::Read;
        let is_read = in_read_step || request.tool.kind == ToolKind::Read;
        if !is_read && step.save.is_empty() {
            return self.send_and_leave(&request, index).await;
        }
        let relation = if is_read { self.earlier.relation(&request) } else { None };
        let sent = self.send(&request, index, in_read_step).await;
        if is_read {
            self.mark(&request, relation);
        }
        let mut need = NeedState::new(step);
        if let Ok(sent) = &sent {
            let visible = sent.visible(self.profile);
            let page = (sent.outcome == Outcome::Ok).then_some(&visible);
            if is_read {
                self.earlier.take(sent.index, &request, page, sent.view.is_partial(), relation.is_some());
            }
            if let Some(page) = page {
                self.bindings.save(&step.save, page);
                self.look_at(&request, sent, page, &mut need);
            }
        }
        let last_call = (self.trace.calls.len() - 1) as u32;
        self.judge_need(index, step, &need, None, last_call);
        sent.map(|_| ())
    }

    /// Writes down how a single read relates to the ones before it.
    fn mark(&mut self, request: &Request, relation: Option<Relation>) {
        let was_read = self.earlier.is_repeat(request);
        let Some(record) = self.trace.calls.last_mut() else { return };
        record.is_repeat = was_read;
        match relation {
            Some(Relation::Carries { call_index, evidence, is_asked_again }) => {
                record.continuation = Some(evidence);
                record.continues_call_index = Some(call_index);
                record.is_repeat &= !is_asked_again;
            }
            Some(Relation::Shrinks) => record.is_shrunk_retry = true,
            None => {}
        }
    }

    /// The need of a read step that is sent word for word looks at its only page.
    fn look_at(&self, request: &Request, sent: &Sent, page: &Page<'_>, need: &mut NeedState<'_>) {
        if page.is_empty() && sent.view.is_partial() {
            return;
        }
        let is_whole = !sent.view.is_partial();
        need.take(&Seen {
            page,
            tool: &request.tool,
            rule: None,
            is_whole,
            has_news: true,
            offers_no_more: is_whole && need.is_wanted() && !turn::offers_more(self, request, sent, page),
        });
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
            pages_only: step.need.as_ref().is_some_and(Need::is_pages_only),
            met,
            chain_end: end,
            evidence_seen: need.evidence_seen(),
            evidence_total: need.evidence_total(),
            met_at_call: met.then_some(last_call),
            bracket: need.bracket(),
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
}
