//! Needs: when each holds, and over which borders texts and fingerprints are found.

use crate::support::{Say, Trial, doc, number, prose, text};
use serde_json::{Value, json};

const BY_CURSOR: &str = r#"
[tools.read]
kind = "read"
continue = [{ argument = "cursor", from = "/next" }, { argument = "before", from = "/earlier" }, { argument = "start", pattern = 'start=(\d+)' }]
"#;

/// The calls that a need takes over these pages, and whether it was met.
fn walk(suite: &str, need: Value, pages: &[Value]) -> (usize, bool) {
    let step = json!({"read": "read", "need": need});
    let mut served = 0;
    let ran = Trial::new(suite, step).run(|_, _| {
        served += 1;
        match pages.get(served - 1) {
            Some(Value::String(page)) => text(page.clone()),
            Some(Value::Array(blocks)) if blocks.iter().all(Value::is_string) => {
                Say::Text(blocks.iter().filter_map(|block| block.as_str().map(str::to_owned)).collect())
            }
            Some(page) => doc(page.clone()),
            None => Say::ToolError("no such page".into()),
        }
    });
    let need = &ran.trace.needs[0];
    assert_eq!(need.met_at_call, need.met.then_some(ran.calls().len() as u32 - 1));
    (ran.calls().len(), need.met)
}

/// Pages of text, each but the last with a notice that offers more.
fn texts(pages: &[&str]) -> Vec<Value> {
    let last = pages.len() - 1;
    let notice = |at: usize| if at < last { format!("\n[more: start={}]", at + 1) } else { String::new() };
    pages.iter().enumerate().map(|(at, page)| json!(format!("{page}{}", notice(at)))).collect()
}

/// Documents with a body outside arrays, each but the last with a cursor under `key`.
fn bodies(key: &str, pages: &[&str]) -> Vec<Value> {
    let last = pages.len() - 1;
    pages
        .iter()
        .enumerate()
        .map(|(at, page)| json!({"body": page, key: if at < last { json!(at) } else { Value::Null }}))
        .collect()
}

#[test]
fn contains_compares_folded_texts() {
    for (wanted, page, found) in [
        ("400 days", "kept for 400 days.", true),
        ("400  DAYS", "kept for 400\u{a0}\n days.", true),
        ("Kept For", "kept for", true),
        ("1,234,567", "1234567 rows", true),
        ("1234567", "1.234.567 rows", true),
        ("4 000", "4'000", true),
        ("4\u{a0}000", "4000", true),
        ("12,34", "1234", false),
        ("12,3456", "123456", false),
        ("STRASSE", "Straße", true),
        ("ΟΔΟΣ", "οδος", true),
        ("400 days", "400days", false),
        ("400 days", "40 0 days", false),
        ("3.14", "3.14159", true),
    ] {
        let ends = json!([page]);
        let pages = [if found { json!(page) } else { ends }];
        assert_eq!(walk(BY_CURSOR, json!({"contains": [wanted]}), &pages).1, found, "{wanted:?} in {page:?}");
    }
}

#[test]
fn a_passage_over_the_border_of_two_pages_of_text_is_found() {
    for (pages, wanted, calls) in [
        // A word cut by the border, a line cut by it, a border between words.
        (vec!["the audit lo", "gs are kept"], "audit logs are", 2),
        (vec!["the audit", "logs are kept"], "audit logs are", 2),
        (vec!["the audit ", "logs are kept"], "audit logs are", 2),
        (vec!["the audit\n\n", "\nlogs are kept"], "the audit logs", 2),
        // Over more than two pages.
        (vec!["a lo", "ng sen", "tence that en", "ds here", "not read"], "long sentence that ends", 4),
        (vec!["a long", "sentence", "that", "ends here", "not read"], "long sentence that ends", 4),
        // Digits of a number on both sides, and its separator.
        (vec!["cost 1,2", "34 euro"], "1234 euro", 2),
        (vec!["cost 1,", "234 euro"], "1,234 euro", 2),
        // The head that every page repeats stands between the parts.
        (vec!["# Title\nby X\nthe audit", "# Title\nby X\nlogs are kept"], "audit logs", 2),
        // Found on one page alone: the next one is not read.
        (vec!["audit logs", "audit logs"], "audit logs", 1),
    ] {
        let found = walk(BY_CURSOR, json!({"contains": [wanted]}), &texts(&pages));
        assert_eq!(found, (calls, true), "{wanted:?} in {pages:?}");
    }
    let pages = texts(&["the audit", "book and the logs"]);
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &pages), (2, false));
}

