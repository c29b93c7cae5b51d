//! Rules to verdicts and exit codes: each line of the verdict table and each key of a rule.

use crate::traces::*;
use mcp_regress::exit::ExitCode;
use mcp_regress::suite::{Bound, Margin, Require, Rule, Special, Subject};
use mcp_regress::trace::{FailOn, GateSettings, MissingPolicy};
use mcp_regress::verdict::{Overall, Verdict};
use mcp_regress::words::{Metric, Question, Role, Side, Split, Status};

/// A world in which a case has one page of this many chars on a side, by case number.
fn sized(cases: u32, size: impl Fn(u32, Side, u32) -> u64) -> World {
    let mut world = World::new();
    for case in 0..cases {
        let split = if case % 2 == 0 { Split::Dev } else { Split::Test };
        world.reads(&format!("set/{case:02}"), split, |side, number| (vec![size(case, side, number)], true));
    }
    world
}

/// A world in which a case reads this many pages of 1,000 chars.
fn paged(cases: u32, pages: impl Fn(u32, Side, u32) -> usize) -> World {
    let mut world = World::new();
    for case in 0..cases {
        let split = if case % 2 == 0 { Split::Dev } else { Split::Test };
        world.reads(&format!("set/{case:02}"), split, |side, number| {
            (vec![1_000; pages(case, side, number)], true)
        });
    }
    world
}

fn judged(world: &World, rule: Rule) -> (Option<Verdict>, String, Option<f64>) {
    let mut world = world.clone();
    world.rule(rule);
    let report = world.report();
    let verdict = report.rules.last().unwrap();
    (verdict.verdict, verdict.reason.clone(), verdict.value)
}

fn says(world: &World, rule: Rule) -> (Verdict, String) {
    let (verdict, reason, _) = judged(world, rule);
    (verdict.unwrap(), reason)
}

fn is_candidate(side: Side) -> bool {
    !side.is_baseline_code()
}

fn asks(metric: Metric, margin: f64, role: Role, question: Question) -> Rule {
    Rule {
        subject: Subject::Metric(metric),
        bound: Bound::Relative { margin: Margin::Absolute(margin), role, question: Some(question) },
        split: None,
        cases: None,
        is_implied: false,
    }
}

const READS: Metric = Metric::ReadCalls;
const CHARS: Metric = Metric::ResultChars;
use Question::{CasesLikeThese, TheseCases};
use Role::{Goal, Guardrail};
use Verdict::{Incomplete, Inconclusive, Pass, Regression};

#[test]
fn these_cases_when_the_same_code_repeats_itself() {
    let same = paged(6, |_, _, _| 2);
    let one_more =
        paged(6, |case, side, number| 2 + usize::from(case == 0 && number == 1 && is_candidate(side)));
    let one_less =
        paged(6, |case, side, number| 2 - usize::from(case == 0 && number == 1 && is_candidate(side)));
    for (world, rule, verdict, reason) in [
        (&same, asks(READS, 0.0, Guardrail, TheseCases), Pass, ""),
        (&one_more, asks(READS, 0.0, Guardrail, TheseCases), Regression, "worse"),
        (&one_more, asks(READS, 0.1, Guardrail, TheseCases), Pass, ""),
        (&one_less, asks(READS, 0.0, Guardrail, TheseCases), Pass, ""),
        (&one_less, asks(READS, 0.0, Goal, TheseCases), Pass, ""),
        (&one_less, asks(READS, 0.5, Goal, TheseCases), Regression, "goal not met"),
        (&same, asks(READS, 0.0, Goal, TheseCases), Regression, "goal not met"),
    ] {
        assert_eq!(says(world, rule.clone()), (verdict, reason.to_owned()), "{rule:?}");
    }
}

