//! What a suite can see, and how large it must be to see more.

use super::dist::{Z_80, Z_90, Z_95, Z_975};

/// The smallest true difference that a two-sided 95 % interval finds with 80 % power: 2.80 SE.
pub fn detectable(se: f64) -> f64 {
    (Z_975 + Z_80) * se
}

/// The smallest margin that unchanged code passes nine times in ten: 2.93 SE.
pub fn passing_margin(se: f64) -> f64 {
    (Z_95 + Z_90) * se
}

/// Cases that let unchanged code pass a margin nine times in ten, from a standard error at `n`
/// cases: n ((1.645 + 1.282) SE / M)^2, rounded up. `None` for a margin of 0 or below.
pub fn cases_needed(n: usize, se: f64, margin: f64) -> Option<u64> {
    if margin <= 0.0 || !se.is_finite() {
        return None;
    }
    Some((n as f64 * (passing_margin(se) / margin).powi(2)).ceil() as u64)
}

/// The variance of one case's delta, taken apart: what more attempts reduce, and what they do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// Between cases, whatever the number of attempts.
    pub cases: f64,
    /// From attempts, at one attempt a side.
    pub attempts: f64,
}

impl Variance {
    /// From a finished comparison: `se` over `n` cases with about `m` attempts a side, and the
    /// standard error of the noise in the same delta (both in the metric's unit).
    pub fn from_run(n: usize, m: f64, se: f64, noise_se: f64) -> Self {
        let total = n as f64 * se * se;
        let noise = n as f64 * noise_se * noise_se;
        Variance { cases: (total - noise).max(0.0), attempts: noise * m }
    }

    /// The standard error of the mean delta of `n` cases with `m` attempts a side.
    pub fn se(self, n: usize, m: usize) -> f64 {
        ((self.cases + self.attempts / m as f64) / n as f64).sqrt()
    }

    /// Cases that a margin needs with `m` attempts a side; `None` for a margin of 0.
    pub fn cases_for_margin(self, m: usize, margin: f64) -> Option<u64> {
        cases_needed(1, self.se(1, m), margin)
    }
}
