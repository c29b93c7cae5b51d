//! Scenario B: the figures of the thread reader before and after.

mod fixture_support;

use fixture_support::{Server, Walk, cases, walk};
use serde_json::{Value, json};

const BASELINE: &str = "--scenario threads --build baseline";
const CANDIDATE: &str = "--scenario threads --build candidate";

/// One walk to the newest of 3,589 messages.
fn newest(options: &str, thread: &str, sent: &Value, on_oversized: Option<&str>) -> Walk {
    let mut server = Server::start(options);
    let mut arguments = sent.clone();
    arguments["threadId"] = json!(thread);
    let text = format!("Decision {}-3588", thread.replace("thread-", "D"));
    let mut step = json!({ "read": "thread_read", "arguments": arguments, "need": { "contains": [text] } });
    if let Some(reaction) = on_oversized {
        step["on_oversized"] = json!(reaction);
    }
    let walk = walk(&mut server, &json!({ "steps": [step] }));
    assert_eq!(walk.unmet, 0, "{walk:?}");
    walk
}

#[test]
fn reading_saved_files_takes_36_oversized_pages() {
    let walk = newest(BASELINE, "thread-01", &json!({ "limit": 100 }), Some("read_saved_file"));
    assert_eq!((walk.reads, walk.oversized, walk.continuations), (36, 36, 35));
    assert!((108..=144).contains(&walk.spill_reads), "{walk:?}");
    assert!((60_000..=75_000).contains(&walk.largest), "{walk:?}");
}

#[test]
fn retrying_smaller_takes_73_reads_one_of_them_refused() {
    let walk = newest(BASELINE, "thread-01", &json!({ "limit": 100 }), None);
    assert_eq!((walk.reads, walk.oversized, walk.continuations), (73, 1, 71));
}

#[test]
fn longer_messages_are_halved_twice() {
    let walk = newest(BASELINE, "thread-02", &json!({ "limit": 100 }), None);
    assert_eq!((walk.reads, walk.oversized, walk.continuations), (146, 2, 143));
}

#[test]
fn halving_the_length_of_an_item_is_of_no_use() {
    let walk = newest(BASELINE, "thread-01", &json!({ "maxCharsPerItem": 300 }), None);
    assert_eq!((walk.reads, walk.oversized, walk.continuations), (36 + 3, 36 + 3, 35));
    assert!(walk.spill_reads >= 108, "{walk:?}");
}

#[test]
fn the_candidate_shows_the_newest_message_at_once() {
    for (thread, sent) in [
        ("thread-01", json!({ "limit": 100 })),
        ("thread-01", json!({ "maxCharsPerItem": 300 })),
        ("thread-01", json!({})),
        ("thread-02", json!({ "limit": 100, "maxCharsPerItem": 1500 })),
        ("thread-02", json!({ "limit": 100, "view": "activity" })),
    ] {
        for reaction in [None, Some("read_saved_file")] {
            let walk = newest(CANDIDATE, thread, &sent, reaction);
            assert_eq!((walk.reads, walk.oversized), (1, 0));
            assert!((26_000..30_000).contains(&walk.largest), "{thread} {sent}: {walk:?}");
        }
    }
}

#[test]
fn items_carry_500_to_650_characters_around_their_text() {
    let mut server = Server::start(BASELINE);
    let page = server.page("thread_read", &json!({ "threadId": "thread-01", "limit": 400 }));
    for item in page["items"].as_array().expect("items") {
        let around = item.to_string().chars().count() - (item["text"].to_string().chars().count() - 2);
        assert!((500..=650).contains(&around), "{around}: {item}");
        assert!(item["text"].as_str().expect("text").chars().count() <= 300);
    }
    let (text, _) =
        server.call("thread_read", &json!({ "threadId": "thread-01", "limit": 100, "maxCharsPerItem": 1 }));
    assert!((55_000..=65_000).contains(&text.len()), "{}", text.len());
}

/// Positions that a walk shows, by following one pointer from the first page to the last.
fn positions(options: &str, first: &Value, from: &str, argument: &str) -> Vec<u64> {
    let (mut server, mut arguments, mut seen) = (Server::start(options), first.clone(), Vec::new());
    loop {
        let page = server.page("thread_read", &arguments);
        let items: Vec<u64> = page["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| item["position"].as_u64().expect("n"))
            .collect();
        assert!(items.is_sorted() && !items.is_empty(), "in order on each page");
        seen.extend(items);
        if page.get(from).is_none() || (argument == "afterPosition" && page["hasMore"] != json!(true)) {
            seen.sort_unstable();
            return seen;
        }
        arguments[argument] = page[from].clone();
    }
}

#[test]
fn walks_in_both_directions_show_each_message_once() {
    let expected: Vec<u64> = (0..412).collect();
    let thread = json!({ "threadId": "thread-03", "limit": 60 });
    let from_start = json!({ "threadId": "thread-03", "limit": 60, "afterPosition": -1 });
    assert_eq!(positions(BASELINE, &thread, "nextPosition", "afterPosition"), expected);
    assert_eq!(positions(BASELINE, &from_start, "nextPosition", "afterPosition"), expected);
    assert_eq!(positions(CANDIDATE, &from_start, "nextPosition", "afterPosition"), expected);
    assert_eq!(positions(CANDIDATE, &thread, "earlierPosition", "beforePosition"), expected);
    let noisy = format!("{CANDIDATE} --jitter k1");
    assert_eq!(positions(&noisy, &thread, "earlierPosition", "beforePosition"), expected);
}

#[test]
fn one_item_is_returned_whatever_its_size() {
    let mut server = Server::start(CANDIDATE);
    let page =
        server.page("thread_read", &json!({ "threadId": "thread-02", "limit": 1, "beforePosition": 1 }));
    assert_eq!(page["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(page.get("earlierPosition"), None, "nothing is before the first");
}

#[test]
fn the_suite_is_worse_on_the_baseline_and_loses_nothing_on_the_candidate() {
    let (mut baseline, mut candidate) = (Server::start(BASELINE), Server::start(CANDIDATE));
    let (mut before, mut after) = (Walk::default(), Walk::default());
    let cases = cases("cases/threads");
    assert!(cases.len() >= 20);
    for case in &cases {
        for recording in case["recordings"].as_array().expect("recordings") {
            let (old, new) = (walk(&mut baseline, recording), walk(&mut candidate, recording));
            let counts = json!({
                "calls": old.calls, "read_calls": old.reads,
                "continuation_reads": old.continuations, "oversized": old.oversized,
            });
            assert_eq!(counts, recording["recorded"], "{}", case["id"]);
            for (sum, one) in [(&mut before, old), (&mut after, new)] {
                sum.reads += one.reads;
                sum.oversized += one.oversized;
                sum.unmet += one.unmet;
            }
        }
    }
    assert_eq!((after.oversized, after.unmet), (0, 0), "{after:?}");
    assert_eq!(before.unmet, 4, "the two cases whose agents gave up");
    assert!(before.oversized > 100 && after.reads * 4 < before.reads, "{before:?} {after:?}");
}
