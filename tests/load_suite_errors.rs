//! Every wrong key, type, range and combination of a suite file is one clear message with its place.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up fails")]

use mcp_regress::suite;
use std::path::Path;

/// The messages of a suite file, without its folder.
fn messages(text: &[u8]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mcp-regress.toml");
    std::fs::write(&file, text).unwrap();
    let folder = format!("{}/mcp-regress.toml", dir.path().display());
    match suite::load(&file) {
        Ok(suite) => panic!("loads: {suite:?}"),
        Err(problems) => problems.0.iter().map(|problem| problem.to_string().replace(&folder, "F")).collect(),
    }
}

/// Each text stands below `format_version = 1`, so that it begins in line 2.
fn check(table: &[(&str, &str)]) {
    for (text, wanted) in table {
        let found = messages(format!("format_version = 1\n{text}").as_bytes()).join("\n");
        assert_eq!(found, *wanted, "\n--- of\n{text}\n");
    }
}

#[test]
fn keys_of_the_suite() {
    check(&[
        (
            "attempt = 4",
            "F:2:1: attempt: unknown key `attempt`; expected one of `format_version`, `cases`, `attempts`, \
             `same_code`, `seed`, `on_oversized`, `spill_chunk`, `restart`, `max_pages`, `start_timeout_s`, \
             `call_timeout_s`, `client`, `server`, `baseline`, `candidate`, `service`, `tools`, `rule`; did you \
             mean `attempts`?",
        ),
        ("attempts = 0", "F:2:12: attempts: the number 0; expected a whole number from 1 to 100000"),
        ("attempts = \"4\"", "F:2:12: attempts: the text \"4\"; expected a whole number from 1 to 100000"),
        ("attempts = 4.0", "F:2:12: attempts: the number 4.0; expected a whole number from 1 to 100000"),
        ("same_code = -1", "F:2:13: same_code: the number -1; expected a whole number from 0 to 1000"),
        ("seed = -7", "F:2:8: seed: the number -7; expected a whole number of at least 0"),
        ("seed = 2026-11-08", "F:2:8: seed: the date 2026-11-08; expected a whole number of at least 0"),
        (
            "on_oversized = \"retry\"",
            "F:2:16: on_oversized: the text \"retry\"; expected one of `retry_smaller`, `read_saved_file`, `give_up`",
        ),
        ("spill_chunk = 0", "F:2:15: spill_chunk: the number 0; expected a whole number of at least 1"),
        (
            "restart = \"cases\"",
            "F:2:11: restart: the text \"cases\"; expected one of `worker`, `case`, `attempt`; did you mean `case`?",
        ),
        ("max_pages = 0", "F:2:13: max_pages: the number 0; expected a whole number from 1 to 4294967295"),
        (
            "start_timeout_s = 0",
            "F:2:19: start_timeout_s: the number 0; expected a number of seconds over 0, at most 86400",
        ),
        (
            "call_timeout_s = inf",
            "F:2:18: call_timeout_s: the number inf, which is not finite; expected a number of seconds over 0, at \
             most 86400",
        ),
        ("cases = \"*.json\"", "F:2:9: cases: the text \"*.json\"; expected a list of globs"),
        ("cases = []", "F:2:9: cases: an empty list; expected at least 1"),
        (
            "cases = [\"a\", \"[\", \"/x\", \"../y\", 1]",
            "F:2:15: cases[1]: `[` is no glob: unclosed character class; missing ']'\n\
             F:2:20: cases[2]: the text \"/x\"; expected a glob relative to the suite file's folder; case files lie in \
             the suite file's folder or below it\n\
             F:2:26: cases[3]: the text \"../y\"; expected a glob relative to the suite file's folder; case files \
             lie in the suite file's folder or below it\n\
             F:2:34: cases[4]: the number 1; expected a text",
        ),
        ("tools = 3", "F:2:9: tools: the number 3; expected a table"),
        ("[rule]", "F:2:1: rule: a table; expected a list of tables, each `[[rule]]`"),
        ("client = \"none\"", "F:2:10: client: the text \"none\"; expected a table"),
    ]);
    assert_eq!(messages(b""), ["F:1:1: key `format_version` is missing; expected `1`"]);
    assert_eq!(messages(b"format_version = 2"), ["F:1:18: format_version: the number 2; expected `1`"]);
}

