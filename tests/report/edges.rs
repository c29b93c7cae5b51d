//! Edge cases as a person sees them: what stands in place of an interval, and what figures rest on.

use crate::traces::*;
use mcp_regress::report::{self, Report, Warning};
use mcp_regress::suite::{Margin, Special};
use mcp_regress::words::{Metric, Role, Side, Split, Status};

fn told(report: &Report) -> String {
    let options = report::TerminalOptions { width: Some(1_000), ..Default::default() };
    let (terminal, markdown) = (report::terminal(report, &options), report::summary_md(report));
    // Both faces say the same.
    terminal + &markdown
}

fn says(report: &Report, text: &str) {
    let told = told(report);
    assert!(
        told.to_lowercase().matches(&text.to_lowercase()).count() >= 2,
        "{text:?} is not in both of:\n{told}"
    );
}

fn row(report: &Report, metric: Metric) -> mcp_regress::verdict::MetricRow {
    let place = report.collected.table.metric(metric.as_str()).expect("a column");
    report.splits[0].metric(place).expect("a row").clone()
}

fn pages(cases: usize, count: impl Fn(usize, Side, u32) -> usize) -> World {
    let mut world = World::new();
    for case in 0..cases {
        let pages = |side, number| (vec![1_000; count(case, side, number)], true);
        world.reads(&format!("set/{case:02}"), Split::Dev, pages);
    }
    world
}

#[test]
fn where_nothing_changed_the_bound_stands_for_the_interval() {
    let report = pages(83, |_, _, _| 2).report();
    says(&report, "no case changed");
    says(&report, "where no case changed (n = 83), up to 3.5 % of cases like these would");
    assert_eq!(row(&report, Metric::ReadCalls).ci_low, None);
}

#[test]
fn one_case_has_an_estimate_and_nothing_over_cases() {
    let report = pages(1, |_, side, _| if side.is_baseline_code() { 3 } else { 2 }).report();
    let row = row(&report, Metric::ReadCalls);
    assert_eq!(
        (row.delta, row.ci_low, row.t_low, row.p_t, row.p_signflip),
        (Some(-1.0), None, None, None, None)
    );
    says(&report, "one case");
}

#[test]
fn a_pass_beside_something_worse_says_that_no_rule_asks() {
    let more = |_, side: Side, _| if side.is_baseline_code() { 1 } else { 3 };
    let mut world = pages(8, more);
    world.rule(guardrail(Metric::Errors));
    says(&world.report(), "continuation reads 0 -> 32 on these cases; worse, and no rule asks for it");
    let mut better = pages(8, |case, side, number| 4 - more(case, side, number));
    better.rule(guardrail(Metric::Errors));
    assert!(!told(&better.report()).contains("no rule asks"));
}

#[test]
fn no_fall_by_more_than_everything_is_promised() {
    let mut world = pages(3, |case, side, _| 1 + usize::from(case == 0 && side.is_baseline_code()));
    world.rule(guardrail(Metric::ContinuationReads));
    says(&world.report(), "not shown (could have seen +280 %, and no fall with 80 % power)");
}

#[test]
fn few_changed_cases_are_counted_beside_the_interval() {
    let report =
        pages(20, |case, side, _| 2 + 2 * usize::from(case == 3 && !side.is_baseline_code())).report();
    assert!(row(&report, Metric::ReadCalls).sparse);
    says(&report, "; 1 of 20 cases changed; one case holds over a quarter of the spread");
}

#[test]
fn unequal_attempts_show_totals_beside_means() {
    let mut world = pages(10, |case, side, _| 2 + usize::from(case == 0 && !side.is_baseline_code()));
    world.rule(guardrail(Metric::ReadCalls));
    for side in [BASE, CAND, SAME] {
        world.attempt("set/03", side, 2).status = Status::Infrastructure;
    }
    let report = world.report();
    says(&report, "read calls, mean 2.00 -> 2.10 (+5.0 %, totals 38 -> 40)");
}

#[test]
fn cases_without_an_ok_attempt_are_counted_by_side_and_bounded_by_a_rule() {
    let mut world = pages(6, |_, _, _| 2);
    for (id, side) in [("set/00", BASE), ("set/01", CAND), ("set/02", CAND)] {
        (1..=2).for_each(|number| world.attempt(id, side, number).status = Status::Failed);
    }
    world.rule(at_most(special(Special::UnpairedCases), 2.0, CAND));
    let report = world.report();
    let warning = report.warnings.iter().find(|warning| matches!(warning, Warning::Unpaired { .. }));
    assert!(
        matches!(warning, Some(Warning::Unpaired { names, baseline: 1, candidate: 2 }) if names.len() == 3),
        "{warning:?}"
    );
    assert_eq!(report.rules[0].verdict, Some(mcp_regress::verdict::Verdict::Regression));
    says(&report, "evidence recall");
    says(&report, "whatever the failed attempts (2 baseline, 4 candidate) would have given");
}

#[test]
fn each_same_code_run_and_the_prediction_are_told() {
    let mut world = World::new();
    world.meta.same_code = 2;
    for case in 0..12 {
        world.reads(&format!("set/{case:02}"), Split::Dev, |side, number| {
            let more = match side {
                Side::SameCode(k) => (case + number + k) % 3 == 0,
                Side::Candidate | Side::CandidateAgain => true,
                _ => false,
            };
            (vec![1_000; 2 + usize::from(more)], true)
        });
    }
    world.rule(relative(
        mcp_regress::suite::Subject::Metric(Metric::ReadCalls),
        Margin::Absolute(0.0),
        Role::Guardrail,
    ));
    let report = world.report();
    let row = row(&report, Metric::ReadCalls);
    assert_eq!(row.same_code_deltas.len(), 2);
    says(&report, "against the baseline the same code gave +8, +8; from 3 runs, the next would lie within [");
}

#[test]
fn runs_that_drift_are_warned_of() {
    let mut world = World::new();
    for case in 0..40u32 {
        world.reads(&format!("set/{case:02}"), Split::Dev, |side, _| {
            let more = matches!(side, Side::SameCode(_)) && case % 4 != 0;
            (vec![1_000; 2 + usize::from(more)], true)
        });
    }
    let report = world.report();
    let drift = row(&report, Metric::ReadCalls).drift.expect("a drift");
    assert!(drift.df == 1 && drift.p().unwrap() < 0.01, "{drift:?}");
    says(&report, "whole runs of the same code differ by more than their attempts explain");
    let calm = pages(10, |_, _, _| 2).report();
    assert_eq!(row(&calm, Metric::ReadCalls).drift, None, "no noise, no drift");
}
