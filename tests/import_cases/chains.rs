//! Which reads carry a chain on, and which begin another.

use crate::support::{Talk, filler};
use serde_json::{Value, json};

/// Lines of a file as a client's own reader shows them.
fn numbered(from: u64, count: u64) -> String {
    (from..from + count).map(|line| format!("{line:>6}→{}\n", filler(line as usize))).collect()
}

fn own_read(talk: Talk, id: &str, from: u64, count: u64) -> Talk {
    talk.did(id, "Read", json!({"file_path": "/w/a", "offset": from, "limit": count}), numbered(from, count))
}

#[test]
fn a_position_must_be_offered_or_adjacent() {
    for (second, wanted) in
        [(31, vec![2]), (34, vec![2]), (20, vec![2]), (35, vec![1, 1]), (300, vec![1, 1]), (1, vec![1, 1])]
    {
        let talk = own_read(own_read(Talk::new("Go"), "t1", 1, 30), "t2", second, 30);
        assert_eq!(talk.import(&[]).reads_made(), wanted, "{second}");
    }
}

#[test]
fn each_step_of_a_jump_keeps_its_own_position() {
    let made = own_read(own_read(Talk::new("Go"), "t1", 1, 30), "t2", 300, 30).import(&[]);
    assert_eq!(made.steps()[1]["arguments"], json!({"file_path": "/w/a", "offset": 300, "limit": 30}));
}

#[test]
fn a_cursor_is_offered_wherever_it_stands() {
    let page = |text: &str, extra: Value| {
        let mut page = json!({"rows": [{"text": text}]});
        page.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        page.to_string()
    };
    for extra in [
        json!({"pageInfo": {"endCursor": "Y3Vyc29yOjE="}}),
        json!({"next_cursor": "Y3Vyc29yOjE="}),
        json!({"paging": {"token": "Y3Vyc29yOjE="}}),
    ] {
        let made = Talk::new("Go")
            .did("t1", "mcp__s__list_rows", json!({"first": 5}), page("one", extra.clone()))
            .did(
                "t2",
                "mcp__s__list_rows",
                json!({"first": 5, "after": "Y3Vyc29yOjE="}),
                page("two", json!({})),
            )
            .import(&[]);
        assert_eq!(made.reads_made(), [2], "{extra}");
    }
}

#[test]
fn a_sentence_offers_a_position_and_becomes_a_rule() {
    let page = |text: &str, next: &str| format!("{text}\n\nMore rows are left. Go on at row {next}.");
    let made = Talk::new("Go")
        .did("t1", "mcp__s__read_rows", json!({"table": "t"}), page("a", "next-0041"))
        .did("t2", "mcp__s__read_rows", json!({"table": "t", "after": "next-0041"}), page("b", "next-0087"))
        .did("t3", "mcp__s__read_rows", json!({"table": "t", "after": "next-0087"}), "c")
        .import(&[]);
    assert_eq!(made.reads_made(), [3]);
    let fragment = made.file("tools.toml");
    assert!(fragment.contains("gives 2 of 2 continuation reads"), "{fragment}");
    let table: toml::Table = fragment.parse().unwrap();
    let rule = &table["tools"]["read_rows"]["continue"][0];
    assert_eq!(rule["argument"].as_str(), Some("after"));
    assert!(rule["pattern"].as_str().unwrap().contains("row"), "{rule}");
}

#[test]
fn what_breaks_a_chain() {
    let first = |talk: Talk| talk.read("t1", None, &filler(1), Some(8000));
    let second = |talk: Talk| talk.read("t2", Some(8000), &filler(2), Some(16000));
    let start = || first(Talk::new("Go"));
    // What does not break it.
    for talk in [
        start(),
        start().say("On."),
        start().did("x", "mcp__docs__search", json!({"query": "q"}), "[]"),
        start().did("x", "mcp__docs__update_document", json!({"documentId": "doc-b"}), "ok"),
        start().line(json!({"type": "user", "isMeta": true, "message": {"content": "a reminder"}})),
        start().line(json!({"type": "user", "isCompactSummary": true, "message": {"content": "so far"}})),
        start().prompt("<local-command-stdout>x</local-command-stdout>"),
    ] {
        assert_eq!(second(talk).import(&[]).reads_made(), [2]);
    }
    // What does.
    for talk in [
        start().did("x", "mcp__docs__update_document", json!({"documentId": "doc-a", "text": "y"}), "ok"),
        start()
            .call(
                "x",
                "mcp__docs__read_document",
                json!({"documentId": "doc-a", "limit": 3, "startOffset": 8000}),
            )
            .error("x", "no such place"),
    ] {
        assert_eq!(second(talk).import(&[]).reads_made().len(), 2);
    }
    // A prompt begins a task, and so a case, of its own.
    let made = second(start().prompt("And now?")).import(&[]);
    assert_eq!(made.cases.len(), 2);
    assert_eq!(made.cases[1]["recordings"][0]["steps"][0]["arguments"]["startOffset"], 8000);
}

#[test]
fn the_same_position_again_is_another_chain() {
    let talk = Talk::new("Go")
        .read("t1", None, &filler(1), Some(8000))
        .read("t2", Some(8000), &filler(2), Some(16000))
        .read("t3", Some(8000), &filler(2), Some(16000));
    assert_eq!(talk.import(&[]).reads_made(), [2, 1]);
}

