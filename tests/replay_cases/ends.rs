//! How a chain ends: stuck, blind, capped, error, given up; and what each leaves behind.

use crate::support::{Say, Trial, doc, number, text};
use serde_json::{Value, json};

fn by(rule: &str) -> String {
    format!("[tools.read]\nkind = 'read'\nidentity = ['id']\ncontinue = [{rule}]")
}

const BY_CURSOR: &str = "{ argument = 'cursor', from = '/next' }";

fn to_end() -> Value {
    json!({"read": "read", "arguments": {"id": "d"}, "need": {"end": true}})
}

#[test]
fn a_cursor_that_never_advances_is_stuck_at_the_first_repeat() {
    let ran = Trial::new(&by(BY_CURSOR), to_end()).run(|_, _| doc(json!({"items": [1], "next": "c"})));
    // First call, the cursor, and the cursor again: the second page has no news but repeats no request.
    assert_eq!(ran.summary(), ("stuck", 3, false));
    let stuck: Vec<bool> = ran.calls().iter().map(|call| call.is_stuck).collect();
    assert_eq!(stuck, [false, false, true]);
    assert!(ran.calls().iter().all(|call| call.is_read()));
}

#[test]
fn three_barren_pages_in_a_row_are_stuck_and_two_are_honest() {
    for (barren, wanted) in [(2, ("met", 5, true)), (3, ("stuck", 4, false))] {
        let mut served = 0;
        let ran = Trial::new(&by(BY_CURSOR), to_end()).run(|_, _| {
            served += 1;
            let items = if served == 1 || served > barren + 1 { json!([served]) } else { json!([]) };
            doc(json!({"items": items, "next": if served > barren + 2 { json!(null) } else { json!(served) }}))
        });
        let calls = if barren == 2 { 5 } else { 4 };
        assert_eq!(ran.summary(), (wanted.0, calls, wanted.2), "{barren}");
    }
}

#[test]
fn what_is_content_and_what_is_none() {
    // Every page differs from the one before in one place alone: is that news?
    type Page = fn(usize) -> Say;
    let cases: [(&str, &str, Page, bool); 14] = [
        ("a line", "", |n| Say::Text(vec![format!("{{\"next\":{n}}}"), format!("line {n}")]), true),
        (
            "white space",
            "",
            |n| Say::Text(vec![format!("{{\"next\":{n}}}"), format!("a{}b", " ".repeat(n))]),
            false,
        ),
        ("a string leaf", "", |n| doc(json!({"next": n, "text": format!("t{n}")})), true),
        ("a number in an array", "", |n| doc(json!({"next": n, "items": [{"v": n}]})), true),
        ("a number outside arrays", "", |n| doc(json!({"next": n, "took": n})), false),
        ("a boolean in an array", "", |n| doc(json!({"next": n, "items": [n % 2 == 0]})), false),
        ("the leaf that a rule names", "", |n| doc(json!({"next": format!("c{n}")})), false),
        (
            "a time outside arrays",
            "",
            |n| doc(json!({"next": n, "at": format!("2026-11-30T10:00:{:02}Z", n % 60)})),
            false,
        ),
        (
            "a time in an array",
            "",
            |n| doc(json!({"next": n, "at": [format!("2026-11-30T10:00:{:02}Z", n % 60)]})),
            true,
        ),
        ("a date", "", |n| doc(json!({"next": n, "at": format!("2026-11-{:02}", n % 30)})), true),
        (
            "what a pointer ignores",
            "ignore = [{ pointer = '/id' }]",
            |n| doc(json!({"next": n, "id": format!("i{n}")})),
            false,
        ),
        (
            "below an ignored pointer",
            "ignore = [{ pointer = '/m' }]",
            |n| doc(json!({"next": n, "m": {"id": format!("i{n}")}})),
            false,
        ),
        (
            "what a pattern ignores",
            "ignore = [{ pattern = 'took \\d+' }]",
            |n| doc(json!({"next": n, "t": format!("x took {n}")})),
            false,
        ),
        (
            "beside what a pattern ignores",
            "ignore = [{ pattern = 'took' }]",
            |n| doc(json!({"next": n, "t": format!("x took {n}")})),
            true,
        ),
    ];
    for (what, ignore, page, is_news) in cases {
        let suite = format!("{}\n{ignore}", by(BY_CURSOR));
        let mut served = 0;
        let ran = Trial::new(&suite, to_end()).settings(|settings| settings.max_pages = 9).run(|_, _| {
            served += 1;
            page(served)
        });
        assert_eq!(ran.end().as_str(), if is_news { "capped" } else { "stuck" }, "{what}");
    }
}

#[test]
fn a_line_in_which_a_pattern_of_the_rule_matches_is_no_news() {
    let suite = by("{ argument = 'start', pattern = 'start of (\\d+)' }");
    let mut served = 0;
    let ran = Trial::new(&suite, to_end()).run(|_, _| {
        served += 1;
        text(format!("the same page\n[more at start of {served} of 99]"))
    });
    assert_eq!(ran.summary(), ("stuck", 4, false));
}

