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

/// Everything that an import wrote, with the names of its files.
fn written(dir: &std::path::Path) -> String {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| format!("{}\n{}\n", path.display(), std::fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn nothing_that_is_written_holds_a_secret() {
    const SECRETS: [&str; 9] = [
        "hunter-twenty-2",
        "ghp_0123456789abcdefghij0123456789",
        "sk-ant-api03-abcdefghijklmnop0123",
        "AKIAIOSFODNN7EXAMPLE",
        "ann.smith@example.org",
        "ann-smith",
        "quarrington",
        "eyJhbGciOiJIUzI1NiJ9",
        "s3cr3t-value-77",
    ];
    let page = |rest: &str| {
        format!(
            "see tideTableLoader ghp_0123456789abcdefghij0123456789 of ann.smith@example.org \
             in /Users/quarrington/notes/moorLine_7.md, C:\\\\Users\\\\quarrington\\\\x, AKIAIOSFODNN7EXAMPLE {rest}"
        )
    };
    let input = json!({
        "path": "/home/quarrington/plan.md",
        "project": "/var/p/-Users-quarrington-work/a.jsonl",
        "who": {"ann.smith@example.org": true},
        "headers": {"Authorization": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"},
        "url": "https://bot:hunter-twenty-2@example.org/x",
        "password": "s3cr3t-value-77",
        "text": "use sk-ant-api03-abcdefghijklmnop0123 now",
    });
    let result = json!({"ann.smith@example.org": {"id": "6f1d2c3b-0a9e-4b7c"}}).to_string();
    let talk = Talk::new("Mail ann.smith@example.org about /Users/quarrington/notes")
        .did("t1", "mcp__docs__search", input, result)
        .did("t2", "mcp__docs__get_thing", json!({"id": "6f1d2c3b-0a9e-4b7c"}), "{}")
        .walk([&page("one"), &page("two"), &page("three moorDepth_9")])
        .say("tideTableLoader of ann.smith@example.org, moorDepth_9, ghp_0123456789abcdefghij0123456789")
        .did("t3", "mcp__docs__read_document", json!({"documentId": "AKIAIOSFODNN7EXAMPLE"}), "{}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ann.smith@example.org.jsonl");
    std::fs::write(&file, talk.text()).unwrap();
    for flags in [&[][..], &["--keep-text"], &["--no-passages"], &["--need", "all"], &["--explain"]] {
        let made = crate::support::import(&[&file], flags);
        assert_eq!(made.code, Some(0), "{}", made.err);
        let text = written(&made.dir.path().join("out")) + &made.summary["cases"].to_string();
        for secret in SECRETS {
            assert!(!text.contains(secret), "{flags:?}: {secret} in {text}");
        }
        assert!(made.kinds().contains(&"used") || flags.contains(&"--need"), "{:?}", made.kinds());
    }
    // A person's table of the same shows none either.
    let mut command = crate::cli::mcp_regress();
    let told = crate::cli::said(command.arg("import").arg(&file).args(["--dry-run", "--explain"]));
    for secret in SECRETS {
        assert!(!told.out.contains(secret), "{secret} in {}", told.out);
    }
}