#[test]
fn calls_made_side_by_side_do_not_carry_one_another_on() {
    let page = |text: &str, next: u64| json!({"text": text, "next": {"startOffset": next}}).to_string();
    let input = |start: u64| json!({"documentId": "doc-a", "startOffset": start});
    let made = Talk::new("Go")
        .call("t1", "mcp__docs__read_document", input(0))
        .call("t2", "mcp__docs__read_document", input(8000))
        .result("t2", page("b", 16000))
        .result("t1", page("a", 8000))
        .did("t3", "mcp__docs__read_document", input(16000), page("c", 24000))
        .import(&[]);
    assert_eq!(made.recorded(), [3, 3, 1, 0]);
}

const SAVED: &str = "result (120,000 characters) exceeds maximum allowed tokens. Output has been saved to /h/tool-results/mcp-s-read_thread-17.txt.\nFormat: Plain text";

#[test]
fn a_shrunk_retry_belongs_to_the_chain_it_served() {
    let page = json!({"items": [{"text": filler(3)}], "nextPosition": 10, "hasMore": true}).to_string();
    let made = Talk::new("Go")
        .did("t1", "mcp__s__thread_read", json!({"id": "a", "limit": 100}), SAVED)
        .did("t2", "mcp__s__thread_read", json!({"id": "a", "limit": 10}), page)
        .did(
            "t3",
            "mcp__s__thread_read",
            json!({"id": "a", "limit": 10, "afterPosition": 10}),
            "{\"items\":[],\"hasMore\":false}",
        )
        .import(&[]);
    assert_eq!(made.reads_made(), [3]);
    assert_eq!(made.recorded(), [3, 3, 1, 1]);
    let step = &made.summary["cases"][0]["recordings"][0]["steps"][0];
    assert_eq!((&step["shrunk_retries"], &step["continuation_reads"]), (&json!(1), &json!(1)));
    assert_eq!(made.steps()[0]["on_oversized"], "retry_smaller");
    assert_eq!(made.steps()[0]["arguments"], json!({"id": "a", "limit": 100}));
}

#[test]
fn reads_of_a_saved_result_belong_to_its_chain() {
    let made = Talk::new("Go")
        .did("t1", "mcp__s__thread_read", json!({"id": "a"}), SAVED)
        .did(
            "t2",
            "Bash",
            json!({"command": "head -c 2000 /h/tool-results/mcp-s-read_thread-17.txt"}),
            "harbourMaster_7 says nextPosition: 41",
        )
        .did("t3", "Read", json!({"file_path": "/h/tool-results/mcp-s-read_thread-17.txt"}), "     1→the end")
        .did(
            "t4",
            "mcp__s__thread_read",
            json!({"id": "a", "afterPosition": 41}),
            "{\"items\":[\"x\"],\"hasMore\":false}",
        )
        .say("It was harbourMaster_7.")
        .import(&[]);
    assert_eq!(made.reads_made(), [2]);
    assert_eq!(made.recorded(), [2, 2, 1, 1]);
    assert_eq!(made.summary["cases"][0]["recordings"][0]["steps"][0]["spill_reads"], 2);
    assert_eq!(made.steps()[0]["on_oversized"], "read_saved_file");
    assert_eq!(made.steps()[0]["evidence"], json!(["harbourMaster_7"]));
}

#[test]
fn an_agent_that_gave_up_needed_what_it_was_not_shown() {
    let made = Talk::new("Go")
        .did("t1", "mcp__s__thread_read", json!({"id": "a"}), SAVED)
        .say("Too large.")
        .import(&[]);
    assert_eq!(made.steps()[0]["need"], json!({"pages": 1}));
    assert_eq!(made.steps()[0]["on_oversized"], "give_up");
}

#[test]
fn rules_are_learned_of_what_agents_did() {
    let rows = |from: u64| {
        json!({"rows": (from..from + 10).map(|row| format!("row {row}")).collect::<Vec<_>>()}).to_string()
    };
    let input = |offset: u64| json!({"table": "t", "limit": 10, "offset": offset});
    let made = Talk::new("Go")
        .did("t1", "mcp__s__get_rows", input(0), rows(0))
        .did("t2", "mcp__s__get_rows", input(10), rows(10))
        .did("t3", "mcp__s__get_rows", input(20), rows(20))
        .did("p1", "mcp__s__list_users", json!({"page": 1}), "{\"users\":[\"a\"],\"hasMore\":true}")
        .did("p2", "mcp__s__list_users", json!({"page": 2}), "{\"users\":[\"b\"],\"hasMore\":false}")
        .did("q1", "mcp__s__list_teams", json!({"page": 1}), "{\"teams\":[\"a\"],\"totalPages\":2}")
        .did("q2", "mcp__s__list_teams", json!({"page": 2}), "{\"teams\":[\"b\"],\"totalPages\":2}")
        .import(&[]);
    assert_eq!(made.reads_made(), [3, 2, 2]);
    let table: toml::Table = made.file("tools.toml").parse().unwrap();
    let rule = |tool: &str| table["tools"][tool]["continue"][0].clone();
    assert_eq!(rule("get_rows"), toml::toml! { argument = "offset" advance = "items" by = "limit" }.into());
    let by_flag = toml::toml! { argument = "page" advance = "pages" while = "/hasMore" };
    assert_eq!(rule("list_users"), by_flag.into());
    assert_eq!(table["tools"]["list_teams"].get("continue"), None);
    assert_eq!(table["tools"]["get_rows"]["identity"].as_array().unwrap().len(), 1);
}
