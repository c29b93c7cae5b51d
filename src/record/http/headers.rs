//! Which headers are passed on, and which values are written down.

use axum::http::{HeaderMap, HeaderName, header};
use serde_json::{Map, Value};

/// Headers that belong to one connection (RFC 9110, section 7.6.1).
const OF_THE_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// The headers without those of the connection.
pub(super) fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut passed = headers.clone();
    for name in headers.keys() {
        if OF_THE_CONNECTION.contains(name) || named.iter().any(|other| other == name.as_str()) {
            passed.remove(name);
        }
    }
    passed
}

/// The names of all headers; values only of those that MCP defines and of the content type: any other may be a
/// secret, and is null.
pub(super) fn recorded(headers: &HeaderMap) -> Value {
    let mut shown = Map::new();
    for name in headers.keys() {
        let is_shown = *name == header::CONTENT_TYPE || name.as_str().starts_with("mcp-");
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let value = if is_shown { values.collect::<Vec<_>>().join(", ").into() } else { Value::Null };
        shown.insert(name.as_str().to_owned(), value);
    }
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_secrets_are_not_written_and_connections_keep_theirs() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer s3cret"),
            ("content-type", "application/json"),
            ("mcp-session-id", "abc"),
            ("connection", "close, X-Hop"),
            ("x-hop", "s3cret"),
            ("transfer-encoding", "chunked"),
        ] {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let shown = recorded(&headers);
        assert_eq!(shown["mcp-session-id"], json!("abc"));
        assert_eq!(shown["authorization"], Value::Null);
        assert!(!shown.to_string().contains("s3cret"));
        let passed = passed_on(&headers);
        let names: Vec<&str> = passed.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["authorization", "content-type", "mcp-session-id"]);
    }
}
