//! Many calls, and nothing that grows: memory, file handles, processes. `SOAK_CALLS` says how many;
//! `scripts/test soak` makes 100,000.

use crate::support::{binary, case_text, processes_of};
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Calls of the ordinary test.
const CALLS: u64 = 12_000;
const CALLS_PER_ATTEMPT: u64 = 50;
/// What a settled process may still grow by: an allocator's slack, the index of the journal.
const SLACK_KB: u64 = 8 << 10;

#[derive(Debug, Clone, Copy)]
struct Look {
    rss_kb: u64,
    handles: usize,
    processes: usize,
}

fn look(pid: u32) -> Option<Look> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let rss_kb = line.trim().split(' ').next()?.parse().ok()?;
    let handles = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
    Some(Look { rss_kb, handles, processes: processes_of(pid) })
}

#[test]
fn nothing_grows_over_many_calls() {
    let calls = std::env::var("SOAK_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(CALLS);
    // Baseline, same code and candidate, and the candidate's first attempt of each case once more.
    let attempts = 4;
    let cases = calls / CALLS_PER_ATTEMPT / (3 * attempts + 1) + 1;
    let folder = tempfile::tempdir().unwrap();
    let steps: Vec<_> =
        (0..CALLS_PER_ATTEMPT).map(|n| json!({ "call": "echo", "arguments": { "size": 200 + n } })).collect();
    let lines: String = (0..cases).map(|n| case_text(&format!("c{n}"), &json!(steps))).collect();
    std::fs::write(folder.path().join("all.cases.jsonl"), lines).unwrap();
    let toml = format!(
        "format_version = 1\nattempts = {attempts}\nrestart = \"case\"\n\
         [server]\ncommand = [\"{{self}}\", \"fixture\", \"--scenario\", \"echo\"]\n[tools.echo]\nkind = \"search\"\n"
    );
    std::fs::write(folder.path().join("mcp-regress.toml"), toml).unwrap();
    let out = folder.path().join("out");
    let mut child = binary()
        .args(["run", "--jobs", "2", "--progress", "none", "--resamples", "1000", "--suite"])
        .arg(folder.path())
        .arg("--out")
        .arg(&out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (planned, mut looks) = (cases * (3 * attempts + 1), Vec::new());
    let until = Instant::now() + Duration::from_secs(900);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the soak hangs");
        std::thread::sleep(Duration::from_millis(20));
        let (Some(look), done) = (look(child.id()), records_in(&out)) else { continue };
        // While calls are made: judging, at the end, has memory of its own.
        if done > 0 && done < planned {
            looks.push((done, look));
        }
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(records_in(&out), planned);
    let part = |from: u64, to: u64| -> Vec<Look> {
        let within = |done: u64| done * 10 >= planned * from && done * 10 < planned * to;
        looks.iter().filter(|(done, _)| within(*done)).map(|(_, look)| *look).collect()
    };
    let (early, late) = (part(1, 5), part(6, 10));
    assert!(early.len() > 1 && late.len() > 1, "{} and {} looks", early.len(), late.len());
    let most = |looks: &[Look], of: &dyn Fn(&Look) -> u64| looks.iter().map(of).max().unwrap();
    for (what, slack, of) in [
        ("memory in KB", SLACK_KB, &(|look: &Look| look.rss_kb) as &dyn Fn(&Look) -> u64),
        ("file handles", 4, &|look: &Look| look.handles as u64),
        ("processes", 4, &|look: &Look| look.processes as u64),
    ] {
        let (before, after) = (most(&early, of), most(&late, of));
        assert!(after <= before + slack, "{what} grew from {before} to {after} over {calls} calls");
    }
}

fn records_in(out: &std::path::Path) -> u64 {
    let Some(run) = crate::support::run_in(out) else { return 0 };
    let journal = std::fs::read(run.join("shards/1-of-1/attempts.jsonl")).unwrap_or_default();
    journal.iter().filter(|byte| **byte == b'\n').count() as u64
}
