//! The tables of a results folder, golden.

#[path = "support/traces.rs"]
mod traces;

use mcp_regress::report;
use traces::*;

#[test]
fn show() {
    let folder = tempfile::tempdir().unwrap();
    let report = windows().report_in(folder.path());
    report::write_all(&report, folder.path()).unwrap();
    for f in ["metrics.csv", "attempts.csv","cases.csv","rules.csv","flips.csv","calls.csv"] {
        let t = std::fs::read_to_string(folder.path().join(f)).unwrap();
        println!("== {f}");
        for l in t.lines().take(12) { println!("{l}"); }
    }
}
