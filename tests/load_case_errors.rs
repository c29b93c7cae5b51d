//! Every wrong key, type, range and combination of a case file is one clear message with its place.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up fails")]

use mcp_regress::case::{self, Case, Selection};
use mcp_regress::suite::{self, Suite};
use mcp_regress::words::Split;
use proptest::prelude::*;
use std::path::Path;

/// A suite in a folder of its own that holds these files.
fn suite_of(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Suite) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mcp-regress.toml"), "format_version = 1").unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let suite = suite::load(dir.path()).unwrap();
    (dir, suite)
}

fn messages(files: &[(&str, &[u8])]) -> String {
    let (dir, suite) = suite_of(files);
    match case::load(&suite) {
        Ok(cases) => panic!("loads: {cases:?}"),
        Err(problems) => problems.to_string().replace(&format!("{}/", dir.path().display()), ""),
    }
}

fn check(table: &[(String, &str)]) {
    for (text, wanted) in table {
        let found = messages(&[("F.case.json", text.as_bytes())]).replace("F.case.json", "F");
        assert_eq!(found, *wanted, "\n--- of\n{text}\n");
    }
}

/// A case whose keys after the version are in line 2.
fn with_keys(keys: &str) -> String {
    format!("{{\"format_version\": 1,\n{keys}}}")
}

/// A case whose one step is in line 2.
fn with_step(step: &str) -> String {
    format!("{{\"format_version\": 1, \"id\": \"a\", \"recordings\": [{{\"steps\": [\n{step}]}}]}}")
}

const RECORDINGS: &str = "\"recordings\": [{\"steps\": [{\"call\": \"x\"}]}]";

#[test]
fn keys_of_the_case() {
    let id = |id: &str| with_keys(&format!("\"id\": {id}, {RECORDINGS}"));
    let with_id = |keys: &str| with_keys(&format!("{keys}, \"id\": \"a\", {RECORDINGS}"));
    const IDS: &str =
        "an id of letters, digits, `_` and `-`, in parts joined by `.` or `/`, that begins with a letter";
    let long = format!("\"{}\"", "a".repeat(201));
    let bad_id = |shown: &str| format!("F:2:7: /id: {shown}; expected {IDS}");
    check(&[
        (
            "{}".to_owned(),
            "F:1:1: key `format_version` is missing; expected `1`\n\
             F:1:1: key `id` is missing; expected the id of the case\n\
             F:1:1: key `recordings` is missing; expected a list of recordings",
        ),
        (
            format!("{{\"format_version\": 2, \"id\": \"a\", {RECORDINGS}}}"),
            "F:1:20: /format_version: the number 2; expected `1`",
        ),
        ("[]".to_owned(), "F:1:1: a list; expected an object"),
        (
            with_id("\"tag\": []"),
            "F:2:1: /tag: unknown key `tag`; expected one of `format_version`, `id`, `split`, `cluster`, `tags`, \
             `question`, `gold`, `recordings`; did you mean `tags`?",
        ),
        (id("\"1a\""), &bad_id("the text \"1a\"")),
        (id("\"a//b\""), &bad_id("the text \"a//b\"")),
        (id("\"a b\""), &bad_id("the text \"a b\"")),
        (id("5"), "F:2:7: /id: the number 5; expected a text"),
        (id(&long), "F:2:7: /id: an id of 201 bytes; expected at most 200"),
        (
            id("\"NaN\""),
            "F:2:7: /id: the text \"NaN\"; expected an id other than `NA`, `NaN`, `null`, `true`, `false`; tables \
             that hold it would be read wrongly",
        ),
        (
            with_id("\"split\": \"train\""),
            "F:2:10: /split: the text \"train\"; expected one of `dev`, `test`",
        ),
        (with_id("\"cluster\": null"), "F:2:12: /cluster: `null`; expected a text"),
        (
            with_id("\"a\\n::error\": 1"),
            "F:2:1: /a\\n::error: unknown key `a\\n::error`; expected one of `format_version`, `id`, `split`, \
             `cluster`, `tags`, `question`, `gold`, `recordings`",
        ),
        (with_id("\"tags\": [\"\"]"), "F:2:10: /tags/0: the text \"\"; expected a text that is not empty"),
        (with_id("\"question\": {}"), "F:2:13: /question: an object; expected a text"),
        (
            with_keys("\"id\": \"a\", \"recordings\": []"),
            "F:2:26: /recordings: an empty list; expected at least 1",
        ),
        (
            with_keys("\"id\": \"a\", \"recordings\": [{\"step\": [], \"source\": 3, \"id\": \"\"}]"),
            "F:2:27: /recordings/0: key `steps` is missing; expected a list of steps\n\
             F:2:28: /recordings/0/step: unknown key `step`; expected one of `id`, `source`, `recorded`, `steps`; \
             did you mean `steps`?\n\
             F:2:50: /recordings/0/source: the number 3; expected an object\n\
             F:2:59: /recordings/0/id: the text \"\"; expected a text that is not empty",
        ),
        (
            with_keys("\"id\": \"a\", \"recordings\": [{\"steps\": []}]"),
            "F:2:37: /recordings/0/steps: an empty list; expected at least 1",
        ),
        (
            with_keys(
                "\"id\": \"a\", \"recordings\": [{\"steps\": [{\"call\": \"x\"}], \"recorded\": {\"reads\": 1, \"calls\": -1}}]",
            ),
            "F:2:67: /recordings/0/recorded/reads: unknown key `reads`; expected one of `calls`, `read_calls`, \
             `continuation_reads`, `oversized`\n\
             F:2:88: /recordings/0/recorded/calls: the number -1; expected a whole number of at least 0",
        ),
        (
            with_keys(
                "\"id\": \"a\", \"recordings\": [{\"steps\": [{\"call\": \"x\"}]},\n\
                 {\"id\": \"r1\", \"steps\": [{\"call\": \"x\"}]}]",
            ),
            "F:3:1: /recordings/1: the recording id `r1` is taken by recording 1; expected each id once in a case",
        ),
    ]);
}

