//! What an import found, for a person.

use super::summary::needs;
use super::write::{FRAGMENT, Written};
use crate::cli::ImportArgs;
use crate::commands::sizes::counted;
use crate::import::{Draft, Imported, StepNote, redacted};
use crate::words::NeedKind;
use std::collections::BTreeMap;

/// Cases shown without `--explain`.
const MOST_CASES: usize = 40;
/// Arguments named that were not bound.
const MOST_UNBOUND: usize = 10;
/// The share of needs of the kind `last` above which a person should know.
const MUCH: f64 = 0.5;

pub(super) fn told(
    args: &ImportArgs,
    imported: &Imported,
    fragment: &str,
    written: Option<&Written>,
) -> String {
    let mut out = table(args, imported);
    out.push('\n');
    out.push_str(&totals(imported));
    out.push_str(&unbound(imported));
    out.push('\n');
    out.push_str(fragment);
    out.push('\n');
    let place = args.out.display();
    match written {
        None => out.push_str("nothing was written (--dry-run)\n"),
        Some(Written { new, same }) => {
            let same = if *same > 0 { format!(", {same} unchanged") } else { String::new() };
            out.push_str(&format!("wrote {} in {place}{same}\n", counted(*new as u64, "file", "files")));
            out.push_str(&format!("next: paste {place}/{FRAGMENT} into the suite, then mcp-regress check\n"));
        }
    }
    out
}

fn table(args: &ImportArgs, imported: &Imported) -> String {
    let shown = if args.explain { imported.cases.len() } else { MOST_CASES };
    let mut rows =
        vec![["case", "calls", "reads", "continued", "oversized", "needs", "bound"].map(str::to_owned)];
    for case in imported.cases.iter().take(shown) {
        for (index, draft) in case.drafts.iter().enumerate() {
            let id =
                if case.drafts.len() > 1 { format!("{} r{}", case.id, index + 1) } else { case.id.clone() };
            rows.push(row(id, draft));
        }
    }
    let mut out = aligned(&rows);
    let left = imported.cases.len().saturating_sub(shown);
    if left > 0 {
        out.push_str(&format!("and {}\n", counted(left as u64, "case more", "cases more")));
    }
    if args.explain {
        for case in &imported.cases {
            for draft in &case.drafts {
                out.push_str(&explained(&case.id, draft));
            }
        }
    }
    out
}

