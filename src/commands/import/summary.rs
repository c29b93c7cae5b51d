//! An import as JSON.

use crate::import::{Draft, Imported, StepNote};
use crate::words::NeedKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many needs of each kind, in the order of the kinds; and how often a kind that came first did not hold.
pub(super) fn needs(imported: &Imported) -> (BTreeMap<NeedKind, u64>, u64) {
    let (mut kinds, mut fallbacks) = (BTreeMap::new(), 0);
    for step in imported.cases.iter().flat_map(|case| &case.drafts).flat_map(|draft| &draft.steps) {
        if let Some(kind) = step.kind {
            *kinds.entry(kind).or_default() += 1;
        }
        fallbacks += step.fallbacks.len() as u64;
    }
    (kinds, fallbacks)
}

pub(super) fn summary(imported: &Imported) -> Value {
    let (kinds, fallbacks) = needs(imported);
    let kinds: serde_json::Map<String, Value> =
        kinds.iter().map(|(kind, count)| (kind.as_str().to_owned(), json!(count))).collect();
    let cases: Vec<Value> = imported
        .cases
        .iter()
        .map(|case| json!({"id": case.id, "recordings": case.drafts.iter().map(recording).collect::<Vec<_>>()}))
        .collect();
    json!({
        "files": imported.files,
        "cases": cases,
        "needs": kinds,
        "need_fallbacks": fallbacks,
        "repeated_calls": imported.repeated_calls,
        "warnings": imported.problems.lines(),
    })
}

fn recording(draft: &Draft) -> Value {
    let bindings: Vec<Value> = draft
        .bindings
        .iter()
        .map(|binding| json!({"step": binding.step, "argument": binding.argument, "from_step": binding.from_step, "pointer": binding.pointer}))
        .collect();
    let unbound: Vec<Value> = draft
        .unbound
        .iter()
        .map(|unbound| json!({"step": unbound.step, "argument": unbound.argument, "why": unbound.why}))
        .collect();
    json!({
        "server": draft.server,
        "task": draft.task,
        "calls": draft.calls,
        "read_calls": draft.read_calls,
        "continuation_reads": draft.continuation_reads,
        "oversized": draft.oversized,
        "steps": draft.steps.iter().map(step).collect::<Vec<_>>(),
        "bindings": bindings,
        "unbound": unbound,
        "redacted_arguments": draft.redacted_arguments,
    })
}

fn step(step: &StepNote) -> Value {
    json!({
        "tool": step.tool,
        "intent": if step.is_read { "read" } else { "call" },
        "calls": step.reads,
        "continuation_reads": step.continuations,
        "shrunk_retries": step.shrunk_retries,
        "spill_reads": step.spill_reads,
        "oversized": step.oversized,
        "need_kind": step.kind.map(NeedKind::as_str),
        "need_fallbacks": step.fallbacks.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
        "evidence": step.evidence,
        "why": step.why,
    })
}
