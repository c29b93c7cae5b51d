//! The tables of a results folder: golden, and the same bytes whatever the order of the journal.

use crate::traces::*;
use mcp_regress::report;
use mcp_regress::suite::{Margin, Require, Special, Subject};
use mcp_regress::trace::AttemptRecord;
use mcp_regress::words::{
    ChainEnd, Evidence, Layer, Metric, Outcome, Role, Side, Split, Status, ToolKind, ViewKind,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Three cases in which all sorts of things happen.
fn eventful() -> World {
    let mut world = World::new();
    world.reads("a/paged", Split::Dev, |side, _| match side {
        Side::Candidate | Side::CandidateAgain => (vec![20_000], true),
        _ => (vec![8_000, 8_000, 4_000], true),
    });
    world.case("a/paged", Split::Dev).cluster = Some("=handbook".to_owned());
    world.reads("b/refused", Split::Test, |_, _| (vec![60_000, 30_000, 30_000], true));
    for attempt in world.attempts.iter_mut().filter(|a| a.case_id == "b/refused") {
        let retry = &mut attempt.calls[1];
        (retry.is_shrunk_retry, retry.continuation, retry.rule) = (true, None, None);
        attempt.calls[2].continuation = Some(Evidence::Computed);
        attempt.calls[0].oversized_by = vec![Layer::Tokens, Layer::Chars];
        let mut written = read("b/refused", 9, 1);
        (written.tool, written.kind, written.in_read_step) = ("@write".to_owned(), ToolKind::Write, false);
        (written.outcome, written.continuation, written.continues_call_index) =
            (Outcome::Skipped, None, None);
        (written.rule, written.chain_index) = (None, None);
        attempt.calls.push(written);
        let mut past = read("b/refused", 3, 777);
        past.past_need = true;
        attempt.calls.push(past);
    }
    world.reads("c/lost", Split::Dev, |side, _| (vec![900], side.is_baseline_code()));
    let lost = world.attempt("c/lost", CAND, 2);
    (lost.status, lost.failure) = (Status::Failed, Some("timeout".to_owned()));
    lost.calls[0].outcome = Outcome::Timeout;
    lost.calls[0].unknown_arguments = vec!["limit".to_owned(), "mode".to_owned()];
    lost.calls[0].view = ViewKind::Whole;
    let same = world.attempt("c/lost", SAME, 1);
    same.calls[0].result_sha256 = "another".to_owned();
    same.needs[0].chain_end = Some(ChainEnd::Met);
    world.meta.sides.insert("candidate".to_owned(), side_meta("00432f3", tools(&["read_document", "new"])));
    world.rule(guardrail(Metric::EvidenceRecall));
    world.rule(relative(Subject::Metric(Metric::ContinuationReads), Margin::Percent(0.05), Role::Goal));
    world.rule(at_most(Subject::Metric(Metric::OversizedResults), 0.0, CAND));
    world.rule(at_most(special(Special::Flips), 0.0, CAND));
    world.rule(require(Require::Compatible));
    world.rule(relative(Subject::Metric(Metric::Errors), Margin::Absolute(0.0), Role::Info));
    world
}

fn written(world: &World) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let report = world.report_in(folder.path());
    report::write_all(&report, folder.path()).unwrap();
    contents(folder.path())
}

fn contents(folder: &Path) -> BTreeMap<String, String> {
    let text = |name: &&str| (name.to_string(), std::fs::read_to_string(folder.join(name)).unwrap());
    report::FILES.iter().map(text).collect()
}

#[test]
fn every_table_is_as_it_was() {
    let files = written(&eventful());
    for (name, text) in &files {
        insta::assert_snapshot!(name.as_str(), text);
    }
}

#[test]
fn the_order_of_the_journal_changes_no_byte() {
    let world = eventful();
    let first = written(&world);
    type Reorder = fn(&mut Vec<AttemptRecord>);
    let orders: [(&str, Reorder); 3] = [
        ("reversed", |attempts| attempts.reverse()),
        ("turned", |attempts| attempts.rotate_left(5)),
        ("by attempt", |attempts| attempts.sort_by_key(|a| (a.attempt, std::cmp::Reverse(a.side)))),
    ];
    for (order, arrange) in orders {
        let mut other = world.clone();
        arrange(&mut other.attempts);
        for (name, text) in written(&other) {
            assert_eq!(text, first[&name], "{name} {order}");
        }
    }
}

#[test]
fn only_timings_hold_the_clock_and_nothing_holds_the_place() {
    let world = eventful();
    let first = written(&world);
    let mut later = world.clone();
    later.meta.run_id = "20270101T000000Z-aaaaaaa-0000".to_owned();
    later.meta.started_at = "2027-01-01T00:00:00Z".to_owned();
    later.meta.argv.push("--jobs=4".to_owned());
    later.meta.suite_path = "/elsewhere/mcp-regress.toml".to_owned();
    for side in later.meta.sides.values_mut() {
        side.revision_age_s = Some(86_400);
        side.command = vec!["/elsewhere/server".to_owned()];
        side.command_sha256 = "other".to_owned();
    }
    for attempt in &mut later.attempts {
        (attempt.started_ms, attempt.duration_ms) = (500.0, 40.0);
        attempt.calls.iter_mut().for_each(|call| (call.started_ms, call.duration_ms) = (501.0, 2.0));
    }
    for (name, text) in written(&later) {
        assert_eq!(text == first[&name], name != "timings.csv", "{name}");
    }
}

