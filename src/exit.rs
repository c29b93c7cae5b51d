//! Exit codes: constants with docs, and which of several wins.

/// How a command ended, as the process tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// Ran; no rule says regression.
    Success = 0,
    /// Unexpected internal error.
    Internal = 1,
    /// Usage or configuration: unknown metric in a rule, unset variable, bad case file.
    Usage = 2,
    /// A side could not be built, started or initialised.
    SideFailed = 3,
    /// No case selected, or no call of any case may be replayed.
    NothingSelected = 4,
    /// Incomplete: shards, attempts or pairs are missing.
    Incomplete = 5,
    /// Not comparable (fingerprints differ), or the baseline is missing.
    NotComparable = 6,
    /// Inconclusive, only with `--fail-on inconclusive`.
    Inconclusive = 7,
    /// Ran well, and a rule says regression.
    Regression = 100,
    /// Interrupted; everything finished is kept.
    Interrupted = 130,
}

impl ExitCode {
    /// The first that holds wins, in this order.
    pub const PRECEDENCE: [ExitCode; 10] = [
        Self::Interrupted,
        Self::Internal,
        Self::Usage,
        Self::SideFailed,
        Self::NotComparable,
        Self::NothingSelected,
        Self::Incomplete,
        Self::Regression,
        Self::Inconclusive,
        Self::Success,
    ];

    /// The winner of `holding` and the others that also hold, both by precedence; success when none holds.
    pub fn decide(holding: &[ExitCode]) -> (ExitCode, Vec<ExitCode>) {
        let mut ordered = Self::PRECEDENCE.into_iter().filter(|code| holding.contains(code));
        let first = ordered.next().unwrap_or(Self::Success);
        (first, ordered.filter(|code| *code != Self::Success).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode::*;
    use super::*;

    #[test]
    fn the_first_that_holds_wins_and_the_others_are_told() {
        for (holding, first, also) in [
            (vec![], Success, vec![]),
            (vec![Success, Regression], Regression, vec![]),
            (vec![Inconclusive, Regression, Incomplete], Incomplete, vec![Regression, Inconclusive]),
            (
                vec![NothingSelected, NotComparable, SideFailed],
                SideFailed,
                vec![NotComparable, NothingSelected],
            ),
            (vec![Usage, Internal, Interrupted], Interrupted, vec![Internal, Usage]),
        ] {
            assert_eq!(ExitCode::decide(&holding), (first, also));
        }
    }
}
