//! The rules that hold: the suite's own, and those that hold unless it names them.

use super::{Bound, Margin, Rule, Special, Subject, Suite};
use crate::words::{Metric, Question, Role};

/// The rules of a suite without any.
static DEFAULT: [Subject; 5] = [
    Subject::Metric(Metric::EvidenceRecall),
    Subject::Metric(Metric::Errors),
    Subject::Metric(Metric::OversizedResults),
    Subject::Metric(Metric::StuckChains),
    Subject::Special(Special::FailedAttempts),
];

/// The rules that a suite with rules of its own still gets, unless it names them.
static ALWAYS: [Subject; 3] = [
    Subject::Metric(Metric::EvidenceRecall),
    Subject::Metric(Metric::Errors),
    Subject::Special(Special::FailedAttempts),
];

/// The rules to judge by, in order, and a sentence for the report when the suite did not write them all or
/// switched one off.
pub fn effective_rules(suite: &Suite) -> (Vec<Rule>, Option<String>) {
    if suite.rules.is_empty() {
        let names: Vec<&str> = DEFAULT.iter().map(|subject| subject.as_str()).collect();
        let note = format!(
            "the suite has no `[[rule]]`, so default rules hold: {}, each a guardrail on these cases with margin 0",
            names.join(", ")
        );
        return (DEFAULT.iter().cloned().map(guardrail).collect(), Some(note));
    }
    let is_named = |subject: &Subject| suite.rules.iter().any(|rule| rule.subject == *subject);
    let added: Vec<Subject> = ALWAYS.iter().filter(|subject| !is_named(subject)).cloned().collect();
    let off: Vec<&str> = ALWAYS
        .iter()
        .filter(|subject| is_named(subject) && is_switched_off(suite, subject))
        .map(|subject| subject.as_str())
        .collect();
    let mut notes = Vec::new();
    if !added.is_empty() {
        let names: Vec<&str> = added.iter().map(|subject| subject.as_str()).collect();
        notes.push(format!("beside the suite's own rules hold: {}", names.join(", ")));
    }
    if !off.is_empty() {
        notes.push(format!("switched off by `role = \"info\"`: {}", off.join(", ")));
    }
    let rules = suite.rules.iter().cloned().chain(added.into_iter().map(guardrail)).collect();
    (rules, (!notes.is_empty()).then(|| notes.join("; ")))
}

/// Every rule that names the subject only informs.
fn is_switched_off(suite: &Suite, subject: &Subject) -> bool {
    suite
        .rules
        .iter()
        .filter(|rule| rule.subject == *subject)
        .all(|rule| matches!(rule.bound, Bound::Relative { role: Role::Info, .. }))
}

fn guardrail(subject: Subject) -> Rule {
    Rule {
        subject,
        bound: Bound::Relative {
            margin: Margin::Absolute(0.0),
            role: Role::Guardrail,
            question: Some(Question::TheseCases),
        },
        split: None,
        cases: None,
        is_implied: true,
    }
}

/// A rule that asks about these cases in a run without a repeat of the same code. Exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rule {index} (`{name}`) asks about these cases and needs same_code >= 1 to know the noise; \
     set `same_code = 1`, or `question = \"cases-like-these\"` in the rule"
)]
pub struct NoRepeat {
    /// The rule's number, from 1.
    pub index: usize,
    pub name: String,
}

/// Checks that every rule that will be judged on these cases has a repeat of the same code to be judged by.
/// `default` is the question of a rule that does not say.
///
/// # Errors
/// The first rule without one.
pub fn check_repeats(rules: &[Rule], same_code: u32, default: Question) -> Result<(), NoRepeat> {
    if same_code >= 1 {
        return Ok(());
    }
    let asks = |rule: &Rule| match &rule.bound {
        Bound::Relative { role, question, .. } => {
            *role != Role::Info && question.unwrap_or(default) == Question::TheseCases
        }
        Bound::Absolute { .. } | Bound::Require { .. } => false,
    };
    match rules.iter().enumerate().find(|(_, rule)| asks(rule)) {
        Some((index, rule)) => Err(NoRepeat { index: index + 1, name: rule.subject.as_str().to_owned() }),
        None => Ok(()),
    }
}
