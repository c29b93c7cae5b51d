//! Every exit code through the binary, and which of several wins.

use crate::cli::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One case with a read that goes on, so that the builds differ in it.
const ONE: &str = "docs/two*";
/// Two cases, one a shard of two.
const TWO: &str = "docs/*-handbook-r*";

/// The demonstration's cases with rules of their own, in a new folder.
fn suite(rules: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let demo_text = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let (head, _) = demo_text.split_once("[[rule]]").unwrap();
    std::fs::write(dir.path().join("mcp-regress.toml"), format!("{head}\n{rules}")).unwrap();
    for name in ["dev.cases.jsonl", "test.cases.jsonl"] {
        std::fs::copy(demo().join(name), dir.path().join(name)).unwrap();
    }
    dir
}

/// A difference in sizes from few pairs: nobody can say.
const OPEN: &str = "[[rule]]\nmetric = \"result_chars\"\nmargin = 0\n";
/// Broken by every run.
const BROKEN: &str = "[[rule]]\nmetric = \"tool_calls\"\nmax = 0\n";
const NONE: &str = "[[rule]]\nmetric = \"oversized_results\"\nmax = 1000\n";

struct Row {
    what: &'static str,
    suite: &'static str,
    args: &'static [&'static str],
    code: i32,
    also: &'static [i32],
    /// In what is printed.
    said: &'static str,
}

const FEW_PAIRS: &[&str] = &["--cases", "docs/two*", "--attempts", "1"];

#[test]
fn a_run_exits_by_the_first_code_that_holds() {
    const DEAD: &str = "--candidate-cmd=sh -c 'exit 9'";
    let rows = [
        Row {
            what: "nothing to say",
            suite: NONE,
            args: &["--cases", ONE],
            code: 0,
            also: &[],
            said: "PASS",
        },
        Row {
            what: "a regression",
            suite: BROKEN,
            args: &["--cases", ONE],
            code: 100,
            also: &[],
            said: "REGRESSION",
        },
        Row {
            what: "only warned",
            suite: BROKEN,
            args: &["--cases", ONE, "--warn-only"],
            code: 0,
            also: &[],
            said: "REGRESSION",
        },
        Row { what: "inconclusive", suite: OPEN, args: FEW_PAIRS, code: 0, also: &[], said: "INCONCLUSIVE" },
        Row {
            what: "inconclusive fails",
            suite: OPEN,
            args: &["--cases", "docs/two*", "--attempts", "1", "--fail-on", "inconclusive"],
            code: 7,
            also: &[],
            said: "INCONCLUSIVE",
        },
        Row {
            what: "inconclusive, only warned",
            suite: OPEN,
            args: &["--cases", "docs/two*", "--attempts", "1", "--fail-on", "inconclusive", "--warn-only"],
            code: 0,
            also: &[],
            said: "INCONCLUSIVE",
        },
        Row {
            what: "no case",
            suite: NONE,
            args: &["--cases", "no/such*"],
            code: 4,
            also: &[],
            said: "no case selected",
        },
        Row {
            what: "no baseline",
            suite: NONE,
            args: &["--baseline-run", "nowhere"],
            code: 6,
            also: &[],
            said: "the baseline is missing",
        },
        Row {
            what: "a side that does not start",
            suite: NONE,
            args: &["--cases", ONE, DEAD],
            code: 3,
            also: &[],
            said: "the candidate did not start",
        },
        Row {
            what: "a wrong flag",
            suite: NONE,
            args: &["--attempts", "0"],
            code: 2,
            also: &[],
            said: "--attempts",
        },
        Row {
            what: "an unknown metric",
            suite: "[[rule]]\nmetric = \"tool_cals\"\n",
            args: &[],
            code: 2,
            also: &[],
            said: "did you mean `tool_calls`",
        },
        Row {
            what: "an unset variable",
            suite: NONE,
            args: &["--candidate-cmd=sh -c ${NO_SUCH_VARIABLE_HERE}"],
            code: 2,
            also: &[],
            said: "NO_SUCH_VARIABLE_HERE",
        },
        // Several at once.
        Row {
            what: "2 before 3 and 4",
            suite: "[[rule]]\nmetric = \"x\"\n",
            args: &["--cases", "no/such*", DEAD],
            code: 2,
            also: &[],
            said: "metric",
        },
        Row {
            what: "3 before 4",
            suite: NONE,
            args: &["--cases", "no/such*", DEAD],
            code: 3,
            also: &[],
            said: "did not start",
        },
        Row {
            what: "6 before 4",
            suite: NONE,
            args: &["--cases", "no/such*", "--baseline-run", "nowhere"],
            code: 6,
            also: &[],
            said: "missing",
        },
        Row {
            what: "100 before 7",
            suite: concat!(
                "[[rule]]\nmetric = \"result_chars\"\nmargin = 0\n",
                "[[rule]]\nmetric = \"tool_calls\"\nmax = 0\n"
            ),
            args: &["--cases", "docs/two*", "--attempts", "1", "--fail-on", "inconclusive"],
            code: 100,
            also: &[7],
            said: "REGRESSION",
        },
    ];
    for row in rows {
        let suite = suite(row.suite);
        let out = suite.path().join("runs");
        let said = said(
            mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(&out).args(row.args),
        );
        assert_eq!(said.code, Some(row.code), "{}: {}\n{}", row.what, said.out, said.err);
        assert!(
            format!("{}{}", said.out, said.err).contains(row.said),
            "{}: {}\n{}",
            row.what,
            said.out,
            said.err
        );
        let was_judged = matches!(row.code, 0 | 5 | 7 | 100);
        let kept = if out.is_dir() { runs(&out) } else { Vec::new() };
        assert_eq!(kept.len(), usize::from(was_judged), "{}", row.what);
        if let Some(run) = kept.first() {
            let summary = summary(run);
            assert_eq!(summary["exit_code"], row.code, "{}", row.what);
            assert_eq!(summary["also"], serde_json::json!(row.also), "{}", row.what);
        }
    }
}

