//! Suite rules to verdicts with reasons.

use super::comparison::{CaseState, Comparison, stats_question};
use super::confirm::Confirmation;
use crate::metric::tools_list::ToolsComparison;
use crate::stats;
use crate::stats::flips::{self, Direction};
use crate::stats::rule::{Evidence, Rule as Judged};
use crate::stats::sample::SampleError;
use crate::suite::{Bound, IdGlob, Margin, Require, Rule, Special, Subject};
use crate::words::{Metric, Question, Role, Side, Split, Status};

crate::words::word_enum!(
/// What a rule says.
Verdict {
    Pass => "pass", Regression => "regression", Inconclusive => "inconclusive", Incomplete => "incomplete",
});

/// The verdict of one rule: a row of rules.csv.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleVerdict {
    /// Place in the suite's rules, from 0.
    pub rule_index: usize,
    /// The metric or the special subject.
    pub subject: String,
    pub role: Role,
    /// Only for relative rules on metrics.
    pub question: Option<Question>,
    pub split: Option<Split>,
    pub cases: Option<String>,
    pub margin: Option<Margin>,
    pub max: Option<f64>,
    pub min: Option<f64>,
    pub on: Option<Side>,
    pub require: Option<Require>,
    /// What is compared: the delta, or the total on a side.
    pub value: Option<f64>,
    /// One-sided 95 % limit of the delta on its harmful side; absent when the comparison is exact.
    pub bound: Option<f64>,
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    /// `None` for `info`.
    pub verdict: Option<Verdict>,
    /// Empty for a plain pass.
    pub reason: String,
    pub cases_needed: Option<u64>,
    /// The smallest margin that unchanged code passes nine times in ten; in no table. Absent where the comparison is
    /// exact.
    pub passing_margin: Option<f64>,
}

/// Judges all rules together, since Holm's correction spans those of one split. `lists` compares the
/// tool lists; `None` when one is not known. Flips that were replayed once more are judged by
/// `confirmation` alone.
///
/// # Errors
/// When a value of a column is no usable number.
pub fn judge(
    rules: &[Rule],
    comparison: &Comparison<'_>,
    lists: Option<&ToolsComparison>,
    confirmation: Option<&Confirmation>,
) -> Result<Vec<RuleVerdict>, SampleError> {
    let mut verdicts = Vec::with_capacity(rules.len());
    let mut tested: Vec<(usize, Option<Split>, Judged, Evidence)> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let mut verdict = RuleVerdict::blank(index, rule);
        let view = View::of(comparison, rule, confirmation);
        match &rule.bound {
            Bound::Absolute { max, min, on } => absolute(&mut verdict, &view, lists, (*max, *min), *on)?,
            Bound::Require { require, .. } => tools_list(&mut verdict, lists, *require),
            Bound::Relative { margin, role, question } => {
                let question = question.unwrap_or(comparison.settings.question);
                if rule.is_implied && has_no_value(comparison, &rule.subject) {
                    // Recordings without needs and evidence: the suite asked for no such rule.
                    verdict.reason = "nothing to measure".to_owned();
                    verdicts.push(verdict);
                    continue;
                }
                match relative_evidence(&view, &rule.subject, *margin, question)? {
                    Some(evidence) => {
                        verdict.question = Some(question);
                        verdict.value = (evidence.n_cases > 0).then_some(evidence.delta);
                        let margin = match margin {
                            Margin::Absolute(margin) => *margin,
                            Margin::Percent(_) => 0.0,
                        };
                        let judged =
                            Judged { role: stats_role(*role), question: stats_question(question), margin };
                        tested.push((index, rule.split, judged, evidence));
                    }
                    None => relative_count(&mut verdict, &view, lists, *margin)?,
                }
            }
        }
        if verdict.role == Role::Info {
            verdict.verdict = None;
        }
        verdicts.push(verdict);
    }
    for split in [None, Some(Split::Dev), Some(Split::Test)] {
        let group: Vec<_> = tested.iter().filter(|(_, of, ..)| *of == split).collect();
        let outcomes = stats::rule::judge(&group.iter().map(|(_, _, r, e)| (*r, *e)).collect::<Vec<_>>());
        for ((index, ..), outcome) in group.into_iter().zip(outcomes) {
            verdicts[*index].take(&outcome);
        }
    }
    Ok(verdicts)
}

