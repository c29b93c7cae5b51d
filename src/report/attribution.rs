//! From a regression or a flip down to the calls: in which cases it shows, where their sides part, in what, and
//! whether the change was seen there at all.

use super::phrase::grouped;
use super::{Report, csv_cases};
use crate::metric::parting::{Difference, Parting, Seen};
use crate::metric::{CaseRow, Exposure};
use crate::stats::flips::Direction;
use crate::suite::{IdGlob, Special};
use crate::verdict::{Comparison, RuleVerdict, Verdict};
use crate::words::{Better, Outcome, Split, ViewKind};

/// What is to be explained, and the cases that hold it, the worst first.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribution {
    /// `continuation reads`, `flips, lost`.
    pub subject: String,
    /// In which the rule looks, when it looks at one alone.
    pub split: Option<Split>,
    /// The worst first.
    pub cases: Vec<Held>,
}

/// A case that holds some of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Place in the table.
    pub case: usize,
    /// How much of it: `right 4 of 4 -> 0 of 4`, `+2 an attempt`.
    pub amount: String,
}

/// For each rule that says regression, then for flips in either direction.
pub fn of(report: &Report) -> Vec<Attribution> {
    let Ok(comparison) = Comparison::new(&report.collected.table, report.settings) else { return Vec::new() };
    let regressions = report.rules.iter().filter(|rule| rule.verdict == Some(Verdict::Regression));
    let mut found: Vec<Attribution> =
        regressions.filter_map(|rule| of_rule(report, &comparison, rule)).collect();
    found.extend([Direction::Lost, Direction::Gained].map(|direction| of_flips(report, direction)));
    found.retain(|attribution| !attribution.cases.is_empty());
    found
}

fn of_rule(report: &Report, comparison: &Comparison<'_>, rule: &RuleVerdict) -> Option<Attribution> {
    let table = &report.collected.table;
    let glob = rule.cases.as_deref().map(IdGlob::new).transpose().ok()?;
    let in_rule = |case: &usize| {
        let row = &table.cases[*case];
        rule.split.is_none_or(|split| split == row.split)
            && glob.as_ref().is_none_or(|glob| glob.matches(&row.id))
    };
    let cases = match (table.metric(&rule.subject), Special::parse(&rule.subject)) {
        (Some(metric), _) => worse(report, comparison, metric, &in_rule),
        (None, Some(Special::LostEvidence)) => {
            let lost = report.splits[0].lost_evidence.iter().copied().filter(in_rule);
            lost.map(|case| Held { case, amount: "content lost".to_owned() }).collect()
        }
        // Flips stand for themselves; the others are no matter of single calls.
        _ => Vec::new(),
    };
    Some(Attribution { subject: rule.subject.replace('_', " "), split: rule.split, cases })
}

/// The cases in which a metric became worse, those with the largest change first.
fn worse(
    report: &Report,
    comparison: &Comparison<'_>,
    metric: usize,
    in_rule: &dyn Fn(&usize) -> bool,
) -> Vec<Held> {
    let info = &report.collected.table.metrics[metric];
    let sign = if info.better == Better::Lower { 1.0 } else { -1.0 };
    let mut changed = csv_cases::changed(comparison, metric);
    changed.retain(|change| sign * change.delta > 0.0 && in_rule(&change.case));
    changed.sort_by(|a, b| b.delta.abs().total_cmp(&a.delta.abs()).then(a.case.cmp(&b.case)));
    let short = |value: f64| if value.fract() == 0.0 { grouped(value, 0) } else { grouped(value, 2) };
    let amount = |from: f64, to: f64| format!("{} -> {} an attempt", short(from), short(to));
    let held = changed
        .iter()
        .map(|change| Held { case: change.case, amount: amount(change.baseline, change.candidate) });
    held.collect()
}