#[test]
fn notices_are_no_text_of_the_page() {
    // The line that offers more stands between the halves of the passage, and is itself no text.
    let pages =
        [json!("[start=7 of 9]\nthe audit\n[more: start=1]"), json!("[start=8 of 9]\nlogs"), json!("x")];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &pages), (2, true));
    assert!(!walk(BY_CURSOR, json!({"contains": ["more: start"]}), &texts(&["a", "b"])).1);
}

#[test]
fn leaves_outside_arrays_are_one_text_and_those_inside_stand_alone() {
    let cut = bodies("next", &["the audit lo", "gs are kept"]);
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs are"]}), &cut), (2, true));
    let two_places = [json!({"body": "the audit", "next": 1}), json!({"other": "logs are kept"})];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &two_places), (2, false));
    let listed =
        [json!({"items": [{"t": "the audit"}], "next": 1}), json!({"items": [{"t": "logs are kept"}]})];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &listed), (2, false));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["LOGS  are"]}), &listed), (2, true));
    let side_by_side = [json!({"items": [{"t": "the audit"}, {"t": "logs are kept"}]})];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &side_by_side), (1, false));
    let numbers = [json!({"total": 12345, "items": [{"n": 678_901}]})];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["12,345", "678 901"]}), &numbers), (1, true));
    let keys = [json!({"audit logs": true})];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs"]}), &keys), (1, false));
}

#[test]
fn a_rule_that_reads_backwards_joins_in_reverse() {
    let newest_first = bodies("earlier", &["are kept", "the audit logs ", "about "]);
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["logs are kept"]}), &newest_first), (2, true));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["about the audit logs are"]}), &newest_first), (3, true));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["kept the audit"]}), &newest_first), (3, false));
}

#[test]
fn every_text_may_be_on_another_page() {
    let pages = texts(&["the first", "between", "the last"]);
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["first", "last"]}), &pages), (3, true));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["first", "none"]}), &pages), (3, false));
}

#[test]
fn evidence_is_counted_and_stops_nothing() {
    let step = json!({"read": "read", "need": {"contains": ["two"]}, "evidence": ["one", "ONE\nt", "three", "e tw"]});
    let pages = texts(&["one", "two", "three"]);
    let mut served = 0;
    let ran = Trial::new(BY_CURSOR, step).run(|_, _| {
        served += 1;
        text(pages[served - 1].as_str().unwrap_or_default())
    });
    let need = &ran.trace.needs[0];
    assert_eq!((ran.calls().len(), need.met, need.evidence_seen, need.evidence_total), (2, true, 3, 4));
    let alone = json!({"read": "read", "evidence": ["one"]});
    let ran = Trial::new(BY_CURSOR, alone).run(|_, _| text("one"));
    let need = &ran.trace.needs[0];
    assert!(!need.has_need && !need.met && need.evidence_seen == 1);
}