impl RuleVerdict {
    fn blank(rule_index: usize, rule: &Rule) -> Self {
        let mut verdict = Self {
            rule_index,
            subject: rule.subject.as_str().to_owned(),
            role: Role::Guardrail,
            question: None,
            split: rule.split,
            cases: rule.cases.clone(),
            margin: None,
            max: None,
            min: None,
            on: None,
            require: None,
            value: None,
            bound: None,
            p: None,
            p_holm: None,
            verdict: None,
            reason: String::new(),
            cases_needed: None,
            passing_margin: None,
        };
        match &rule.bound {
            Bound::Absolute { max, min, on } => {
                (verdict.max, verdict.min, verdict.on) = (*max, *min, Some(*on));
            }
            Bound::Relative { margin, role, .. } => (verdict.margin, verdict.role) = (Some(*margin), *role),
            Bound::Require { require, on } => (verdict.require, verdict.on) = (Some(*require), Some(*on)),
        }
        verdict
    }

    /// The margin to name where a rule stays open.
    pub fn settling_margin(&self) -> Option<f64> {
        let is_open = self.verdict == Some(Verdict::Inconclusive);
        self.passing_margin.filter(|margin| is_open && *margin > 0.0)
    }

    fn take(&mut self, outcome: &stats::rule::Outcome) {
        self.bound = outcome.bound;
        self.p = outcome.p;
        self.p_holm = outcome.p_holm;
        self.cases_needed = outcome.cases_needed;
        self.passing_margin = outcome.passing_margin;
        self.verdict = outcome.verdict.map(|verdict| match verdict {
            stats::rule::Verdict::Pass => Verdict::Pass,
            stats::rule::Verdict::Regression => Verdict::Regression,
            stats::rule::Verdict::Inconclusive => Verdict::Inconclusive,
            stats::rule::Verdict::Incomplete => Verdict::Incomplete,
        });
        self.reason = match (outcome.reason, self.verdict) {
            (Some(reason), _) => reason.as_str().to_owned(),
            (None, Some(Verdict::Regression)) => "worse".to_owned(),
            _ => String::new(),
        };
    }

    fn settle(&mut self, holds: bool, otherwise: String) {
        (self.verdict, self.reason) = match holds {
            true => (Some(Verdict::Pass), String::new()),
            false => (Some(Verdict::Regression), otherwise),
        };
    }

    fn incomplete(&mut self, reason: &str) {
        (self.verdict, self.reason) = (Some(Verdict::Incomplete), reason.to_owned());
    }
}

/// The cases that a rule looks at.
struct View<'c, 't> {
    comparison: &'c Comparison<'t>,
    /// All that the rule's split and glob take.
    selected: Vec<bool>,
    /// Of these, those of the paired headline.
    headline: Vec<bool>,
    confirmation: Option<&'c Confirmation>,
}

impl<'c, 't> View<'c, 't> {
    fn of(comparison: &'c Comparison<'t>, rule: &Rule, confirmation: Option<&'c Confirmation>) -> Self {
        // The suite's loader has refused a glob that cannot be read.
        let glob = rule.cases.as_ref().and_then(|glob| IdGlob::new(glob).ok());
        let takes = |id: &str| glob.as_ref().is_none_or(|glob| glob.matches(id));
        let selected = comparison.selected(rule.split, &takes);
        let headline = comparison.headline(&selected);
        Self { comparison, selected, headline, confirmation }
    }

    fn count(&self, wanted: impl Fn(usize) -> bool) -> u64 {
        (0..self.selected.len()).filter(|case| self.selected[*case] && wanted(*case)).count() as u64
    }

    /// The values of a metric in ok attempts on a side, stale and unpaired cases included.
    fn values(&self, metric: usize, side: Side) -> impl Iterator<Item = f64> + '_ {
        let table = self.comparison.table;
        let rows = table.rows.iter().enumerate();
        rows.filter(move |(_, row)| {
            row.side == side && row.status == Status::Ok && self.selected[row.case as usize]
        })
        .filter_map(move |(place, _)| table.columns[metric].get(place))
    }

    fn failed(&self, side: Side) -> u64 {
        let rows = self.comparison.table.rows.iter();
        rows.filter(|row| {
            row.side == side && row.status == Status::Failed && self.selected[row.case as usize]
        })
        .count() as u64
    }

    fn lost_flips(&self) -> Result<LostFlips, SampleError> {
        let (flips, deterministic) = self.comparison.flips(&self.headline)?;
        let lost = flips.flipped().filter(|(_, direction)| *direction == Direction::Lost);
        let cases = lost.map(|(case, _)| case.case as usize).collect();
        Ok(LostFlips { cases, expected: flips.expected(Direction::Lost), deterministic })
    }
}

