//! Everything that was counted.

use super::row::Row;
use crate::agent::Tool;
use crate::import::{Call, Format, ImportProblems, ToolKey, Tools};
use crate::suite::Suite;
use crate::text::canonical;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The census of some transcripts.
#[derive(Debug, Default)]
pub struct Census {
    pub rows: BTreeMap<ToolKey, Row>,
    /// Files that are transcripts, by their format.
    pub files: BTreeMap<Format, u64>,
    /// Conversations with calls; one of a subagent is one of its own.
    pub sessions: u64,
    /// Calls that repeat the history of another file, or of the same; in no count.
    pub repeated_calls: u64,
    /// Client profiles by which results were measured.
    pub profiles: BTreeSet<String>,
    /// Some results were taken off the wire: what a client did with them is worked out from its profile.
    pub has_wire: bool,
    pub problems: ImportProblems,
}

impl Census {
    /// All tools together.
    pub fn total(&self) -> Row {
        let mut total = Row::default();
        self.rows.values().for_each(|row| total.add(row));
        total
    }
}

/// Calls met in any file: a session that goes on from another repeats its history.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// By id, tool and arguments: the hash of the result, 0 while none is known.
    calls: HashMap<u128, u64>,
}

impl Met {
    /// Notes a call; true when it was met before, with the same result or with one of the two unknown.
    pub fn note(&mut self, call: &Call, result: Option<&str>) -> bool {
        let arguments = canonical(&Value::Object(call.arguments.clone()));
        let key = xxh3_128(format!("{}\0{:?}\0{}\0{arguments}", call.id, call.server, call.tool).as_bytes());
        let result = result.map_or(0, |text| xxh3_64(text.as_bytes()).max(1));
        match self.calls.get_mut(&key) {
            Some(known) if *known == 0 || result == 0 || *known == result => {
                *known = (*known).max(result);
                true
            }
            Some(_) => false,
            None => {
                self.calls.insert(key, result);
                false
            }
        }
    }
}

/// The tools as far as their calls told of them.
pub(super) struct Known<'s> {
    suite: &'s Suite,
    tools: Tools,
    /// Names and types of arguments that the tools were made of.
    seen: HashSet<u64>,
}

impl<'s> Known<'s> {
    pub fn new(suite: &'s Suite) -> Self {
        Self { suite, tools: Tools::default(), seen: HashSet::new() }
    }

    /// The tool of a call, with every argument that was seen so far.
    pub fn tool(&mut self, server: &str, call: &Call) -> Option<Arc<Tool>> {
        self.tools.note(server, &call.tool, &call.arguments);
        let of = |name: &str, value: &Value| {
            let kind = std::mem::discriminant(value);
            let is_position = crate::import::is_position(name, value);
            let whole = value.is_f64();
            let text = format!("{server}\0{}\0{name}\0{kind:?}{whole}{is_position}", call.tool);
            xxh3_64(text.as_bytes())
        };
        let mut is_new = self.tools.get(server, &call.tool).is_none();
        for (name, value) in &call.arguments {
            is_new |= self.seen.insert(of(name, value));
        }
        if is_new {
            self.tools.make(self.suite, BTreeMap::new(), BTreeSet::new());
        }
        self.tools.get(server, &call.tool).cloned()
    }

    /// Tells the kinds of tools as they are known at the end.
    pub fn name_kinds(&self, rows: &mut BTreeMap<ToolKey, Row>) {
        for ((server, tool), row) in rows {
            row.kind = self.tools.get(server, tool).map(|tool| tool.kind);
        }
    }
}
