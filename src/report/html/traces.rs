//! Traces side by side: baseline and candidate, one line a call.

use super::bodies::Kept;
use super::page::{Page, arrows, shown};
use super::tally::Tally;
use super::{PAGE, sibling};
use crate::metric::measure::is_continuation;
use crate::report::Report;
use crate::report::attribution;
use crate::report::files::replace;
use crate::report::phrase::grouped;
use crate::trace::{AttemptRecord, Bodies, CallRecord};
use crate::words::{Outcome, Side, Status};
use maud::{Markup, html};
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// Most bytes of traces on the report's own page, which has other things to hold; three megabytes are the most.
const INLINE_BYTES: usize = 1_300_000;

/// Most bytes of traces on a page of their own.
const PAGE_BYTES: usize = 2_900_000;

/// Most traces on a page.
const TRACES: usize = 2_000;

/// What became of the traces.
#[derive(Default)]
pub struct Traces {
    /// Markup for the report's own page.
    pub inline: String,
    /// Pages of traces beside it.
    pub pages: usize,
    /// The page of each case, by its place in the table; 0 is the report's own.
    page_of: Vec<usize>,
}

impl Traces {
    /// Writes the pages beside the report's own, and counts what the pictures show: one pass over the journal, one
    /// case in memory at a time.
    pub fn write(report: &Report, folder: &Path, bodies: &Bodies, tally: &mut Tally) -> io::Result<Self> {
        let mut reader = report.journal.reader().map_err(io::Error::other)?;
        let cases = report.collected.table.cases.len();
        let mut traces = Self { inline: intro(bodies.exist()), pages: 0, page_of: vec![0; cases] };
        let (mut body, mut used, mut count) = (String::new(), 0, 0);
        for case in order(report) {
            let records = reader.case(case).map_err(io::Error::other)?;
            records.iter().for_each(|record| tally.record(record));
            let (text, more) = case_traces(report, &records, case, Kept::of_case(bodies));
            let room = if traces.pages == 0 { INLINE_BYTES } else { PAGE_BYTES };
            if used > 0 && (used + text.len() > room || count + more > TRACES) {
                traces.close(&mut body, folder, false)?;
                traces.pages += 1;
                (used, count) = (0, 0);
            }
            used += text.len();
            count += more;
            traces.page_of[case] = traces.pages;
            body.push_str(&text);
        }
        traces.close(&mut body, folder, true)?;
        Ok(traces)
    }

    /// Where a case's traces stand.
    pub fn link(&self, case: usize) -> String {
        match self.page_of.get(case) {
            None | Some(0) => format!("#{}", anchor(case)),
            Some(page) => format!("{}#{}", sibling(*page), anchor(case)),
        }
    }

    /// The body of the page at hand is whole.
    fn close(&mut self, body: &mut String, folder: &Path, is_last: bool) -> io::Result<()> {
        let body = std::mem::take(body);
        let next = (!is_last).then(|| sibling(self.pages + 1));
        let next =
            html! { @if let Some(next) = next { p { a href=(next) { "More traces" } } } }.into_string();
        if self.pages == 0 {
            self.inline.push_str(&body);
            self.inline.push_str(&next);
            return Ok(());
        }
        let mut page = Page::new("mcp-regress: traces");
        page.add(
            &html! { h1 { "Traces, page " (self.pages) } p { a href=(PAGE) { "Back to the report" } } }
                .into_string(),
        );
        page.add(&body);
        page.add(&next);
        let text = page.finish();
        replace(folder, &sibling(self.pages), |out| out.write_all(text.as_bytes()))
    }
}

fn anchor(case: usize) -> String {
    format!("case-{case}")
}

/// Flipped cases, then those that lost content, then those whose sides differ, then the others; each in the order
/// of the tables.
fn order(report: &Report) -> Vec<usize> {
    let cases = &report.collected.table.cases;
    let flipped: HashSet<usize> = report.splits[0].flips.iter().map(|flip| flip.case).collect();
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|case| {
        let facts = &cases[*case].facts;
        (!flipped.contains(case), !facts.lost_evidence, facts.parting.is_none(), *case)
    });
    order
}

