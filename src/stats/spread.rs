//! The same-code spread: how far two runs of the same code differ on a metric.

use super::dist::{chi2_upper_tail, t_quantile};
use super::sample::{Attempts, Pairing, Sample, SampleError, Selection, Side, keep_common};

/// What the noise of a delta was measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoiseFrom {
    /// Same case, same attempt, hence same recording, on two runs of the same code.
    SameCodePairs,
    /// The spread of attempts inside a case, where attempts are exchangeable.
    Attempts,
}

impl NoiseFrom {
    pub fn as_str(self) -> &'static str {
        match self {
            NoiseFrom::SameCodePairs => "same_code_pairs",
            NoiseFrom::Attempts => "attempts",
        }
    }
}

/// One same-code run, compared with the baseline as if it were a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AaDelta {
    pub side: Side,
    pub delta: f64,
    /// Delta over the noise's standard error, when that is above zero.
    pub z: Option<f64>,
}

/// Where the next run's mean lies with 95 % probability, minus the baseline's mean, so that a delta
/// compares with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Runs of the same code, the baseline one of them; at least 3, and a judge from 5.
    pub runs: usize,
    pub low: f64,
    pub high: f64,
}

impl Prediction {
    pub const JUDGES_FROM: usize = 5;
}

/// Do whole runs differ by more than their attempts explain?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    pub q: f64,
    pub df: usize,
}

impl Drift {
    /// P(chi squared with df >= Q); below .01 is a warning. Q and df of several runs may be summed.
    pub fn p(self) -> Option<f64> {
        chi2_upper_tail(self.q, self.df)
    }
}

/// All that the runs of the same code say about one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Standard error of the delta if the code had not changed.
    pub noise_se: Option<f64>,
    pub noise_from: Option<NoiseFrom>,
    /// Same-code sides.
    pub same_code_runs: usize,
    /// Same-code pairs: cases x attempts x runs with a value on both.
    pub pairs: usize,
    pub deltas: Vec<AaDelta>,
    pub prediction: Option<Prediction>,
    pub drift: Option<Drift>,
    /// The same code repeated itself on every attempt, and so did the candidate where it was asked.
    pub deterministic: bool,
    /// False when no attempt of the candidate was repeated, which a report must say.
    pub candidate_repeated: bool,
}

impl Spread {
    pub fn max_abs_delta(&self) -> Option<f64> {
        self.deltas.iter().map(|d| d.delta.abs()).reduce(f64::max)
    }
}

/// Measures the spread of a metric whose sample was taken with the same selection.
///
/// # Errors
/// As [`Sample::new`].
pub fn spread(
    attempts: &Attempts,
    column: &[Option<f64>],
    sample: &Sample,
    selection: Selection<'_>,
) -> Result<Spread, SampleError> {
    attempts.check_column(column)?;
    let runs: Vec<Side> =
        attempts.sides().iter().copied().filter(|s| matches!(s, Side::SameCode(_))).collect();
    let table = Table { attempts, column, selection };
    let again = table.repeats(Side::Candidate, &[Side::CandidateAgain]);
    let same = match runs.is_empty() {
        false => table.repeats(Side::Baseline, &runs),
        true => table.repeats(Side::Baseline, &[Side::BaselineAgain]),
    };
    let candidate_repeated = again.pairs > 0;
    // A stored run without a same-code side lends its own repeat of attempt 1, and so does the new
    // run: then both must be there.
    let enough = same.pairs > 0 && (!runs.is_empty() || candidate_repeated);
    let deterministic = enough && same.all_equal && again.all_equal;
    let (pairs, noise) = match selection.pairing {
        Pairing::SideMeans => (same.pairs, attempt_noise(sample).map(|n| (n, NoiseFrom::Attempts))),
        Pairing::SameAttempt => {
            let (pairs, squares) = match runs.is_empty() {
                false => (same.pairs, same.squares),
                true => (same.pairs + again.pairs, join(same.squares, again.squares)),
            };
            let noise = if enough { pair_noise(sample, &squares) } else { None };
            (pairs, noise.map(|n| (n, NoiseFrom::SameCodePairs)))
        }
    };
    let noise_se = noise.map(|n| n.0);
    let (prediction, drift) = table.run_means(&runs, noise_se);
    Ok(Spread {
        noise_se,
        noise_from: noise.map(|n| n.1),
        same_code_runs: runs.len(),
        pairs,
        deltas: table.aa_deltas(&runs, noise_se)?,
        prediction,
        drift,
        deterministic,
        candidate_repeated,
    })
}

