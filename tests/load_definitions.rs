//! Where the suite and its servers come from: discovery, definitions of other programs, variables, redaction.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up fails")]

use mcp_regress::suite::{self, Found, HttpTransport, Scope, ServerConfig};
use mcp_regress::words::Side;
use std::path::{Path, PathBuf};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

const SUITE: &str = "format_version = 1\n";

#[test]
fn the_suite_is_found_in_order_and_never_upwards() {
    let dir = folder(&[
        ("here/mcp-regress.toml", SUITE),
        ("here/cases/mcp-regress.toml", SUITE),
        ("here/sub/x.txt", ""),
        ("below/cases/mcp-regress.toml", SUITE),
        ("below/.mcp.json", "{}"),
        ("defaults/.mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#),
        ("defaults/cases/a.case.json", ""),
        ("defaults/elsewhere/b.case.json", ""),
        ("only-servers/.mcp.json", "{}"),
    ]);
    let at = |folder: &str| suite::find(None, &dir.path().join(folder));
    let file = |path: &str| Found::File(dir.path().join(path));
    assert_eq!(at("here"), Ok(file("here/mcp-regress.toml")));
    assert_eq!(at("below"), Ok(file("below/cases/mcp-regress.toml")));
    assert_eq!(at("defaults"), Ok(Found::Defaults { dir: dir.path().join("defaults") }));
    for folder in ["here/sub", "only-servers"] {
        let message = at(folder).unwrap_err().to_string();
        let wanted = format!(
            "{}: no suite found; expected `mcp-regress.toml`, `cases/mcp-regress.toml`, or `.mcp.json` with a \
             folder `cases`; `mcp-regress init` writes a suite, `--suite` names one elsewhere",
            dir.path().join(folder).join("mcp-regress.toml").display()
        );
        assert_eq!(message, wanted);
    }
    let flag = |flag: &str| suite::find(Some(Path::new(flag)), dir.path());
    assert_eq!(flag("here"), Ok(file("here/mcp-regress.toml")));
    assert_eq!(flag("here/mcp-regress.toml"), Ok(file("here/mcp-regress.toml")));
    assert!(flag("here/sub").unwrap_err().to_string().contains("no such suite file"));

    let suite = at("defaults").unwrap().load().unwrap();
    assert_eq!(suite.cases, ["cases/**/*.case.json", "cases/**/*.cases.jsonl"]);
    let problems = mcp_regress::case::load(&suite).unwrap_err();
    assert_eq!(problems.0[0].file, PathBuf::from("cases/a.case.json"));
    assert_eq!(problems.0.len(), 1, "only `cases` is looked at");
    let side = suite::side_definition(&suite, Side::Candidate).unwrap().unwrap();
    assert_eq!((side.name.as_str(), side.config.command.unwrap()), ("a", vec!["x".to_owned()]));
}

fn read(text: &str) -> suite::definitions::Definitions {
    let dir = folder(&[("f", text)]);
    suite::definitions::read(&dir.path().join("f"), Path::new("F"))
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn read_error(text: &str) -> String {
    let dir = folder(&[("f", text)]);
    suite::definitions::read(&dir.path().join("f"), Path::new("F")).unwrap_err().to_string()
}

fn pairs(list: &[(String, String)]) -> Vec<(&str, &str)> {
    list.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn four_formats_are_told_apart_by_their_keys() {
    let found = read(
        r#"{"mcpServers": {
            "search": {"type": "stdio", "command": "npx", "args": ["-y", "x@1"], "env": {"A": "${B:-c}", "N": 1}},
            "web": {"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}, "foo": 1}
        }, "numStartups": 3}"#,
    );
    assert_eq!(found.servers[0].0, "search");
    assert_eq!(found.servers[0].1.command.as_deref().unwrap(), ["npx", "-y", "x@1"]);
    assert_eq!(pairs(&found.servers[0].1.env), [("A", "${B:-c}"), ("N", "1")]);
    assert_eq!(found.servers[1].1.url.as_deref(), Some("https://h/mcp"));
    assert_eq!(pairs(&found.servers[1].1.headers), [("Authorization", "Bearer ${T}")]);
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["F:3:106: /mcpServers/web/foo: unknown key `foo` is not used"]);

    let found = read(
        "// VS Code\n{\"inputs\": [{\"id\": \"t\"}], /* here */ \"servers\": {\n\
         \"a\": {\"command\": \"x\", \"args\": [\"${workspaceFolder}/s.js\",], \"env\": {\"T\": \"${input:t}\"}},\n}}",
    );
    assert_eq!(found.servers[0].1.command.as_deref().unwrap(), ["x", "${workspaceFolder}/s.js"]);
    assert!(found.warnings.is_empty());

    let found = read(
        "model = \"m\"\n[mcp_servers.a]\ncommand = \"x\"\nargs = [\"y\"]\nenv_vars = [\"Z\"]\nstartup_timeout_sec = 20\n\
         [mcp_servers.b]\nurl = \"https://h/\"\nbearer_token_env_var = \"TOK\"\nhttp_headers = { X = \"1\" }\n\
         env_http_headers = { Y = \"VAR\" }\n",
    );
    assert_eq!(found.servers[0].1.command.as_deref().unwrap(), ["x", "y"]);
    assert_eq!(found.servers[0].1.pass_env.as_deref().unwrap(), ["Z"]);
    assert_eq!(
        pairs(&found.servers[1].1.headers),
        [("X", "1"), ("Y", "${VAR}"), ("Authorization", "Bearer ${TOK}")]
    );
    assert!(found.warnings.is_empty());

    let found = read(
        r#"{"$schema": "s", "name": "io.x/y", "description": "d", "version": "1.2.0",
            "packages": [
              {"registryType": "npm", "identifier": "@x/y", "version": "1.2.0", "transport": {"type": "stdio"},
               "packageArguments": [{"type": "positional", "value": "start"}, {"type": "named", "name": "--root", "value": "/d"}],
               "environmentVariables": [{"name": "KEY", "isRequired": true, "isSecret": true}, {"name": "OPT"},
                                        {"name": "LEVEL", "default": "info"}]},
              {"registryType": "pypi", "identifier": "xy", "version": "1.2.0", "transport": {"type": "stdio"}},
              {"registryType": "oci", "identifier": "ghcr.io/x/y:1", "transport": {"type": "stdio"},
               "environmentVariables": [{"name": "KEY", "value": "v"}]}
            ],
            "remotes": [{"type": "streamable-http", "url": "https://h/mcp",
                         "headers": [{"name": "X-Api-Key", "isRequired": true}]}]}"#,
    );
    let names: Vec<&str> = found.servers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["io.x/y#npm", "io.x/y#pypi", "io.x/y#oci", "io.x/y#streamable-http"]);
    let command = |index: usize| found.servers[index].1.command.clone().unwrap().join(" ");
    assert_eq!(command(0), "npx -y @x/y@1.2.0 start --root /d");
    assert_eq!(pairs(&found.servers[0].1.env), [("KEY", "${KEY}"), ("LEVEL", "${LEVEL:-info}")]);
    assert_eq!(command(1), "uvx xy==1.2.0");
    assert_eq!(command(2), "docker run -i --rm -e KEY ghcr.io/x/y:1");
    assert_eq!(pairs(&found.servers[3].1.headers), [("X-Api-Key", "${X_Api_Key}")]);
    let single = read(r#"{"name": "n", "remotes": [{"type": "sse", "url": "https://h/sse"}]}"#);
    assert_eq!(single.servers[0].0, "n");
    assert_eq!(single.servers[0].1.transport, Some(HttpTransport::LegacySse));
    assert!(single.warnings.is_empty());
}

