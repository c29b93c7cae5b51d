//! The figures of a split: one row a metric, flips, and the cases that stand apart.

use super::comparison::{CaseState, Comparison, stats_better, stats_class, stats_question};
use crate::metric::{Exposure, MetricInfo};
use crate::stats::call::{CallInput, Word, call};
use crate::stats::flips::Direction;
use crate::stats::holm::holm;
use crate::stats::judge::{Interval, Summary};
use crate::stats::missing::Bounds;
use crate::stats::sample::SampleError;
use crate::stats::spread::{Drift, Prediction};
use crate::words::{Metric, Question, Role, Split};

/// Metrics are described a few at a time: the samples of all of them would be the largest thing
/// in memory of a run with many cases.
const METRICS_AT_ONCE: usize = 6;

/// What a rule says of a metric's row: its role and its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricUse {
    pub role: Role,
    pub question: Question,
}

/// One row of metrics.csv. Means are over cases, totals over the attempts that enter; delta is
/// candidate minus baseline in the metric's unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricRow {
    /// Place in the table's metrics.
    pub metric: usize,
    pub role: Option<Role>,
    pub question: Option<Question>,
    pub n_cases: usize,
    pub n_dropped: usize,
    pub attempts_baseline: u64,
    pub attempts_candidate: u64,
    pub missing: &'static str,
    pub baseline_mean: Option<f64>,
    pub candidate_mean: Option<f64>,
    pub baseline_total: Option<f64>,
    pub candidate_total: Option<f64>,
    pub delta: Option<f64>,
    pub se: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub ci_method: Option<&'static str>,
    pub resamples: Option<usize>,
    pub seed: Option<u64>,
    pub t_low: Option<f64>,
    pub t_high: Option<f64>,
    pub bound_low: Option<f64>,
    pub bound_high: Option<f64>,
    pub p_t: Option<f64>,
    pub p_signflip: Option<f64>,
    pub p_holm: Option<f64>,
    pub pct_change: Option<f64>,
    pub pct_low: Option<f64>,
    pub pct_high: Option<f64>,
    pub cases_up: usize,
    pub cases_down: usize,
    pub cases_tied: usize,
    pub sparse: bool,
    pub heavy_tail: bool,
    pub noise_se: Option<f64>,
    pub noise_from: Option<&'static str>,
    pub same_code_runs: usize,
    /// Same-code pairs: cases x attempts x runs.
    pub same_code_pairs: usize,
    pub same_code_max_abs_delta: Option<f64>,
    /// Of each same-code run, as if it were a candidate.
    pub same_code_deltas: Vec<f64>,
    /// How far another seed would typically move the ends of a resampled interval.
    pub ci_errors: Option<(f64, f64)>,
    pub pi_low: Option<f64>,
    pub pi_high: Option<f64>,
    /// Do whole runs of the same code differ by more than their attempts explain?
    pub drift: Option<Drift>,
    pub deterministic: bool,
    pub candidate_repeated: bool,
    pub exposed_cases: Option<usize>,
    pub delta_exposed: Option<f64>,
    pub delta_unexposed: Option<f64>,
    pub mde80: Option<f64>,
    /// What the delta of a share can have been, whatever its failed attempts would have given.
    pub bounds: Option<Bounds>,
    pub call: Option<&'static str>,
    pub reason: Option<&'static str>,
    /// Every case changed by the same amount.
    pub all_equal: bool,
    /// Every case has as many attempts as every other, on both sides.
    pub attempts_equal: bool,
}

