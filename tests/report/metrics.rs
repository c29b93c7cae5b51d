//! From records to numbers, and from journals to records.

use crate::traces::*;
use mcp_regress::metric::exposure::{self, Exposure};
use mcp_regress::metric::measure;
use mcp_regress::report::{self, Warning};
use mcp_regress::trace::{AttemptRecord, CallRecord, JournalNote};
use mcp_regress::words::{ChainEnd, Evidence, Metric, Outcome, Side, Split, Status, ToolKind};
use std::collections::BTreeMap;
use std::io::Write;

fn attempt(sizes: &[u64]) -> AttemptRecord {
    walk("case", Split::Dev, BASE, 1, sizes, true)
}

#[test]
fn each_metric_counts_what_its_definition_says() {
    let mut record = attempt(&[60_000, 900, 800, 700, 600]);
    record.calls[1].is_shrunk_retry = true;
    record.calls[2].is_repeat = true;
    record.calls[2].chain_end = Some(ChainEnd::Stuck);
    record.calls[0].spill_reads = 3;
    record.calls[3].outcome = Outcome::ToolError;
    record.calls[3].chain_end = Some(ChainEnd::Capped);
    let mut search = read("case", 7, 50);
    (search.kind, search.in_read_step, search.continuation) = (ToolKind::Search, false, None);
    search.is_repeat = true;
    let mut listed = read("case", 8, 60);
    (listed.in_read_step, listed.continuation) = (false, None);
    let mut skipped = read("case", 9, 9_999);
    (skipped.outcome, skipped.kind) = (Outcome::Skipped, ToolKind::Write);
    let mut past = read("case", 10, 8_888);
    past.past_need = true;
    record.calls.extend([search, listed, skipped, past]);
    record.needs.push(need(1, true, ChainEnd::Met, Some(6)));
    record.needs[0].evidence_total = 2;
    record.needs[0].evidence_seen = 1;
    for (metric, value) in [
        (Metric::ToolCalls, Some(7.0)),
        (Metric::AgentCalls, Some(10.0)),
        (Metric::ReadCalls, Some(6.0)),
        (Metric::ContinuationReads, Some(3.0)),
        (Metric::ShrunkRetries, Some(1.0)),
        (Metric::SpillReads, Some(3.0)),
        (Metric::RepeatedReads, Some(1.0)),
        (Metric::StuckChains, Some(1.0)),
        (Metric::CappedChains, Some(1.0)),
        (Metric::OversizedResults, Some(1.0)),
        (Metric::MaxResultChars, Some(60_000.0)),
        (Metric::ResultChars, Some(63_110.0)),
        (Metric::ResultWireBytes, Some(63_110.0 + 7.0 * 40.0)),
        (Metric::ViewChars, Some(3_310.0)),
        (Metric::InputTokens, Some(f64::from(200 / 3 + 300 + 800 / 3 + 700 / 3 + 200 + 50 / 3 + 20))),
        (Metric::EvidenceRecall, Some(3.0 / 4.0)),
        (Metric::CallsToEvidence, Some(7.0)),
        (Metric::Errors, Some(1.0)),
        // Without the call past the need.
        (Metric::DurationMs, Some(20.25 - 3.125)),
        (Metric::OutputTokens, None),
        (Metric::Correct, None),
    ] {
        assert_eq!(measure(&record, metric), value, "{metric}");
    }
}

#[test]
fn what_is_not_there_is_empty() {
    let mut nothing = attempt(&[]);
    nothing.needs.clear();
    assert_eq!(measure(&nothing, Metric::ToolCalls), Some(0.0));
    assert_eq!(measure(&nothing, Metric::MaxResultChars), None);
    assert_eq!(measure(&nothing, Metric::EvidenceRecall), None);
    assert_eq!(measure(&nothing, Metric::CallsToEvidence), None);
    let mut unmet = attempt(&[10, 10]);
    unmet.needs.push(need(1, false, ChainEnd::End, None));
    assert_eq!(measure(&unmet, Metric::CallsToEvidence), None);
    assert_eq!(measure(&unmet, Metric::EvidenceRecall), Some(0.5));
    unmet.status = Status::Infrastructure;
    assert!(Metric::of_replay().all(|metric| measure(&unmet, metric).is_none()));
}