fn of_flips(report: &Report, direction: Direction) -> Attribution {
    let flips = report.splits[0].flips.iter().filter(|flip| flip.direction == direction);
    let amount = |flip: &crate::verdict::FlipRow| {
        format!(
            "right {} of {} -> {} of {}",
            flip.baseline_right, flip.baseline_attempts, flip.candidate_right, flip.candidate_attempts
        )
    };
    Attribution {
        subject: format!("flips, {}", direction.as_str()),
        split: None,
        cases: flips.map(|flip| Held { case: flip.case, amount: amount(flip) }).collect(),
    }
}

/// `attempt 1, call 3`; `no call` where none differs.
pub fn place(parting: Option<&Parting>) -> String {
    match parting {
        Some(parting) => format!("attempt {}, call {}", parting.attempt, parting.call_index + 1),
        None => "no call".to_owned(),
    }
}

/// What differs there: `size: 8,000 -> 20,000 characters`. Words of the bench alone.
pub fn what(parting: &Parting) -> String {
    let each = parting.differs.iter().map(|difference| difference_words(parting, *difference));
    each.collect::<Vec<_>>().join("; ")
}

fn difference_words(parting: &Parting, difference: Difference) -> String {
    let (base, cand) = (parting.baseline, parting.candidate);
    let both = |of: &dyn Fn(Seen) -> String| match base.zip(cand) {
        Some((base, cand)) => format!("{difference}: {} -> {}", of(base), of(cand)),
        None => difference.to_string(),
    };
    let size = |seen: Seen| grouped(seen.result_chars as f64, 0);
    let alone = |what: &str| match (base, cand) {
        (Some(_), None) => format!("{difference}: the baseline alone {what}"),
        (None, Some(_)) => format!("{difference}: the candidate alone {what}"),
        _ => format!("{difference}: the sides ask for other things"),
    };
    match difference {
        Difference::Error => both(&|seen| outcome(seen.outcome).to_owned()),
        Difference::View => both(&|seen| view(seen.view).to_owned()),
        Difference::Size => both(&size) + " characters",
        Difference::Content => "content: another text of the same size".to_owned(),
        Difference::Order => "order: the same results, in another order".to_owned(),
        Difference::Cursor => alone("reads on"),
        Difference::Request => "request: another tool or other arguments".to_owned(),
        Difference::Call => alone("makes this call"),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::ToolError => "tool error",
        Outcome::ProtocolError => "protocol error",
        Outcome::Timeout => "timeout",
        Outcome::Crashed => "crash",
        Outcome::Skipped => "not sent",
    }
}

fn view(view: ViewKind) -> &'static str {
    match view {
        ViewKind::Whole => "shown whole",
        ViewKind::Spilled => "saved to a file",
        ViewKind::Rejected => "refused",
        ViewKind::Cut => "cut",
    }
}

/// Whether the case met the change.
pub fn seen(case: &CaseRow) -> &'static str {
    match case.exposed {
        Some(Exposure::Exposed) => "seen",
        Some(Exposure::Unexposed) => "never seen: it is not the change's doing",
        Some(Exposure::Unknown) => "not known: the same code differs there too",
        None => "not known: no side of the same code ran",
    }
}

/// One line a subject for Markdown, with names passed through `mark`; the first cases of each.
pub fn lines(report: &Report, mark: &dyn Fn(&str) -> String) -> Vec<String> {
    const SHOWN: usize = 3;
    let table = &report.collected.table;
    let one = |held: &Held| {
        let case = &table.cases[held.case];
        let parting = case.facts.parting.as_ref();
        let at = parting.map_or_else(
            || place(None),
            |parting| format!("{} ({}) {}", place(Some(parting)), mark(&parting.tool), what(parting)),
        );
        format!("{} {}, parts at {at}, change {}", mark(&case.id), held.amount, seen(case))
    };
    let line = |attribution: &Attribution| {
        let shown: Vec<String> = attribution.cases.iter().take(SHOWN).map(one).collect();
        let more = match attribution.cases.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        let split = attribution.split.map_or_else(String::new, |split| format!(" in {split}"));
        format!("{}{split}: {}{more}", mark(&attribution.subject), shown.join("; "))
    };
    of(report).iter().map(line).collect()
}
