//! Pairing the attempts of two sides, case by case.

use thiserror::Error;

/// A side as the statistics see it. The order is that of the result tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Baseline,
    Candidate,
    /// The baseline's code once more, counted from 1 (`same-code` is 1, `same-code-2` is 2).
    SameCode(u16),
    /// Attempt 1 of each case once more on the candidate; never part of a delta.
    CandidateAgain,
    /// The same of a stored run that now serves as baseline.
    BaselineAgain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    Ok,
    Failed,
    /// The environment failed, not the server: never enters, under any policy.
    Infrastructure,
}

/// Key and status of one attempt; its numbers live in columns of the same order, one a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// Index of the case, from 0.
    pub case: u32,
    pub side: Side,
    pub attempt: u32,
    pub status: Status,
}

#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SampleError {
    #[error(
        "attempt {attempt} of case index {case} on {side:?} is there twice: rows `{first}` and `{second}`"
    )]
    Duplicate { case: u32, side: Side, attempt: u32, first: usize, second: usize },
    #[error("row `{row}` has case index {case}, but there are {cases} cases")]
    NoSuchCase { row: usize, case: u32, cases: usize },
    #[error("row `{row}` holds `{value}`: a metric must be a finite number below 1e100")]
    NotFinite { row: usize, value: String },
    #[error("a column has {got} values for {want} attempts")]
    Length { got: usize, want: usize },
}

/// All attempts of a comparison, indexed by case.
#[derive(Debug, Clone)]
pub struct Attempts {
    attempts: Vec<Attempt>,
    /// Row numbers sorted by (case, side, attempt).
    order: Vec<u32>,
    /// Where each case begins in `order`; one more entry than cases.
    starts: Vec<u32>,
    clusters: Option<Vec<u32>>,
    sides: Vec<Side>,
}

impl Attempts {
    /// Indexes the attempts of `cases` cases, in any order.
    ///
    /// `clusters`, when given, holds one cluster number a case (same document, same user).
    ///
    /// # Errors
    /// A key that is there twice, a case index out of range, clusters of another length.
    pub fn new(
        attempts: Vec<Attempt>,
        cases: usize,
        clusters: Option<Vec<u32>>,
    ) -> Result<Self, SampleError> {
        if let Some(row) = attempts.iter().position(|a| a.case as usize >= cases) {
            return Err(SampleError::NoSuchCase { row, case: attempts[row].case, cases });
        }
        if let Some(clusters) = clusters.as_ref().filter(|c| c.len() != cases) {
            return Err(SampleError::Length { got: clusters.len(), want: cases });
        }
        let key = |row: &u32| {
            let a = &attempts[*row as usize];
            (a.case, a.side, a.attempt, *row)
        };
        let mut order: Vec<u32> = (0..attempts.len() as u32).collect();
        order.sort_unstable_by_key(key);
        for pair in order.windows(2) {
            let (a, b) = (key(&pair[0]), key(&pair[1]));
            if (a.0, a.1, a.2) == (b.0, b.1, b.2) {
                let (first, second) = (a.3 as usize, b.3 as usize);
                return Err(SampleError::Duplicate { case: a.0, side: a.1, attempt: a.2, first, second });
            }
        }
        let mut starts = vec![0u32; cases + 1];
        attempts.iter().for_each(|a| starts[a.case as usize + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut sides: Vec<Side> = attempts.iter().map(|a| a.side).collect();
        sides.sort_unstable();
        sides.dedup();
        Ok(Attempts { attempts, order, starts, clusters, sides })
    }

    pub fn case_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn rows(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The sides that occur, in order.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    pub fn has_side(&self, side: Side) -> bool {
        self.sides.binary_search(&side).is_ok()
    }

    /// The (attempt number, value) pairs of one case on one side, in order, into `out`.
    pub fn values_into(
        &self,
        case: u32,
        side: Side,
        column: &[Option<f64>],
        failed: Option<f64>,
        out: &mut Vec<(u32, f64)>,
    ) {
        out.clear();
        for (row, attempt) in self.of_case(case).filter(|(_, a)| a.side == side) {
            let value = match attempt.status {
                Status::Ok => column[row],
                Status::Failed => failed,
                Status::Infrastructure => None,
            };
            out.extend(value.map(|v| (attempt.attempt, v)));
        }
    }

    /// The attempts of a case with their row numbers, by side and attempt.
    pub fn of_case(&self, case: u32) -> impl Iterator<Item = (usize, &Attempt)> {
        let part = self.starts[case as usize] as usize..self.starts[case as usize + 1] as usize;
        self.order[part].iter().map(|&row| (row as usize, &self.attempts[row as usize]))
    }

    /// Checks that a column has one value an attempt and that each is a usable number.
    pub fn check_column(&self, column: &[Option<f64>]) -> Result<(), SampleError> {
        if column.len() != self.attempts.len() {
            return Err(SampleError::Length { got: column.len(), want: self.attempts.len() });
        }
        let bad = |v: &Option<f64>| v.is_some_and(|v| !v.is_finite() || v.abs() >= 1e100);
        match column.iter().position(bad) {
            Some(row) => {
                let value = column[row].map(|v| v.to_string()).unwrap_or_default();
                Err(SampleError::NotFinite { row, value })
            }
            None => Ok(()),
        }
    }
}

/// Which attempts of a case enter its delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// A replay: an attempt enters when it has a value on both sides, so that both means hold the
    /// same recordings.
    SameAttempt,
    /// Attempts have nothing to do with each other across sides: each side's own mean.
    SideMeans,
}

/// How a sample is taken from the attempts.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Which sides play baseline and candidate.
    pub sides: (Side, Side),
    pub pairing: Pairing,
    /// The value of a failed attempt on the baseline and on the candidate; `None` leaves it out.
    pub failed: (Option<f64>, Option<f64>),
    /// Which cases take part (a split, the exposed ones); all when absent.
    pub include: Option<&'a [bool]>,
}

impl Selection<'_> {
    pub fn ok_only(pairing: Pairing) -> Self {
        let sides = (Side::Baseline, Side::Candidate);
        Selection { sides, pairing, failed: (None, None), include: None }
    }

