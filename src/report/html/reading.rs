//! How to read the page, and how to make it again.

use super::page::shown;
use crate::report::Report;
use crate::report::phrase::age;
use maud::html;

pub fn section(report: &Report) -> String {
    let meta = &report.meta;
    html! {
        h2 id="reading" { "How to read this" }
        ul {
            li { "The unit is the case: attempts of a case are averaged before anything is judged." }
            li { "A continuation read only carries on a truncated or paged read. An oversized result is one that the agent's client would hide, cut or save to a file." }
            li { strong { "Same code" } " says how far two runs of the same code differ: " em { "exact" } " when they never do. A difference inside that spread is no difference." }
            li { "The interval over cases says what cases like these would show; the word says what holds on these cases." }
            li { strong { "~" } " means: no difference beyond the noise. It is no proof that there is none; see what the run could have seen." }
            li { "A flip is a case that was mostly right and is never right any more, or the reverse." }
        }
        @if !meta.run_id.is_empty() {
            h2 id="run" { "How to make this again" }
            @if !meta.argv.is_empty() { pre { (shown(&meta.argv.join(" "))) } }
            p { "Run " code { (shown(&meta.run_id)) } ", started " (shown(&meta.started_at)) ", seed " (meta.seed) "."
                @if let Some(stored) = &meta.baseline_run { " Baseline from run " code { (shown(&stored.run_id)) } ", " (age(stored.age_s)) " older." } }
            @for (name, side) in &meta.sides { @if let Some(seconds) = side.revision_age_s {
                p { "The " (shown(name)) " was committed " (age(seconds)) " before the run." }
            } }
            p { "From the stored run, without any server: " code { "mcp-regress report " (shown(&meta.run_id)) } "." }
        }
    }
    .into_string()
}