/// One call a name, with the result given.
fn calls(side: Side, results: &[(&str, &str)]) -> AttemptRecord {
    let mut record = walk("case", Split::Dev, side, 1, &vec![10; results.len()], true);
    for (call, (arguments, result)) in record.calls.iter_mut().zip(results) {
        call.arguments_sha256 = (*arguments).to_owned();
        call.result_sha256 = (*result).to_owned();
    }
    record
}

#[test]
fn exposure_is_the_same_request_with_another_answer() {
    use Exposure::{Exposed, Unexposed, Unknown};
    for (base, cand, same, labels) in [
        (vec![("a", "1")], vec![("a", "1")], vec![("a", "1")], vec![Unexposed]),
        (vec![("a", "1")], vec![("a", "2")], vec![("a", "1")], vec![Exposed]),
        (vec![("a", "1")], vec![("a", "2")], vec![("a", "3")], vec![Unknown]),
        (vec![("a", "1")], vec![("b", "2")], vec![("a", "1")], vec![Unexposed]),
        // The second time that the same arguments are sent is a key of its own.
        (
            vec![("a", "1"), ("a", "2")],
            vec![("a", "1"), ("a", "9")],
            vec![("a", "1"), ("a", "2")],
            vec![Unexposed, Exposed],
        ),
    ] {
        let records = [calls(BASE, &base), calls(CAND, &cand), calls(SAME, &same)];
        let found = exposure::of_calls(&records);
        assert_eq!(
            found[0],
            labels.iter().copied().map(Some).collect::<Vec<_>>(),
            "{base:?} {cand:?} {same:?}"
        );
    }
    let alone = [calls(BASE, &[("a", "1")]), calls(CAND, &[("a", "2")])];
    assert_eq!(exposure::of_calls(&alone)[1], [None], "empty without a same-code side");
    let mut errors = [calls(BASE, &[("a", "1")]), calls(CAND, &[("a", "1")]), calls(SAME, &[("a", "1")])];
    errors[1].calls[0].outcome = Outcome::ToolError;
    assert_eq!(exposure::of_calls(&errors)[0], [Some(Exposed)], "the outcome counts");
    assert_eq!(exposure::combine([Some(Unexposed), Some(Unknown), None]), Some(Unknown));
    assert_eq!(exposure::combine([Some(Unknown), Some(Exposed)]), Some(Exposed));
    assert_eq!(exposure::combine([None]), None);
}

fn set_need(world: &mut World, sides: &[Side], end: ChainEnd) {
    for attempt in world.attempts.iter_mut().filter(|attempt| sides.contains(&attempt.side)) {
        attempt.needs[0].met = false;
        attempt.needs[0].met_at_call = None;
        attempt.needs[0].chain_end = Some(end);
    }
}

#[test]
fn a_case_is_stale_when_its_need_is_met_nowhere_and_no_chain_was_stuck() {
    for (sides, end, is_stale, is_lost) in [
        (vec![], ChainEnd::End, false, false),
        (vec![BASE, SAME, CAND, AGAIN], ChainEnd::End, true, false),
        (vec![BASE, SAME, CAND], ChainEnd::Blind, true, false),
        (vec![BASE, SAME, CAND], ChainEnd::Stuck, false, false),
        (vec![BASE, SAME, CAND], ChainEnd::Capped, false, false),
        (vec![BASE, SAME], ChainEnd::End, false, false),
        (vec![CAND], ChainEnd::End, false, true),
        (vec![BASE, CAND], ChainEnd::End, false, false),
    ] {
        let mut world = World::new();
        world.reads("case", Split::Dev, |_, _| (vec![10], true));
        set_need(&mut world, &sides, end);
        let report = world.report();
        let facts = &report.collected.table.cases[0].facts;
        assert_eq!((facts.is_stale, facts.lost_evidence), (is_stale, is_lost), "{sides:?} {end}");
        assert_eq!(report.splits[0].stale.len(), usize::from(is_stale));
        let n = report.splits[0].metrics[0].n_cases;
        assert_eq!(n, usize::from(!is_stale), "a stale case is out of the headline");
    }
}