/// The traces of a case, and how many: those of baseline and candidate.
fn case_traces(
    report: &Report,
    records: &[AttemptRecord],
    case: usize,
    mut kept: Kept<'_>,
) -> (String, usize) {
    let of = |side: Side| records.iter().filter(move |record| record.side == side);
    let mut attempts: Vec<u32> =
        of(Side::Baseline).chain(of(Side::Candidate)).map(|record| record.attempt).collect();
    attempts.sort_unstable();
    attempts.dedup();
    let row = &report.collected.table.cases[case];
    let text = html! {
        details id=(anchor(case)) {
            summary { code { (shown(&row.id)) } " "
                @match &row.facts.parting {
                    Some(parting) => { span class="mark" { "sides part" } span class="soft" { " at " (attribution::place(Some(parting))) ", " (arrows(&attribution::what(parting))) } }
                    None => { span class="soft" { "no call differs" } }
                }
            }
            @for attempt in &attempts {
                @let base = of(Side::Baseline).find(|record| record.attempt == *attempt);
                @let cand = of(Side::Candidate).find(|record| record.attempt == *attempt);
                p class="soft" { "attempt " (attempt) }
                div class="sides" { (column("baseline", base, cand, &mut kept)) (column("candidate", cand, base, &mut kept)) }
            }
        }
    };
    let count = of(Side::Baseline).count() + of(Side::Candidate).count();
    (text.into_string(), count)
}

fn intro(has_bodies: bool) -> String {
    html! {
        h2 id="traces" { "Traces" }
        p {
            "One line a call: tool, size of the result, what the client made of it, and how the read ended. Calls that carry on a read are indented. A call that differs from the other side's call of the same number has a frame. "
            @if has_bodies { "Under a call stands its result, where it was kept; secrets were taken out." }
            @else { "No text of a result was kept; " code { "--keep-bodies" } " of " code { "run" } " keeps them." }
        }
    }
    .into_string()
}

fn column(
    name: &str,
    own: Option<&AttemptRecord>,
    other: Option<&AttemptRecord>,
    kept: &mut Kept<'_>,
) -> Markup {
    html! {
        div {
            h3 { (name) }
            @match own {
                None => p { "not recorded" },
                Some(record) => {
                    @if record.status != Status::Ok { p class="mark" { (record.status.as_str()) ": " (shown(record.failure.as_deref().unwrap_or("no reason kept"))) } }
                    @if record.calls.is_empty() { p { "no call" } }
                    ol { @for (place, call) in record.calls.iter().enumerate() {
                        (line(call, other.map(|other| other.calls.get(place)), kept.body(call)))
                    } }
                    @for need in record.needs.iter().filter(|need| need.has_need && !need.met) {
                        p class="mark" { "need of step " (need.step_index + 1) " not met" }
                    }
                }
            }
        }
    }
}

/// One call and its kept result. `other` is the call of the same number on the other side, if that side was recorded.
fn line(call: &CallRecord, other: Option<Option<&CallRecord>>, body: Option<Markup>) -> Markup {
    let what = other.and_then(|other| difference(call, other));
    let class = match (is_continuation(call), what.is_some()) {
        (true, true) => Some("on differs"),
        (true, false) => Some("on"),
        (false, true) => Some("differs"),
        (false, false) => None,
    };
    html! {
        li class=[class] {
            code { (shown(&call.tool)) } " "
            @if call.was_sent() { (grouped(call.result_chars as f64, 0)) " " } @else { "not sent " }
            @if call.outcome != Outcome::Ok && call.was_sent() { span class="mark" { (call.outcome.as_str()) } " " }
            @if !call.oversized_by.is_empty() { span class="mark" { "oversized (" (layers(call)) "), " (call.view.as_str()) } " " }
            @if call.is_stuck { span class="mark" { "stuck" } " " }
            @if call.is_shrunk_retry { "shrunk retry " }
            @if call.is_repeat { "repeated " }
            @if call.spill_reads > 0 { (call.spill_reads) " spill reads " }
            @if call.past_need { span class="soft" { "past the need " } }
            @if let Some(end) = call.chain_end { span class="soft" { "read ended: " (end.as_str().replace('_', " ")) " " } }
            @if let Some(what) = what { span class="soft" { "(" (what) ")" } }
            @if let Some(body) = body { (body) }
        }
    }
}

/// The limits that tripped, in the order of the profile.
fn layers(call: &CallRecord) -> String {
    call.oversized_by.iter().map(|layer| layer.as_str()).collect::<Vec<_>>().join("+")
}

/// What is other than in the other side's call of the same number.
fn difference(call: &CallRecord, other: Option<&CallRecord>) -> Option<&'static str> {
    let Some(other) = other else { return Some("this side alone") };
    match () {
        () if call.tool != other.tool => Some("another tool"),
        () if call.outcome != other.outcome => Some("another outcome"),
        () if call.arguments_sha256 != other.arguments_sha256 => Some("other arguments"),
        () if call.result_chars != other.result_chars => Some("another size"),
        () if call.result_sha256 != other.result_sha256 => Some("other content"),
        () => None,
    }
}