fn row(id: String, draft: &Draft) -> [String; 7] {
    let mut kinds: BTreeMap<NeedKind, u64> = BTreeMap::new();
    for kind in draft.steps.iter().filter_map(|step| step.kind) {
        *kinds.entry(kind).or_default() += 1;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let count = |number: u64| number.to_string();
    [
        id,
        count(draft.calls),
        count(draft.read_calls),
        count(draft.continuation_reads),
        count(draft.oversized),
        kinds.join(", "),
        count(draft.bindings.len() as u64),
    ]
}

fn aligned(rows: &[[String; 7]]) -> String {
    let mut widths = [0; 7];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter()
                .zip(widths)
                .enumerate()
                .map(|(column, (cell, width))| {
                    if matches!(column, 0 | 5) {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

fn explained(id: &str, draft: &Draft) -> String {
    let mut out = format!("\n{id} (server {})\n", draft.server);
    if let Some(prompt) = &draft.prompt {
        let start: String =
            redacted(prompt).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(70).collect();
        out.push_str(&format!("  task {}: {start}\n", draft.task));
    }
    for (index, step) in draft.steps.iter().enumerate() {
        out.push_str(&step_line(index, step));
        for binding in draft.bindings.iter().filter(|binding| binding.step == index) {
            let (argument, pointer, from) = (&binding.argument, &binding.pointer, binding.from_step + 1);
            out.push_str(&format!("     bound {argument} <- step {from} {pointer}\n"));
        }
        for unbound in draft.unbound.iter().filter(|unbound| unbound.step == index) {
            out.push_str(&format!("     not bound {}: {}\n", unbound.argument, unbound.why));
        }
    }
    out
}

fn step_line(index: usize, step: &StepNote) -> String {
    let number = index + 1;
    if !step.is_read {
        return format!("  {number}. call {}\n", step.tool);
    }
    let mut parts = vec![counted(step.reads, "read", "reads")];
    for (count, one, many) in [
        (step.continuations, "continuation", "continuations"),
        (step.shrunk_retries, "shrunk retry", "shrunk retries"),
        (step.spill_reads, "spill read", "spill reads"),
        (step.oversized, "oversized", "oversized"),
        (step.evidence as u64, "passage of evidence", "passages of evidence"),
    ] {
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    let kind = step.kind.map_or("none", NeedKind::as_str);
    let left: Vec<&str> = step.fallbacks.iter().map(|kind| kind.as_str()).collect();
    let left = if left.is_empty() {
        String::new()
    } else {
        format!("; `{}` does not hold over the recorded views", left.join("`, `"))
    };
    format!("  {number}. read {}: {}; need {kind}: {}{left}\n", step.tool, parts.join(", "), step.why)
}

fn totals(imported: &Imported) -> String {
    let drafts = || imported.cases.iter().flat_map(|case| &case.drafts);
    let sum = |of: fn(&Draft) -> u64| drafts().map(of).sum::<u64>();
    let mut out = format!(
        "{} from {}: {}, {} of them reads, {} continuation reads, {} oversized\n",
        counted(imported.cases.len() as u64, "case", "cases"),
        counted(imported.files, "transcript", "transcripts"),
        counted(sum(|draft| draft.calls), "call", "calls"),
        sum(|draft| draft.read_calls),
        sum(|draft| draft.continuation_reads),
        sum(|draft| draft.oversized)
    );
    let (kinds, fallbacks) = needs(imported);
    let total: u64 = kinds.values().sum();
    if total > 0 {
        let shares: Vec<String> = kinds
            .iter()
            .map(|(kind, count)| format!("{:.0} % {kind}", 100.0 * *count as f64 / total as f64))
            .collect();
        out.push_str(&format!("needs: {}", shares.join(", ")));
        if fallbacks > 0 {
            out.push_str(&format!("; {}", counted(fallbacks, "fallback", "fallbacks")));
        }
        out.push('\n');
        let last = kinds.get(&NeedKind::Last).copied().unwrap_or(0) as f64;
        if last > MUCH * total as f64 {
            out.push_str("over half of the needs rest on the last view alone: such cases say little about the order of pages\n");
        }
    }
    if imported.repeated_calls > 0 {
        let calls = counted(imported.repeated_calls, "call repeats", "calls repeat");
        out.push_str(&format!("{calls} the history of another file\n"));
    }
    let redacted = sum(|draft| draft.redacted_arguments);
    if redacted > 0 {
        let values = counted(redacted, "argument was redacted", "arguments were redacted");
        out.push_str(&format!("{values}: a replay sends the placeholder\n"));
    }
    out
}

fn unbound(imported: &Imported) -> String {
    let all: Vec<String> = imported
        .cases
        .iter()
        .flat_map(|case| case.drafts.iter().map(move |draft| (case, draft)))
        .flat_map(|(case, draft)| {
            draft.unbound.iter().map(move |unbound| {
                let tool = draft.steps.get(unbound.step).map_or("", |step| step.tool.as_str());
                format!(
                    "  {} step {} {tool} {}: {}\n",
                    case.id,
                    unbound.step + 1,
                    unbound.argument,
                    unbound.why
                )
            })
        })
        .collect();
    if all.is_empty() {
        return String::new();
    }
    let left = all.len().saturating_sub(MOST_UNBOUND);
    let rest = if left > 0 { format!("  and {left} more\n") } else { String::new() };
    format!("not bound, though a result shows the value:\n{}{rest}", all[..all.len() - left].concat())
}
