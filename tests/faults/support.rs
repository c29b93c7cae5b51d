//! The binary under watch: its exit code, its peak memory, its time, and what it left behind.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No run of a fault takes longer; one that does hangs.
const HANGS_AFTER: Duration = Duration::from_secs(180);
/// Marks every process that a run starts, so that one left behind is found.
const MARK: &str = "FAULT_TEST_MARK";

/// A run that has ended.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    pub took: Duration,
    /// The largest resident size that was seen, in MB (2^20 bytes).
    pub peak_mb: u64,
    /// Command lines of processes that outlived the run.
    pub left_behind: Vec<String>,
}

/// The binary without this process's settings.
pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-regress"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MCP_REGRESS_") || name == "CI") {
        command.env_remove(name);
    }
    command
}

/// Runs a command to its end, or kills it when it hangs.
pub fn watch(command: &mut Command) -> Ended {
    let mark = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
    let started = Instant::now();
    let mut child = command
        .env(MARK, &mark)
        .stdin(Stdio::null())
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .unwrap();
    let mut peak_mb = 0;
    let status = loop {
        peak_mb = peak_mb.max(peak_of(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > HANGS_AFTER {
            child.kill().unwrap();
            break child.wait().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read =
        |name: &str| String::from_utf8_lossy(&std::fs::read(folder.path().join(name)).unwrap()).into_owned();
    Ended {
        code: status.code(),
        out: read("out"),
        err: read("err"),
        took: started.elapsed(),
        peak_mb,
        left_behind: marked(&mark),
    }
}

/// `VmHWM` only grows, so that the last look before the end has the peak.
fn peak_of(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Living processes that have the mark in their environment.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        // Processes of others, or gone by now.
        let Ok(environ) = std::fs::read(entry.path().join("environ")) else { continue };
        if environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

/// The records of a run's journal.
pub fn records(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("shards/1-of-1/attempts.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A suite file and its cases in a new folder.
pub fn suite(toml: &str, cases: &[(&str, Value)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mcp-regress.toml"), toml).unwrap();
    let cases: String = cases.iter().map(|(id, steps)| case_text(id, steps)).collect();
    std::fs::write(folder.path().join("all.cases.jsonl"), cases).unwrap();
    folder
}

/// A case of one recording, as a line.
pub fn case_text(id: &str, steps: &Value) -> String {
    let case = serde_json::json!({
        "format_version": 1, "id": id, "split": "dev", "recordings": [{ "id": "r1", "steps": steps }],
    });
    format!("{case}\n")
}

/// The only run under `out`, if there is one.
pub fn run_in(out: &Path) -> Option<PathBuf> {
    if out.is_dir() { crate::cli::runs(out).pop() } else { None }
}

/// How many processes have this one as parent.
pub fn processes_of(parent: u32) -> usize {
    let wanted = format!("PPid:\t{parent}");
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter(|entry| {
            let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            status.lines().any(|line| line == wanted)
        })
        .count()
}
