//! The examples of CASE-FORMAT.md and INTERFACE.md load, and mean what they say.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up fails")]

use mcp_regress::case::{self, Intent};
use mcp_regress::suite::{
    self, AdvanceUnit, Bound, Margin, Next, Require, Selector, Special, StepBy, Subject,
};
use mcp_regress::words::{Metric, OnOversized, Question, Restart, Role, Side, Split, ToolKind};
use std::path::Path;
use std::time::Duration;

fn suite_from(text: &str) -> suite::Suite {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mcp-regress.toml");
    std::fs::write(&file, text).unwrap();
    suite::load(&file).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_suite_of_the_case_format() {
    let suite = suite_from(include_str!("data/suites/case-format.toml"));
    assert_eq!(suite.cases, ["*.case.json", "*.cases.jsonl"]);
    assert_eq!((suite.attempts, suite.same_code, suite.seed), (Some(4), Some(1), Some(7)));
    assert_eq!(suite.on_oversized, Some(OnOversized::RetrySmaller));
    assert_eq!((suite.spill_chunk, suite.max_pages), (Some(20_000), Some(200)));
    assert_eq!(suite.restart, Some(Restart::Worker));
    assert_eq!(suite.start_timeout, Some(Duration::from_secs(30)));
    assert_eq!(suite.call_timeout, Some(Duration::from_secs(60)));
    assert_eq!(suite.client.profile.as_deref(), Some("claude-code"));
    let limits = suite.client.limits.unwrap();
    assert_eq!((limits[0].unit.as_str(), limits[0].limit), ("utf16", 50_000));
    assert_eq!(suite.client.token_estimator.as_deref(), Some("utf8-bytes/3"));
    let baseline = suite.baseline.unwrap();
    assert_eq!(baseline.command.unwrap(), ["python3", "server.py", "--window", "8000"]);
    assert_eq!(baseline.env, [("LOG_LEVEL".to_owned(), "error".to_owned())]);
    let read = &suite.tools["read_document"];
    assert_eq!(read.kind, Some(ToolKind::Read));
    assert_eq!(read.identity.as_deref(), Some(&["id".to_owned()][..]));
    assert_eq!(read.size, None);
    let rules = read.continuation.as_ref().unwrap();
    let Next::From { argument, pointer } = &rules[0].next else { panic!("{rules:?}") };
    assert_eq!((argument.as_str(), pointer.as_str()), ("startOffset", "/next/startOffset"));
    assert_eq!(
        suite.rules[0].bound,
        Bound::Relative {
            margin: Margin::Absolute(0.0),
            role: Role::Guardrail,
            question: Some(Question::TheseCases)
        }
    );
}

#[test]
fn the_sketch_of_the_interface() {
    let suite = suite_from(include_str!("data/suites/interface.toml"));
    let server = suite.server.unwrap();
    assert_eq!((server.from.as_deref(), server.name.as_deref()), (Some(".mcp.json"), Some("search")));
    let baseline = suite.baseline.unwrap();
    assert_eq!((baseline.rev.as_deref(), baseline.build.as_deref()), (Some("merge-base"), Some("npm ci")));
    let subjects: Vec<&str> = suite.rules.iter().map(|rule| rule.subject.as_str()).collect();
    assert_eq!(subjects, ["oversized_results", "continuation_reads", "flips", "tools_list"]);
    assert_eq!(suite.rules[0].bound, Bound::Absolute { max: Some(0.0), min: None, on: Side::Candidate });
    assert_eq!(suite.rules[3].subject, Subject::Special(Special::ToolsList));
    assert_eq!(suite.rules[3].bound, Bound::Require { require: Require::Identical, on: Side::Candidate });
}

#[test]
fn the_continuation_rules_of_the_method() {
    let suite = suite_from(include_str!("data/suites/continuations.toml"));
    let rules = |tool: &str| suite.tools[tool].continuation.clone().unwrap();
    let thread = rules("thread_read");
    assert_eq!(thread.len(), 2);
    assert!(matches!(&thread[1].guard, Some(Selector::Pointer(pointer)) if pointer.as_str() == "/hasMore"));
    assert!(matches!(&rules("fetch")[0].next, Next::Pattern { pattern, .. } if pattern.has_group()));
    let file = &rules("read_file")[0];
    let Next::Advance { argument, unit, by, items } = &file.next else { panic!("{file:?}") };
    assert_eq!((argument.as_str(), *unit), ("offset", AdvanceUnit::Lines));
    assert!(matches!(by, Some(StepBy::Selector(Selector::Pattern(_)))) && items.is_none());
    assert!(matches!(&file.guard, Some(Selector::Pattern(_))));
    let Next::Tool { tool, carry } = &rules("search")[0].next else { panic!() };
    assert_eq!((tool.as_str(), carry[0].0.as_str(), carry[1].0.as_str()), ("more", "sessionId", "cursor"));
    assert!(matches!(rules("tail")[0].next, Next::Same));
    let Next::Advance { items: Some(items), by: Some(StepBy::Argument(by)), .. } = &rules("list")[0].next
    else {
        panic!()
    };
    assert_eq!((items.as_str(), by.as_str()), ("/items", "limit"));
    assert!(rules("get_thing").is_empty());
    assert_eq!(suite.tools["ping"].continuation, None);
    assert_eq!(suite.tools["ping"].replay, Some(true));
    let renamed = &suite.candidate.unwrap().renames["run_sql"];
    assert_eq!(renamed.tool.as_deref(), Some("query_sql"));
    assert_eq!(renamed.arguments["sql"], "query");
}

#[test]
fn the_case_of_the_case_format() {
    let suite = suite::load(Path::new("tests/data/cases/mcp-regress.toml")).unwrap();
    let loaded = case::load_all(&suite).unwrap_or_else(|problems| panic!("{problems}"));
    let ids: Vec<&str> = loaded.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["docs/audit-log-retention", "lines/one", "lines/two"]);
    assert_eq!(loaded.unmatched, ["nothing/*.case.json"]);
    let case = &loaded.cases[0];
    assert_eq!((case.split, case.cluster.as_deref()), (Split::Dev, Some("handbook")));
    assert_eq!(case.file, Path::new("tests/data/cases/a.case.json"));
    let recording = &case.recordings[0];
    assert_eq!(recording.recorded.unwrap().continuation_reads, Some(0));
    let outline: Vec<_> = recording.steps.outline().collect();
    assert_eq!(outline, [(Intent::Call, "search_documents"), (Intent::Read, "read_document")]);
    let steps = recording.steps.read();
    let [call, read] = steps.as_slice() else { panic!("{recording:?}") };
    assert_eq!((call.intent, call.tool.as_str()), (Intent::Call, "search_documents"));
    assert_eq!(call.save[0].0, "doc");
    assert_eq!((read.intent, read.arguments["limit"].as_u64()), (Intent::Read, Some(8)));
    assert_eq!(read.need.as_ref().unwrap().contains, ["400 days"]);
    let second = &loaded.cases[2];
    assert_eq!((second.line, second.file.as_path()), (Some(3), Path::new("tests/data/cases/b.cases.jsonl")));
    let need = second.recordings[0].steps.read()[1].need.clone().unwrap();
    assert_eq!(need.coverage.as_ref().unwrap().fingerprints, [1, 2]);
    assert_eq!(need.reach.as_ref().unwrap().at_least, Some(16000.0));
    assert_eq!(need.items.as_ref().unwrap().at_least, 40);
    assert_eq!((need.end, need.pages), (true, Some(3)));
}

