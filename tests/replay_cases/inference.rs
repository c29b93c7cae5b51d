//! Tools without a declaration: rules inferred from names and from the first result that offers more.

use crate::support::{Say, Trial, doc, structured, text};
use serde_json::{Value, json};

/// The arguments of the second call, or `None` when the first result offered no more.
fn second_call(properties: Value, arguments: Value, page: Say) -> Option<Value> {
    let step = json!({"read": "read", "arguments": arguments, "need": {"end": true}});
    let mut page = Some(page);
    let ran = Trial::new("[tools.read]\nkind = 'read'", step)
        .tools(json!({"read": properties}))
        .run(|_, _| page.take().unwrap_or_else(|| Say::ToolError("enough".into())));
    let second = ran.requests.get(1).map(|(_, arguments)| arguments.clone());
    assert_eq!(
        ran.calls().get(1).is_some_and(|call| call.rule.as_deref() == Some("inferred")),
        second.is_some()
    );
    second
}

#[test]
fn fields_that_offer_a_next_value() {
    for (argument, page, value) in [
        ("cursor", json!({"nextCursor": "c"}), Some(json!("c"))),
        ("cursor", json!({"next_cursor": "c"}), Some(json!("c"))),
        ("pageToken", json!({"next_page_token": "t"}), Some(json!("t"))),
        ("page_token", json!({"nextPageToken": "t"}), Some(json!("t"))),
        ("startOffset", json!({"meta": {"next": {"startOffset": 9}}}), Some(json!(9))),
        ("startOffset", json!({"next": {"start_offset": 9}}), Some(json!(9))),
        ("start_index", json!({"paging": {"nextStartIndex": 9}}), Some(json!(9))),
        ("afterPosition", json!({"next-after-position": 9}), Some(json!(9))),
        ("cursor", json!({"cursor": "c"}), Some(json!("c"))),
        ("continuation_token", json!({"continuationToken": "c"}), Some(json!("c"))),
        ("skip", json!({"nextSkip": 4}), Some(json!(4))),
        // Named as the argument, which is neither cursor nor token.
        ("startOffset", json!({"startOffset": 9}), None),
        // Inside an array, no scalar, another name, no value.
        ("cursor", json!({"pages": [{"nextCursor": "c"}]}), None),
        ("cursor", json!({"nextCursor": {"c": 1}}), None),
        ("cursor", json!({"previousCursor": "c"}), None),
        ("cursor", json!({"nextCursor": null}), None),
        ("cursor", json!({"nextCursor": ""}), None),
        ("cursor", json!({"nextCursor": false}), None),
        // No position argument by its name.
        ("position", json!({"nextPosition": 4}), None),
    ] {
        let second = second_call(json!({argument: {}}), json!({"id": 1}), structured(page.clone()));
        assert_eq!(second, value.map(|value| json!({"id": 1, argument: value})), "{argument} {page}");
    }
}

#[test]
fn a_value_equal_to_the_one_sent_is_no_offer() {
    for (argument, sent, page) in [
        ("cursor", json!("c"), doc(json!({"cursor": "c"}))),
        ("cursor", json!("c"), doc(json!({"nextCursor": "c"}))),
        ("start", json!(5), doc(json!({"nextStart": "5"}))),
        ("start_index", json!(5), text("read on at start_index of 5")),
    ] {
        assert_eq!(
            second_call(json!({argument: {"type": "integer"}}), json!({argument: sent}), page),
            None,
            "{argument}"
        );
    }
    // A repeated value is skipped for another one.
    let page = doc(json!({"cursor": "c", "nextCursor": "d"}));
    assert_eq!(
        second_call(json!({"cursor": {}}), json!({"cursor": "c"}), page),
        Some(json!({"cursor": "d"}))
    );
    // The sentence is no offer, and what stands after it in the order is.
    let page = || Say::Text(vec!["offset of 20".into(), "5 lines, 90 remaining".into()]);
    let schema = json!({"offset": {"type": "integer"}});
    assert_eq!(second_call(schema.clone(), json!({"offset": 20}), page()), Some(json!({"offset": 25})));
    assert_eq!(second_call(schema, json!({"offset": 10}), page()), Some(json!({"offset": 20})));
}

#[test]
fn a_sentence_names_the_argument_and_its_value() {
    let page =
        "some text <error>Content truncated. Call again with a start_index of 5000 to get more.</error>";
    for (properties, sent) in [
        (json!({"start_index": {"type": "integer"}}), Some(json!({"start_index": 5000}))),
        (json!({"start_index": {"type": "string"}}), Some(json!({"start_index": "5000"}))),
        (json!({"start": {}}), None),
    ] {
        assert_eq!(second_call(properties, json!({}), text(page)), sent);
    }
    assert_eq!(second_call(json!({"offset": {}}), json!({}), text("an offset of many")), None);
}

