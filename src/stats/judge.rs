//! One row a metric: everything the tables print about a comparison, from the attempts and a seed.

use super::bootstrap::{self, Percentile};
use super::call::{self, CallInput, CallReason, Word};
use super::exact::{self, MeanDistribution};
use super::holm::holm;
use super::interval::{TInterval, is_heavy_tailed, t_interval};
use super::missing::{self, Bounds, Missing};
use super::power;
use super::ratio::{PercentChange, percent_change};
use super::rule::Evidence;
use super::sample::{Attempts, Pairing, Sample, SampleError, Selection, Side};
use super::signflip;
use super::spread::{Spread, spread};
use super::{Better, NoiseClass, Question};

/// Fewer untied cases than this and an interval rests on a handful of changes.
pub const SPARSE_BELOW: usize = 30;

/// Did a case's calls meet the change? See "exposed" in the glossary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exposed {
    Yes,
    No,
    Unknown,
}

/// One metric to describe: a value an attempt, in the order of the attempts.
#[derive(Debug, Clone, Copy)]
pub struct Metric<'a> {
    pub values: &'a [Option<f64>],
    pub better: Better,
    pub class: NoiseClass,
    /// A share whose values lie between 0 and 1.
    pub is_unit_share: bool,
    /// The question of the metric's rule, which its word follows.
    pub question: Question,
    /// True for a metric that must not be called better while evidence is lost.
    pub is_cost: bool,
}

/// How a table is made.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    pub sides: (Side, Side),
    pub pairing: Pairing,
    pub missing: Missing,
    /// Which cases take part; all when absent.
    pub include: Option<&'a [bool]>,
    /// One entry a case; absent without a same-code side.
    pub exposed: Option<&'a [Exposed]>,
    pub resamples: usize,
    pub seed: u64,
    /// The index of evidence_recall among the metrics, if it is there.
    pub evidence_recall: Option<usize>,
    /// Sign-flips cost more than all the rest; a caller that shows none can leave them out.
    pub sign_flips: bool,
}

impl Options<'_> {
    pub fn new(pairing: Pairing, seed: u64) -> Self {
        Options {
            sides: (Side::Baseline, Side::Candidate),
            pairing,
            missing: Missing::OkOnly,
            include: None,
            exposed: None,
            resamples: bootstrap::RESAMPLES,
            seed,
            evidence_recall: None,
            sign_flips: true,
        }
    }

    /// What of the attempts a metric's sample takes.
    pub fn selection(&self, metric: &Metric<'_>) -> Selection<'_> {
        let failed = self.missing.for_metric(metric.is_unit_share, metric.better).failed();
        Selection { sides: self.sides, pairing: self.pairing, failed, include: self.include }
    }
}

/// The reported interval of the mean delta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interval {
    /// From the exact bootstrap distribution.
    Exact {
        low: f64,
        high: f64,
    },
    Resampled {
        percentile: Percentile,
        resamples: usize,
        seed: u64,
    },
}

impl Interval {
    pub fn ends(&self) -> (f64, f64) {
        match self {
            Interval::Exact { low, high } => (*low, *high),
            Interval::Resampled { percentile, .. } => (percentile.low, percentile.high),
        }
    }

    pub fn method(&self) -> &'static str {
        match self {
            Interval::Exact { .. } => "exact",
            Interval::Resampled { .. } => "resampled",
        }
    }
}

/// The mean delta of exposed cases and of the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExposedDeltas {
    pub exposed_cases: usize,
    pub exposed: Option<f64>,
    pub unexposed: Option<f64>,
}

/// Everything about one metric. Means are over cases (each weighs the same), totals over the
/// attempts that enter; delta is candidate minus baseline, in the metric's unit.
#[derive(Debug, Clone)]
pub struct Summary {
    pub sample: Sample,
    pub attempts_baseline: u64,
    pub attempts_candidate: u64,
    pub missing: Missing,
    pub baseline_mean: Option<f64>,
    pub candidate_mean: Option<f64>,
    pub baseline_total: f64,
    pub candidate_total: f64,
    pub delta: Option<f64>,
    /// Absent for one case and when all deltas are equal, like all that follows from it.
    pub t: Option<TInterval>,
    pub interval: Option<Interval>,
    pub p_signflip: Option<f64>,
    /// Over p_t of all metrics of the table.
    pub p_holm: Option<f64>,
    pub percent: Option<PercentChange>,
    pub cases_up: usize,
    pub cases_down: usize,
    pub cases_tied: usize,
    pub sparse: bool,
    pub heavy_tail: bool,
    pub spread: Spread,
    pub exposed: Option<ExposedDeltas>,
    /// Of a share in which higher is better, when attempts failed.
    pub bounds: Option<Bounds>,
    /// The smallest difference found with 80 % power.
    pub mde80: Option<f64>,
    pub call: Option<Word>,
    pub call_reason: Option<CallReason>,
}

