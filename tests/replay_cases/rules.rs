//! Continuation rules: every form, which one a chain takes, and what it sends.

use crate::support::{Say, Trial, doc, number, structured, text};
use serde_json::{Map, Value, json};

const DOC: &str = r#"
[tools.read]
kind = "read"
identity = ["id"]
size = ["limit"]
continue = [{ argument = "start", from = "/next/start" }]
"#;

fn to_end(tool: &str) -> Value {
    json!({"read": tool, "arguments": {"id": "d"}, "need": {"end": true}})
}

/// Pages of ten items from `start`, of `total`.
fn pages_of_ten(total: usize) -> impl FnMut(&str, &Map<String, Value>) -> Say + Send {
    move |_, arguments| {
        let start = number(arguments, "start", 0);
        let end = (start + 10).min(total);
        let next = if end < total { json!({"start": end}) } else { Value::Null };
        doc(json!({"items": (start..end).collect::<Vec<_>>(), "next": next}))
    }
}

#[test]
fn a_pointer_is_followed_to_the_end() {
    let ran = Trial::new(DOC, to_end("read")).run(pages_of_ten(35));
    assert_eq!(ran.summary(), ("met", 4, true));
    assert_eq!(ran.sent("start"), [Value::Null, json!(10), json!(20), json!(30)]);
    assert_eq!(ran.sent("id"), vec![json!("d"); 4]);
    assert_eq!(ran.continuations(), 3);
    let calls = ran.calls();
    assert!(calls[0].continuation.is_none() && calls[0].rule.is_none());
    assert_eq!(calls[2].continuation.map(|evidence| evidence.as_str()), Some("offered"));
    assert_eq!((calls[2].continues_call_index, calls[2].rule.as_deref()), (Some(1), Some("0")));
    assert_eq!(calls.iter().filter(|call| call.chain_end.is_some()).count(), 1);
}

#[test]
fn pointers_take_the_first_document_that_has_a_value() {
    // structuredContent wins for this client and is the only document; for the other one both blocks are.
    for (client, sent) in [("claude-code", json!(1)), ("none", json!(3))] {
        let ran = Trial::new(DOC, to_end("read")).client(client).run(|_, arguments| {
            if arguments.contains_key("start") {
                return text("the last page");
            }
            Say::Both(
                json!({"next": {"start": 1}}),
                vec![
                    "prose".into(),
                    r#"{"next": {"start": null}}"#.into(),
                    r#"{"next": {"start": 3}}"#.into(),
                ],
            )
        });
        assert_eq!(ran.sent("start"), [Value::Null, sent], "{client}");
    }
}

#[test]
fn values_that_are_no_cursors_end_the_read() {
    for (value, calls) in [
        (json!(null), 1),
        (json!(false), 1),
        (json!(true), 1),
        (json!(""), 1),
        (json!("c"), 2),
        (json!(0), 2),
        (json!({"opaque": 1}), 2),
    ] {
        let next = value.clone();
        let ran = Trial::new(DOC, to_end("read")).run(move |_, arguments| {
            if arguments.contains_key("start") { text("last") } else { doc(json!({"next": {"start": next}})) }
        });
        assert_eq!(ran.calls().len(), calls, "{value}");
    }
}

#[test]
fn an_empty_cursor_goes_on_in_the_newer_protocol() {
    for rule in [
        r#"{ argument = "start", from = "/next" }"#,
        r#"{ argument = "start", pattern = 'next":"(.*)"' }"#,
        r#"{ tool = "read", carry = { start = "/next" } }"#,
    ] {
        for (ends_on_empty, calls) in [(true, 1), (false, 2)] {
            let suite = format!("[tools.read]\nkind = 'read'\ncontinue = [{rule}]");
            let ran = Trial::new(&suite, to_end("read"))
                .settings(|settings| settings.ends_on_empty = ends_on_empty)
                .run(|_, arguments| match arguments.get("start") {
                    Some(_) => text("last"),
                    None => doc(json!({"text": "first", "next": ""})),
                });
            assert_eq!(ran.calls().len(), calls, "{rule} {ends_on_empty}");
        }
    }
}

