//! Where a record of a proxy holds its messages.

use super::{Frame, Sender};
use serde_json::Value;

/// Keys under which records hold a message, itself or as a text.
const MESSAGES: [&str; 9] = ["msg", "message", "frame", "payload", "data", "body", "raw", "rpc", "json"];
/// Keys under which documents hold records.
const LISTS: [&str; 10] = [
    "messages",
    "frames",
    "events",
    "entries",
    "interactions",
    "exchanges",
    "calls",
    "records",
    "cassette",
    "session",
];
const DIRECTIONS: [&str; 7] = ["dir", "direction", "from", "sender", "source", "side", "origin"];
const TIMES: [&str; 7] = ["ts", "timestamp", "time", "at", "t", "started_at", "received_at"];
const SERVERS: [&str; 4] = ["server", "server_name", "serverName", "upstream"];
/// How deep records stand within records.
const MOST_DEPTH: usize = 6;

/// What the records around a message say of it.
#[derive(Debug, Clone, Default)]
struct Around {
    sender: Option<Sender>,
    at: Option<String>,
    exchange: Option<u64>,
    server: Option<String>,
}

/// Every message of a record or document, in order. `ids` numbers pairs that have no ids of their own.
pub(super) fn frames(record: &mut Value, ids: &mut u64, out: &mut Vec<Frame>) {
    find(record, &Around::default(), ids, MOST_DEPTH, out);
}

fn find(value: &mut Value, around: &Around, ids: &mut u64, depth: usize, out: &mut Vec<Frame>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(items) => {
            if !items.is_empty() && items.iter().all(is_message) {
                // A batch, or a bare list of messages.
                items.iter_mut().for_each(|item| out.push(frame(item.take(), around)));
                return;
            }
            items.iter_mut().for_each(|item| find(item, around, ids, depth - 1, out));
        }
        Value::String(text) => {
            if text.trim_start().starts_with('{')
                && let Ok(mut inner) = crate::wire::read_value(text)
                && is_message(&inner)
            {
                out.push(Frame { bytes: Some(text.len() as u64), ..frame(inner.take(), around) });
            }
        }
        Value::Object(_) if is_message(value) => out.push(frame(value.take(), around)),
        Value::Object(_) => find_in_record(value, around, ids, depth, out),
        _ => {}
    }
}

fn find_in_record(record: &mut Value, around: &Around, ids: &mut u64, depth: usize, out: &mut Vec<Frame>) {
    let around = widened(record, around);
    if record.get("request").is_some() && (record.get("response").is_some() || record.get("result").is_some())
    {
        return pair(record, &around, ids, depth, out);
    }
    let Value::Object(members) = record else { return };
    for (key, value) in members.iter_mut() {
        if MESSAGES.contains(&key.as_str()) || LISTS.contains(&key.as_str()) {
            find(value, &around, ids, depth - 1, out);
        } else if key == "request" || key == "response" {
            let sender = if key == "request" { Sender::Client } else { Sender::Server };
            let around = Around { sender: around.sender.or(Some(sender)), ..around.clone() };
            find(value, &around, ids, depth - 1, out);
        }
    }
}

/// A request and its response in one record. Without ids, or without `jsonrpc`, they belong together all the
/// same.
fn pair(record: &mut Value, around: &Around, ids: &mut u64, depth: usize, out: &mut Vec<Frame>) {
    let mut request = record.get_mut("request").map(Value::take).unwrap_or_default();
    let is_bare = record.get("response").is_none();
    let mut response = match record.get_mut(if is_bare { "result" } else { "response" }) {
        Some(value) => value.take(),
        None => Value::Null,
    };
    let mut taken = |value: &mut Value, sender| {
        let around = Around { sender: Some(sender), ..around.clone() };
        let before = out.len();
        find(value, &around, ids, depth - 1, out);
        out.len() > before
    };
    if taken(&mut request, Sender::Client) {
        if !response.is_null() {
            taken(&mut response, Sender::Server);
        }
        return;
    }
    // A call by its own form: `{"tool": ..., "arguments": ...}` or `{"method": "tools/call", "params": ...}`.
    let Some(params) = call_of(&mut request) else { return };
    *ids += 1;
    let id = format!("pair-{ids}");
    let request = serde_json::json!({ "id": id, "method": "tools/call", "params": params });
    let reply = match response {
        Value::Object(mut members) if members.contains_key("result") || members.contains_key("error") => {
            members.insert("id".to_owned(), id.into());
            Value::Object(members)
        }
        Value::Null => Value::Null,
        result => serde_json::json!({ "id": id, "result": result }),
    };
    let mut push = |message: Value, sender| {
        out.push(frame(message, &Around { sender: Some(sender), ..around.clone() }));
    };
    push(request, Sender::Client);
    if !reply.is_null() {
        push(reply, Sender::Server);
    }
}

