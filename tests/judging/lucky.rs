//! A server of which each attempt is right or wrong by luck, and the luck is fixed by the attempt's seed.

use crate::cli::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Starts the fixture with the corpus of the cases when the attempt's seed begins as `right` says, else with
/// another one, in which nothing that is needed can be found.
fn side(right: &str) -> String {
    let script = format!(
        "case $1 in {right}) s=7;; *) s=8;; esac; exec \\\"$2\\\" fixture --scenario documents --seed $s"
    );
    format!("command = [\"sh\", \"-c\", \"{script}\", \"x\", \"{{attempt_seed}}\", \"{{self}}\"]")
}

/// A suite of equal cases; `baseline` and `candidate` are globs of seeds with which an attempt is right.
pub fn suite(cases: usize, baseline: &str, candidate: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(demo().join("jump.case.json")).unwrap();
    let demonstration: Value = serde_json::from_str(&text).unwrap();
    let mut lines = String::new();
    for number in 0..cases {
        let recording = &demonstration["recordings"][0];
        let case = json!({"format_version": 1, "id": format!("luck/{number:02}"), "recordings": [recording]});
        writeln!(lines, "{case}").unwrap();
    }
    std::fs::write(dir.path().join("luck.cases.jsonl"), lines).unwrap();
    let toml = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let tools = &toml[toml.find("[tools.").unwrap()..toml.find("[[rule]]").unwrap()];
    let text = format!(
        "format_version = 1\nattempts = 4\nrestart = \"attempt\"\n[baseline]\n{}\n[candidate]\n{}\n{tools}\n[[rule]]\nmetric = \"flips\"\nmax = 0\n",
        side(baseline),
        side(candidate)
    );
    std::fs::write(dir.path().join("mcp-regress.toml"), text).unwrap();
    dir
}

/// `run` on a suite, into `out`.
pub fn run(suite: &Path, out: &Path, more: &[&str]) -> Said {
    said(mcp_regress().arg("run").arg("--suite").arg(suite).arg("--out").arg(out).args(more))
}

/// The rule on a subject.
pub fn rule(summary: &Value, subject: &str) -> Value {
    summary["rules"].as_array().unwrap().iter().find(|rule| rule["metric"] == subject).unwrap().clone()
}