struct LostFlips {
    cases: Vec<usize>,
    expected: f64,
    deterministic: bool,
}

/// The evidence of a rule that is judged by a delta; `None` for a subject that is counted.
fn relative_evidence(
    view: &View<'_, '_>,
    subject: &Subject,
    margin: Margin,
    question: Question,
) -> Result<Option<Evidence>, SampleError> {
    let percent = match margin {
        Margin::Percent(percent) => Some(percent),
        Margin::Absolute(_) => None,
    };
    match subject {
        Subject::Metric(_) | Subject::Column(_) => {
            let Some(place) = view.comparison.table.metric(subject.as_str()) else { return Ok(None) };
            view.comparison.evidence(place, question, percent, &view.headline).map(Some)
        }
        Subject::Special(Special::FailedAttempts) => {
            // A stale or unpaired case may be just the one that crashed.
            let tried: Vec<bool> = (0..view.selected.len())
                .map(|case| view.selected[case] && view.comparison.state(case) != CaseState::Skipped)
                .collect();
            view.comparison.failure_evidence(question, percent, &tried).map(Some)
        }
        Subject::Special(_) => Ok(None),
    }
}

/// Whether no attempt, though some are ok, has a value of the metric.
fn has_no_value(comparison: &Comparison<'_>, subject: &Subject) -> bool {
    let Subject::Metric(metric) = subject else { return false };
    let table = comparison.table;
    let is_blank = table.metric(metric.as_str()).is_none_or(|place| table.columns[place].is_blank());
    is_blank && table.rows.iter().any(|row| row.status == Status::Ok)
}

/// A guardrail on something that is counted over the run: the margin is the most that it allows.
fn relative_count(
    verdict: &mut RuleVerdict,
    view: &View<'_, '_>,
    lists: Option<&ToolsComparison>,
    margin: Margin,
) -> Result<(), SampleError> {
    let allowed = match margin {
        Margin::Absolute(margin) => margin,
        Margin::Percent(_) => 0.0,
    };
    match Special::parse(&verdict.subject) {
        Some(Special::ToolsList) => tools_list(verdict, lists, Require::Identical),
        Some(Special::LargestResult) => {
            let (Some(base), Some(cand)) = (largest(view, Side::Baseline), largest(view, Side::Candidate))
            else {
                verdict.incomplete("no pairs");
                return Ok(());
            };
            let allowed = if let Margin::Percent(percent) = margin { base * percent } else { allowed };
            verdict.value = Some(cand - base);
            verdict.settle(cand - base <= allowed, format!("largest result {base} -> {cand}"));
        }
        Some(_) => absolute(verdict, view, lists, (Some(allowed), None), Side::Candidate)?,
        // A metric that this run has no value of.
        None => verdict.incomplete("no pairs"),
    }
    Ok(())
}

/// A rule with `max` or `min`, or a count against the most that is allowed.
fn absolute(
    verdict: &mut RuleVerdict,
    view: &View<'_, '_>,
    lists: Option<&ToolsComparison>,
    limits: (Option<f64>, Option<f64>),
    on: Side,
) -> Result<(), SampleError> {
    let comparison = view.comparison;
    let value = match Subject::parse(&verdict.subject) {
        Some(Subject::Metric(metric)) => total(view, metric, on),
        Some(Subject::Special(special)) => match special {
            Special::Flips => return flip_rule(verdict, view, limits),
            Special::ToolsList => {
                tools_list(verdict, lists, Require::Identical);
                return Ok(());
            }
            Special::LargestResult => largest(view, on),
            Special::LostEvidence => {
                Some(view.count(|case| comparison.table.cases[case].facts.lost_evidence) as f64)
            }
            Special::FailedAttempts => Some(view.failed(on) as f64),
            Special::UnpairedCases => {
                Some(view.count(|case| comparison.state(case) == CaseState::Unpaired) as f64)
            }
            Special::StaleCases => Some(view.count(|case| comparison.state(case) == CaseState::Stale) as f64),
        },
        Some(Subject::Column(_)) | None => None,
    };
    let Some(value) = value else {
        verdict.incomplete("nothing to judge");
        return Ok(());
    };
    verdict.value = Some(value);
    let (max, min) = limits;
    let number = |n: f64| crate::text::decimal(n);
    let over = max.filter(|max| value > *max).map(|max| format!("{} is over {}", number(value), number(max)));
    let under =
        min.filter(|min| value < *min).map(|min| format!("{} is under {}", number(value), number(min)));
    let reason = over.or(under);
    verdict.settle(reason.is_none(), reason.unwrap_or_default());
    Ok(())
}

