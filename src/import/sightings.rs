//! Where in a conversation the features of the agent's own words stand: only what the agent said, thought or
//! asked for can show that something was used.

use super::features::{Feature, FeatureKind, each_feature};
use super::kinds::kind_by_name;
use super::model::{Call, Event, EventKind, Session};
use super::shown::{Shown, shown};
use super::tools::{Tools, is_position};
use crate::agent::{each_leaf, is_size_name};
use crate::client::{Block, Part};
use crate::words::ToolKind;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Who showed a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The user, or the client of its own accord.
    Prompt,
    /// The agent, in words or arguments.
    Agent,
    /// A result.
    View,
}

#[derive(Debug, Clone, Copy)]
pub struct Sighting {
    pub event: u32,
    pub who: Who,
}

/// A feature in the agent's words or arguments that shows use of whatever showed it before.
#[derive(Debug, Clone)]
pub struct Use {
    pub event: usize,
    pub hash: u64,
    pub kind: FeatureKind,
    /// Which text of the event it stands in, and at which word of it: copies run on over neighbours.
    pub text: usize,
    pub start: usize,
    /// It stands in the text that an edit replaces.
    pub is_old_text: bool,
}

/// All uses, and the sightings of what is used.
#[derive(Debug, Default)]
pub struct Sightings {
    uses: Vec<Use>,
    seen: HashMap<u64, Vec<Sighting>>,
}

/// Names of arguments that hold what an edit replaces.
const OLD_TEXT: [&str; 6] = ["oldstring", "oldstr", "oldtext", "old", "search", "original"];

impl Sightings {
    pub fn of(session: &Session, tools: &Tools) -> Self {
        let mut sightings = Self::default();
        for (index, event) in session.events.iter().enumerate() {
            sightings.note_uses(index, event, tools);
        }
        let own: HashSet<&str> = session.events.iter().filter_map(own_call).collect();
        for (index, event) in session.events.iter().enumerate() {
            sightings.note_sightings(index as u32, event, &own);
        }
        sightings
    }

    /// The uses at these events, in order.
    pub fn uses_between(&self, from: usize, to: usize) -> &[Use] {
        let place = |event: usize| self.uses.partition_point(|used| used.event < event);
        &self.uses[place(from)..place(to.max(from))]
    }

    /// Where a feature was seen, in order.
    pub fn of_feature(&self, hash: u64) -> &[Sighting] {
        self.seen.get(&hash).map_or(&[], Vec::as_slice)
    }

    pub fn is_used(&self, hash: u64) -> bool {
        self.seen.contains_key(&hash)
    }

    fn note_uses(&mut self, event: usize, what: &Event, tools: &Tools) {
        match &what.kind {
            EventKind::Say(text) | EventKind::Think(text) => {
                each_feature(text, false, &mut |feature| self.note_use(event, 0, false, feature));
            }
            EventKind::Call(call) => {
                let is_read = kind_of(call, tools) == ToolKind::Read;
                each_used_argument(call, tools, &mut |index, name, text| {
                    let is_old = OLD_TEXT.contains(&crate::agent::plain_name(name).as_str());
                    each_feature(text, !is_read, &mut |feature| self.note_use(event, index, is_old, feature));
                });
            }
            _ => {}
        }
    }

    fn note_use(&mut self, event: usize, text: usize, is_old_text: bool, feature: Feature) {
        self.seen.entry(feature.hash).or_default();
        let Feature { kind, hash, range } = feature;
        self.uses.push(Use { event, hash, kind, text, start: range.start, is_old_text });
    }

    fn note_sightings(&mut self, event: u32, what: &Event, own: &HashSet<&str>) {
        match &what.kind {
            EventKind::Prompt(text) | EventKind::Shown(text) => self.see(event, Who::Prompt, text),
            EventKind::Say(text) | EventKind::Think(text) | EventKind::Compaction(text) => {
                self.see(event, Who::Agent, text);
            }
            EventKind::Call(call) => {
                for text in super::offered::texts_in(&Value::Object(call.arguments.clone())) {
                    self.see(event, Who::Agent, &text);
                }
            }
            EventKind::Output(output) => {
                let is_own = own.contains(output.call_id.as_str());
                if let Shown::Page(blocks) = shown(output, is_own) {
                    each_text(&blocks, &mut |text| self.see(event, Who::View, text));
                } else {
                    for block in output.blocks() {
                        self.see(event, Who::View, block.text());
                    }
                }
            }
            EventKind::About(_) | EventKind::Tokens(_) => {}
        }
    }

    /// Notes each used feature of a text once an event.
    fn see(&mut self, event: u32, who: Who, text: &str) {
        let seen = &mut self.seen;
        each_feature(text, true, &mut |feature| {
            if let Some(sightings) = seen.get_mut(&feature.hash)
                && sightings.last().is_none_or(|last| last.event != event)
            {
                sightings.push(Sighting { event, who });
            }
        });
    }
}

/// The id of a call of the client's own tools.
fn own_call(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::Call(call) if call.server.is_none() => Some(&call.id),
        _ => None,
    }
}

/// Calls `see` with every text of a result: leaves of documents, and other text as it is.
fn each_text(blocks: &[Block], see: &mut impl FnMut(&str)) {
    for block in blocks {
        match block.document().map_or(Part::Text(block.text()), Part::Json) {
            Part::Text(text) => see(text),
            Part::Json(document) => each_leaf(document, &mut |leaf| match leaf.value {
                Value::String(text) => see(text),
                Value::Number(number) => see(&number.to_string()),
                _ => {}
            }),
        }
    }
}

pub(super) fn kind_of(call: &Call, tools: &Tools) -> ToolKind {
    let known = call.server.as_deref().and_then(|server| tools.get(server, &call.tool));
    known.map_or_else(|| kind_by_name(&call.tool), |tool| tool.kind)
}

/// Calls `see` with the number, name and text of every argument that can show use: of reads what is read, of
/// other calls all but positions and sizes.
fn each_used_argument(call: &Call, tools: &Tools, see: &mut impl FnMut(usize, &str, &str)) {
    let mut index = 0;
    for (name, value) in &call.arguments {
        if is_position(name, value) || is_size_name(name) {
            continue;
        }
        let tool = call.server.as_deref().and_then(|server| tools.get(server, &call.tool));
        if tool.is_some_and(|tool| tool.kind == ToolKind::Read && !tool.is_identity(name)) {
            continue;
        }
        each_named_text(name, value, &mut |name, text| {
            see(index, name, text);
            index += 1;
        });
    }
}

fn each_named_text(name: &str, value: &Value, see: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => see(name, text),
        Value::Number(number) => see(name, &number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| each_named_text(name, item, see)),
        Value::Object(map) => map.iter().for_each(|(name, value)| each_named_text(name, value, see)),
        _ => {}
    }
}