impl MetricRow {
    fn of(metric: usize, used: MetricUse, summary: &Summary) -> Self {
        let (t, percent) = (summary.t, summary.percent);
        let ends = summary.interval.as_ref().map(Interval::ends);
        let resampled = summary.interval.as_ref().and_then(|interval| match interval {
            Interval::Exact { .. } => None,
            Interval::Resampled { resamples, seed, .. } => Some((*resamples, *seed)),
        });
        let pct = percent.and_then(|p| p.interval);
        let any = summary.n_cases() > 0;
        let spread = &summary.spread;
        let mut counts =
            summary.sample.cases.iter().flat_map(|c| [c.baseline.attempts, c.candidate.attempts]);
        let first = counts.next();
        Self {
            metric,
            role: Some(used.role),
            question: Some(used.question),
            n_cases: summary.n_cases(),
            n_dropped: summary.n_dropped(),
            attempts_baseline: summary.attempts_baseline,
            attempts_candidate: summary.attempts_candidate,
            missing: summary.missing.as_str(),
            baseline_mean: summary.baseline_mean,
            candidate_mean: summary.candidate_mean,
            baseline_total: any.then_some(summary.baseline_total),
            candidate_total: any.then_some(summary.candidate_total),
            delta: summary.delta,
            se: t.map(|t| t.se),
            ci_low: ends.map(|e| e.0),
            ci_high: ends.map(|e| e.1),
            ci_method: summary.interval.as_ref().map(Interval::method),
            resamples: resampled.map(|r| r.0),
            seed: resampled.map(|r| r.1),
            t_low: t.map(|t| t.low),
            t_high: t.map(|t| t.high),
            bound_low: t.map(|t| t.bound_low),
            bound_high: t.map(|t| t.bound_high),
            p_t: t.map(|t| t.p),
            p_signflip: summary.p_signflip,
            p_holm: summary.p_holm,
            pct_change: percent.map(|p| p.change),
            pct_low: pct.map(|p| p.0),
            pct_high: pct.map(|p| p.1),
            cases_up: summary.cases_up,
            cases_down: summary.cases_down,
            cases_tied: summary.cases_tied,
            sparse: summary.sparse,
            heavy_tail: summary.heavy_tail,
            noise_se: spread.noise_se,
            noise_from: spread.noise_from.map(|from| from.as_str()),
            same_code_runs: spread.same_code_runs,
            same_code_pairs: spread.pairs,
            same_code_max_abs_delta: spread.max_abs_delta(),
            same_code_deltas: spread.deltas.iter().map(|aa| aa.delta).collect(),
            ci_errors: summary.interval.as_ref().and_then(|interval| match interval {
                Interval::Exact { .. } => None,
                Interval::Resampled { percentile, .. } => Some((percentile.low_error, percentile.high_error)),
            }),
            pi_low: spread.prediction.map(|p| p.low),
            pi_high: spread.prediction.map(|p| p.high),
            drift: spread.drift,
            deterministic: spread.deterministic,
            candidate_repeated: spread.candidate_repeated,
            exposed_cases: summary.exposed.map(|e| e.exposed_cases),
            delta_exposed: summary.exposed.and_then(|e| e.exposed),
            delta_unexposed: summary.exposed.and_then(|e| e.unexposed),
            mde80: summary.mde80,
            bounds: summary.bounds,
            call: summary.call.map(|word| word.as_str()),
            reason: summary.call_reason.map(|reason| reason.as_str()),
            all_equal: summary.sample.all_equal(),
            attempts_equal: counts.all(|count| Some(count) == first),
        }
    }
}

/// A case that went from mostly right to never right, or the reverse.
#[derive(Debug, Clone, PartialEq)]
pub struct FlipRow {
    pub case: usize,
    pub direction: Direction,
    pub baseline_right: u32,
    pub baseline_attempts: u32,
    pub candidate_right: u32,
    pub candidate_attempts: u32,
    pub first_difference: Option<u32>,
    pub exposed: Option<Exposure>,
}

/// Everything about one split; cases are places in the table.
#[derive(Debug, Clone, Default)]
pub struct SplitFigures {
    /// `None` is all cases.
    pub split: Option<Split>,
    /// Cases that were selected, whatever became of them.
    pub selected: usize,
    pub paired: usize,
    pub metrics: Vec<MetricRow>,
    pub flips: Vec<FlipRow>,
    /// Flips of unchanged code: (lost, gained).
    pub expected_flips: (f64, f64),
    pub stale: Vec<usize>,
    pub skipped: Vec<usize>,
    pub unpaired: Vec<usize>,
    pub lost_evidence: Vec<usize>,
}

