//! The binary as a person runs it, on small suites of the fixture server.

#![allow(dead_code, reason = "each test file uses its part")]

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The shipped demonstration suite.
pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// A few cases of it, some of which read on.
pub const FEW: &str = "docs/{whole,two,jump,skim,ferry}*";

/// The binary with nothing of this process's environment that could change what it does.
pub fn mcp_regress() -> Command {
    let mut command = Command::cargo_bin("mcp-regress").unwrap();
    // What a CI, a scheduler or a person has set around the tests is not theirs.
    const SURROUNDINGS: [&str; 7] =
        ["MCP_REGRESS_", "CI_", "GITHUB_", "GITLAB_", "SLURM_", "JOB_COMPLETION_", "PARALLEL_"];
    let is_around = |name: &str| name == "CI" || SURROUNDINGS.iter().any(|start| name.starts_with(start));
    for (name, _) in std::env::vars().filter(|(name, _)| is_around(name)) {
        command.env_remove(name);
    }
    command.timeout(std::time::Duration::from_secs(240));
    command
}

/// What a finished command said.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs it to its end.
pub fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The only run under `out`.
pub fn only_run(out: &Path) -> PathBuf {
    let mut runs = runs(out);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Every run under `out`, oldest first.
pub fn runs(out: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> = entries.filter(|path| path.join("run.json").is_file()).collect();
    runs.sort();
    runs
}

pub fn summary(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("summary.json")).unwrap()).unwrap()
}

/// The files that hold no clock value, path or run id.
pub const REPRODUCIBLE: &[&str] = &[
    "calls.csv",
    "attempts.csv",
    "cases.csv",
    "metrics.csv",
    "flips.csv",
    "rules.csv",
    "columns.md",
    "summary.json",
    "summary.md",
];

/// Asserts that two runs wrote the same bytes.
pub fn assert_same_files(a: &Path, b: &Path) {
    for name in REPRODUCIBLE {
        let read = |run: &Path| std::fs::read_to_string(run.join(name)).unwrap();
        similar_asserts::assert_eq!(read(a), read(b), "{name}");
    }
}

/// Rows of a CSV table as (column, cell) maps.
pub fn rows(path: &Path) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// A suite of one case in a new folder: `sides` is TOML put after the header, the case calls `echo`-like steps.
pub fn suite(sides: &str, case: &Value) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let text = format!("format_version = 1\nattempts = 2\n{sides}\n");
    std::fs::write(dir.path().join("mcp-regress.toml"), text).unwrap();
    std::fs::write(dir.path().join("one.case.json"), case.to_string()).unwrap();
    dir
}