impl Summary {
    pub fn n_cases(&self) -> usize {
        self.sample.n()
    }

    pub fn n_dropped(&self) -> usize {
        self.sample.dropped.len()
    }

    /// What a rule judges by.
    pub fn evidence(&self, metric: &Metric<'_>) -> Evidence {
        Evidence {
            better: metric.better,
            class: metric.class,
            is_unit_share: metric.is_unit_share,
            n_cases: self.sample.n(),
            n_units: self.sample.units.len(),
            delta: self.delta.unwrap_or(0.0),
            se: self.t.map(|t| t.se),
            all_zero: self.sample.all_zero(),
            noise_se: self.spread.noise_se,
            deterministic: self.spread.deterministic,
            same_code_pairs: self.spread.pairs,
        }
    }
}

/// Describes all metrics of one table and split together: one draw of cases for every interval,
/// Holm over their p, and the words.
///
/// # Errors
/// A column of another length than the attempts, or a value that is not a usable number.
pub fn table(
    attempts: &Attempts,
    metrics: &[Metric<'_>],
    options: &Options<'_>,
) -> Result<Vec<Summary>, SampleError> {
    let mut rows = Vec::with_capacity(metrics.len());
    for metric in metrics {
        rows.push(describe(attempts, metric, options)?);
    }
    let intervals = intervals(&rows, options);
    for (row, interval) in rows.iter_mut().zip(intervals) {
        row.interval = interval;
    }
    let adjusted = holm(&rows.iter().map(|r| r.t.map(|t| t.p)).collect::<Vec<_>>());
    for (row, p_holm) in rows.iter_mut().zip(adjusted) {
        row.p_holm = p_holm;
        if options.sign_flips {
            row.p_signflip = signflip::p_value(&row.sample, options.seed);
        }
    }
    let lost = options.evidence_recall.and_then(|i| Some((metrics.get(i)?, rows.get(i)?.delta?)));
    let content_lost = lost.is_some_and(|(metric, delta)| metric.better.harm(delta) > 0.0);
    for (row, metric) in rows.iter_mut().zip(metrics) {
        let word = call::call(&call_input(row, metric, content_lost));
        row.call = word.map(|w| w.0);
        row.call_reason = word.and_then(|w| w.1);
    }
    Ok(rows)
}

/// All of a row that depends on its own metric alone.
fn describe(attempts: &Attempts, metric: &Metric<'_>, options: &Options<'_>) -> Result<Summary, SampleError> {
    let selection = options.selection(metric);
    let sample = Sample::new(attempts, metric.values, selection)?;
    let spread = spread(attempts, metric.values, &sample, selection)?;
    let any = sample.n() > 0;
    let t = t_interval(&sample);
    let (cases_up, cases_down, cases_tied) = sample.directions();
    Ok(Summary {
        attempts_baseline: sample.cases.iter().map(|c| u64::from(c.baseline.attempts)).sum(),
        attempts_candidate: sample.cases.iter().map(|c| u64::from(c.candidate.attempts)).sum(),
        missing: options.missing.for_metric(metric.is_unit_share, metric.better),
        baseline_mean: any.then(|| sample.mean(|c| c.baseline.mean)),
        candidate_mean: any.then(|| sample.mean(|c| c.candidate.mean)),
        baseline_total: sample.cases.iter().map(|c| c.baseline.sum).sum(),
        candidate_total: sample.cases.iter().map(|c| c.candidate.sum).sum(),
        delta: any.then(|| sample.mean(|c| c.delta)),
        t,
        interval: None,
        p_signflip: None,
        p_holm: None,
        percent: percent_change(&sample),
        cases_up,
        cases_down,
        cases_tied,
        sparse: cases_up + cases_down < SPARSE_BELOW,
        heavy_tail: is_heavy_tailed(&sample),
        exposed: options.exposed.map(|exposed| exposed_deltas(&sample, exposed)),
        bounds: match (metric.is_unit_share, metric.better) {
            (true, Better::Higher) => missing::bounds(attempts, metric.values, selection)?,
            _ => None,
        },
        mde80: t.map(|t| power::detectable(t.se)),
        call: None,
        call_reason: None,
        spread,
        sample,
    })
}

fn exposed_deltas(sample: &Sample, exposed: &[Exposed]) -> ExposedDeltas {
    let mean = |want: Exposed| {
        let of = sample.cases.iter().filter(|c| exposed.get(c.case as usize) == Some(&want));
        let (n, sum) = of.fold((0usize, 0.0), |(n, sum), c| (n + 1, sum + c.delta));
        (n, (n > 0).then(|| sum / n as f64))
    };
    let (exposed_cases, exposed) = mean(Exposed::Yes);
    ExposedDeltas { exposed_cases, exposed, unexposed: mean(Exposed::No).1 }
}

/// The reported intervals: exact where a lattice allows it, else resampled with one draw for all
/// metrics that rest on the same cases. The two kinds are worked out side by side.
fn intervals(rows: &[Summary], options: &Options<'_>) -> Vec<Option<Interval>> {
    let judged = (0..rows.len()).filter(|i| rows[*i].t.is_some());
    let (lattice, rest): (Vec<usize>, Vec<usize>) = judged.partition(|i| exact::applies(&rows[*i].sample));
    let (exact, resampled) = std::thread::scope(|scope| {
        let exact =
            scope.spawn(|| lattice.iter().map(|i| (*i, exact_interval(&rows[*i]))).collect::<Vec<_>>());
        let resampled = resampled_intervals(rows, rest, options);
        (exact.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), resampled)
    });
    let mut found: Vec<Option<Interval>> = vec![None; rows.len()];
    exact.into_iter().for_each(|(i, interval)| found[i] = interval);
    resampled.into_iter().for_each(|(i, interval)| found[i] = Some(interval));
    found
}