#[test]
fn captured_texts_are_numbers_where_the_schema_wants_numbers() {
    let suite = r#"
[tools.read]
kind = "read"
continue = [{ argument = "start", pattern = 'start of (\S+)' }]
"#;
    for (property, captured, sent) in [
        (json!({"type": "integer"}), "50", json!(50)),
        (json!({"type": ["integer", "null"]}), "007", json!(7)),
        (json!({"anyOf": [{"type": "number"}, {"type": "null"}]}), "5.5", json!(5.5)),
        (json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}), "50", json!("50")),
        (json!({"type": "string"}), "50", json!("50")),
        (json!({}), "50", json!("50")),
        (json!({"type": "integer"}), "abc", json!("abc")),
    ] {
        let ran = Trial::new(suite, to_end("read")).tools(json!({"read": {"start": property}})).run(
            |_, arguments| match arguments.get("start") {
                Some(_) => text("last"),
                None => text(format!("a page\n[start of {captured} reads on]")),
            },
        );
        assert_eq!(ran.sent("start"), [Value::Null, sent], "{property} {captured}");
    }
}

#[test]
fn while_holds_as_long_as_its_value_says_something() {
    let suite = r#"
[tools.read]
kind = "read"
continue = [{ argument = "start", from = "/next", while = "/more" }]
"#;
    for (more, calls) in [
        (json!(true), 2),
        (json!(1), 2),
        (json!("yes"), 2),
        (json!([]), 2),
        (json!(false), 1),
        (json!(0), 1),
        (json!(0.0), 1),
        (json!(""), 1),
        (json!(null), 1),
    ] {
        let flag = more.clone();
        let ran = Trial::new(suite, to_end("read")).run(move |_, arguments| {
            if arguments.contains_key("start") { text("last") } else { doc(json!({"next": 5, "more": flag})) }
        });
        assert_eq!(ran.calls().len(), calls, "{more}");
    }
}

/// A file of `total` lines as a server shows it that says how much it gave.
fn file(total: usize, page: usize, saying: bool) -> impl FnMut(&str, &Map<String, Value>) -> Say + Send {
    move |_, arguments| {
        let offset = number(arguments, "offset", 0);
        let end = (offset + page).min(total);
        let lines: String = (offset..end).map(|line| format!("line {line}\n")).collect();
        let notice = format!("[Reading {} lines, {} remaining]\n", end - offset, total - end);
        text(if saying { notice + &lines } else { lines })
    }
}

#[test]
fn a_computed_position_adds_what_the_server_says_that_it_gave() {
    let suite = r#"
[tools.read]
kind = "read"
continue = [{ argument = "offset", advance = "lines", by = { pattern = 'Reading (\d+) lines' }, while = { pattern = '[1-9]\d* remaining' } }]
"#;
    let ran = Trial::new(suite, to_end("read")).run(file(25, 10, true));
    assert_eq!(ran.sent("offset"), [Value::Null, json!(10), json!(20)]);
    assert_eq!(ran.calls()[1].continuation.map(|evidence| evidence.as_str()), Some("computed"));
    assert_eq!(ran.summary(), ("met", 3, true));
}

#[test]
fn every_unit_and_step_of_an_advance() {
    let rule = |rest: &str| {
        format!("[tools.read]\nkind = 'read'\nsize = ['limit']\ncontinue = [{{ argument = 'at', {rest} }}]")
    };
    let schema = json!({"at": {"type": "integer"}, "limit": {"type": "integer", "default": 4}});
    let with_default = json!({"at": {"type": "integer", "default": 100}, "limit": {}});
    let page = r#"{"items":["é😀","b"],"note":"n","given":7,"more":true}"#;
    for (rest, arguments, properties, body, sent) in [
        ("advance = 'lines'", json!({}), &schema, "a\n\nb\n", json!(3)),
        (
            "advance = 'lines', while = { pattern = 'more' }",
            json!({}),
            &schema,
            "a\n\nmore below\nb",
            json!(3),
        ),
        ("advance = 'lines'", json!({"at": 5}), &schema, "a", json!(6)),
        ("advance = 'lines'", json!({}), &with_default, "a", json!(101)),
        ("advance = 'lines'", json!({"at": null}), &with_default, "a", json!(101)),
        ("advance = 'chars'", json!({}), &schema, "é😀", json!(3)),
        ("advance = 'chars'", json!({}), &schema, page, json!(5)),
        (
            "advance = 'chars', while = { pattern = 'more' }",
            json!({}),
            &schema,
            "abc\n\nmore below",
            json!(3),
        ),
        ("advance = 'items', from = '/items'", json!({}), &schema, page, json!(2)),
        ("advance = 'pages'", json!({}), &schema, "a", json!(2)),
        ("advance = 'pages'", json!({"at": 7}), &schema, "a", json!(8)),
        ("advance = 'pages'", json!({"at": "7"}), &schema, "a", json!(8)),
        ("advance = 'items', by = 'limit'", json!({"limit": 30}), &schema, "a", json!(30)),
        ("advance = 'items', by = 'limit'", json!({}), &schema, "a", json!(4)),
        ("advance = 'items', by = { from = '/given' }", json!({}), &schema, page, json!(7)),
        (
            "advance = 'lines', by = { pattern = '([\\d,]+) lines' }",
            json!({}),
            &schema,
            "some text\n1,200 lines",
            json!(1200),
        ),
    ] {
        let mut first = true;
        let step = json!({"read": "read", "arguments": arguments, "need": {"end": true}});
        let ran = Trial::new(&rule(rest), step)
            .tools(json!({"read": properties}))
            .run(|_, _| if std::mem::take(&mut first) { text(body) } else { Say::ToolError("over".into()) });
        assert_eq!(ran.sent("at").get(1), Some(&sent), "{rest} {arguments} {body}");
    }
}

