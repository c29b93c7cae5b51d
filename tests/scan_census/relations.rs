//! How calls relate: what carries on, and what only looks so.

use crate::support::{Session, assert_total, census_of, saved};
use serde_json::json;

const READ: &str = "mcp__docs__read_document";

fn page(text: &str, next: Option<u64>) -> String {
    match next {
        Some(offset) => json!({"text": text, "next": {"startOffset": offset}}).to_string(),
        None => json!({"text": text}).to_string(),
    }
}

#[test]
fn continuation_reads_have_evidence() {
    let mut session = Session::new("c");
    session.done(READ, json!({"id": "7", "limit": 3}), &page("one", Some(8000)));
    session.done(READ, json!({"id": "7", "limit": 3, "startOffset": 8000}), &page("two", Some(16000)));
    session.done(READ, json!({"id": "7", "limit": 3, "startOffset": 16000}), &page("three", None));
    // A jump, and a read of something else from that position.
    session.done(READ, json!({"id": "7", "limit": 3, "startOffset": 90000}), &page("far", None));
    session.done(READ, json!({"id": "8", "limit": 3, "startOffset": 8000}), &page("other", None));
    // Adjacent by what was asked for: the agent counts itself.
    session.done("mcp__files__read_file", json!({"path": "a", "offset": 0, "length": 100}), "l1");
    session.done("mcp__files__read_file", json!({"path": "a", "offset": 100, "length": 100}), "l2");
    session.done("mcp__files__read_file", json!({"path": "a", "offset": 500, "length": 100}), "l3");
    // An opaque cursor under another name.
    session.done(
        "mcp__list__list_items",
        json!({"q": "x"}),
        &json!({"items": [1], "endCursor": "abc-def"}).to_string(),
    );
    session.done(
        "mcp__list__list_items",
        json!({"q": "x", "after": "abc-def"}),
        &json!({"items": [2]}).to_string(),
    );
    let census = census_of(&session);
    assert_total(
        &census,
        &[
            ("calls", 10),
            ("continuation_reads", 4),
            ("continuation_reads_offered", 3),
            ("continuation_reads_computed", 1),
            ("repeated_reads", 0),
            ("stuck_reads", 0),
        ],
    );
}

#[test]
fn a_prompt_a_write_and_an_error_end_a_chain() {
    let first = |session: &mut Session| {
        session.done(READ, json!({"id": "7", "limit": 3}), &page("one", Some(8000)));
    };
    let second = |session: &mut Session| {
        session.done(READ, json!({"id": "7", "limit": 3, "startOffset": 8000}), &page("two", None));
    };
    for (between, continuations) in [("nothing", 1), ("prompt", 0), ("write", 0), ("error", 0), ("other", 1)]
    {
        let mut session = Session::new("e");
        first(&mut session);
        match between {
            "prompt" => session.prompt("Go on"),
            "write" => session.done("mcp__docs__update_document", json!({"id": "7", "text": "x"}), "ok"),
            "error" => {
                let id = session.call(READ, json!({"id": "7", "limit": 3, "startOffset": 50_000}));
                session.failed(&id, "bad offset");
            }
            "other" => session.done(READ, json!({"id": "8", "limit": 3}), &page("other", None)),
            _ => {}
        }
        second(&mut session);
        assert_total(&census_of(&session), &[("continuation_reads", continuations)]);
    }
}

#[test]
fn parallel_calls_are_related_in_their_order() {
    let mut session = Session::new("p");
    let one = session.call(READ, json!({"id": "7", "limit": 3}));
    let two = session.call(READ, json!({"id": "7", "limit": 3, "startOffset": 8000}));
    session.result(&two, json!(page("two", None)));
    session.result(&one, json!(page("one", Some(8000))));
    assert_total(&census_of(&session), &[("calls", 2), ("results", 2), ("continuation_reads", 1)]);
}

#[test]
fn refused_results_are_read_from_their_file_or_asked_for_again() {
    let mut session = Session::new("r");
    let path = "/h/.claude/projects/-w/s/tool-results/mcp-docs-read_document-1700000000000.txt";
    let id = session.call(READ, json!({"id": "7", "limit": 100}));
    session.result(&id, json!(saved("113,673", path)));
    session.done("Read", json!({"file_path": path, "offset": 1, "limit": 200}), "1→part");
    session.done("Bash", json!({"command": format!("jq . {path} | head")}), "part");
    session.done("Read", json!({"file_path": "/h/tool-results/another-file.txt"}), "else");
    session.done(READ, json!({"id": "7", "limit": 50}), &page("smaller", None));
    assert_total(
        &census_of(&session),
        &[
            ("calls", 2),
            ("oversized", 1),
            ("spill_reads", 2),
            ("shrunk_retries", 1),
            ("continuation_reads", 0),
        ],
    );
}

#[test]
fn repeats_are_stuck_when_they_bring_the_same() {
    let mut session = Session::new("k");
    session.done(READ, json!({"id": "7"}), &page("one", Some(8000)));
    session.done(READ, json!({"id": "7"}), &page("one", Some(8000)));
    session.done(READ, json!({"id": "7"}), &page("changed", Some(8000)));
    // A cursor that is ignored: the page comes again under another position.
    session.done(READ, json!({"id": "9"}), &page("same", Some(8000)));
    session.done(READ, json!({"id": "9", "startOffset": 8000}), &page("same", Some(8000)));
    // Writes and searches repeat without being reads.
    session.done("mcp__docs__search", json!({"q": "x"}), "none");
    session.done("mcp__docs__search", json!({"q": "x"}), "none");
    session.done("mcp__docs__create_note", json!({"t": "x"}), "ok");
    session.done("mcp__docs__create_note", json!({"t": "x"}), "ok");
    session.prompt("Another task");
    session.done(READ, json!({"id": "7"}), &page("one", Some(8000)));
    assert_total(
        &census_of(&session),
        &[("calls", 10), ("repeated_reads", 2), ("stuck_reads", 2), ("continuation_reads", 1)],
    );
}
