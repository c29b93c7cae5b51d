//! Which round of a suite a run is, and what the earlier ones said: on the terminal, in no reproducible file.

use crate::cli::*;
use crate::lucky::{run, suite};

#[test]
fn a_second_look_is_told_and_changes_no_file() {
    let suite = suite(4, "[0-9a-d]*", "[0-9]*");
    let out = tempfile::tempdir().unwrap();
    let first = run(suite.path(), out.path(), &[]);
    assert!(first.out.contains("round 1 of this suite against this baseline"), "{}", first.out);
    let verdict = summary(&only_run(out.path()))["verdict"].as_str().unwrap().to_owned();
    // Names of runs and starts count seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let second = run(suite.path(), out.path(), &[]);
    let told = second.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("round 2 of this suite against this baseline; the earlier ones, latest first: "),
        "{told}"
    );
    assert!(told.contains(&format!("latest first: {verdict} (")), "{told}");
    let runs = runs(out.path());
    assert_same_files(&runs[0], &runs[1]);

    let kept = std::fs::read_to_string(out.path().join("runs.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    let drift = line["drift"].as_object().unwrap();
    assert_eq!(drift["read_calls"]["df"], 1, "{line}");
    assert!(!drift.contains_key("errors"), "no noise, no drift: {line}");

    let again = said(mcp_regress().arg("report").arg(&runs[0]));
    assert!(again.out.contains("round 1 of this suite"), "{}", again.out);
    assert_eq!(std::fs::read_to_string(out.path().join("runs.jsonl")).unwrap(), kept, "a look is no round");
    let json = said(mcp_regress().args(["report", "--format", "json"]).arg(&runs[1]));
    assert!(serde_json::from_str::<serde_json::Value>(&json.out).is_ok());
    assert!(json.err.contains("round 2 of this suite"), "{}", json.err);
}
