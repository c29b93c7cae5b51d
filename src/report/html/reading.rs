//! How to read the page, and how to make it again.

use super::page::{shown, shown_whole};
use super::tally::Tally;
use crate::report::Report;
use crate::report::phrase::{age, grouped};
use maud::{Markup, html};

pub fn section(report: &Report, tally: &Tally) -> String {
    html! {
        h2 id="reading" { "How to read this" }
        ul {
            li { "The unit is the case: attempts of a case are averaged before anything is judged." }
            li { "A continuation read only carries on a truncated or paged read. An oversized result is one that the agent's client would hide, cut or save to a file." }
            li { strong { "Same code" } " says how far two runs of the same code differ: " em { "exact" } " when they never do. A difference inside that spread is no difference." }
            li { "The interval over cases says what cases like these would show; the word says what holds on these cases." }
            li { strong { "~" } " means: no difference beyond the noise. It is no proof that there is none; see what the run could have seen." }
            li { "A flip is a case that was mostly right and is never right any more, or the reverse." }
            li { "A case has " strong { "seen" } " the change when one of its requests got another answer from the candidate, and the same answer from both runs of the baseline's code. What moves in other cases is noise." }
            li { "To see smaller changes, " code { "mcp-regress plan" } " says how many cases and attempts it takes." }
        }
        (run(report, tally))
    }
    .into_string()
}

/// The only part of the page that two equal runs do not share.
fn run(report: &Report, tally: &Tally) -> Markup {
    let meta = &report.meta;
    let command = shell_words::join(&meta.argv);
    html! {
        @if !meta.run_id.is_empty() {
            section id="run" {
                h2 { "How to make this again" }
                @if !meta.argv.is_empty() { pre tabindex="0" { (shown_whole(&command)) } }
                p { "Run " code { (shown(&meta.run_id)) } ", started " (shown(&meta.started_at)) ", seed " (meta.seed) "."
                    @if let Some(stored) = &meta.baseline_run { " Baseline from run " code { (shown(&stored.run_id)) } ", " (age(stored.age_s)) " older." } }
                @for (name, side) in &meta.sides { @if let Some(seconds) = side.revision_age_s {
                    p { "The " (shown(name)) " was committed " (age(seconds)) " before the run." }
                } }
                (clock(tally))
                p { "From the stored run, without any server: " code { "mcp-regress report " (shown(&meta.run_id)) } "." }
            }
        }
    }
}

/// Wall time: shown, and never judged.
fn clock(tally: &Tally) -> Markup {
    let [base, cand] =
        tally.clock.map(|(attempts, sum)| (attempts > 0).then(|| grouped(sum / attempts as f64, 1)));
    html! {
        @if let Some((base, cand)) = base.zip(cand) {
            p { "Wall time of an attempt, mean: " (base) " ms on the baseline, " (cand) " ms on the candidate. It is never judged." }
        }
    }
}
