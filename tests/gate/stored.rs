//! `--baseline-run`: a side of a stored run stands for the baseline.

use crate::cli::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SERVER: &str = "{self} fixture --scenario documents --build";

fn command(out: &Path, more: &[&str]) -> Said {
    said(mcp_regress().args(["run", "--cases", FEW, "--suite"]).arg(demo()).arg("--out").arg(out).args(more))
}

fn cmd(build: &str) -> String {
    format!("{SERVER} {build}")
}

/// What a job on the main branch keeps: main is its candidate.
fn main_run(out: &Path, more: &[&str]) -> PathBuf {
    let candidate = cmd("baseline");
    let said = command(out, &[&["--candidate-cmd", candidate.as_str()], more].concat());
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    runs(out).pop().unwrap()
}

fn metrics(run: &Path) -> Value {
    summary(run)["splits"]["all"]["metrics"].clone()
}

#[test]
fn a_stored_run_says_what_a_measured_baseline_says() {
    let out = tempfile::tempdir().unwrap();
    let stored = main_run(&out.path().join("main"), &[]);
    let both = out.path().join("both");
    assert_eq!(command(&both, &[]).code, Some(0));
    let alone = out.path().join("alone");
    let named = stored.display().to_string();
    let said = command(&alone, &["--baseline-run", &named]);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = stored.file_name().unwrap().to_str().unwrap();
    assert!(
        words.contains(&format!("the baseline is `candidate` of the stored run {name}, made")),
        "{words}"
    );
    let (both, alone) = (only_run(&both), only_run(&alone));
    let (measured, taken) = (metrics(&both), metrics(&alone));
    for (metric, want) in measured.as_object().unwrap() {
        for column in ["n_cases", "delta", "baseline_total", "candidate_total", "ci_low", "ci_high", "call"] {
            assert_eq!(taken[metric][column], want[column], "{metric} {column}");
        }
        assert_eq!(taken[metric]["deterministic"], true, "{metric}");
    }
    // It holds what it was compared with: the stored run may go.
    let kept = tempfile::tempdir().unwrap();
    for name in REPRODUCIBLE {
        std::fs::rename(alone.join(name), kept.path().join(name)).unwrap();
    }
    std::fs::remove_dir_all(&stored).unwrap();
    assert_eq!(self::said(mcp_regress().arg("report").arg(&alone)).code, Some(0));
    assert_same_files(kept.path(), &alone);
    // No baseline's attempt was made here.
    let md = std::fs::read_to_string(alone.join("summary.md")).unwrap();
    assert!(md.contains("The baseline is the candidate of a stored run"), "{md}");
    assert!(!md.contains(name), "summary.md holds a run id");
}

#[test]
fn a_side_of_the_baselines_code_brings_its_same_code_runs() {
    let out = tempfile::tempdir().unwrap();
    let stored = out.path().join("main");
    assert_eq!(command(&stored, &["--same-code", "2"]).code, Some(0));
    let named = format!("{}:baseline", only_run(&stored).display());
    let new = out.path().join("new");
    let said = command(&new, &["--baseline-run", &named]);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let (stored, new) = (only_run(&stored), only_run(&new));
    similar_asserts::assert_eq!(
        std::fs::read_to_string(stored.join("metrics.csv")).unwrap(),
        std::fs::read_to_string(new.join("metrics.csv")).unwrap()
    );
    let wrong =
        command(&out.path().join("wrong"), &["--baseline-run", &format!("{}:same-code-3", stored.display())]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
}

#[test]
fn shards_against_a_stored_run_merge_to_the_same_bytes() {
    let out = tempfile::tempdir().unwrap();
    let stored = main_run(&out.path().join("main"), &[]).display().to_string();
    let whole = out.path().join("whole");
    assert_eq!(command(&whole, &["--baseline-run", &stored]).code, Some(0));
    let shards = out.path().join("shards");
    for shard in ["1/2", "2/2"] {
        assert_eq!(command(&shards, &["--baseline-run", &stored, "--shard", shard]).code, Some(0));
    }
    let merged = out.path().join("merged");
    let said = said(mcp_regress().arg("merge").arg(&shards).arg("--out").arg(&merged));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert_same_files(&only_run(&whole), &only_run(&merged));
}

#[test]
fn a_cut_run_against_a_stored_one_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let stored = main_run(&out.path().join("main"), &[]).display().to_string();
    let whole = out.path().join("whole");
    assert_eq!(command(&whole, &["--baseline-run", &stored]).code, Some(0));
    let whole = only_run(&whole);
    let cut = out.path().join("cut");
    assert_eq!(command(&cut, &["--baseline-run", &stored]).code, Some(0));
    let run = only_run(&cut);
    let journal = run.join("shards/1-of-1/attempts.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    // In the middle of the copy, and after it.
    for lines in [5, text.lines().count() - 9] {
        let part: String = text.split_inclusive('\n').take(lines).collect();
        std::fs::write(&journal, part).unwrap();
        let said = said(mcp_regress().args(["run", "--resume"]).arg(&run));
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        assert_same_files(&whole, &run);
    }
}

#[test]
fn cases_on_one_side_only_are_listed_as_unpaired() {
    let out = tempfile::tempdir().unwrap();
    let suite = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(demo()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".case.json") || name == "mcp-regress.toml" {
            std::fs::copy(&path, suite.path().join(name)).unwrap();
        }
    }
    let run = |folder: &str, more: &[&str]| {
        let out = out.path().join(folder);
        let said =
            said(mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(&out).args(more));
        (said, runs(&out).pop())
    };
    let moved = suite.path().join("skim.case.json");
    let aside = suite.path().join("skim.aside");
    std::fs::rename(&moved, &aside).unwrap();
    let (first, stored) = run("main", &["--attempts", "2"]);
    assert_eq!(first.code, Some(0), "{}\n{}", first.out, first.err);
    std::fs::rename(&aside, &moved).unwrap();
    std::fs::remove_file(suite.path().join("jump.case.json")).unwrap();
    let stored = stored.unwrap().display().to_string();
    let (said, new) = run("new", &["--attempts", "2", "--baseline-run", &stored]);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let summary = summary(&new.unwrap());
    let unpaired = &summary["splits"]["all"]["unpaired"];
    assert_eq!(unpaired.as_array().unwrap().len(), 2, "{unpaired}");
    assert_eq!(summary["missing_attempts"], 0);
    // A selection leaves cases out: they are not gone.
    let (said, new) = run("one", &["--attempts", "2", "--cases", "*/skim*", "--baseline-run", &stored]);
    assert_eq!(said.code, Some(5), "nothing is paired: {}\n{}", said.out, said.err);
    assert_eq!(self::summary(&new.unwrap())["splits"]["all"]["cases"], 1);
}

