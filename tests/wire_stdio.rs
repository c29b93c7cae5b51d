//! The wire client against servers over stdio that misbehave.

mod wire_support;

use std::time::Duration;

use mcp_regress::wire::{
    ClientInfo, Ending, Limits, ListingEnd, Session, StartErrorKind, Target, WireOutcome,
};
use serde_json::{Map, json};
use wire_support::{call, kinds, launch, limits, server, server_after, shell, start, word};

const OK: &str = r#"result {"content":[{"type":"text","text":"hi"}],"isError":false}"#;

fn short_calls() -> Limits {
    Limits { call: Duration::from_millis(300), ..limits() }
}

#[tokio::test]
async fn one_call_ends_with_a_named_outcome_whatever_the_server_does() {
    // Mode, how the outcome begins, the kinds of its warnings, whether the next call still works.
    let surrogates = r#"result {"content":[{"type":"text","text":"\u0000 \ud800 \udc00x"}]}"#;
    let table: &[(&str, &str, &[&str], bool)] = &[
        ("well-behaved", OK, &[], true),
        ("old-protocol", OK, &[], true),
        ("initialize-twice", OK, &[], true),
        ("junk-at-start", OK, &[], true),
        ("stderr-flood", OK, &[], true),
        ("answers-twice", OK, &[], true),
        ("unknown-id", OK, &["error_without_id"], true),
        ("dies-in-call", "crashed exited: the process ended: exit code 9", &[], false),
        ("dies-in-line", "crashed exited: the process ended: exit code 9", &["unreadable_reply"], false),
        ("aborts-in-call", "crashed exited: the process ended: signal 6", &[], false),
        ("dies-after-reply-without-line-end", OK, &[], false),
        ("dies-between-calls", "crashed exited: the process ended: exit code 3", &[], false),
        ("notification-flood", OK, &[], true),
        ("asks", OK, &[], true),
        ("deep", "result [[[[", &[], true),
        ("duplicate-keys", OK, &["duplicate_member"], true),
        ("surrogates", surrogates, &[], true),
        ("split-utf8", "result {\"content\":[{\"type\":\"\u{fffd}\"", &["invalid_utf8"], true),
        ("no-jsonrpc", OK, &["missing_jsonrpc"], true),
        ("jsonrpc-1", OK, &["wrong_jsonrpc"], true),
        ("error-null", OK, &["error_null_beside_result"], true),
        ("only-error-null", "error 0 ", &["error_null"], true),
        ("error-and-result", "error -1 \"\\ud800no\"", &["result_beside_error"], true),
        ("text-id", OK, &["id_of_another_type"], true),
        ("error", "error -32602 bad \"x\"", &[], true),
        ("spaced", r#"result { "b" : 1.50,"a":[ ] }"#, &[], true),
        ("batch", OK, &[], true),
        ("junk-in-call", OK, &[], true),
    ];
    // The client waits in another way once a server has answered quickly.
    for well in [0, 50] {
        for (mode, outcome, warnings, goes_on) in table {
            let start = start(&server_after(mode, well)).await;
            let mut session = start.unwrap_or_else(|error| panic!("{mode}: {error}"));
            if *mode != "dies-between-calls" {
                for _ in 0..well {
                    assert_eq!(word(&call(&mut session, "hi").await.outcome), OK, "{mode}");
                }
            }
            let reply = call(&mut session, "hi").await;
            let seen = word(&reply.outcome);
            assert!(seen.starts_with(outcome), "{mode}: {seen}");
            assert_eq!(kinds(&reply), *warnings, "{mode}");
            let again = call(&mut session, "hi").await;
            let is_crash = matches!(again.outcome, WireOutcome::Crashed { .. });
            assert_eq!(!is_crash, *goes_on, "{mode}: {}", word(&again.outcome));
            assert_eq!(session.is_alive(), *goes_on, "{mode}");
            session.close().await;
        }
    }
}

#[tokio::test]
async fn what_is_odd_beside_the_reply_is_counted() {
    let counted = async |mode: &str| {
        let mut session = start(&server(mode)).await.expect(mode);
        for _ in 0..2 {
            assert_eq!(word(&call(&mut session, "hi").await.outcome), OK, "{mode}");
        }
        session.close().await.counters
    };
    let counters = counted("answers-twice").await;
    assert_eq!((counters.duplicate_replies, counters.unknown_ids), (2, 0));
    let counters = counted("initialize-twice").await;
    assert_eq!((counters.duplicate_replies, counters.junk), (1, 0));
    let counters = counted("unknown-id").await;
    assert_eq!((counters.unknown_ids, counters.null_id_replies, counters.duplicate_replies), (4, 2, 0));
    let counters = counted("junk-in-call").await;
    assert_eq!((counters.junk, counters.first_junk.as_deref()), (6, Some("> tool@1.0.0 start")));
    let counters = counted("junk-at-start").await;
    assert_eq!((counters.junk, counters.first_junk.as_deref()), (7, Some("npm notice")));
    let counters = counted("notification-flood").await;
    assert_eq!(counters.notifications.values().sum::<u64>(), 40_000);
    assert!(counters.notifications.len() <= 65);
    let counters = counted("asks").await;
    let methods: Vec<&str> = counters.server_requests.keys().map(String::as_str).collect();
    assert_eq!(methods, ["elicitation/create", "ping", "roots/list", "sampling/createMessage"]);
    assert_eq!(counters.server_requests.values().sum::<u64>(), 8);
    assert!(counters.notifications["notifications/heard"] >= 4, "the server got its answers");
}

#[tokio::test]
async fn every_wait_has_an_end() {
    for mode in ["never-answers", "raw-nul", "cut-json", "notifies-for-ever", "asks-for-ever"] {
        let target = server_after(mode, 20);
        let session = Session::start(&target, &ClientInfo::default(), &short_calls()).await;
        let mut session = session.expect(mode);
        for _ in 0..20 {
            assert_eq!(word(&call(&mut session, "hi").await.outcome), OK, "{mode}");
        }
        let reply = call(&mut session, "hi").await;
        assert_eq!(word(&reply.outcome), "timeout", "{mode}");
        let expected: &[&str] =
            if matches!(mode, "raw-nul" | "cut-json") { &["unreadable_reply"] } else { &[] };
        assert_eq!(kinds(&reply), expected, "{mode}");
        drop(session);
    }
}

#[tokio::test]
async fn a_server_that_does_not_read_cannot_hold_a_write() {
    let mut session = Session::start(&server("never-reads-again"), &ClientInfo::default(), &short_calls())
        .await
        .expect("a session");
    let mut arguments = Map::new();
    arguments.insert("text".to_owned(), json!("x".repeat(1 << 20)));
    for _ in 0..2 {
        assert_eq!(word(&session.call("echo", &arguments).await.outcome), "timeout");
    }
    drop(session);
}

#[tokio::test]
async fn a_late_answer_is_counted_and_never_taken_for_another() {
    let mut session = Session::start(
        &server("answers-late"),
        &ClientInfo::default(),
        &Limits { call: Duration::from_millis(200), ..limits() },
    )
    .await
    .expect("a session");
    assert_eq!(word(&call(&mut session, "first").await.outcome), "timeout");
    tokio::time::sleep(Duration::from_millis(400)).await;
    let second = call(&mut session, "hi").await;
    assert_eq!(word(&second.outcome), OK);
    let report = session.close().await;
    assert_eq!((report.counters.late_replies, report.counters.duplicate_replies), (1, 0));
}

#[tokio::test]
async fn a_message_without_an_end_takes_no_more_memory_than_allowed() {
    let limits = Limits { max_message_bytes: 8 << 20, ..limits() };
    let mut session =
        Session::start(&server("no-line-end"), &ClientInfo::default(), &limits).await.expect("a session");
    let reply = call(&mut session, "hi").await;
    let expected =
        "crashed message_too_large: the server sent more than 8388608 bytes without ending a message";
    assert_eq!(word(&reply.outcome), expected);
    assert!(!session.is_alive());
    assert_eq!(word(&call(&mut session, "hi").await.outcome), expected);
    drop(session);
}

#[tokio::test]
async fn large_results_come_whole() {
    let mut session = start(&server("well-behaved")).await.expect("a session");
    for size in [1, 65_535, 65_536, 1_000_000, 100_000_000, 10] {
        let mut arguments = Map::new();
        arguments.insert("size".to_owned(), json!(size));
        let WireOutcome::Result(raw) = session.call("echo", &arguments).await.outcome else {
            panic!("no result")
        };
        assert_eq!(
            raw.get().len(),
            size + r#"{"content":[{"type":"text","text":""}],"isError":false}"#.len()
        );
    }
    session.close().await;
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let limits = Limits { start: Duration::from_secs(2), ..limits() };
    let missing = Target::Stdio(launch(&["/nonexistent/server"]));
    let mut no_folder = launch(&["true"]);
    no_folder.cwd = "/nonexistent/folder".into();
    let table = [
        (missing, "can't start `/nonexistent/server`: No such file or directory (os error 2)", ""),
        (Target::Stdio(launch(&[])), "the server definition can't be used: its command is empty", ""),
        (Target::Stdio(no_folder), "its folder does not exist: `/nonexistent/folder`", ""),
        (
            server("dies-at-start"),
            "the process ended: exit code 7 (before it was initialised)",
            "module_not_found\n",
        ),
        (server("dies-in-initialize"), "the process ended: exit code 1 (before it was initialised)", ""),
        (server("silent-at-start"), "no answer within 2 s: `initialize`", ""),
        (server("refuses-initialize"), "`initialize` was refused: use server/discover (-32022)", ""),
        (server("initialize-without-version"), "expected `protocolVersion`, a text", ""),
        (server("initialize-text"), "can't be used: expected an object", ""),
        (
            shell("exec 1>&-; sleep 600"),
            "the server closed its stdout and lives on (before it was initialised)",
            "",
        ),
        (
            shell("echo oops >&2; kill -9 $$"),
            "the process ended: signal 9 (before it was initialised)",
            "oops\n",
        ),
    ];
    for (target, expected, words) in table {
        let error = Session::start(&target, &ClientInfo::default(), &limits).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error} instead of {expected}");
        assert!(error.stderr_tail.ends_with(words), "{expected}: {}", error.stderr_tail);
        assert!(!words.is_empty() || error.stderr_tail.is_empty(), "{}", error.stderr_tail);
        if expected.starts_with("`initialize` was refused") {
            assert!(matches!(error.kind, StartErrorKind::Refused { code: -32022, .. }));
            assert!(error.to_string().contains("protocol = \"2026-07-28\""), "{error}");
        }
    }
}

