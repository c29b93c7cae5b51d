//! `--shard` and `merge`: the same bytes as one process, and a gap that is named.

use crate::cli::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Replays a few demonstration cases.
fn replay(out: &Path, more: &[&str]) -> PathBuf {
    let said = said(
        mcp_regress().args(["run", "--cases", FEW, "--suite"]).arg(demo()).arg("--out").arg(out).args(more),
    );
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    only_run(out)
}

/// As `count` shards, each in a folder of its own.
fn in_shards(out: &Path, count: u32) -> Vec<PathBuf> {
    let one = |index| {
        let folder = out.join(format!("machine-{index}"));
        replay(&folder, &["--shard", &format!("{index}/{count}")])
    };
    (1..=count).map(one).collect()
}

fn merge(out: &Path, shards: &[PathBuf]) -> Said {
    said(mcp_regress().arg("merge").args(shards).arg("--out").arg(out))
}

fn meta(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap()
}

fn edit_meta(run: &Path, edit: impl FnOnce(&mut Value)) {
    let mut changed = meta(run);
    edit(&mut changed);
    std::fs::write(run.join("run.json"), changed.to_string()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn shards_merged_are_the_run_of_one_process_byte_by_byte() {
    let out = tempfile::tempdir().unwrap();
    let whole = replay(&out.path().join("whole"), &[]);
    let shards = in_shards(&out.path().join("shards"), 3);
    for shard in &shards {
        assert!(!shard.join("summary.json").exists(), "a part was judged");
    }
    // By name, in any order, and as one folder that holds them at some depth.
    let mut turned = shards.clone();
    turned.rotate_left(1);
    for (name, dirs) in [("named", turned), ("below", vec![out.path().join("shards")])] {
        let merged = out.path().join(name);
        let said = merge(&merged, &dirs);
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        let merged = only_run(&merged);
        assert_same_files(&whole, &merged);
        // What is merged is a run like any other.
        let again = self::said(mcp_regress().arg("report").arg(&merged));
        assert_eq!(again.code, Some(0), "{}\n{}", again.out, again.err);
        assert_same_files(&whole, &merged);
        assert_eq!(meta(&merged)["status"], "complete");
    }
    // Merging again replaces the merged run, and is no round of its own.
    let twice = out.path().join("named");
    let said = merge(&twice, &shards);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("round 1 of this suite"), "{}", said.out);
    assert_same_files(&whole, &only_run(&twice));
}

#[test]
fn more_shards_than_cases_and_a_shard_made_twice_change_nothing() {
    let out = tempfile::tempdir().unwrap();
    let cases = "docs/two*";
    let run = |folder: &str, more: &[&str]| {
        let folder = out.path().join(folder);
        let said = said(
            mcp_regress()
                .args(["run", "--cases", cases, "--suite"])
                .arg(demo())
                .arg("--out")
                .arg(&folder)
                .args(more),
        );
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        runs(&folder).pop().unwrap()
    };
    let whole = run("whole", &[]);
    let count = meta(&whole)["cases"].as_object().unwrap().len() + 2;
    for index in 1..=count {
        run("shards", &["--shard", &format!("{index}/{count}")]);
    }
    assert_eq!(runs(&out.path().join("shards")).len(), count, "shards share a folder");
    run("shards", &["--shard", &format!("1/{count}")]);
    let said = merge(&out.path().join("merged"), &[out.path().join("shards")]);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("is there twice, the later start counts"), "{words}");
    assert_same_files(&whole, &only_run(&out.path().join("merged")));
}

#[test]
fn a_lost_shard_and_a_cut_one_are_named_and_exit_with_5() {
    let out = tempfile::tempdir().unwrap();
    let whole = replay(&out.path().join("whole"), &[]);
    let shards = in_shards(&out.path().join("shards"), 3);
    let lost = merge(&out.path().join("lost"), &[shards[0].clone(), shards[2].clone()]);
    assert_eq!(lost.code, Some(5), "{}\n{}", lost.out, lost.err);
    assert!(lost.err.contains("shard 2/3 is lost"), "{}", lost.err);
    assert!(lost.err.contains("--shard 2/3"), "{}", lost.err);
    let merged = only_run(&out.path().join("lost"));
    let summary = summary(&merged);
    assert_eq!((&summary["verdict"], &summary["exit_code"]), (&"incomplete".into(), &5.into()));
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("shard 2/3 is lost"), "{warnings}");

    // Killed while it ran: the last line is cut, the status never became complete.
    let cut = out.path().join("cut-shard");
    copy(&shards[1], &cut);
    let journal = cut.join("shards/2-of-3/attempts.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &text[..text.len() - 40]).unwrap();
    edit_meta(&cut, |meta| meta["status"] = "started".into());
    let name = meta(&cut)["run_id"].as_str().unwrap().to_owned();
    let said = merge(&out.path().join("cut"), &[shards[0].clone(), cut, shards[2].clone()]);
    assert_eq!(said.code, Some(5), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("shard 2/3 lacks 1 of its"), "{}", said.err);
    assert!(said.err.contains(&format!("run --resume {name}")), "{}", said.err);

    // What is lost can be replayed where the rest was merged.
    let said = self::said(mcp_regress().args(["run", "--resume"]).arg(&merged));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    for table in ["calls.csv", "attempts.csv", "metrics.csv", "rules.csv"] {
        let read = |run: &Path| std::fs::read_to_string(run.join(table)).unwrap();
        similar_asserts::assert_eq!(read(&whole), read(&merged), "{table}");
    }
}