#[test]
fn fidelity_counts_what_the_recording_did() {
    let mut world = windows();
    let id = "docs/case-00";
    world.case(id, Split::Test).recorded = BTreeMap::from([("r1".to_owned(), recorded(4, 3))]);
    let report = world.report();
    let fidelity = &report.collected.fidelity;
    assert_eq!((fidelity.cases, fidelity.cases_equal), (12, 11));
    assert_eq!(fidelity.unequal, [id]);
    // r2 of the case is not known: 3 of its reads leave both totals, r1 adds 4 recorded and 3 made.
    assert_eq!((fidelity.replayed_reads, fidelity.recorded_reads), (37, 38));
    assert!(!fidelity.is_low());
    let low =
        |report: &report::Report| report.warnings.iter().any(|w| matches!(w, Warning::LowFidelity { .. }));
    assert!(!low(&report));
    for case in ["docs/case-01", "docs/case-02"] {
        world.case(case, Split::Dev).recorded = BTreeMap::from([("r1".to_owned(), recorded(4, 3))]);
    }
    assert!(low(&world.report()), "9 of 12 is under 80 %");
}

#[test]
fn side_facts_name_the_largest_result_and_the_limits() {
    let mut world = World::new();
    world.reads("a", Split::Dev, |side, _| (vec![100, if side == CAND { 70_000 } else { 60_000 }], true));
    world.reads("b", Split::Dev, |_, _| (vec![70_000], true));
    let report = world.report();
    let cand = &report.collected.sides[&CAND];
    let largest = cand.largest_result.as_ref().unwrap();
    assert_eq!(
        (largest.case_id.as_str(), largest.attempt, largest.call_index, largest.result_chars),
        ("a", 1, 1, 70_000)
    );
    assert_eq!(cand.oversized_by.values().copied().collect::<Vec<_>>(), [4]);
    assert_eq!((cand.continuation_reads_offered, cand.continuation_reads_computed), (2, 0));
}

#[test]
fn a_journal_may_be_cut_repeated_and_of_other_cases() {
    let folder = tempfile::tempdir().unwrap();
    let world = windows();
    let path = write_journal(folder.path(), &world.attempts);
    let whole =
        report::summary_json(&report::build(world.meta.clone(), std::slice::from_ref(&path)).unwrap());

    // An attempt that was made twice: the later start counts, wherever it stands.
    let mut early = world.attempts[0].clone();
    early.started_ms = 0.5;
    early.calls.truncate(1);
    let mut foreign = world.attempts[1].clone();
    foreign.case_id = "not/selected".to_owned();
    let mut attempts: Vec<AttemptRecord> = vec![early];
    attempts.extend(world.attempts.iter().cloned());
    attempts.push(foreign);
    let path = write_journal(folder.path(), &attempts);
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(br#"{"case_id":"docs/case-00","split":"te"#).unwrap();
    drop(file);
    let report = report::build(world.meta.clone(), std::slice::from_ref(&path)).unwrap();
    assert_eq!(report::summary_json(&report), whole, "none of it changes the result");
    let notes = report.journal.notes();
    assert!(
        matches!(
            notes,
            [
                JournalNote::Unreadable { line: 87, .. },
                JournalNote::Foreign { lines: 1, .. },
                JournalNote::Twice { attempt: 1, same_inputs: true, .. },
            ]
        ),
        "{notes:?}"
    );

    // After a kill the journal goes on behind the cut line.
    let text = std::fs::read_to_string(&path).unwrap();
    let tail = serde_json::to_string(&world.attempts[2]).unwrap();
    std::fs::write(&path, format!("{text}\n\n{tail}\n")).unwrap();
    let report = report::build(world.meta.clone(), &[path]).unwrap();
    assert_eq!(report::summary_json(&report), whole);
}

#[test]
fn journals_of_shards_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let world = windows();
    let whole = report::summary_json(&world.report());
    let (first, second): (Vec<_>, Vec<_>) =
        world.attempts.iter().cloned().partition(|a| a.case_id.as_str() < "docs/case-05");
    let mut paths = Vec::new();
    for (name, part) in [("1-of-2", first), ("2-of-2", second)] {
        let shard = folder.path().join(name);
        std::fs::create_dir(&shard).unwrap();
        paths.push(write_journal(&shard, &part));
    }
    assert_eq!(report::summary_json(&report::build(world.meta.clone(), &paths).unwrap()), whole);
    let half = report::build(world.meta.clone(), &paths[..1]).unwrap();
    assert_eq!(half.missing.len(), 7 * 7, "seven cases with seven attempts each");
    assert!(report::build(world.meta, &[folder.path().join("absent.jsonl")]).is_err());
}

