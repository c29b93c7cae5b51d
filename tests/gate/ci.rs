//! What a CI gets: comment, summary of the step, annotations, JUnit; and what a server can not put into them.

use crate::cli::*;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const SERVER: &str = "{self} fixture --scenario documents --build";

fn run(out: &Path, builds: (&str, &str), more: &[&str]) -> assert_cmd::Command {
    let mut command = mcp_regress();
    command.args(["run", "--cases", FEW, "--suite"]).arg(demo()).arg("--out").arg(out);
    command.args(["--baseline-cmd", &format!("{SERVER} {}", builds.0)]);
    command.args(["--candidate-cmd", &format!("{SERVER} {}", builds.1)]).args(more);
    command
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Validates against the schema where xmllint is there, and reads it back in any case.
fn junit(path: &Path) -> Report {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/junit.xsd");
    let lint = Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(path).output();
    if let Ok(lint) = lint {
        assert!(lint.status.success(), "{}", String::from_utf8_lossy(&lint.stderr));
    }
    Report::deserialize_from_str(&read(path)).unwrap()
}

fn tests(report: &Report) -> impl Iterator<Item = (&str, &TestCase)> {
    report
        .test_suites
        .iter()
        .flat_map(|suite| suite.test_cases.iter().map(|test| (suite.name.as_str(), test)))
}

fn outcome(test: &TestCase) -> &'static str {
    match &test.status {
        TestCaseStatus::Success { .. } => "passed",
        TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => "failed",
        TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => "error",
        TestCaseStatus::Skipped { .. } => "skipped",
    }
}

#[test]
fn an_unchanged_server_gets_no_comment_and_a_changed_one_does() {
    let out = tempfile::tempdir().unwrap();
    let same = out.path().join("same");
    assert_eq!(said(&mut run(&same, ("baseline", "baseline"), &[])).code, Some(0));
    let same = only_run(&same);
    assert!(!same.join("comment.md").exists());
    let better = out.path().join("better");
    let path = out.path().join("artifacts/comment.md");
    let wish = format!("comment={}", path.display());
    assert_eq!(said(&mut run(&better, ("baseline", "candidate"), &["--report", &wish])).code, Some(0));
    let better = only_run(&better);
    let comment = read(&better.join("comment.md"));
    assert_eq!(comment, read(&path));
    assert!(comment.starts_with("## Pass: continuation reads "), "{comment}");
    assert_eq!(comment.lines().nth(1), Some("<!-- mcp-regress -->"));
    let name = better.file_name().unwrap().to_str().unwrap();
    let (body, block) = comment.rsplit_once("\n---\n").unwrap();
    assert!(block.contains(name) && !body.contains(name), "{block}");
    // An earlier report's comment does not outlive what it said.
    std::fs::write(same.join("comment.md"), "old").unwrap();
    assert_eq!(said(mcp_regress().arg("report").arg(&same)).code, Some(0));
    assert!(!same.join("comment.md").exists());
}

#[test]
fn a_comment_on_ten_thousand_cases_stays_in_its_budget_and_says_what_it_left_out() {
    let out = tempfile::tempdir().unwrap();
    let mut csv = "case,side,attempt,status,correct,continuation_reads\n".to_owned();
    for case in 0..10_000 {
        let id = format!("a-suite-with-a-long-name/the-case-about-something-that-takes-words-{case:05}");
        for side in ["baseline", "candidate"] {
            let is_worse = side == "candidate";
            for attempt in 1..=2 {
                let right = if is_worse && case % 3 == 0 { 0 } else { 1 };
                let reads = if is_worse { 3 + case % 7 } else { 1 };
                writeln!(csv, "{id},{side},{attempt},ok,{right},{reads}").unwrap();
            }
        }
    }
    let file = out.path().join("attempts.csv");
    std::fs::write(&file, csv).unwrap();
    let tables = out.path().join("tables");
    let said = said(
        mcp_regress()
            .arg("compare")
            .arg(&file)
            .args(["--metric", "continuation_reads:calls:lower:guardrail", "--resamples", "100", "--out"])
            .arg(&tables),
    );
    assert_eq!(said.code, Some(100), "{}\n{}", said.out, said.err);
    let comment = read(&tables.join("comment.md"));
    assert!(comment.len() < 60_000 && comment.len() > 20_000, "{}", comment.len());
    let left_out: Vec<&str> = comment.lines().filter(|line| line.ends_with("are left out here.")).collect();
    assert!(left_out.iter().any(|line| line.contains("of 10000 changed cases (cases.csv)")), "{left_out:?}");
    let rows = comment.lines().filter(|line| line.starts_with("| `a-suite")).count();
    let cut: usize = left_out
        .iter()
        .filter(|line| line.contains("cases"))
        .map(|line| line.split(' ').next().unwrap().parse::<usize>().unwrap())
        .sum();
    let flips = read(&tables.join("flips.csv")).lines().count() - 1;
    assert_eq!(rows + cut, 10_000 + flips, "{left_out:?}");
    // Whole rows alone: each has as many cells as its head.
    for line in comment.lines().filter(|line| line.starts_with("| `a-suite")) {
        assert_eq!(line.matches('|').count(), 5, "{line}");
    }
}