#[test]
fn the_text_itself() {
    assert_eq!(
        messages(b"format_version = 1\nseed = \"\xff\"\n"),
        ["F:2:9: byte 0xff is no UTF-8; expected UTF-8"]
    );
    assert_eq!(
        messages(b"\xef\xbb\xbfformat_version = 1\nx = 1\nseed = -1"),
        [
            "F:1:1: a byte order mark; expected UTF-8 without one; save the file as plain UTF-8".to_owned(),
            format!("F:2:1: x: unknown key `x`; expected {}", ALL_KEYS),
            "F:3:8: seed: the number -1; expected a whole number of at least 0".to_owned(),
        ]
    );
    assert_eq!(
        messages(b"format_version = 1\nseed = \nattempts = ]\n").len(),
        2,
        "all faults of the notation at once"
    );
    assert_eq!(messages(b"a = 1\na = 2\n"), ["F:2:1: no TOML: duplicate key"]);
    assert_eq!(
        messages("# é\nklé = 1\nformat_version = 1".as_bytes())[0].split(", expected").next(),
        Some("F:2:3: no TOML: invalid unquoted key"),
        "columns are characters"
    );
    let deep = format!("format_version = 1\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(messages(deep.as_bytes())[0].contains("no TOML"));
}

const ALL_KEYS: &str = "one of `format_version`, `cases`, `attempts`, `same_code`, `seed`, `on_oversized`, \
     `spill_chunk`, `restart`, `max_pages`, `start_timeout_s`, `call_timeout_s`, `client`, `server`, `baseline`, \
     `candidate`, `service`, `tools`, `rule`";

#[test]
fn client() {
    check(&[
        (
            "[client]\nprofil = \"x\"",
            "F:3:1: client.profil: unknown key `profil`; expected one of `profile`, `limits`, `token_estimator`, \
             `protocol`, `client_info`, `capabilities`; did you mean `profile`?",
        ),
        (
            "[client]\nprofile = \" \"",
            "F:3:11: client.profile: the text \" \"; expected a text that is not empty",
        ),
        (
            "[client]\nlimits = [{ layer = \"chars\", unit = \"bytes\", limit = 0 }]",
            "F:3:37: client.limits[0].unit: the text \"bytes\"; expected one of `utf16`, `scalars`\n\
             F:3:54: client.limits[0].limit: the number 0; expected a whole number of at least 1",
        ),
        (
            "[client]\nlimits = [{ layer = \"char\" }]",
            "F:3:11: client.limits[0]: key `unit` is missing; expected how it is counted\n\
             F:3:11: client.limits[0]: key `limit` is missing; expected a whole number of at least 1\n\
             F:3:21: client.limits[0].layer: the text \"char\"; expected one of `tokens`, `chars`, `bytes`, `lines`; \
             did you mean `chars`?",
        ),
        (
            "[client]\nprotocol = \"latest\"",
            "F:3:12: client.protocol: the text \"latest\"; expected a protocol version such as `2025-11-25`",
        ),
    ]);
}

#[test]
fn servers() {
    check(&[
        (
            "[baseline]\ncmd = []",
            "F:3:1: baseline.cmd: unknown key `cmd`; expected one of `command`, `url`, `type`, `headers`, `env`, `cwd`, \
             `root`, `rev`, `build`, `from`, `name`, `pass_env`, `tools`; did you mean `cwd`?",
        ),
        (
            "[server]\ncommand = \"python3 server.py\"",
            "F:3:11: server.command: the text \"python3 server.py\"; expected a list of texts such as \
             `[\"python3\", \"server.py\"]`; write the program and each argument as a text of its own",
        ),
        ("[server]\ncommand = []", "F:3:11: server.command: an empty list; expected at least 1"),
        (
            "[server]\ncommand = [\"\"]",
            "F:3:12: server.command[0]: the text \"\"; expected a text that is not empty",
        ),
        ("[server]\ncommand = [\"x\", 1]", "F:3:17: server.command[1]: the number 1; expected a text"),
        (
            "[server]\nurl = \"localhost:80\"",
            "F:3:7: server.url: a text; expected a URL that begins with `http://` or `https://`",
        ),
        (
            "[server]\nfrom = \".mcp.json\"\ncommand = [\"x\"]\nurl = \"http://h/\"",
            "F:4:1: server.command: `command` beside `from`: two kinds of server in one place\n\
             F:5:1: server.url: `url` beside `from`: two kinds of server in one place",
        ),
        (
            "[server]\ncommand = [\"x\"]\nname = \"a\"",
            "F:4:1: server.name: `name` without `from`: it names a server in that file",
        ),
        (
            "[baseline]\nurl = \"http://h/\"\nrev = \"main\"\nbuild = \"make\"\nenv = { A = \"b\" }",
            "F:4:1: baseline.rev: `rev` has no meaning for a server that is only reached by `url`\n\
             F:5:1: baseline.build: `build` has no meaning for a server that is only reached by `url`\n\
             F:6:1: baseline.env: `env` has no meaning for a server that is only reached by `url`",
        ),
        (
            "[baseline]\ncommand = [\"x\"]\nrev = \"main\"\nroot = \"..\"",
            "F:5:1: baseline.root: `root` beside `rev`: the root is then the checkout of the revision",
        ),
        (
            "[server]\nurl = \"http://127.0.0.1:{port}/mcp\"",
            "F:3:7: server.url: `{port}` in a `url` without a `command`; a free port is chosen for a server that is \
             started by `command`",
        ),
        (
            "[server]\ncommand = [\"x\"]\nheaders = { A = \"b\" }",
            "F:4:1: server.headers: `headers` beside a `command` without `url`: headers are sent over HTTP only",
        ),
        (
            "[server]\ncommand = [\"x\"]\nenv = { PORT = 8080, \"A=B\" = \"c\" }",
            "F:4:16: server.env.PORT: a number; expected a text; put the value in quotes\n\
             F:4:30: server.env.\"A=B\": a bad name; expected a name without `=` and line breaks",
        ),
        (
            "[server]\ncommand = [\"x\"]\npass_env = \"ALL\"",
            "F:4:12: server.pass_env: the text \"ALL\"; expected a list of variable names, or `\"all\"`",
        ),
        (
            "[server]\ncommand = [\"x\", \"{attempt_seed}\", \"{port}\", \"{other}\"]",
            "F:3:17: server.command[1]: `{attempt_seed}` without `restart = \"attempt\"`; set `restart = \
             \"attempt\"`, or use `{seed}`",
        ),
        (
            "restart = \"case\"\n[server]\ncommand = [\"x\"]\nenv = { S = \"{attempt_seed}\" }",
            "F:5:13: server.env.S: `{attempt_seed}` without `restart = \"attempt\"`; set `restart = \"attempt\"`, or \
             use `{seed}`",
        ),
        (
            "[server.tools.x]\nrename = { tool = \"y\" }",
            "F:2:9: server.tools: `tools` under `[server]`; `rename` stands per side, as `[candidate.tools.NAME]`; \
             everything else as `[tools.NAME]`",
        ),
        (
            "[candidate.tools.x]\nkind = \"read\"\nrename = {}",
            "F:3:1: candidate.tools.x.kind: unknown key `kind`; expected `rename`\n\
             F:4:10: candidate.tools.x.rename: an empty table; expected `tool`, `arguments` or both",
        ),
        (
            "[candidate.tools.x]\nrename = { arguments = { a = \"c\", b = \"c\" } }",
            "F:3:39: candidate.tools.x.rename.arguments.b: `c` is the new name of two arguments",
        ),
        (
            "[[service]]\nready = \"tcp://h\"",
            "F:2:1: service[0]: key `command` is missing; expected a list of texts\n\
             F:3:9: service[0].ready: a text; expected a URL that begins with `http://` or `https://`",
        ),
    ]);
}

#[test]
fn tools() {
    check(&[
        (
            "[tools.x]\nkind = \"reads\"",
            "F:3:8: tools.x.kind: the text \"reads\"; expected one of `read`, `search`, `other`, `write`; did you \
             mean `read`?",
        ),
        (
            "[tools.x]\ncontinued = []",
            "F:3:1: tools.x.continued: unknown key `continued`; expected one of `kind`, `replay`, `identity`, \
             `size`, `continue`, `content`, `ignore`; did you mean `continue`?",
        ),
        (
            "[tools.x]\nrename = { tool = \"y\" }",
            "F:3:1: tools.x.rename: `rename` in a declaration for both sides; `rename` stands per side, as \
             `[candidate.tools.NAME]`",
        ),
        (
            "[tools.x]\nreplay = \"yes\"",
            "F:3:10: tools.x.replay: the text \"yes\"; expected `true` or `false`",
        ),
        (
            "[tools.x]\nidentity = \"id\"",
            "F:3:12: tools.x.identity: the text \"id\"; expected a list of texts",
        ),
        ("[tools.x]\nsize = [1]", "F:3:9: tools.x.size[0]: the number 1; expected a text"),
        (
            "[tools.\"a.b\"]\ncontent = [\"items/*\"]",
            "F:3:12: tools.\"a.b\".content[0]: the text \"items/*\"; expected a JSON Pointer; it is empty or begins \
             with `/`, with `~0` for `~` and `~1` for `/`",
        ),
        (
            "[tools.x]\nignore = [{}, { pointer = \"/a\", pattern = \"b\" }, \"/c\"]",
            "F:3:11: tools.x.ignore[0]: a table without any of these keys; expected exactly one of `pointer`, \
             `pattern`\n\
             F:3:33: tools.x.ignore[1].pattern: `pattern` beside `pointer`; expected exactly one of `pointer`, \
             `pattern`\n\
             F:3:50: tools.x.ignore[2]: the text \"/c\"; expected a table",
        ),
    ]);
}

#[test]
fn continuation_rules() {
    let rules: &[(&str, &str)] = &[
        (
            "{}",
            "25: : a table without any of these keys; expected exactly one of `from`, `pattern`, `advance`, `tool`, \
             `same`",
        ),
        (
            "{ argument = \"a\", from = \"/b\", pattern = \"(c)\" }",
            "56: .pattern: `pattern` beside `from`; expected exactly one of `from`, `pattern`, `advance`, `tool`, \
             `same`",
        ),
        (
            "{ from = \"/b\" }",
            "25: : key `argument` is missing; expected the argument that gets the next value",
        ),
        (
            "{ argument = \"a\", pattern = 'x\\d+' }",
            "53: .pattern: the pattern \"x\\\\d+\" has no group; expected a group `(...)`: group 1 is the value",
        ),
        (
            "{ argument = \"a\", pattern = '(' }",
            "53: .pattern: the pattern \"(\" is no regular expression: error: unclosed group",
        ),
        (
            "{ argument = \"a\", advance = \"words\" }",
            "53: .advance: the text \"words\"; expected one of `lines`, `items`, `chars`, `pages`",
        ),
        (
            "{ argument = \"a\", advance = \"lines\", from = \"/b\" }",
            "62: .from: `from` beside `advance`; only `advance = \"items\"` counts the array at `from`; the step \
             itself is `by = { from = ... }`",
        ),
        ("{ argument = \"a\", from = \"/b\", by = \"limit\" }", "56: .by: `by` without `advance`"),
        (
            "{ argument = \"a\", advance = \"lines\", by = 3 }",
            "67: .by: the number 3; expected the name of a size argument, `{ pattern = \"regex\" }` or `{ from = \
             \"/pointer\" }`",
        ),
        (
            "{ argument = \"a\", advance = \"lines\", by = { patern = '(x)' } }",
            "67: .by: a table without any of these keys; expected exactly one of `pattern`, `from`\n\
             69: .by.patern: unknown key `patern`; expected one of `pattern`, `from`; did you mean `pattern`?",
        ),
        (
            "{ tool = \"b\", argument = \"c\" }",
            "39: .argument: `argument` beside `tool`: no argument gets a new value",
        ),
        (
            "{ tool = \"b\", carry = { s = 'x', t = { pattern = 'y' } } }",
            "53: .carry.s: the text \"x\"; expected a JSON Pointer; it is empty or begins with `/`, with `~0` for \
             `~` and `~1` for `/`\n\
             74: .carry.t.pattern: the pattern \"y\" has no group; expected a group `(...)`: group 1 is the value",
        ),
        ("{ same = false }", "34: .same: `false`; expected `true`; leave the key out instead"),
        ("{ same = true, carry = {} }", "40: .carry: `carry` without `tool`"),
        (
            "{ same = true, while = true }",
            "48: .while: `true`; expected a JSON Pointer or `{ pattern = \"regex\" }`",
        ),
        (
            "{ argumnt = \"a\", from = \"/b\" }",
            "25: : key `argument` is missing; expected the argument that gets the next value\n\
             27: .argumnt: unknown key `argumnt`; expected one of `argument`, `from`, `pattern`, `advance`, `by`, \
             `while`, `tool`, `carry`, `same`; did you mean `argument`?",
        ),
    ];
    for (rule, wanted) in rules {
        let found = messages(format!("format_version = 1\ntools.x = {{ continue = [{rule}] }}").as_bytes());
        let wanted: Vec<String> = wanted
            .lines()
            .map(|line| {
                let (column, rest) = line.split_once(": ").unwrap();
                format!("F:2:{column}: tools.x.continue[0]{rest}")
            })
            .collect();
        assert_eq!(found, wanted, "\n--- of\n{rule}\n");
    }
}

#[test]
fn rules() {
    let names = "one of `tool_calls`, `agent_calls`, `read_calls`, `continuation_reads`, `shrunk_retries`, \
        `spill_reads`, `repeated_reads`, `stuck_chains`, `capped_chains`, `oversized_results`, `max_result_chars`, \
        `result_chars`, `result_wire_bytes`, `view_chars`, `input_tokens`, `evidence_recall`, `calls_to_evidence`, \
        `errors`, `flips`, `lost_evidence`, `tools_list`, `largest_result`, `failed_attempts`, `unpaired_cases`, \
        `stale_cases`";
    let rules: &[(&str, &str)] = &[
        ("role = \"goal\"", "2:1: rule[0]: key `metric` is missing; expected the name of a metric"),
        (
            "metric = \"tool_call\"",
            "3:10: rule[0].metric: unknown metric `tool_call`; expected NAMES; did you mean `tool_calls`?",
        ),
        (
            "metric = \"duration_ms\"",
            "3:10: rule[0].metric: `duration_ms` in a rule; expected NAMES; wall time is reported and never judged: \
             it differs between two runs of the same code",
        ),
        (
            "metric = \"correct\"\nrole = \"goal\"",
            "3:10: rule[0].metric: `correct` in a rule; expected NAMES; it exists only when a model ran, and a \
             replay runs none",
        ),
        (
            "metric = \"errors\"\nmargn = 1",
            "4:1: rule[0].margn: unknown key `margn`; expected one of `metric`, `role`, `question`, `margin`, `max`, \
             `min`, `on`, `require`, `split`, `cases`; did you mean `margin`?",
        ),
        (
            "metric = \"errors\"\nrole = \"guard\"",
            "4:8: rule[0].role: the text \"guard\"; expected one of `guardrail`, `goal`, `info`",
        ),
        (
            "metric = \"errors\"\nquestion = \"these cases\"",
            "4:12: rule[0].question: the text \"these cases\"; expected one of `these-cases`, `cases-like-these`; \
             did you mean `these-cases`?",
        ),
        (
            "metric = \"errors\"\nmargin = -1",
            "4:10: rule[0].margin: the number -1; expected a number of at least 0, or a percentage such as `\"5%\"`",
        ),
        (
            "metric = \"errors\"\nmargin = \"5\"",
            "4:10: rule[0].margin: the text \"5\"; expected a number of at least 0, or a percentage such as `\"5%\"`",
        ),
        (
            "metric = \"errors\"\nmargin = \"-5%\"",
            "4:10: rule[0].margin: the text \"-5%\"; expected a number of at least 0, or a percentage such as `\"5%\"`",
        ),
        (
            "metric = \"flips\"\nmargin = \"5%\"",
            "4:10: rule[0].margin: a percentage for `flips`, which has no value on the baseline; expected a number of \
             at least 0",
        ),
        (
            "metric = \"errors\"\nmax = 0\nmargin = 0\nrole = \"goal\"",
            "5:1: rule[0].margin: `margin` beside `max`: a rule is absolute (`max`, `min`, `require`, `on`) or \
             relative (`margin`, `role`, `question`)\n\
             6:1: rule[0].role: `role` beside `max`: a rule is absolute (`max`, `min`, `require`, `on`) or relative \
             (`margin`, `role`, `question`)",
        ),
        ("metric = \"errors\"\nmax = -1", "4:7: rule[0].max: the number -1; expected a number of at least 0"),
        (
            "metric = \"errors\"\nmax = nan",
            "4:7: rule[0].max: the number nan, which is not finite; expected a number of at least 0",
        ),
        (
            "metric = \"evidence_recall\"\nmin = 95",
            "4:7: rule[0].min: the number 95; expected a share from 0 to 1",
        ),
        ("metric = \"errors\"\nmin = 2\nmax = 1", "4:1: rule[0].min: `min` 2 over `max` 1: nothing can hold"),
        (
            "metric = \"errors\"\non = \"baseline\"",
            "4:1: rule[0].on: `on` without `max`, `min` or `require`: a relative rule compares both sides",
        ),
        (
            "metric = \"errors\"\nmax = 1\non = \"same-code\"",
            "5:6: rule[0].on: the text \"same-code\"; expected one of `candidate`, `baseline`",
        ),
        (
            "metric = \"tools_list\"",
            "3:1: rule[0].metric: `tools_list` without `require`; expected `require` = one of `identical`, \
             `same-tools`, `compatible`",
        ),
        (
            "metric = \"tools_list\"\nmax = 0",
            "4:1: rule[0].max: `max` for `tools_list`, which is no number: use `require`",
        ),
        (
            "metric = \"tools_list\"\nrequire = \"same_tools\"",
            "4:11: rule[0].require: the text \"same_tools\"; expected one of `identical`, `same-tools`, \
             `compatible`; did you mean `same-tools`?",
        ),
        (
            "metric = \"errors\"\nrequire = \"identical\"",
            "4:1: rule[0].require: `require` for a metric; `require` is for `metric = \"tools_list\"` only",
        ),
        (
            "metric = \"errors\"\nsplit = \"train\"",
            "4:9: rule[0].split: the text \"train\"; expected one of `all`, `dev`, `test`",
        ),
        (
            "metric = \"errors\"\ncases = \"[a\"",
            "4:9: rule[0].cases: `[a` is no glob: unclosed character class; missing ']'; expected a glob of case ids",
        ),
    ];
    for (rule, wanted) in rules {
        let found = messages(format!("format_version = 1\n[[rule]]\n{rule}").as_bytes()).join("\n");
        let wanted: Vec<String> =
            wanted.lines().map(|line| format!("F:{}", line.replace("NAMES", names))).collect();
        assert_eq!(found, wanted.join("\n"), "\n--- of\n{rule}\n");
    }
}

#[test]
fn what_is_no_suite_file() {
    let dir = tempfile::tempdir().unwrap();
    let message = |path: &Path| {
        suite::load(path).unwrap_err().to_string().replace(&dir.path().display().to_string(), "D")
    };
    assert_eq!(message(&dir.path().join("x.toml")), "D/x.toml: no such file");
    assert_eq!(message(dir.path()), "D/mcp-regress.toml: no such file");
    std::fs::create_dir(dir.path().join("mcp-regress.toml")).unwrap();
    assert_eq!(message(dir.path()), "D/mcp-regress.toml: is a folder; expected a file");
}
