//! The main job: what a run says and how it exits.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use serde_json::json;

const SERVER: &str = "{self} fixture --scenario documents --build";

fn sides(baseline: &str, candidate: &str) -> [String; 4] {
    [
        "--baseline-cmd".to_owned(),
        format!("{SERVER} {baseline}"),
        "--candidate-cmd".to_owned(),
        format!("{SERVER} {candidate}"),
    ]
}

#[test]
fn the_demonstration_passes_with_fewer_continuation_reads() {
    let out = tempfile::tempdir().unwrap();
    let said = said(
        mcp_regress()
            .current_dir(demo().parent().unwrap())
            .args(["run", "--cases", FEW, "--out"])
            .arg(out.path()),
    );
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let summary = summary(&only_run(out.path()));
    let metric = &summary["splits"]["all"]["metrics"]["continuation_reads"];
    assert!(metric["candidate_total"].as_f64() < metric["baseline_total"].as_f64(), "{metric}");
    assert_eq!(metric["call"], "better");
    assert_eq!(metric["deterministic"], true);
    assert_eq!(summary["verdict"], "pass");
    assert_eq!(summary["fidelity"]["cases_equal"], summary["fidelity"]["cases"], "{}", summary["fidelity"]);
    assert!(said.out.contains("continuation reads"), "{}", said.out);
    assert!(said.out.trim_end().lines().last().unwrap().starts_with("report: "), "{}", said.out);
}

#[test]
fn sides_swapped_is_a_regression_that_names_the_metric() {
    let out = tempfile::tempdir().unwrap();
    let said = said(
        mcp_regress()
            .current_dir(demo().parent().unwrap())
            .args(["run", "--cases", FEW, "--out"])
            .arg(out.path())
            .args(sides("candidate", "baseline")),
    );
    assert_eq!(said.code, Some(100), "{}\n{}", said.out, said.err);
    let run = only_run(out.path());
    let failed: Vec<String> = rows(&run.join("rules.csv"))
        .into_iter()
        .filter(|row| row["verdict"] == "regression")
        .map(|row| row["metric"].clone())
        .collect();
    assert_eq!(failed, ["continuation_reads"]);
    assert!(said.out.contains("continuation reads"), "{}", said.out);
    assert_eq!(summary(&run)["exit_code"], 100);
}

#[test]
fn an_unchanged_server_says_nothing_of_any_metric() {
    for cases in [FEW, "docs/two*"] {
        let out = tempfile::tempdir().unwrap();
        let said = said(
            mcp_regress()
                .current_dir(demo().parent().unwrap())
                .args(["run", "--cases", cases, "--out"])
                .arg(out.path())
                .args(sides("baseline", "baseline")),
        );
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        for row in rows(&only_run(out.path()).join("metrics.csv")) {
            assert!(["~", ""].contains(&row["call"].as_str()), "{row:?}");
            assert!(["0", ""].contains(&row["delta"].as_str()), "{row:?}");
        }
    }
}

#[test]
fn wrong_settings_have_their_exit_codes() {
    let case = json!({"format_version": 1, "id": "a/b", "recordings": [{"id": "r1", "steps": [
        {"read": "read_document", "arguments": {"documentIds": ["nothing"]}}]}]});
    let server = "[server]\ncommand = [\"{self}\", \"fixture\", \"--scenario\", \"documents\"]\n";
    let dies = "[server]\ncommand = [\"sh\", \"-c\", \"echo broken >&2; exit 3\"]\n";
    let table: &[(&str, String, &[&str], i32, &str)] = &[
        (
            "unknown metric",
            format!("{server}[[rule]]\nmetric = \"continuation_read\""),
            &[],
            2,
            "continuation_reads",
        ),
        ("no case selected", server.to_owned(), &["--cases", "nothing/*"], 4, "no case selected"),
        ("dies at start", dies.to_owned(), &[], 3, "| broken"),
        ("no server", String::new(), &[], 2, "defines no server"),
        ("unknown profile", server.to_owned(), &["--client", "claude"], 2, "claude-code"),
        ("no repeat", server.to_owned(), &["--same-code", "0"], 2, "same_code >= 1"),
        (
            "no such program",
            "[server]\ncommand = [\"/no/such/program\"]".to_owned(),
            &[],
            3,
            "/no/such/program",
        ),
        ("no such suite", server.to_owned(), &["--suite", "elsewhere"], 2, "no such suite file"),
        ("no revision", server.to_owned(), &["--baseline-rev", "main"], 2, "repository"),
        ("bad timeout", server.to_owned(), &["--timeout", "0"], 2, "--timeout"),
    ];
    for (name, sides, args, code, text) in table {
        let dir = suite(sides, &case);
        let said = said(mcp_regress().current_dir(dir.path()).arg("run").args(*args));
        assert_eq!(said.code, Some(*code), "{name}: {}\n{}", said.out, said.err);
        assert!(said.err.contains(text), "{name}: {}", said.err);
    }
}

