//! Single calls: bindings, what may be called, names, keys, and how calls relate to the reads before them.

use crate::support::{Say, Trial, doc, number, text};
use mcp_regress::words::ReplayMode;
use serde_json::{Value, json};

const SEARCH: &str =
    "[tools.search]\nkind = 'search'\n[tools.read]\nkind = 'read'\nidentity = ['id']\ncontinue = []";

#[test]
fn saved_values_are_bound_and_fall_back_to_the_recorded_ones() {
    for (save, recorded, page, sent, unresolved) in [
        (json!("/results/0/id"), json!("old"), json!({"results": [{"id": "new"}]}), json!("new"), 0),
        (json!("/id"), json!(1), json!({"id": 7}), json!(7), 0),
        (json!("/id"), json!("1"), json!({"id": {"deep": [1]}}), json!({"deep": [1]}), 0),
        (json!("/id"), json!("old"), json!({"id": null}), json!("old"), 1),
        (json!("/none"), json!("old"), json!({"id": 7}), json!("old"), 1),
        (json!({"pattern": "id\":(\\d+)"}), json!(1), json!({"id": 7}), json!(7), 0),
        (json!({"pattern": "id\":(\\d+)"}), json!("1"), json!({"id": 7}), json!("7"), 0),
        (json!({"pattern": "id\":\"(\\w+)"}), json!(1), json!({"id": "x7"}), json!("x7"), 0),
        (json!({"pattern": "none: (\\d+)"}), json!(1), json!({"id": 7}), json!(1), 1),
    ] {
        let steps = json!([
            {"call": "search", "save": {"doc": save}},
            {"call": "read", "arguments": {"id": {"$from": "doc", "recorded": recorded}, "in": [{"id": {"$from": "doc", "recorded": recorded}}]}},
        ]);
        let ran = Trial::new(SEARCH, steps)
            .run(|tool, _| if tool == "search" { doc(page.clone()) } else { text("x") });
        assert_eq!(ran.requests[1].1, json!({"id": sent, "in": [{"id": sent}]}), "{save} {page}");
        assert_eq!(ran.trace.notes.get("unresolved binding").copied().unwrap_or(0), 2 * unresolved);
    }
}

