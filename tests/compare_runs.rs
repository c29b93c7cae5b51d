//! `compare RUN RUN`, `plan` and `calibrate` on stored runs of the fixture server.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SERVER: &str = "{self} fixture --scenario documents --build";

/// A run of a few demonstration cases, some of which read on.
fn run(out: &Path, cases: &str, builds: (&str, &str), more: &[&str]) -> PathBuf {
    let before = if out.exists() { runs(out) } else { Vec::new() };
    let said = said(
        mcp_regress()
            .current_dir(demo().parent().unwrap())
            .args(["run", "--attempts", "2", "--cases", cases, "--baseline-cmd"])
            .arg(format!("{SERVER} {}", builds.0))
            .arg("--candidate-cmd")
            .arg(format!("{SERVER} {}", builds.1))
            .arg("--out")
            .arg(out)
            .args(more),
    );
    assert!([Some(0), Some(100)].contains(&said.code), "{}\n{}", said.out, said.err);
    let mut after = runs(out);
    after.retain(|run| !before.contains(run));
    assert_eq!(after.len(), 1);
    after.remove(0)
}

fn compare(what: &[String], more: &[&str]) -> Said {
    said(mcp_regress().arg("compare").args(what).args(more))
}

fn name(run: &Path, side: &str) -> String {
    format!("{}:{side}", run.display())
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", said.out, said.err))
}

#[test]
fn sides_of_runs_say_what_one_run_says() {
    let out = tempfile::tempdir().unwrap();
    let both = run(out.path(), FEW, ("baseline", "candidate"), &[]);
    let again = compare(&[both.display().to_string()], &["--format", "json"]);
    assert_eq!(again.out, std::fs::read_to_string(both.join("summary.json")).unwrap());

    // The same two sides named apart, in a folder of tables.
    let tables = out.path().join("tables");
    let apart = compare(
        &[name(&both, "baseline"), name(&both, "candidate")],
        &["--format", "json", "--out", tables.to_str().unwrap()],
    );
    let (apart, own) = (json(&apart), summary(&both));
    assert_eq!(apart["splits"], own["splits"]);
    assert_eq!(apart["verdict"], own["verdict"]);
    for file in ["attempts.csv", "metrics.csv", "cases.csv", "rules.csv"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(file)).unwrap();
        similar_asserts::assert_eq!(read(&tables), read(&both), "{}", file);
    }

    // attempts.csv of a run is a file like any other, and holds the same numbers.
    let file = both.join("attempts.csv").display().to_string();
    let foreign = json(&compare(&[file], &["--format", "json", "--missing", "as-worst"]));
    for (metric, want) in own["splits"]["all"]["metrics"].as_object().unwrap() {
        let got = &foreign["splits"]["all"]["metrics"][metric];
        for column in ["n_cases", "delta", "baseline_total", "candidate_total", "noise_se", "deterministic"] {
            assert_eq!(got[column], want[column], "{metric} {column}");
        }
    }

    // Turned around, what was better is worse, and the run's own rules say so.
    let turned = compare(&[name(&both, "candidate"), name(&both, "baseline")], &["--format", "json"]);
    assert_eq!(turned.code, Some(100), "{}", turned.err);
    let own = own["splits"]["all"]["metrics"]["continuation_reads"]["delta"].as_f64().unwrap();
    let turned = json(&turned)["splits"]["all"]["metrics"]["continuation_reads"]["delta"].as_f64().unwrap();
    assert!(own < 0.0 && turned == -own, "{own} {turned}");

    let wrong = compare(&[name(&both, "same-code-9"), name(&both, "candidate")], &[]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("`baseline`, `candidate`, `same-code`"), "{}", wrong.err);
    let nowhere = compare(&["no-such-run".to_owned(), name(&both, "candidate")], &[]);
    assert_eq!(nowhere.code, Some(2));

    let plan = said(
        mcp_regress()
            .args(["plan", "--cases", "200", "--margin", "10%", "--format", "json", "--from"])
            .arg(&both),
    );
    let plan = json(&plan);
    let reads =
        plan["metrics"].as_array().unwrap().iter().find(|m| m["metric"] == "continuation_reads").unwrap();
    assert!(
        reads["mde80"].as_f64().unwrap() > 0.0 && reads["cases_for_margin"].as_u64().unwrap() > 0,
        "{reads}"
    );
    assert_eq!(said(mcp_regress().arg("plan")).code, Some(2), "a plan needs a source");

    let calibrated = said(mcp_regress().args(["calibrate", "--format", "json"]).arg(&both));
    let calibrated = json(&calibrated);
    assert_eq!((&calibrated["alarms"], calibrated["rate"].as_f64()), (&0.into(), Some(0.0)), "{calibrated}");
    assert!(calibrated["trials"].as_u64().unwrap() >= 1);
}

#[test]
fn runs_of_other_cases_are_unpaired_and_of_other_settings_not_comparable() {
    let out = tempfile::tempdir().unwrap();
    let one = run(out.path(), "docs/two*", ("baseline", "candidate"), &[]);
    let other = run(out.path(), "docs/whole*", ("baseline", "candidate"), &[]);
    let unpaired = compare(&[name(&one, "candidate"), name(&other, "candidate")], &["--format", "json"]);
    assert_eq!(unpaired.code, Some(5), "{}\n{}", unpaired.out, unpaired.err);
    let listed = json(&unpaired)["splits"]["all"]["unpaired"].as_array().unwrap().len();
    assert!(listed >= 2);
    // Three and more: a table each, then one of all.
    let turned = run(out.path(), "docs/two*", ("candidate", "baseline"), &[]);
    let names = [name(&one, "baseline"), name(&one, "candidate"), name(&turned, "candidate")];
    let all = compare(&names, &[]);
    assert_eq!(all.code, Some(0), "{}\n{}", all.out, all.err);
    let (_, together) = all.out.split_once("side by side, each against ").unwrap();
    let lines: Vec<&str> = together.lines().collect();
    assert!(lines[1].starts_with("  A  ") && lines[1].ends_with(":candidate: pass"), "{together}");
    assert!(lines[2].starts_with("  B  "), "{together}");
    let chars = lines.iter().find(|line| line.starts_with("result chars, mean")).unwrap();
    assert!(chars.contains(" (+") && chars.contains(" ~)"), "{together}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{together}");
    let smaller = run(out.path(), "docs/two*", ("baseline", "candidate"), &["--on-oversized", "give_up"]);
    let refused = compare(&[name(&one, "candidate"), name(&smaller, "candidate")], &[]);
    assert_eq!(refused.code, Some(6), "{}\n{}", refused.out, refused.err);
    assert!(refused.err.contains("on_oversized"), "{}", refused.err);
}
