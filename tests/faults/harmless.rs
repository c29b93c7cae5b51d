//! Secrets that must not be written, an environment that must not be seen, and texts of a server that must
//! not act: on a terminal, in a table, in a comment, in the log of a CI, in the file system.

use crate::cli::only_run;
use crate::support::{binary, case_text, watch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A server in sh: what it says of itself, its tools, and its answer to a call. `@ID@` is the request's id.
struct ShServer<'s> {
    before: &'s str,
    hello: &'s str,
    tools: &'s str,
    call: &'s str,
}

impl ShServer<'_> {
    fn write(&self, folder: &Path) -> PathBuf {
        let reply = |result: &str| {
            format!("cat <<END | sed \"s/@ID@/$id/\"\n{{\"jsonrpc\":\"2.0\",\"id\":@ID@,{result}}}\nEND\n")
        };
        let text = format!(
            "{}\nwhile read -r line; do\n\
             id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')\n\
             case $line in\n*'\"initialize\"'*)\n{};;\n*'\"tools/list\"'*)\n{};;\n*'\"tools/call\"'*)\n{};;\nesac\ndone\n",
            self.before,
            reply(self.hello),
            reply(self.tools),
            reply(self.call),
        );
        let path = folder.join("server.sh");
        std::fs::write(&path, text).unwrap();
        path
    }
}

const PLAIN_HELLO: &str = r#""result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"plain","version":"1"}}"#;
const PLAIN_TOOLS: &str = r#""result":{"tools":[{"name":"look","description":"Looks.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
const PLAIN_CALL: &str = r#""result":{"content":[{"type":"text","text":"seen"}],"isError":false}"#;

fn written(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Every file below a folder, with its bytes as text.
fn all_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_files(&path));
        } else {
            found.push((path.clone(), String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()));
        }
    }
    found
}

const SECRETS: [(&str, &str); 3] = [
    ("PLANTED_TOKEN", "tok-5ecret-one"),
    ("PLANTED_KEY", "k3y-5ecret-two"),
    ("PLANTED_WORD", "w0rd-5ecret-three"),
];

fn assert_clean(what: &str, text: &str, secrets: &[&str]) {
    for secret in secrets {
        assert!(!text.contains(secret), "{what} holds `{secret}`:\n{text}");
    }
}

fn look(id: &str) -> String {
    case_text(id, &json!([{ "call": "look", "arguments": {} }]))
}

