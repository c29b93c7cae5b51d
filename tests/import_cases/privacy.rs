//! What a case holds of a private transcript.

use crate::support::{Talk, filler, texts};
use serde_json::json;

#[test]
fn arguments_are_redacted_and_it_is_said() {
    let made = Talk::new("Go")
        .did(
            "t1",
            "mcp__s__search",
            json!({"path": "/Users/alex/work/a.md", "who": "ann@example.org", "token": "abc", "n": 3,
                "note": "key sk-abcdefghijklmnop1234 and more"}),
            "[]",
        )
        .import(&[]);
    assert_eq!(
        made.steps()[0]["arguments"],
        json!({"path": "~/work/a.md", "who": "[redacted e-mail]", "token": "[redacted secret]", "n": 3,
            "note": "key [redacted key] and more"})
    );
    assert_eq!(made.summary["cases"][0]["recordings"][0]["redacted_arguments"], 4);
    assert_eq!(made.recording()["source"]["redaction"], "default/1");
}

#[test]
fn a_passage_that_holds_a_secret_is_none() {
    let secret = "ghp_0123456789abcdefghij0123456789";
    let talk =
        Talk::new("Go").walk(["", "", &format!("token {secret} here")]).say(&format!("It is {secret}."));
    let made = talk.import(&[]);
    assert_eq!(made.kinds(), ["last"]);
    assert!(!made.cases[0].to_string().contains(secret));
}

#[test]
fn prompts_and_words_stay_out_unless_asked_for() {
    let talk = Talk::new("What did ann@example.org write?")
        .walk(["", "", "see tideTableLoader"])
        .say("tideTableLoader");
    let made = talk.import(&[]);
    let text = made.cases[0].to_string();
    for word in ["What did", "rowan", "sage"] {
        assert!(!text.contains(word), "{word}");
    }
    assert_eq!(talk.import(&["--keep-text"]).cases[0]["question"], "What did [redacted e-mail] write?");
}

#[test]
fn without_passages_fingerprints_stand_for_them() {
    let talk = Talk::new("Go")
        .walk([&format!("{} moorLine_7", filler(3)), "", "see tideTableLoader there"])
        .say("tideTableLoader and moorLine_7");
    let made = talk.import(&["--no-passages"]);
    let step = made.reads()[0];
    assert_eq!((&step["need_kind"], step.get("evidence")), (&json!("used"), None));
    assert!(step["need"]["coverage"]["at_least"].as_f64().unwrap() <= 0.95);
    let text = made.cases[0].to_string();
    assert!(!text.contains("tideTable") && !text.contains("moorLine"));
}

#[test]
fn passages_are_short() {
    let long = "the harbour master wrote that the dredging of the northern basin must wait for spring tides and calm";
    let made = Talk::new("Go").walk(["", "", long]).say(long).import(&[]);
    let passages = texts(&made.reads()[0]["need"]["contains"]);
    assert!(
        !passages.is_empty() && passages.iter().all(|text| text.split(' ').count() <= 12),
        "{passages:?}"
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let made = Talk::new("Go").read("t1", None, "x", None).import(&["--dry-run"]);
    assert!(made.cases.is_empty());
    assert_eq!(made.summary["cases"].as_array().unwrap().len(), 1);
    assert!(!made.dir.path().join("out").exists());
}
