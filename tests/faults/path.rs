//! One run under one fault, and what it left in trace, report and process table.

use crate::specs::{Spec, spared};
use crate::support::{Ended, binary, records, run_in, suite, watch};
use serde_json::Value;
use std::collections::BTreeMap;

/// How each tool of the scenario is read on.
const TOOLS: &str = r#"
[tools.list_items]
kind = "read"
size = ["limit"]
continue = [{ argument = "cursor", from = "/nextCursor" }, { same = true, while = "/hasMore" }]
[tools.read_text]
kind = "read"
continue = [{ argument = "offset", from = "/next/offset" }]
[tools.fetch]
kind = "read"
continue = [{ argument = "start_index", pattern = 'start_index of (\d+)' }]
[tools.start_search]
kind = "read"
continue = [{ tool = "get_more_search_results", carry = { sessionId = { pattern = 'session: (\S+)' } }, while = { pattern = "More results" } }]
[tools.get_more_search_results]
kind = "read"
continue = [{ same = true, while = { pattern = "More results" } }]
"#;

/// What came of a trial.
pub struct Trial {
    pub spec: Spec,
    pub transport: &'static str,
    /// Of the first attempt that met the fault.
    pub outcome: String,
    /// The line above the numbers that names what happened.
    pub said: String,
    pub ended: Ended,
    /// What is not as it must be.
    pub wrong: Vec<String>,
}

/// Runs the binary under the fault.
pub fn trial(spec: Spec, transport: &'static str) -> Trial {
    let folder = suite(&toml(&spec, transport), &[("hit", spec.hit.clone()), ("spared", spared())]);
    let out = folder.path().join("results");
    let ended = watch(
        binary()
            .args(["run", "--progress", "none", "--suite"])
            .arg(folder.path())
            .arg("--out")
            .arg(&out)
            .env("COLUMNS", "400"),
    );
    let records = run_in(&out).map(|run| records(&run)).unwrap_or_default();
    let outcome = outcome(&records, &ended);
    let said = said(&spec, &ended);
    let mut trial = Trial { spec, transport, outcome, said, ended, wrong: Vec::new() };
    trial.wrong = wrong(&trial, &records);
    trial
}

fn toml(spec: &Spec, transport: &str) -> String {
    let server = |options: &str| {
        let words: Vec<String> = "{self} fixture --scenario pages"
            .split(' ')
            .chain(options.split_whitespace())
            .map(|word| format!("\"{word}\""))
            .collect();
        let words = words.join(", ");
        if transport == "HTTP" {
            format!("command = [{words}, \"--http\", \"{{port}}\"]\nurl = \"http://127.0.0.1:{{port}}/mcp\"")
        } else {
            format!("command = [{words}]")
        }
    };
    format!(
        "format_version = 1\nattempts = 2\nstart_timeout_s = 20\ncall_timeout_s = {}\n\
         [client]\nprofile = \"claude-code\"\n[baseline]\n{}\n[candidate]\n{}\n{}{TOOLS}",
        spec.call_timeout_s,
        server(""),
        server(&format!("--fault {} {}", spec.number, spec.options)),
        spec.suite,
    )
}

fn of<'r>(records: &'r [Value], case: &str, side: &str) -> Vec<&'r Value> {
    records.iter().filter(|record| record["case_id"] == case && record["side"] == side).collect()
}

/// The status, then what was not `ok` about it: calls, the chain's end, the need, oddities of messages.
fn outcome(records: &[Value], ended: &Ended) -> String {
    let Some(record) = of(records, "hit", "candidate").into_iter().find(|record| record["attempt"] == 1)
    else {
        let line = ended.err.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("nothing said");
        return format!("no attempt: {line}");
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts = vec![format!("`{}`", text(&record["status"]))];
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for call in record["calls"].as_array().into_iter().flatten() {
        *calls.entry(text(&call["outcome"])).or_default() += 1;
        if !call["chain_end"].is_null() {
            parts.push(format!("chain `{}`", text(&call["chain_end"])));
        }
    }
    parts.extend(calls.keys().filter(|outcome| *outcome != "ok").map(|outcome| format!("call `{outcome}`")));
    if record["needs"].as_array().into_iter().flatten().any(|need| need["met"] == false) {
        parts.push("need unmet".to_owned());
    }
    for kinds in ["notes", "oddities"] {
        let kinds = record[kinds].as_object().into_iter().flatten();
        parts.extend(
            kinds.map(|(kind, _)| format!("noted: {}", kind.replace("unreadable result", "unreadable"))),
        );
    }
    parts.join(", ")
}

/// The line above the numbers, on the terminal, that holds what must be said.
fn said(spec: &Spec, ended: &Ended) -> String {
    let above = ended.out.lines().take_while(|line| !line.contains("95 % CI"));
    let mut lines = above.chain(ended.err.lines());
    let line = lines.find(|line| line.contains(spec.said)).unwrap_or_default();
    without_ports(line.trim())
}

/// Ports of loopback are another every time.
fn without_ports(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, rest| {
        text + "127.0.0.1:PORT" + rest.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

fn wrong(trial: &Trial, records: &[Value]) -> Vec<String> {
    let (spec, ended) = (&trial.spec, &trial.ended);
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    must(ended.code == Some(spec.code), format!("exit code {:?}, not {}", ended.code, spec.code));
    must(trial.outcome.contains(spec.outcome), format!("outcome without `{}`", spec.outcome));
    must(!trial.said.is_empty(), format!("no line above the numbers with `{}`", spec.said));
    must(ended.peak_mb < 512, format!("{} MB", ended.peak_mb));
    must(ended.left_behind.is_empty(), format!("left behind: {:?}", ended.left_behind));
    if spec.code == 3 {
        return wrong;
    }
    // Two attempts of two cases on three sides, and the first once more on the candidate.
    let keys: std::collections::BTreeSet<String> =
        records.iter().map(|r| format!("{} {} {}", r["case_id"], r["side"], r["attempt"])).collect();
    must(keys.len() == 14, format!("{} attempts are recorded, not 14", keys.len()));
    let is_call_fault = spec.options.contains("--fault-on");
    for record in records {
        let side = record["side"].as_str().unwrap_or_default();
        let is_baseline = side == "baseline" || side.starts_with("same-code");
        let must_be_ok = is_baseline || (is_call_fault && record["case_id"] == "spared");
        let is_ok = record["status"] == "ok";
        must(!must_be_ok || is_ok, format!("{} on {side}: {}", record["case_id"], record["failure"]));
    }
    let hashes = |side: &str| -> Vec<Value> {
        let calls = of(records, "spared", side).into_iter().flat_map(|record| record["calls"].as_array());
        calls.flatten().map(|call| call["result_sha256"].clone()).collect()
    };
    must(hashes("baseline").len() == 6, "the spared case has not six calls on the baseline".to_owned());
    must(hashes("baseline") == hashes("same-code"), "the same code differs".to_owned());
    if is_call_fault {
        must(
            hashes("baseline") == hashes("candidate"),
            "the spared case differs on the candidate".to_owned(),
        );
    }
    wrong
}
