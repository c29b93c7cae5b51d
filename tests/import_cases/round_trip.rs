//! From an agent's reads, through a recorded session or a transcript, to a replay on another build.

use crate::cli::{Said, mcp_regress, only_run, rows, said, summary};
use crate::fixture_support::Server;
use crate::support::{Made, Talk, import};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const DOCUMENTS: &str = "--scenario documents";
const THREADS: &str = "--scenario threads";

/// The tools that both scenarios have, as a person declares them: the candidate's reader of threads goes
/// backwards, which no recording of the baseline tells.
const READ_THREADS: &str = "[tools.thread_search]\nkind = \"search\"\n[tools.thread_read]\nkind = \"read\"\n\
     identity = [\"threadId\", \"view\"]\nsize = [\"limit\", \"maxCharsPerItem\"]\n\
     continue = [{ argument = \"beforePosition\", from = \"/earlierPosition\" },\n\
     { argument = \"afterPosition\", from = \"/nextPosition\", while = \"/hasMore\" }]\n";

/// A client that says what every client says first.
fn greeted(mut server: Server) -> Server {
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}});
    server.request("initialize", &client);
    server.write_line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    server.request("tools/list", &json!({}));
    server
}

/// Reads a document page by page: `pages` of them, or all.
fn read_document(server: &mut Server, document: &str, pages: usize) -> usize {
    let mut arguments = json!({"documentIds": [document], "limit": 8});
    for read in 1..=pages {
        let page = server.page("read_document", &arguments);
        let Some(next) = page.pointer("/next/startOffset") else { return read };
        arguments["startOffset"] = next.clone();
    }
    pages
}

/// The session that a client left of its reads.
fn recorded(folder: &Path, options: &str, reads: impl FnOnce(&mut Server)) {
    let mut server = greeted(Server::recorded(options, folder));
    reads(&mut server);
}

/// Tool and arguments of every call in the sessions of a folder, a list for each file, in order.
fn calls_of(folder: &Path) -> Vec<Vec<Value>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let calls = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line.pointer("/msg/method") == Some(&json!("tools/call")))
            .map(|line| json!([line["msg"]["params"]["name"], line["msg"]["params"]["arguments"]]))
            .collect()
    };
    files.iter().map(calls).collect()
}

struct Replayed {
    said: Said,
    summary: Value,
    run: PathBuf,
}

impl Replayed {
    fn total(&self, metric: &str, side: &str) -> f64 {
        let metric = &self.summary["splits"]["all"]["metrics"][metric];
        metric[format!("{side}_total")].as_f64().unwrap_or_else(|| panic!("{metric}"))
    }

    /// Tool calls of each attempt of a side.
    fn calls(&self, side: &str) -> Vec<usize> {
        let of_side = |row: &std::collections::HashMap<String, String>| row["side"] == side;
        let calls: Vec<String> = rows(&self.run.join("calls.csv"))
            .into_iter()
            .filter(of_side)
            .map(|row| row["attempt"].clone())
            .collect();
        let mut attempts = calls.clone();
        attempts.dedup();
        attempts.iter().map(|attempt| calls.iter().filter(|call| *call == attempt).count()).collect()
    }
}

/// Replays imported cases on the fixture's builds. `baseline`: the words of its command.
fn replay(made: &Made, baseline: &[&str], options: &str, rest: &str) -> Replayed {
    let out = made.dir.path().join("out");
    let command = json!(baseline);
    let candidate: Vec<&str> =
        ["{self}", "fixture"].into_iter().chain(options.split(' ')).chain(["--build", "candidate"]).collect();
    let candidate = json!(candidate);
    let suite = format!(
        "format_version = 1\nattempts = 2\n[client]\nprofile = \"none\"\n\
         [baseline]\ncommand = {command}\n[candidate]\ncommand = {candidate}\n{rest}"
    );
    std::fs::write(out.join("mcp-regress.toml"), suite).unwrap();
    let check = said(mcp_regress().arg("check").arg("--suite").arg(&out));
    assert_eq!(check.code, Some(0), "{}\n{}", check.out, check.err);
    let results = made.dir.path().join("results");
    let said = said(
        mcp_regress()
            .args(["run", "--jobs", "1", "--warn-only", "--suite"])
            .arg(&out)
            .arg("--out")
            .arg(&results),
    );
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let run = only_run(&results);
    Replayed { summary: summary(&run), said, run }
}

