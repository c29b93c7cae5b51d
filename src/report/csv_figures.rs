//! metrics.csv, flips.csv and rules.csv: what the judging gives, one row a metric, flip or rule.

use super::cell::{Cell, TableSpec};
use crate::metric::{AttemptTable, CaseRow, MetricInfo};
use crate::suite::Margin;
use crate::text::decimal;
use crate::verdict::{FlipRow, MetricRow, RuleVerdict, SplitFigures};
use crate::words::Split;
use std::io;

/// The word of a split in tables.
pub fn split_word(split: Option<Split>) -> &'static str {
    split.map_or("all", |split| split.as_str())
}

/// A metric's figures with its name.
pub struct MetricLine<'t> {
    pub split: Option<Split>,
    pub info: &'t MetricInfo,
    pub row: &'t MetricRow,
}

/// The columns of metrics.csv; summary.json holds the same.
pub fn metrics_table<'t>() -> TableSpec<MetricLine<'t>> {
    let about = "One row a split and metric, over the paired cases. Deltas are candidate minus baseline in the metric's unit; intervals are 95 %.";
    let percent = |share: Option<f64>| Cell::from(share.map(|share| 100.0 * share));
    TableSpec::<MetricLine<'t>>::new("metrics.csv", about)
        .column("split", "`all`, `dev`, `test`", |r| split_word(r.split).into())
        .column("metric", "name of the metric", |r| r.info.name.as_str().into())
        .column("unit", "of means, totals and deltas", |r| r.info.unit.as_str().into())
        .column("better", "`lower` or `higher`; empty where nobody said", |r| {
            r.info.has_direction.then(|| r.info.better.as_str()).into()
        })
        .column("role", "`guardrail`, `goal`, `info`: what the rules make of it", |r| {
            r.row.role.map(|role| role.as_str()).into()
        })
        .column("n_cases", "cases with a pair", |r| r.row.n_cases.into())
        .column("n_dropped", "cases without", |r| r.row.n_dropped.into())
        .column("attempts_baseline", "attempts that enter", |r| r.row.attempts_baseline.into())
        .column("attempts_candidate", "attempts that enter", |r| r.row.attempts_candidate.into())
        .column("missing", "what a failed attempt counts as: `as-worst` (0) or `ok-only` (left out)", |r| {
            r.row.missing.into()
        })
        .column("baseline_mean", "mean over cases of the case means", |r| r.row.baseline_mean.into())
        .column("candidate_mean", "mean over cases of the case means", |r| r.row.candidate_mean.into())
        .column("baseline_total", "sum over the attempts that enter", |r| r.row.baseline_total.into())
        .column("candidate_total", "sum over the attempts that enter", |r| r.row.candidate_total.into())
        .column("delta", "mean over cases of candidate minus baseline", |r| r.row.delta.into())
        .column("se", "standard error of delta over cases", |r| r.row.se.into())
        .column("ci_low", "paired bootstrap over cases, percentile", |r| r.row.ci_low.into())
        .column("ci_high", "paired bootstrap over cases, percentile", |r| r.row.ci_high.into())
        .column("ci_method", "`exact` (by convolution) or `resampled`", |r| r.row.ci_method.into())
        .column("resamples", "of a resampled interval", |r| r.row.resamples.into())
        .column("seed", "of a resampled interval", |r| r.row.seed.into())
        .column("t_low", "paired t", |r| r.row.t_low.into())
        .column("t_high", "paired t", |r| r.row.t_high.into())
        .column("bound_low", "one-sided 95 %", |r| r.row.bound_low.into())
        .column("bound_high", "one-sided 95 %", |r| r.row.bound_high.into())
        .column("p_t", "two-sided, paired t", |r| r.row.p_t.into())
        .column("p_signflip", "two-sided, sign-flip permutation over cases", |r| r.row.p_signflip.into())
        .column("p_holm", "p_t, by Holm over the metrics of the split", |r| r.row.p_holm.into())
        .column("pct_change", "percent change of the mean", move |r| percent(r.row.pct_change))
        .column("pct_low", "percent, Fieller", move |r| percent(r.row.pct_low))
        .column("pct_high", "percent, Fieller", move |r| percent(r.row.pct_high))
        .column("cases_up", "candidate above baseline, whatever is better", |r| r.row.cases_up.into())
        .column("cases_down", "candidate below baseline", |r| r.row.cases_down.into())
        .column("cases_tied", "no difference", |r| r.row.cases_tied.into())
        .column("sparse", "fewer than 30 cases are not tied", |r| r.row.sparse.into())
        .column("noise_se", "standard error of delta if the code had not changed", |r| r.row.noise_se.into())
        .column("noise_from", "`same_code_pairs` or `attempts`", |r| r.row.noise_from.into())
        .column("same_code_runs", "runs of the same code beside the baseline", |r| {
            r.row.same_code_runs.into()
        })
        .column("same_code_max_abs_delta", "the largest delta of a same-code run", |r| {
            r.row.same_code_max_abs_delta.into()
        })
        .column("pi_low", "prediction interval of the next same-code run, from 2 same-code runs", |r| {
            r.row.pi_low.into()
        })
        .column("pi_high", "the same", |r| r.row.pi_high.into())
        .column("deterministic", "the same code repeats itself on every attempt", |r| {
            r.row.deterministic.into()
        })
        .column("exposed_cases", "cases whose calls met the change", |r| r.row.exposed_cases.into())
        .column("delta_exposed", "mean delta of exposed cases", |r| r.row.delta_exposed.into())
        .column("delta_unexposed", "mean delta of cases that never met the change", |r| {
            r.row.delta_unexposed.into()
        })
        .column("mde80", "difference found with 80 % power", |r| r.row.mde80.into())
        .column("call", "`better`, `worse`, `~`", |r| r.row.call.into())
        .column("reason", "why a difference is called `~`", |r| r.row.reason.into())
}

