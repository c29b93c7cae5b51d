//! Cases that were right and are not, and the reverse, with the call at which the sides part.

use super::ROWS;
use super::page::{exposure_word, shown};
use super::traces::Traces;
use crate::report::Report;
use crate::verdict::FlipRow;
use maud::{Markup, html};

pub fn section(report: &Report, traces: &Traces) -> String {
    let all = &report.splits[0];
    let (lost, gained) = all.expected_flips;
    html! {
        h2 id="flips" { "Flips" }
        @if all.flips.is_empty() { p { "No case flipped in either direction." } }
        @else {
            p { "Unchanged code would show " (crate::report::phrase::grouped(lost, 1)) " lost and " (crate::report::phrase::grouped(gained, 1)) " gained." }
            div class="scroll" tabindex="0" { table class="rows" {
                thead { tr { th scope="col" { "case" } th scope="col" { "flip" } th scope="col" { "baseline" } th scope="col" { "candidate" } th scope="col" { "sides part at" } th scope="col" { "change seen in the case" } } }
                tbody { @for flip in all.flips.iter().take(ROWS) { (line(report, traces, flip)) } }
            } }
            @if all.flips.len() > ROWS { p { "Here are " (ROWS) " of " (all.flips.len()) "; all stand in flips.csv." } }
        }
        @let names = |places: &[usize]| places.iter().map(|place| shown(&report.collected.table.cases[*place].id)).collect::<Vec<_>>();
        @for (what, places) in [("Content was lost in", &all.lost_evidence), ("Stale, on no side met", &all.stale), ("Without a pair", &all.unpaired), ("Not replayed", &all.skipped)] {
            @if !places.is_empty() {
                details { summary { (what) " (" (places.len()) ")" } ul { @for name in names(&places[..places.len().min(ROWS)]) { li { code { (name) } } } } }
            }
        }
    }
    .into_string()
}

fn line(report: &Report, traces: &Traces, flip: &FlipRow) -> Markup {
    let case = &report.collected.table.cases[flip.case];
    html! {
        tr {
            th scope="row" { a href=(traces.link(flip.case)) { code { (shown(&case.id)) } } }
            td data-label="flip" class=(flip.direction.as_str()) { (flip.direction.as_str()) }
            td data-label="baseline" { "right in " (flip.baseline_right) " of " (flip.baseline_attempts) }
            td data-label="candidate" { "right in " (flip.candidate_right) " of " (flip.candidate_attempts) }
            td data-label="sides part at" { @match flip.first_difference { Some(call) => { "call " (call + 1) } None => { "no call" } } }
            td data-label="change seen" { (exposure_word(flip.exposed)) }
        }
    }
}
