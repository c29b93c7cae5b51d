//! What a failed attempt counts as.

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