#[test]
fn an_advance_that_has_nothing_to_add_does_not_match() {
    for (rest, arguments) in [
        ("advance = 'lines', by = { pattern = 'Reading (\\d+) lines' }", json!({})),
        ("advance = 'items', by = { from = '/given' }", json!({})),
        ("advance = 'items', from = '/items'", json!({})),
        ("advance = 'items'", json!({})),
        ("advance = 'items', by = 'limit'", json!({})),
        ("advance = 'lines'", json!({"at": -1})),
        ("advance = 'lines'", json!({"at": "end"})),
    ] {
        let suite = format!("[tools.read]\nkind = 'read'\ncontinue = [{{ argument = 'at', {rest} }}]");
        let step = json!({"read": "read", "arguments": arguments, "need": {"end": true}});
        let ran = Trial::new(&suite, step).run(|_, _| text("some text"));
        assert_eq!(ran.summary(), ("met", 1, true), "{rest}");
    }
}

#[test]
fn another_tool_carries_on_and_then_its_own_rules_hold() {
    let suite = r#"
[tools.search]
kind = "search"
continue = [{ tool = "more", carry = { session = { pattern = 'session: (\S+)' }, page = "/page" } }]
[tools.more]
kind = "search"
continue = [{ argument = "page", from = "/page" }]
"#;
    let ran = Trial::new(suite, json!({"read": "search", "arguments": {"q": "x"}, "need": {"end": true}}))
        .tools(json!({"search": {"q": {}}, "more": {"session": {"type": "integer"}, "page": {}}}))
        .run(|tool, arguments| match (tool, number(arguments, "page", 0)) {
            ("search", _) => Say::Text(vec!["hits\nsession: 77".into(), r#"{"page": 2}"#.into()]),
            ("more", 2) => doc(json!({"hits": ["c"], "page": 3})),
            _ => doc(json!({"hits": ["d"]})),
        });
    let wanted = [
        ("search", json!({"q": "x"})),
        ("more", json!({"session": 77, "page": 2})),
        ("more", json!({"session": 77, "page": 3})),
    ];
    assert_eq!(ran.requests, wanted.map(|(tool, arguments)| (tool.to_owned(), arguments)));
    assert_eq!(ran.summary(), ("met", 3, true));
    assert!(ran.calls().iter().all(|call| call.chain_index == Some(0) && call.is_read()));
    assert_eq!(ran.continuations(), 2);
}

#[test]
fn another_tool_that_may_not_be_called_is_listed_and_ends_the_chain() {
    let suite = r#"
[tools.search]
kind = "search"
continue = [{ tool = "more", carry = { session = "/session" } }]
"#;
    let ran = Trial::new(suite, json!({"read": "search", "need": {"end": true}}))
        .tools(json!({"search": {}, "more": {}}))
        .run(|_, _| doc(json!({"session": "s", "hits": ["a"]})));
    assert_eq!(ran.requests.len(), 1);
    let outcomes: Vec<_> =
        ran.calls().iter().map(|call| (call.tool.as_str(), call.outcome.as_str())).collect();
    assert_eq!(outcomes, [("search", "ok"), ("more", "skipped")]);
    assert!(!ran.trace.needs[0].met);
}

#[test]
fn the_same_arguments_again_while_the_server_keeps_the_cursor() {
    let suite = r#"
[tools.read]
kind = "read"
continue = [{ same = true, while = "/more" }]
"#;
    let mut served = 0;
    let ran = Trial::new(suite, to_end("read")).run(|_, _| {
        served += 1;
        doc(json!({"items": [served], "more": served < 4}))
    });
    assert_eq!(ran.summary(), ("met", 4, true));
    assert_eq!(ran.sent("id"), vec![json!("d"); 4]);
    assert!(ran.calls().iter().all(|call| !call.is_repeat), "asked again by the rule, not by the agent");
}

const THREAD: &str = r#"
[tools.read]
kind = "read"
identity = ["id"]
continue = [
  { argument = "beforePosition", from = "/earlierPosition" },
  { argument = "afterPosition", from = "/nextPosition", while = "/hasMore" },
]
"#;

#[test]
fn a_chain_keeps_its_direction() {
    let properties = json!({"beforePosition": {}, "afterPosition": {}, "id": {}});
    let old = json!({"afterPosition": {}, "id": {}});
    // What the first call carries, the schema, what the first page offers, and the argument of the second call.
    let both = json!({"earlierPosition": 5, "nextPosition": 9, "hasMore": true, "items": [1]});
    let only_earlier = json!({"earlierPosition": 5, "items": [1]});
    for (carried, schema, page, argument) in [
        (json!({}), &properties, &both, "beforePosition"),
        (json!({"afterPosition": -1}), &properties, &both, "afterPosition"),
        (json!({"beforePosition": 7}), &properties, &both, "beforePosition"),
        (json!({"afterPosition": 3}), &properties, &only_earlier, "beforePosition"),
        (json!({"beforePosition": 7}), &old, &both, "beforePosition"),
        (json!({"afterPosition": null}), &properties, &both, "beforePosition"),
    ] {
        let step = json!({"read": "read", "arguments": carried, "need": {"end": true}});
        let mut first = true;
        let ran = Trial::new(THREAD, step).tools(json!({"read": schema})).run(|_, _| {
            if std::mem::take(&mut first) {
                structured(page.clone())
            } else {
                Say::ToolError("enough".into())
            }
        });
        let Value::Object(second) = &ran.requests[1].1 else { panic!("no arguments") };
        let positions: Vec<&String> = second.keys().filter(|name| name.ends_with("Position")).collect();
        assert_eq!(positions, [argument], "{carried}: the other rule's argument is dropped");
    }
}

#[test]
fn the_rule_of_the_first_page_is_the_rule_to_the_end() {
    // The second page offers by another rule only: the server offers no more.
    let ran = Trial::new(THREAD, to_end("read")).run(|_, arguments| {
        if arguments.contains_key("beforePosition") {
            doc(json!({"items": [2], "nextPosition": 9, "hasMore": true}))
        } else {
            doc(json!({"items": [1], "earlierPosition": 5}))
        }
    });
    assert_eq!(ran.summary(), ("met", 2, true));
}

#[test]
fn a_repeated_cursor_is_sent_and_judged_by_its_result() {
    // The value is always the same, and yet every page is new.
    let mut served = 0;
    let ran = Trial::new(DOC, to_end("read")).run(|_, _| {
        served += 1;
        let next = if served < 5 { json!({"start": "c"}) } else { json!(null) };
        doc(json!({"items": [served], "next": next}))
    });
    assert_eq!(ran.summary(), ("met", 5, true));
    assert_eq!(
        ran.calls().iter().filter(|call| call.is_repeat).count(),
        3,
        "they are repeated reads all the same"
    );
}

#[test]
fn no_rule_is_inferred_where_the_suite_says_that_there_is_none() {
    let suite = "[tools.read]\nkind = 'read'\ncontinue = []";
    let tools = json!({"read": {"cursor": {}}});
    let page = json!({"nextCursor": "c"});
    let ran = Trial::new(suite, to_end("read")).tools(tools).run(|_, _| doc(page.clone()));
    assert_eq!(ran.summary(), ("met", 1, true));
}
