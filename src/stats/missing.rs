//! What a failed attempt counts as.

use super::sample::{Attempts, Sample, SampleError, Selection, Status};

/// The policy for failed attempts, as the tables name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    /// A failed attempt counts as the worst value, 0, in shares where higher is better.
    AsWorst,
    /// A failed attempt is left out.
    OkOnly,
}

impl Missing {
    pub fn as_str(self) -> &'static str {
        match self {
            Missing::AsWorst => "as-worst",
            Missing::OkOnly => "ok-only",
        }
    }

    /// The policy that applies to a metric: costs always use ok attempts alone.
    pub fn for_metric(self, is_share: bool, better: super::Better) -> Missing {
        if is_share && better == super::Better::Higher { self } else { Missing::OkOnly }
    }

    /// The value of a failed attempt on (baseline, candidate).
    pub fn failed(self) -> (Option<f64>, Option<f64>) {
        match self {
            Missing::AsWorst => (Some(0.0), Some(0.0)),
            Missing::OkOnly => (None, None),
        }
    }
}

/// Values of failed attempts that bound the delta of a share from below: all baseline failures
/// would have been right, all candidate failures wrong.
pub const WORST_CASE: (Option<f64>, Option<f64>) = (Some(1.0), Some(0.0));

/// The same from above.
pub const BEST_CASE: (Option<f64>, Option<f64>) = (Some(0.0), Some(1.0));

/// What the delta of a share can have been, whatever the failed attempts would have given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub worst: f64,
    pub best: f64,
    /// Failed attempts on the baseline and on the candidate.
    pub failed: (u64, u64),
}

/// The bounds of a share in which higher is better; `None` when no attempt of the selected cases failed.
///
/// # Errors
/// As [`Sample::new`].
pub fn bounds(
    attempts: &Attempts,
    column: &[Option<f64>],
    selection: Selection<'_>,
) -> Result<Option<Bounds>, SampleError> {
    let failed = failed(attempts, selection);
    if failed == (0, 0) {
        return Ok(None);
    }
    let delta = |failed| -> Result<Option<f64>, SampleError> {
        let sample = Sample::new(attempts, column, Selection { failed, ..selection })?;
        Ok((sample.n() > 0).then(|| sample.mean(|case| case.delta)))
    };
    let ends = delta(WORST_CASE)?.zip(delta(BEST_CASE)?);
    Ok(ends.map(|(worst, best)| Bounds { worst, best, failed }))
}

fn failed(attempts: &Attempts, selection: Selection<'_>) -> (u64, u64) {
    let cases = (0..attempts.case_count() as u32).filter(|case| selection.includes(*case));
    let sides = cases.flat_map(|case| attempts.of_case(case));
    sides.filter(|(_, attempt)| attempt.status == Status::Failed).fold(
        (0, 0),
        |(base, cand), (_, attempt)| {
            let is = |side| u64::from(attempt.side == side);
            (base + is(selection.sides.0), cand + is(selection.sides.1))
        },
    )
}