fn call_of(request: &mut Value) -> Option<Value> {
    if let Some(method) = request.get("method") {
        return (method == "tools/call").then(|| request.get_mut("params").map(Value::take)).flatten();
    }
    let name = ["tool", "name", "tool_name"].iter().find_map(|key| request.get(*key)?.as_str())?.to_owned();
    let arguments = ["arguments", "args", "params", "input"]
        .iter()
        .find_map(|key| request.get(*key).filter(|value| value.is_object()))
        .cloned()
        .unwrap_or_else(|| Value::Object(Default::default()));
    Some(serde_json::json!({ "name": name, "arguments": arguments }))
}

fn frame(message: Value, around: &Around) -> Frame {
    Frame {
        sender: around.sender.unwrap_or(Sender::Unknown),
        at: around.at.clone(),
        exchange: around.exchange,
        server: around.server.clone(),
        message,
        bytes: None,
    }
}

/// Whether a value is a message of JSON-RPC. Some recorders leave out `jsonrpc`.
fn is_message(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let method = value.get("method").and_then(Value::as_str);
    has("jsonrpc") && (has("id") || has("method"))
        || has("id") && method.is_some_and(|method| method.contains('/') || method == "initialize")
        || has("id") && (has("result") || has("error")) && !has("request")
}

fn widened(record: &Value, around: &Around) -> Around {
    let texts =
        |keys: &[&str]| keys.iter().find_map(|key| record.get(*key).filter(|value| !value.is_object()));
    let sender = texts(&DIRECTIONS).and_then(Value::as_str).and_then(sender_of);
    let at = texts(&TIMES).and_then(time_of);
    let server = texts(&SERVERS).and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned);
    Around {
        sender: sender.or(around.sender),
        at: at.or_else(|| around.at.clone()),
        exchange: record.get("http").and_then(Value::as_u64).or(around.exchange),
        server: server.or_else(|| around.server.clone()),
    }
}

/// Who sent a message, in the words of many recorders.
fn sender_of(word: &str) -> Option<Sender> {
    let word: String =
        word.chars().filter(|c| c.is_alphanumeric() || *c == '>').flat_map(char::to_lowercase).collect();
    let is = |words: &[&str]| words.contains(&word.as_str());
    if is(&[
        "client",
        "c2s",
        "clienttoserver",
        "client>server",
        "out",
        "outbound",
        "outgoing",
        "request",
        "req",
        "send",
        "sent",
        "editor>server",
        "host",
        ">",
        "tx",
        "agent",
    ]) {
        Some(Sender::Client)
    } else if is(&[
        "server",
        "s2c",
        "servertoclient",
        "server>client",
        "in",
        "inbound",
        "incoming",
        "response",
        "res",
        "resp",
        "recv",
        "received",
        "receive",
        "server>editor",
        "rx",
        "upstream",
    ]) {
        Some(Sender::Server)
    } else {
        None
    }
}

/// A time as RFC 3339: a text as it is, a number as seconds or milliseconds of the epoch.
fn time_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let seconds = if number > 1e11 { number / 1e3 } else { number };
            // Small numbers count from the start of the recording.
            let is_epoch = (1e9..1e10).contains(&seconds);
            let stamp = jiff::Timestamp::from_microsecond((seconds * 1e6) as i64).ok()?;
            is_epoch.then(|| stamp.to_string())
        }
        _ => None,
    }
}