#[test]
fn the_transport_is_what_the_file_calls_it() {
    for (entry, wanted, warnings) in [
        (r#""url": "https://h/sse", "type": "sse""#, Some(HttpTransport::LegacySse), 0),
        (r#""url": "https://h/sse", "transport": "sse""#, Some(HttpTransport::LegacySse), 0),
        (r#""url": "https://h/mcp", "type": "http""#, Some(HttpTransport::Streamable), 0),
        (r#""url": "https://h/mcp", "type": "streamable-http""#, Some(HttpTransport::Streamable), 0),
        (r#""url": "https://h/mcp""#, None, 0),
        (r#""url": "https://h/mcp", "type": "ws""#, None, 1),
        (r#""command": "x", "type": "stdio""#, None, 0),
    ] {
        let found = read(&format!(r#"{{"mcpServers": {{"a": {{{entry}}}}}}}"#));
        assert_eq!(found.servers[0].1.transport, wanted, "{entry}");
        assert_eq!(found.warnings.len(), warnings, "{entry}");
    }
}

#[test]
fn a_file_of_definitions_has_problems_too() {
    for (text, wanted) in [
        (
            "{\"tools\": []}",
            "F:1:1: no server definitions; expected one of the keys `mcpServers`, `servers`, `mcp_servers`, or \
             `packages`/`remotes` of a registry",
        ),
        (
            r#"{"mcpServers": {"a": {"args": []}, "b": {"command": "x", "url": "y"}, "c": {"command": 1}}}"#,
            "F:1:22: /mcpServers/a: a server without `command` and `url`; expected one of them\n\
             F:1:41: /mcpServers/b: a server with `command` and `url`; expected one of them\n\
             F:1:88: /mcpServers/c/command: the number 1; expected a text",
        ),
        (
            r#"{"name": "n", "packages": [{"registryType": "cargo", "identifier": "x"}]}"#,
            "F:1:28: /packages/0: a package of the registry `cargo`; expected one of `npm`, `pypi`, `oci`, `nuget`; \
             write the command in the suite file",
        ),
    ] {
        assert_eq!(read_error(text), wanted, "{text}");
    }
}

fn side(suite_text: &str, side: Side) -> Result<Option<suite::SideDefinition>, String> {
    let dir = folder(&[
        ("mcp-regress.toml", &format!("{SUITE}{suite_text}")),
        (
            ".mcp.json",
            r#"{"mcpServers": {"search": {"command": "s", "env": {"A": "1", "B": "2"}}, "fetch": {"command": "f"}}}"#,
        ),
    ]);
    let suite = suite::load(dir.path()).map_err(|problems| problems.to_string())?;
    suite::side_definition(&suite, side)
        .map_err(|problems| problems.to_string().replace(&format!("{}/", dir.path().display()), ""))
}

#[test]
fn a_side_takes_its_own_server_then_that_of_the_suite_then_the_only_one_in_the_file() {
    let command = |text: &str, of: Side| {
        let side = side(text, of).unwrap().unwrap();
        (side.name, side.config.command.unwrap_or_default().join(" "))
    };
    let own = "[server]\ncommand = [\"x\"]\n[candidate]\ncommand = [\"y\"]\n";
    assert_eq!(command(own, Side::Candidate), ("candidate".to_owned(), "y".to_owned()));
    assert_eq!(command(own, Side::Baseline), ("server".to_owned(), "x".to_owned()));
    assert_eq!(command(own, Side::SameCode(2)), ("server".to_owned(), "x".to_owned()));
    assert!(side("[candidate]\ncommand = [\"y\"]", Side::Baseline).unwrap().is_none());
    assert!(side("", Side::Candidate).unwrap().is_none());

    let from = "[server]\nfrom = \".mcp.json\"\nname = \"search\"\n[baseline]\nrev = \"main\"\nenv = { B = \"3\", C = \"4\" }\n\
                [candidate]\nname = \"fetch\"\n";
    let baseline = side(from, Side::Baseline).unwrap().unwrap();
    assert_eq!((baseline.name.as_str(), baseline.config.rev.as_deref()), ("search", Some("main")));
    assert_eq!(pairs(&baseline.config.env), [("A", "1"), ("B", "3"), ("C", "4")]);
    assert_eq!(command(from, Side::Candidate), ("fetch".to_owned(), "f".to_owned()));
    assert_eq!(
        side("[server]\nfrom = \".mcp.json\"", Side::Candidate).unwrap_err(),
        ".mcp.json: 2 servers in this file; expected `name` = one of `search`, `fetch`; say which with `name` beside \
         `from`"
    );
    assert_eq!(
        side("[server]\nfrom = \".mcp.json\"\nname = \"serch\"", Side::Candidate).unwrap_err(),
        ".mcp.json: no server `serch` in this file; expected one of `search`, `fetch`; did you mean `search`?"
    );
    assert_eq!(side("[server]\nfrom = \"x.json\"", Side::Candidate).unwrap_err(), "x.json: no such file");
}

fn variables(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "EMPTY" => Some(String::new()),
        "LOOP" => Some("${TOKEN}".to_owned()),
        _ => None,
    }
}

fn scope() -> Scope<'static> {
    Scope { server: "search", workspace: Path::new("/w"), variable: &variables }
}

#[test]
fn variables_are_filled_in_and_never_written() {
    for (text, value, redacted) in [
        ("Bearer ${TOKEN}", "Bearer s3cret", "Bearer ${TOKEN}"),
        ("${env:TOKEN}x${TOKEN}", "s3cretxs3cret", "${TOKEN}x${TOKEN}"),
        ("${NO:-a b}", "a b", "${NO}"),
        ("${EMPTY:-d}", "d", "${EMPTY}"),
        ("${EMPTY}", "", "${EMPTY}"),
        ("${NO:-}", "", "${NO}"),
        ("${workspaceFolder}/s", "/w/s", "${workspaceFolder}/s"),
        ("${LOOP}", "${TOKEN}", "${LOOP}"),
        (
            "$TOKEN ${} ${1} ${a b} ${TOKEN",
            "$TOKEN ${} ${1} ${a b} ${TOKEN",
            "$TOKEN ${} ${1} ${a b} ${TOKEN",
        ),
        ("é${TOKEN}é", "és3creté", "é${TOKEN}é"),
    ] {
        let expanded = suite::expand(text, "url", scope()).unwrap();
        assert_eq!((expanded.value.as_str(), expanded.redacted.as_str()), (value, redacted), "{text}");
        assert!(!format!("{expanded:?}").contains("s3cret"));
    }
}

#[test]
fn an_unset_variable_names_variable_server_and_field() {
    let config = ServerConfig {
        command: Some(vec!["x".to_owned(), "${A}".to_owned(), "${A}".to_owned()]),
        headers: vec![("Authorization".to_owned(), "Bearer ${TOKEN} ${B}".to_owned())],
        env: vec![("T".to_owned(), "${input:tok}".to_owned())],
        ..ServerConfig::default()
    };
    assert_eq!(
        suite::expand_server(&config, scope()).unwrap_err().to_string(),
        "variable `A` is not set; server `search` needs it in `command`; set it, or write `${A:-default}`\n\
         variable `B` is not set; server `search` needs it in `headers.Authorization`; set it, or write \
         `${B:-default}`\n\
         `${input:tok}` asks a person, and nobody is there; server `search` needs it in `env.T`; write `${NAME}` and \
         set the variable `NAME`"
    );
    let config = ServerConfig {
        command: Some(vec![
            "x".to_owned(),
            "--token".to_owned(),
            "${TOKEN}".to_owned(),
            "${NO:-y}".to_owned(),
        ]),
        ..ServerConfig::default()
    };
    let expanded = suite::expand_server(&config, scope()).unwrap();
    assert_eq!(expanded.variables.iter().collect::<Vec<_>>(), ["NO", "TOKEN"]);
    assert_eq!(suite::redact_argv(&expanded.command.unwrap()), ["x", "--token", "***", "${NO}"]);
}

#[test]
fn command_lines_and_urls_are_written_without_secrets() {
    for (words, wanted) in [
        ("x --api-key abc --port 80", "x --api-key *** --port 80"),
        ("x --token=abc --level=3 -H Authorization:abc", "x --token=*** --level=3 -H ***"),
        ("x --auth --token abc y", "x --auth *** *** y"),
        ("x --password -abc", "x --password ***"),
        ("env API_TOKEN=abc LEVEL=3 x", "env API_TOKEN=*** LEVEL=3 x"),
        ("x --url=https://u:p@h/a?b=c", "x --url=https://***@h/a?b=***"),
        ("x token keys", "x token keys"),
        ("", ""),
    ] {
        let found = suite::redact_words(words.split(' ')).join(" ");
        assert_eq!(found, wanted, "{words}");
    }
    for (url, wanted) in [
        ("https://user:pass@h:80/p?a=b&c&d=#f", "https://***@h:80/p?a=***&***&d=***#***"),
        ("http://127.0.0.1:{port}/mcp", "http://127.0.0.1:{port}/mcp"),
        ("https://h?k=v", "https://h?k=***"),
        ("https://h/a@b", "https://h/a@b"),
        ("no url?a=b", "no url?a=b"),
    ] {
        assert_eq!(suite::redact_url(url), wanted, "{url}");
    }
}