#[test]
fn pages_are_counted_while_there_are_more() {
    let schema = json!({"page": {"type": "integer"}});
    for (sent, page, next) in [
        (json!({}), json!({"hasMore": true}), Some(2)),
        (json!({"page": 4}), json!({"has_more": true}), Some(5)),
        (json!({"page": 4}), json!({"page": 4, "totalPages": 5}), Some(5)),
        (json!({"page": 5}), json!({"total_pages": 5}), None),
        (json!({"page": 4}), json!({"totalPages": 5, "hasMore": false}), None),
        (json!({"page": 4}), json!({"items": [{"hasMore": true}]}), None),
        (json!({"page": 4}), json!({"hasMore": 1}), None),
        (json!({}), json!({"text": "no word of more"}), None),
        // A field comes first.
        (json!({}), json!({"hasMore": true, "nextPage": 9}), Some(9)),
    ] {
        let second = second_call(schema.clone(), sent.clone(), doc(page.clone()));
        assert_eq!(second, next.map(|next| json!({"page": next})), "{sent} {page}");
    }
}

#[test]
fn lines_are_added_while_some_remain() {
    let schema = json!({"offset": {"type": "integer", "default": 0}});
    for (sent, page, next) in [
        (json!({}), "[Reading 40 lines from the start, 60 remaining]", Some(40)),
        (json!({"offset": 40}), "[Reading 40 lines from line 40, 20 remaining]", Some(80)),
        (json!({"offset": 80}), "[Reading 20 lines from line 80, 0 remaining]", None),
        (json!({"offset": 80}), "[60 remaining]", None),
    ] {
        assert_eq!(
            second_call(schema.clone(), sent.clone(), text(page)),
            next.map(|next| json!({"offset": next})),
            "{page}"
        );
    }
}

#[test]
fn has_more_false_means_no_more() {
    for page in
        [json!({"hasMore": false, "nextCursor": "c"}), json!({"p": {"has_more": false}, "nextCursor": "c"})]
    {
        assert_eq!(second_call(json!({"cursor": {}}), json!({}), doc(page)), None);
    }
    let in_array = json!({"items": [{"hasMore": false}], "nextCursor": "c"});
    assert_eq!(second_call(json!({"cursor": {}}), json!({}), doc(in_array)), Some(json!({"cursor": "c"})));
}

#[test]
fn an_inferred_rule_holds_to_the_end_of_the_chain() {
    let step = json!({"read": "read", "need": {"end": true}});
    let mut served = 0;
    let ran = Trial::new("", step)
        .tools(json!({"read": {"inputSchema": {"properties": {"page": {}}}, "readOnlyHint": true}}))
        .run(|_, _| {
            served += 1;
            doc(json!({"items": [served], "page": served, "totalPages": 4}))
        });
    assert_eq!(ran.summary(), ("met", 4, true));
    assert_eq!(ran.sent("page"), [Value::Null, json!(2), json!(3), json!(4)]);
    // The trace says by what, once a chain.
    let notes: Vec<_> = ran.trace.notes.iter().collect();
    let rule = r#"inferred rule of read: { argument = "page", advance = "pages" }"#;
    assert_eq!(notes, [(&rule.to_owned(), &1)]);
}

#[test]
fn the_argument_that_the_first_call_carries_keeps_the_direction() {
    let properties = json!({"after": {}, "before": {}});
    let page = || doc(json!({"nextAfter": "a", "nextBefore": "b"}));
    for (sent, second) in [
        (json!({}), json!({"after": "a"})),
        (json!({"before": "z"}), json!({"before": "b"})),
        (json!({"after": "z"}), json!({"after": "a"})),
    ] {
        assert_eq!(second_call(properties.clone(), sent, page()), Some(second));
    }
}

#[test]
fn size_arguments_are_told_by_their_names() {
    for (name, is_size) in [
        ("limit", true),
        ("length", true),
        ("count", true),
        ("first", true),
        ("top", true),
        ("per_page", true),
        ("pageSize", true),
        ("maxResults", true),
        ("max_items", true),
        ("max-length", true),
        ("maxRows", true),
        ("maximum", false),
        ("maxCharsPerItem", false),
        ("size", false),
        ("max", false),
    ] {
        let step = json!({"read": "read", "arguments": {name: 64}});
        let mut first = true;
        let ran = Trial::new("[tools.read]\nkind = 'read'", step)
            .tools(json!({"read": {name: {}}}))
            .client("claude-code")
            .run(|_, _| text(if std::mem::take(&mut first) { "x".repeat(60_000) } else { "small".into() }));
        assert_eq!(ran.calls().len() == 2, is_size, "{name}");
    }
}

#[test]
fn the_kind_of_an_undeclared_tool_comes_from_its_use_and_the_baselines_schema() {
    let read_only =
        |properties: Value| json!({"inputSchema": {"properties": properties}, "readOnlyHint": true});
    for (step, baseline, side, kind) in [
        (json!({"read": "t"}), json!({}), json!({}), "read"),
        (json!({"call": "t"}), json!({}), json!({}), "other"),
        (json!({"call": "t"}), json!({"cursor": {}}), json!({}), "read"),
        (json!({"call": "t"}), json!({}), json!({"cursor": {}}), "other"),
        (json!({"call": "t"}), json!({"start_line": {}}), json!({}), "read"),
    ] {
        let ran = Trial::new("", step)
            .tools(json!({"t": read_only(side)}))
            .baseline(json!({"t": read_only(baseline)}))
            .run(|_, _| text("x"));
        assert_eq!(ran.calls()[0].kind.as_str(), kind);
    }
}