#[test]
fn writing_again_replaces_and_leaves_nothing_beside() {
    let folder = tempfile::tempdir().unwrap();
    let report = eventful().report_in(folder.path());
    report::write_all(&report, folder.path()).unwrap();
    let first = contents(folder.path());
    std::fs::write(folder.path().join("rules.csv"), "an older file").unwrap();
    report::write_all(&report, folder.path()).unwrap();
    assert_eq!(contents(folder.path()), first);
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, report::FILES.len() + 3, "the files, the page, the comment and the journal");
}

#[test]
fn tables_have_the_columns_of_the_contract() {
    let files = written(&eventful());
    let header = |name: &str| files[name].lines().next().unwrap().to_owned();
    for (name, columns) in [
        (
            "calls.csv",
            "split,case_id,side,attempt,call_index,step_index,tool,kind,is_continuation,continuation_evidence,continues_call_index,is_shrunk_retry,is_repeat,is_stuck,chain_index,chain_end,spill_reads,rule,outcome,result_wire_bytes,result_chars,view_chars,view,oversized_by,tokens_estimated,result_sha256,arguments_sha256,exposed,past_need,unknown_arguments",
        ),
        (
            "attempts.csv",
            "split,case_id,cluster,side,attempt,recording_id,status,needs_met,needs_total,exposed,input_tokens_source,tool_calls,agent_calls,read_calls,continuation_reads,shrunk_retries,spill_reads,repeated_reads,stuck_chains,capped_chains,oversized_results,max_result_chars,result_chars,result_wire_bytes,view_chars,input_tokens,output_tokens,turns,evidence_recall,calls_to_evidence,errors,correct,completeness,truthfulness,source_recall,cited_gold",
        ),
        (
            "cases.csv",
            "split,case_id,cluster,metric,baseline_mean,candidate_mean,delta,attempts_paired,same_code_delta,exposed,state,lost_evidence",
        ),
        (
            "metrics.csv",
            "split,metric,unit,better,role,n_cases,n_dropped,attempts_baseline,attempts_candidate,missing,baseline_mean,candidate_mean,baseline_total,candidate_total,delta,se,ci_low,ci_high,ci_method,resamples,seed,t_low,t_high,bound_low,bound_high,p_t,p_signflip,p_holm,pct_change,pct_low,pct_high,cases_up,cases_down,cases_tied,sparse,noise_se,noise_from,same_code_runs,same_code_max_abs_delta,pi_low,pi_high,deterministic,exposed_cases,delta_exposed,delta_unexposed,mde80,call,reason",
        ),
        (
            "flips.csv",
            "split,case_id,direction,baseline_right,baseline_attempts,candidate_right,candidate_attempts,first_difference_call_index,exposed",
        ),
        (
            "rules.csv",
            "rule_index,metric,role,question,split,margin,max,value,bound,p,p_holm,verdict,reason,cases_needed",
        ),
        ("timings.csv", "split,case_id,side,attempt,call_index,started_ms,duration_ms"),
    ] {
        assert_eq!(header(name), columns, "{name}");
    }
}

#[test]
fn summary_json_holds_every_column_of_metrics_csv_unrounded() {
    let files = written(&windows());
    let summary: serde_json::Value = serde_json::from_str(&files["summary.json"]).unwrap();
    let mut reader = csv::Reader::from_reader(files["metrics.csv"].as_bytes());
    let columns = reader.headers().unwrap().clone();
    let row =
        reader.records().map(Result::unwrap).find(|row| &row[0] == "all" && &row[1] == "read_calls").unwrap();
    let metric = summary["splits"]["all"]["metrics"]["read_calls"].as_object().unwrap();
    // After the columns of the table stand lists and errors, which a row of CSV has no room for.
    let beside = ["heavy_tail", "same_code_deltas", "ci_low_error", "ci_high_error"];
    assert_eq!(
        metric.keys().map(String::as_str).collect::<Vec<_>>(),
        columns.iter().chain(beside).collect::<Vec<_>>()
    );
    for (name, cell) in columns.iter().zip(&row) {
        match &metric[name] {
            serde_json::Value::Null => assert_eq!(cell, "", "{name}"),
            serde_json::Value::Number(number) => {
                let (wanted, found) = (number.as_f64().unwrap(), cell.parse::<f64>().unwrap());
                assert!((wanted - found).abs() <= 5e-7, "{name}: {wanted} {found}");
            }
            other => assert_eq!(other.to_string().trim_matches('"'), cell, "{name}"),
        }
    }
    assert_eq!(metric["delta"].as_f64().unwrap(), -2.0 / 3.0);
    assert_eq!(metric["baseline_total"].to_string(), "40");
}
