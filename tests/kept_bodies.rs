//! `--keep-bodies`: results as files beside the journal, whole and by their hash, and folded on the page.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use mcp_regress::client::ToolResult;
use mcp_regress::text::sha256_hex;
use mcp_regress::trace::{AttemptRecord, Bodies, CallRecord};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn replay(suite: &Path, out: &Path, more: &[&str]) -> PathBuf {
    let mut command = mcp_regress();
    command.args(["run", "--warn-only", "--suite"]).arg(suite).arg("--out").arg(out).args(more);
    let said = said(&mut command);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    runs(out).pop().unwrap()
}

fn few(out: &Path, more: &[&str]) -> PathBuf {
    replay(&demo(), out, &[&["--cases", FEW, "--attempts", "2"], more].concat())
}

fn report(run: &Path) -> Said {
    said(mcp_regress().arg("report").arg(run))
}

/// Every call in the journals of a run.
fn calls(run: &Path) -> Vec<CallRecord> {
    let mut calls = Vec::new();
    for entry in walkdir::WalkDir::new(run.join("shards")).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            for line in std::fs::read_to_string(entry.path()).unwrap().lines() {
                calls.extend(serde_json::from_str::<AttemptRecord>(line).unwrap().calls);
            }
        }
    }
    calls
}

/// Hashes of what is kept, by their files; each file is what its name says and its owner's alone.
fn kept(run: &Path) -> BTreeSet<String> {
    let entries = walkdir::WalkDir::new(run.join("bodies")).into_iter().map(Result::unwrap);
    let mut found = BTreeSet::new();
    for entry in entries {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        if entry.file_type().is_dir() {
            assert_eq!(mode, 0o700, "{}", entry.path().display());
            continue;
        }
        assert_eq!(mode, 0o600, "{}", entry.path().display());
        let name = entry.file_name().to_string_lossy().into_owned();
        assert_eq!(sha256_hex(std::fs::read(entry.path()).unwrap()), name);
        assert!(entry.path().ends_with(Bodies::place(&name).unwrap()));
        found.insert(name);
    }
    found
}

fn named(calls: &[CallRecord]) -> BTreeSet<String> {
    calls.iter().filter_map(|call| call.body_sha256.clone()).collect()
}

fn page(run: &Path) -> String {
    std::fs::read_to_string(run.join("report.html")).unwrap()
}

#[test]
fn all_results_are_kept_whole_and_change_no_other_file() {
    let out = tempfile::tempdir().unwrap();
    let (plain, with) =
        (few(&out.path().join("a"), &[]), few(&out.path().join("b"), &["--keep-bodies", "all"]));
    assert!(!plain.join("bodies").exists() && page(&plain).contains("No text of a result was kept"));
    assert_same_files(&plain, &with);
    let calls = calls(&with);
    assert!(calls.len() > 20 && calls.iter().all(|call| call.body_sha256.is_some()));
    assert_eq!(kept(&with), named(&calls));
    for call in &calls {
        let body = Bodies::of(&with).read(call.body_sha256.as_ref().unwrap(), u64::MAX).unwrap().unwrap();
        assert_eq!(body.len() as u64, call.result_wire_bytes, "not the bytes that came");
        let result = ToolResult::parse(std::str::from_utf8(&body).unwrap());
        let chars: usize = result.blocks.iter().map(|block| block.text().encode_utf16().count()).sum();
        assert_eq!(chars as u64, call.result_chars);
        let first: String =
            result.blocks[0].text().chars().take_while(|c| c.is_alphanumeric() || *c == ' ').collect();
        assert!(page(&with).contains(&first), "`{first}` is not on the page");
    }
    let before = page(&with);
    assert_eq!(report(&with).code, Some(0));
    assert_eq!(page(&with), before);
    let compared = out.path().join("c");
    let said = said(mcp_regress().arg("compare").arg(&with).arg("--out").arg(&compared));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let pages = walkdir::WalkDir::new(&compared).into_iter().map(Result::unwrap);
    let pages: Vec<_> = pages.filter(|entry| entry.file_name() == "report.html").collect();
    assert_eq!(pages.len(), 1);
    let text = std::fs::read_to_string(pages[0].path()).unwrap();
    assert!(text.contains("No text of a result was kept") && !text.contains("No such file"));
}