#[test]
fn sizes_need_ten_same_code_pairs_and_counts_do_not() {
    let grown = |cases| sized(cases, |_, side, _| if is_candidate(side) { 1_100 } else { 1_000 });
    let rule = asks(CHARS, 0.0, Guardrail, TheseCases);
    assert_eq!(says(&grown(4), rule.clone()), (Inconclusive, "few pairs".to_owned()), "8 pairs");
    assert_eq!(says(&grown(5), rule.clone()), (Regression, "worse".to_owned()), "10 pairs");
    let shrunk = sized(1, |_, side, _| if is_candidate(side) { 900 } else { 1_000 });
    assert_eq!(says(&shrunk, rule).0, Pass, "an improvement passes at any number of pairs");
    let more = paged(1, |_, side, _| if is_candidate(side) { 3 } else { 2 });
    assert_eq!(says(&more, asks(READS, 0.0, Guardrail, TheseCases)).0, Regression);
}

#[test]
fn these_cases_when_the_same_code_differs() {
    // The same code is off by 20 in every attempt, so the noise of the mean of 32 is known.
    let noisy = |shift: i64| {
        sized(16, move |case, side, number| {
            let sign = if (case + number) % 2 == 0 { 20 } else { -20 };
            let base = match side {
                Side::SameCode(_) => 1_000 + sign,
                _ if is_candidate(side) => 1_000 + shift,
                _ => 1_000,
            };
            base as u64
        })
    };
    let rule = |margin| asks(CHARS, margin, Guardrail, TheseCases);
    assert_eq!(says(&noisy(40), rule(0.0)), (Regression, "worse".to_owned()));
    assert_eq!(says(&noisy(2), rule(0.0)), (Inconclusive, "not settled".to_owned()));
    assert_eq!(says(&noisy(2), rule(20.0)), (Pass, String::new()));
    assert_eq!(says(&noisy(-40), rule(0.0)), (Pass, String::new()));
    let silent = {
        let mut world = sized(6, |_, side, _| if is_candidate(side) { 1_010 } else { 1_000 });
        world.meta.same_code = 0;
        world.attempts.retain(|attempt| attempt.side != SAME);
        world
    };
    assert_eq!(says(&silent, rule(0.0)), (Inconclusive, "noise unknown".to_owned()));
}

#[test]
fn cases_like_these_need_a_spread_over_cases() {
    let worse = |cases| {
        sized(cases, |case, side, _| 1_000 + if is_candidate(side) { 100 + u64::from(case) } else { 0 })
    };
    let rule = |margin| asks(CHARS, margin, Guardrail, CasesLikeThese);
    assert_eq!(says(&worse(12), rule(0.0)), (Regression, "worse".to_owned()));
    assert_eq!(says(&worse(12), rule(200.0)), (Pass, String::new()));
    assert_eq!(says(&worse(5), rule(0.0)), (Inconclusive, "too few cases".to_owned()));
    let alike = sized(12, |_, side, _| if is_candidate(side) { 1_100 } else { 1_000 });
    assert_eq!(says(&alike, rule(0.0)), (Inconclusive, "all cases alike".to_owned()));
    let same = sized(12, |_, _, _| 1_000);
    let recall = |margin| asks(Metric::EvidenceRecall, margin, Guardrail, CasesLikeThese);
    assert_eq!(
        says(&same, recall(0.05)),
        (Inconclusive, "all cases alike".to_owned()),
        "1 - .05^(1/12) is .22"
    );
    assert_eq!(says(&same, recall(0.25)), (Pass, String::new()));
    assert_eq!(says(&same, rule(0.0)).0, Inconclusive, "never pass from [0, 0]");
}