#[test]
fn a_shard_that_was_cut_goes_on_by_its_own_number() {
    let out = tempfile::tempdir().unwrap();
    let whole = replay(&out.path().join("whole"), &[]);
    let folder = out.path().join("shared");
    for index in 1..=2 {
        let shard = format!("{index}/2");
        let said = said(
            mcp_regress()
                .args(["run", "--cases", FEW, "--shard", &shard, "--suite"])
                .arg(demo())
                .arg("--out")
                .arg(&folder),
        );
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    }
    for run in runs(&folder) {
        let shard = meta(&run)["shard"]["index"].as_u64().unwrap();
        let journal = run.join(format!("shards/{shard}-of-2/attempts.jsonl"));
        let text = std::fs::read_to_string(&journal).unwrap();
        let half: String = text.split_inclusive('\n').take(text.lines().count() / 2).collect();
        std::fs::write(&journal, half).unwrap();
        edit_meta(&run, |meta| meta["status"] = "started".into());
    }
    for index in 1..=2 {
        let said = said(
            mcp_regress().args(["run", "--resume", "--shard", &format!("{index}/2"), "--out"]).arg(&folder),
        );
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        assert!(said.out.contains(&format!("shard {index}/2")), "{}", said.out);
    }
    let said = merge(&out.path().join("merged"), &[folder]);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert_same_files(&whole, &only_run(&out.path().join("merged")));
}

#[test]
fn shards_of_other_runs_are_refused() {
    let out = tempfile::tempdir().unwrap();
    let shards = in_shards(&out.path().join("shards"), 2);
    let other = |name: &str, more: &[&str]| {
        let cut: &[&str] = if more.contains(&"--shard") { &[] } else { &["--shard", "2/2"] };
        replay(&out.path().join(name), &[cut, more].concat())
    };
    let edited = |name: &str, edit: fn(&mut Value)| {
        let folder = out.path().join(name);
        copy(&shards[1], &folder);
        edit_meta(&folder, edit);
        folder
    };
    for (other, why) in [
        (other("seed", &["--seed", "8"]), "seed"),
        (other("attempts", &["--attempts", "2"]), "attempts"),
        (other("client", &["--client", "codex"]), "client profile"),
        (other("thirds", &["--shard", "2/3"]), "cut into 3 and not 2"),
        (
            edited("cases", |meta| {
                let cases = meta["cases"].as_object_mut().unwrap();
                cases.values_mut().next().unwrap()["sha256"] = "0".into();
            }),
            "1 of the cases, `docs/",
        ),
        (edited("suite", |meta| meta["suite_sha256"] = "0".into()), "suite file"),
        (edited("version", |meta| meta["tool_version"] = "0.0.9".into()), "version of mcp-regress"),
        (
            edited("code", |meta| meta["sides"]["candidate"]["revision"] = "0123456".into()),
            "code of the candidate",
        ),
    ] {
        let said = merge(&out.path().join("merged"), &[shards[0].clone(), other]);
        assert_eq!(said.code, Some(6), "{why}: {}\n{}", said.out, said.err);
        assert!(said.err.contains(why), "{why}: {}", said.err);
        assert!(!out.path().join("merged").exists(), "something was written");
    }
    let nothing = tempfile::tempdir().unwrap();
    assert_eq!(merge(&out.path().join("merged"), &[nothing.path().to_owned()]).code, Some(2));
    assert_eq!(said(mcp_regress().arg("merge")).code, Some(2));
}

#[test]
fn auto_takes_the_part_from_the_engine_around_it() {
    let out = tempfile::tempdir().unwrap();
    let kubernetes = [("JOB_COMPLETION_INDEX", "1")];
    let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")];
    for (flag, set, shard) in [
        ("auto/2", &kubernetes[..], "shard 2/2"),
        ("auto", &gitlab[..], "shard 2/2"),
        ("auto", &kubernetes[..], ""),
    ] {
        let said = said(
            mcp_regress()
                .args(["run", "--cases", "docs/two*", "--shard", flag, "--suite"])
                .arg(demo())
                .arg("--out")
                .arg(out.path())
                .envs(set.iter().copied()),
        );
        if shard.is_empty() {
            assert_eq!(said.code, Some(2), "{}", said.err);
            assert!(said.err.contains("auto/N"), "{}", said.err);
        } else {
            assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
            assert!(said.out.starts_with(shard), "{}", said.out);
        }
    }
    for wrong in ["0/2", "3/2", "2", "auto/0", "automatic"] {
        let said = said(mcp_regress().args(["run", "--shard", wrong, "--suite"]).arg(demo()));
        assert_eq!(said.code, Some(2), "{wrong}: {}", said.err);
    }
}
