//! The main job on published servers that nobody here wrote.
//!
//! `scripts/test real` installs them, makes the files that they read, and names their folder in
//! `MCP_REGRESS_REAL_DIR`; without it these tests fail. The suites are those of scripts/real/suites.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use serde_json::Value;
use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

type Row = HashMap<String, String>;

/// A finished run: how it exited, and its folder.
struct Ran {
    code: Option<i32>,
    folder: PathBuf,
    /// What the command printed, for messages.
    said: String,
    _kept: tempfile::TempDir,
}

impl Ran {
    fn rows(&self, table: &str, side: &str) -> Vec<Row> {
        rows(&self.folder.join(table)).into_iter().filter(|row| row["side"] == side).collect()
    }

    /// Calls of one attempt of a case.
    fn calls(&self, case: &str, side: &str) -> Vec<Row> {
        let mut calls = self.rows("calls.csv", side);
        calls.retain(|row| row["case_id"] == case && row["attempt"] == "1");
        calls
    }

    fn metric(&self, name: &str) -> Value {
        let summary = summary(&self.folder);
        summary["splits"]["all"]["metrics"][name].clone()
    }
}

/// Fails loudly where a skipped test would hide that nothing was tried.
fn servers() -> PathBuf {
    let folder = std::env::var_os("MCP_REGRESS_REAL_DIR")
        .expect("`MCP_REGRESS_REAL_DIR` is not set; run `scripts/test real`, which installs the servers");
    let folder = PathBuf::from(folder).canonicalize().expect("the folder of `MCP_REGRESS_REAL_DIR`");
    assert!(folder.join("corpus/big.md").is_file(), "no corpus in `{}`", folder.display());
    folder
}

/// Copies a suite with the places of the servers and a free port filled in.
fn laid_out(name: &str, into: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/real/suites").join(name);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let servers = servers();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("@real@", servers.to_str().unwrap()).replace("@port@", &port);
        std::fs::write(into.join(path.file_name().unwrap()), text).unwrap();
    }
}

fn run(name: &str, arguments: &[&str]) -> Ran {
    let kept = tempfile::tempdir().unwrap();
    laid_out(name, kept.path());
    let out = kept.path().join("out");
    let mut command = mcp_regress();
    command.timeout(Duration::from_secs(1200));
    command.env("COLUMNS", "300").current_dir(kept.path());
    let said = said(command.args(["run", "--out"]).arg(&out).args(arguments));
    let said = Said { out: format!("{}\n{}", said.out, said.err), ..said };
    assert!(out.is_dir(), "{}", said.out);
    Ran { code: said.code, folder: only_run(&out), said: said.out, _kept: kept }
}

fn sum(calls: &[Row], column: &str) -> u64 {
    calls.iter().map(|row| row[column].parse::<u64>().unwrap()).sum()
}

fn largest(calls: &[Row], column: &str) -> u64 {
    calls.iter().map(|row| row[column].parse().unwrap()).max().unwrap()
}

fn count(calls: &[Row], column: &str, value: &str) -> usize {
    calls.iter().filter(|row| row[column] == value).count()
}

fn chain_end(calls: &[Row]) -> &str {
    &calls.last().unwrap()["chain_end"]
}

/// No attempt was lost on any side.
fn assert_all_ok(ran: &Ran) {
    for row in rows(&ran.folder.join("attempts.csv")) {
        assert_eq!(row["status"], "ok", "{row:?}\n{}", ran.said);
    }
}

fn assert_no_change(ran: &Ran) {
    for row in rows(&ran.folder.join("metrics.csv")) {
        assert!(["~", ""].contains(&row["call"].as_str()), "{row:?}\n{}", ran.said);
        assert!(["0", ""].contains(&row["delta"].as_str()), "{row:?}\n{}", ran.said);
    }
    assert_eq!(ran.metric("tool_calls")["call"], "~");
}

