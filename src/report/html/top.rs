//! The verdict, what was compared, and what a reader must know before the numbers.

use super::page::{arrows, shown};
use crate::report::phrase::counted;
use crate::report::{Report, sentence};
use crate::trace::SideMeta;
use crate::verdict::{Overall, Verdict};
use maud::{Markup, html};

/// The verdict's sentence.
pub fn verdict(report: &Report) -> String {
    let (word, class) = match report.gate.verdict {
        Overall::Pass => ("Pass", "pass"),
        Overall::Regression => ("Regression", "regression"),
        Overall::Inconclusive => ("Inconclusive", "regression"),
        Overall::Incomplete => ("Incomplete", "regression"),
        Overall::None => ("Not gated", "regression"),
    };
    html! {
        h1 { span class={ "word " (class) } { (word) } " " (arrows(&shown(&sentence::verdict(report)))) }
    }
    .into_string()
}

/// What a reader must know before the numbers, and what each rule says.
pub fn notes(report: &Report) -> String {
    html! {
        @if let Some(note) = &report.meta.rules_note { p class="soft" { (shown(note)) } }
        @for warning in &report.warnings {
            p class="note" { strong { "Note: " } (shown(&warning.to_string())) }
        }
        @for note in report.journal.notes() {
            p class="note" { strong { "Journal: " } (shown(&note.to_string())) }
        }
        (rules(report))
    }
    .into_string()
}

fn rules(report: &Report) -> Markup {
    let by_split = report.rules.iter().any(|rule| rule.split.is_some());
    html! {
        @if !report.rules.is_empty() {
            h2 id="rules" { "Rules" }
            div class="scroll" tabindex="0" { table class="rows rules" {
                thead { tr { th scope="col" { "rule" } @if by_split { th scope="col" { "split" } } th scope="col" { "verdict" } th scope="col" { "why" } } }
                tbody { @for rule in &report.rules { tr {
                    th scope="row" { (arrows(&shown(&sentence::rule_figures(report, rule)))) }
                    @if by_split { td data-label="split" { (rule.split.map_or("all", |split| split.as_str())) } }
                    td data-label="verdict" class=[(rule.verdict == Some(Verdict::Regression)).then_some("regression")] {
                        (rule.verdict.map_or("shown, not judged", |verdict| verdict.as_str()))
                    }
                    td class="wide" data-label="why" { (shown(&rule.reason)) }
                } } }
            } }
            @for line in sentence::open_rules(report) { p { (arrows(&shown(&line))) } }
        }
    }
}

/// Sides, cases, client: what the numbers are of.
pub fn compared(report: &Report) -> String {
    let meta = &report.meta;
    let cases = counted(report.collected.table.cases.len() as u64, "case", "cases");
    html! {
        h2 id="compared" { "What was compared" }
        dl {
            @for name in ["baseline", "candidate"] {
                @if let Some(side) = meta.sides.get(name) { dt { (name) } dd { (side_words(side)) } }
            }
            dt { "runs" } dd {
                (cases) ", " (counted(u64::from(meta.attempts), "attempt", "attempts")) " a side, "
                (counted(u64::from(meta.same_code), "run", "runs")) " of the same code beside the baseline"
                @if meta.a_a { "; one side is defined: it is replayed against itself (A/A)" }
                @if let Some(stored) = &meta.baseline_run { "; the baseline is the " (shown(&stored.side)) " of a stored run, not replayed beside this candidate" }
            }
            @if !report.is_foreign {
                dt { "client" } dd {
                    (shown(&meta.client.profile))
                    @if let Some(limit) = meta.client.limit { ", results over " (crate::report::phrase::grouped(limit as f64, 0)) " are oversized" }
                }
                dt { "protocol" } dd { (shown(&meta.protocol)) }
            }
            dt { "judged by" } dd { "mcp-regress " (shown(&meta.tool_version)) ", seed " (meta.seed) }
        }
    }
    .into_string()
}

fn side_words(side: &SideMeta) -> Markup {
    let server = [side.server_name.as_deref(), side.server_version.as_deref()];
    let server = server.into_iter().flatten().collect::<Vec<_>>().join(" ");
    html! {
        @if let Some(revision) = &side.revision {
            code { (shown(revision)) } @if side.dirty { " with uncommitted changes" }
            ", "
        }
        (shown(&server))
        @if let Some(protocol) = &side.protocol { ", protocol " (shown(protocol)) }
    }
}
