//! Flips: cases that went from mostly right to never right, or the reverse.

use super::counts::MostlyRight;
use super::dist::{binomial_pmf, poisson_upper_tail};
use super::rule::Verdict;
use super::sample::{Attempts, Pairing, SampleError, Selection, Side, keep_common};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// More than half of the attempts right on the baseline, none on the candidate.
    Lost,
    Gained,
}

impl Direction {
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Lost => "lost",
            Direction::Gained => "gained",
        }
    }
}

/// Right attempts and all attempts of one case on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseRight {
    pub case: u32,
    pub baseline_right: u32,
    pub baseline_attempts: u32,
    pub candidate_right: u32,
    pub candidate_attempts: u32,
    /// The share of right attempts pooled over all sides.
    pub pooled: f64,
}

impl CaseRight {
    fn mostly(right: u32, attempts: u32) -> bool {
        2 * right > attempts
    }

    pub fn flip(&self) -> Option<Direction> {
        let lost = Self::mostly(self.baseline_right, self.baseline_attempts) && self.candidate_right == 0;
        let gained = Self::mostly(self.candidate_right, self.candidate_attempts) && self.baseline_right == 0;
        match (lost, gained) {
            (true, _) => Some(Direction::Lost),
            (_, true) => Some(Direction::Gained),
            _ => None,
        }
    }

    /// P(Binomial(m, p) > m/2) P(Binomial(m', p) = 0): a lost flip of unchanged code, then a gained one.
    fn chances(&self) -> (f64, f64) {
        let (base, cand) = (u64::from(self.baseline_attempts), u64::from(self.candidate_attempts));
        let mostly = |m: u64| (m / 2 + 1..=m).map(|k| binomial_pmf(m, self.pooled, k)).sum::<f64>();
        let never = |m: u64| binomial_pmf(m, self.pooled, 0);
        (mostly(base) * never(cand), mostly(cand) * never(base))
    }
}

/// The flips of a comparison, with how many unchanged code would have shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Flips {
    /// All paired cases, in case order.
    pub cases: Vec<CaseRight>,
    pub expected_lost: f64,
    pub expected_gained: f64,
}

impl Flips {
    /// Counts right attempts. `right` holds 1 for right and 0 for wrong (0.5 or more is right).
    ///
    /// # Errors
    /// As [`super::sample::Sample::new`].
    pub fn of(
        attempts: &Attempts,
        right: &[Option<f64>],
        selection: Selection<'_>,
    ) -> Result<Self, SampleError> {
        attempts.check_column(right)?;
        let sides = attempts.sides();
        let included = (0..attempts.case_count() as u32).filter(|c| selection.includes(*c));
        let right = included.filter_map(|case| case_right(attempts, right, selection, sides, case));
        Ok(Self::from_cases(right.collect()))
    }

    /// The flips among some cases, with what unchanged code would show among them.
    pub fn from_cases(cases: Vec<CaseRight>) -> Self {
        let (mut expected_lost, mut expected_gained) = (0.0, 0.0);
        for (lost, gained) in cases.iter().map(CaseRight::chances) {
            expected_lost += lost;
            expected_gained += gained;
        }
        Self { cases, expected_lost, expected_gained }
    }

    pub fn flipped(&self) -> impl Iterator<Item = (&CaseRight, Direction)> {
        self.cases.iter().filter_map(|c| c.flip().map(|direction| (c, direction)))
    }

    pub fn count(&self, direction: Direction) -> u64 {
        self.flipped().filter(|(_, d)| *d == direction).count() as u64
    }

    pub fn expected(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Lost => self.expected_lost,
            Direction::Gained => self.expected_gained,
        }
    }

    /// P(Poisson(expected) >= observed): how often unchanged code shows as many flips.
    pub fn p(&self, direction: Direction) -> f64 {
        poisson_upper_tail(self.expected(direction), self.count(direction))
    }

    /// Cases by "more than half right" on either side.
    pub fn mostly_right(&self) -> MostlyRight {
        let mostly = CaseRight::mostly;
        MostlyRight::count(self.cases.iter().map(|c| {
            (mostly(c.baseline_right, c.baseline_attempts), mostly(c.candidate_right, c.candidate_attempts))
        }))
    }
}

fn case_right(
    attempts: &Attempts,
    right: &[Option<f64>],
    selection: Selection<'_>,
    sides: &[Side],
    case: u32,
) -> Option<CaseRight> {
    let (mut base, mut cand, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let count = |values: &[(u32, f64)]| values.iter().filter(|v| v.1 >= 0.5).count() as u32;
    let (mut pooled_right, mut pooled) = (0, 0);
    for &side in sides {
        attempts.values_into(case, side, right, selection.failed_on(side), &mut other);
        pooled_right += count(&other);
        pooled += other.len();
    }
    attempts.values_into(case, selection.sides.0, right, selection.failed.0, &mut base);
    attempts.values_into(case, selection.sides.1, right, selection.failed.1, &mut cand);
    if selection.pairing == Pairing::SameAttempt {
        keep_common(&mut base, &mut cand);
    }
    (!base.is_empty() && !cand.is_empty()).then(|| CaseRight {
        case,
        baseline_right: count(&base),
        baseline_attempts: base.len() as u32,
        candidate_right: count(&cand),
        candidate_attempts: cand.len() as u32,
        pooled: f64::from(pooled_right) / pooled as f64,
    })
}

/// The verdict of a rule that allows at most `max` lost flips.
///
/// Deterministic: an exact comparison. Otherwise a regression when unchanged code would show as
/// many with a probability of at most .05, which is also given.
pub fn judge(observed: u64, max: u64, expected: f64, deterministic: bool) -> (Verdict, Option<f64>) {
    if deterministic {
        let verdict = if observed <= max { Verdict::Pass } else { Verdict::Regression };
        return (verdict, None);
    }
    let p = poisson_upper_tail(expected, observed);
    let verdict = match observed <= max {
        true => Verdict::Pass,
        false if p <= 0.05 => Verdict::Regression,
        false => Verdict::Inconclusive,
    };
    (verdict, Some(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_needs_more_than_half_and_none() {
        let case = |b, m, c, n| CaseRight {
            case: 0,
            baseline_right: b,
            baseline_attempts: m,
            candidate_right: c,
            candidate_attempts: n,
            pooled: 0.5,
        };
        let table = [
            ((3, 4, 0, 4), Some(Direction::Lost)),
            ((2, 4, 0, 4), None),
            ((4, 4, 1, 4), None),
            ((0, 4, 3, 4), Some(Direction::Gained)),
            ((1, 1, 0, 1), Some(Direction::Lost)),
            ((0, 4, 0, 4), None),
        ];
        for ((b, m, c, n), want) in table {
            assert_eq!(case(b, m, c, n).flip(), want, "{b}/{m} -> {c}/{n}");
        }
        // Binomial(4, .5) > 2 has probability 5/16, = 0 has 1/16.
        assert!((case(4, 4, 0, 4).chances().0 - 5.0 / 256.0).abs() < 1e-15);
    }

    #[test]
    fn one_flip_is_listed_and_two_are_a_regression() {
        assert_eq!(judge(0, 0, 0.26, false).0, Verdict::Pass);
        assert_eq!(judge(1, 0, 0.26, false).0, Verdict::Inconclusive);
        assert_eq!(judge(2, 0, 0.26, false).0, Verdict::Regression);
        assert_eq!(judge(1, 0, 0.26, true), (Verdict::Regression, None));
        assert_eq!(judge(1, 1, 0.26, true), (Verdict::Pass, None));
    }
}
