//! Results over a limit of the client: smaller retries, saved files, giving up.

use crate::support::{Say, Trial, doc, number, text};
use mcp_regress::words::OnOversized;
use serde_json::{Map, Value, json};

const READ: &str = r#"
[tools.read]
kind = "read"
identity = ["id"]
size = ["limit", "maxChars"]
continue = [{ argument = "cursor", from = "/next" }]
"#;

fn step(arguments: Value) -> Value {
    json!({"read": "read", "arguments": arguments, "need": {"end": true}})
}

/// Two pages of `limit` items, each of `width` characters; `limit` is 100 when absent.
fn wide(width: usize) -> impl FnMut(&str, &Map<String, Value>) -> Say + Send {
    move |_, arguments| {
        let page = arguments.get("cursor").map_or(0, |_| 1);
        let items: Vec<String> = (0..number(arguments, "limit", 100))
            .map(|item| format!("{page} {item} ") + &"x".repeat(width))
            .collect();
        doc(json!({"items": items, "next": if page == 0 { json!("c") } else { Value::Null }}))
    }
}

#[test]
fn a_size_argument_is_halved_and_stays_small() {
    let ran = Trial::new(READ, step(json!({"limit": 100}))).client("claude-code").run(wide(1_000));
    assert_eq!(ran.sent("limit"), [json!(100), json!(50), json!(25), json!(25)]);
    assert_eq!(ran.sent("cursor"), [Value::Null, Value::Null, Value::Null, json!("c")]);
    assert_eq!(ran.summary(), ("met", 4, true));
    let retries: Vec<bool> = ran.calls().iter().map(|call| call.is_shrunk_retry).collect();
    assert_eq!(retries, [false, true, true, false]);
    assert_eq!(ran.continuations(), 1);
    assert_eq!(ran.calls()[3].continues_call_index, Some(2));
    let oversized: Vec<usize> = ran.calls().iter().map(|call| call.oversized_by.len()).collect();
    assert_eq!(oversized, [2, 1, 0, 0], "tokens and characters, then characters");
    assert_eq!(ran.calls()[0].view.as_str(), "spilled");
    assert!(ran.calls()[0].view_chars < 1_000 && ran.calls()[0].result_chars > 100_000);
}

#[test]
fn after_three_halvings_the_saved_file_is_read() {
    let ran = Trial::new(READ, step(json!({"limit": 9}))).client("claude-code").run(|_, arguments| {
        doc(json!({"text": "x".repeat(60_000), "limit": arguments["limit"], "next": null}))
    });
    assert_eq!(ran.sent("limit"), [json!(9), json!(4), json!(2), json!(1)]);
    assert_eq!(ran.calls().iter().map(|call| call.spill_reads).collect::<Vec<_>>(), [0, 0, 0, 4]);
    assert_eq!(ran.summary(), ("met", 4, true));
}

#[test]
fn three_halvings_a_step_not_a_page() {
    // Each page alone would take two halvings.
    let ran = Trial::new(READ, step(json!({"limit": 100}))).client("claude-code").run(|_, arguments| {
        let is_first = !arguments.contains_key("cursor");
        let fits = number(arguments, "limit", 0) <= if is_first { 25 } else { 6 };
        let text = if fits { "small".to_owned() } else { "x".repeat(50_001) };
        doc(json!({"text": text, "next": if is_first { json!("c") } else { Value::Null }}))
    });
    assert_eq!(ran.sent("limit"), [json!(100), json!(50), json!(25), json!(25), json!(12)]);
    assert_eq!(ran.calls()[4].spill_reads, 3);
}

#[test]
fn which_size_argument_is_halved() {
    let schema = json!({"limit": {"type": "integer", "default": 40}, "maxChars": {"default": 500}, "other": {"default": 9}});
    for (arguments, first_retry) in [
        (json!({"limit": 30, "maxChars": 300}), json!({"limit": 15, "maxChars": 300})),
        (json!({"maxChars": 301}), json!({"maxChars": 150})),
        (json!({"limit": 1, "maxChars": 300}), json!({"limit": 1, "maxChars": 150})),
        (json!({"limit": "30", "maxChars": 300}), json!({"limit": "30", "maxChars": 150})),
        (json!({"limit": 30.0}), json!({"limit": 15})),
        (json!({"other": 8}), json!({"other": 8, "limit": 20})),
        (json!({"limit": null}), json!({"limit": 20})),
        (json!({"limit": 1}), json!({"limit": 1, "maxChars": 250})),
    ] {
        let mut first = true;
        let ran = Trial::new(READ, step(arguments.clone()))
            .client("claude-code")
            .tools(json!({"read": schema}))
            .run(|_, _| text(if std::mem::take(&mut first) { "x".repeat(60_000) } else { "small".into() }));
        assert_eq!(ran.requests[1].1, first_retry, "{arguments}");
    }
}

