//! Imported cases in a suite: they load, and a replay does what the agent did.

use crate::cli::{mcp_regress, only_run, said, summary};
use crate::fixture_support::Server;
use crate::support::{Made, Talk};
use serde_json::{Value, json};
use std::path::Path;

/// A search, and a read of a document page by page, `pages` of them: what a client would have shown its agent.
fn walk(pages: usize) -> (Talk, String) {
    let mut server = Server::start("--scenario documents");
    let mut call = |tool: &str, arguments: &Value| {
        let reply = server.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        reply["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let mut talk = Talk::new("Find it");
    let query = json!({"query": "glass furnace cost study"});
    let found = call("search_documents", &query);
    talk = talk.did("t0", "mcp__docs__search_documents", query, found);
    let mut arguments = json!({"documentIds": [LONG], "limit": 8});
    let mut last = String::new();
    for page in 0..pages {
        last = call("read_document", &arguments);
        talk =
            talk.did(&format!("t{}", page + 1), "mcp__docs__read_document", arguments.clone(), last.clone());
        let value: Value = serde_json::from_str(&last).unwrap();
        let next = &value["next"]["startOffset"];
        assert!(next.is_number(), "the document has too few pages: {value}");
        arguments["startOffset"] = next.clone();
    }
    (talk, last)
}

/// A document of more pages than any walk here.
const LONG: &str = "doc-003";

/// Replays the cases of an import on the fixture server with two windows.
fn replay(made: &Made) -> Value {
    let out = made.dir.path().join("out");
    let fragment = made.file("tools.toml");
    let suite = format!(
        "format_version = 1\nattempts = 2\n\
         [baseline]\ncommand = [\"{{self}}\", \"fixture\"]\n\
         [candidate]\ncommand = [\"{{self}}\", \"fixture\", \"--build\", \"candidate\"]\n{fragment}"
    );
    std::fs::write(out.join("mcp-regress.toml"), suite).unwrap();
    let check = said(mcp_regress().arg("check").arg("--suite").arg(&out));
    assert_eq!(check.code, Some(0), "{}\n{}", check.out, check.err);
    let results = made.dir.path().join("results");
    let run =
        said(mcp_regress().args(["run", "--suite"]).arg(&out).arg("--out").arg(&results).arg("--warn-only"));
    assert!(run.code == Some(0), "{}\n{}", run.out, run.err);
    summary(only_run(Path::new(&results)).as_path())
}

fn continuation_reads(summary: &Value, side: &str) -> f64 {
    summary["splits"]["all"]["metrics"]["continuation_reads"][format!("{side}_total")].as_f64().unwrap()
}

#[test]
fn a_replay_of_an_imported_walk_makes_the_same_reads() {
    let (talk, last) = walk(3);
    // The agent quotes the page it stopped at.
    let page: Value = serde_json::from_str(&last).unwrap();
    let text = page["documents"][LONG]["text"].as_str().unwrap();
    let words: Vec<&str> = text.split_whitespace().skip(40).take(12).collect();
    let made = talk.say(&words.join(" ")).import(&[]);
    assert_eq!(made.kinds(), ["used"], "{}", made.summary);
    assert_eq!(made.recorded(), [4, 3, 2, 0]);
    let summary = replay(&made);
    assert_eq!(continuation_reads(&summary, "baseline"), 2.0 * 2.0);
    assert!(continuation_reads(&summary, "candidate") <= 2.0, "{}", summary["fidelity"]);
}

#[test]
fn a_need_of_the_last_view_replays_to_the_recorded_reads() {
    let made = walk(3).0.say("I see.").import(&[]);
    assert_eq!(made.kinds(), ["last"]);
    let summary = replay(&made);
    assert_eq!(continuation_reads(&summary, "baseline"), 2.0 * 2.0);
    assert!(continuation_reads(&summary, "candidate") < 4.0);
}
