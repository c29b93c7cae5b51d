//! `--confirm-flips`.

use crate::cli::*;
use crate::lucky::{rule, run, suite};
use serde_json::Value;
use std::path::{Path, PathBuf};

const SOMETIMES: &str = "[0-2]*";
const MOSTLY: &str = "[0-9a-d]*";

fn fresh(run: &Path) -> PathBuf {
    run.join("shards/1-of-1/confirm.jsonl")
}

fn flips(run: &Path) -> Vec<Value> {
    summary(run)["splits"]["all"]["flips"].as_array().unwrap().clone()
}

#[test]
fn flips_by_luck_are_not_confirmed_and_enter_nothing_else() {
    let suite = suite(12, MOSTLY, SOMETIMES);
    let out = tempfile::tempdir().unwrap();
    let (plain, asked) = (out.path().join("plain"), out.path().join("asked"));
    run(suite.path(), &plain, &["--jobs", "2"]);
    let said = run(suite.path(), &asked, &["--confirm-flips", "--jobs", "2"]);
    let (plain, asked) = (only_run(&plain), only_run(&asked));

    let flips = flips(&asked);
    assert!(flips.len() >= 2, "luck has gone: {flips:?}");
    assert!(flips.iter().all(|flip| flip["confirmation"]["baseline_attempts"] == 8), "{flips:?}");
    assert!(flips.iter().any(|flip| flip["confirmation"]["confirmed"] == false), "{flips:?}");
    let records = std::fs::read_to_string(fresh(&asked)).unwrap();
    assert_eq!(records.lines().count(), 2 * 8 * flips.len());
    for table in ["calls.csv", "attempts.csv", "cases.csv", "metrics.csv", "flips.csv"] {
        let read = |run: &Path| std::fs::read_to_string(run.join(table)).unwrap();
        similar_asserts::assert_eq!(read(&plain), read(&asked), "{table}");
    }
    let before = rule(&summary(&plain), "flips");
    assert_eq!(
        (&before["verdict"], before["value"].as_u64()),
        (&"regression".into(), Some(flips.len() as u64))
    );
    let after = rule(&summary(&asked), "flips");
    let again = flips.iter().filter(|flip| flip["confirmation"]["confirmed"] == true).count();
    assert_eq!(after["value"].as_u64(), Some(again as u64), "{after}");
    let told = format!("{again} again in 8 fresh attempts a side");
    assert!(after["reason"].as_str().unwrap().contains(&told), "{after}");
    let told = format!("{again} of {} flips confirmed by 8 fresh attempts a side", flips.len());
    assert!(said.out.contains(&told), "{}", said.out);
    assert!(std::fs::read_to_string(asked.join("summary.md")).unwrap().contains(&told));
}

#[test]
fn flips_that_are_real_are_confirmed() {
    let suite = suite(5, MOSTLY, "none");
    let out = tempfile::tempdir().unwrap();
    let said = run(suite.path(), out.path(), &["--confirm-flips"]);
    assert_eq!(said.code, Some(100), "{}\n{}", said.out, said.err);
    let run = only_run(out.path());
    let rule = rule(&summary(&run), "flips");
    assert_eq!(rule["verdict"], "regression", "{rule}");
    assert!(rule["p"].as_f64().unwrap() < 0.05, "{rule}");
    assert!(flips(&run).iter().all(|flip| flip["confirmation"]["confirmed"] == true));
}

#[test]
fn fresh_attempts_are_reproducible_resumable_and_asked_for_later() {
    let suite = suite(6, MOSTLY, SOMETIMES);
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name);
    run(suite.path(), &at("one"), &["--confirm-flips", "--jobs", "1"]);
    run(suite.path(), &at("two"), &["--confirm-flips", "--jobs", "3"]);
    let (one, two) = (only_run(&at("one")), only_run(&at("two")));
    assert_same_files(&one, &two);
    let code = said(mcp_regress().arg("report").arg(&two)).code;
    assert_same_files(&one, &two);

    // Killed in the middle of the fresh attempts.
    let lines = std::fs::read_to_string(fresh(&two)).unwrap();
    let kept: Vec<&str> = lines.lines().take(7).collect();
    std::fs::write(fresh(&two), kept.join("\n") + "\n{\"case_id\": \"lu").unwrap();
    let cut = said(mcp_regress().arg("report").arg(&two));
    assert_eq!(cut.code, Some(5), "{}", cut.out);
    let resumed = said(mcp_regress().args(["run", "--out"]).arg(at("two")).arg("--resume").arg(&two));
    assert_eq!(resumed.code, code, "{}\n{}", resumed.out, resumed.err);
    assert_same_files(&one, &two);

    // A run that was complete without.
    run(suite.path(), &at("late"), &[]);
    let late = only_run(&at("late"));
    assert!(!fresh(&late).exists());
    said(mcp_regress().args(["run", "--confirm-flips", "--out"]).arg(at("late")).arg("--resume").arg(&late));
    assert_same_files(&one, &late);
}

#[test]
fn what_repeats_itself_is_not_replayed_again() {
    let suite = suite(3, "*", "none");
    let out = tempfile::tempdir().unwrap();
    let (plain, asked) = (out.path().join("plain"), out.path().join("asked"));
    run(suite.path(), &plain, &[]);
    let said = run(suite.path(), &asked, &["--confirm-flips"]);
    assert_eq!(said.code, Some(100), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("the flips are exact"), "{}", said.out);
    let (plain, asked) = (only_run(&plain), only_run(&asked));
    assert!(!fresh(&asked).exists());
    assert_eq!(summary(&plain)["rules"], summary(&asked)["rules"]);

    let suite = crate::lucky::suite(2, "*", "*");
    let none = run(suite.path(), &out.path().join("none"), &["--confirm-flips"]);
    assert!(none.out.contains("no case flipped: there is nothing to confirm"), "{}", none.out);
}