#[tokio::test]
async fn stdout_closed_in_a_call_is_told_from_death() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#;
    for (end, expected) in [
        ("exec 1>&-; sleep 600", "crashed stdout_closed: the server closed its stdout and lives on"),
        ("exit 4", "crashed exited: the process ended: exit code 4"),
    ] {
        let script = format!("read a; echo '{hello}'; read b; read c; {end}");
        let mut session = start(&shell(&script)).await.expect("a session");
        assert_eq!(word(&call(&mut session, "hi").await.outcome), expected);
        assert!(!session.is_alive());
        drop(session);
    }
    let script = format!("read a; echo '{hello}'; read b; exec 0<&-; sleep 600");
    let mut session = start(&shell(&script)).await.expect("a session");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let reply = call(&mut session, "hi").await;
    assert_eq!(word(&reply.outcome), "crashed stdin_closed: the server closed its stdin and lives on");
    drop(session);
}

#[tokio::test]
async fn the_hello_is_kept() {
    let session = start(&server("old-protocol")).await.expect("a session");
    let hello = session.server();
    assert_eq!(
        (hello.protocol.as_str(), hello.name.as_str(), hello.version.as_str(), hello.instructions_chars),
        ("2024-11-05", "wire-server", "1.0", 4)
    );
    assert_eq!(hello.capabilities, json!({"tools": {"listChanged": false}}));
    assert!(hello.raw.get().contains("protocolVersion"));
    session.close().await;
}