    pub fn includes(&self, case: u32) -> bool {
        self.include.is_none_or(|include| include.get(case as usize).is_some_and(|i| *i))
    }

    /// What a failed attempt counts as on a side: candidates' runs like the candidate, all else
    /// like the baseline.
    pub fn failed_on(&self, side: Side) -> Option<f64> {
        match side {
            Side::Candidate | Side::CandidateAgain => self.failed.1,
            Side::Baseline | Side::SameCode(_) | Side::BaselineAgain => self.failed.0,
        }
    }
}

/// The attempts of a case on one side, those that enter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideValues {
    pub attempts: u32,
    pub sum: f64,
    pub mean: f64,
    /// Sum of squared deviations from the mean; 0 for one attempt.
    pub squares: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedCase {
    pub case: u32,
    pub baseline: SideValues,
    pub candidate: SideValues,
    /// Candidate mean minus baseline mean.
    pub delta: f64,
}

/// Why a case is out of the pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lacks {
    Baseline,
    Candidate,
    Both,
    /// Values on both sides, but of no attempt number in common.
    CommonAttempt,
}

/// Resampled, flipped and counted as one: a case, or a cluster of cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The case, or the cluster's number.
    pub id: u32,
    pub cases: u32,
    /// Sums over the unit's cases.
    pub baseline: f64,
    pub candidate: f64,
    pub delta: f64,
}

/// The paired cases of one metric.
#[derive(Debug, Clone)]
pub struct Sample {
    pub pairing: Pairing,
    /// In case order.
    pub cases: Vec<PairedCase>,
    pub dropped: Vec<(u32, Lacks)>,
    /// One a case, or one a cluster, in order of first appearance.
    pub units: Vec<Unit>,
    pub is_clustered: bool,
    /// When every value is an integer: the least common multiple L of the attempt counts, so that
    /// each case's delta times L is an integer.
    pub lattice: Option<u64>,
}

impl Sample {
    /// Pairs one metric's values.
    ///
    /// # Errors
    /// A column of another length than the attempts, or a value that is not a usable number.
    pub fn new(
        attempts: &Attempts,
        column: &[Option<f64>],
        selection: Selection<'_>,
    ) -> Result<Self, SampleError> {
        attempts.check_column(column)?;
        let (mut base, mut cand) = (Vec::new(), Vec::new());
        let mut cases = Vec::new();
        let mut dropped = Vec::new();
        let mut lattice = Lattice::new();
        for case in 0..attempts.case_count() as u32 {
            if !selection.includes(case) {
                continue;
            }
            attempts.values_into(case, selection.sides.0, column, selection.failed.0, &mut base);
            attempts.values_into(case, selection.sides.1, column, selection.failed.1, &mut cand);
            let lacks = match (base.is_empty(), cand.is_empty()) {
                (true, true) => Some(Lacks::Both),
                (true, false) => Some(Lacks::Baseline),
                (false, true) => Some(Lacks::Candidate),
                (false, false) => {
                    if selection.pairing == Pairing::SameAttempt {
                        keep_common(&mut base, &mut cand);
                    }
                    base.is_empty().then_some(Lacks::CommonAttempt)
                }
            };
            match lacks {
                Some(lacks) => dropped.push((case, lacks)),
                None => {
                    lattice.add(&base);
                    lattice.add(&cand);
                    cases.push(paired(case, &base, &cand));
                }
            }
        }
        let lattice = lattice.finish();
        let units = units(&mut cases, attempts.clusters.as_deref());
        let is_clustered = units.len() != cases.len();
        Ok(Sample { pairing: selection.pairing, cases, dropped, units, is_clustered, lattice })
    }