/// The hash of a whole short text, or of every run of 32 code points of a long one.
fn fingerprints(texts: &[String]) -> Value {
    let mut hashes: Vec<u64> = texts.iter().flat_map(|text| grams(text)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect();
    json!({"v": 1, "data": base64(&bytes)})
}

fn grams(text: &str) -> Vec<u64> {
    let points: Vec<char> = text.chars().collect();
    let hash = |points: &[char]| xxhash_rust::xxh3::xxh3_64(points.iter().collect::<String>().as_bytes());
    match points.len() {
        0..8 => Vec::new(),
        8..32 => vec![hash(&points)],
        _ => points.windows(32).map(hash).collect(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |chunk: &[u8], at: usize| {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        if at > chunk.len() { '=' } else { DIGITS[(bits >> (18 - 6 * at) & 63) as usize] as char }
    };
    bytes.chunks(3).flat_map(|chunk| (0..4).map(move |at| digit(chunk, at))).collect()
}

fn covered(texts: &[String], at_least: f64) -> Value {
    json!({"coverage": {"fingerprints": fingerprints(texts), "at_least": at_least}})
}

#[test]
fn coverage_is_the_share_of_recorded_grams() {
    let whole = prose(400);
    let (head, tail) = whole.split_at(whole.len() / 2);
    let need = |at_least: f64| covered(&[whole.trim().to_owned()], at_least);
    let pages = texts(&[head, tail]);
    assert_eq!(walk(BY_CURSOR, need(0.4), &pages), (1, true));
    assert_eq!(walk(BY_CURSOR, need(0.6), &pages), (2, true));
    assert_eq!(walk(BY_CURSOR, need(0.95), &pages), (2, true));
    assert_eq!(walk(BY_CURSOR, need(0.95), &texts(&[head, "something else"])), (2, false));
}

#[test]
fn no_gram_is_lost_at_a_border() {
    let whole = prose(60).trim().to_owned();
    let need = covered(std::slice::from_ref(&whole), 0.95);
    // Pages of nine characters: every gram straddles at least three borders.
    let points: Vec<char> = whole.chars().collect();
    let pages: Vec<String> = points.chunks(9).map(|page| page.iter().collect()).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let (calls, met) = walk(BY_CURSOR, need.clone(), &bodies("next", &pages));
    assert!(met && calls > pages.len() * 9 / 10, "{calls} of {}", pages.len());
    let backwards: Vec<&str> = pages.iter().rev().copied().collect();
    assert!(walk(BY_CURSOR, need.clone(), &bodies("earlier", &backwards)).1);
    // Lines cut at spaces, which the page drops.
    let lines: Vec<&str> = whole.split(' ').collect();
    let lines: Vec<String> = lines.chunks(4).map(|words| words.join(" ")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert!(walk(BY_CURSOR, need, &texts(&lines)).1);
}

#[test]
fn notices_and_repeated_heads_are_no_part_of_the_text() {
    let (first, second) = ("the logs of the audit are kept on the", "enterprise plan for four hundred days");
    let need = covered(&[format!("{first} {second}")], 0.95);
    let with_head = |page: &str| format!("# Audit handbook, part one\n{page}");
    let pages = texts(&[&with_head(first), &with_head(second)]);
    assert_eq!(walk(BY_CURSOR, need, &pages), (2, true));
}

#[test]
fn short_texts_have_one_hash_and_lists_are_looked_up_leaf_by_leaf() {
    let items = ["kept for 400 days", "see chapter nine of it", "seven 7"].map(str::to_owned);
    let need = covered(&items[..2], 0.95);
    let page = |order: [usize; 3]| json!({"items": order.map(|at| json!({"t": items[at], "id": at}))});
    assert_eq!(walk(BY_CURSOR, need.clone(), &[page([0, 1, 2])]), (1, true));
    assert_eq!(walk(BY_CURSOR, need.clone(), &[page([2, 1, 0])]), (1, true), "order is no matter");
    let spaced = json!({"items": [{"t": " kept  for 400\ndays"}, {"t": "see chapter nine of it\n"}]});
    assert_eq!(walk(BY_CURSOR, need.clone(), &[spaced]), (1, true));
    let longer = json!({"items": [{"t": "kept for 400 days or so"}, {"t": "see chapter nine of it"}]});
    assert_eq!(walk(BY_CURSOR, need, &[longer]), (1, false));
    // Case counts here.
    let need = covered(&["Kept For Ever".to_owned()], 0.95);
    assert_eq!(walk(BY_CURSOR, need, &[json!({"items": ["kept for ever"]})]), (1, false));
}

#[test]
fn without_prose_every_leaf_is_a_text() {
    let words = ["identifier-one", "identifier-two"].map(str::to_owned);
    let need = covered(&words, 0.95);
    assert_eq!(walk(BY_CURSOR, need, &[json!({"items": words})]), (1, true));
}

#[test]
fn the_declaration_may_pick_the_leaves_that_are_content() {
    let suite = BY_CURSOR.replace("kind = \"read\"", "kind = \"read\"\ncontent = ['/items/*/text']");
    let need = covered(&["kept for 400 days".to_owned()], 0.95);
    let picked = json!({"items": [{"text": "kept for 400 days"}]});
    let beside = json!({"items": [{"title": "kept for 400 days"}], "text": "kept for 400 days"});
    assert_eq!(walk(&suite, need.clone(), &[picked]), (1, true));
    assert_eq!(walk(&suite, need.clone(), std::slice::from_ref(&beside)), (1, false));
    assert_eq!(walk(BY_CURSOR, need, &[beside]), (1, true));
}

#[test]
fn reach_looks_at_the_latest_result_or_the_end() {
    let page = |at: u32, next: Value| json!({"at": at, "text": format!("page {at}"), "next": next});
    let pages = |last: Value| vec![page(10, json!(1)), page(25, json!(2)), last];
    let need = |limits: Value| {
        let mut reach = json!({"pointer": "/at"});
        for (key, value) in limits.as_object().into_iter().flatten() {
            reach[key] = value.clone();
        }
        json!({"reach": reach})
    };
    for (limits, calls, met) in [
        (json!({"at_least": 10}), 1, true),
        (json!({"at_least": 11}), 2, true),
        (json!({"at_least": 25, "at_most": 25}), 2, true),
        (json!({"at_most": 5}), 3, true),
        (json!({"at_least": 99}), 3, true),
    ] {
        assert_eq!(
            walk(BY_CURSOR, need(limits.clone()), &pages(json!({"at": 30}))),
            (calls, met),
            "{limits}"
        );
    }
    // Without the end it has to be reached: here the third page fails.
    assert_eq!(walk(BY_CURSOR, need(json!({"at_least": 99})), &pages(json!({"next": 3}))), (4, false));
}

#[test]
fn items_are_counted_over_the_chain_and_not_twice() {
    let page = |items: &[u32], next: Value| json!({"items": items, "next": next});
    let need = |count: u32| json!({"items": {"pointer": "/items", "at_least": count}});
    let honest = [page(&[1, 2], json!(1)), page(&[3, 4], json!(2)), page(&[5], json!(null))];
    assert_eq!(walk(BY_CURSOR, need(2), &honest), (1, true));
    assert_eq!(walk(BY_CURSOR, need(3), &honest), (2, true));
    assert_eq!(walk(BY_CURSOR, need(5), &honest), (3, true));
    assert_eq!(walk(BY_CURSOR, need(6), &honest), (3, false));
    let stuck = vec![page(&[1, 2], json!("c")); 9];
    assert_eq!(walk(BY_CURSOR, need(6), &stuck), (3, false), "a page shown again shows nothing more");
}

#[test]
fn pages_are_counted_or_the_server_offers_no_more() {
    let pages = texts(&["a", "b", "c"]);
    for (count, calls) in [(1, 1), (2, 2), (3, 3), (7, 3)] {
        assert_eq!(walk(BY_CURSOR, json!({"pages": count}), &pages), (calls, true));
    }
    let unlisted = Trial::new(BY_CURSOR, json!({"read": "read", "need": {"pages": 7}})).tools(json!({}));
    assert!(unlisted.run(|_, _| text("last")).trace.needs[0].met);
}

#[test]
fn all_parts_of_a_need_must_hold() {
    let pages = texts(&["a", "b needle", "c"]);
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["needle"], "pages": 1}), &pages), (2, true));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["a"], "pages": 3}), &pages), (3, true));
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["a"], "end": true}), &pages), (3, true));
}