#[test]
fn a_tool_that_may_change_something_is_never_called() {
    let case = json!({"format_version": 1, "id": "a/b", "recordings": [{"id": "r1", "steps": [
        {"call": "delete_everything", "arguments": {}}]}]});
    let dir = suite("[server]\ncommand = [\"{self}\", \"fixture\", \"--scenario\", \"documents\"]", &case);
    let said = said(mcp_regress().current_dir(dir.path()).arg("run"));
    assert_eq!(said.code, Some(4), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("[tools.delete_everything]\nreplay = true"), "{}", said.err);
    assert!(!dir.path().join("results").join("runs.jsonl").exists());
}

#[test]
fn one_server_is_replayed_against_itself() {
    let case = json!({"format_version": 1, "id": "a/b", "recordings": [{"id": "r1", "steps": [
        {"call": "search_documents", "arguments": {"query": "ferry"}}]}]});
    let dir = suite("[server]\ncommand = [\"{self}\", \"fixture\", \"--scenario\", \"documents\"]", &case);
    let said = said(mcp_regress().current_dir(dir.path()).arg("run"));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("against itself"), "{}", said.out);
}

#[test]
fn a_server_over_http_gives_the_same_calls_as_over_stdio() {
    let out = tempfile::tempdir().unwrap();
    let stdio = out.path().join("stdio");
    let http = out.path().join("http");
    let toml = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let over_http = |build: &str| {
        format!(
            "command = [\"{{self}}\", \"fixture\", \"--scenario\", \"documents\", \"--build\", \"{build}\", \"--http\", \"{{port}}\"]\nurl = \"http://127.0.0.1:{{port}}/mcp\""
        )
    };
    let (head, rest) = toml.split_once("[baseline]").unwrap();
    let (_, tail) = rest.split_once("# To see").unwrap();
    let text = format!(
        "{head}[baseline]\n{}\n[candidate]\n{}\n# To see{tail}",
        over_http("baseline"),
        over_http("candidate")
    );
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mcp-regress.toml"), text).unwrap();
    for name in ["dev.cases.jsonl", "test.cases.jsonl", "two-pages.case.json", "jump.case.json"] {
        std::fs::copy(demo().join(name), dir.path().join(name)).unwrap();
    }
    for (suite, out) in [(demo(), &stdio), (dir.path().to_owned(), &http)] {
        let said = said(
            mcp_regress()
                .args(["run", "--cases", "docs/{two,jump}*", "--suite"])
                .arg(suite)
                .arg("--out")
                .arg(out),
        );
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    }
    let calls = |out: &std::path::Path| std::fs::read_to_string(only_run(out).join("calls.csv")).unwrap();
    similar_asserts::assert_eq!(calls(&stdio), calls(&http));
}

/// A suite of one call, with a service of this command beside it.
fn suite_with_service(command: &str, ready: &str) -> tempfile::TempDir {
    let sides = format!(
        "start_timeout_s = 10\n[server]\ncommand = [\"{{self}}\", \"fixture\", \"--scenario\", \"echo\"]\n\
         [[service]]\ncommand = {command}\nready = \"{ready}\""
    );
    let steps = json!([{"call": "echo", "arguments": {"size": 40}}]);
    suite(&sides, &json!({"format_version": 1, "id": "a", "recordings": [{"id": "r", "steps": steps}]}))
}

#[test]
fn a_service_has_a_port_of_its_own_and_its_output_is_kept() {
    let out = tempfile::tempdir().unwrap();
    let command =
        r#"["sh", "-c", "echo serving $0 >&2; exec {self} fixture --scenario echo --http $0", "{port}"]"#;
    let suite = suite_with_service(command, "http://127.0.0.1:{port}/");
    let said = said(mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(out.path()));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let log = std::fs::read_to_string(only_run(out.path()).join("service-1.log")).unwrap();
    let port = log.lines().next().and_then(|line| line.strip_prefix("serving ")).expect("a first line");
    assert!(port.parse::<u16>().is_ok_and(|port| port > 0), "{log}");
    let left: Vec<_> = std::fs::read_dir(out.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // The service is gone with the run.
    let port = port.parse().unwrap();
    assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_ok());
}

#[test]
fn a_service_that_ends_early_shows_the_end_of_its_output() {
    let out = tempfile::tempdir().unwrap();
    let suite =
        suite_with_service(r#"["sh", "-c", "echo no database >&2; exit 4"]"#, "http://127.0.0.1:{port}/");
    let said = said(mcp_regress().args(["run", "--suite"]).arg(suite.path()).arg("--out").arg(out.path()));
    assert_eq!(said.code, Some(3), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("service 1: it ended before it was ready: exit status: 4"), "{}", said.err);
    assert!(said.err.contains("  | no database"), "{}", said.err);
}