impl SplitFigures {
    /// Describes a split. `used` says how rules look at each metric of the table.
    ///
    /// # Errors
    /// When a value is no usable number.
    pub fn of(
        comparison: &Comparison<'_>,
        split: Option<Split>,
        used: &dyn Fn(usize) -> MetricUse,
    ) -> Result<Self, SampleError> {
        let selected = comparison.selected(split, &|_| true);
        let cases = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..selected.len()).filter(|case| selected[*case] && wanted(*case)).collect()
        };
        let in_state = |state: CaseState| cases(&|case| comparison.state(case) == state);
        let headline = comparison.headline(&selected);
        let count = selected.iter().filter(|is_in| **is_in).count();
        let mut figures = Self {
            split,
            selected: count,
            paired: in_state(CaseState::Paired).len(),
            stale: in_state(CaseState::Stale),
            skipped: in_state(CaseState::Skipped),
            unpaired: in_state(CaseState::Unpaired),
            lost_evidence: cases(&|case| comparison.table.cases[case].facts.lost_evidence),
            ..Self::default()
        };
        if count == 0 {
            return Ok(figures);
        }
        let metrics: Vec<_> = (0..comparison.table.metrics.len())
            .filter(|place| !comparison.table.columns[*place].is_blank())
            .map(|place| (place, used(place).question))
            .collect();
        for some in metrics.chunks(METRICS_AT_ONCE) {
            let summaries = comparison.describe(some, &headline)?;
            let rows = some.iter().zip(&summaries);
            figures.metrics.extend(rows.map(|((place, _), s)| MetricRow::of(*place, used(*place), s)));
        }
        settle(&mut figures.metrics, &comparison.table.metrics);
        figures.add_flips(comparison, &headline)?;
        Ok(figures)
    }

    /// The row of a metric.
    pub fn metric(&self, place: usize) -> Option<&MetricRow> {
        self.metrics.iter().find(|row| row.metric == place)
    }

    fn add_flips(&mut self, comparison: &Comparison<'_>, headline: &[bool]) -> Result<(), SampleError> {
        let (flips, _) = comparison.flips(headline)?;
        self.expected_flips = (flips.expected_lost, flips.expected_gained);
        self.flips = flips
            .flipped()
            .map(|(case, direction)| {
                let row = &comparison.table.cases[case.case as usize];
                FlipRow {
                    case: case.case as usize,
                    direction,
                    baseline_right: case.baseline_right,
                    baseline_attempts: case.baseline_attempts,
                    candidate_right: case.candidate_right,
                    candidate_attempts: case.candidate_attempts,
                    first_difference: row.facts.first_difference(),
                    exposed: row.exposed,
                }
            })
            .collect();
        Ok(())
    }
}

/// Holm's p over all metrics of the table, and the words that follow from it.
fn settle(rows: &mut [MetricRow], metrics: &[MetricInfo]) {
    let adjusted = holm(&rows.iter().map(|row| row.p_t).collect::<Vec<_>>());
    let is_recall = |row: &&MetricRow| metrics[row.metric].known == Some(Metric::EvidenceRecall);
    let recall = rows.iter().find(is_recall).and_then(|row| row.delta);
    let content_lost = recall.is_some_and(|delta| delta < 0.0);
    for (row, p_holm) in rows.iter_mut().zip(adjusted) {
        row.p_holm = p_holm;
        let info = &metrics[row.metric];
        let prediction = row.pi_low.zip(row.pi_high);
        let word = call(&CallInput {
            question: stats_question(row.question.unwrap_or(Question::TheseCases)),
            better: stats_better(info.better),
            class: stats_class(info.noise),
            n_cases: row.n_cases,
            delta: row.delta.unwrap_or(0.0),
            deterministic: row.deterministic,
            same_code_pairs: row.same_code_pairs,
            p_holm,
            noise_se: row.noise_se,
            prediction: prediction.map(|(low, high)| Prediction { runs: row.same_code_runs + 1, low, high }),
            content_lost: content_lost && info.is_cost(),
        });
        let is_change = word.is_some_and(|(word, _)| word != Word::Same);
        if is_change && !info.has_direction {
            (row.call, row.reason) = (None, Some("direction not declared"));
            continue;
        }
        row.call = word.map(|(word, _)| word.as_str());
        row.reason = word.and_then(|(_, reason)| reason).map(|reason| reason.as_str());
    }
}