#[test]
fn without_a_size_argument_the_saved_file_is_read_or_the_chain_given_up() {
    for (client, size, wanted, spill_reads) in [
        ("claude-code", 60_001, ("met", 1, true), 4),
        ("claude-code", 80_000, ("met", 1, true), 4),
        ("claude-code-legacy", 80_000, ("gave_up", 1, false), 0),
        ("codex", 80_000, ("gave_up", 1, false), 0),
        ("gemini-cli", 40_001, ("met", 1, true), 3),
        ("vscode-copilot", 20_001, ("met", 1, true), 2),
        ("zed", 3_000_000, ("met", 1, true), 0),
    ] {
        let ran = Trial::new(READ, step(json!({}))).client(client).run(|_, _| text("x".repeat(size)));
        assert_eq!(ran.summary(), wanted, "{client}");
        assert_eq!(ran.calls()[0].spill_reads, spill_reads, "{client}");
    }
}

#[test]
fn each_policy_of_suite_and_step() {
    for (suite, of_step, calls, end, spill_reads) in [
        (OnOversized::RetrySmaller, None, 4, "met", 0),
        (OnOversized::ReadSavedFile, None, 2, "met", 12),
        (OnOversized::GiveUp, None, 1, "gave_up", 0),
        (OnOversized::GiveUp, Some("read_saved_file"), 2, "met", 12),
        (OnOversized::ReadSavedFile, Some("give_up"), 1, "gave_up", 0),
        (OnOversized::GiveUp, Some("retry_smaller"), 4, "met", 0),
    ] {
        let mut step = step(json!({"limit": 100}));
        if let Some(policy) = of_step {
            step["on_oversized"] = json!(policy);
        }
        let ran = Trial::new(READ, step)
            .client("claude-code")
            .settings(|settings| settings.on_oversized = suite)
            .run(wide(1_000));
        assert_eq!((ran.calls().len(), ran.end().as_str()), (calls, end), "{suite} {of_step:?}");
        assert_eq!(ran.calls().iter().map(|call| call.spill_reads).sum::<u64>(), spill_reads);
    }
}

#[test]
fn spill_reads_follow_the_chunk() {
    for (chunk, reads) in [(20_000, 3), (60_000, 1), (59_999, 2), (1, 60_000)] {
        let ran = Trial::new(READ, step(json!({})))
            .client("claude-code")
            .settings(|settings| settings.spill_chunk = chunk)
            .run(|_, _| text("x".repeat(60_000)));
        assert_eq!(ran.calls()[0].spill_reads, reads);
    }
}

#[test]
fn a_saved_file_that_was_read_is_visible_again() {
    let steps = json!([
        {"read": "read", "arguments": {"id": "a"}, "need": {"contains": ["needle"]}, "save": {"x": "/id"}},
        {"call": "read", "arguments": {"id": {"$from": "x", "recorded": "r"}}},
    ]);
    for (policy, met, id) in [(OnOversized::ReadSavedFile, true, "s-7"), (OnOversized::GiveUp, false, "r")] {
        let page = json!({"id": "s-7", "text": "x".repeat(60_000) + " needle", "next": null});
        let ran = Trial::new(READ, steps.clone())
            .client("claude-code")
            .settings(|settings| settings.on_oversized = policy)
            .run(|_, _| doc(page.clone()));
        assert_eq!(ran.trace.needs[0].met, met);
        assert_eq!(ran.sent("id")[1], json!(id));
    }
}

#[test]
fn a_first_result_that_was_refused_saves_by_its_retry() {
    let steps = json!([
        {"read": "read", "arguments": {"limit": 2}, "save": {"x": "/limit"}},
        {"call": "read", "arguments": {"id": {"$from": "x", "recorded": 0}}},
    ]);
    let ran = Trial::new(READ, steps).client("claude-code").run(|_, arguments| {
        let limit = number(arguments, "limit", 1);
        doc(json!({"limit": limit, "text": "x".repeat(limit * 30_000)}))
    });
    assert_eq!(ran.sent("id")[2], json!(1));
}