#[test]
fn default_rules_hold_unless_named() {
    let names = |text: &str| {
        let suite = suite_from(&format!("format_version = 1\n{text}"));
        let (rules, note) = suite::effective_rules(&suite);
        let names: Vec<&str> = rules.iter().map(|rule| rule.subject.as_str()).collect();
        (names.join(" "), note)
    };
    assert_eq!(
        names(""),
        (
            "evidence_recall errors oversized_results stuck_chains failed_attempts".to_owned(),
            Some(
                "the suite has no `[[rule]]`, so default rules hold: evidence_recall, errors, oversized_results, \
                 stuck_chains, failed_attempts, each a guardrail on these cases with margin 0"
                    .to_owned()
            )
        )
    );
    assert_eq!(
        names("[[rule]]\nmetric = \"tool_calls\"\n[[rule]]\nmetric = \"errors\"\nrole = \"info\""),
        (
            "tool_calls errors evidence_recall failed_attempts".to_owned(),
            Some(
                "beside the suite's own rules hold: evidence_recall, failed_attempts; switched off by \
                 `role = \"info\"`: errors"
                    .to_owned()
            )
        )
    );
    let all = "[[rule]]\nmetric = \"errors\"\nmax = 0\n[[rule]]\nmetric = \"evidence_recall\"\n\
               [[rule]]\nmetric = \"failed_attempts\"";
    assert_eq!(names(all), ("errors evidence_recall failed_attempts".to_owned(), None));
}

#[test]
fn a_rule_on_these_cases_needs_a_repeat() {
    let suite =
        suite_from("format_version = 1\n[[rule]]\nmetric = \"tool_calls\"\nquestion = \"cases-like-these\"");
    let rules = &suite.rules;
    assert!(suite::check_repeats(rules, 0, Question::TheseCases).is_ok());
    let (rules, _) = suite::effective_rules(&suite);
    assert!(suite::check_repeats(&rules, 1, Question::TheseCases).is_ok());
    let error = suite::check_repeats(&rules, 0, Question::CasesLikeThese).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rule 2 (`evidence_recall`) asks about these cases and needs same_code >= 1 to know the noise; set \
         `same_code = 1`, or `question = \"cases-like-these\"` in the rule"
    );
}

#[test]
fn a_case_metric_is_a_metric() {
    let suite = suite_from(
        "format_version = 1\n[[rule]]\nmetric = \"max_result_chars\"\nmax = 50000\non = \"baseline\"",
    );
    assert_eq!(suite.rules[0].subject, Subject::Metric(Metric::MaxResultChars));
    assert_eq!(suite.rules[0].bound, Bound::Absolute { max: Some(50_000.0), min: None, on: Side::Baseline });
}
