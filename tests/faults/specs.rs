//! What each fault is tried with, and what must come of it.

use serde_json::{Value, json};

/// Which transports a fault is tried over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Stdio,
    Http,
    Both,
}

/// One fault and its trial.
#[derive(Debug, Clone)]
pub struct Spec {
    pub number: &'static str,
    /// Tells trials of one fault apart; empty when there is one.
    pub variant: &'static str,
    pub over: Over,
    /// Of the candidate's fixture server, beside `--fault`.
    pub options: &'static str,
    /// More of the suite file.
    pub suite: &'static str,
    /// The steps that meet the fault.
    pub hit: Value,
    pub call_timeout_s: u32,
    /// A part of the outcome that must be recorded.
    pub outcome: &'static str,
    pub code: i32,
    /// A part of the line above the numbers.
    pub said: &'static str,
}

/// Text that only the steps that meet the fault send.
const ONLY: &str = "--fault-on poison";

/// A read of the whole listing.
fn list() -> Value {
    json!([{ "read": "list_items", "arguments": {},
             "need": { "items": { "pointer": "/items", "at_least": 60 } } }])
}

fn list_of(limit: u32) -> Value {
    json!([{ "read": "list_items", "arguments": { "limit": limit },
             "need": { "items": { "pointer": "/items", "at_least": 60 } } }])
}

fn one(tool: &str, arguments: Value) -> Value {
    json!([{ "read": tool, "arguments": arguments, "need": { "end": true } }])
}

/// A text of several pages, read to its end by calls that a fault strikes.
pub fn struck() -> Value {
    one("read_text", json!({ "name": "poison", "length": 4000 }))
}

/// The same by calls that none strikes.
pub fn spared() -> Value {
    one("read_text", json!({ "name": "plain", "length": 4000 }))
}

fn bends(number: &'static str, hit: Value, outcome: &'static str, code: i32, said: &'static str) -> Spec {
    let (variant, options, suite, call_timeout_s) = ("", "", "", 30);
    Spec { number, variant, over: Over::Both, options, suite, hit, call_timeout_s, outcome, code, said }
}

fn strikes(number: &'static str, over: Over, outcome: &'static str, code: i32, said: &'static str) -> Spec {
    Spec { over, options: ONLY, ..bends(number, struck(), outcome, code, said) }
}

fn late(spec: Spec, options: &'static str) -> Spec {
    Spec { options, call_timeout_s: 1, ..spec }
}

/// F01 to F26: bent answers of an honest process.
fn of_answers() -> Vec<Spec> {
    let noted = json!({ "limit": 20, "verbose": true });
    let noted = json!([{ "read": "list_items", "arguments": noted,
                         "need": { "items": { "pointer": "/items", "at_least": 60 } } }]);
    vec![
        bends("F01", list(), "chain `stuck`", 100, "candidate: reads without their end"),
        bends(
            "F02",
            one("list_items", json!({})),
            "chain `stuck`",
            100,
            "candidate: reads without their end",
        ),
        bends("F03", list(), "chain `met`", 0, "PASS"),
        bends("F04", list(), "chain `met`", 0, "PASS"),
        bends("F05", list(), "chain `stuck`", 100, "candidate: reads without their end"),
        bends("F06", list_of(20), "chain `met`", 0, "continuation reads"),
        bends("F07", list(), "chain `met`", 0, "PASS"),
        bends("F08", list(), "chain `end`, need unmet", 100, "content lost on the candidate"),
        bends(
            "F09",
            one("list_items", json!({})),
            "chain `stuck`",
            100,
            "candidate: reads without their end",
        ),
        bends(
            "F10",
            one("fetch", json!({ "url": "x" })),
            "chain `stuck`",
            100,
            "candidate: reads without their end",
        ),
        bends("F11", list(), "chain `met`", 0, "result chars"),
        bends("F12", list_of(50), "chain `met`", 100, "oversized results"),
        bends("F13", list(), "chain `end`, need unmet", 100, "content lost on the candidate"),
        strikes("F14", Over::Both, "invalid_utf8", 0, "candidate: bytes that are not UTF-8"),
        bends("F15", list(), "chain `end`, need unmet", 100, "content lost on the candidate"),
        bends("F16", list(), "chain `end`, need unmet", 100, "content lost on the candidate"),
        bends("F17", list(), "chain `met`", 0, "result wire bytes"),
        bends("F18", list(), "chain `blind`", 100, "candidate: reads without their end"),
        bends("F19", list_of(2_000), "chain `error`", 100, "tools that fail more often on the candidate"),
        bends("F20", list(), "`ok`", 0, "candidate: it answered"),
        bends("F21", list(), "`ok`", 0, "candidate: it answered"),
        bends("F22", list(), "chain `met`", 0, "PASS"),
        bends("F23", one("start_search", json!({ "query": "q" })), "chain `met`", 0, "PASS"),
        Spec {
            variant: "not declared",
            ..bends("F24", list(), "chain `error`", 100, "the candidate lists no tool `list_items`")
        },
        Spec {
            variant: "declared",
            suite: "[candidate.tools.list_items]\nrename = { tool = \"list_entries\", arguments = { limit = \"page_size\" } }\n",
            ..bends("F24", list_of(20), "chain `met`", 0, "PASS")
        },
        bends("F25", noted.clone(), "chain `met`", 0, "its schema does not know list_items.verbose"),
        bends("F26", noted, "chain `met`", 0, "its schema does not know list_items.verbose"),
    ]
}