/// Differences between repeats of the same attempt, squared.
struct Repeats {
    pairs: usize,
    /// No pair differs, and none has a value on one side alone.
    all_equal: bool,
    /// By case: mean over runs of e^2, averaged over the attempts that have one.
    squares: Vec<Option<f64>>,
}

struct Table<'a> {
    attempts: &'a Attempts,
    column: &'a [Option<f64>],
    selection: Selection<'a>,
}

impl Table<'_> {
    fn values(&self, case: u32, side: Side, out: &mut Vec<(u32, f64)>) {
        self.attempts.values_into(case, side, self.column, self.selection.failed_on(side), out);
    }

    fn repeats(&self, reference: Side, repeats: &[Side]) -> Repeats {
        let cases = self.attempts.case_count();
        let mut found = Repeats { pairs: 0, all_equal: true, squares: vec![None; cases] };
        if !repeats.iter().any(|side| self.attempts.has_side(*side)) {
            return found;
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for case in (0..cases as u32).filter(|c| self.selection.includes(*c)) {
            // Sum over runs and number of runs, by attempt.
            let mut squares: Vec<(f64, f64)> = Vec::new();
            self.values(case, reference, &mut first);
            squares.resize(first.len(), (0.0, 0.0));
            for &side in repeats {
                self.values(case, side, &mut second);
                found.all_equal &= !self.is_one_sided(case, reference, side);
                for (attempt, value) in &second {
                    let Ok(at) = first.binary_search_by_key(attempt, |f| f.0) else { continue };
                    let difference = value - first[at].1;
                    squares[at].0 += difference * difference;
                    squares[at].1 += 1.0;
                    found.pairs += 1;
                    found.all_equal &= difference == 0.0;
                }
            }
            let means: Vec<f64> = squares.iter().filter(|s| s.1 > 0.0).map(|s| s.0 / s.1).collect();
            if !means.is_empty() {
                found.squares[case as usize] = Some(means.iter().sum::<f64>() / means.len() as f64);
            }
        }
        found
    }

    /// True when some attempt went well on both sides but has the metric on one of them alone.
    fn is_one_sided(&self, case: u32, a: Side, b: Side) -> bool {
        let ok = |side: Side| {
            let rows = self.attempts.of_case(case);
            rows.filter(move |(_, a)| a.side == side && a.status == super::sample::Status::Ok)
        };
        ok(a).any(|(row, first)| {
            let twin = ok(b).find(|(_, second)| second.attempt == first.attempt);
            twin.is_some_and(|(other, _)| self.column[row].is_some() != self.column[other].is_some())
        })
    }

    fn aa_deltas(&self, runs: &[Side], noise_se: Option<f64>) -> Result<Vec<AaDelta>, SampleError> {
        let mut deltas = Vec::new();
        for &side in runs {
            let failed = (self.selection.failed.0, self.selection.failed.0);
            let selection = Selection { sides: (Side::Baseline, side), failed, ..self.selection };
            let sample = Sample::new(self.attempts, self.column, selection)?;
            if sample.n() > 0 {
                let delta = sample.mean(|c| c.delta);
                let z = noise_se.filter(|se| *se > 0.0).map(|se| delta / se);
                deltas.push(AaDelta { side, delta, z });
            }
        }
        Ok(deltas)
    }

    /// The prediction interval (from three runs) and the drift statistic (from two).
    fn run_means(&self, runs: &[Side], noise_se: Option<f64>) -> (Option<Prediction>, Option<Drift>) {
        let k = runs.len() + 1;
        if k < 2 {
            return (None, None);
        }
        let Some(means) = self.common_means(runs) else { return (None, None) };
        let mean = means.iter().sum::<f64>() / k as f64;
        let squares: f64 = means.iter().map(|y| (y - mean).powi(2)).sum();
        let drift =
            noise_se.filter(|se| *se > 0.0).map(|se| Drift { q: squares / (se * se / 2.0), df: k - 1 });
        let sd = (squares / (k - 1) as f64).sqrt();
        let reach = t_quantile(0.975, k - 1).map(|t| t * sd * (1.0 + 1.0 / k as f64).sqrt());
        let centre = mean - means[0];
        let prediction = reach.filter(|_| k >= 3).map(|reach| Prediction {
            runs: k,
            low: centre - reach,
            high: centre + reach,
        });
        (prediction, drift)
    }

    /// The mean of the baseline and of each run, over what all of them have.
    fn common_means(&self, runs: &[Side]) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; runs.len() + 1];
        let mut cases = 0usize;
        let mut values = vec![Vec::new(); runs.len() + 1];
        for case in (0..self.attempts.case_count() as u32).filter(|c| self.selection.includes(*c)) {
            let sides = std::iter::once(&Side::Baseline).chain(runs);
            sides.zip(&mut values).for_each(|(side, out)| self.values(case, *side, out));
            if self.selection.pairing == Pairing::SameAttempt {
                let (first, rest) = values.split_at_mut(1);
                rest.iter_mut().for_each(|other| keep_common(&mut first[0], other));
                rest.iter_mut().for_each(|other| keep_common(&mut first[0], other));
            }
            if values.iter().any(Vec::is_empty) {
                continue;
            }
            cases += 1;
            for (sum, values) in sums.iter_mut().zip(&values) {
                *sum += values.iter().map(|v| v.1).sum::<f64>() / values.len() as f64;
            }
        }
        (cases > 0).then(|| sums.iter().map(|s| s / cases as f64).collect())
    }
}