#[test]
fn steps() {
    check(&[
        (
            with_step("{}"),
            "F:2:1: /recordings/0/steps/0: an object without any of these keys; expected exactly one of `call`, `read`",
        ),
        (
            with_step("{\"call\": \"x\", \"read\": \"y\"}"),
            "F:2:15: /recordings/0/steps/0/read: `read` beside `call`; expected exactly one of `call`, `read`",
        ),
        (
            with_step("{\"call\": \"\"}"),
            "F:2:10: /recordings/0/steps/0/call: the text \"\"; expected a text that is not empty",
        ),
        (
            with_step("{\"call\": \"x\", \"args\": {}}"),
            "F:2:15: /recordings/0/steps/0/args: unknown key `args`; expected one of `call`, `read`, `arguments`, \
             `save`, `need`, `evidence`, `need_kind`, `on_oversized`",
        ),
        (
            with_step("{\"call\": \"x\", \"arguments\": []}"),
            "F:2:28: /recordings/0/steps/0/arguments: a list; expected an object",
        ),
        (
            with_step(
                "{\"call\": \"x\", \"need\": {\"end\": true}, \"evidence\": [], \"need_kind\": \"end\"}",
            ),
            "F:2:15: /recordings/0/steps/0/need: `need` in a `call` step: only a `read` step has one\n\
             F:2:38: /recordings/0/steps/0/evidence: `evidence` in a `call` step: only a `read` step has one\n\
             F:2:54: /recordings/0/steps/0/need_kind: `need_kind` in a `call` step: only a `read` step has one",
        ),
        (
            with_step("{\"read\": \"x\", \"need_kind\": \"uses\", \"on_oversized\": \"retry\"}"),
            "F:2:28: /recordings/0/steps/0/need_kind: the text \"uses\"; expected one of `used`, `end`, `last`, \
             `all`, `written`; did you mean `used`?\n\
             F:2:52: /recordings/0/steps/0/on_oversized: the text \"retry\"; expected one of `retry_smaller`, \
             `read_saved_file`, `give_up`",
        ),
        (
            with_step(
                "{\"read\": \"x\", \"save\": {\"a\": \"b\", \"c\": {\"pattern\": \"d\"}, \"e\": 1, \"\": \"/f\"}}",
            ),
            "F:2:29: /recordings/0/steps/0/save/a: the text \"b\"; expected a JSON Pointer; it is empty or begins \
             with `/`, with `~0` for `~` and `~1` for `/`\n\
             F:2:51: /recordings/0/steps/0/save/c/pattern: the pattern \"d\" has no group; expected a group \
             `(...)`: group 1 is the value\n\
             F:2:62: /recordings/0/steps/0/save/e: the number 1; expected a JSON Pointer or `{\"pattern\": \"regex\"}`\n\
             F:2:69: /recordings/0/steps/0/save/: an empty name; expected a name to save under",
        ),
        (
            with_step("{\"read\": \"x\", \"evidence\": \"text\"}"),
            "F:2:27: /recordings/0/steps/0/evidence: the text \"text\"; expected a list of texts",
        ),
    ]);
}