/// The total over ok attempts on a side; the largest for a largest size, the mean for a share.
fn total(view: &View<'_, '_>, metric: Metric, on: Side) -> Option<f64> {
    let place = view.comparison.table.metric(metric.as_str())?;
    let values: Vec<f64> = view.values(place, on).collect();
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    Some(match metric {
        Metric::MaxResultChars => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        _ if view.comparison.table.metrics[place].is_share() => sum / values.len() as f64,
        _ => sum,
    })
}

fn largest(view: &View<'_, '_>, on: Side) -> Option<f64> {
    total(view, Metric::MaxResultChars, on)
}

fn flip_rule(
    verdict: &mut RuleVerdict,
    view: &View<'_, '_>,
    (max, min): (Option<f64>, Option<f64>),
) -> Result<(), SampleError> {
    let lost = view.lost_flips()?;
    let mut observed = lost.cases.len() as u64;
    verdict.value = Some(observed as f64);
    let mut headline = (0..view.headline.len()).filter(|case| view.headline[*case]);
    if !headline.any(|case| view.comparison.state(case) == CaseState::Paired) {
        verdict.incomplete("no pairs");
        return Ok(());
    }
    if min.is_some_and(|min| (observed as f64) < min) {
        verdict.settle(false, format!("{observed} flips are under the least that is wanted"));
        return Ok(());
    }
    let allowed = max.map_or(u64::MAX, |max| max.max(0.0).floor() as u64);
    let (mut expected, mut told, mut is_fresh) = (lost.expected, cases_lost(observed), false);
    if let Some(confirmation) = view.confirmation.filter(|_| observed > 0 && !lost.deterministic) {
        let confirmed = confirmation.of(&lost.cases, Direction::Lost);
        verdict.value = Some(confirmed.again as f64);
        if confirmed.unknown > 0 {
            verdict.incomplete(&format!(
                "{told}, {} of them without a fresh attempt to confirm it",
                confirmed.unknown
            ));
            return Ok(());
        }
        told =
            format!("{told}, {} again in {} fresh attempts a side", confirmed.again, confirmation.attempts);
        (observed, expected, is_fresh) = (confirmed.again, confirmed.expected, true);
    }
    let (outcome, p) = flips::judge(observed, allowed, expected, lost.deterministic);
    verdict.p = p;
    match outcome {
        stats::rule::Verdict::Pass => {
            verdict.settle(true, String::new());
            // A pass by fresh attempts says what it rests on.
            verdict.reason = if is_fresh { told } else { String::new() };
        }
        stats::rule::Verdict::Regression => verdict.settle(false, told),
        stats::rule::Verdict::Inconclusive | stats::rule::Verdict::Incomplete => {
            verdict.verdict = Some(Verdict::Inconclusive);
            let chance = 100.0 * p.unwrap_or(1.0);
            verdict.reason = format!("{told}; unchanged code shows as many in {chance:.0} % of runs");
        }
    }
    Ok(())
}

fn cases_lost(count: u64) -> String {
    if count == 1 { "1 case lost".to_owned() } else { format!("{count} cases lost") }
}

fn tools_list(verdict: &mut RuleVerdict, lists: Option<&ToolsComparison>, require: Require) {
    verdict.require = Some(require);
    match lists {
        Some(comparison) => verdict.settle(comparison.satisfies(require), comparison.in_words()),
        None => verdict.incomplete("the tool list of a side is not known"),
    }
}

fn stats_role(role: Role) -> stats::rule::Role {
    match role {
        Role::Guardrail => stats::rule::Role::Guardrail,
        Role::Goal => stats::rule::Role::Goal,
        Role::Info => stats::rule::Role::Info,
    }
}
