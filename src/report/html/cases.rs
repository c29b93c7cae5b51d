//! Case by case: those in which the headline's metric changed most.

use super::ROWS;
use super::page::shown;
use super::traces::Traces;
use crate::report::phrase::{grouped, signed};
use crate::report::{Report, csv_cases, sentence};
use crate::verdict::Comparison;
use maud::{Markup, html};

pub fn section(report: &Report, comparison: &Comparison<'_>, traces: &Traces) -> String {
    let table = &report.collected.table;
    let headline = sentence::headline(report, &report.splits[0]).map(|(_, row)| row.metric);
    let Some(metric) = headline else {
        return html! { h2 id="cases" { "Cases" } p { "No metric changed in any case." } }.into_string();
    };
    let mut changed = csv_cases::changed(comparison, metric);
    changed.sort_by(|a, b| b.delta.abs().total_cmp(&a.delta.abs()).then(a.case.cmp(&b.case)));
    let name = shown(&table.metrics[metric].name.replace('_', " "));
    html! {
        h2 id="cases" { "Cases" }
        p { (name) " changed in " (changed.len()) " of " (table.cases.len()) " cases, the largest changes first."
            @if changed.len() > ROWS { " Here are " (ROWS) "; all stand in cases.csv." } }
        div class="scroll" tabindex="0" { table class="rows" {
            thead { tr { th scope="col" { "case" } th scope="col" { "split" } th scope="col" class="n" { "baseline" } th scope="col" class="n" { "candidate" } th scope="col" class="n" { "delta" } th scope="col" { "sides part at" } } }
            tbody { @for change in changed.iter().take(ROWS) { (line(report, traces, change)) } }
        } }
    }
    .into_string()
}

fn line(report: &Report, traces: &Traces, change: &csv_cases::Change) -> Markup {
    let case = &report.collected.table.cases[change.case];
    let parts =
        case.facts.first_difference.map_or_else(|| "no call".to_owned(), |call| format!("call {}", call + 1));
    html! {
        tr {
            th scope="row" { a href=(traces.link(change.case)) { code { (shown(&case.id)) } } }
            td data-label="split" { (case.split.as_str()) }
            td class="n" data-label="baseline" { (grouped(change.baseline, 2)) }
            td class="n" data-label="candidate" { (grouped(change.candidate, 2)) }
            td class="n" data-label="delta" { (signed(change.delta, 2)) }
            td data-label="sides part at" { (parts) }
        }
    }
}