fn exact_interval(row: &Summary) -> Option<Interval> {
    let (low, high) = MeanDistribution::of(&row.sample)?.percentile();
    Some(Interval::Exact { low, high })
}

fn resampled_intervals(
    rows: &[Summary],
    mut open: Vec<usize>,
    options: &Options<'_>,
) -> Vec<(usize, Interval)> {
    let (resamples, seed) = (options.resamples, options.seed);
    let mut found = Vec::new();
    while let Some(&first) = open.first() {
        let same = |i: &usize| same_units(&rows[first].sample, &rows[*i].sample);
        let (group, rest): (Vec<usize>, Vec<usize>) = open.iter().copied().partition(same);
        let samples: Vec<&Sample> = group.iter().map(|i| &rows[*i].sample).collect();
        let percentiles = resample(&samples, resamples, seed).unwrap_or_default();
        for (i, percentile) in group.into_iter().zip(percentiles) {
            found.push((i, Interval::Resampled { percentile, resamples, seed }));
        }
        open = rest;
    }
    found
}

fn same_units(a: &Sample, b: &Sample) -> bool {
    let key = |s: &Sample, i: usize| (s.units[i].id, s.units[i].cases);
    a.units.len() == b.units.len() && (0..a.units.len()).all(|i| key(a, i) == key(b, i))
}

/// Resamples samples that rest on the same units.
fn resample(samples: &[&Sample], resamples: usize, seed: u64) -> Option<Vec<Percentile>> {
    let units = &samples.first()?.units;
    let columns: Vec<Vec<f64>> = samples.iter().map(|s| s.units.iter().map(|u| u.delta).collect()).collect();
    let sizes: Vec<f64> = units.iter().map(|u| f64::from(u.cases)).collect();
    let equal = sizes.windows(2).all(|s| s[0] == s[1]);
    let unequal = (!equal).then_some(sizes.as_slice());
    bootstrap::percentiles(&columns, unequal, *sizes.first()?, resamples, seed)
}

fn call_input(row: &Summary, metric: &Metric<'_>, content_lost: bool) -> CallInput {
    CallInput {
        question: metric.question,
        better: metric.better,
        class: metric.class,
        n_cases: row.sample.n(),
        delta: row.delta.unwrap_or(0.0),
        deterministic: row.spread.deterministic,
        same_code_pairs: row.spread.pairs,
        p_holm: row.p_holm,
        noise_se: row.spread.noise_se,
        prediction: row.spread.prediction,
        content_lost: content_lost && metric.is_cost,
    }
}