/// As GitHub runs a step.
fn on_github<'c>(command: &'c mut assert_cmd::Command, summary: &Path) -> &'c mut assert_cmd::Command {
    command.env("CI", "true").env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", summary)
}

#[test]
fn github_gets_annotations_and_a_summary_and_no_other_command() {
    let out = tempfile::tempdir().unwrap();
    let summary = out.path().join("summary.md");
    std::fs::write(&summary, "of an earlier step\n").unwrap();
    let regression = ("candidate", "baseline");
    for (format, warn_only, code) in [("human", false, 100), ("json", false, 100), ("human", true, 0)] {
        let folder = out.path().join(format!("{format}-{warn_only}"));
        let more: &[&str] = if warn_only { &["--warn-only"] } else { &[] };
        let mut command = run(&folder, regression, &[&["--format", format], more].concat());
        let said = said(on_github(&mut command, &summary));
        assert_eq!(said.code, Some(code), "{}\n{}", said.out, said.err);
        // Where standard output is for a program, commands go beside it.
        let (with, without) = if format == "json" { (&said.err, &said.out) } else { (&said.out, &said.err) };
        let commands: Vec<&str> = with.lines().filter(|line| line.starts_with("::")).collect();
        let level = if warn_only { "::warning" } else { "::error" };
        assert!(
            commands[0].starts_with(&format!("{level} title=mcp-regress%3A regression::continuation reads ")),
            "{commands:?}"
        );
        assert!(!without.lines().any(|line| line.starts_with("::")), "{without}");
    }
    let text = read(&summary);
    assert!(text.starts_with("of an earlier step\n## Regression: continuation reads"), "{text}");
    assert_eq!(text.matches("## Regression").count(), 3);
    // Outside of GitHub nobody is told.
    let said = said(run(&out.path().join("here"), regression, &[]).env("CI", "true"));
    assert!(!said.out.contains("::"), "{}", said.out);
    assert_eq!(read(&summary), text);
    // A summary that can't be written changes no verdict.
    let mut command = run(&out.path().join("unwritable"), regression, &[]);
    let said = self::said(on_github(&mut command, &out.path().join("no/such/folder")));
    assert_eq!(said.code, Some(100));
    assert!(said.err.contains("summary can't be written"), "{}", said.err);
}

#[test]
fn a_side_that_does_not_start_is_an_error_everywhere() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("reports/junit.xml");
    let wish = format!("junit={}", path.display());
    let mut command = mcp_regress();
    command.args(["run", "--suite"]).arg(demo()).args(["--report", &wish, "--candidate-cmd"]);
    command
        .arg("sh -c 'echo \"::warning::from the server\" >&2; echo \"##[group]x\" >&2; exit 3'")
        .arg("--out")
        .arg(out.path());
    let said = said(on_github(&mut command, &out.path().join("summary.md")));
    assert_eq!(said.code, Some(3), "{}\n{}", said.out, said.err);
    assert!(
        said.err.contains("\n::error title=mcp-regress%3A exit code 3::the candidate did not start"),
        "{}",
        said.err
    );
    let commands =
        said.err.lines().filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).count();
    assert_eq!(commands, 1, "{}", said.err);
    let report = junit(&path);
    assert_eq!((report.tests, report.errors), (1, 1));
}

#[test]
fn junit_has_a_test_a_rule_and_a_test_a_case() {
    let out = tempfile::tempdir().unwrap();
    assert_eq!(said(&mut run(&out.path().join("worse"), ("candidate", "baseline"), &[])).code, Some(100));
    let worse = only_run(&out.path().join("worse"));
    let report = junit(&worse.join("junit.xml"));
    let failed: Vec<&str> =
        tests(&report).filter(|(_, test)| outcome(test) == "failed").map(|(suite, _)| suite).collect();
    assert_eq!(failed, ["rules: calls"]);
    let rules = rows(&worse.join("rules.csv")).len();
    let cases = summary(&worse)["splits"]["all"]["cases"].as_u64().unwrap() as usize;
    assert_eq!(report.tests, rules + cases);
    assert!(!read(&worse.join("junit.xml")).contains("time="), "a clock value");
}

