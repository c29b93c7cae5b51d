//! `[[rule]]`: what the gate demands.

use super::{Bound, IdGlob, Margin, Require, Rule, Special, Subject};
use crate::doc::{At, Table, did_you_mean, list_of};
use crate::words::{Metric, Question, Role, Side, Split, Unit};

const KEYS: [&str; 10] =
    ["metric", "role", "question", "margin", "max", "min", "on", "require", "split", "cases"];
const ABSOLUTE: [&str; 3] = ["max", "min", "require"];
const RELATIVE: [&str; 3] = ["margin", "role", "question"];

/// Why a metric cannot stand in a rule.
fn unfit(metric: Metric) -> Option<&'static str> {
    use Metric::*;
    match metric {
        DurationMs => {
            Some("wall time is reported and never judged: it differs between two runs of the same code")
        }
        OutputTokens | Turns | Correct | Completeness | Truthfulness | SourceRecall | CitedGold => {
            Some("it exists only when a model ran, and a replay runs none")
        }
        _ => None,
    }
}

/// The names that a rule may carry.
fn names() -> impl Iterator<Item = &'static str> {
    let metrics = Metric::ALL.iter().filter(|metric| unfit(**metric).is_none()).map(|metric| metric.as_str());
    metrics.chain(Special::ALL.iter().map(|special| special.as_str()))
}

pub(super) fn rule(at: &At<'_>) -> Option<Rule> {
    let table = at.table(&KEYS)?;
    let subject = table.must("metric", "the name of a metric").and_then(|at| subject(&at));
    let bound = bound(&table, subject.as_ref());
    let split = table.get("split").and_then(|at| split(&at));
    let cases = table.get("cases").and_then(|at| {
        let glob = at.text()?;
        if let Err(error) = IdGlob::new(glob) {
            at.problem(error.to_string(), Some("a glob of case ids".to_owned()), None);
        }
        Some(glob.to_owned())
    });
    Some(Rule { subject: subject?, bound: bound?, split, cases, is_implied: false })
}

fn subject(at: &At<'_>) -> Option<Subject> {
    let name = at.text()?;
    if let Some(metric) = Metric::parse(name) {
        if let Some(why) = unfit(metric) {
            at.problem(format!("`{name}` in a rule"), Some(list_of(names())), Some(why.to_owned()));
            return None;
        }
        return Some(Subject::Metric(metric));
    }
    if let Some(special) = Special::parse(name) {
        return Some(Subject::Special(special));
    }
    at.problem(format!("unknown metric `{name}`"), Some(list_of(names())), did_you_mean(name, names()));
    None
}

/// `all` is the absence of a split.
fn split(at: &At<'_>) -> Option<Split> {
    let all = [None, Some(Split::Dev), Some(Split::Test)];
    at.choice(&all, |split| split.map_or("all", Split::as_str)).flatten()
}

fn bound(table: &Table<'_>, subject: Option<&Subject>) -> Option<Bound> {
    let first = |keys: &[&'static str]| keys.iter().copied().find(|key| table.has(key));
    let side = table.get("on").map(|at| at.choice(&[Side::Candidate, Side::Baseline], side_word));
    let Some(absolute) = first(&ABSOLUTE) else {
        table.refuse(&["on"], "without `max`, `min` or `require`: a relative rule compares both sides");
        if subject == Some(&Subject::Special(Special::ToolsList)) {
            let allowed = format!("`require` = {}", list_of(Require::ALL.iter().map(|word| word.as_str())));
            table.problem_at_key("metric", "`tools_list` without `require`", Some(allowed), None);
            return None;
        }
        return relative(table, subject);
    };
    let together = format!(
        "beside `{absolute}`: a rule is absolute (`max`, `min`, `require`, `on`) or relative (`margin`, `role`, `question`)"
    );
    table.refuse(&RELATIVE, &together);
    let on = match side {
        Some(side) => side?,
        None => Side::Candidate,
    };
    if table.has("require") { require(table, subject, on) } else { limits(table, subject, on) }
}

fn side_word(side: Side) -> &'static str {
    if side == Side::Baseline { "baseline" } else { "candidate" }
}

fn require(table: &Table<'_>, subject: Option<&Subject>, on: Side) -> Option<Bound> {
    table.refuse(&["max", "min"], "beside `require`");
    if subject.is_some_and(|subject| *subject != Subject::Special(Special::ToolsList)) {
        let hint = "`require` is for `metric = \"tools_list\"` only";
        table.problem_at_key("require", "`require` for a metric", None, Some(hint.to_owned()));
    }
    let require = table.get("require")?.choice(Require::ALL, Require::as_str)?;
    Some(Bound::Require { require, on })
}

fn limits(table: &Table<'_>, subject: Option<&Subject>, on: Side) -> Option<Bound> {
    if subject == Some(&Subject::Special(Special::ToolsList)) {
        table.refuse(&["max", "min"], "for `tools_list`, which is no number: use `require`");
        return None;
    }
    let is_share = matches!(subject, Some(Subject::Metric(metric)) if metric.unit() == Unit::Share);
    let read = |key: &str| {
        table.get(key).map(|at| {
            if is_share {
                at.number("a share from 0 to 1", |value| (0.0..=1.0).contains(&value))
            } else {
                at.number("a number of at least 0", |value| value >= 0.0)
            }
        })
    };
    let (max, min) = (read("max"), read("min"));
    if matches!(max, Some(None)) || matches!(min, Some(None)) {
        return None;
    }
    let (max, min) = (max.flatten(), min.flatten());
    if let (Some(most), Some(least)) = (max, min)
        && least > most
    {
        table.problem_at_key("min", format!("`min` {least} over `max` {most}: nothing can hold"), None, None);
    }
    Some(Bound::Absolute { max, min, on })
}

fn relative(table: &Table<'_>, subject: Option<&Subject>) -> Option<Bound> {
    let role = table.get("role").map(|at| at.choice(Role::ALL, Role::as_str));
    let question = table.get("question").map(|at| at.choice(Question::ALL, Question::as_str));
    let margin = table.get("margin").map(|at| margin(&at, subject));
    if matches!(role, Some(None)) || matches!(question, Some(None)) || matches!(margin, Some(None)) {
        return None;
    }
    Some(Bound::Relative {
        margin: margin.flatten().unwrap_or(Margin::Absolute(0.0)),
        role: role.flatten().unwrap_or(Role::Guardrail),
        question: question.flatten(),
    })
}

fn margin(at: &At<'_>, subject: Option<&Subject>) -> Option<Margin> {
    const ALLOWED: &str = "a number of at least 0, or a percentage such as `\"5%\"`";
    let Some(text) = at.as_text() else {
        return at.number(ALLOWED, |value| value >= 0.0).map(Margin::Absolute);
    };
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let Some(percent) = percent.filter(|percent| percent.is_finite() && *percent >= 0.0) else {
        at.wrong(ALLOWED);
        return None;
    };
    use Special::*;
    if let Some(Subject::Special(special @ (Flips | LostEvidence | UnpairedCases | StaleCases))) = subject {
        at.problem(
            format!("a percentage for `{special}`, which has no value on the baseline"),
            Some("a number of at least 0".to_owned()),
            None,
        );
        return None;
    }
    Some(Margin::Percent(percent / 100.0))
}