#[test]
fn bindings() {
    let two =
        |second: &str| with_step(&format!("{{\"call\": \"x\", \"save\": {{\"doc\": \"/id\"}}}},\n{second}"));
    const AT: &str = "/recordings/0/steps/1/arguments";
    let expect = |text: &str, wanted: &str| check(&[(text.to_owned(), &wanted.replace("AT", AT))]);
    expect(
        &two("{\"call\": \"y\", \"arguments\": {\"a\": [{\"$from\": \"dok\", \"recorded\": 1}]}}"),
        "F:3:45: AT/a/0/$from: `dok` is saved by no earlier step; expected `doc`, which earlier steps of this \
         recording save; did you mean `doc`?",
    );
    expect(
        &two("{\"call\": \"y\", \"arguments\": {\"a\": {\"$from\": \"doc\"}}}"),
        "F:3:34: AT/a: key `recorded` is missing; expected the value that was recorded",
    );
    expect(
        &two(
            "{\"call\": \"y\", \"arguments\": {\"a\": {\"$from\": \"doc\", \"recorded\": 1, \"default\": 2}}}",
        ),
        "F:3:66: AT/a/default: unknown key `default`; expected one of `$from`, `recorded`",
    );
    expect(
        &two("{\"call\": \"y\", \"arguments\": {\"$from\": \"doc\", \"recorded\": {}}}"),
        "F:3:28: AT: a binding in place of all arguments; expected an object of arguments; bind single arguments, or \
         parts of them",
    );
    expect(
        &with_step(
            "{\"call\": \"y\", \"save\": {\"s\": \"/s\"}, \"arguments\": {\"a\": {\"$from\": \"s\", \"recorded\": 1}}}",
        ),
        "F:2:65: /recordings/0/steps/0/arguments/a/$from: `s` is saved by no earlier step; expected a name that an \
         earlier step of this recording saves, and none does",
    );
    expect(
        &with_step("{\"call\": \"y\", \"arguments\": {\"a\": 1e999}}"),
        "F:2:34: /recordings/0/steps/0/arguments/a: the number 1e999, which is out of range; expected a number that \
         a double can hold",
    );
}

