//! Percent change of a total: the ratio of means over cases, with Fieller's interval (1954).

use super::dist::t_quantile;
use super::interval::covariance_of_means;
use super::sample::Sample;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PercentChange {
    /// The ratio minus 1 (-0.38 is 38 % less).
    pub change: f64,
    /// The 95 % interval; `None` when it is unbounded ("not estimable").
    pub interval: Option<(f64, f64)>,
}

/// Candidate over baseline, minus 1; `None` when the baseline's mean is not above zero.
pub fn percent_change(sample: &Sample) -> Option<PercentChange> {
    let b = sample.mean(|c| c.baseline.mean);
    let c = sample.mean(|c| c.candidate.mean);
    if b <= 0.0 {
        return None;
    }
    Some(PercentChange { change: c / b - 1.0, interval: fieller(sample, b, c) })
}

/// The roots of (B^2 - q^2 v_B) r^2 - 2 (B C - q^2 c) r + (C^2 - q^2 v_C) = 0, minus 1.
fn fieller(sample: &Sample, b: f64, c: f64) -> Option<(f64, f64)> {
    if sample.units.len() < 2 {
        return None;
    }
    let q2 = t_quantile(0.975, sample.units.len() - 1)?.powi(2);
    let var_b = covariance_of_means(sample, |u| (u.baseline, u.baseline));
    let var_c = covariance_of_means(sample, |u| (u.candidate, u.candidate));
    let cov = covariance_of_means(sample, |u| (u.baseline, u.candidate));
    let first = b * b - q2 * var_b;
    let half = b * c - q2 * cov;
    let discriminant = half * half - first * (c * c - q2 * var_c);
    if first <= 0.0 || discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    Some(((half - root) / first - 1.0, (half + root) / first - 1.0))
}