    /// A sample of given case deltas, with a baseline of 0 and one attempt a case: for the
    /// functions that look at deltas alone.
    pub fn of_deltas(deltas: &[f64], lattice: Option<u64>) -> Self {
        let zero = SideValues { attempts: 1, sum: 0.0, mean: 0.0, squares: 0.0 };
        let case = |(i, &delta): (usize, &f64)| {
            let candidate = SideValues { attempts: 1, sum: delta, mean: delta, squares: 0.0 };
            PairedCase { case: i as u32, baseline: zero, candidate, delta }
        };
        let mut cases: Vec<PairedCase> = deltas.iter().enumerate().map(case).collect();
        let units = units(&mut cases, None);
        let (pairing, dropped) = (Pairing::SideMeans, Vec::new());
        Sample { pairing, cases, dropped, units, is_clustered: false, lattice }
    }

    pub fn n(&self) -> usize {
        self.cases.len()
    }

    pub fn deltas(&self) -> impl Iterator<Item = f64> + '_ {
        self.cases.iter().map(|c| c.delta)
    }

    /// The deltas as integers, in units of 1 / L.
    pub fn integer_deltas(&self) -> Option<Vec<i64>> {
        let lattice = self.lattice? as f64;
        Some(self.deltas().map(|d| (d * lattice).round() as i64).collect())
    }

    /// Mean over cases; 0 without any.
    pub fn mean(&self, of: impl Fn(&PairedCase) -> f64) -> f64 {
        if self.cases.is_empty() {
            return 0.0;
        }
        self.cases.iter().map(of).sum::<f64>() / self.n() as f64
    }

    /// True when every case changed by the same amount (0 included), up to rounding.
    pub fn all_equal(&self) -> bool {
        let (mut low, mut high, mut scale) = (f64::INFINITY, f64::NEG_INFINITY, 0f64);
        for case in &self.cases {
            low = low.min(case.delta);
            high = high.max(case.delta);
            scale = scale.max(case.baseline.mean.abs()).max(case.candidate.mean.abs());
        }
        self.cases.is_empty() || high - low <= ROUNDING * scale
    }

    pub fn all_zero(&self) -> bool {
        self.cases.iter().all(|c| c.delta == 0.0)
    }

    /// Cases above, below and at zero: (up, down, tied).
    pub fn directions(&self) -> (usize, usize, usize) {
        let up = self.deltas().filter(|d| *d > 0.0).count();
        let down = self.deltas().filter(|d| *d < 0.0).count();
        (up, down, self.n() - up - down)
    }
}

/// Means of the same numbers in another order differ by rounding; that is no change of a case.
const ROUNDING: f64 = 1e-12;

/// Keeps the attempts that both lists hold; both are sorted by attempt.
pub(crate) fn keep_common(a: &mut Vec<(u32, f64)>, b: &mut Vec<(u32, f64)>) {
    a.retain(|x| b.binary_search_by_key(&x.0, |y| y.0).is_ok());
    b.retain(|y| a.binary_search_by_key(&y.0, |x| x.0).is_ok());
}

fn paired(case: u32, base: &[(u32, f64)], cand: &[(u32, f64)]) -> PairedCase {
    let (baseline, candidate) = (side_values(base), side_values(cand));
    let mut delta = candidate.mean - baseline.mean;
    if delta.abs() <= ROUNDING * baseline.mean.abs().max(candidate.mean.abs()) {
        delta = 0.0;
    }
    PairedCase { case, baseline, candidate, delta }
}

fn side_values(values: &[(u32, f64)]) -> SideValues {
    let sum: f64 = values.iter().map(|v| v.1).sum();
    let mean = sum / values.len() as f64;
    let squares = values.iter().map(|v| (v.1 - mean).powi(2)).sum();
    SideValues { attempts: values.len() as u32, sum, mean, squares }
}

/// Groups the cases by cluster (each its own without clusters).
fn units(cases: &mut [PairedCase], clusters: Option<&[u32]>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::with_capacity(cases.len());
    let mut found = std::collections::HashMap::new();
    for case in cases {
        let id = clusters.map_or(case.case, |c| c[case.case as usize]);
        let at = match clusters {
            None => units.len(),
            Some(_) => *found.entry(id).or_insert(units.len()),
        };
        if at == units.len() {
            units.push(Unit { id, cases: 0, baseline: 0.0, candidate: 0.0, delta: 0.0 });
        }
        let unit = &mut units[at];
        unit.cases += 1;
        unit.baseline += case.baseline.mean;
        unit.candidate += case.candidate.mean;
        unit.delta += case.delta;
    }
    units
}

/// Watches the values go by: are they all integers, and what is L?
struct Lattice {
    step: Option<u64>,
    is_empty: bool,
}

impl Lattice {
    /// Integers beyond this, or an L beyond it, are far past the size limit of the exact methods.
    const LIMIT: f64 = 1e9;

    fn new() -> Self {
        Lattice { step: Some(1), is_empty: true }
    }

    fn add(&mut self, values: &[(u32, f64)]) {
        self.is_empty = false;
        let Some(step) = self.step else { return };
        let integers = values.iter().all(|v| v.1.fract() == 0.0 && v.1.abs() <= Self::LIMIT);
        let m = values.len() as u64;
        let next = step / gcd(step, m) * m;
        self.step = (integers && next as f64 <= Self::LIMIT).then_some(next);
    }

    fn finish(self) -> Option<u64> {
        self.step.filter(|_| !self.is_empty)
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
