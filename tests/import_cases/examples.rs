//! The examples: each transcript with the needs, bindings and counts that stand beside it.

use crate::support::{Made, import, texts, transcript};
use serde_json::{Value, json};

fn examples() -> Vec<(String, Made, Value)> {
    let mut files: Vec<_> =
        std::fs::read_dir(transcript("needs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let made = files.iter().map(|file| {
        let expected = std::fs::read(file.with_extension("expect.json")).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        (name, import(&[file], &[]), serde_json::from_slice(&expected).unwrap())
    });
    made.collect()
}

#[test]
fn every_example_gives_what_stands_beside_it() {
    let examples = examples();
    assert_eq!(examples.len(), 7);
    for (name, made, expected) in &examples {
        if let Some(steps) = expected["steps"].as_u64() {
            assert_eq!(made.reads().len() as u64, steps, "{name}");
            assert_eq!(json!(made.reads_made()), expected["reads"], "{name}");
            assert_eq!(json!(made.kinds()), expected["need"], "{name}");
        }
        if let Some(searches) = expected["searches"].as_u64() {
            assert_eq!((made.steps().len() - made.reads().len()) as u64, searches, "{name}");
        }
        let contains: Vec<&str> =
            made.reads().iter().flat_map(|step| texts(&step["need"]["contains"])).collect();
        for wanted in texts(&expected["contains_has"]) {
            assert!(contains.contains(&wanted), "{name}: {contains:?}");
        }
        for unwanted in texts(&expected["contains_not"]) {
            assert!(!made.cases[0].to_string().contains(unwanted), "{name}");
        }
        let bound: Vec<Value> = made.summary["cases"][0]["recordings"][0]["bindings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bound| {
                let step = &made.steps()[bound["step"].as_u64().unwrap() as usize];
                let argument = step["arguments"].pointer(bound["argument"].as_str().unwrap()).unwrap();
                json!([bound["argument"], argument["recorded"], bound["pointer"]])
            })
            .collect();
        assert_eq!(json!(bound), expected.get("bindings").cloned().unwrap_or(json!([])), "{name}");
    }
}

#[test]
fn the_examples_import_as_a_folder_too() {
    let made = import(&[&transcript("needs")], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    // The one that calls no server is none of theirs.
    let ids: Vec<&str> = made.cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert_eq!(made.summary["files"], 7);
    // They share ids of calls, and are no copies of one another.
    assert_eq!(made.summary["repeated_calls"], 0);
}

#[test]
fn the_synthetic_session_has_a_saved_result() {
    let made = import(&[&transcript("synthetic/claude_code.jsonl")], &[]);
    assert_eq!(made.recorded(), [2, 2, 1, 1]);
    let step = &made.summary["cases"][0]["recordings"][0]["steps"][0];
    assert_eq!((&step["spill_reads"], &step["calls"]), (&json!(1), &json!(2)));
    assert_eq!(made.steps()[0]["on_oversized"], "read_saved_file");
    // The page after the first was asked for, and never seen.
    assert_eq!(made.steps()[0]["need"], json!({"pages": 2}));
    let source = &made.recording()["source"];
    assert_eq!(
        [&source["kind"], &source["client_version"], &source["model"], &source["session"]],
        ["claude-code", "2.1.212", "model-x", "s-1"]
    );
    assert!(made.err.contains("1 call without a result"), "{}", made.err);
}

#[test]
fn the_real_session_has_two_tasks_that_call_its_server() {
    let made = import(&[&transcript("entireio-cli/8e_0a64736bc7_0_full.jsonl")], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let recorded: Vec<Value> =
        made.cases.iter().map(|case| case["recordings"][0]["recorded"].clone()).collect();
    let counts = |calls: u64, reads: u64| json!({"calls": calls, "read_calls": reads, "continuation_reads": 0, "oversized": 0});
    // The comment that the user rejected was never made.
    assert_eq!(recorded, [counts(4, 2), counts(3, 2)]);
    let tools = |case: &Value| {
        let steps = case["recordings"][0]["steps"].as_array().unwrap().clone();
        let name = |step: Value| step.get("read").or(step.get("call")).unwrap().as_str().unwrap().to_owned();
        steps.into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(tools(&made.cases[0]), ["get_issue", "list_documents", "create_document", "update_document"]);
    assert_eq!(tools(&made.cases[1]), ["get_document", "get_issue", "search_documentation"]);
    let steps = &made.cases[0]["recordings"][0]["steps"];
    assert_eq!(steps[1]["arguments"]["projectId"]["recorded"], "2eb22709-c7b4-4a11-9270-468079c0739f");
    assert_eq!(steps[0]["save"], json!({"projectId": "/projectId"}));
    let text = made.cases.iter().map(Value::to_string).collect::<String>();
    assert!(!text.contains("/Users/") && !text.contains("@entire"), "{text}");
}