#[test]
fn junit_tells_lost_cases_from_those_that_stand_apart() {
    let out = tempfile::tempdir().unwrap();
    // `kept` is read on both sides, `lost` on the baseline alone, `stale` on none.
    let case = |id: &str, text: &str| {
        json!({ "format_version": 1, "id": id, "recordings": [{ "id": "r", "steps": [
            { "read": "read_document", "arguments": { "documentIds": [id] }, "need": { "contains": [text] } }
        ] }] })
    };
    let server = |name: &str, text: &str| {
        let path = out.path().join(name);
        std::fs::write(&path, scripted(name, "read_document", text)).unwrap();
        path
    };
    let (base, cand) = (server("base.sh", "kept and lost"), server("cand.sh", "kept alone"));
    let sides = format!(
        "same_code = 1\n[baseline]\ncommand = [\"sh\", \"{}\"]\n[candidate]\ncommand = [\"sh\", \"{}\"]\n[tools.read_document]\nkind = \"read\"\n[[rule]]\nmetric = \"tool_calls\"\nmargin = 0",
        base.display(),
        cand.display()
    );
    let suite = suite(&sides, &case("s/kept", "kept"));
    for id in ["lost", "stale"] {
        std::fs::write(
            suite.path().join(format!("{id}.case.json")),
            case(&format!("s/{id}"), id).to_string(),
        )
        .unwrap();
    }
    let said =
        said(mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(out.path().join("r")));
    let run = only_run(&out.path().join("r"));
    let report = junit(&run.join("junit.xml"));
    let cases: Vec<(&str, &str)> = tests(&report)
        .filter(|(suite, _)| *suite == "cases")
        .map(|(_, test)| (test.name.as_str(), outcome(test)))
        .collect();
    assert_eq!(cases, [("s/kept", "passed"), ("s/lost", "failed"), ("s/stale", "skipped")], "{}", said.out);
}

/// A server that answers every call with the same text, under any name.
fn scripted(name: &str, tool: &str, text: &str) -> String {
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": name, "version": "1" } });
    let tools = json!({ "tools": [{ "name": tool, "inputSchema": { "type": "object", "properties": { "documentIds": { "type": "array" } } }, "annotations": { "readOnlyHint": true } }] });
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    let reply = |result: &serde_json::Value| {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}}\\n",
            result.to_string().replace('%', "%%")
        );
        format!("printf '{}' \"$id\"", line.replace('\'', "'\\''"))
    };
    format!(
        "while IFS= read -r line; do\n  id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\": *\\([0-9]*\\).*/\\1/p')\n  case $line in\n    *'\"initialize\"'*) {} ;;\n    *'\"tools/list\"'*) {} ;;\n    *'\"tools/call\"'*) {} ;;\n  esac\ndone\n",
        reply(&hello),
        reply(&tools),
        reply(&result)
    )
}

#[test]
fn a_servers_text_can_do_nothing_in_any_report() {
    const HOSTILE: &str = "::error::x @admin ![i](http://e/i.png) <!-- c --> ##[group]g [l](http://e) <b>|`";
    let out = tempfile::tempdir().unwrap();
    let server = |file: &str, name: &str, text: &str| -> PathBuf {
        let path = out.path().join(file);
        std::fs::write(&path, scripted(name, HOSTILE, text)).unwrap();
        path
    };
    let (base, cand) = (server("b.sh", HOSTILE, "kept"), server("c.sh", HOSTILE, "gone"));
    let sides = format!(
        "same_code = 1\n[baseline]\ncommand = [\"sh\", \"{}\"]\n[candidate]\ncommand = [\"sh\", \"{}\"]",
        base.display(),
        cand.display()
    );
    let case = json!({ "format_version": 1, "id": "s/one", "recordings": [{ "id": "r", "steps": [
        { "read": HOSTILE, "arguments": { "unknown \u{1b}[31m@x": 1 }, "need": { "contains": ["kept"] } }
    ] }] });
    let suite = suite(&sides, &case);
    let summary = out.path().join("summary.md");
    let mut command = mcp_regress();
    command.args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(out.path().join("r"));
    let said = said(on_github(&mut command, &summary));
    let run = only_run(&out.path().join("r"));
    for line in said.out.lines().chain(said.err.lines()) {
        let is_ours =
            line.starts_with("::error title=mcp-regress") || line.starts_with("::warning title=mcp-regress");
        assert!(is_ours || !line.trim_start().starts_with("::"), "{line}");
        assert!(!line.contains("##[") && !line.contains('\u{1b}'), "{line}");
    }
    let mut seen = 0;
    for text in [read(&run.join("comment.md")), read(&run.join("summary.md")), read(&summary)] {
        let text = text.replace("<!-- mcp-regress -->", "");
        // In a code span nothing means anything: what is left of each line has none of it.
        for line in text.lines() {
            let outside: String = line.split('`').step_by(2).collect();
            for part in ["@admin", "](", "<!--", "<b>", "http://", "@x"] {
                assert!(!outside.contains(part), "{part} in {line}");
            }
            seen += usize::from(line.contains("@admin"));
        }
    }
    assert!(seen > 0, "the hostile name is in no report: {}", said.out);
    junit(&run.join("junit.xml"));
}

#[test]
fn a_report_that_can_not_be_written_fails_before_anything_runs() {
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("file"), "").unwrap();
    for wish in
        [format!("junit={}/file/x.xml", out.path().display()), "html=x".to_owned(), "junit=".to_owned()]
    {
        let folder = out.path().join("runs");
        let said = said(&mut run(&folder, ("baseline", "baseline"), &["--report", &wish]));
        assert_eq!(said.code, Some(2), "{wish}: {}", said.err);
        assert!(!folder.exists(), "{wish}");
    }
}
