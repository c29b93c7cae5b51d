//! The judging interval: paired t on the case deltas.
//!
//! Its standard error is the clustered one of Miller 2024 (arXiv 2411.00640): attempts of a case
//! are averaged first, and with clusters of cases the residuals are summed by cluster, with the
//! small-sample factor C / (C - 1). Without clusters that is sd / sqrt(n).

use super::dist::{t_quantile, t_two_sided};
use super::sample::{Sample, Unit};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TInterval {
    pub delta: f64,
    pub se: f64,
    /// Cases (or clusters) minus one.
    pub df: usize,
    pub t: f64,
    /// Two-sided.
    pub p: f64,
    /// Two-sided 95 %.
    pub low: f64,
    pub high: f64,
    /// One-sided 95 % each.
    pub bound_low: f64,
    pub bound_high: f64,
}

/// The t interval of the mean delta; `None` with fewer than two units or when all deltas are equal.
pub fn t_interval(sample: &Sample) -> Option<TInterval> {
    if sample.units.len() < 2 || sample.all_equal() {
        return None;
    }
    let delta = sample.mean(|c| c.delta);
    let se = covariance_of_means(sample, |u| (u.delta, u.delta)).sqrt();
    let df = sample.units.len() - 1;
    let t = delta / se;
    let (two, one) = (t_quantile(0.975, df)?, t_quantile(0.95, df)?);
    let interval = TInterval {
        delta,
        se,
        df,
        t,
        p: t_two_sided(t, df)?,
        low: delta - two * se,
        high: delta + two * se,
        bound_low: delta - one * se,
        bound_high: delta + one * se,
    };
    (se > 0.0 && t.is_finite()).then_some(interval)
}

/// The covariance of two means over cases, from the units' sums of both.
pub(crate) fn covariance_of_means(sample: &Sample, of: impl Fn(&Unit) -> (f64, f64)) -> f64 {
    let n = sample.n() as f64;
    let units = sample.units.len() as f64;
    let (mut sum_a, mut sum_b) = (0.0, 0.0);
    for unit in &sample.units {
        let (a, b) = of(unit);
        sum_a += a;
        sum_b += b;
    }
    let (mean_a, mean_b) = (sum_a / n, sum_b / n);
    let products = sample.units.iter().map(|unit| {
        let (a, b) = of(unit);
        let cases = f64::from(unit.cases);
        (a - cases * mean_a) * (b - cases * mean_b)
    });
    products.sum::<f64>() * units / (units - 1.0) / (n * n)
}

/// True when one case holds over a quarter of the sum of squared deviations.
pub fn is_heavy_tailed(sample: &Sample) -> bool {
    let mean = sample.mean(|c| c.delta);
    let (mut sum, mut largest) = (0f64, 0f64);
    for delta in sample.deltas() {
        let square = (delta - mean).powi(2);
        sum += square;
        largest = largest.max(square);
    }
    !sample.all_equal() && largest > 0.25 * sum
}
