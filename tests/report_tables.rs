//! The tables of a results folder, golden.

#[path = "support/traces.rs"]
mod traces;

use mcp_regress::report;
use mcp_regress::words::Metric;
use traces::*;

#[test]
fn show() {
    let folder = tempfile::tempdir().unwrap();
    let mut w = windows();
    w.rule(guardrail(Metric::ContinuationReads));
    w.rule(guardrail(Metric::EvidenceRecall));
    w.rule(guardrail(Metric::ResultChars));
    let report = w.report_in(folder.path());
    report::write_all(&report, folder.path()).unwrap();
    for f in ["summary.md", "rules.csv","summary.json"] {
        let t = std::fs::read_to_string(folder.path().join(f)).unwrap();
        println!("== {f}");
        for l in t.lines().take(150) { println!("{l}"); }
    }
    println!("{}", report::terminal(&report, &report::TerminalOptions{width: Some(100), color: false, folder: Some("results/x".into())}));
}