#[test]
fn needs() {
    let needs: &[(&str, &str)] = &[
        (
            "{}",
            "23: : a need without a part; expected one of `contains`, `coverage`, `reach`, `items`, `end`, `pages`; \
             leave `need` out to read one page",
        ),
        (
            "{\"contain\": [\"x\"]}",
            "24: /contain: unknown key `contain`; expected one of `contains`, `coverage`, `reach`, `items`, `end`, \
             `pages`; did you mean `contains`?",
        ),
        ("{\"contains\": \"x\"}", "36: /contains: the text \"x\"; expected a list of texts"),
        ("{\"contains\": []}", "36: /contains: an empty list; expected at least 1"),
        ("{\"contains\": [\" \"]}", "37: /contains/0: the text \" \"; expected a text that is not empty"),
        ("{\"end\": false}", "31: /end: `false`; expected `true`; leave the key out instead"),
        ("{\"pages\": 0}", "33: /pages: the number 0; expected a whole number of at least 1"),
        ("{\"pages\": 1.5}", "33: /pages: the number 1.5; expected a whole number of at least 1"),
        (
            "{\"reach\": {\"pointer\": \"/a\"}}",
            "33: /reach: a `reach` without a limit; expected `at_least`, `at_most` or both",
        ),
        (
            "{\"reach\": {\"at_least\": 2, \"at_most\": 1, \"pointer\": \"a\"}}",
            "33: /reach: `at_least` 2 over `at_most` 1: nothing can hold\n\
             74: /reach/pointer: the text \"a\"; expected a JSON Pointer; it is empty or begins with `/`, with `~0` \
             for `~` and `~1` for `/`",
        ),
        (
            "{\"items\": {\"pointer\": \"/a\", \"at_least\": \"4\"}}",
            "63: /items/at_least: the text \"4\"; expected a whole number of at least 1",
        ),
        (
            "{\"coverage\": {\"at_least\": 0.96, \"fingerprints\": {\"v\": 2, \"data\": \"AAAA\"}}}",
            "49: /coverage/at_least: the number 0.96; expected a share over 0 and at most 0.95\n\
             77: /coverage/fingerprints/v: the number 2; expected `1`\n\
             88: /coverage/fingerprints/data: 3 bytes, which is no multiple of 8; expected base64 of 8-byte \
             big-endian values, ascending, each once",
        ),
        (
            "{\"coverage\": {\"at_least\": 0.5, \"fingerprints\": {\"v\": 1, \"data\": \"AAAAAAAAAAIAAAAAAAAAAg==\"}}}",
            "87: /coverage/fingerprints/data: fingerprint 2 is not above the one before it; expected base64 of \
             8-byte big-endian values, ascending, each once",
        ),
        (
            "{\"coverage\": {\"fingerprints\": {\"v\": 1}}}",
            "36: /coverage: key `at_least` is missing; expected a share over 0 and at most 0.95\n\
             53: /coverage/fingerprints: key `data` is missing; expected base64 of 8-byte values",
        ),
    ];
    for (need, wanted) in needs {
        let text = with_step(&format!("{{\"read\": \"x\", \"need\": {need}}}"));
        let wanted: Vec<String> = wanted
            .lines()
            .map(|line| {
                let (column, rest) = line.split_once(": ").unwrap();
                format!("F:2:{column}: /recordings/0/steps/0/need{rest}")
            })
            .collect();
        check(&[(text, &wanted.join("\n"))]);
    }
}

