//! All rules together: one verdict, one exit code.

use super::rules::{RuleVerdict, Verdict};
use crate::exit::ExitCode;
use crate::trace::{FailOn, GateSettings};

crate::words::word_enum!(
/// The verdict of a comparison.
Overall {
    Pass => "pass", Regression => "regression", Inconclusive => "inconclusive", Incomplete => "incomplete",
    /// No rule judged anything.
    None => "none",
});

/// What the rules say together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub verdict: Overall,
    pub exit: ExitCode,
    /// The other codes that also hold, by precedence.
    pub also: Vec<ExitCode>,
}

/// What of a run is not there, whatever its rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gaps {
    /// Planned attempts without a record.
    pub attempts: usize,
    /// Every selected case is stale, skipped or unpaired.
    pub nothing_paired: bool,
}

impl Gate {
    /// Decides. `holding` are codes that hold for reasons outside of the rules.
    pub fn decide(rules: &[RuleVerdict], gaps: Gaps, settings: GateSettings, holding: &[ExitCode]) -> Self {
        let says = |verdict| rules.iter().any(|rule| rule.verdict == Some(verdict));
        let is_incomplete = gaps.attempts > 0 || gaps.nothing_paired || says(Verdict::Incomplete);
        let verdict = if is_incomplete {
            Overall::Incomplete
        } else if says(Verdict::Regression) {
            Overall::Regression
        } else if says(Verdict::Inconclusive) {
            Overall::Inconclusive
        } else if says(Verdict::Pass) {
            Overall::Pass
        } else {
            Overall::None
        };
        let mut codes = holding.to_vec();
        if is_incomplete {
            codes.push(ExitCode::Incomplete);
        }
        if !settings.warn_only && says(Verdict::Regression) {
            codes.push(ExitCode::Regression);
        }
        let fails = settings.fail_on == FailOn::Inconclusive && !settings.warn_only;
        if fails && says(Verdict::Inconclusive) {
            codes.push(ExitCode::Inconclusive);
        }
        let (exit, also) = ExitCode::decide(&codes);
        Self { verdict, exit, also }
    }
}
