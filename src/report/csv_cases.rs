//! cases.csv: one row a case and metric.

use super::cell::TableSpec;
use crate::metric::{AttemptTable, CaseRow};
use crate::stats::missing::Missing;
use crate::stats::sample::Pairing;
use crate::verdict::{CaseState, Comparison};
use crate::words::{Better, Side, Status};
use std::io;

/// One metric of one case.
pub struct Row<'t> {
    case: &'t CaseRow,
    metric: &'t str,
    means: Option<Means>,
    same_code_delta: Option<f64>,
    state: CaseState,
}

/// Means over the attempts that enter the delta.
#[derive(Clone, Copy)]
struct Means {
    baseline: f64,
    candidate: f64,
    delta: f64,
    attempts: usize,
}

/// The columns of cases.csv.
pub fn cases_table<'t>() -> TableSpec<Row<'t>> {
    let about = "One row a case and metric, in the order split, case, metric; means are over the attempts of the case that enter the delta.";
    TableSpec::<Row<'t>>::new("cases.csv", about)
        .column("split", "`dev` or `test`", |r| r.case.split.as_str().into())
        .column("case_id", "the case", |r| r.case.id.as_str().into())
        .column("cluster", "cases of one cluster are resampled together", |r| {
            r.case.cluster.as_deref().into()
        })
        .column("metric", "name of the metric", |r| r.metric.into())
        .column("baseline_mean", "b, mean over the attempts that enter", |r| {
            r.means.map(|m| m.baseline).into()
        })
        .unit("the metric's")
        .column("candidate_mean", "c, alike", |r| r.means.map(|m| m.candidate).into())
        .unit("the metric's")
        .column("delta", "c - b", |r| r.means.map(|m| m.delta).into())
        .unit("the metric's")
        .column("attempts_paired", "attempts with a value on both sides", |r| {
            r.means.map_or(0, |m| m.attempts).into()
        })
        .unit("attempts")
        .column("same_code_delta", "same-code minus baseline, mean over runs and attempts", |r| {
            r.same_code_delta.into()
        })
        .unit("the metric's")
        .column("exposed", "`true`, `false`, `unknown`; empty without a same-code side", |r| {
            r.case.exposed.map(|e| e.as_str()).into()
        })
        .column(
            "state",
            "`paired`, `stale`, `skipped`, `unpaired`; others than paired are in no mean of metrics.csv",
            |r| r.state.as_str().into(),
        )
        .column("lost_evidence", "a need was met on the baseline and not on the candidate", |r| {
            r.case.facts.lost_evidence.into()
        })
}

/// A case in which a metric changed; means over its attempts.
pub struct Change {
    /// Place in the table.
    pub case: usize,
    pub baseline: f64,
    pub candidate: f64,
    pub delta: f64,
}

/// The paired cases in which a metric changed, in the order of the table.
pub fn changed(comparison: &Comparison<'_>, metric: usize) -> Vec<Change> {
    let change = |case: usize| {
        let row = row(comparison, case, metric);
        let Means { baseline, candidate, delta, .. } = row.means.filter(|means| means.delta != 0.0)?;
        (row.state == CaseState::Paired).then_some(Change { case, baseline, candidate, delta })
    };
    (0..comparison.table.cases.len()).filter_map(change).collect()
}

/// (baseline, candidate) means of a metric over the attempts of a case that enter its delta.
pub fn means_of(comparison: &Comparison<'_>, case: usize, metric: usize) -> Option<(f64, f64)> {
    let of = |side| values(comparison.table, case, metric, side, comparison.settings.missing);
    let means = means(&of(Side::Baseline), &of(Side::Candidate), comparison.settings.pairing)?;
    Some((means.baseline, means.candidate))
}

/// The rows of cases.csv: metrics that have a value in some attempt.
pub fn case_rows<'c>(comparison: &'c Comparison<'_>) -> impl Iterator<Item = io::Result<Row<'c>>> {
    let table = comparison.table;
    let metrics: Vec<usize> =
        (0..table.metrics.len()).filter(|place| !table.columns[*place].is_blank()).collect();
    (0..table.cases.len()).flat_map(move |case| {
        let rows: Vec<_> = metrics.iter().map(|metric| Ok(row(comparison, case, *metric))).collect();
        rows
    })
}

fn row<'c>(comparison: &'c Comparison<'_>, case: usize, metric: usize) -> Row<'c> {
    let table = comparison.table;
    let values = |side: Side| values(table, case, metric, side, comparison.settings.missing);
    let base = values(Side::Baseline);
    let means = means(&base, &values(Side::Candidate), comparison.settings.pairing);
    let runs: Vec<_> = (1..=u32::from(u16::MAX))
        .map_while(|k| Some(values(Side::SameCode(k))).filter(|run| !run.is_empty()))
        .filter_map(|run| self::means(&base, &run, comparison.settings.pairing))
        .collect();
    let weight: usize = runs.iter().map(|run| run.attempts).sum();
    let sum: f64 = runs.iter().map(|run| run.delta * run.attempts as f64).sum();
    let state = match comparison.state(case) {
        CaseState::Paired if means.is_none() => CaseState::Unpaired,
        state => state,
    };
    Row {
        case: &table.cases[case],
        metric: &table.metrics[metric].name,
        means,
        same_code_delta: (weight > 0).then(|| sum / weight as f64),
        state,
    }
}

/// (attempt, value) of the attempts of a case on a side that enter a mean.
fn values(table: &AttemptTable, case: usize, metric: usize, side: Side, missing: Missing) -> Vec<(u32, f64)> {
    let info = &table.metrics[metric];
    let counts_failed = missing == Missing::AsWorst && info.is_share() && info.better == Better::Higher;
    let of = |place: usize| match table.rows[place].status {
        Status::Ok => table.columns[metric].get(place),
        Status::Failed => counts_failed.then_some(0.0),
        Status::Infrastructure => None,
    };
    let places = table.rows_of(case).filter(|place| table.rows[*place].side == side);
    places.filter_map(|place| Some((table.rows[place].attempt, of(place)?))).collect()
}

fn means(base: &[(u32, f64)], other: &[(u32, f64)], pairing: Pairing) -> Option<Means> {
    let common = |of: &[(u32, f64)], with: &[(u32, f64)]| -> Vec<f64> {
        let stays = |attempt: u32| pairing == Pairing::SideMeans || with.iter().any(|(a, _)| *a == attempt);
        of.iter().filter(|(attempt, _)| stays(*attempt)).map(|(_, value)| *value).collect()
    };
    let (base, other) = (common(base, other), common(other, base));
    if base.is_empty() || other.is_empty() {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (baseline, candidate) = (mean(&base), mean(&other));
    let delta = candidate - baseline;
    Some(Means { baseline, candidate, delta, attempts: base.len().min(other.len()) })
}
