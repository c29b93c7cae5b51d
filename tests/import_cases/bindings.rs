//! Arguments that an earlier result gave the agent.

use crate::support::{Made, Talk};
use serde_json::{Value, json};

const ID: &str = "6f1d2c3b-0a9e-4b7c-8d5f-1e2a3b4c5d6e";

fn bound(made: &Made) -> Vec<String> {
    let bindings = made.summary["cases"][0]["recordings"][0]["bindings"].as_array().unwrap();
    let text = |key: &str, bound: &Value| bound[key].as_str().unwrap().to_owned();
    bindings
        .iter()
        .map(|bound| format!("{} <- {}", text("argument", bound), text("pointer", bound)))
        .collect()
}

/// A search that gives this document, and a call with these arguments.
fn found(document: &Value, arguments: Value) -> Talk {
    Talk::new("Go").did("t1", "mcp__s__search", json!({"query": "q"}), document.to_string()).did(
        "t2",
        "mcp__s__get_thing",
        arguments,
        "{}",
    )
}

#[test]
fn ids_are_bound_and_other_values_are_not() {
    for (document, arguments, wanted) in [
        (json!({"hits": [{"id": ID}]}), json!({"thing": ID}), vec!["/thing <- /hits/0/id"]),
        (json!({"hits": [{"id": ID}]}), json!({"in": {"ids": [ID]}}), vec!["/in/ids/0 <- /hits/0/id"]),
        // Short ids by their names alone.
        (json!({"hits": [{"key": "QX-17"}]}), json!({"key": "QX-17"}), vec!["/key <- /hits/0/key"]),
        (
            json!({"documents": [{"id": 4711}]}),
            json!({"documentId": 4711}),
            vec!["/documentId <- /documents/0/id"],
        ),
        (json!({"documents": [{"id": 4711}]}), json!({"projectId": 4711}), vec![]),
        (json!({"hits": [{"key": "QX-17"}]}), json!({"label": "QX-17"}), vec![]),
        // Never these.
        (json!({"documents": [{"id": 711}]}), json!({"documentId": 711}), vec![]),
        (json!({"state": "in_progress"}), json!({"state": "in_progress"}), vec![]),
        (json!({"open": true}), json!({"open": true}), vec![]),
        (json!({"at": "2026-11-30T21:00:00Z"}), json!({"at": "2026-11-30T21:00:00Z"}), vec![]),
        (json!({"title": "Release 2026 notes"}), json!({"title": "Release 2026 notes"}), vec![]),
        (json!({"next": {"startOffset": 48_000}}), json!({"startOffset": 48_000}), vec![]),
        (json!({"max": 50_000}), json!({"maxLength": 50_000, "limit": 50_000}), vec![]),
        // Part of a leaf is no leaf, and a number is no text.
        (json!({"url": format!("https://x/{ID}")}), json!({"thing": ID}), vec![]),
        (json!({"id": 48_151_623}), json!({"id": "48151623"}), vec![]),
    ] {
        assert_eq!(bound(&found(&document, arguments.clone()).import(&[])), wanted, "{document} {arguments}");
    }
}

#[test]
fn what_the_agent_had_otherwise_is_not_bound() {
    let hit = json!({"hits": [{"id": ID}]}).to_string();
    let then = |talk: Talk| talk.did("t2", "mcp__s__get_thing", json!({"thing": ID}), "{}");
    let search = |talk: Talk| talk.did("t1", "mcp__s__search", json!({"query": "q"}), hit.clone());
    assert_eq!(bound(&then(search(Talk::new("Go"))).import(&[])).len(), 1);
    assert!(bound(&then(search(Talk::new(&format!("Get {ID}")))).import(&[])).is_empty());
    assert!(bound(&then(search(Talk::new("Go").say(&format!("I know {ID}.")))).import(&[])).is_empty());
    let many = (0..6).fold(Talk::new("Go"), |talk, index| {
        talk.did(&format!("s{index}"), "mcp__s__search", json!({"query": index}), hit.clone())
    });
    let made = then(many).import(&[]);
    assert!(bound(&made).is_empty());
    assert_eq!(made.summary["cases"][0]["recordings"][0]["unbound"][0]["why"], "too many results hold it");
}

#[test]
fn the_latest_result_and_the_surest_place_are_taken() {
    let talk = Talk::new("Get the Harbour log")
        .did("t1", "mcp__s__search", json!({"query": "a"}), json!({"id": ID}).to_string())
        .did(
            "t2",
            "mcp__s__search",
            json!({"query": "b"}),
            json!({"hits": [{"id": "other-77-x"}, {"parent": ID}, {"title": "harbour log", "id": ID}]})
                .to_string(),
        )
        .did("t3", "mcp__s__get_thing", json!({"thing": ID}), "{}");
    let made = talk.import(&[]);
    assert_eq!(bound(&made), ["/thing <- /hits/2/id"]);
    let step = &made.steps()[2];
    assert_eq!(step["arguments"]["thing"], json!({"$from": "thing", "recorded": ID}));
    assert_eq!(made.steps()[1]["save"], json!({"thing": "/hits/2/id"}));
}

#[test]
fn a_value_of_a_later_page_cannot_be_saved_and_is_named() {
    let talk = Talk::new("Go")
        .read("t1", None, "one", Some(8000))
        .did(
            "t2",
            "mcp__docs__read_document",
            json!({"documentId": "doc-a", "limit": 3, "startOffset": 8000}),
            json!({"text": "two", "ref": ID, "next": null}).to_string(),
        )
        .did("t3", "mcp__docs__get_thing", json!({"thing": ID}), "{}");
    let made = talk.import(&[]);
    assert!(bound(&made).is_empty());
    let unbound = &made.summary["cases"][0]["recordings"][0]["unbound"][0];
    assert_eq!(unbound["argument"], "/thing");
}

#[test]
fn names_are_told_apart() {
    let other = "7a1d2c3b-0a9e-4b7c-8d5f-1e2a3b4c5d6e";
    let talk = Talk::new("Go")
        .did(
            "t1",
            "mcp__s__search",
            json!({"query": "q"}),
            json!({"hits": [{"id": ID}, {"id": other}]}).to_string(),
        )
        .did("t2", "mcp__s__get_thing", json!({"id": ID}), "{}")
        .did("t3", "mcp__s__get_thing", json!({"id": other}), "{}");
    let made = talk.import(&[]);
    assert_eq!(made.steps()[0]["save"], json!({"id": "/hits/0/id", "id_2": "/hits/1/id"}));
    assert_eq!(made.steps()[2]["arguments"]["id"]["$from"], "id_2");
}
