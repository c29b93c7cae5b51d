//! Needs inferred as `last`: shares, bracket, and what the calls past a need must not touch.

use crate::traces::*;
use mcp_regress::report::{self, Report, Warning};
use mcp_regress::trace::{AttemptRecord, Bracket};
use mcp_regress::words::{ChainEnd, Layer, Metric, NeedKind, Outcome, Side, Split};
use serde_json::{Value, json};

/// Chains of `met` pages, of which the needs are inferred as `last`, read on to `all` pages: 0.2 of the
/// content is seen by page `low`, 0.95 by the last.
fn bracketed(pages: impl Fn(Side) -> (usize, usize, usize)) -> World {
    let mut world = World::new();
    for case in 0..8 {
        let id = format!("docs/case-{case}");
        world.reads(&id, Split::Dev, |side, _| (vec![1_000; pages(side).1], true));
    }
    for attempt in &mut world.attempts {
        let (low, met, all) = pages(attempt.side);
        attempt.needs[0].kind = NeedKind::Last;
        attempt.needs[0].bracket =
            Some(Bracket { low_at_call: Some(low as u32 - 1), high_at_call: Some(all as u32 - 1) });
        for page in met..all {
            let mut past = read(&attempt.case_id, page as u32, 1_000);
            past.past_need = true;
            attempt.calls.push(past);
        }
    }
    world
}

fn summary(report: &Report) -> Value {
    serde_json::from_str(&report::summary_json(report)).expect("JSON")
}

fn verdict(report: &Report) -> (&'static str, &str) {
    (report.rules[0].verdict.expect("a verdict").as_str(), &report.rules[0].reason)
}

#[test]
fn a_verdict_that_changes_inside_the_bracket_is_inconclusive() {
    // (pages at 0.2, met, at 0.95) on the baseline and on the candidate.
    for (base, cand, want) in [
        ((1, 3, 5), (1, 2, 3), ("pass", "")),
        ((1, 2, 3), (2, 3, 5), ("regression", "worse")),
        // As needs stand the candidate is better; at 0.95 it is worse.
        ((1, 3, 4), (1, 2, 6), ("inconclusive", "rests on inferred needs")),
        // At 0.2 it is worse.
        ((1, 3, 4), (2, 3, 4), ("inconclusive", "rests on inferred needs")),
        // Worse as needs stand, not at 0.95.
        ((1, 2, 5), (1, 3, 5), ("inconclusive", "rests on inferred needs")),
    ] {
        let mut world = bracketed(|side| if side.is_baseline_code() { base } else { cand });
        let report = world.rule(guardrail(Metric::ContinuationReads)).report();
        assert_eq!(verdict(&report), want, "{base:?} {cand:?}");
        let reads = 8.0 * 2.0;
        let ends = &summary(&report)["needs"]["continuation_reads"];
        for (end, base, cand) in [("0.2", base.0, cand.0), ("0.95", base.2, cand.2)] {
            let totals = (ends[end]["baseline_total"].as_f64(), ends[end]["candidate_total"].as_f64());
            assert_eq!(totals, (Some(reads * (base - 1) as f64), Some(reads * (cand - 1) as f64)), "{end}");
        }
    }
    // Other rules, and rules with a limit that all the bracket keeps, are as they were.
    let mut world = bracketed(|side| if side.is_baseline_code() { (1, 3, 4) } else { (1, 2, 6) });
    let report = world.rule(guardrail(Metric::ReadCalls)).report();
    assert_eq!(verdict(&report), ("pass", ""));
    for (max, want) in [(100.0, "pass"), (50.0, "inconclusive"), (10.0, "inconclusive")] {
        let mut world = world.clone();
        world.meta.rules =
            vec![at_most(mcp_regress::suite::Subject::Metric(Metric::ContinuationReads), max, CAND)];
        assert_eq!(verdict(&world.report()).0, want, "{max}");
    }
}