#[test]
fn the_text_itself() {
    for (bytes, wanted) in [
        (&b""[..], "F:1:1: no JSON: the text ends too early (EOF while parsing a value)"),
        (b"{\"id\": \"a\",\n \"x\"", "F:2:4: no JSON: the text ends too early (EOF while parsing an object)"),
        (
            b"{\"id\": \"a\",}",
            "F:1:12: no JSON: a key in double quotes is wanted here (and no comma stands before `}`)",
        ),
        (b"{\"id\": \"a\"} x", "F:1:13: no JSON: trailing characters"),
        (b"// a case\n{}", "F:1:1: no JSON: expected value"),
        (b"{\"a\": \"\xff\"}", "F:1:8: byte 0xff is no UTF-8; expected UTF-8"),
        (
            b"{\"a\": \"\\ud800\"}",
            "F:1:8: no JSON: invalid unicode escape sequence. 'd800 (unpaired high surrogate)' is not a valid utf8 character",
        ),
    ] {
        let found = messages(&[("F.case.json", bytes)]).replace("F.case.json", "F");
        assert_eq!(found, wanted, "{:?}", String::from_utf8_lossy(bytes));
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(
        messages(&[("F.case.json", deep.as_bytes())]),
        "F.case.json:1:517: no JSON: maximum nesting depth exceeded"
    );
    let nested = format!("{}{}", "[".repeat(480), "]".repeat(480));
    let text = with_step(&format!("{{\"call\": \"x\", \"arguments\": {{\"a\": {nested}}}}}"));
    let (_dir, suite) = suite_of(&[("a.case.json", text.as_bytes())]);
    let cases = case::load(&suite).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(cases[0].recordings[0].steps.read()[0].arguments["a"].to_string(), nested);
    assert!(
        messages(&[(
            "F.case.json",
            with_keys(&format!("\"id\": \"a\", \"id\": \"b\", {RECORDINGS}")).as_bytes()
        )])
        .starts_with("F.case.json:2:12: /id: key `id` is there twice; expected each key once")
    );
}

#[test]
fn all_files_in_one_go_and_lines_by_number() {
    let good = |id: &str| with_keys(&format!("\"id\": \"{id}\", {RECORDINGS}")).replace('\n', " ");
    let lines = format!("{}\n\n{}\nnot json\n{}", good("b"), good("A/x"), good("c").replace("call", "cal"));
    assert_eq!(
        messages(&[
            ("a.case.json", good("a/X").as_bytes()),
            ("b.cases.jsonl", lines.as_bytes()),
            ("sub/c.case.json", b"[]"),
        ]),
        "b.cases.jsonl:3:29: /id: the id `A/x` is taken: `a/X` stands in a.case.json:1; expected each id once in a \
         suite, also when case is ignored\n\
         b.cases.jsonl:4:2: no JSON: a word other than `true`, `false`, `null`\n\
         b.cases.jsonl:5:60: /recordings/0/steps/0: an object without any of these keys; expected exactly one of \
         `call`, `read`\n\
         b.cases.jsonl:5:61: /recordings/0/steps/0/cal: unknown key `cal`; expected one of `call`, `read`, \
         `arguments`, `save`, `need`, `evidence`, `need_kind`, `on_oversized`; did you mean `call`?\n\
         sub/c.case.json:1:1: a list; expected an object"
    );
}

#[test]
fn a_folder_that_looks_like_a_case_is_passed_over() {
    let (dir, suite) = suite_of(&[("a.case.json", with_step("{\"call\": \"x\"}").as_bytes())]);
    std::fs::create_dir(dir.path().join("b.case.json")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("nowhere"), dir.path().join("c.txt")).unwrap();
    assert_eq!(case::load(&suite).unwrap().len(), 1);
    std::os::unix::fs::symlink(dir.path().join("nowhere"), dir.path().join("c.case.json")).unwrap();
    let message = case::load(&suite).unwrap_err().to_string();
    assert!(message.ends_with("/c.case.json: no such file"), "{message}");
}

fn select(selection: &Selection) -> Vec<String> {
    let case = |id: &str, more: &str| {
        with_keys(&format!("\"id\": \"{id}\", {more} {RECORDINGS}")).replace('\n', " ")
    };
    let lines = [
        case("docs/a", "\"split\": \"dev\", \"tags\": [\"x\"],"),
        case("docs/b", "\"split\": \"test\", \"tags\": [\"x\", \"y\"],"),
        case("threads/a", "\"split\": \"dev\","),
    ]
    .join("\n");
    let (_dir, suite) = suite_of(&[("a.cases.jsonl", lines.as_bytes())]);
    let cases: Vec<Case> = case::load(&suite).unwrap();
    let chosen = case::select(cases, selection).unwrap();
    chosen.into_iter().map(|case| case.id).collect()
}

#[test]
fn cases_are_selected_by_id_split_and_tag() {
    let all = Selection::default();
    let ids = |globs: &[&str]| Selection {
        ids: globs.iter().map(|glob| (*glob).to_owned()).collect(),
        ..all.clone()
    };
    let tags =
        |tags: &[&str]| Selection { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..all.clone() };
    assert_eq!(select(&all), ["docs/a", "docs/b", "threads/a"]);
    assert_eq!(select(&ids(&["*a"])), ["docs/a", "threads/a"]);
    assert_eq!(select(&ids(&["docs/*", "threads/a"])), ["docs/a", "docs/b", "threads/a"]);
    assert_eq!(select(&ids(&["a"])), [] as [&str; 0]);
    assert_eq!(select(&Selection { split: Some(Split::Dev), ..tags(&["x"]) }), ["docs/a"]);
    assert_eq!(select(&tags(&["y", "x"])), ["docs/a", "docs/b"]);
    let error = case::select(Vec::new(), &ids(&["["])).unwrap_err();
    assert_eq!(error.to_string(), "`[` is no glob: unclosed character class; missing ']'");
}

/// Pieces of cases and suites, so that random texts get past the notation.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\n",
            "=",
            ".",
            "1",
            "-1",
            "0.5",
            "true",
            "null",
            "é",
            "\u{feff}",
            "[[rule]]",
            "[tools.x]",
            "\"id\"",
            "\"a\"",
            "\"recordings\"",
            "\"steps\"",
            "\"read\"",
            "\"need\"",
            "\"$from\"",
            "format_version",
            "metric",
            "continue",
            "cases",
            "${",
            "'",
            "#",
            "//",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ]
}