#[tokio::test]
async fn lists_end_whatever_their_cursors_do() {
    let table = [
        ("well-behaved", 1, 2, 0, ListingEnd::Complete),
        ("empty-cursor", 1, 1, 0, ListingEnd::Complete),
        // The first repeat of a cursor is sent and judged by its page.
        ("stuck-cursor", 3, 1, 2, ListingEnd::Stuck),
        ("repeated-cursor", 4, 5, 0, ListingEnd::Complete),
        ("endless-cursor", 100, 100, 0, ListingEnd::Capped),
    ];
    for (mode, pages, tools, repeated, end) in table {
        let mut session = start(&server(mode)).await.expect(mode);
        let listing = session.list_tools().await.expect(mode);
        assert_eq!(listing.end, end, "{mode}");
        assert_eq!((listing.tools.len(), listing.repeated_names), (tools, repeated), "{mode}");
        assert_eq!(listing.pages.len(), pages, "{mode}");
        assert_eq!(
            listing.bytes,
            listing.pages.iter().map(|page| page.get().len() as u64).sum::<u64>(),
            "{mode}"
        );
        assert_eq!(listing.sha256.len(), 64, "{mode}");
        session.close().await;
    }
}

#[tokio::test]
async fn tools_are_read_as_far_as_they_can_be() {
    let mut session = start(&server("well-behaved")).await.expect("a session");
    let listing = session.list_tools().await.expect("a list");
    let tool = &listing.tools[0];
    assert_eq!(
        (tool.name.as_str(), tool.title.as_deref(), tool.description.as_deref()),
        ("echo", Some("T"), Some("d"))
    );
    assert_eq!((tool.read_only_hint, &tool.meta), (Some(true), &json!({"k": 1})));
    assert_eq!(tool.input_schema, json!({"type": "object"}));
    session.close().await;

    let mut session = start(&server("odd-tools")).await.expect("a session");
    let listing = session.list_tools().await.expect("a list");
    assert_eq!((listing.tools.len(), listing.unreadable, listing.repeated_names), (1, 2, 1));
    assert_eq!(
        (listing.tools[0].name.as_str(), listing.tools[0].description.as_deref()),
        ("b", Some("\u{fffd}"))
    );
    assert!(listing.pages[0].get().starts_with("[ {\"name\""), "the page is kept with its spaces");
    session.close().await;

    for (mode, expected) in [
        ("no-tools", "the result of `tools/list` can't be used: expected `tools`, an array"),
        ("refuses-list", "`tools/list` was refused: no tools here (-32601)"),
    ] {
        let mut session = start(&server(mode)).await.expect(mode);
        assert_eq!(session.list_tools().await.expect_err(mode).to_string(), expected);
        session.close().await;
    }
}