#[test]
fn an_advance_without_while_ends_at_its_first_page_without_news() {
    for (rule, wanted) in [
        ("{ argument = 'start', advance = 'lines' }", ("met", 3, true)),
        ("{ argument = 'start', advance = 'pages' }", ("met", 3, true)),
        // With `while` it is stuck like any other rule.
        ("{ argument = 'start', advance = 'pages', while = { pattern = 'more' } }", ("stuck", 5, false)),
    ] {
        let mut served = 0;
        let ran = Trial::new(&by(rule), to_end()).run(|_, _| {
            served += 1;
            text(format!("page {}\nmore", served.min(2)))
        });
        assert_eq!(ran.summary(), wanted, "{rule}");
        assert_eq!(ran.calls().iter().any(|call| call.is_stuck), wanted.0 == "stuck");
    }
}

#[test]
fn an_empty_first_page_is_no_match_for_an_advance_without_while() {
    let suite = by("{ argument = 'start', advance = 'lines' }, { argument = 'cursor', from = '/next' }");
    let ran = Trial::new(&suite, to_end()).run(|_, arguments| {
        if arguments.contains_key("cursor") { text("the page") } else { doc(json!({"next": "c"})) }
    });
    // The first rule sees no content; the second one matches.
    assert_eq!(ran.summary(), ("met", 2, true));
    assert_eq!(ran.calls()[1].rule.as_deref(), Some("1"));
}

#[test]
fn the_first_page_without_news_is_stuck_where_the_server_keeps_the_cursor() {
    let suite = by("{ same = true, while = '/more' }");
    let mut served = 0;
    let ran = Trial::new(&suite, to_end()).run(|_, _| {
        served += 1;
        doc(json!({"items": [served.min(3)], "more": true}))
    });
    assert_eq!(ran.summary(), ("stuck", 4, false));
    let ran = Trial::new(&suite, to_end()).run(|_, _| doc(json!({"items": [], "more": true})));
    assert_eq!(ran.summary(), ("stuck", 1, false));
}

#[test]
fn the_page_cap_ends_a_chain_that_is_offered_more() {
    for (total, wanted) in [(3, ("met", 3, true)), (4, ("capped", 3, false))] {
        let mut served = 0;
        let ran = Trial::new(&by(BY_CURSOR), to_end()).settings(|settings| settings.max_pages = 3).run(|_, _| {
            served += 1;
            doc(json!({"items": [served], "next": if served < total { json!(served) } else { Value::Null }}))
        });
        assert_eq!(ran.summary(), wanted);
    }
}

#[test]
fn retries_are_no_pages_for_the_cap() {
    let suite = format!("{}\nsize = ['limit']", by(BY_CURSOR));
    let step = json!({"read": "read", "arguments": {"limit": 8}, "need": {"end": true}});
    let mut served = 0;
    let ran = Trial::new(&suite, step).client("claude-code").settings(|settings| settings.max_pages = 2).run(
        |_, arguments| {
            served += 1;
            let big = if number(arguments, "limit", 0) > 2 { "x".repeat(50_001) } else { String::new() };
            doc(json!({"items": [served, big], "next": served}))
        },
    );
    assert_eq!(ran.summary(), ("capped", 4, false));
}

