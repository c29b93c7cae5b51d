//! What this client writes.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Set `out` to one request.
pub(crate) fn write_request<P: Serialize>(out: &mut Vec<u8>, id: u64, method: &str, params: &P) {
    #[derive(Serialize)]
    struct Request<'a, P> {
        jsonrpc: &'static str,
        id: u64,
        method: &'a str,
        params: &'a P,
    }
    out.clear();
    let request = Request { jsonrpc: "2.0", id, method, params };
    // Writing maps with text keys to memory has no way to fail.
    let written = serde_json::to_writer(&mut *out, &request);
    debug_assert!(written.is_ok());
}

/// A request on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    /// The message, without a line end.
    pub(crate) bytes: &'a [u8],
    /// Headers of this request alone; a transport without headers has no use for them.
    pub(crate) headers: &'a [(String, String)],
}

/// Work that is done while a server works on a request: once, after the request is written.
pub(crate) type Meanwhile<'a> = dyn FnMut() + Send + 'a;

/// The parameters of `tools/call`. Beside the first two they belong to revision 2026-07-28.
#[derive(Serialize)]
pub(crate) struct CallParams<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<&'a Value>,
    #[serde(rename = "inputResponses", skip_serializing_if = "Option::is_none")]
    pub(crate) input_responses: Option<Value>,
    #[serde(rename = "requestState", skip_serializing_if = "Option::is_none")]
    pub(crate) request_state: Option<Box<RawValue>>,
}

impl<'a> CallParams<'a> {
    pub(crate) fn new(name: &'a str, arguments: &'a Map<String, Value>, meta: Option<&'a Value>) -> Self {
        Self { name, arguments, meta, input_responses: None, request_state: None }
    }
}

/// The parameters of a request other than a call.
pub(crate) fn params(meta: Option<&Value>, cursor: Option<Value>) -> Value {
    let mut params = Map::new();
    if let Some(cursor) = cursor {
        params.insert("cursor".to_owned(), cursor);
    }
    if let Some(meta) = meta {
        params.insert("_meta".to_owned(), meta.clone());
    }
    Value::Object(params)
}

pub(crate) fn notification(method: &str, params: Option<Value>) -> Vec<u8> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    message.to_string().into_bytes()
}

/// The answer to a request that the server sent: `ping` gets its empty result, and everything else
/// the error of a client that offers nothing.
pub(crate) fn answer(id: &RawValue, method: &str) -> Vec<u8> {
    if method == "ping" {
        return format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, id.get()).into_bytes();
    }
    let message = Value::from(format!("this client does not offer {method}"));
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":{message}}}}}"#, id.get())
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_one_line_each() {
        let mut out = Vec::new();
        let arguments = serde_json::from_str(r#"{"b":1.0,"a":"line\nbreak"}"#).expect("an object");
        write_request(&mut out, 3, "tools/call", &CallParams::new("read", &arguments, None));
        assert_eq!(
            String::from_utf8_lossy(&out),
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"b":1.0,"a":"line\nbreak"}}}"#
        );
        let id = RawValue::from_string("\"x\"".to_owned()).expect("a value");
        assert_eq!(answer(&id, "ping"), br#"{"jsonrpc":"2.0","id":"x","result":{}}"#);
        let refusal = String::from_utf8(answer(&id, "a\"b")).expect("text");
        assert!(refusal.contains("-32601") && serde_json::from_str::<Value>(&refusal).is_ok(), "{refusal}");
    }
}