/// A server that repeats its secrets wherever it can: in its name, on stderr, in errors, as it dies.
#[test]
fn no_secret_is_written() {
    let secrets: Vec<&str> = SECRETS.iter().map(|(_, value)| *value).chain(["l1teral-5ecret"]).collect();
    let talkative = ShServer {
        before: "echo \"started with $PLANTED_TOKEN $API_KEY $1 $2\" >&2",
        hello: r#""result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n $PLANTED_TOKEN","version":"$API_KEY $2"}}"#,
        tools: PLAIN_TOOLS,
        call: r#""error":{"code":-1,"message":"refused for $PLANTED_TOKEN $API_KEY $1 $2"}"#,
    };
    let refusing = ShServer {
        hello: r#""error":{"code":-1,"message":"no such user $PLANTED_TOKEN, key $API_KEY, word $1, $2"}"#,
        ..talkative
    };
    let dying =
        ShServer { before: "echo \"dies with $PLANTED_TOKEN $API_KEY $1 $2\" >&2; exit 1", ..talkative };
    for (server, code) in [(&talkative, 0), (&refusing, 3), (&dying, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let path = server.write(folder.path());
        written(folder.path(), "a.cases.jsonl", &look("a"));
        written(
            folder.path(),
            "mcp-regress.toml",
            &format!(
                "format_version = 1\n[server]\ncommand = [\"sh\", \"{}\", \"${{PLANTED_WORD}}\", \"--password=l1teral-5ecret\"]\n\
                 env = {{ PLANTED_TOKEN = \"${{PLANTED_TOKEN}}\", API_KEY = \"${{PLANTED_KEY}}\" }}\n\
                 [[service]]\ncommand = [\"sh\", \"-c\", \"echo told $PLANTED_TOKEN $PLANTED_KEY; sleep 60\"]\n",
                path.display()
            ),
        );
        let out = folder.path().join("results");
        let ended = watch(
            binary()
                .args(["run", "-vv", "--keep-bodies", "all", "--suite"])
                .arg(folder.path())
                .arg("--out")
                .arg(&out)
                .envs(SECRETS),
        );
        assert_eq!(ended.code, Some(code), "{}\n{}", ended.out, ended.err);
        assert_clean("stdout", &ended.out, &secrets);
        assert_clean("stderr", &ended.err, &secrets);
        for (path, text) in all_files(&out) {
            assert_clean(&path.display().to_string(), &text, &secrets);
        }
        if code == 0 {
            let bodies: Vec<_> = all_files(&only_run(&out).join("bodies"));
            assert!(
                bodies.iter().any(|(_, text)| text.contains("refused for ${PLANTED_TOKEN}")),
                "{bodies:?}"
            );
            let log = std::fs::read_to_string(only_run(&out).join("service-1.log")).unwrap();
            assert_eq!(log, "told ${PLANTED_TOKEN} ${PLANTED_KEY}\n");
            let meta = std::fs::read_to_string(only_run(&out).join("run.json")).unwrap();
            assert!(meta.contains("${PLANTED_WORD}") && meta.contains("PLANTED_TOKEN"), "{meta}");
            let checked = watch(binary().args(["check", "--suite"]).arg(folder.path()).envs(SECRETS));
            assert_clean("check", &format!("{}{}", checked.out, checked.err), &secrets);
        } else {
            assert!(ended.err.contains("${PLANTED_TOKEN}"), "{}", ended.err);
        }
    }
}

/// Answers every request with a status and the `Authorization` header that came.
fn echoing_server(status: &'static str, after: usize) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { continue };
            let mut bytes = vec![0; 1 << 16];
            let length = stream.read(&mut bytes).unwrap_or(0);
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let header = request.lines().find(|line| line.to_lowercase().starts_with("authorization"));
            let id =
                request.split("\"id\":").nth(1).map(|rest| rest.split([',', '}']).next().unwrap().to_owned());
            let (status, body) = match id {
                Some(id) if count < after && request.contains("\"initialize\"") => {
                    ("200 OK", format!(r#"{{"jsonrpc":"2.0","id":{id},{PLAIN_HELLO}}}"#))
                }
                Some(id) if request.contains("\"tools/list\"") && after > 0 => {
                    ("200 OK", format!(r#"{{"jsonrpc":"2.0","id":{id},{PLAIN_TOOLS}}}"#))
                }
                // As it came, in the URL's encoding.
                _ => {
                    let line = request.lines().next().unwrap_or_default();
                    (status, format!("you sent {} in {line}", header.unwrap_or_default()))
                }
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    port
}

#[test]
fn no_header_is_written() {
    for (status, after, code) in
        [("403 Forbidden", 0, 3), ("500 Oops", usize::MAX, 0), ("403 Forbidden", usize::MAX, 5)]
    {
        let port = echoing_server(status, after);
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), "a.cases.jsonl", &look("a"));
        written(
            folder.path(),
            "mcp-regress.toml",
            &format!(
                "format_version = 1\n[server]\nurl = \"http://us3r-5ecret:p4ss-5ecret@127.0.0.1:{port}/mcp?key=qu3ry-5ecret\"\n\
                 headers = {{ Authorization = \"Bearer ${{PLANTED_TOKEN}}\" }}\n"
            ),
        );
        let out = folder.path().join("results");
        let ended = watch(
            binary().args(["run", "-vv", "--suite"]).arg(folder.path()).arg("--out").arg(&out).envs(SECRETS),
        );
        assert_eq!(ended.code, Some(code), "{}\n{}", ended.out, ended.err);
        let secrets = ["tok-5ecret-one", "p4ss-5ecret", "qu3ry-5ecret", "us3r-5ecret"];
        assert_clean("stdout and stderr", &format!("{}{}", ended.out, ended.err), &secrets);
        for (path, text) in all_files(&out) {
            assert_clean(&path.display().to_string(), &text, &secrets);
        }
    }
}

/// A URL's secrets go over the wire in forms of their own: credentials in base64, values percent-encoded.
#[test]
fn no_part_of_a_url_is_written_in_any_form() {
    const ODD: &str = "0dd\"5ecret <ü>";
    const FORMS: [&str; 8] = [
        "us3r-5ecret",
        "p4ss\"5ecret",
        "p4ss%225ecret",
        // Of `us3r-5ecret:p4ss"5ecret`.
        "dXMzci01ZWNyZXQ6cDRzcyI1ZWNyZXQ",
        ODD,
        "0dd%225ecret%20%3C%C3%BC%3E",
        "0dd\\\"5ecret",
        "l1teral-5ecret",
    ];
    for (status, after, code) in
        [("403 Forbidden", 0, 3), ("403 Forbidden", usize::MAX, 5), ("500 Oops", usize::MAX, 0)]
    {
        let port = echoing_server(status, after);
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), "a.cases.jsonl", &look("a"));
        written(
            folder.path(),
            "mcp-regress.toml",
            &format!(
                "format_version = 1\n[server]\nurl = \"http://us3r-5ecret:p4ss%225ecret@127.0.0.1:{port}/mcp?q=${{ODD}}&w=l1teral-5ecret&mode=seen\"\n"
            ),
        );
        let out = folder.path().join("results");
        let mut command = binary();
        command.args(["run", "-vv", "--keep-bodies", "all", "--suite"]).arg(folder.path());
        let ended = watch(command.arg("--out").arg(&out).env("ODD", ODD));
        assert_eq!(ended.code, Some(code), "{}\n{}", ended.out, ended.err);
        let said = format!("{}{}", ended.out, ended.err);
        assert_clean("stdout and stderr", &said, &FORMS);
        let files = all_files(&out);
        for (path, text) in &files {
            assert_clean(&path.display().to_string(), text, &FORMS);
        }
        let mut texts = files.iter().map(|(_, text)| text).chain([&said]);
        let is_echo = |text: &String| text.contains("you sent") && text.contains("mode=seen");
        assert!(texts.any(is_echo), "the echo is nowhere: {said}");
    }
}

#[test]
fn a_secret_on_the_command_line_is_asked_for_again_when_a_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = ShServer { before: "", hello: PLAIN_HELLO, tools: PLAIN_TOOLS, call: PLAIN_CALL }
        .write(folder.path());
    written(folder.path(), "mcp-regress.toml", "format_version = 1\n");
    written(folder.path(), "a.cases.jsonl", &look("a"));
    let (out, command) =
        (folder.path().join("results"), format!("sh {} --token fl4g-5ecret", path.display()));
    let sides = ["--baseline-cmd", &command, "--candidate-cmd", &command];
    let ended =
        watch(binary().args(["run", "--suite"]).arg(folder.path()).arg("--out").arg(&out).args(sides));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    for (path, text) in all_files(&out) {
        assert_clean(&path.display().to_string(), &text, &["fl4g-5ecret"]);
    }
    let resume = |more: &[&str]| watch(binary().args(["run", "--resume", "--out"]).arg(&out).args(more));
    let refused = resume(&[]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("give `--baseline-cmd` once more"), "{}", refused.err);
    let resumed = resume(&sides);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let help = binary().args(["run", "--help"]).env("MCP_REGRESS_BASELINE_CMD", &command).output().unwrap();
    assert_clean("help", &String::from_utf8_lossy(&help.stdout), &["fl4g-5ecret"]);
}

/// Names of the variables in what `env` wrote.
fn names(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect()
}

fn git(dir: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    assert!(Command::new("git").current_dir(dir).args(identity).args(args).status().unwrap().success());
}

/// In CI a side and its build see the common variables and what its definition names, never the other
/// side's; outside CI everything but this tool's own settings.
#[test]
fn a_side_sees_what_it_may() {
    let repository = tempfile::tempdir().unwrap();
    let seen = tempfile::tempdir().unwrap();
    ShServer {
        before: "env > \"$1\"\nif [ -f built-env ]; then cp built-env \"$1.build\"; fi",
        hello: PLAIN_HELLO,
        tools: PLAIN_TOOLS,
        call: PLAIN_CALL,
    }
    .write(repository.path());
    written(repository.path(), "a.cases.jsonl", &look("a"));
    written(
        repository.path(),
        "mcp-regress.toml",
        &format!(
            "format_version = 1\nrestart = \"case\"\n[server]\ncommand = [\"sh\", \"server.sh\", \"{}/{{side}}\"]\nbuild = \"env > built-env\"\n\
             [baseline]\nrev = \"HEAD\"\nenv = {{ OF_BASELINE = \"${{PLANTED_TOKEN}}\" }}\n\
             [candidate]\nenv = {{ OF_CANDIDATE = \"${{PLANTED_KEY}}\" }}\npass_env = [\"PLANTED_WORD\"]\n",
            seen.path().display()
        ),
    );
    written(repository.path(), ".gitignore", "results/\n");
    git(repository.path(), &["init", "-q"]);
    git(repository.path(), &["add", "-A"]);
    git(repository.path(), &["commit", "-qm", "a server"]);
    for is_ci in [true, false] {
        let cache = tempfile::tempdir().unwrap();
        let mut command = binary();
        command.current_dir(repository.path()).args(["run", "--out"]).arg(seen.path().join("results"));
        command.env("XDG_CACHE_HOME", cache.path()).envs(SECRETS).env("MCP_REGRESS_VERBOSE", "1");
        command.env("LC_TIME", "C").env("HTTPS_PROXY", "http://127.0.0.1:1");
        if is_ci {
            command.env("CI", "true");
        }
        let ended = watch(&mut command);
        assert_eq!(ended.code, Some(0), "{}\n{}", ended.out, ended.err);
        let read = |name: &str| std::fs::read_to_string(seen.path().join(name)).unwrap();
        for (file, sees, sees_not) in [
            ("baseline", &["OF_BASELINE", "PATH", "LC_TIME", "HTTPS_PROXY"][..], &["OF_CANDIDATE"][..]),
            ("baseline.build", &["OF_BASELINE", "PATH"], &["OF_CANDIDATE"]),
            ("same-code", &["OF_BASELINE"], &["OF_CANDIDATE"]),
            ("candidate", &["OF_CANDIDATE", "PLANTED_WORD"], &["OF_BASELINE"]),
        ] {
            let text = read(file);
            let found = names(&text);
            for name in sees {
                assert!(found.contains(name), "{file} sees no {name} (CI {is_ci})");
            }
            let own = found.iter().filter(|name| name.starts_with("MCP_REGRESS_"));
            assert_eq!(own.count(), 0, "{file}");
            for name in sees_not {
                assert!(!found.contains(name), "{file} sees {name}");
            }
            // Given explicitly or not, the values of the CI's secrets stay with whom they were given to.
            let allowed = match (is_ci, file) {
                (false, "candidate") => &["PLANTED_WORD"][..],
                (false, _) => &["PLANTED_TOKEN", "PLANTED_KEY", "PLANTED_WORD"],
                (true, "candidate") => &["PLANTED_WORD"],
                (true, _) => &[],
            };
            for (name, _) in SECRETS {
                assert_eq!(found.contains(name), allowed.contains(&name), "{file}: {name} (CI {is_ci})");
            }
        }
    }
}

/// What stands in the titles of the processes of a run: no header, no variable, whatever `ps` shows.
#[test]
fn no_secret_is_in_a_process_title() {
    let folder = tempfile::tempdir().unwrap();
    let path = ShServer { before: "sleep 1", hello: PLAIN_HELLO, tools: PLAIN_TOOLS, call: PLAIN_CALL }
        .write(folder.path());
    written(folder.path(), "a.cases.jsonl", &look("a"));
    written(
        folder.path(),
        "mcp-regress.toml",
        &format!(
            "format_version = 1\n[server]\ncommand = [\"sh\", \"{}\"]\nenv = {{ API_KEY = \"${{PLANTED_KEY}}\" }}\n",
            path.display()
        ),
    );
    let mut child = binary()
        .args(["run", "--suite"])
        .arg(folder.path())
        .arg("--out")
        .arg(folder.path().join("results"))
        .envs(SECRETS)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut looks = 0;
    while child.try_wait().unwrap().is_none() {
        for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let title = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&title).contains("k3y-5ecret-two"), "{:?}", entry.path());
        }
        looks += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(looks > 10 && child.wait().unwrap().success());
}

