//! A recording and its steps.

use super::need::need;
use super::{Intent, RecordedCounts, Recording, Step, Steps, binding};
use crate::doc::{At, Table};
use crate::suite::{Selector, selector};
use crate::words::{NeedKind, OnOversized};
use std::collections::BTreeSet;

const KEYS: [&str; 4] = ["id", "source", "recorded", "steps"];
const STEP_KEYS: [&str; 8] =
    ["call", "read", "arguments", "save", "need", "evidence", "need_kind", "on_oversized"];
/// What only a read can use.
const READ_KEYS: [&str; 3] = ["need", "evidence", "need_kind"];
const COUNTS: [&str; 4] = ["calls", "read_calls", "continuation_reads", "oversized"];

/// `index` counts from 0; a recording without an id is called by its number.
pub(super) fn recording(at: &At<'_>, index: usize) -> Option<Recording> {
    let table = at.table(&KEYS)?;
    let id = match table.get("id") {
        Some(at) => at.text().map(str::to_owned),
        None => Some(format!("r{}", index + 1)),
    };
    if let Some(at) = table.get("source") {
        at.object();
    }
    let recorded = table.get("recorded").and_then(|at| counts(&at));
    let steps = table.must("steps", "a list of steps").and_then(|at| Some(Steps::pack(&at, &steps_of(&at)?)));
    Some(Recording { id: id?, recorded, steps: steps? })
}

/// The steps of a recording, in order.
pub(super) fn steps_of(at: &At<'_>) -> Option<Vec<Step>> {
    let items = at.items("a list of steps", 1)?;
    let mut saved = BTreeSet::new();
    let steps: Vec<Option<Step>> = items.iter().map(|item| step(item, &mut saved)).collect();
    steps.into_iter().collect()
}

fn counts(at: &At<'_>) -> Option<RecordedCounts> {
    let table = at.table(&COUNTS)?;
    let [calls, read_calls, continuation_reads, oversized] =
        COUNTS.map(|key| table.get(key).and_then(|at| at.whole(0..=u64::MAX)));
    Some(RecordedCounts { calls, read_calls, continuation_reads, oversized })
}

/// `saved` holds the names saved so far; a step can use those of the steps before it.
fn step(at: &At<'_>, saved: &mut BTreeSet<String>) -> Option<Step> {
    let table = at.table(&STEP_KEYS)?;
    let intent = table.exactly_one(&["call", "read"]);
    if intent == Some("call") {
        table.refuse(&READ_KEYS, "in a `call` step: only a `read` step has one");
    }
    let arguments = match table.get("arguments") {
        Some(at) => {
            binding::check(&at, saved);
            at.object()
        }
        None => Some(Default::default()),
    };
    let save = saves(&table, saved);
    let need = table.get("need").map(|at| need(&at));
    let evidence = table.get("evidence").and_then(|at| at.texts(0)).unwrap_or_default();
    let need_kind = table.get("need_kind").map(|at| at.choice(NeedKind::ALL, NeedKind::as_str));
    let on_oversized = table.get("on_oversized").map(|at| at.choice(OnOversized::ALL, OnOversized::as_str));
    let intent = intent?;
    let tool = table.get(intent)?.text()?.to_owned();
    Some(Step {
        intent: if intent == "call" { Intent::Call } else { Intent::Read },
        tool,
        arguments: arguments?,
        save,
        need: need.flatten(),
        evidence,
        need_kind: need_kind.flatten().unwrap_or(NeedKind::Written),
        on_oversized: on_oversized.flatten(),
    })
}

fn saves(table: &Table<'_>, saved: &mut BTreeSet<String>) -> Vec<(String, Selector)> {
    let Some(at) = table.get("save") else { return Vec::new() };
    let Some(names) = at.free_table() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, place) in names.all() {
        if name.trim().is_empty() {
            place.problem("an empty name", Some("a name to save under".to_owned()), None);
        }
        // A name whose place is wrong is saved all the same: one fault, one message.
        saved.insert(name.to_owned());
        if let Some(selector) = selector(&place, true) {
            found.push((name.to_owned(), selector));
        }
    }
    found
}