fn join(a: Vec<Option<f64>>, b: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let both = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => Some((a + b) / 2.0),
        (a, b) => a.or(b),
    };
    a.into_iter().zip(b).map(both).collect()
}

/// SE_noise = sqrt(sum_i sum_a mean_k e(i,a,k)^2 / m_i^2) / n, over the attempts that enter delta.
///
/// An attempt without a repeat counts as the average of its case, and a case without any as the
/// average over the cases.
fn pair_noise(sample: &Sample, squares: &[Option<f64>]) -> Option<f64> {
    let of = |case: u32| squares.get(case as usize).copied().flatten();
    let known: Vec<f64> = sample.cases.iter().filter_map(|c| of(c.case)).collect();
    if known.is_empty() {
        return None;
    }
    let average = known.iter().sum::<f64>() / known.len() as f64;
    let term = |case: u32, m: u32| of(case).unwrap_or(average) / f64::from(m);
    let sum: f64 = sample.cases.iter().map(|c| term(c.case, c.baseline.attempts)).sum();
    Some(sum.sqrt() / sample.n() as f64)
}

/// SE_noise = sqrt(sum_i (s2_base_i / m_base_i + s2_cand_i / m_cand_i)) / n.
///
/// A case with a single attempt on a side counts as the average of the others; `None` when no case
/// has two.
pub fn attempt_noise(sample: &Sample) -> Option<f64> {
    let sides = || sample.cases.iter().flat_map(|c| [c.baseline, c.candidate]);
    let several = sides().filter(|s| s.attempts >= 2);
    let (squares, df) = several.fold((0.0, 0u64), |(s, d), v| (s + v.squares, d + u64::from(v.attempts) - 1));
    if df == 0 {
        return None;
    }
    let pooled = squares / df as f64;
    let variance = |s: super::sample::SideValues| match s.attempts {
        0 | 1 => pooled,
        m => s.squares / f64::from(m - 1),
    };
    let sum: f64 = sides().map(|s| variance(s) / f64::from(s.attempts)).sum();
    Some(sum.sqrt() / sample.n() as f64)
}
