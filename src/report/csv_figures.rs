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
        .column("n_cases", "cases with a pair, n", |r| r.row.n_cases.into()).unit("cases")
        .column("n_dropped", "selected cases without a pair", |r| r.row.n_dropped.into()).unit("cases")
        .column("attempts_baseline", "attempts that enter on the baseline", |r| r.row.attempts_baseline.into()).unit("attempts")
        .column("attempts_candidate", "attempts that enter on the candidate", |r| r.row.attempts_candidate.into()).unit("attempts")
        .column("missing", "what a failed attempt counts as: `as-worst` (0) or `ok-only` (left out)", |r| {
            r.row.missing.into()
        })
        .column("baseline_mean", "B = sum of b_i / n; b_i is the mean of case i over its attempts that enter", |r| r.row.baseline_mean.into()).unit("the metric's")
        .column("candidate_mean", "C = sum of c_i / n, alike", |r| r.row.candidate_mean.into()).unit("the metric's")
        .column("baseline_total", "sum over all attempts that enter", |r| r.row.baseline_total.into()).unit("the metric's")
        .column("candidate_total", "sum over all attempts that enter", |r| r.row.candidate_total.into()).unit("the metric's")
        .column("delta", "sum of d_i / n, where d_i = c_i - b_i of case i", |r| r.row.delta.into()).unit("the metric's")
        .column("se", "s / sqrt(n), s the standard deviation of d_i (n - 1); with clusters that of the cluster means", |r| r.row.se.into()).unit("the metric's")
        .column("ci_low", "2.5 % point of the mean of n cases drawn with replacement (paired bootstrap, percentile)", |r| r.row.ci_low.into()).unit("the metric's")
        .column("ci_high", "97.5 % point of the same", |r| r.row.ci_high.into()).unit("the metric's")
        .column("ci_method", "`exact`: the n-fold convolution of the distribution of d_i; `resampled`: seeded draws", |r| r.row.ci_method.into())
        .column("resamples", "of a resampled interval", |r| r.row.resamples.into()).unit("draws")
        .column("seed", "of a resampled interval", |r| r.row.seed.into())
        .column("t_low", "delta - t(.975, n - 1) se", |r| r.row.t_low.into()).unit("the metric's")
        .column("t_high", "delta + t(.975, n - 1) se", |r| r.row.t_high.into()).unit("the metric's")
        .column("bound_low", "delta - t(.95, n - 1) se: one-sided 95 %", |r| r.row.bound_low.into()).unit("the metric's")
        .column("bound_high", "delta + t(.95, n - 1) se", |r| r.row.bound_high.into()).unit("the metric's")
        .column("p_t", "two-sided, of t = delta / se with n - 1 degrees of freedom", |r| r.row.p_t.into()).unit("probability")
        .column("p_signflip", "two-sided: share of the sign changes of d_i whose mean is at least as far from 0; empty where there are too many cases for it", |r| r.row.p_signflip.into()).unit("probability")
        .column("p_holm", "p_t after Holm over the metrics of the split", |r| r.row.p_holm.into()).unit("probability")
        .column("pct_change", "100 (C - B) / B; empty from a baseline of 0", move |r| percent(r.row.pct_change)).unit("percent")
        .column("pct_low", "Fieller's interval of C / B, minus 1: roots of (B^2 - q^2 v_B) r^2 - 2 (B C - q^2 c) r + (C^2 - q^2 v_C) = 0, q = t(.975, n - 1), v and c the variances and the covariance over n; empty where it is not estimable", move |r| percent(r.row.pct_low)).unit("percent")
        .column("pct_high", "the upper root", move |r| percent(r.row.pct_high)).unit("percent")
        .column("cases_up", "cases with d_i > 0, whatever is better", |r| r.row.cases_up.into()).unit("cases")
        .column("cases_down", "cases with d_i < 0", |r| r.row.cases_down.into()).unit("cases")
        .column("cases_tied", "cases with d_i = 0", |r| r.row.cases_tied.into()).unit("cases")
        .column("sparse", "fewer than 30 cases are not tied", |r| r.row.sparse.into())
        .column("noise_se", "standard error of delta if the code had not changed; from pairs sqrt(sum of e^2 / m_i^2) / n over attempts, e the same-code run minus the baseline in one recording, m_i the attempts of case i; from attempts sqrt(sum of (s2_b / m_b + s2_c / m_c)) / n", |r| r.row.noise_se.into()).unit("the metric's")
        .column("noise_from", "`same_code_pairs` or `attempts`", |r| r.row.noise_from.into())
        .column("same_code_runs", "runs of the same code beside the baseline", |r| {
            r.row.same_code_runs.into()
        }).unit("runs")
        .column("same_code_max_abs_delta", "largest absolute delta of a same-code run against the baseline", |r| {
            r.row.same_code_max_abs_delta.into()
        }).unit("the metric's")
        .column("pi_low", "y - t(.975, k - 1) s sqrt(1 + 1 / k) - B: where the next of k runs of the same code would lie, y and s their mean and standard deviation; from k = 3", |r| {
            r.row.pi_low.into()
        }).unit("the metric's")
        .column("pi_high", "y + t(.975, k - 1) s sqrt(1 + 1 / k) - B", |r| r.row.pi_high.into()).unit("the metric's")
        .column("deterministic", "the same code repeats itself on every attempt", |r| {
            r.row.deterministic.into()
        })
        .column("exposed_cases", "cases in which the candidate answered a request otherwise than the baseline", |r| r.row.exposed_cases.into()).unit("cases")
        .column("delta_exposed", "mean of d_i over the exposed cases", |r| r.row.delta_exposed.into()).unit("the metric's")
        .column("delta_unexposed", "mean of d_i over the cases that never met the change", |r| {
            r.row.delta_unexposed.into()
        }).unit("the metric's")
        .column("mde80", "2.80 se: the difference that is found with 80 % power at 5 %, two-sided", |r| r.row.mde80.into()).unit("the metric's")
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
        .column("baseline_right", "attempts that are right on the baseline", |r| r.row.baseline_right.into())
        .unit("attempts")
        .column("baseline_attempts", "attempts on the baseline", |r| r.row.baseline_attempts.into())
        .unit("attempts")
        .column("candidate_right", "attempts that are right on the candidate", |r| {
            r.row.candidate_right.into()
        })
        .unit("attempts")
        .column("candidate_attempts", "attempts on the candidate", |r| r.row.candidate_attempts.into())
        .unit("attempts")
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
        .column(
            "margin",
            "how much worse is allowed, in the unit of the metric or in percent of the baseline",
            |r| r.margin.map(margin_text).into(),
        )
        .unit("the metric's, or percent")
        .column("max", "the most that is allowed on a side", |r| r.max.into())
        .unit("the metric's")
        .column("value", "the delta that is judged, or the total on the side", |r| r.value.into())
        .unit("the metric's")
        .column(
            "bound",
            "one-sided 95 % limit of the delta on its harmful side; empty when the comparison is exact",
            |r| r.bound.into(),
        )
        .unit("the metric's")
        .column("p", "one-sided, of the harm being at most the margin", |r| r.p.into())
        .unit("probability")
        .column("p_holm", "p_t after Holm over the metrics of the split", |r| r.p_holm.into())
        .unit("probability")
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
        .unit("cases")
}

/// A margin as the suite file writes it.
pub fn margin_text(margin: Margin) -> String {
    match margin {
        Margin::Absolute(margin) => decimal(margin),
        Margin::Percent(share) => format!("{}%", decimal(100.0 * share)),
    }
}