/// A name that is a formula, a mention, a link, an image, a comment, an escape sequence and a command at once.
const HOSTILE: &str = "=1+1@admin [x](http://evil.example) ![i](http://evil.example/i.png) <!-- c --> <script>\u{1b}[31m\u{1b}]0;t\u{7}`|\u{202e} ::error::x ##[error]y\r\n::warning::z ../../../evil";

fn hostile_server() -> (String, String, String) {
    let name = Value::from(HOSTILE).to_string();
    let hello = format!(
        r#""result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":{name},"version":{name}}}}}"#
    );
    let tools = format!(
        r#""result":{{"tools":[{{"name":{name},"description":{name},"inputSchema":{{"type":"object","properties":{{}}}},"annotations":{{"readOnlyHint":true}}}}]}}"#
    );
    (hello, tools, format!(r#""error":{{"code":-1,"message":{name}}}"#))
}

/// Text in a here-document of sh.
fn in_shell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$")
}

#[test]
fn texts_of_a_server_do_nothing() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("a/b/c");
    std::fs::create_dir_all(&folder).unwrap();
    let (hello, tools, call) = hostile_server();
    // A backslash must survive sh, then `sed` reads none.
    let server =
        ShServer { before: "", hello: &in_shell(&hello), tools: &in_shell(&tools), call: &in_shell(&call) };
    let path = server.write(&folder);
    let steps = json!([{ "call": HOSTILE, "arguments": { HOSTILE: HOSTILE } }]);
    written(&folder, "a.cases.jsonl", &case_text("a", &steps));
    let sane = "{self} fixture --scenario echo";
    let words: Vec<String> = sane.split(' ').map(|word| format!("{word:?}")).collect();
    written(
        &folder,
        "mcp-regress.toml",
        &format!(
            "format_version = 1\n[tools.{name}]\nreplay = true\n[baseline]\ncommand = [{}]\n[candidate]\ncommand = [\"sh\", \"{}\"]\n",
            words.join(", "),
            path.display(),
            name = toml_key(HOSTILE),
        ),
    );
    let mut command = binary();
    command.args(["run", "-vv", "--color", "never", "--keep-bodies", "all", "--out", "results"]);
    command.current_dir(&folder);
    let ended = watch(&mut command);
    assert!(matches!(ended.code, Some(0 | 100)), "{:?}\n{}\n{}", ended.code, ended.out, ended.err);
    let checked = watch(binary().args(["check"]).current_dir(&folder));
    for text in [&ended.out, &ended.err, &checked.out, &checked.err] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']), "{text}");
        assert!(!text.contains("##["), "{text}");
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
    }
    let run = only_run(&folder.join("results"));
    assert_tables_hold_no_formula(&run);
    assert_markdown_is_plain(&std::fs::read_to_string(run.join("summary.md")).unwrap());
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("::error::x") && page.contains("class=\"body\""), "the kept result is not shown");
    assert!(!page.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']) && !page.contains("<script"), "{page}");
    // Nothing was made anywhere but in the results folder.
    let mut made = BTreeSet::new();
    for (path, _) in all_files(outside.path()) {
        made.insert(path.strip_prefix(&folder).map(Path::to_owned).unwrap_or(path));
    }
    made.retain(|path| !path.starts_with("results"));
    let expected = ["a.cases.jsonl", "mcp-regress.toml", "server.sh"].map(PathBuf::from);
    assert_eq!(made, BTreeSet::from(expected));
}

