//! junit.xml: what a CI shows as tests. A suite a unit of the rules' metrics with a test a rule, and one suite with
//! a test a case.

use super::Report;
use super::phrase::{counted, plain};
use super::sentence;
use crate::stats::flips::Direction;
use crate::trace::FailOn;
use crate::verdict::{FlipRow, RuleVerdict, Verdict};
use crate::words::Metric;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The file's text. It holds no clock value: replays take their time for reasons of their own.
///
/// # Errors
/// When it cannot be put into words.
pub fn render(report: &Report) -> io::Result<String> {
    let mut suites = BTreeMap::<&str, TestSuite>::new();
    for rule in &report.rules {
        let group = group(&rule.subject);
        let suite = suites.entry(group).or_insert_with(|| TestSuite::new(format!("rules: {group}")));
        suite.add_test_case(of_rule(report, rule));
    }
    let mut suites: Vec<TestSuite> = suites.into_values().collect();
    suites.push(cases(report));
    suites.extend(gaps(report));
    text(suites)
}

/// What a run says that could not begin, or could not go on, for a side's sake.
///
/// # Errors
/// As [`render`].
pub fn failed_side(message: &str) -> io::Result<String> {
    let mut suite = TestSuite::new("sides");
    suite.add_test_case(test(
        "sides",
        "both sides start",
        status(NonSuccessKind::Error, "side failed", message),
    ));
    text(vec![suite])
}

fn text(suites: Vec<TestSuite>) -> io::Result<String> {
    let mut report = quick_junit::Report::new("mcp-regress");
    report.add_test_suites(suites);
    report.to_string().map_err(io::Error::other)
}

fn test(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut test = TestCase::new(plain(name), status);
    test.set_classname(format!("mcp-regress.{class}"));
    test
}

fn status(kind: NonSuccessKind, what: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(what).set_message(message);
    status
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

/// The unit of a metric; what is no metric of an attempt is of the run.
fn group(subject: &str) -> &'static str {
    Metric::parse(subject).map_or("run", |metric| metric.unit().as_str())
}

fn of_rule(report: &Report, rule: &RuleVerdict) -> TestCase {
    let figures = sentence::rule_figures(report, rule);
    let status = match rule.verdict {
        None if rule.role.as_str() == "info" => skipped("not judged: its role is `info`"),
        None => skipped(&format!("not judged: {}", plain(&rule.reason))),
        Some(Verdict::Pass) => TestCaseStatus::success(),
        Some(Verdict::Regression) => status(NonSuccessKind::Failure, "regression", &figures),
        Some(Verdict::Incomplete) => status(NonSuccessKind::Error, "incomplete", &figures),
        Some(Verdict::Inconclusive) if report.meta.gate.fail_on == FailOn::Inconclusive => {
            status(NonSuccessKind::Failure, "inconclusive", &figures)
        }
        Some(Verdict::Inconclusive) => skipped(&format!("inconclusive: {figures}")),
    };
    let mut name = format!("{} (rule {})", rule.subject, rule.rule_index);
    if let Some(split) = rule.split {
        name.push_str(&format!(", {split}"));
    }
    if let Some(glob) = &rule.cases {
        name.push_str(&format!(", {glob}"));
    }
    let mut test = test("rules", &name, status);
    if rule.verdict == Some(Verdict::Pass) {
        test.set_system_out(figures);
    }
    test
}

/// One test a case: a case that was right and no longer is has failed.
fn cases(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new("cases");
    let all = &report.splits[0];
    let flips: HashMap<usize, &FlipRow> = all.flips.iter().map(|flip| (flip.case, flip)).collect();
    let mut apart = HashMap::new();
    for (cases, why) in [
        (&all.skipped, "no call of it may be replayed"),
        (&all.stale, "its needs are met on no side"),
        (&all.unpaired, "no attempt is ok on both sides"),
    ] {
        apart.extend(cases.iter().map(|case| (*case, why)));
    }
    // Of a summary.json the names of few cases are known.
    let named = report.collected.table.cases.iter().enumerate().filter(|(_, case)| !case.id.is_empty());
    for (place, case) in named {
        let mut test = match (apart.get(&place), flips.get(&place)) {
            (Some(why), _) => test(case.split.as_str(), &case.id, skipped(why)),
            (None, Some(flip)) => flipped(report, place, flip),
            (None, None) => test(case.split.as_str(), &case.id, TestCaseStatus::success()),
        };
        if all.lost_evidence.contains(&place) {
            test.set_system_out("content that the baseline showed is not shown by the candidate");
        }
        suite.add_test_case(test);
    }
    suite
}

fn flipped(report: &Report, place: usize, flip: &FlipRow) -> TestCase {
    let case = &report.collected.table.cases[place];
    let said = format!(
        "{}: right in {} of {} attempts on the baseline, in {} of {} on the candidate",
        flip.direction.as_str(),
        flip.baseline_right,
        flip.baseline_attempts,
        flip.candidate_right,
        flip.candidate_attempts
    );
    let fresh = report.confirmation.as_ref().and_then(|confirmation| confirmation.case(place));
    let is_refuted = fresh.is_some_and(|fresh| fresh.flip() != Some(flip.direction));
    if flip.direction == Direction::Lost && !is_refuted {
        return test(case.split.as_str(), &case.id, status(NonSuccessKind::Failure, "flip", &said));
    }
    let mut test = test(case.split.as_str(), &case.id, TestCaseStatus::success());
    let note = if is_refuted { "; fresh attempts do not repeat it" } else { "" };
    test.set_system_out(format!("{said}{note}"));
    test
}

/// Planned attempts that are not there.
fn gaps(report: &Report) -> Option<TestSuite> {
    let missing = report.missing.len();
    if missing == 0 {
        return None;
    }
    let mut suite = TestSuite::new("run");
    let attempts = counted(report.planned_attempts() as u64, "attempt", "attempts");
    let message = format!("{missing} of {attempts} have no record");
    suite.add_test_case(test(
        "run",
        "every planned attempt",
        status(NonSuccessKind::Error, "incomplete", &message),
    ));
    Some(suite)
}