#[test]
fn calls_past_a_need_change_nothing_else() {
    let with = bracketed(|side| if side.is_baseline_code() { (1, 3, 5) } else { (1, 2, 4) });
    let mut without = with.clone();
    let mut wild = with.clone();
    without.attempts.iter_mut().for_each(|attempt| attempt.calls.retain(|call| !call.past_need));
    for (number, attempt) in wild.attempts.iter_mut().enumerate() {
        for call in attempt.calls.iter_mut().filter(|call| call.past_need) {
            call.outcome = [Outcome::Crashed, Outcome::ToolError, Outcome::Timeout][number % 3];
            call.oversized_by = vec![Layer::Chars];
            call.result_chars = 900_000 + number as u64;
            call.chain_end = Some(ChainEnd::Stuck);
            call.result_sha256 = format!("{number}");
            call.unknown_arguments = vec!["limit".to_owned()];
            (call.spill_reads, call.is_repeat) = (9, true);
        }
    }
    for world in [&mut wild, &mut without] {
        for case in 0..8 {
            let recorded = std::collections::BTreeMap::from([("r1".to_owned(), recorded(3, 2))]);
            world.case(&format!("docs/case-{case}"), Split::Dev).recorded = recorded;
        }
        for subject in [Metric::OversizedResults, Metric::Errors, Metric::ResultChars] {
            world.rule(guardrail(subject));
        }
    }
    let files = |world: &World| {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let report = world.report_in(folder.path());
        report::write_all(&report, out.path()).unwrap();
        let mut texts = Vec::new();
        for name in ["attempts.csv", "cases.csv", "metrics.csv", "flips.csv", "rules.csv"] {
            texts.push((name, std::fs::read_to_string(out.path().join(name)).unwrap()));
        }
        let mut summary = summary(&report);
        summary["needs"]["continuation_reads"] = Value::Null;
        texts.push(("summary.json", serde_json::to_string_pretty(&summary).unwrap()));
        texts
    };
    for (wild, without) in files(&wild).iter().zip(&files(&without)) {
        similar_asserts::assert_eq!(wild.1, without.1, "{}", wild.0);
    }
    let duration =
        |attempt: &AttemptRecord| mcp_regress::metric::measure(attempt, Metric::DurationMs).unwrap();
    assert!((duration(&wild.attempts[0]) + 2.0 * 3.125 - duration(&without.attempts[0])).abs() < 1e-9);
}

#[test]
fn the_shares_of_needs_are_told_and_order_is_warned_of() {
    let told = |report: &Report| report::terminal(report, &report::TerminalOptions::default());
    let mut world = bracketed(|side| if side.is_baseline_code() { (1, 3, 3) } else { (1, 1, 1) });
    for attempt in &mut world.attempts {
        if attempt.case_id.ends_with('7') {
            attempt.needs[0].kind = NeedKind::End;
            attempt.needs[0].bracket = None;
        }
    }
    let report = world.report();
    assert_eq!(summary(&report)["needs"]["by_kind"], json!({"end": 2, "last": 14}));
    assert!(told(&report).contains("needs: 88 % last, 12 % end; "), "{}", told(&report));
    // The candidate's first page is no larger and shows what the baseline walks to.
    let order = |report: &Report| {
        report
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::InferredOrder { names, .. } if names.len() == 7))
    };
    assert!(order(&report), "{:?}", report.warnings);
    // A larger window is no other order.
    let mut window = world.clone();
    for attempt in window.attempts.iter_mut().filter(|attempt| !attempt.side.is_baseline_code()) {
        attempt.calls[0].result_chars = 3_000;
    }
    assert!(!order(&window.report()));
    // Another rule of continuation is.
    for attempt in window.attempts.iter_mut().filter(|attempt| !attempt.side.is_baseline_code()) {
        let mut past = read(&attempt.case_id, 1, 1_000);
        (past.past_need, past.rule) = (true, Some("1".to_owned()));
        attempt.calls.push(past);
    }
    assert!(order(&window.report()));
    // Where few needs are inferred so, nothing is said.
    for attempt in world.attempts.iter_mut().filter(|attempt| attempt.case_id.as_str() > "docs/case-2") {
        attempt.needs[0].kind = NeedKind::Used;
        attempt.needs[0].bracket = None;
    }
    assert!(!world.report().warnings.iter().any(|warning| matches!(warning, Warning::InferredOrder { .. })));
    let written = windows().report();
    assert!(!told(&written).contains("needs:"), "{}", told(&written));
}