#[test]
fn skipped_and_failed_steps_leave_a_name_unset() {
    let steps = json!([
        {"call": "write", "save": {"a": "/id"}},
        {"call": "search", "save": {"b": "/id"}},
        {"call": "read", "arguments": {"x": {"$from": "a", "recorded": 1}, "y": {"$from": "b", "recorded": 2}}},
    ]);
    let ran = Trial::new(SEARCH, steps)
        .run(|tool, _| if tool == "search" { Say::ToolError(r#"{"id": 9}"#.into()) } else { text("x") });
    assert_eq!(ran.requests.last().map(|(_, arguments)| arguments.clone()), Some(json!({"x": 1, "y": 2})));
    assert_eq!(ran.trace.notes["unresolved binding"], 2);
}

#[test]
fn save_reads_what_the_client_forwards() {
    let steps = json!([
        {"call": "search", "save": {"a": "/id"}},
        {"call": "read", "arguments": {"x": {"$from": "a", "recorded": 0}}},
    ]);
    for (client, sent) in [("claude-code", 1), ("none", 2)] {
        let ran = Trial::new(SEARCH, steps.clone())
            .client(client)
            .run(|_, _| Say::Both(json!({"id": 1}), vec!["prose".into(), r#"{"id": 2}"#.into()]));
        assert_eq!(ran.sent("x")[1], json!(sent));
    }
}

#[test]
fn what_may_be_called() {
    let hint = |read_only: Value| json!({"t": {"inputSchema": {}, "readOnlyHint": read_only}});
    let none = json!({"t": {}});
    for (suite, baseline, side, may_call) in [
        ("", &none, &none, false),
        ("", &hint(json!(true)), &none, true),
        ("", &hint(json!(false)), &none, false),
        ("", &none, &hint(json!(true)), false),
        ("[tools.t]\nkind = 'read'", &none, &none, true),
        ("[tools.t]\nkind = 'search'", &none, &none, true),
        ("[tools.t]\nkind = 'other'", &none, &none, false),
        ("[tools.t]\nkind = 'write'", &none, &none, false),
        ("[tools.t]\nkind = 'other'", &hint(json!(true)), &none, true),
        ("[tools.t]\nkind = 'write'", &hint(json!(true)), &none, false),
        ("[tools.t]\nreplay = true", &none, &none, true),
        ("[tools.t]\nkind = 'write'\nreplay = true", &none, &none, true),
        ("[tools.t]\nreplay = false", &hint(json!(true)), &none, false),
        ("[tools.t]\nkind = 'read'\nreplay = false", &hint(json!(true)), &none, false),
        ("[tools.t]\nidentity = ['id']", &none, &none, false),
        (
            "[baseline]\ncommand = ['x']\n[baseline.tools.t]\nrename = { tool = 'u' }",
            &json!({"u": {"inputSchema": {}, "readOnlyHint": true}}),
            &none,
            true,
        ),
    ] {
        for step in [json!({"call": "t"}), json!({"read": "t", "need": {"end": true}})] {
            let ran =
                Trial::new(suite, step).tools(side.clone()).baseline(baseline.clone()).run(|_, _| text("x"));
            assert_eq!(ran.requests.len(), usize::from(may_call), "{suite} {baseline} {side}");
            let call = &ran.calls()[0];
            assert_eq!(call.outcome.as_str() == "skipped", !may_call);
            assert!(call.was_sent() == may_call && call.arguments_sha256.len() == 64);
            assert!(may_call || ran.trace.needs.is_empty(), "a skipped step has no need to meet");
        }
    }
}

#[test]
fn names_of_the_side_are_used_on_the_wire_alone() {
    let suite = "[tools.read]\nkind = 'read'\ncontinue = [{ argument = 'start', pattern = 'start=(\\d+)' }]\n\
        [candidate]\ncommand = ['x']\n[candidate.tools.read]\nrename = { tool = 'fetch', arguments = { id = 'key', start = 'from' } }";
    let step = json!({"read": "read", "arguments": {"id": "d", "other": 1}, "need": {"end": true}});
    let tools = json!({"fetch": {"key": {}, "from": {"type": "integer"}}});
    let plain = json!({"read": {"id": {}, "start": {"type": "integer"}}});
    let server = |_: &str, arguments: &serde_json::Map<String, Value>| {
        let is_first = !arguments.contains_key("from") && !arguments.contains_key("start");
        text(if is_first { "a\n[start=5]" } else { "b" })
    };
    let renamed = Trial::new(suite, step.clone()).tools(tools).baseline(plain.clone()).run(server);
    let wanted =
        [("fetch", json!({"key": "d", "other": 1})), ("fetch", json!({"key": "d", "other": 1, "from": 5}))];
    assert_eq!(renamed.requests, wanted.map(|(tool, arguments)| (tool.to_owned(), arguments)));
    assert_eq!(renamed.calls()[0].unknown_arguments, ["other"]);
    assert_eq!(renamed.calls()[0].tool, "read");
    let baseline = Trial::new(suite, step).tools(plain).run(server);
    let keys = |ran: &crate::support::Ran| {
        ran.calls().iter().map(|call| call.arguments_sha256.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&renamed), keys(&baseline), "requests are keyed by the recorded names");
}

#[test]
fn unknown_arguments_are_sent_and_named() {
    for (schema, unknown) in [
        (json!({"properties": {"id": {}}}), vec!["b", "a"]),
        (json!({"properties": {"id": {}, "a": {}}, "additionalProperties": false}), vec!["b"]),
        (json!({"properties": {}, "additionalProperties": true}), vec![]),
        (json!({}), vec![]),
    ] {
        let step = json!({"call": "read", "arguments": {"b": 1, "id": 2, "a": 3}});
        let ran =
            Trial::new(SEARCH, step).tools(json!({"read": {"inputSchema": schema}})).run(|_, _| text("x"));
        assert_eq!(ran.calls()[0].unknown_arguments, unknown);
        assert_eq!(ran.requests[0].1, json!({"b": 1, "id": 2, "a": 3}));
    }
}

/// The keys of a chain whose server offers these cursors.
fn keys_of(cursors: &[Value], id: &str) -> Vec<String> {
    let suite = "[tools.search]\nkind = 'search'\n[tools.read]\nkind = 'read'\ncontinue = [{ argument = 'cursor', from = '/next' }]";
    let steps = json!([
        {"call": "search", "save": {"doc": "/id"}},
        {"read": "read", "arguments": {"id": {"$from": "doc", "recorded": "r"}, "n": 1.0}, "need": {"end": true}},
    ]);
    let mut served = 0;
    let ran = Trial::new(suite, steps).run(|tool, _| {
        if tool == "search" {
            return doc(json!({"id": id}));
        }
        served += 1;
        doc(json!({"items": [served], "next": cursors.get(served - 1)}))
    });
    ran.calls().iter().map(|call| call.arguments_sha256.clone()).collect()
}

#[test]
fn keys_are_equal_where_only_bound_and_carried_values_differ() {
    let one = keys_of(&[json!("a"), json!("b")], "x");
    let other = keys_of(&[json!(7), json!("zz")], "y");
    assert_eq!(one, other);
    assert_eq!(one.len(), 4);
    assert!(one[1] != one[2] && one[2] == one[3], "continuations differ by how often they were sent");
}

#[test]
fn keys_tell_tools_and_arguments_apart_whatever_their_order() {
    let key = |tool: &str, arguments: Value| {
        let ran = Trial::new(SEARCH, json!({"call": tool, "arguments": arguments})).run(|_, _| text("x"));
        ran.calls()[0].arguments_sha256.clone()
    };
    let base = key("read", json!({"a": 1, "b": {"c": 2, "d": 3}}));
    assert_eq!(base, key("read", json!({"b": {"d": 3, "c": 2.0}, "a": 1})));
    for (tool, arguments) in [
        ("search", json!({"a": 1, "b": {"c": 2, "d": 3}})),
        ("read", json!({"a": "1", "b": {"c": 2, "d": 3}})),
        ("read", json!({"a": 1})),
        ("read", json!({})),
    ] {
        assert_ne!(base, key(tool, arguments));
    }
}

#[test]
fn results_are_compared_without_what_is_ignored() {
    let hash = |ignore: &str, page: Say| {
        let suite = format!("[tools.read]\nkind = 'read'\n{ignore}");
        let mut page = Some(page);
        let ran =
            Trial::new(&suite, json!({"call": "read"})).run(|_, _| page.take().unwrap_or_else(|| text("")));
        ran.calls()[0].result_sha256.clone()
    };
    let ignore = "ignore = [{ pointer = '/took' }, { pattern = 'at \\d+' }]";
    let page = |took: u32, body: &str| doc(json!({"took": took, "body": body}));
    assert_eq!(hash(ignore, page(1, "seen at 5")), hash(ignore, page(2, "seen at 66")));
    assert_ne!(hash(ignore, page(1, "seen at 5")), hash(ignore, page(1, "lost at 5")));
    assert_ne!(hash("", page(1, "x")), hash("", page(2, "x")));
    let sizes = Trial::new(&format!("[tools.read]\nkind = 'read'\n{ignore}"), json!({"call": "read"}))
        .run(|_, _| text("at 5"));
    assert_eq!(sizes.calls()[0].result_chars, 4, "sizes ignore nothing");
}

const PAGED: &str = r#"
[tools.read]
kind = "read"
identity = ["id"]
size = ["limit"]
continue = [{ argument = "start", from = "/next" }]
"#;

/// For each call: first letter of its evidence, `s` for a shrunk retry, `r` for a repeated read, `-` for none.
fn relations(
    suite: &str,
    mode: ReplayMode,
    tools: Value,
    steps: &[Value],
    server: impl FnMut(&serde_json::Map<String, Value>) -> Say + Send,
) -> String {
    let mut server = server;
    let ran = Trial::new(suite, json!(steps))
        .client("claude-code")
        .tools(tools)
        .settings(|settings| settings.mode = mode)
        .run(|_, arguments| server(arguments));
    let sign = |call: &mcp_regress::trace::CallRecord| match (
        call.continuation,
        call.is_shrunk_retry,
        call.is_repeat,
    ) {
        (Some(evidence), false, _) => &evidence.as_str()[..1],
        (None, true, _) => "s",
        (None, false, true) => "r",
        _ => "-",
    };
    ran.calls().iter().map(sign).collect()
}

#[test]
fn single_reads_carry_on_what_was_offered_or_is_adjacent() {
    let call = |arguments: Value| json!({"call": "read", "arguments": arguments});
    let at = |start: u64| call(json!({"id": "d", "start": start}));
    let first = || call(json!({"id": "d"}));
    let other = || call(json!({"id": "e", "start": 100}));
    for (steps, wanted) in [
        (vec![first(), at(100), at(200)], "-oo"),
        // Up to three past the end, an overlap that moves on, a jump, and on from there.
        (vec![first(), at(103)], "-c"),
        (vec![first(), at(104)], "--"),
        (vec![first(), at(60), at(160)], "-co"),
        (vec![first(), at(500), at(600)], "--o"),
        // After a jump the old chain is over.
        (vec![first(), at(500), at(100)], "---"),
        // Another document, the same position again, backwards.
        (vec![first(), other()], "--"),
        (vec![first(), at(100), at(100), at(200)], "-oro"),
        (vec![at(300), at(200)], "--"),
        // Another size alone is a wider read of the same position.
        (vec![call(json!({"id": "d", "limit": 5})), call(json!({"id": "d", "limit": 9}))], "--"),
        // The size is no identity.
        (vec![first(), call(json!({"id": "d", "start": 100, "limit": 9}))], "-o"),
        // A read step is a chain that a single call may carry on; its own first call is never a continuation.
        (vec![json!({"read": "read", "arguments": {"id": "d"}, "need": {"pages": 2}}), at(200)], "-oo"),
        (vec![first(), json!({"read": "read", "arguments": {"id": "d", "start": 100}})], "--"),
    ] {
        let page = |arguments: &serde_json::Map<String, Value>| {
            let start = number(arguments, "start", 0);
            doc(json!({"text": format!("from {start}"), "next": start + 100}))
        };
        assert_eq!(
            relations(PAGED, ReplayMode::Adaptive, json!({"read": {}}), &steps, page),
            wanted,
            "{steps:?}"
        );
    }
}

#[test]
fn single_reads_shrink_after_a_refused_one_and_errors_break_the_chain() {
    let call = |start: u64, limit: u64| json!({"call": "read", "arguments": {"id": "d", "start": start, "limit": limit}});
    let page = |arguments: &serde_json::Map<String, Value>| {
        if arguments["start"] == json!(900) {
            return Say::ToolError("beyond".into());
        }
        let size = 1_000 * number(arguments, "limit", 0);
        doc(json!({"text": "x".repeat(size), "next": number(arguments, "start", 0) + 100}))
    };
    for (steps, wanted) in [
        (vec![call(0, 80), call(0, 40), call(100, 40)], "-so"),
        (vec![call(0, 80), call(0, 70), call(0, 20), call(0, 30)], "-ss-"),
        (vec![call(0, 80), call(50, 40)], "--"),
        (vec![call(0, 9), call(900, 9), call(100, 9)], "---"),
    ] {
        assert_eq!(
            relations(PAGED, ReplayMode::Adaptive, json!({"read": {}}), &steps, page),
            wanted,
            "{steps:?}"
        );
    }
}

#[test]
fn adjacency_where_the_agent_is_the_one_to_count() {
    let undeclared = "[tools.read]\nkind = 'read'";
    let schema = json!({"read": {"offset": {"default": 0}, "limit": {"default": 50}, "id": {}}});
    let pages = json!({"read": {"page": {"default": 1}, "id": {}}});
    let backwards = "[tools.read]\nkind = 'read'\ncontinue = [{ argument = 'before', from = '/earlier' }]";
    let again = "[tools.read]\nkind = 'read'\ncontinue = [{ same = true, while = '/more' }]";
    let call = |arguments: Value| json!({"call": "read", "arguments": arguments});
    for (suite, tools, steps, wanted) in [
        (
            undeclared,
            &schema,
            vec![call(json!({})), call(json!({"offset": 50})), call(json!({"offset": 100}))],
            "-cc",
        ),
        (undeclared, &schema, vec![call(json!({"limit": 10})), call(json!({"offset": 50}))], "--"),
        (
            undeclared,
            &schema,
            vec![
                call(json!({"offset": 10, "limit": 10})),
                call(json!({"offset": 20})),
                call(json!({"offset": 30})),
            ],
            "-cc",
        ),
        (
            undeclared,
            &pages,
            vec![
                call(json!({})),
                call(json!({"page": 2})),
                call(json!({"page": 3})),
                call(json!({"page": 5})),
            ],
            "-cc-",
        ),
        (
            backwards,
            &schema,
            vec![
                call(json!({})),
                call(json!({"before": 500})),
                call(json!({"before": 498})),
                call(json!({"before": 400})),
            ],
            "-oc-",
        ),
        (again, &schema, vec![call(json!({"id": 1})), call(json!({"id": 1})), call(json!({"id": 2}))], "-c-"),
    ] {
        let page = |_: &serde_json::Map<String, Value>| doc(json!({"earlier": 500, "more": true}));
        assert_eq!(relations(suite, ReplayMode::Adaptive, tools.clone(), &steps, page), wanted, "{steps:?}");
    }
}

#[test]
fn verbatim_sends_every_call_as_it_was_recorded() {
    let steps = [
        json!({"call": "read", "arguments": {"id": "d"}, "save": {"n": "/next"}}),
        json!({"read": "read", "arguments": {"id": "d", "start": {"$from": "n", "recorded": 100}}, "need": {"contains": ["from 100"]}}),
        json!({"read": "read", "arguments": {"id": "d", "start": 200}, "need": {"end": true}}),
    ];
    let page = |arguments: &serde_json::Map<String, Value>| {
        let start = number(arguments, "start", 0);
        doc(json!({"text": format!("from {start}"), "next": start + 100}))
    };
    assert_eq!(relations(PAGED, ReplayMode::Verbatim, json!({"read": {}}), &steps, page), "-oo");
    let ran = Trial::new(PAGED, json!(steps))
        .settings(|settings| settings.mode = ReplayMode::Verbatim)
        .run(|_, arguments| {
            let start = number(arguments, "start", 0);
            doc(json!({"text": format!("from {start}"), "next": if start < 200 { json!(start + 77) } else { json!(null) }}))
        });
    assert_eq!(ran.sent("start"), [Value::Null, json!(100), json!(200)]);
    let needs: Vec<_> = ran.trace.needs.iter().map(|need| (need.step_index, need.met)).collect();
    assert_eq!(needs, [(1, true), (2, true)]);
    assert!(ran.trace.notes.is_empty());
}

#[test]
fn repeated_reads_are_reads_with_the_same_tool_and_arguments() {
    let steps = json!([
        {"read": "read", "arguments": {"id": "d", "n": 1}},
        {"call": "read", "arguments": {"n": 1.0, "id": "d"}},
        {"call": "read", "arguments": {"id": "d"}},
        {"call": "search", "arguments": {"id": "d"}},
        {"call": "search", "arguments": {"id": "d"}},
    ]);
    let ran = Trial::new(SEARCH, steps).run(|_, _| text("x"));
    let repeats: Vec<bool> = ran.calls().iter().map(|call| call.is_repeat).collect();
    assert_eq!(repeats, [false, true, false, false, false]);
}

#[test]
fn odd_results_are_seen_as_a_client_sees_them() {
    for (raw, chars, outcome, notes) in [
        (r#"{"content":[{"type":"text","text":"é😀"}]}"#, 3, "ok", 0),
        (r#"{"content":[{"type":"text","text":"\ud800"}]}"#, 1, "ok", 0),
        (r#"{"content":[{"type":"image","data":"AAAA"}]}"#, 0, "ok", 0),
        (r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#, 2, "tool_error", 0),
        (r#"{"structuredContent":{"a": 1.0}}"#, 7, "ok", 0),
        (r#"{"content":[],"content":[{"type":"text","text":"ab"}]}"#, 2, "ok", 0),
        ("[]", 0, "ok", 0),
        ("null", 0, "ok", 0),
    ] {
        let ran = Trial::new(SEARCH, json!({"read": "read", "need": {"contains": ["zz"]}}))
            .run(|_, _| Say::Raw(raw.into()));
        let call = &ran.calls()[0];
        assert_eq!((call.result_chars, call.outcome.as_str()), (chars, outcome), "{raw}");
        assert_eq!(call.result_wire_bytes, raw.len() as u64);
        assert_eq!(ran.trace.notes.len(), notes, "{raw}");
    }
}