#[test]
fn a_chain_is_blind_when_only_the_hidden_part_offers_more() {
    let hidden = || Say::Both(json!({"meta": 1}), vec![r#"{"next": "c"}"#.into()]);
    let in_structured = || Say::Both(json!({"next": "c"}), vec!["text".into()]);
    let twice = || Say::Both(json!({"next": "c"}), vec![r#"{"next": "c"}"#.into()]);
    for (client, page, wanted) in [
        ("claude-code", hidden as fn() -> Say, ("blind", 1, false)),
        ("none", hidden, ("met", 2, true)),
        ("none", in_structured, ("blind", 1, false)),
        ("claude-code", in_structured, ("met", 2, true)),
        ("claude-code", twice, ("met", 2, true)),
        ("none", twice, ("met", 2, true)),
    ] {
        let ran = Trial::new(&by(BY_CURSOR), to_end())
            .client(client)
            .run(|_, arguments| if arguments.contains_key("cursor") { text("last") } else { page() });
        assert_eq!(ran.summary(), wanted, "{client}");
    }
}

#[test]
fn hidden_content_is_news_to_an_advance_that_saw_none_of_it() {
    // The structured part says nothing new on its second page, the text that the client drops would.
    let suite = by("{ argument = 'start', advance = 'pages' }");
    let mut served = 0;
    let ran = Trial::new(&suite, to_end()).client("claude-code").run(|_, _| {
        served += 1;
        Say::Both(json!({"path": "same"}), vec![format!("page {served}")])
    });
    assert_eq!(ran.summary(), ("blind", 2, false));
}

#[test]
fn what_only_a_hidden_part_says_meets_no_need() {
    let step = json!({"read": "read", "need": {"contains": ["the answer"]}});
    let page = || Say::Both(json!({"meta": 1}), vec!["the answer".into()]);
    for (client, wanted) in [("claude-code", ("end", 1, false)), ("none", ("met", 1, true))] {
        let ran = Trial::new(&by(BY_CURSOR), step.clone()).client(client).run(|_, _| page());
        assert_eq!(ran.summary(), wanted);
    }
}

#[test]
fn errors_end_the_chain_meet_nothing_and_the_next_step_goes_on() {
    let steps = json!([
        {"read": "read", "arguments": {"id": "a"}, "need": {"contains": ["secret"]}, "save": {"x": "/id"}},
        {"call": "read", "arguments": {"id": {"$from": "x", "recorded": "b"}}},
    ]);
    type Failure = fn() -> Say;
    let failures: [(Failure, &str); 2] = [
        (|| Say::ToolError(r#"{"secret": "secret", "next": "c", "id": "z"}"#.into()), "tool_error"),
        (|| Say::ProtocolError(r#"{"secret": "secret", "next": "c"}"#.into()), "protocol_error"),
    ];
    for (failure, outcome) in failures {
        let mut first = true;
        let ran = Trial::new(&by(BY_CURSOR), steps.clone())
            .run(|_, _| if std::mem::take(&mut first) { failure() } else { text("fine") });
        let outcomes: Vec<_> = ran.calls().iter().map(|call| call.outcome.as_str()).collect();
        assert_eq!(outcomes, [outcome, "ok"]);
        assert_eq!(ran.calls()[0].chain_end.map(|end| end.as_str()), Some("error"));
        assert!(!ran.trace.needs[0].met && ran.trace.failure.is_none());
        assert_eq!(ran.sent("id")[1], json!("b"), "a failed step saves nothing");
        assert!(ran.calls()[0].result_chars > 0 && ran.calls()[0].result_wire_bytes > 0);
        assert_eq!(ran.calls()[0].result_sha256.len(), 64);
    }
}

#[test]
fn an_error_in_the_middle_is_no_end() {
    for need in
        [json!({"end": true}), json!({"pages": 5}), json!({"reach": {"pointer": "/x", "at_least": 1}})]
    {
        let step = json!({"read": "read", "need": need});
        let ran = Trial::new(&by(BY_CURSOR), step).run(|_, arguments| {
            if arguments.contains_key("cursor") {
                Say::ToolError("no".into())
            } else {
                doc(json!({"next": 1}))
            }
        });
        assert_eq!(ran.summary(), ("error", 2, false));
    }
}

#[test]
fn a_lost_server_ends_the_attempt_and_later_needs_stay_unmet() {
    let steps = json!([
        {"read": "read", "arguments": {"id": "a"}, "need": {"end": true}},
        {"read": "read", "arguments": {"id": "b"}, "need": {"end": true}, "evidence": ["e", "f"]},
        {"call": "read"},
    ]);
    for (loss, outcome, infrastructure) in [
        ((|| Say::Timeout) as fn() -> Say, "timeout", false),
        (|| Say::Crash, "crashed", false),
        (|| Say::Infrastructure, "crashed", true),
    ] {
        let ran = Trial::new(&by(BY_CURSOR), steps.clone()).run(|_, _| loss());
        assert_eq!(ran.calls().len(), 1);
        assert_eq!(ran.calls()[0].outcome.as_str(), outcome);
        assert_eq!(ran.calls()[0].chain_end.map(|end| end.as_str()), Some("error"));
        assert_eq!(ran.trace.is_infrastructure, infrastructure);
        assert!(ran.trace.failure.as_ref().is_some_and(|why| why.contains("`read`")));
        let needs: Vec<_> =
            ran.trace.needs.iter().map(|need| (need.step_index, need.met, need.evidence_total)).collect();
        assert_eq!(needs, [(0, false, 0), (1, false, 2)]);
    }
}

#[test]
fn a_tool_that_the_side_does_not_list_never_reaches_its_end() {
    let ran = Trial::new(&by(BY_CURSOR), to_end()).tools(json!({})).run(|_, _| text("some page"));
    assert_eq!(ran.summary(), ("end", 1, false));
}

#[test]
fn a_step_without_a_need_is_met_after_one_page() {
    let step = json!({"read": "read", "arguments": {"id": "d"}});
    let ran = Trial::new(&by(BY_CURSOR), step).run(|_, _| doc(json!({"next": "c"})));
    assert_eq!((ran.end().as_str(), ran.calls().len()), ("met", 1));
    assert!(ran.trace.needs.is_empty(), "it is in no share");
}

#[test]
fn met_comes_before_stuck_and_capped() {
    // The third page repeats everything and is the last that may be read: it also meets the need.
    let step = json!({"read": "read", "need": {"pages": 3}});
    let ran = Trial::new(&by(BY_CURSOR), step)
        .settings(|settings| settings.max_pages = 3)
        .run(|_, _| doc(json!({"items": [1], "next": "c"})));
    assert_eq!(ran.summary(), ("met", 3, true));
    // Stuck comes before capped.
    let ran = Trial::new(&by(BY_CURSOR), to_end())
        .settings(|settings| settings.max_pages = 3)
        .run(|_, _| doc(json!({"items": [1], "next": "c"})));
    assert_eq!(ran.summary(), ("stuck", 3, false));
}
