//! Rules that rest on inferred needs: a verdict on continuation reads must hold all over the bracket.

use super::comparison::Comparison;
use super::confirm::Confirmation;
use super::rules::{self, RuleVerdict, Verdict};
use crate::metric::bracket::BracketEnd;
use crate::metric::tools_list::ToolsComparison;
use crate::stats::sample::SampleError;
use crate::suite::{Rule, Subject};
use crate::words::{Metric, Question};

/// Why a rule is inconclusive whose verdict changes inside the bracket.
pub const REASON: &str = "rests on inferred needs";

/// Judges all rules, as [`rules::judge`]; one on continuation reads whose verdict changes when the needs
/// inferred as `last` had stood earlier or later is inconclusive.
///
/// # Errors
/// As [`rules::judge`].
pub fn judge(
    rules: &[Rule],
    comparison: &Comparison<'_>,
    lists: Option<&ToolsComparison>,
    confirmation: Option<&Confirmation>,
) -> Result<Vec<RuleVerdict>, SampleError> {
    let mut verdicts = rules::judge(rules, comparison, lists, confirmation)?;
    let rests = |rule: &Rule| rule.subject == Subject::Metric(Metric::ContinuationReads);
    if !rules.iter().any(rests) {
        return Ok(verdicts);
    }
    for end in BracketEnd::ALL {
        let Some(table) = comparison.table.at(*end) else { break };
        let there = rules::judge(rules, &Comparison::new(&table, comparison.settings)?, lists, confirmation)?;
        for ((rule, here), there) in rules.iter().zip(&mut verdicts).zip(there) {
            let is_open = matches!(here.verdict, Some(Verdict::Pass | Verdict::Regression));
            if rests(rule) && is_open && here.verdict != there.verdict {
                (here.verdict, here.reason) = (Some(Verdict::Inconclusive), REASON.to_owned());
            }
        }
    }
    Ok(verdicts)
}

/// Continuation reads over the paired cases, at one end of the bracket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndFigures {
    pub end: BracketEnd,
    pub baseline_total: f64,
    pub candidate_total: f64,
    /// Mean over cases.
    pub delta: Option<f64>,
}

/// The figures of both ends; empty when no need was inferred as `last`.
///
/// # Errors
/// When a value is no usable number.
pub fn figures(comparison: &Comparison<'_>) -> Result<Vec<EndFigures>, SampleError> {
    let mut figures = Vec::new();
    for end in BracketEnd::ALL {
        let Some(table) = comparison.table.at(*end) else { break };
        let Some(place) = table.metric(Metric::ContinuationReads.as_str()) else { break };
        let there = Comparison::new(&table, comparison.settings)?;
        let headline = there.headline(&there.selected(None, &|_| true));
        let described = there.describe(&[(place, Question::TheseCases)], &headline)?;
        figures.extend(described.iter().map(|summary| EndFigures {
            end: *end,
            baseline_total: summary.baseline_total,
            candidate_total: summary.candidate_total,
            delta: summary.delta,
        }));
    }
    Ok(figures)
}
