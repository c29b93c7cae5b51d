//! summary.json: the whole result for programs. Numbers are unrounded, what is absent is null.

use super::Report;
use super::cell::Cell;
use super::csv_figures::{MetricLine, margin_text, metrics_table, split_word};
use crate::metric::side_facts::SideFacts;
use crate::trace::{SideMeta, side_key};
use crate::verdict::{RuleVerdict, SplitFigures};
use crate::words::Side;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The file's text, with a line feed at its end.
pub fn render(report: &Report) -> String {
    let value = summary(report);
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

fn summary(report: &Report) -> Value {
    let meta = &report.meta;
    let also: Vec<u32> = report.gate.also.iter().map(|code| *code as u32).collect();
    let warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    let splits: Map<String, Value> = report
        .splits
        .iter()
        .map(|figures| (split_word(figures.split).to_owned(), split(report, figures)))
        .collect();
    let facts = |side| report.collected.sides.get(&side).and_then(|facts| facts.largest_result.as_ref());
    let mut summary = json!({
        "format_version": meta.format_version,
        "verdict": report.gate.verdict.as_str(),
        "exit_code": report.gate.exit as u32,
        "also": also,
        "warnings": warnings,
        "rules_note": meta.rules_note,
        "suite_hash": meta.suite_sha256,
        "client": meta.client.profile,
        "client_hash": meta.client.sha256,
        "client_limit": meta.client.limit,
        "client_unit": meta.client.unit,
        "protocol": meta.protocol,
        "attempts": meta.attempts,
        "same_code": meta.same_code,
        "seed": meta.seed,
        "replay": meta.replay.as_str(),
        "on_oversized": meta.on_oversized.as_str(),
        "missing_attempts": report.missing.len(),
        "sides": sides(report),
        "fidelity": fidelity(report),
        "needs": needs(report),
        "splits": splits,
        "rules": report.rules.iter().map(rule).collect::<Vec<_>>(),
        "tools_list": report.tools_list.as_ref().map(plain),
        "largest_result": {
            "limit": meta.client.limit,
            "unit": meta.client.unit,
            "baseline": facts(Side::Baseline).map(plain),
            "candidate": facts(Side::Candidate).map(plain),
        },
    });
    if let Some(stored) = &meta.baseline_run {
        summary["baseline_run"] = json!({
            "side": stored.side,
            "cases_new": stored.cases_new,
            "cases_gone": stored.cases_gone,
        });
    }
    if report.is_foreign {
        NOT_KNOWN.iter().for_each(|key| summary[*key] = Value::Null);
    }
    summary
}

/// What the numbers of another harness do not say.
const NOT_KNOWN: [&str; 8] = [
    "suite_hash",
    "client",
    "client_hash",
    "client_limit",
    "client_unit",
    "protocol",
    "replay",
    "on_oversized",
];

fn sides(report: &Report) -> Map<String, Value> {
    let mut sides = Map::new();
    let known = SideFacts::default();
    let mut all: Vec<Side> = report.meta.sides.keys().filter_map(|key| Side::parse(key)).collect();
    all.extend(report.collected.sides.keys());
    all.sort_unstable();
    all.dedup();
    for side in all {
        let meta = report.meta.sides.get(&side_key(side)).cloned().unwrap_or_default();
        let facts = report.collected.sides.get(&side).unwrap_or(&known);
        sides.insert(side.to_string(), one_side(&meta, facts));
    }
    sides
}

/// Command, variables and the age of a revision belong to run.json: they differ from run to run.
fn one_side(meta: &SideMeta, facts: &SideFacts) -> Value {
    let mut side = json!({
        "revision": meta.revision,
        "dirty": meta.dirty,
        "server_name": meta.server_name,
        "server_version": meta.server_version,
        "protocol": meta.protocol,
        "tools_list_bytes": meta.tools_list.as_ref().map(|list| list.bytes),
        "tools_list_sha256": meta.tools_list.as_ref().map(|list| list.sha256.clone()),
    });
    if let (Value::Object(side), Value::Object(facts)) = (&mut side, plain(facts)) {
        side.extend(facts);
    }
    side
}

/// Where needs come from, and continuation reads at the ends of the bracket of those inferred as `last`.
fn needs(report: &Report) -> Value {
    let mut value = plain(&report.collected.needs);
    let ends = report.bracket.iter().map(|figures| {
        let figure = json!({
            "baseline_total": number(figures.baseline_total),
            "candidate_total": number(figures.candidate_total),
            "delta": figures.delta.map(number),
        });
        (figures.end.as_str().to_owned(), figure)
    });
    let ends: Map<String, Value> = ends.collect();
    value["continuation_reads"] = if ends.is_empty() { Value::Null } else { Value::Object(ends) };
    value
}

fn fidelity(report: &Report) -> Value {
    let fidelity = &report.collected.fidelity;
    let mut value = plain(fidelity);
    if let Value::Object(map) = &mut value {
        map.insert("share".to_owned(), fidelity.share().map_or(Value::Null, number));
    }
    value
}

fn split(report: &Report, figures: &SplitFigures) -> Value {
    let table = &report.collected.table;
    let ids =
        |cases: &[usize]| -> Vec<&str> { cases.iter().map(|case| table.cases[*case].id.as_str()).collect() };
    let columns = metrics_table();
    let metrics: Map<String, Value> = figures
        .metrics
        .iter()
        .map(|row| {
            let info = &table.metrics[row.metric];
            let line = MetricLine { split: figures.split, info, row };
            let cells = columns.columns.iter().map(|c| (c.name.to_string(), cell((c.cell)(&line))));
            let mut cells: Map<String, Value> = cells.collect();
            cells.insert("heavy_tail".to_owned(), Value::Bool(row.heavy_tail));
            let deltas = row.same_code_deltas.iter().map(|delta| number(*delta));
            cells.insert("same_code_deltas".to_owned(), deltas.collect());
            cells.insert(
                "ci_low_error".to_owned(),
                row.ci_errors.map_or(Value::Null, |errors| number(errors.0)),
            );
            cells.insert(
                "ci_high_error".to_owned(),
                row.ci_errors.map_or(Value::Null, |errors| number(errors.1)),
            );
            if let Some(bounds) = row.bounds {
                // What the delta of a share can have been, whatever failed attempts would have given.
                cells.insert("delta_worst".to_owned(), number(bounds.worst));
                cells.insert("delta_best".to_owned(), number(bounds.best));
            }
            (info.name.clone(), Value::Object(cells))
        })
        .collect();
    let flips: Vec<Value> = figures
        .flips
        .iter()
        .map(|flip| {
            json!({
                "case_id": table.cases[flip.case].id,
                "direction": flip.direction.as_str(),
                "baseline_right": flip.baseline_right,
                "baseline_attempts": flip.baseline_attempts,
                "candidate_right": flip.candidate_right,
                "candidate_attempts": flip.candidate_attempts,
                "first_difference_call_index": flip.first_difference,
                "exposed": flip.exposed.map(|e| e.as_str()),
                "confirmation": report.confirmation.as_ref().and_then(|c| c.case(flip.case)).map(|fresh| json!({
                    "baseline_right": fresh.baseline_right,
                    "baseline_attempts": fresh.baseline_attempts,
                    "candidate_right": fresh.candidate_right,
                    "candidate_attempts": fresh.candidate_attempts,
                    "confirmed": fresh.flip() == Some(flip.direction),
                })),
            })
        })
        .collect();
    json!({
        "cases": figures.selected,
        "cases_paired": figures.paired,
        "metrics": metrics,
        "flips": flips,
        "flips_expected_lost": number(figures.expected_flips.0),
        "flips_expected_gained": number(figures.expected_flips.1),
        "stale": ids(&figures.stale),
        "skipped": ids(&figures.skipped),
        "unpaired": ids(&figures.unpaired),
        "lost_evidence": ids(&figures.lost_evidence),
    })
}

fn rule(rule: &RuleVerdict) -> Value {
    json!({
        "rule_index": rule.rule_index,
        "metric": rule.subject,
        "role": rule.role.as_str(),
        "question": rule.question.map(|question| question.as_str()),
        "split": split_word(rule.split),
        "cases": rule.cases,
        "margin": rule.margin.map(|margin| match margin {
            crate::suite::Margin::Absolute(margin) => number(margin),
            crate::suite::Margin::Percent(_) => Value::String(margin_text(margin)),
        }),
        "max": rule.max.map(number),
        "min": rule.min.map(number),
        "on": rule.on.map(|side| side.to_string()),
        "require": rule.require.map(|require| require.as_str()),
        "value": rule.value.map(number),
        "bound": rule.bound.map(number),
        "p": rule.p.map(number),
        "p_holm": rule.p_holm.map(number),
        "verdict": rule.verdict.map(|verdict| verdict.as_str()),
        "reason": rule.reason,
        "cases_needed": rule.cases_needed,
        "passing_margin": rule.settling_margin().map(number),
    })
}

/// A cell of a table as JSON.
fn cell(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Text(text) => Value::String(text.into_owned()),
        Cell::Count(count) => Value::from(count),
        Cell::Number(value) => number(value),
        Cell::Flag(flag) => Value::Bool(flag),
    }
}

/// The shortest text that reads back as the same number: a whole one has no fraction.
fn number(value: f64) -> Value {
    /// Whole numbers up to here are exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !value.is_finite() {
        Value::Null
    } else if value.fract() == 0.0 && value.abs() <= EXACT {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// A plain value as JSON; counts and texts cannot fail.
fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