#[test]
fn what_is_left_in_a_cut_view_counts_when_the_chain_is_given_up() {
    let steps = json!([
        {"read": "read", "arguments": {}, "need": {"contains": ["needle"]}, "evidence": ["far end"], "save": {"x": {"pattern": "id (\\d+)"}}},
        {"call": "read", "arguments": {"id": {"$from": "x", "recorded": 0}}},
    ]);
    let page = format!("id 55 needle {} lost {} far end", "x".repeat(90_000), "x".repeat(90_000));
    let ran = Trial::new(READ, steps).client("codex").run(|_, _| text(page.clone()));
    let need = &ran.trace.needs[0];
    assert_eq!((ran.calls()[0].view.as_str(), need.met, need.evidence_seen), ("cut", true, 1));
    assert_eq!(need.chain_end.map(|end| end.as_str()), Some("gave_up"));
    assert_eq!(ran.sent("id")[1], json!(55));
}

#[test]
fn a_cut_document_is_no_document() {
    let page = json!({"next": "c", "text": "x".repeat(60_000)});
    let suite = READ.replace("size = [\"limit\", \"maxChars\"]", "size = []");
    let ran = Trial::new(&suite, step(json!({}))).client("codex").run(|_, _| doc(page.clone()));
    assert_eq!(ran.summary(), ("gave_up", 1, false));
}

#[test]
fn call_steps_are_never_retried() {
    let steps = json!([
        {"call": "read", "arguments": {"limit": 8}, "save": {"x": "/id"}},
        {"call": "read", "arguments": {"id": {"$from": "x", "recorded": "r"}}},
    ]);
    let ran = Trial::new(READ, steps)
        .client("claude-code")
        .run(|_, _| doc(json!({"id": "s", "text": "x".repeat(60_000)})));
    assert_eq!(ran.calls().len(), 2);
    assert!(ran.calls().iter().all(|call| call.spill_reads == 0 && call.oversized_by.len() == 1));
    assert_eq!(ran.sent("id")[1], json!("r"), "a notice shows nothing to save");
}

#[test]
fn under_a_rule_that_counts_pages_the_retry_starts_at_the_same_item() {
    let suite = r#"
[tools.read]
kind = "read"
size = ["per"]
continue = [{ argument = "page", advance = "pages" }]
"#;
    let inferred = "[tools.read]\nkind = 'read'";
    for (suite, properties, arguments, refused_at, retry) in [
        (suite, json!({"page": {}}), json!({"page": 4, "per": 10}), 4, json!({"page": 7, "per": 5})),
        (
            suite,
            json!({"page": {"default": 0}}),
            json!({"page": 3, "per": 10}),
            3,
            json!({"page": 6, "per": 5}),
        ),
        (suite, json!({"page": {}}), json!({"page": 4, "per": 7}), 4, json!({"page": 8, "per": 3})),
        (suite, json!({"page": {}}), json!({"per": 10}), 0, json!({"per": 5})),
        (suite, json!({"page": {}}), json!({"per": 10}), 3, json!({"page": 5, "per": 5})),
        (
            inferred,
            json!({"page": {}, "perPage": {}}),
            json!({"page": 4, "perPage": 10}),
            4,
            json!({"page": 7, "perPage": 5}),
        ),
    ] {
        let step = json!({"read": "read", "arguments": arguments, "need": {"pages": 4}});
        let mut refused = false;
        let ran = Trial::new(suite, step).client("claude-code").tools(json!({"read": properties})).run(
            |_, arguments| {
                let page = number(arguments, "page", 0);
                if page == refused_at && !std::mem::replace(&mut refused, page == refused_at) {
                    return text("x".repeat(60_000));
                }
                text(format!("page {page} of {refused}"))
            },
        );
        let place = ran.calls().iter().position(|call| call.is_shrunk_retry).expect("a retry");
        assert_eq!(ran.requests[place].1, retry, "{arguments}");
    }
}

#[test]
fn a_tool_may_raise_the_limit_for_its_results() {
    let meta = json!({"read": {"inputSchema": {}, "_meta": {"anthropic/maxResultSizeChars": 100_000}}});
    for (client, spilled) in [("claude-code", false), ("claude-code-100k", true)] {
        let ran = Trial::new(READ, step(json!({})))
            .client(client)
            .tools(meta.clone())
            .run(|_, _| text("x".repeat(90_000)));
        assert_eq!(ran.calls()[0].view.as_str() == "spilled", spilled, "{client}");
    }
}

#[test]
fn an_error_over_the_limit_is_an_error() {
    let ran = Trial::new(READ, step(json!({"limit": 8})))
        .client("claude-code")
        .run(|_, _| Say::ToolError("x".repeat(60_000)));
    assert_eq!(ran.summary(), ("error", 1, false));
    assert_eq!(ran.calls()[0].oversized_by.len(), 1);
}
