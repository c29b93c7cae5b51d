//! The calls of one conversation, in the order in which they were made: a result may come late, or in another
//! order.

use super::call::{Measured, Seen, measure};
use super::census::{Known, Met};
use super::reads::{Reads, Sight};
use super::row::Row;
use crate::client::Profile;
use crate::import::{Call, Format, Output, Scope, ToolKey, was_never_made};
use crate::words::{Evidence, ToolKind};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Calls that wait for an earlier one's result. Past it that result is counted when it comes, and the call is
/// taken to have shown nothing.
const MOST_WAITING: usize = 256;

/// What all conversations share.
pub(super) struct Shared<'s> {
    pub scope: &'s Scope,
    pub rows: BTreeMap<ToolKey, Row>,
    pub known: Known<'s>,
    pub met: Met,
    pub repeated_calls: u64,
    pub has_wire: bool,
}

/// How the files of a format are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'p> {
    pub format: Format,
    pub profile: &'p Profile,
}

#[derive(Debug)]
enum Waiting {
    Call(Box<Call>, Option<Output>),
    Prompt,
}

/// One conversation.
#[derive(Debug, Default)]
pub(super) struct Thread {
    waiting: VecDeque<Waiting>,
    /// Places in `waiting` of calls without a result, by id, counted from the first call of the conversation.
    places: HashMap<String, u64>,
    /// Entries that have left `waiting`.
    done: u64,
    /// Calls that were taken without their result.
    late: HashMap<String, (ToolKey, bool)>,
    reads: Reads,
    pub calls: u64,
}

impl Thread {
    pub fn prompt(&mut self, shared: &mut Shared<'_>, reading: Reading<'_>) {
        self.waiting.push_back(Waiting::Prompt);
        self.go_on(shared, reading);
    }

    pub fn call(&mut self, call: Call, shared: &mut Shared<'_>, reading: Reading<'_>) {
        if shared.scope.server_of(&call).is_some() {
            self.places.insert(call.id.clone(), self.done + self.waiting.len() as u64);
        }
        self.waiting.push_back(Waiting::Call(Box::new(call), None));
        self.go_on(shared, reading);
    }

    pub fn output(&mut self, output: Output, shared: &mut Shared<'_>, reading: Reading<'_>) {
        if let Some((key, is_counted)) = self.late.remove(&output.call_id) {
            if is_counted {
                let measured = measure(reading.format, reading.profile, &key.1, output);
                measured.count(shared.rows.entry(key).or_default());
            }
            return;
        }
        let Some(place) = self.places.remove(&output.call_id) else { return };
        let index = usize::try_from(place - self.done).unwrap_or(usize::MAX);
        if let Some(Waiting::Call(_, result)) = self.waiting.get_mut(index) {
            *result = Some(output);
        }
        self.go_on(shared, reading);
    }

    /// Takes every call that is left, with or without its result.
    pub fn end(&mut self, shared: &mut Shared<'_>, reading: Reading<'_>) {
        while let Some(next) = self.waiting.pop_front() {
            self.done += 1;
            self.take(next, shared, reading);
        }
    }

    fn go_on(&mut self, shared: &mut Shared<'_>, reading: Reading<'_>) {
        while let Some(next) = self.waiting.front() {
            let is_ready = match next {
                Waiting::Prompt => true,
                Waiting::Call(call, result) => result.is_some() || shared.scope.server_of(call).is_none(),
            };
            if !is_ready && self.waiting.len() <= MOST_WAITING {
                return;
            }
            let Some(next) = self.waiting.pop_front() else { return };
            self.done += 1;
            self.take(next, shared, reading);
        }
    }

    fn take(&mut self, next: Waiting, shared: &mut Shared<'_>, reading: Reading<'_>) {
        let (call, output) = match next {
            Waiting::Prompt => {
                self.reads = Reads::default();
                return;
            }
            Waiting::Call(call, output) => (call, output),
        };
        let Some(server) = shared.scope.server_of(&call).map(str::to_owned) else {
            if let Some(key) = self.reads.spill_of(&call.arguments) {
                shared.rows.entry(key.clone()).or_default().spill_reads += 1;
            }
            return;
        };
        let key = (server.clone(), call.tool.clone());
        let text = output.as_ref().map(Output::text);
        // Messages of the wire have ids that begin anew with every session.
        let is_known = reading.format != Format::JsonRpc && shared.met.note(&call, text.as_deref());
        shared.repeated_calls += u64::from(is_known);
        if output.as_ref().is_some_and(was_never_made) {
            shared.rows.entry(key).or_default().denied += u64::from(!is_known);
            return;
        }
        let Some(tool) = shared.known.tool(&server, &call) else { return };
        shared.has_wire |= reading.format == Format::JsonRpc;
        if output.is_none() {
            self.places.remove(&call.id);
            self.late.insert(call.id.clone(), (key.clone(), !is_known));
        }
        let measured = output.map(|output| measure(reading.format, reading.profile, &key.1, output));
        let relation = if tool.kind == ToolKind::Write {
            self.reads.write(&call.arguments);
            Default::default()
        } else {
            let page = measured.as_ref().and_then(|measured| measured.page(reading.profile));
            let sight = match (&measured, &page) {
                (_, Some(page)) => Sight::Page(page),
                (Some(Measured { seen: Seen::Refused(_), .. }), _) => Sight::Refused,
                (Some(_), _) => Sight::Error,
                (None, _) => Sight::Nothing,
            };
            self.reads.take(&key, &tool, &call.arguments, sight)
        };
        if let Some(Measured { seen: Seen::Refused(Some(found)), .. }) = &measured
            && let Some(path) = &found.saved
        {
            self.reads.saved(path.clone(), &key);
        }
        if is_known {
            return;
        }
        self.calls += 1;
        let row = shared.rows.entry(key).or_default();
        row.calls += 1;
        if let Some(measured) = &measured {
            measured.count(row);
        }
        row.continuations_offered += u64::from(relation.continues == Some(Evidence::Offered));
        row.continuations_computed += u64::from(relation.continues == Some(Evidence::Computed));
        row.shrunk_retries += u64::from(relation.is_retry);
        row.repeats += u64::from(relation.is_repeat);
        row.stuck += u64::from(relation.is_stuck);
    }
}
