//! Tests on counts of cases alone: sign test and McNemar, both exact.

use super::dist::binomial_pmf;

/// Two-sided sign test: how surprising is this split of the untied cases? 1 without any.
pub fn sign_test(up: usize, down: usize) -> f64 {
    let n = (up + down) as u64;
    let fewer = up.min(down) as u64;
    let tail: f64 = (0..=fewer).map(|k| binomial_pmf(n, 0.5, k)).sum();
    (2.0 * tail).min(1.0)
}

/// Cases by "more than half of the attempts right" on baseline and candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MostlyRight {
    pub both: usize,
    pub baseline_only: usize,
    pub candidate_only: usize,
    pub neither: usize,
}

impl MostlyRight {
    /// Counts the paired cases of a share (an attempt is right at 0.5 or more).
    pub fn count(sides: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counts = MostlyRight::default();
        for side in sides {
            match side {
                (true, true) => counts.both += 1,
                (true, false) => counts.baseline_only += 1,
                (false, true) => counts.candidate_only += 1,
                (false, false) => counts.neither += 1,
            }
        }
        counts
    }

    /// McNemar's exact two-sided p: a sign test on the cases that changed.
    pub fn mcnemar_p(self) -> f64 {
        sign_test(self.candidate_only, self.baseline_only)
    }
}
