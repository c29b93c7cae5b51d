//! The table of metrics with one small picture a row, exposed against unexposed cases, and what could have been seen.

use super::page::{arrows, shown};
use super::svg::{Forest, Mark};
use crate::metric::MetricInfo;
use crate::report::phrase::{self, Shown};
use crate::report::{Report, sentence, terminal};
use crate::verdict::MetricRow;
use maud::{Markup, html};

fn rows(report: &Report) -> Vec<(&MetricInfo, &MetricRow)> {
    let metrics = &report.collected.table.metrics;
    report.splits[0].metrics.iter().map(|row| (&metrics[row.metric], row)).collect()
}

pub fn section(report: &Report) -> String {
    let rows = rows(report);
    let (told, rest): (Vec<_>, Vec<_>) =
        rows.iter().partition(|(info, row)| terminal::is_shown(report, info, row));
    html! {
        h2 id="metrics" { "Metrics" }
        p class="soft" { "Delta is candidate minus baseline. The grey band is where 95 % of differences between two runs of the same code lie; the line is the 95 % interval over cases, the upright line is no change. A circle is better, a square worse, a hollow diamond neither." }
        (table(&told))
        @if !rest.is_empty() { details { summary { "Without a change, and asked for by no rule (" (rest.len()) ")" } (table(&rest)) } }
        @for text in [sentence::would_it_hold(report), sentence::test_split(report).map(|text| format!("test split alone: {text}")), sentence::fidelity(report), sentence::bounds(report), sentence::confirmed(report)].into_iter().flatten() {
            p { (arrows(&shown(&text))) }
        }
    }
    .into_string()
}

fn table(rows: &[&(&MetricInfo, &MetricRow)]) -> Markup {
    html! {
        div class="scroll" tabindex="0" { table class="rows" {
            thead { tr {
                th scope="col" { "metric" }
                th scope="col" class="n" { "baseline" } th scope="col" class="n" { "candidate" }
                th scope="col" class="n" { "delta" } th scope="col" { "95 % interval" }
                th scope="col" { "picture" } th scope="col" { "same code" } th scope="col" { "word" }
            } }
            tbody { @for (info, row) in rows { (line(info, row)) } }
        } }
    }
}

fn line(info: &MetricInfo, row: &MetricRow) -> Markup {
    let shown_as = Shown::of(info, row);
    let value = |mean: Option<f64>| mean.map_or_else(String::new, |mean| shown_as.value(mean));
    let delta = row.delta.map_or_else(String::new, |delta| shown_as.delta(delta));
    let word = phrase::word(row);
    let class = match () {
        () if word.starts_with("worse") => Some("regression"),
        () if word.starts_with("better") => Some("pass"),
        () => None,
    };
    html! {
        tr {
            th scope="row" { (shown(&phrase::label(info, row))) }
            td class="n" data-label="baseline" { (value(row.baseline_mean)) }
            td class="n" data-label="candidate" { (value(row.candidate_mean)) }
            td class="n" data-label="delta" { (delta) }
            td data-label="95 % interval" { (phrase::interval(info, row)) }
            td class="wide last" { (picture(info, row)) }
            td data-label="same code" { (phrase::same_code(info, row)) }
            td data-label="word" class=[class] { (word) }
        }
    }
}

fn picture(info: &MetricInfo, row: &MetricRow) -> Markup {
    let Some(delta) = row.delta else { return html! {} };
    let forest = Forest {
        delta,
        interval: row.ci_low.zip(row.ci_high),
        same_code: row.noise_se.filter(|_| !row.deterministic).map(|se| 1.96 * se),
        mark: mark(row),
        words: format!(
            "{}: delta {}, interval {}, same code {}",
            shown(&phrase::label(info, row)),
            Shown::of(info, row).delta(delta),
            phrase::interval(info, row),
            phrase::same_code(info, row)
        ),
    };
    forest.draw()
}

fn mark(row: &MetricRow) -> Mark {
    match row.call {
        Some("better") => Mark::Better,
        Some("worse") => Mark::Worse,
        _ => Mark::Same,
    }
}

pub fn exposure(report: &Report) -> String {
    let known: Vec<_> = rows(report)
        .into_iter()
        .filter(|(_, row)| row.exposed_cases.is_some() && row.delta.is_some_and(|d| d != 0.0))
        .collect();
    html! {
        @if !known.is_empty() {
            h2 id="exposure" { "Cases that met the change, and those that did not" }
            div class="scroll" tabindex="0" { table class="rows" {
                caption { "An exposed case sent a request that the candidate answered otherwise. What moves in the others is noise." }
                thead { tr { th scope="col" { "metric" } th scope="col" class="n" { "exposed cases" } th scope="col" class="n" { "delta, exposed" } th scope="col" class="n" { "delta, unexposed" } } }
                tbody { @for (info, row) in known {
                    @let as_shown = Shown::of(info, row);
                    @let cell = |delta: Option<f64>| delta.map_or_else(|| "no case".to_owned(), |delta| decimal(delta, as_shown));
                    tr {
                        th scope="row" { (shown(&info.name.replace('_', " "))) ", mean of an attempt" }
                        td class="n" data-label="exposed cases" { (row.exposed_cases.unwrap_or_default()) " of " (row.n_cases) }
                        td class="n" data-label="delta, exposed" { (cell(row.delta_exposed)) }
                        td class="n" data-label="delta, unexposed" { (cell(row.delta_unexposed)) }
                    }
                } }
            } }
        }
    }
    .into_string()
}

/// A mean of an attempt: counts have decimals there.
fn decimal(delta: f64, shown: Shown) -> String {
    if shown.is_total { phrase::signed(delta, 2) } else { shown.delta(delta) }
}

pub fn could_have_seen(report: &Report) -> String {
    let known: Vec<_> = rows(report)
        .into_iter()
        .filter_map(|(info, row)| Some((info, terminal::detectable(info, row)?)))
        .collect();
    html! {
        @if !known.is_empty() {
            h2 id="power" { "What this run could have seen" }
            p { "The smallest true change over cases like these that a run of this size finds four times in five." }
            ul { @for (info, text) in known { li { (shown(&info.name.replace('_', " "))) ": " (shown(&text)) } } }
        }
    }
    .into_string()
}