#[test]
fn a_recorded_session_replays_to_the_same_calls_and_to_fewer_on_a_wider_window() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = dir.path().join("sessions");
    let mut reads = Vec::new();
    recorded(&sessions, DOCUMENTS, |server| {
        server.page("search_documents", &json!({"query": "glass furnace cost study"}));
        reads.push(read_document(server, "doc-003", 3));
        reads.push(read_document(server, "doc-004", 4));
        reads.push(read_document(server, "doc-001", 1));
    });
    let asked = calls_of(&sessions).remove(0);
    assert_eq!(asked.len(), 1 + reads.iter().sum::<usize>());
    let continuations: usize = reads.iter().map(|reads| reads - 1).sum();
    assert!(continuations >= 4, "{reads:?}");

    let made = import(&[&sessions], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let recorded = [asked.len(), asked.len() - 1, continuations, 0].map(|count| count as u64);
    assert_eq!(made.recorded(), recorded);
    assert_eq!(made.recording()["source"]["kind"], "json-rpc");
    // A session of frames holds no words of the agent.
    assert!(made.kinds().iter().all(|kind| ["last", "end"].contains(kind)), "{:?}", made.kinds());

    // The baseline stands behind a recorder too, so that what was sent can be seen.
    let replays = dir.path().join("replays");
    let folder = replays.to_str().unwrap();
    let baseline =
        ["{self}", "record", "--out", folder, "--", "{self}", "fixture", "--scenario", "documents"];
    let replayed = replay(&made, &baseline, DOCUMENTS, &made.file("tools.toml"));
    let sent: Vec<Vec<Value>> = calls_of(&replays).into_iter().filter(|calls| !calls.is_empty()).collect();
    assert!(!sent.is_empty());
    for calls in &sent {
        for attempt in calls.chunks(asked.len()) {
            assert_eq!(attempt, asked);
        }
    }
    assert_eq!(replayed.summary["fidelity"]["cases_equal"], 1, "{}", replayed.summary["fidelity"]);
    let [before, after] = ["baseline", "candidate"].map(|side| replayed.total("continuation_reads", side));
    assert_eq!(before, 2.0 * continuations as f64);
    assert!(after <= before / 2.0, "{before} -> {after}");
}

/// Reads of a thread from its oldest message on: arguments and result text of each.
fn walk_thread(server: &mut Server) -> Vec<(Value, String)> {
    let mut arguments = json!({"threadId": "thread-01", "limit": 100});
    let mut pages = Vec::new();
    loop {
        let (text, is_error) = server.call("thread_read", &arguments);
        assert!(!is_error, "{text}");
        let page: Value = serde_json::from_str(&text).unwrap();
        pages.push((arguments.clone(), text));
        if page["hasMore"] != json!(true) {
            return pages;
        }
        arguments["afterPosition"] = page["nextPosition"].clone();
    }
}

#[test]
fn a_walk_to_the_newest_message_becomes_one_read() {
    let pages = walk_thread(&mut Server::start(THREADS));
    assert_eq!(pages.len(), 36);
    let last: Value = serde_json::from_str(&pages[35].1).unwrap();
    let newest = last["items"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap().to_owned();
    let talk = pages.into_iter().enumerate().fold(
        Talk::new("What was said last in the release channel?"),
        |talk, (index, (arguments, text))| {
            talk.did(&format!("t{index}"), "mcp__chat__thread_read", arguments, text)
        },
    );
    let made = talk.say(&format!("The newest message says: {newest}")).import(&[]);
    assert_eq!(made.recorded(), [36, 36, 35, 0]);
    assert_eq!(made.kinds(), ["used"], "{}", made.summary);

    let baseline = ["{self}", "fixture", "--scenario", "threads"];
    let replayed = replay(&made, &baseline, THREADS, READ_THREADS);
    assert_eq!(replayed.calls("baseline"), [36, 36]);
    assert_eq!(replayed.calls("candidate"), [1, 1]);
    assert_eq!(replayed.summary["fidelity"]["cases_equal"], 1, "{}", replayed.summary["fidelity"]);
    assert!(replayed.said.out.contains("needs: 100 % used"), "{}", replayed.said.out);
}

#[test]
fn the_same_walk_without_words_of_the_agent_stays_a_walk_and_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    recorded(dir.path(), THREADS, |server| {
        walk_thread(server);
    });
    let made = import(&[dir.path()], &[]);
    assert_eq!(made.recorded(), [36, 36, 35, 0]);
    assert_eq!(made.kinds(), ["end"], "{}", made.summary);
    assert_eq!(made.reads()[0]["need"], json!({"end": true}));

    let baseline = ["{self}", "fixture", "--scenario", "threads"];
    let replayed = replay(&made, &baseline, THREADS, READ_THREADS);
    assert_eq!(replayed.calls("baseline"), [36, 36]);
    // Read to the end, in smaller pages.
    assert!(replayed.calls("candidate").iter().all(|calls| *calls > 36), "{:?}", replayed.calls("candidate"));
    assert!(replayed.said.out.contains("needs: 100 % end"), "{}", replayed.said.out);
}