#[test]
fn nothing_that_may_be_replayed_is_4() {
    let out = tempfile::tempdir().unwrap();
    let suite = suite("");
    let path = suite.path().join("mcp-regress.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text =
        text.replace("kind = \"search\"", "replay = false").replace("kind = \"read\"", "replay = false");
    std::fs::write(path, text).unwrap();
    let said = said(mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(out.path()));
    assert_eq!(said.code, Some(4), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("no call of any case may be replayed"), "{}", said.err);
    let baseline = self::said(
        mcp_regress()
            .args(["run", "--baseline-run", "nowhere", "--suite"])
            .arg(suite.path())
            .arg("--out")
            .arg(out.path()),
    );
    assert_eq!(baseline.code, Some(6), "6 before 4: {}", baseline.err);
}

fn run(out: &Path, suite: &Path, args: &[&str]) -> PathBuf {
    run_of(ONE, out, suite, args)
}

fn run_of(cases: &str, out: &Path, suite: &Path, args: &[&str]) -> PathBuf {
    // Two runs of one second stand in no order.
    let before = if out.is_dir() { runs(out) } else { Vec::new() };
    let said = said(
        mcp_regress().args(["run", "--cases", cases, "--suite"]).arg(suite).arg("--out").arg(out).args(args),
    );
    assert!([Some(0), Some(100)].contains(&said.code), "{}\n{}", said.out, said.err);
    runs(out).into_iter().find(|run| !before.contains(run)).unwrap()
}

#[test]
fn a_gap_is_5_whatever_the_rules_say_and_6_comes_before_it() {
    let suite = suite(BROKEN);
    let out = tempfile::tempdir().unwrap();
    let shards = out.path().join("shards");
    run_of(TWO, &shards, suite.path(), &["--shard", "1/2"]);
    for (name, flags, also) in [("plain", &[][..], &[100][..]), ("warned", &["--warn-only"], &[])] {
        let merged = out.path().join(name);
        let said = said(mcp_regress().arg("merge").arg(&shards).arg("--out").arg(&merged).args(flags));
        assert_eq!(said.code, Some(5), "{}\n{}", said.out, said.err);
        let summary = summary(&only_run(&merged));
        assert_eq!((&summary["exit_code"], &summary["also"]), (&5.into(), &serde_json::json!(also)));
    }
    run_of(TWO, &shards, suite.path(), &["--shard", "2/3"]);
    let said = said(mcp_regress().arg("merge").arg(&shards).arg("--out").arg(out.path().join("mixed")));
    assert_eq!(said.code, Some(6), "{}\n{}", said.out, said.err);
}

#[test]
fn an_unexpected_error_is_1() {
    let suite = suite(NONE);
    let out = tempfile::tempdir().unwrap();
    let run = run(out.path(), suite.path(), &[]);
    std::fs::remove_file(run.join("metrics.csv")).unwrap();
    std::fs::create_dir(run.join("metrics.csv")).unwrap();
    let said = said(mcp_regress().arg("report").arg(&run));
    assert_eq!(said.code, Some(1), "{}\n{}", said.out, said.err);
}

#[test]
fn an_interrupt_is_130_and_names_the_command_that_goes_on() {
    // A rule that every run breaks, and attempts that are missing: neither comes before an interrupt.
    let suite = suite(BROKEN);
    let out = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
        .args(["run", "--suite"])
        .arg(suite.path())
        .arg("--out")
        .arg(out.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    let has_begun = || {
        let journals = runs(out.path()).into_iter().map(|run| run.join("shards/1-of-1/attempts.jsonl"));
        journals.filter_map(|journal| std::fs::metadata(journal).ok()).any(|journal| journal.len() > 0)
    };
    while !has_begun() {
        assert!(Instant::now() < until, "nothing was recorded");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("mcp-regress run --resume"), "{err}");
}

#[test]
fn comparisons_of_what_can_not_be_compared_are_6_also_when_nothing_is_paired() {
    let suite = suite(NONE);
    let out = tempfile::tempdir().unwrap();
    let one = run(out.path(), suite.path(), &[]);
    let other = run(out.path(), suite.path(), &["--client", "codex"]);
    let name = |run: &Path| run.display().to_string();
    let said = said(mcp_regress().arg("compare").args([name(&one), name(&other)]));
    assert_eq!(said.code, Some(6), "{}\n{}", said.out, said.err);
}

#[test]
fn help_has_the_table_of_codes() {
    let said = said(mcp_regress().arg("--help"));
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "7 ", "100 ", "130 "] {
        assert!(said.out.lines().any(|line| line.trim_start().starts_with(code)), "{code} in {}", said.out);
    }
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The first that holds: 130, 1, 2, 3, 6, 4, 5, 100, 7, 0."), "{text}");
}
