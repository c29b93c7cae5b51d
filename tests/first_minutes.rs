//! The first minutes with one's own server: `init`, `probe`, `check`, `run`, and what each says when it can't.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::{Said, mcp_regress, said};
use mcp_regress::words::ToolKind;
use std::path::Path;

/// The program that tests run, which is also the server.
const BINARY: &str = env!("CARGO_BIN_EXE_mcp-regress");
const PAGES: [&str; 4] = [BINARY, "fixture", "--scenario", "pages"];

/// A folder to stand in.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With the suite that `init` writes for the server with pages.
    fn with_suite() -> Self {
        let desk = Self::new();
        let said = desk.init(&PAGES);
        assert_eq!(said.code, Some(0), "{}", said.err);
        desk
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn add(&self, name: &str, text: &str) {
        self.write(name, &format!("{}\n{text}", self.read(name)));
    }

    fn say(&self, args: &[&str]) -> Said {
        said(mcp_regress().current_dir(self.path()).args(args))
    }

    fn init(&self, command: &[&str]) -> Said {
        self.say(&[&["init", "--"], command].concat())
    }

    /// Runs and looks at exit code and words, on standard output or standard error.
    #[track_caller]
    fn expect(&self, args: &[&str], code: i32, words: &[&str]) -> Said {
        let said = self.say(args);
        assert_eq!(said.code, Some(code), "{args:?}\n{}\n{}", said.out, said.err);
        for word in words {
            assert!(
                said.out.contains(word) || said.err.contains(word),
                "{args:?}: `{word}` in\n{}\n{}",
                said.out,
                said.err
            );
        }
        said
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn from_a_server_to_a_verdict() {
    let desk = Desk::with_suite();
    desk.expect(&["check"], 4, &["6 tools", "no case", "mcp-regress probe"]);
    desk.expect(
        &["probe", "read_text", r#"{"name": "a"}"#],
        0,
        &[
            "2,067 characters",
            "shown whole",
            r#"`offset` = 2000"#,
            r#"{ argument = "offset", from = "/next/offset" }"#,
        ],
    );
    let case: serde_json::Value = serde_json::from_str(&desk.read("read_text.case.json")).unwrap();
    assert_eq!(case["recordings"][0]["steps"][0]["need"], serde_json::json!({"end": true}));
    desk.expect(&["check"], 0, &["all needs of the suite are `end` or `pages`", "replays it against itself"]);

    desk.expect(&["probe", "start_search", r#"{"query": "x"}"#, "--id", "search/one"], 0, &["a `call` step"]);
    desk.expect(
        &["probe", "read_text", r#"{"name": "b"}"#, "--contains", "a"],
        0,
        &["read_text-2.case.json"],
    );
    let said = desk.expect(
        &["check"],
        0,
        &[
            "3 cases x 2 attempts x 3 sides",
            "may be called: the baseline says readOnlyHint = true",
            "continue: by offset, as the first result that offers more shows (inferred)",
            "tools that no case calls: fetch",
            "nothing would spoil a run",
        ],
    );
    assert!(!said.out.contains("warning"), "{}", said.out);
    desk.expect(&["run"], 0, &["PASS", "nothing changed on these 3 cases"]);
}

#[test]
fn a_new_suite_allows_nothing_and_its_comments_load() {
    let desk = Desk::with_suite();
    let text = desk.read("mcp-regress.toml");
    let as_written = mcp_regress::suite::load(&desk.path().join("mcp-regress.toml")).unwrap();
    assert!(as_written.tools.is_empty() && as_written.rules.is_empty());

    let bare = text.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') => rest,
        _ => line,
    });
    desk.write("bare/mcp-regress.toml", &bare.collect::<Vec<_>>().join("\n"));
    let suite = mcp_regress::suite::load(&desk.path().join("bare/mcp-regress.toml")).unwrap();
    assert_eq!(suite.tools.len(), 6);
    let fetch = &suite.tools["fetch"];
    assert_eq!(fetch.kind, Some(ToolKind::Read));
    assert_eq!(fetch.identity.as_deref(), Some(&["url".to_owned()][..]));
    assert_eq!(fetch.size.as_deref(), Some(&["max_length".to_owned()][..]));
    assert!(fetch.continuation.is_none(), "a rule is not known before a result");
    assert_eq!(suite.tools["start_search"].kind, Some(ToolKind::Other));
}

#[test]
fn init_takes_the_server_of_a_found_definition() {
    let desk = Desk::new();
    let server =
        format!(r#"{{"command": {BINARY:?}, "args": ["fixture", "--scenario", "${{SCENARIO:-pages}}"]}}"#);
    desk.write(".mcp.json", &format!(r#"{{"mcpServers": {{"docs": {server}}}}}"#));
    desk.expect(&["init"], 0, &["6 tools"]);
    let text = desk.read("mcp-regress.toml");
    assert!(text.contains("[server]\nfrom = \".mcp.json\"\n\n"), "{text}");

    let desk = Desk::new();
    desk.write(".mcp.json", &format!(r#"{{"mcpServers": {{"docs": {server}, "other": {server}}}}}"#));
    desk.expect(&["init"], 2, &["2 servers", "--name: one of `docs`, `other`"]);
    desk.expect(&["init", "--name", "dosc"], 2, &["no server `dosc`", "did you mean `docs`?"]);
    assert!(!desk.path().join("mcp-regress.toml").exists());
    desk.expect(&["init", "--name", "docs"], 0, &[]);
    desk.expect(&["probe", "fetch", r#"{"url": "a"}"#], 0, &["start_index"]);
}

#[test]
fn a_suite_elsewhere_starts_the_command_where_it_was_given() {
    let desk = Desk::new();
    desk.write("server.sh", &format!("exec {BINARY} fixture --scenario pages"));
    std::fs::create_dir_all(desk.path().join("tests/bench")).unwrap();
    desk.expect(&["init", "--dir", "tests/bench", "--", "sh", "server.sh"], 0, &["--suite tests/bench"]);
    let text = desk.read("tests/bench/mcp-regress.toml");
    assert!(text.contains("root = \"../..\""), "{text}");
    desk.expect(
        &["probe", "fetch", r#"{"url": "a"}"#, "--suite", "tests/bench"],
        0,
        &["tests/bench/fetch.case.json"],
    );
    desk.expect(&["check", "--suite", "tests/bench"], 0, &["fetch: read"]);
}

#[test]
fn init_serves_a_command_over_http() {
    let desk = Desk::new();
    let command = [BINARY, "fixture", "--scenario", "pages", "--http", "{port}"];
    let args = [&["init", "--url", "http://127.0.0.1:{port}/mcp", "--"], &command[..]].concat();
    desk.expect(&args, 0, &["6 tools"]);
    desk.expect(&["probe", "fetch", r#"{"url": "a"}"#], 0, &["start_index"]);
}

#[test]
fn init_says_what_is_in_the_way() {
    let suite = Desk::with_suite();
    let before = suite.read("mcp-regress.toml");
    let said = suite.init(&PAGES);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("is there already"), "{}", said.err);
    assert_eq!(suite.read("mcp-regress.toml"), before);

    let desk = Desk::new();
    for (args, code, words) in [
        (vec!["init"], 2, vec!["there is no `./.mcp.json`", "mcp-regress init -- COMMAND"]),
        (vec!["init", "--dir", "nowhere", "--", "true"], 2, vec!["no folder `nowhere`"]),
        (vec!["init", "--", "sh", "-c", "echo boom >&2; exit 3"], 3, vec!["exit code 3", "| boom"]),
        (vec!["init", "--", "no-such-program"], 3, vec!["can't start `no-such-program`"]),
        (vec!["init", "--url", "http://127.0.0.1:1/mcp"], 3, vec!["did not start"]),
        (vec!["init", "--url", "http://127.0.0.1:1/", "--header", "none"], 2, vec!["--header is `none`"]),
        (vec!["init", "--env", "=x", "--", "true"], 2, vec!["--env is `=x`"]),
        (
            vec!["init", "--url", "http://a/", "--header", "A: ${UNSET_HERE}"],
            2,
            vec!["`UNSET_HERE` is not set"],
        ),
    ] {
        desk.expect(&args, code, &words);
        assert_eq!(std::fs::read_dir(desk.path()).unwrap().count(), 0, "{args:?} wrote something");
    }
}

#[test]
fn probe_says_what_is_in_the_way() {
    let desk = Desk::with_suite();
    desk.add("mcp-regress.toml", "[tools.fetch]\nreplay = false\n[tools.read_lines]\nkind = \"write\"\n");
    desk.expect(&["probe", "read_text", r#"{"name": "a"}"#, "--id", "taken"], 0, &[]);
    let files = || std::fs::read_dir(desk.path()).unwrap().count();
    let before = files();
    for (args, code, words) in [
        (vec!["read_text", r#"{"name""#], 2, vec!["no JSON", "one JSON object"]),
        (vec!["read_text", "[1]"], 2, vec!["no JSON object"]),
        (vec!["read_texts"], 2, vec!["lists no tool `read_texts`", "did you mean `read_text`?"]),
        (vec!["read_text", r#"{"nam": "a"}"#], 2, vec!["unknown argument `nam`", "no case was written"]),
        (vec!["read_text", "--id", "TAKEN"], 2, vec!["`TAKEN` is taken by `", "taken.case.json`"]),
        (vec!["read_text", "--id", "1st"], 2, vec!["\"1st\"", "begins with a letter"]),
        (vec!["fetch", r#"{"url": "a"}"#], 4, vec!["`replay = false`", "[tools.fetch]\nreplay = true"]),
        (vec!["read_lines", r#"{"path": "a"}"#], 4, vec!["a `write` tool"]),
        (vec!["read_text", "--candidate-cmd", "sh -c 'echo boom >&2'"], 3, vec!["did not start", "| boom"]),
        (vec!["read_text", "--suite", "nowhere"], 2, vec!["no such suite file"]),
        (vec!["read_text", "--client", "nobody"], 2, vec!["`nobody` is not known"]),
    ] {
        desk.expect(&[&["probe"], &args[..]].concat(), code, &words);
        assert_eq!(files(), before, "{args:?} wrote something");
    }
}

#[test]
fn a_side_that_is_slow_to_start_is_told_how_to_get_more_time() {
    let desk = Desk::with_suite();
    let suite = desk.read("mcp-regress.toml");
    desk.write("mcp-regress.toml", &format!("start_timeout_s = 0.2\n{suite}"));
    let said = desk.say(&["probe", "read_text", r#"{"name": "a"}"#, "--candidate-cmd", "sleep 60"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    for words in ["did not start: no answer within 0.2 s", "raise `start_timeout_s`"] {
        assert!(said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn probe_tells_what_the_client_does_with_the_result() {
    let desk = Desk::with_suite();
    desk.add(
        "mcp-regress.toml",
        "[client]\nlimits = [{ layer = \"chars\", unit = \"utf16\", limit = 1000 }]\n\
         [tools.fetch]\ncontinue = [{ argument = \"start_index\", pattern = 'start_index of (\\d+)' }]\n",
    );
    let text = r#"{"url": "a"}"#;
    desk.expect(
        &["probe", "fetch", text],
        0,
        &["not shown whole", "(chars)", "by the declared rule", "start_index of"],
    );
    desk.expect(
        &["probe", "fetch", r#"{"url": "a", "max_length": 12000}"#, "--contains", "no such words"],
        0,
        &["offers no more", "the case's need is met nowhere"],
    );
}

#[test]
fn a_probed_case_lies_where_the_suite_finds_it() {
    let desk = Desk::new();
    let server = format!("format_version = 1\n[server]\ncommand = [{}]\n", quoted(&PAGES));
    let globs = server.replace("[server]", "cases = [\"set/*.case.json\"]\n[server]");
    desk.write("mcp-regress.toml", &globs);
    desk.expect(&["probe", "fetch", r#"{"url": "a"}"#], 0, &["wrote set/fetch.case.json"]);
    desk.expect(&["check"], 0, &["1 (", "fetch: read"]);
    let globs = server.replace("[server]", "cases = [\"one.case.json\"]\n[server]");
    desk.write("mcp-regress.toml", &globs);
    desk.expect(&["probe", "fetch", r#"{"url": "a"}"#], 0, &["no glob", "add `\"fetch.case.json\"`"]);
}

/// Everything that is wrong is named in one pass, whatever else is.
#[test]
fn check_finds_all_at_once() {
    let desk = Desk::new();
    let case = |id: &str, steps: &str| {
        format!(r#"{{"format_version": 1, "id": "{id}", "recordings": [{{"steps": [{steps}]}}]}}"#)
    };
    desk.write(
        "mcp-regress.toml",
        &format!(
            "format_version = 1\ncases = [\"*.case.json\", \"more/*.case.json\"]\n\
             [baseline]\ncommand = [{}]\n[candidate]\ncommand = [\"sh\", \"-c\", \"echo boom >&2\"]\n\
             [tools.list_itemz]\nkind = \"read\"\n\
             [[rule]]\nmetric = \"tool_calls\"\nquestion = \"cases-like-these\"\n",
            quoted(&PAGES)
        ),
    );
    desk.write(
        "a.case.json",
        &case(
            "a",
            r#"{"read": "read_text", "arguments": {"name": "a", "lenght": 5}, "need": {"end": true}}"#,
        ),
    );
    desk.write("b.case.json", &case("b", r#"{"call": "list_itemz"}, {"call": "remove_all"}"#));
    let found = [
        "baseline   mcp-regress-fixture",
        "does not know the argument `lenght`, which is sent all the same; did you mean `length`?; cases: a",
        "the baseline lists no tool `list_itemz`, which cases call; did you mean `list_items`?",
        "the baseline lists no tool `remove_all`",
        "calls of remove_all are skipped on all sides",
        "[tools.remove_all]\nreplay = true",
        "no case file matches `more/*.case.json`",
        "all needs of the suite are `end` or `pages`",
        "the rule on `tool_calls` asks about cases like these with margin 0",
        "the candidate did not start",
        "| boom",
    ];
    let said = desk.expect(&["check"], 3, &found);
    assert!(!said.out.contains("nothing would spoil"), "{}", said.out);

    // A case that does not load comes first, and the sides are looked at all the same.
    desk.write("c.case.json", "{}");
    desk.expect(
        &["check"],
        2,
        &["c.case.json", "baseline   mcp-regress-fixture", "the candidate did not start"],
    );
}

#[test]
fn check_exits_as_a_run_would() {
    let desk = Desk::with_suite();
    desk.expect(&["probe", "fetch", r#"{"url": "a"}"#], 0, &[]);
    desk.expect(&["check", "--cases", "zzz"], 4, &["no case selected of the suite's 1"]);
    desk.expect(
        &["check", "--client", "nobody"],
        2,
        &["`nobody` is not known", "baseline   mcp-regress-fixture"],
    );
    desk.add("mcp-regress.toml", "[tools.fetch]\nreplay = false\n");
    desk.expect(
        &["check"],
        4,
        &["is skipped: the suite says replay = false", "no call of any case may be replayed"],
    );
    desk.expect(&["run"], 4, &["no call of any case may be replayed"]);
    desk.add("mcp-regress.toml", "[[rule]]\nmetric = \"tool_cals\"\n");
    desk.expect(&["check"], 2, &["unknown metric `tool_cals`", "did you mean `tool_calls`?"]);
    desk.expect(&["check", "--suite", "nowhere"], 2, &["no such suite file"]);
    let empty = Desk::new();
    empty.expect(&["check"], 2, &["no suite found", "mcp-regress init"]);
}