#[test]
fn what_was_measured_otherwise_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let stored = main_run(&out.path().join("main"), &[]);
    let named = stored.display().to_string();
    let changed = out.path().join("changed");
    std::fs::create_dir_all(changed.join("shards")).unwrap();
    let edited = std::fs::read_to_string(stored.join("run.json")).unwrap().replacen(
        "\"sha256\": \"",
        "\"sha256\": \"0",
        1,
    );
    std::fs::write(changed.join("run.json"), edited).unwrap();
    let changed = changed.display().to_string();
    for (args, why) in [
        (&["--baseline-run", &named, "--seed", "8"][..], "seed"),
        (&["--baseline-run", &named, "--attempts", "2"], "attempts"),
        (&["--baseline-run", &named, "--client", "codex"], "client profile"),
        (&["--baseline-run", &named, "--on-oversized", "give_up"], "on_oversized"),
        (&["--baseline-run", &changed], "another hash"),
        (&["--baseline-run", "nowhere"], "the baseline is missing"),
    ] {
        let new = out.path().join("new");
        let said = command(&new, args);
        assert_eq!(said.code, Some(6), "{why}: {}\n{}", said.out, said.err);
        assert!(said.err.contains(why), "{why}: {}", said.err);
        assert!(!new.exists() || runs(&new).is_empty(), "{why}: a run was left");
    }
    for args in [
        &["--baseline-run", &named, "--same-code", "1"][..],
        &["--baseline-run", &named, "--confirm-flips"],
        &["--baseline-run", &named, "--baseline-cmd", "true"],
    ] {
        assert_eq!(command(&out.path().join("new"), args).code, Some(2), "{args:?}");
    }
}

#[test]
fn without_a_baseline_a_run_fails_warns_or_records() {
    let out = tempfile::tempdir().unwrap();
    let missing = ["--baseline-run", "last-of-main"];
    let fails = command(&out.path().join("fail"), &missing);
    assert_eq!(fails.code, Some(6), "{}", fails.err);
    let warns = command(&out.path().join("warn"), &[&missing[..], &["--if-no-baseline", "warn"]].concat());
    assert_eq!(warns.code, Some(0), "{}", warns.err);
    assert!(warns.err.contains("warning: the baseline is missing"), "{}", warns.err);
    let kept = out.path().join("record");
    let records = command(&kept, &[&missing[..], &["--if-no-baseline", "record"]].concat());
    assert_eq!(records.code, Some(0), "{}\n{}", records.out, records.err);
    let words = records.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("replayed against itself, to be the baseline of a later run"), "{words}");
    // And it is one.
    let next = command(&out.path().join("next"), &["--baseline-run", &only_run(&kept).display().to_string()]);
    assert_eq!(next.code, Some(0), "{}\n{}", next.out, next.err);
    assert!(next.out.contains("nothing changed"), "{}", next.out);
}