#[test]
fn a_server_that_announces_more_for_ever_is_stuck_and_its_mended_release_is_not() {
    let ran = run("fetch-mended", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_all_ok(&ran);
    let before = ran.calls("fetch/whole-document", "baseline");
    assert!(["stuck", "capped"].contains(&chain_end(&before)), "{before:?}");
    assert!(before.len() > 41, "{} reads", before.len());
    let after = ran.calls("fetch/whole-document", "candidate");
    assert_eq!((after.len(), count(&after, "is_continuation", "true")), (41, 40));
    assert_eq!(chain_end(&after), "met");
    assert_eq!(count(&after, "continuation_evidence", "offered"), 40);
    let ended = ran.metric("stuck_chains")["baseline_total"].as_f64().unwrap()
        + ran.metric("capped_chains")["baseline_total"].as_f64().unwrap();
    assert_eq!(ended, 2.0);
    assert_eq!(ran.metric("evidence_recall")["call"], "better");
}

#[test]
fn releases_that_answer_alike_show_no_change() {
    let ran = run("fetch-no-effect", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_all_ok(&ran);
    assert_no_change(&ran);
    let pages = |side| -> Vec<String> {
        let calls = ran.calls("fetch/whole-document", side);
        calls.into_iter().map(|mut row| row.remove("result_sha256").unwrap()).collect()
    };
    assert_eq!(pages("baseline").len(), 41);
    assert_eq!(pages("baseline"), pages("candidate"));
}

#[test]
fn a_wider_page_needs_fewer_reads_and_goes_over_the_limit() {
    let whole = run("fetch-knob", &["--client", "none"]);
    assert_eq!(whole.code, Some(0), "{}", whole.said);
    assert_no_change(&whole);
    let narrow = whole.calls("fetch/narrow", "candidate");
    let wide = whole.calls("fetch/wide", "candidate");
    assert_eq!((narrow.len(), wide.len()), (41, 5));
    // The notice around a page holds the address, whose port has five digits here and four in SERVERS.md.
    assert!((5_237..=5_238).contains(&largest(&narrow, "result_chars")));
    assert!((50_237..=50_238).contains(&largest(&wide, "result_chars")));
    assert_eq!(count(&wide, "oversized_by", ""), 5);

    let limited = run("fetch-knob", &[]);
    assert_eq!(limited.code, Some(0), "{}", limited.said);
    assert_eq!(count(&limited.calls("fetch/narrow", "candidate"), "oversized_by", ""), 41);
    let wide = limited.calls("fetch/wide", "candidate");
    assert_eq!(wide[0]["oversized_by"], "chars");
    assert_eq!((wide[1]["is_shrunk_retry"].as_str(), count(&wide, "is_shrunk_retry", "true")), ("true", 1));
    assert_eq!(chain_end(&wide), "met");
    let shown = &summary(&limited.folder)["largest_result"];
    assert_eq!(shown["candidate"]["result_chars"].as_u64(), Some(largest(&wide, "result_chars")), "{shown}");
}

#[test]
fn an_argument_that_a_release_ignores_is_named() {
    let ran = run("filesystem-head", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_all_ok(&ran);
    let before = ran.calls("filesystem/head", "baseline");
    let after = ran.calls("filesystem/head", "candidate");
    assert_eq!((sum(&before, "result_chars"), sum(&after, "result_chars")), (200_078, 7_461));
    assert_eq!(
        (before[0]["unknown_arguments"].as_str(), after[0]["unknown_arguments"].as_str()),
        ("head", "")
    );
    let warnings = summary(&ran.folder)["warnings"].to_string();
    assert!(warnings.contains("read_file.head"), "{warnings}");
    assert_eq!(ran.metric("oversized_results")["call"], "better");
}

#[test]
fn a_doubled_result_a_new_tools_list_and_two_broken_tools_are_a_regression() {
    let ran = run("filesystem-structured", &[]);
    assert_eq!(ran.code, Some(100), "{}", ran.said);
    assert_all_ok(&ran);
    let text = |side| ran.calls("filesystem/text", side).remove(0);
    assert_eq!(text("baseline")["result_wire_bytes"], "202712");
    assert_eq!(text("candidate")["result_wire_bytes"], "405420");
    assert_eq!(
        (text("baseline")["result_chars"].as_str(), text("candidate")["result_chars"].as_str()),
        ("200078", "202687")
    );
    for case in ["filesystem/tree", "filesystem/sizes"] {
        assert_eq!(ran.calls(case, "baseline")[0]["outcome"], "ok");
        assert_eq!(ran.calls(case, "candidate")[0]["outcome"], "tool_error");
    }
    let summary = summary(&ran.folder);
    let list = &summary["tools_list"];
    assert_eq!((&list["identical"], &list["compatible"]), (&false.into(), &false.into()), "{list}");
    assert_eq!(
        (&list["baseline_bytes"], &list["candidate_bytes"]),
        (&5_452.into(), &12_227.into()),
        "{list}"
    );
    let warnings = summary["warnings"].to_string();
    for tool in ["directory_tree", "list_directory_with_sizes"] {
        assert!(warnings.contains(&format!("{tool} (0 -> 2 of 2 calls)")), "{warnings}");
    }
    let failed: Vec<String> = rows(&ran.folder.join("rules.csv"))
        .into_iter()
        .filter(|row| row["verdict"] == "regression")
        .map(|mut row| row.remove("metric").unwrap())
        .collect();
    assert_eq!(failed, ["errors"]);
}

#[test]
fn a_mended_tool_passes() {
    let ran = run("filesystem-mended", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_eq!(ran.calls("filesystem/part", "baseline")[0]["outcome"], "tool_error");
    assert_eq!(ran.calls("filesystem/part", "candidate")[0]["outcome"], "ok");
    assert_eq!(ran.metric("errors")["call"], "better");
}

#[test]
fn one_server_gives_the_same_calls_over_stdio_and_http() {
    let ran = run("everything", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_all_ok(&ran);
    assert_no_change(&ran);
    let calls = |side| {
        let mut calls = ran.rows("calls.csv", side);
        calls.iter_mut().for_each(|row| drop(row.remove("side")));
        calls
    };
    assert_eq!(calls("baseline").len(), 16);
    assert_eq!(calls("baseline"), calls("candidate"));
    assert_eq!(count(&calls("baseline"), "outcome", "tool_error"), 2);
    assert_eq!(summary(&ran.folder)["tools_list"]["identical"], true);
}

/// Bytes of the candidate's tools/list, by run.
fn tools_list_bytes(ran: &Ran) -> u64 {
    summary(&ran.folder)["tools_list"]["candidate_bytes"].as_u64().unwrap()
}

#[test]
fn the_tool_list_is_the_one_that_the_client_gets_once_it_has_settled() {
    let plain = run("everything", &[]);
    let offered = run("everything-client", &["--jobs", "2"]);
    assert_eq!(offered.code, Some(0), "{}", offered.said);
    assert_all_ok(&offered);
    assert_no_change(&offered);
    assert_eq!(summary(&offered.folder)["tools_list"]["identical"], true, "each start gave the same list");
    // Three more tools: roots, sampling, elicitation.
    let (plain, more) = (tools_list_bytes(&plain), tools_list_bytes(&offered));
    assert!(more > plain + 1000, "{plain} bytes for a client that offers nothing, {more} for one that does");
    for side in ["baseline", "candidate"] {
        let told = format!("warning: {side}: its tool list changed after the start; the last one counts");
        assert!(offered.said.contains(&told), "{}", offered.said);
        assert!(
            offered.said.contains(&format!("{side}: requests of its own, which were refused")),
            "{}",
            offered.said
        );
        assert_eq!(offered.calls("everything/roots", side).len(), 2);
    }
}

#[test]
fn lines_that_a_real_npm_writes_between_the_messages_change_no_result() {
    let ran = run("everything-npm", &["--jobs", "2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    assert_all_ok(&ran);
    assert_no_change(&ran);
    let [start, middle] =
        ["lines on stdout were no messages", "lines that are no messages, which were left out"];
    for told in [start, middle] {
        let lines: Vec<&str> = ran.said.lines().filter(|line| line.contains(told)).collect();
        assert!(lines.len() == 1 && lines[0].contains("candidate:"), "`{told}`: {lines:?}\n{}", ran.said);
    }
    let calls = |side| {
        let mut calls = ran.rows("calls.csv", side);
        calls.iter_mut().for_each(|row| drop(row.remove("side")));
        calls
    };
    assert_eq!(calls("baseline"), calls("candidate"));
    // The loop that wrote them outlives the server: it was ended.
    assert!(ran.said.contains("candidate: it left processes behind, which were killed"), "{}", ran.said);
}
