//! Scenario A: windows, sizes and the reads that the demonstration suite saves.

mod fixture_support;

use fixture_support::{Server, Walk, cases, walk};
use serde_json::{Value, json};

const BASELINE: &str = "--scenario documents --build baseline";
const CANDIDATE: &str = "--scenario documents --build candidate";

/// Interviews hold nothing that JSON escapes, so their windows are round numbers.
fn interviews(server: &mut Server) -> Vec<String> {
    let all: Vec<String> = (0..24).map(|row| format!("doc-{:03}", row * 5 + 4)).collect();
    let mut long = Vec::new();
    for id in all {
        let page = server.page("read_document", &json!({ "documentIds": [id] }));
        let document = &page["documents"][&id];
        assert!(document["title"].as_str().expect("a title").ends_with("interview"));
        if document["length"].as_u64() > Some(21_333) {
            long.push(id);
        }
    }
    long
}

fn window(page: &Value, id: &str) -> u64 {
    page["documents"][id]["endOffset"].as_u64().expect("an offset")
}

#[test]
fn windows_follow_the_limit_and_are_shared() {
    let (mut baseline, mut candidate) = (Server::start(BASELINE), Server::start(CANDIDATE));
    let ids = interviews(&mut candidate);
    for (count, limit, expected) in [
        (1, 8, 21_333),
        (2, 8, 20_000),
        (3, 8, 13_333),
        (4, 8, 10_000),
        (5, 8, 8_000),
        (1, 3, 8_000),
        (1, 1, 8_000),
        (1, 6, 16_000),
        (2, 6, 16_000),
        (3, 6, 13_333),
    ] {
        let arguments = json!({ "documentIds": ids[..count], "limit": limit });
        let (old, new) =
            (baseline.page("read_document", &arguments), candidate.page("read_document", &arguments));
        for id in &ids[..count] {
            assert_eq!(window(&new, id), expected, "{count} documents at limit {limit}");
            assert_eq!(window(&old, id), 8_000);
        }
        assert_eq!(new["next"]["startOffset"], json!(expected));
    }
}

#[test]
fn shares_are_measured_as_json_encodes_them() {
    let mut candidate = Server::start(CANDIDATE);
    let mut bound = 0;
    for number in (1..=120).filter(|number| number % 5 != 4) {
        let id = format!("doc-{number:03}");
        let pair = json!({ "documentIds": [id, "doc-001"], "limit": 20 });
        let page = candidate.page("read_document", &pair);
        let document = &page["documents"][&id];
        let encoded = document["text"].to_string().encode_utf16().count() - 2;
        assert!(encoded <= 20_000, "{id}: {encoded}");
        if document["length"].as_u64() > document["endOffset"].as_u64() {
            bound += usize::from(encoded > 19_990);
            assert!(window(&page, &id) < 20_000, "quotes and line breaks count twice");
        }
    }
    assert!(bound > 10, "too few long documents to tell: {bound}");
}

#[test]
fn lists_are_byte_identical() {
    let list = |options| Server::start(options).request_raw("tools/list", &json!({}));
    assert_eq!(list(BASELINE), list(CANDIDATE));
    let tools: Value = serde_json::from_str(&list(BASELINE)).expect("JSON");
    for tool in tools["result"]["tools"].as_array().expect("tools") {
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true));
    }
}

#[test]
fn a_document_is_the_same_read_in_any_window() {
    let whole = |options: &str, limit: u64| {
        let (mut server, mut text, mut start) = (Server::start(options), String::new(), json!(0));
        while !start.is_null() {
            let page = server.page(
                "read_document",
                &json!({ "documentIds": ["doc-003"], "limit": limit, "startOffset": start }),
            );
            text += page["documents"]["doc-003"]["text"].as_str().expect("text");
            start = page["next"]["startOffset"].clone();
        }
        text
    };
    let text = whole(BASELINE, 8);
    assert!(text.chars().count() > 1_000);
    assert_eq!(text, whole(CANDIDATE, 8));
    assert_eq!(text, whole(CANDIDATE, 5));
    assert_eq!(text, whole("--window 700", 3));
    assert_eq!(text, whole("--build candidate --jitter some-key", 8));
}

#[test]
fn the_suite_needs_fewer_continuation_reads_on_the_candidate() {
    let (mut baseline, mut candidate) = (Server::start(BASELINE), Server::start(CANDIDATE));
    let (mut before, mut after) = (Walk::default(), Walk::default());
    let (mut with_continuations, cases) = (0, cases("cases"));
    assert!(cases.len() >= 83);
    for case in &cases {
        let recordings = case["recordings"].as_array().expect("recordings");
        assert_eq!(recordings.len(), 4);
        let continuations = before.continuations;
        for recording in recordings {
            let (old, new) = (walk(&mut baseline, recording), walk(&mut candidate, recording));
            let counts = json!({
                "calls": old.calls, "read_calls": old.reads,
                "continuation_reads": old.continuations, "oversized": old.oversized,
            });
            assert_eq!(counts, recording["recorded"], "{}", case["id"]);
            for (sum, one) in [(&mut before, old), (&mut after, new)] {
                sum.continuations += one.continuations;
                sum.oversized += one.oversized;
                sum.unmet += one.unmet;
                sum.largest = sum.largest.max(one.largest);
            }
        }
        with_continuations += usize::from(before.continuations > continuations);
    }
    assert_eq!((before.oversized, after.oversized, before.unmet, after.unmet), (0, 0, 0, 0));
    assert!(before.largest < 50_000 && after.largest < 50_000, "{before:?} {after:?}");
    assert!(after.continuations * 3 < before.continuations * 2, "{before:?} {after:?}");
    assert!((12..=26).contains(&with_continuations), "{with_continuations}");
}

#[test]
fn wrong_arguments_are_answered_as_failed_calls() {
    let mut server = Server::start(BASELINE);
    for (arguments, says) in [
        (json!({ "documentIds": ["doc-999"] }), "no document `doc-999`"),
        (json!({}), "must hold 1 to 10"),
        (json!({ "documentIds": "doc-001" }), "array of strings"),
        (json!({ "documentIds": ["doc-001"], "limit": 0 }), "`limit` is `0`"),
        (json!({ "documentIds": ["doc-001"], "startOffset": "8000" }), "`startOffset` is `\"8000\"`"),
    ] {
        let (text, is_error) = server.call("read_document", &arguments);
        assert!(is_error && text.contains(says), "{arguments}: {text}");
    }
}