#[tokio::test]
async fn a_list_that_changes_is_taken_when_it_has_settled() {
    let mut session = start(&server("changing")).await.expect("a session");
    let listing = session.list_tools().await.expect("a list");
    assert!(listing.relisted >= 1 && !listing.is_unsettled, "{listing:?}");
    drop(session);

    let mut session = start(&server("changing-for-ever")).await.expect("a session");
    let listing = session.list_tools().await.expect("a list");
    assert!(listing.is_unsettled);
    assert_eq!(listing.relisted, 5);
    drop(session);
}

#[tokio::test]
async fn processes_end_by_the_gentlest_means_that_works() {
    let stubborn = wire_support::example("wire_server");
    let ignores_term = format!("trap '' TERM; exec {} ignores-term", stubborn.display());
    let table = [
        (server("last-words"), Ending::StdinClosed, "exit code 0", "good bye\n"),
        (server("ignores-eof"), Ending::Terminated, "signal 15", ""),
        (shell(&ignores_term), Ending::Killed, "signal 9", ""),
    ];
    let closed = table.map(|(target, ending, status, words)| async move {
        let session = start(&target).await.expect(status);
        let report = session.close().await;
        assert_eq!((report.ending, report.status.as_deref()), (Some(ending), Some(status)));
        assert_eq!(report.stderr_tail, words);
    });
    let [gentle, terminated, killed] = closed;
    tokio::join!(gentle, terminated, killed);
}

#[tokio::test]
async fn no_child_of_a_server_is_left() {
    let mut children = Vec::new();
    for way in ["close", "drop"] {
        let mut session = start(&server("children")).await.expect("a session");
        call(&mut session, "hi").await;
        // What a server writes beside its answer comes when it comes.
        let mut words = session.stderr_tail();
        for _ in 0..500 {
            if words.ends_with('\n') {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            words = session.stderr_tail();
        }
        children.push(words.trim().strip_prefix("child ").expect("a child").to_owned());
        if way == "close" {
            assert!(session.close().await.left_children);
        } else {
            drop(session);
        }
    }
    for child in children {
        wait_for_end(&child).await;
    }
}

/// A killed process is gone, or a zombie that waits for its parent.
async fn wait_for_end(pid: &str) {
    for _ in 0..500 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("process {pid} is still there");
}

#[tokio::test]
async fn a_server_sees_the_environment_that_it_is_given_and_no_other() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#;
    let script = format!("read a; echo '{hello}'; read b; env >&2; pwd >&2; read c");
    let mut spec = launch(&["sh", "-c", &script]);
    spec.env.push(("GIVEN".to_owned(), "value of it".to_owned()));
    let session = start(&Target::Stdio(spec)).await.expect("a session");
    let words = session.close().await.stderr_tail;
    assert!(words.contains("GIVEN=value of it\n") && !words.contains("CARGO"), "{words}");
    assert!(words.ends_with(&format!("{}\n", std::env::temp_dir().display())), "{words}");
}