#[test]
fn a_margin_in_percent_is_a_share_of_the_baseline() {
    let grown = |by: u64| sized(6, move |_, side, _| if is_candidate(side) { 1_000 + by } else { 1_000 });
    let rule = relative(Subject::Metric(CHARS), Margin::Percent(0.05), Guardrail);
    assert_eq!(says(&grown(50), rule.clone()).0, Pass);
    assert_eq!(says(&grown(51), rule.clone()).0, Regression);
    let (_, _, value) = judged(&grown(51), rule);
    assert!((value.unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn info_is_shown_and_never_judged() {
    let worse = paged(3, |_, side, _| if is_candidate(side) { 3 } else { 2 });
    let (verdict, reason, value) = judged(&worse, asks(READS, 0.0, Role::Info, TheseCases));
    assert_eq!((verdict, reason.as_str(), value), (None, "", Some(1.0)));
}

#[test]
fn absolute_rules_compare_totals_on_a_side() {
    let world = paged(4, |_, side, _| if is_candidate(side) { 3 } else { 2 });
    let reads = || Subject::Metric(READS);
    let largest = Subject::Metric(Metric::MaxResultChars);
    let recall = Subject::Metric(Metric::EvidenceRecall);
    for (rule, verdict, value) in [
        (at_most(reads(), 24.0, CAND), Pass, 24.0),
        (at_most(reads(), 23.0, CAND), Regression, 24.0),
        (at_most(reads(), 16.0, BASE), Pass, 16.0),
        (at_least(reads(), 25.0, CAND), Regression, 24.0),
        (at_least(reads(), 24.0, CAND), Pass, 24.0),
        (at_most(largest, 1_000.0, CAND), Pass, 1_000.0),
        (at_most(special(Special::LargestResult), 999.0, CAND), Regression, 1_000.0),
        (at_least(recall, 1.0, CAND), Pass, 1.0),
        (Rule { split: Some(Split::Dev), ..at_most(reads(), 12.0, CAND) }, Pass, 12.0),
        (Rule { cases: Some("set/0[01]".to_owned()), ..at_most(reads(), 12.0, CAND) }, Pass, 12.0),
    ] {
        let (found, _, total) = judged(&world, rule.clone());
        assert_eq!((found, total), (Some(verdict), Some(value)), "{rule:?}");
    }
    let nowhere = Rule { cases: Some("none/*".to_owned()), ..at_most(reads(), 0.0, CAND) };
    assert_eq!(says(&world, nowhere), (Incomplete, "nothing to judge".to_owned()));
    let nowhere = Rule { cases: Some("none/*".to_owned()), ..guardrail(READS) };
    assert_eq!(says(&world, nowhere), (Incomplete, "no pairs".to_owned()));
}

#[test]
fn split_and_cases_narrow_a_relative_rule() {
    let world = paged(4, |case, side, _| 2 + usize::from(case == 1 && is_candidate(side)));
    for (split, cases, verdict) in [
        (None, None, Regression),
        (Some(Split::Test), None, Regression),
        (Some(Split::Dev), None, Pass),
        (None, Some("set/0[0,2,3]"), Pass),
        (None, Some("*1"), Regression),
    ] {
        let rule = Rule { split, cases: cases.map(str::to_owned), ..guardrail(READS) };
        assert_eq!(says(&world, rule.clone()).0, verdict, "{rule:?}");
    }
}

/// Six cases; the needs of case `set/00` are unmet on these sides.
fn unmet_on(sides: &[Side]) -> World {
    let mut world = paged(6, |_, _, _| 2);
    for attempt in world.attempts.iter_mut().filter(|a| a.case_id == "set/00" && sides.contains(&a.side)) {
        attempt.needs[0].met = false;
        attempt.needs[0].met_at_call = None;
    }
    world
}

#[test]
fn special_subjects_count_what_their_names_say() {
    let lost = unmet_on(&[CAND, AGAIN]);
    let gained = unmet_on(&[BASE, SAME]);
    let stale = unmet_on(&[BASE, SAME, CAND, AGAIN]);
    let mut failing = paged(6, |_, _, _| 2);
    failing.attempt("set/00", CAND, 1).status = Status::Failed;
    let mut unpaired = failing.clone();
    unpaired.attempt("set/00", CAND, 2).status = Status::Failed;
    let none = |of: Special| at_most(special(of), 0.0, CAND);
    for (world, rule, verdict, value) in [
        (&lost, none(Special::Flips), Regression, 1.0),
        (&lost, at_most(special(Special::Flips), 1.0, CAND), Pass, 1.0),
        (&gained, none(Special::Flips), Pass, 0.0),
        (&stale, none(Special::Flips), Pass, 0.0),
        (&lost, none(Special::LostEvidence), Regression, 1.0),
        (&gained, none(Special::LostEvidence), Pass, 0.0),
        (&stale, none(Special::StaleCases), Regression, 1.0),
        (&gained, none(Special::StaleCases), Pass, 0.0),
        (&failing, none(Special::FailedAttempts), Regression, 1.0),
        (&failing, at_most(special(Special::FailedAttempts), 0.0, BASE), Pass, 0.0),
        (&failing, none(Special::UnpairedCases), Pass, 0.0),
        (&unpaired, none(Special::UnpairedCases), Regression, 1.0),
    ] {
        let (found, _, count) = judged(world, rule.clone());
        assert_eq!((found, count), (Some(verdict), Some(value)), "{rule:?}");
    }
}

#[test]
fn failed_attempts_is_a_guardrail_of_its_own() {
    let rule = relative(special(Special::FailedAttempts), Margin::Absolute(0.0), Guardrail);
    let calm = paged(6, |_, _, _| 2);
    assert_eq!(says(&calm, rule.clone()).0, Pass);
    let mut failing = calm.clone();
    failing.attempt("set/00", CAND, 1).status = Status::Failed;
    failing.attempt("set/00", AGAIN, 1).status = Status::Failed;
    let (verdict, _, value) = judged(&failing, rule.clone());
    assert_eq!((verdict, value), (Some(Regression), Some(1.0 / 12.0)));
    let mut environment = calm;
    environment.attempt("set/00", CAND, 1).status = Status::Infrastructure;
    assert_eq!(says(&environment, rule).0, Pass, "the environment is not the server");
}

#[test]
fn a_failed_attempt_is_the_worst_share_unless_told_otherwise() {
    let mut world = paged(6, |_, _, _| 2);
    for side in [CAND, AGAIN] {
        world.attempt("set/00", side, 1).status = Status::Failed;
    }
    let rule = guardrail(Metric::EvidenceRecall);
    assert_eq!(says(&world, rule.clone()).0, Regression);
    assert_eq!(says(&world, guardrail(READS)).0, Pass, "costs use ok attempts alone");
    world.meta.gate.missing = MissingPolicy::OkOnly;
    assert_eq!(says(&world, rule).0, Pass);
}

#[test]
fn tools_list_by_what_it_requires() {
    let changed = |change: &dyn Fn(&mut mcp_regress::trace::ToolMeta)| {
        let mut tool = tool("read_document");
        change(&mut tool);
        tool.sha256 = "changed".to_owned();
        list_of(vec![tool])
    };
    let two = list_of(vec![tool("a"), tool("b")]);
    let turned = list_of(vec![tool("b"), tool("a")]);
    let optional = changed(&|tool| tool.arguments.push("mode".to_owned()));
    let required = changed(&|tool| tool.required.push("limit".to_owned()));
    let described = changed(&|tool| tool.description_sha256 = "other".to_owned());
    let gone = changed(&|tool| tool.arguments.retain(|name| name != "limit"));
    let one = tools(&["read_document"]);
    for (base, cand, verdicts) in [
        (&one, &one, [Pass, Pass, Pass]),
        (&two, &turned, [Regression, Pass, Pass]),
        (&one, &optional, [Regression, Regression, Pass]),
        (&one, &described, [Regression, Regression, Pass]),
        (&one, &required, [Regression, Regression, Regression]),
        (&one, &gone, [Regression, Regression, Regression]),
        (&one, &tools(&["read_document", "new"]), [Regression, Regression, Pass]),
        (&two, &one, [Regression, Regression, Regression]),
    ] {
        let mut world = paged(1, |_, _, _| 1);
        world.meta.sides.get_mut("baseline").unwrap().tools_list = Some(base.clone());
        world.meta.sides.get_mut("candidate").unwrap().tools_list = Some(cand.clone());
        for (wanted, verdict) in
            [Require::Identical, Require::SameTools, Require::Compatible].into_iter().zip(verdicts)
        {
            assert_eq!(says(&world, require(wanted)).0, verdict, "{wanted} {cand:?}");
        }
    }
    let mut unknown = paged(1, |_, _, _| 1);
    unknown.meta.sides.get_mut("candidate").unwrap().tools_list = None;
    assert_eq!(says(&unknown, require(Require::Identical)).0, Incomplete);
}

#[test]
fn holm_spans_the_guardrails_of_one_split() {
    // One sharp guardrail is a regression; the same among many weak ones still has its own p.
    let noisy = sized(16, |case, side, number| {
        let sign = if (case + number) % 2 == 0 { 20 } else { -20 };
        (match side {
            Side::SameCode(_) => 1_000 + sign,
            _ if is_candidate(side) => 1_007,
            _ => 1_000,
        }) as u64
    });
    let mut world = noisy.clone();
    world.rule(guardrail(CHARS));
    let alone = world.report().rules[0].clone();
    assert_eq!((alone.verdict, alone.p), (Some(Regression), alone.p_holm));
    world.rule(guardrail(Metric::ViewChars)).rule(guardrail(Metric::ResultWireBytes));
    let among = world.report().rules[0].clone();
    assert_eq!(among.p, alone.p);
    assert_eq!(among.p_holm, alone.p.map(|p| 3.0 * p));
    world.meta.rules[1].split = Some(Split::Dev);
    assert_eq!(world.report().rules[0].p_holm, alone.p.map(|p| 2.0 * p), "another split is another family");
}

#[test]
fn the_exit_code_follows_the_verdicts_and_the_gaps() {
    let worse = paged(6, |_, side, _| if is_candidate(side) { 3 } else { 2 });
    let open = sized(2, |_, side, _| if is_candidate(side) { 1_100 } else { 1_000 });
    let calm = paged(6, |_, _, _| 2);
    let settings = |fail_on, warn_only| GateSettings { missing: MissingPolicy::AsWorst, fail_on, warn_only };
    let normal = settings(FailOn::Regression, false);
    let strict = settings(FailOn::Inconclusive, false);
    let lenient = settings(FailOn::Inconclusive, true);
    let mut gap = worse.clone();
    gap.attempts.retain(|attempt| (attempt.side, attempt.attempt) != (SAME, 2));
    let mut apart = calm.clone();
    apart.attempts.iter_mut().filter(|a| !a.side.is_baseline_code()).for_each(|a| a.status = Status::Failed);
    let recall = Metric::EvidenceRecall;
    for (world, metric, settings, verdict, exit, also) in [
        (&calm, Some(READS), normal, Overall::Pass, ExitCode::Success, vec![]),
        (&calm, None, normal, Overall::None, ExitCode::Success, vec![]),
        (&worse, Some(READS), normal, Overall::Regression, ExitCode::Regression, vec![]),
        (&worse, Some(READS), lenient, Overall::Regression, ExitCode::Success, vec![]),
        (&open, Some(CHARS), normal, Overall::Inconclusive, ExitCode::Success, vec![]),
        (&open, Some(CHARS), strict, Overall::Inconclusive, ExitCode::Inconclusive, vec![]),
        (&open, Some(CHARS), lenient, Overall::Inconclusive, ExitCode::Success, vec![]),
        (&gap, Some(READS), normal, Overall::Incomplete, ExitCode::Incomplete, vec![ExitCode::Regression]),
        (&gap, Some(READS), lenient, Overall::Incomplete, ExitCode::Incomplete, vec![]),
        (&apart, Some(recall), normal, Overall::Incomplete, ExitCode::Incomplete, vec![ExitCode::Regression]),
    ] {
        let mut world = world.clone();
        world.meta.gate = settings;
        metric.into_iter().for_each(|metric| {
            world.rule(guardrail(metric));
        });
        let gate = world.report().gate;
        assert_eq!((gate.verdict, gate.exit, gate.also), (verdict, exit, also), "{metric:?} {settings:?}");
    }
}

#[test]
fn a_cost_is_not_better_when_content_is_lost() {
    let mut world = paged(6, |_, side, _| if is_candidate(side) { 1 } else { 2 });
    let word = |world: &World| {
        let report = world.report();
        let place = report.collected.table.metric("read_calls").unwrap();
        let row = report.splits[0].metric(place).unwrap().clone();
        (row.call, row.reason)
    };
    assert_eq!(word(&world), (Some("better"), None));
    for side in [CAND, AGAIN] {
        for number in 1..=2 {
            if side == CAND || number == 1 {
                world.attempt("set/03", side, number).needs[0].met = false;
            }
        }
    }
    assert_eq!(word(&world), (Some("~"), Some("content lost")));
    assert_eq!(world.report().splits[0].lost_evidence, [4], "dev comes before test");
}