/// All rows of metrics.csv.
pub fn metric_lines<'t>(
    table: &'t AttemptTable,
    splits: &'t [SplitFigures],
) -> impl Iterator<Item = io::Result<MetricLine<'t>>> {
    splits.iter().flat_map(move |figures| {
        figures
            .metrics
            .iter()
            .map(move |row| Ok(MetricLine { split: figures.split, info: &table.metrics[row.metric], row }))
    })
}

/// A flip with its case.
pub struct FlipLine<'t> {
    pub case: &'t CaseRow,
    pub row: &'t FlipRow,
}

/// The columns of flips.csv.
pub fn flips_table<'t>() -> TableSpec<FlipLine<'t>> {
    let about = "One row a case with more than half of its attempts right on one side and none on the other.";
    TableSpec::<FlipLine<'t>>::new("flips.csv", about)
        .column("split", "`dev` or `test`", |r| r.case.split.as_str().into())
        .column("case_id", "the case", |r| r.case.id.as_str().into())
        .column("direction", "`lost` or `gained` by the candidate", |r| r.row.direction.as_str().into())
        .column("baseline_right", "attempts that are right", |r| r.row.baseline_right.into())
        .column("baseline_attempts", "of how many", |r| r.row.baseline_attempts.into())
        .column("candidate_right", "attempts that are right", |r| r.row.candidate_right.into())
        .column("candidate_attempts", "of how many", |r| r.row.candidate_attempts.into())
        .column(
            "first_difference_call_index",
            "the first call at which the sides part, in the first attempt that is right on one alone",
            |r| r.row.first_difference.into(),
        )
        .column("exposed", "`true`, `false`, `unknown`; empty without a same-code side", |r| {
            r.row.exposed.map(|e| e.as_str()).into()
        })
}

/// All rows of flips.csv: those of the figures over all cases.
pub fn flip_lines<'t>(
    table: &'t AttemptTable,
    all: &'t SplitFigures,
) -> impl Iterator<Item = io::Result<FlipLine<'t>>> {
    all.flips.iter().map(move |row| Ok(FlipLine { case: &table.cases[row.case], row }))
}

/// The columns of rules.csv.
pub fn rules_table<'t>() -> TableSpec<&'t RuleVerdict> {
    let about = "One row a rule of the gate, in the suite's order, default rules last.";
    TableSpec::<&'t RuleVerdict>::new("rules.csv", about)
        .column("rule_index", "from 0", |r| r.rule_index.into())
        .column("metric", "metric or special subject", |r| r.subject.as_str().into())
        .column("role", "`guardrail`, `goal`, `info`", |r| r.role.as_str().into())
        .column("question", "`these-cases`, `cases-like-these`; empty for a comparison with a limit", |r| {
            r.question.map(|question| question.as_str()).into()
        })
        .column("split", "`all`, `dev`, `test`", |r| split_word(r.split).into())
        .column("margin", "in the metric's unit, or percent of the baseline", |r| {
            r.margin.map(margin_text).into()
        })
        .column("max", "the most that is allowed on a side", |r| r.max.into())
        .column("value", "the delta that is judged, or the total on the side", |r| r.value.into())
        .column(
            "bound",
            "one-sided 95 % limit of the delta on its harmful side; empty when the comparison is exact",
            |r| r.bound.into(),
        )
        .column("p", "of harm at most the margin", |r| r.p.into())
        .column("p_holm", "by Holm over the guardrails of the split that have a p", |r| r.p_holm.into())
        .column("verdict", "`pass`, `regression`, `inconclusive`, `incomplete`; empty for `info`", |r| {
            r.verdict.map(|verdict| verdict.as_str()).into()
        })
        .column("reason", "why, unless it plainly passed", |r| {
            Some(r.reason.as_str()).filter(|t| !t.is_empty()).into()
        })
        .column(
            "cases_needed",
            "cases that would settle an inconclusive rule, if the true difference is zero",
            |r| r.cases_needed.into(),
        )
}

/// A margin as the suite file writes it.
pub fn margin_text(margin: Margin) -> String {
    match margin {
        Margin::Absolute(margin) => decimal(margin),
        Margin::Percent(share) => format!("{}%", decimal(100.0 * share)),
    }
}