/// F27 to F46: processes and messages.
fn of_processes() -> Vec<Spec> {
    use Over::{Both, Stdio};
    vec![
        late(strikes("F27", Both, "call `timeout`", 100, "candidate: 2 of 4 attempts failed"), ONLY),
        late(
            strikes("F28", Both, "call `timeout`", 100, "no answer within the time limit"),
            "--fault-on poison --fault-delay-ms 1500",
        ),
        strikes("F29", Both, "duplicate_replies", 0, "candidate: second replies"),
        strikes("F30", Both, "unknown_ids", 0, "candidate: replies to ids that were never asked"),
        Spec { options: "", ..strikes("F31", Both, "no attempt", 3, "the candidate did not start") },
        strikes("F32", Both, "call `crashed`", 100, "the process ended: exit code 1"),
        strikes("F33", Both, "call `crashed`", 100, "the process ended: exit code 1"),
        strikes("F34", Stdio, "call `crashed`", 100, "the server closed its stdout and lives on"),
        Spec { options: "", ..strikes("F35", Stdio, "ok", 0, "candidate: it had to be killed") },
        strikes("F36", Both, "call `crashed`", 100, "without ending a message"),
        strikes("F37", Stdio, "stderr_flood", 0, "candidate: a flood on stderr"),
        strikes("F38", Both, "notification_flood", 0, "candidate: a flood of notifications"),
        Spec {
            // Each page has so much: one is enough.
            hit: json!([{ "call": "read_text", "arguments": { "name": "poison" } }]),
            ..strikes("F39", Both, "`ok`", 100, "oversized results")
        },
        strikes("F40", Both, "chain `blind`", 100, "candidate: reads without their end"),
        strikes("F41", Both, "`ok`", 0, "PASS"),
        strikes("F42", Both, "ok", 0, "PASS"),
        strikes("F43", Both, "missing_jsonrpc", 0, "replies without `jsonrpc`"),
        strikes("F44", Both, "junk", 0, "candidate: lines that are no messages"),
        Spec { options: "", ..strikes("F45", Stdio, "ok", 0, "candidate: its tool list changed") },
        strikes("F46", Both, "server_requests", 0, "candidate: requests of its own"),
    ]
}

/// F47 to F55: HTTP alone.
fn of_http() -> Vec<Spec> {
    use Over::Http;
    let token = "headers = { Authorization = \"Bearer x\" }\n";
    vec![
        strikes("F47", Http, "call `crashed`", 100, "the connection was cut"),
        strikes(
            "F48",
            Http,
            "call `protocol_error`",
            100,
            "candidate: HTTP answers of the wrong content type",
        ),
        strikes("F49", Http, "`infrastructure`", 0, "a redirect to"),
        strikes("F50", Http, "call `crashed`", 100, "the session vanished"),
        strikes("F51", Http, "call `protocol_error`", 100, "candidate: HTTP answers with status 500"),
        late(
            strikes("F52", Http, "call `timeout`", 100, "no answer within the time limit"),
            "--fault-on poison --fault-delay-ms 1500",
        ),
        strikes("F53", Http, "ok", 0, "nothing changed"),
        strikes("F54", Http, "retry_after", 0, "candidate: waits that it asked for (429 or 503)"),
        Spec {
            variant: "no token",
            options: "",
            ..strikes("F55", Http, "no attempt", 3, "status 401: the server wants credentials")
        },
        Spec {
            variant: "a token",
            options: "",
            suite: token,
            ..strikes("F55", Http, "no attempt", 3, "status 403: the server knows the credentials")
        },
    ]
}

/// Every trial, in the order of the numbers.
pub fn all() -> Vec<Spec> {
    [of_answers(), of_processes(), of_http()].concat()
}
