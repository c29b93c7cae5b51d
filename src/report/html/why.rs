//! Down to the calls: for each regression and each flip the cases that hold it, and where their sides part.

use super::page::{arrows, shown};
use super::traces::Traces;
use crate::report::Report;
use crate::report::attribution::{self, Attribution, Held};
use maud::{Markup, html};

/// Most cases of one subject: they are the worst, and the traces hold all.
const CASES: usize = 20;

pub fn section(report: &Report, traces: &Traces) -> String {
    let found = attribution::of(report);
    html! {
        h2 id="why" { "Where the sides part" }
        @if found.is_empty() { p { "No flip, and no metric that a rule calls a regression: there is nothing to trace down to single calls." } }
        @else {
            p { "For each regression and each flip: the cases that hold most of it, the first call in which the sides differ, what differs there, and whether the case ever met the change." }
            @for attribution in &found { (table(report, traces, attribution)) }
        }
    }
    .into_string()
}

fn table(report: &Report, traces: &Traces, attribution: &Attribution) -> Markup {
    html! {
        h3 { (shown(&attribution.subject)) @if let Some(split) = attribution.split { " in " (split.as_str()) } }
        div class="scroll" tabindex="0" { table class="rows" {
            thead { tr { th scope="col" { "case" } th scope="col" { "how much" } th scope="col" { "sides part at" } th scope="col" { "tool" } th scope="col" { "what differs" } th scope="col" { "change" } } }
            tbody { @for held in attribution.cases.iter().take(CASES) { (line(report, traces, held)) } }
        } }
        @if attribution.cases.len() > CASES { p { "Here are " (CASES) " of " (attribution.cases.len()) " cases." } }
    }
}

fn line(report: &Report, traces: &Traces, held: &Held) -> Markup {
    let case = &report.collected.table.cases[held.case];
    let parting = case.facts.parting.as_ref();
    html! {
        tr {
            th scope="row" { a href=(traces.link(held.case)) { code { (shown(&case.id)) } } }
            td data-label="how much" { (arrows(&held.amount)) }
            td data-label="parts at" { (attribution::place(parting)) }
            td data-label="tool" { @if let Some(parting) = parting { code { (shown(&parting.tool)) } } }
            td class="wide" data-label="what differs" { @if let Some(parting) = parting { (arrows(&attribution::what(parting))) } }
            td class="wide" data-label="change" { (attribution::seen(case)) }
        }
    }
}