#[test]
fn oversized_results_alone() {
    let out = tempfile::tempdir().unwrap();
    let suite = demo().join("threads");
    let run = replay(&suite, out.path(), &["--cases", "threads/gave-up*", "--keep-bodies", "oversized"]);
    let calls = calls(&run);
    let (over, whole): (Vec<_>, Vec<_>) =
        calls.iter().cloned().partition(|call| !call.oversized_by.is_empty());
    assert!(!over.is_empty() && !whole.is_empty());
    assert!(over.iter().all(|call| call.body_sha256.is_some()));
    assert_eq!(named(&whole), BTreeSet::new());
    assert_eq!(kept(&run), named(&over));
    // A large result is cut on the page, and its file is named.
    assert!(page(&run).contains("4,000 of "), "{}", page(&run));
}

#[test]
fn they_go_along_with_shards_and_stored_baselines_and_a_resumed_run() {
    let out = tempfile::tempdir().unwrap();
    let flags = ["--keep-bodies", "all"];
    let whole = few(&out.path().join("whole"), &flags);
    for shard in ["1/2", "2/2"] {
        few(&out.path().join("shards"), &[&flags[..], &["--shard", shard]].concat());
    }
    let merged = out.path().join("merged");
    let ended = said(mcp_regress().arg("merge").arg(out.path().join("shards")).arg("--out").arg(&merged));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(kept(&only_run(&merged)), kept(&whole));

    let baseline = format!("{}:baseline", whole.display());
    let later = few(&out.path().join("later"), &["--baseline-run", &baseline]);
    let of_baseline = named(&calls(&later));
    assert!(!of_baseline.is_empty());
    assert_eq!(kept(&later), of_baseline);

    let journal = later.join("shards/1-of-1/attempts.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&journal, format!("{}\n", lines[..lines.len() / 2].join("\n"))).unwrap();
    let resumed = said(mcp_regress().args(["run", "--resume"]).arg(&later));
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!(kept(&later), of_baseline);
}

#[test]
fn what_is_gone_damaged_or_named_by_a_stranger_is_said_on_the_page() {
    let out = tempfile::tempdir().unwrap();
    let run = few(out.path(), &["--keep-bodies", "all"]);
    let journal = run.join("shards/1-of-1/attempts.jsonl");
    let hashes: Vec<String> = kept(&run).into_iter().collect();
    let place = |at: usize| run.join(Bodies::place(&hashes[at]).unwrap());
    std::fs::remove_file(place(0)).unwrap();
    std::fs::write(place(1), "something else").unwrap();
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replace(&hashes[2], "../../../../etc/hostname")).unwrap();
    let said = report(&run);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let page = page(&run);
    for told in ["No such file", "it is not what its name says", "its kept result has no valid name"] {
        assert!(page.contains(told), "{told}");
    }
    assert!(!page.contains("something else"));
}

/// A disk that takes no more: the run ends, says which file, and goes on when there is room.
#[test]
fn a_result_that_cannot_be_kept_ends_the_run() {
    let out = tempfile::tempdir().unwrap();
    let run = few(out.path(), &["--keep-bodies", "all"]);
    let journal = run.join("shards/1-of-1/attempts.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.lines().take(3).map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    std::fs::remove_dir_all(run.join("bodies")).unwrap();
    std::fs::write(run.join("bodies"), "in the way").unwrap();
    let refused = said(mcp_regress().args(["run", "--resume"]).arg(&run));
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(
        refused.err.contains("a result can't be kept") && refused.err.contains("--resume"),
        "{}",
        refused.err
    );
    std::fs::remove_file(run.join("bodies")).unwrap();
    let resumed = said(mcp_regress().args(["run", "--resume"]).arg(&run));
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(kept(&run).len() > 3);
}
