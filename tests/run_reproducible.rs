//! Same input, same seed, same bytes: for any number of workers, after a kill, from a stored run, with jitter.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn run_to(out: &Path, suite: &Path, extra: &[&str]) {
    let said = said(
        mcp_regress().args(["run", "--cases", FEW, "--suite"]).arg(suite).arg("--out").arg(out).args(extra),
    );
    assert!(matches!(said.code, Some(0 | 100)), "{}\n{}", said.out, said.err);
}

/// The demonstration with jitter keyed by the attempt, so that two runs of the same code differ.
fn jittered() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let toml = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let toml = toml
        .replace("attempts = 4", "attempts = 4\nrestart = \"attempt\"")
        .replace("\"--build\", ", "\"--jitter\", \"{attempt_seed}\", \"--build\", ");
    std::fs::write(dir.path().join("mcp-regress.toml"), toml).unwrap();
    for entry in std::fs::read_dir(demo()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            std::fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    dir
}

#[test]
fn workers_do_not_change_a_byte() {
    let out = tempfile::tempdir().unwrap();
    run_to(&out.path().join("one"), &demo(), &["--jobs", "1"]);
    run_to(&out.path().join("four"), &demo(), &["--jobs", "4"]);
    assert_same_files(&only_run(&out.path().join("one")), &only_run(&out.path().join("four")));
}

#[test]
fn jitter_is_reproducible_and_makes_the_same_code_differ() {
    let suite = jittered();
    let out = tempfile::tempdir().unwrap();
    run_to(&out.path().join("one"), suite.path(), &["--jobs", "1"]);
    run_to(&out.path().join("four"), suite.path(), &["--jobs", "4"]);
    let (one, four) = (only_run(&out.path().join("one")), only_run(&out.path().join("four")));
    assert_same_files(&one, &four);
    let metrics = &summary(&one)["splits"]["all"]["metrics"];
    assert_eq!(metrics["result_chars"]["deterministic"], false);
    assert!(metrics["result_chars"]["noise_se"].as_f64().unwrap() > 0.0);
}

/// A stored run of an earlier build says today what it said then. `scripts/make-reference` makes it again when a
/// change is meant.
#[test]
fn the_checked_in_run_gives_its_files_again() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference");
    let copy = tempfile::tempdir().unwrap();
    let shard = copy.path().join("shards/1-of-1");
    std::fs::create_dir_all(&shard).unwrap();
    std::fs::copy(kept.join("run.json"), copy.path().join("run.json")).unwrap();
    std::fs::copy(kept.join("shards/1-of-1/attempts.jsonl"), shard.join("attempts.jsonl")).unwrap();
    let said = said(mcp_regress().arg("report").arg(copy.path()));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert_same_files(&kept, copy.path());
    for name in ["comment.md", "junit.xml", "report.html", "timings.csv"] {
        let text = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(text(&kept) == text(copy.path()), "{name}");
    }
}

#[test]
fn report_makes_the_same_files_again() {
    let out = tempfile::tempdir().unwrap();
    run_to(out.path(), &demo(), &[]);
    let run = only_run(out.path());
    let kept = tempfile::tempdir().unwrap();
    for name in REPRODUCIBLE {
        std::fs::rename(run.join(name), kept.path().join(name)).unwrap();
    }
    let said = said(mcp_regress().arg("report").arg(&run));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert_same_files(kept.path(), &run);
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let out = tempfile::tempdir().unwrap();
    run_to(&out.path().join("whole"), &demo(), &[]);
    let cut = out.path().join("cut");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
        .args(["run", "--cases", FEW, "--suite"])
        .arg(demo())
        .arg("--out")
        .arg(&cut)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_records(&cut, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = only_run(&cut);
    let journal = run.join("shards/1-of-1/attempts.jsonl");
    // As if the kill had come in the middle of a write.
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.truncate(bytes.len() - 30);
    std::fs::write(&journal, &bytes).unwrap();
    let said = said(mcp_regress().args(["run", "--resume", "--out"]).arg(&cut));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert_same_files(&only_run(&out.path().join("whole")), &run);
    let again = self::said(mcp_regress().args(["run", "--resume", "--out"]).arg(&cut));
    assert_eq!(again.code, Some(0), "{}\n{}", again.out, again.err);
    assert!(again.err.contains("nothing is left"), "{}", again.err);
}

fn wait_for_records(out: &Path, wanted: usize) {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let runs = if out.is_dir() { runs(out) } else { Vec::new() };
        let lines = runs.first().and_then(|run| std::fs::read(run.join("shards/1-of-1/attempts.jsonl")).ok());
        let count = lines.map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
        if count >= wanted {
            return;
        }
        assert!(Instant::now() < until, "only {count} records");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_interrupt_keeps_everything_and_says_how_to_go_on() {
    let out = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
        .args(["run", "--suite"])
        .arg(demo())
        .arg("--out")
        .arg(out.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_records(out.path(), 10);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("mcp-regress run --resume"), "{err}");
    let run = only_run(out.path());
    let records = std::fs::read_to_string(run.join("shards/1-of-1/attempts.jsonl")).unwrap();
    assert!(records.lines().count() >= 10);
}