#[test]
fn warnings_say_what_was_seen() {
    let warned = |world: &World| world.report().warnings;
    let mut unmet = windows();
    set_need(&mut unmet, &[BASE, CAND, SAME, AGAIN], ChainEnd::End);
    assert!(warned(&unmet).contains(&Warning::AllNeedsUnmet { needs: 24 }));

    let mut unsteady = windows();
    let change = |call: &mut CallRecord| call.result_sha256.push('x');
    unsteady.attempts.iter_mut().filter(|a| a.side == SAME).for_each(|a| a.calls.iter_mut().for_each(change));
    assert!(warned(&unsteady).contains(&Warning::SameCodeDiffers { differing: 40, calls: 40 }));

    let mut failing = windows();
    failing.attempt("docs/case-01", CAND, 1).status = Status::Failed;
    failing.attempt("docs/case-01", BASE, 2).status = Status::Infrastructure;
    let warnings = warned(&failing);
    let failed = |side, failed, infrastructure| {
        let how = Vec::new();
        Warning::AttemptsFailed { side, failed, infrastructure, attempts: 24, how }
    };
    assert!(warnings.contains(&failed(CAND, 1, 0)) && warnings.contains(&failed(BASE, 0, 1)), "{warnings:?}");

    let mut pages = windows();
    pages.attempts.iter_mut().for_each(|a| a.needs[0].pages_only = true);
    assert!(warned(&pages).contains(&Warning::OnlyPages { needs: 24 }));

    let mut broken = windows();
    broken.attempt("docs/case-01", CAND, 1).calls[0].outcome = Outcome::ToolError;
    broken.attempt("docs/case-01", CAND, 1).calls[0].unknown_arguments = vec!["limit".to_owned()];
    let text: Vec<String> = warned(&broken).iter().map(ToString::to_string).collect();
    assert!(
        text.contains(
            &"tools that fail more often on the candidate: read_document (0 -> 1 of 24 calls)".to_owned()
        ),
        "{text:?}"
    );
    assert!(
        text.contains(&"candidate: its schema does not know read_document.limit (1 call)".to_owned()),
        "{text:?}"
    );

    let mut alone = windows();
    alone.meta.candidate_again = false;
    alone.attempts.retain(|attempt| attempt.side != AGAIN);
    assert!(warned(&alone).contains(&Warning::CandidateNotRepeated));
    assert!(warned(&alone).contains(&Warning::NothingGated));
    alone.rule(guardrail(Metric::ReadCalls));
    assert!(!warned(&alone).contains(&Warning::NothingGated));
}

#[test]
fn one_computed_continuation_is_told_from_an_offered_one() {
    let mut world = World::new();
    world.reads("a", Split::Dev, |_, _| (vec![10, 10, 10], true));
    world.attempts.iter_mut().for_each(|a| a.calls[1].continuation = Some(Evidence::Computed));
    let facts = &world.report().collected.sides[&BASE];
    assert_eq!((facts.continuation_reads_offered, facts.continuation_reads_computed), (2, 2));
}