#[test]
fn a_page_may_mix_text_and_documents() {
    let pages = [
        json!(["a warning in front", "{\"body\":\"the audit lo\",\"next\":1}"]),
        json!(["{\"body\":\"gs are\"}"]),
    ];
    assert_eq!(walk(BY_CURSOR, json!({"contains": ["audit logs", "warning in"]}), &pages), (2, true));
}

/// A chain of five pages, each a fifth of the recorded text, with a need that was inferred as `last`.
fn bracketed(kind: &str, at_least: f64, server_pages: usize) -> crate::support::Ran {
    let pages: Vec<String> = (0..5).map(prose_page).collect();
    let mut step = json!({"read": "read", "need": covered(&pages, at_least)});
    step["need_kind"] = json!(kind);
    let steps = json!([step, {"call": "read", "arguments": {"cursor": 3}}]);
    Trial::new(BY_CURSOR, steps).run(|_, arguments| {
        let page = number(arguments, "cursor", 0).min(server_pages - 1);
        let next = if page + 1 < server_pages { json!(page + 1) } else { Value::Null };
        doc(json!({"items": [pages[page]], "next": next}))
    })
}

fn prose_page(page: usize) -> String {
    (0..50).map(|word| format!("page{page}word{word} ")).collect::<String>().trim().to_owned()
}