/// Any JSON, with keys of the format.
fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(vec!["a", "/a", "", "x", "(", "(a)", "AAAA"]).prop_map(Value::from),
    ];
    let key = proptest::sample::select(vec![
        "format_version",
        "id",
        "split",
        "cluster",
        "tags",
        "question",
        "gold",
        "recordings",
        "steps",
        "recorded",
        "source",
        "call",
        "read",
        "arguments",
        "save",
        "need",
        "evidence",
        "need_kind",
        "on_oversized",
        "contains",
        "coverage",
        "reach",
        "items",
        "end",
        "pages",
        "pointer",
        "at_least",
        "at_most",
        "fingerprints",
        "v",
        "data",
        "$from",
        "pattern",
        "~/",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..6).prop_map(|entries| entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

/// Loads `bytes` as a case, as a line and as a suite: an answer or problems, never a panic, and every problem
/// names its file.
fn survives(bytes: &[u8]) {
    let (dir, suite) = suite_of(&[("a.case.json", bytes), ("b.cases.jsonl", bytes)]);
    if let Err(problems) = case::load(&suite) {
        assert!(
            !problems.0.is_empty() && problems.0.iter().all(|problem| problem.file.starts_with(dir.path()))
        );
    }
    let file = dir.path().join("x.toml");
    std::fs::write(&file, bytes).unwrap();
    if let Err(problems) = suite::load(&file) {
        assert!(!problems.0.is_empty() && !problems.to_string().is_empty());
    }
    let _ = suite::definitions::read(&file, Path::new("x"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn no_text_panics(pieces in proptest::collection::vec(piece(), 0..40)) {
        survives(pieces.concat().as_bytes());
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        survives(&bytes);
    }

    #[test]
    fn no_json_panics(value in json()) {
        survives(value.to_string().as_bytes());
    }

    #[test]
    fn no_changed_case_panics(at in 0usize..900, piece in piece(), cut in 0usize..4) {
        let mut text = std::fs::read_to_string("tests/data/cases/b.cases.jsonl").unwrap();
        let at = text.floor_char_boundary(at.min(text.len()));
        let end = text.floor_char_boundary((at + cut).min(text.len()));
        text.replace_range(at..end, &piece);
        survives(text.as_bytes());
    }
}
