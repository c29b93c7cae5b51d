//! Case by case: those in which one of the metrics that a reader asks for changed, the largest changes first.

use super::ROWS;
use super::page::{exposure_word, shown};
use super::traces::Traces;
use crate::report::phrase::{grouped, signed};
use crate::report::{Report, csv_cases, sentence};
use crate::verdict::{CaseState, Comparison};
use crate::words::{Metric, Side};
use maud::{Markup, html};

/// Metrics beside the headline's.
const BESIDE: [Metric; 5] = [
    Metric::ContinuationReads,
    Metric::AgentCalls,
    Metric::OversizedResults,
    Metric::ResultChars,
    Metric::EvidenceRecall,
];

/// A case with its means of each metric.
struct Row {
    case: usize,
    means: Vec<Option<(f64, f64)>>,
}

impl Row {
    /// Of the first metric.
    fn delta(&self) -> f64 {
        self.means.first().copied().flatten().map_or(0.0, |(base, cand)| cand - base)
    }

    fn is_changed(&self) -> bool {
        self.means.iter().flatten().any(|(base, cand)| base != cand)
    }
}

pub fn section(report: &Report, comparison: &Comparison<'_>, traces: &Traces) -> String {
    let table = &report.collected.table;
    let metrics = metrics(report);
    let mut rows: Vec<Row> = (0..table.cases.len())
        .filter(|case| comparison.state(*case) == CaseState::Paired)
        .map(|case| Row {
            case,
            means: metrics.iter().map(|metric| csv_cases::means_of(comparison, case, *metric)).collect(),
        })
        .filter(Row::is_changed)
        .collect();
    rows.sort_by(|a, b| b.delta().abs().total_cmp(&a.delta().abs()).then(a.case.cmp(&b.case)));
    let names: Vec<String> =
        metrics.iter().map(|metric| shown(&table.metrics[*metric].name.replace('_', " "))).collect();
    html! {
        h2 id="cases" { "Cases" }
        @if rows.is_empty() { p { "No metric changed in any case." } }
        @else {
            p { "One of " (names.join(", ")) " changed in " (rows.len()) " of " (table.cases.len()) " cases; means of an attempt, the largest changes of " (names[0]) " first."
                @if rows.len() > ROWS { " Here are " (ROWS) "; all stand in cases.csv." } }
            div class="scroll" tabindex="0" { table class="rows" {
                thead { tr {
                    th scope="col" { "case" } th scope="col" { "split" } th scope="col" { "change" } th scope="col" { "right" }
                    @for name in &names { th scope="col" class="n" { (name) } }
                } }
                tbody { @for row in rows.iter().take(ROWS) { (line(report, traces, row, &names)) } }
            } }
        }
    }
    .into_string()
}

/// The headline's metric, then those of [`BESIDE`] that changed.
fn metrics(report: &Report) -> Vec<usize> {
    let all = &report.splits[0];
    let mut metrics: Vec<usize> =
        sentence::headline(report, all).map(|(_, row)| row.metric).into_iter().collect();
    for metric in BESIDE {
        let place = report.collected.table.metric(metric.as_str());
        let row = place.and_then(|place| all.metric(place));
        let changed = row.filter(|row| row.cases_up + row.cases_down > 0 && !metrics.contains(&row.metric));
        metrics.extend(changed.map(|row| row.metric));
    }
    metrics
}

fn line(report: &Report, traces: &Traces, row: &Row, names: &[String]) -> Markup {
    let case = &report.collected.table.cases[row.case];
    html! {
        tr {
            th scope="row" { a href=(traces.link(row.case)) { code { (shown(&case.id)) } } }
            td data-label="split" { (case.split.as_str()) }
            td data-label="change" { (exposure_word(case.exposed)) }
            td data-label="right" { (right(report, row.case)) }
            @for (name, means) in names.iter().zip(&row.means) {
                td class="n" data-label=(name) { @if let Some((base, cand)) = means { (change(*base, *cand)) } }
            }
        }
    }
}

fn change(base: f64, cand: f64) -> String {
    let short = |value: f64| if value.fract() == 0.0 { grouped(value, 0) } else { grouped(value, 2) };
    if base == cand {
        return short(base);
    }
    let delta = cand - base;
    let delta = signed(delta, if delta.fract() == 0.0 { 0 } else { 2 });
    format!("{} \u{2192} {} ({delta})", short(base), short(cand))
}

/// `4 of 4 → 0 of 4`: attempts that are right, where something tells.
fn right(report: &Report, case: usize) -> String {
    let table = &report.collected.table;
    let of = |side: Side| {
        let rows = table.rows[table.rows_of(case)].iter().filter(move |row| row.side == side);
        let known: Vec<bool> = rows.filter_map(|row| row.right).collect();
        (!known.is_empty())
            .then(|| format!("{} of {}", known.iter().filter(|right| **right).count(), known.len()))
    };
    match (of(Side::Baseline), of(Side::Candidate)) {
        (Some(base), Some(cand)) if base == cand => base,
        (Some(base), Some(cand)) => format!("{base} \u{2192} {cand}"),
        _ => "not known".to_owned(),
    }
}