fn toml_key(text: &str) -> String {
    text.chars().fold("\"".to_owned(), |mut out, c| {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            c if c.is_control() => write!(out, "\\u{:04X}", c as u32),
            c => write!(out, "{c}"),
        };
        out
    }) + "\""
}

fn assert_tables_hold_no_formula(run: &Path) {
    let mut tables = 0;
    for (path, _) in
        all_files(run).into_iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "csv"))
    {
        tables += 1;
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(&path).unwrap();
        for row in reader.records() {
            for cell in row.unwrap().iter().filter(|cell| cell.parse::<f64>().is_err()) {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{}: {cell}", path.display());
            }
        }
    }
    assert!(tables >= 6);
}

/// Outside of code spans, in which nothing acts, there is no mention, link, image, comment or tag.
fn assert_markdown_is_plain(text: &str) {
    // Lines of ours that fold a part.
    let is_ours = |line: &&str| *line == "</details>" || line.starts_with("<details><summary>");
    let others: Vec<&str> = text.lines().filter(|line| !is_ours(line)).collect();
    let outside: String = others.join("\n").split('`').step_by(2).collect();
    for sign in ["@", "](", "![", "<", "http", "www."] {
        assert!(!outside.contains(sign), "`{sign}` in:\n{text}");
    }
    assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']), "{text}");
    assert!(text.lines().all(|line| line.matches('`').count() % 2 == 0), "an open code span in:\n{text}");
}

#[test]
fn paths_in_cases_and_expressions_are_bounded() {
    for (case, suite, code, said) in [
        (look("../../evil"), "", 2, "id"),
        (look("/etc/evil"), "", 2, "id"),
        (look("a"), "[[tools]]", 2, "tools"),
        (
            look("a"),
            "[tools.look]\ncontinue = [{ argument = \"x\", pattern = '((a{1000}){1000}){1000}' }]\n",
            2,
            "regular expression",
        ),
        (look("a"), "[tools.look]\nignore = [{ pattern = '(\\p{L}{500}){500}' }]\n", 2, "regular expression"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), "a.cases.jsonl", &case);
        let server = "[server]\ncommand = [\"{self}\", \"fixture\", \"--scenario\", \"echo\"]\n";
        written(folder.path(), "mcp-regress.toml", &format!("format_version = 1\n{server}{suite}"));
        let ended = watch(binary().args(["run", "--out", "results"]).current_dir(folder.path()));
        assert_eq!(ended.code, Some(code), "{suite}{case}: {}", ended.err);
        assert!(ended.err.contains(said), "{}", ended.err);
        assert!(ended.peak_mb < 100, "{} MB", ended.peak_mb);
        assert!(!folder.path().join("results").exists());
    }
}