#[test]
fn a_need_inferred_as_last_is_read_past_to_show_how_sure_it_is() {
    let ran = bracketed("last", 0.5, 5);
    let past: Vec<bool> = ran.calls().iter().map(|call| call.past_need).collect();
    assert_eq!(past, [false, false, false, false, true, true], "after all that the agent did");
    let ends: Vec<_> = ran.calls().iter().map(|call| call.chain_end.map(|end| end.as_str())).collect();
    assert_eq!(ends, [None, None, Some("met"), None, None, None]);
    let need = &ran.trace.needs[0];
    assert_eq!((need.met, need.met_at_call, ran.trace.needs.len()), (true, Some(2), 1));
    let bracket = need.bracket.expect("a bracket");
    assert_eq!((bracket.low_at_call, bracket.high_at_call), (Some(0), Some(5)));
    assert!(
        ran.calls().iter().all(|call| !call.is_repeat),
        "what was read past the need is no read of the agent's"
    );
    // A server that ends early closes the bracket too, and other needs have none.
    let short = bracketed("last", 0.5, 4);
    assert_eq!(short.trace.needs[0].bracket.map(|bracket| bracket.high_at_call), Some(None));
    let written = bracketed("written", 0.5, 5);
    assert!(written.trace.needs[0].bracket.is_none() && written.calls().len() == 4);
}

#[test]
fn what_happens_past_a_need_is_no_word_on_the_attempt() {
    let pages: Vec<String> = (0..5).map(prose_page).collect();
    let mut step = json!({"read": "read", "need": covered(&pages, 0.5)});
    step["need_kind"] = json!("last");
    let trial = Trial::new(BY_CURSOR, json!([step, {"call": "read", "arguments": {"cursor": 99}}]));
    for lost in [|| Say::Crash, || Say::Timeout, || Say::Infrastructure] {
        let mut served = 0;
        let ran = trial.clone().run(|_, _| {
            served += 1;
            match served {
                1..=3 => doc(json!({"items": [pages[served - 1]], "next": served})),
                4 => doc(json!({"items": ["the other step"]})),
                _ => lost(),
            }
        });
        assert_eq!(
            (ran.trace.failure, ran.trace.is_infrastructure, ran.trace.is_session_lost),
            (None, false, true)
        );
        assert_eq!(ran.trace.calls.len(), 5);
        assert!(ran.trace.calls[4].past_need);
        let bracket = ran.trace.needs[0].bracket.expect("a bracket");
        assert_eq!((bracket.low_at_call, bracket.high_at_call), (Some(0), None));
        assert_eq!(ran.trace.notes.len(), 1, "{:?}", ran.trace.notes);
    }
    // When the server is lost before the last step is done, nothing is read on.
    let mut served = 0;
    let ran = trial.run(|_, _| {
        served += 1;
        if served <= 3 { doc(json!({"items": [pages[served - 1]], "next": served})) } else { Say::Crash }
    });
    assert!(ran.trace.failure.is_some() && ran.trace.calls.len() == 4);
}
