//! The two ways in which MCP sessions are held: with `initialize`, or, since revision 2026-07-28,
//! with everything that a server must know in each request.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::listing::Tool;
use super::target::ClientInfo;

/// The first revision without `initialize` and sessions. Revisions are dates, so they sort.
const FIRST_STATELESS: &str = "2026-07-28";
const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

#[derive(Debug)]
pub(crate) enum Dialect {
    /// `initialize` once, then requests without context.
    Session,
    /// No `initialize`: each request carries its context, and over HTTP some of it as headers.
    Stateless(Box<Context>),
}

/// What each request carries.
#[derive(Debug)]
pub(crate) struct Context {
    /// The value of `params._meta`.
    meta: Value,
    /// Arguments that a tool's schema wants repeated as headers: header and path, by tool.
    mirrored: BTreeMap<String, Vec<(String, Vec<String>)>>,
}

impl Dialect {
    pub(crate) fn new(info: &ClientInfo) -> Self {
        if info.protocol.as_str() < FIRST_STATELESS {
            return Self::Session;
        }
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": info.protocol,
            "io.modelcontextprotocol/clientInfo": { "name": info.name, "version": info.version },
            "io.modelcontextprotocol/clientCapabilities": info.capabilities,
        });
        Self::Stateless(Box::new(Context { meta, mirrored: BTreeMap::new() }))
    }

    pub(crate) fn is_stateless(&self) -> bool {
        matches!(self, Self::Stateless(_))
    }

    /// `params._meta` of each request, if it needs one.
    pub(crate) fn meta(&self) -> Option<&Value> {
        match self {
            Self::Session => None,
            Self::Stateless(context) => Some(&context.meta),
        }
    }

    /// Remember which arguments the schemas want as headers (`x-mcp-header` on a property).
    pub(crate) fn learn(&mut self, tools: &[Tool]) {
        let Self::Stateless(context) = self else { return };
        for tool in tools {
            let mut found = Vec::new();
            collect(&tool.input_schema, &mut Vec::new(), &mut found);
            if !found.is_empty() {
                context.mirrored.insert(tool.name.clone(), found);
            }
        }
    }

    /// The headers of a request over HTTP beside those of every request.
    pub(crate) fn headers(
        &self,
        method: &str,
        call: Option<(&str, &Map<String, Value>)>,
    ) -> Vec<(String, String)> {
        let Self::Stateless(context) = self else { return Vec::new() };
        let mut headers = vec![("mcp-method".to_owned(), method.to_owned())];
        let Some((tool, arguments)) = call else { return headers };
        headers.push(("mcp-name".to_owned(), encode(tool)));
        for (header, path) in context.mirrored.get(tool).into_iter().flatten() {
            let (first, rest) =
                path.split_first().map_or(("", path.as_slice()), |(first, rest)| (first, rest));
            let start = arguments.get(first);
            let value = rest.iter().fold(start, |value, key| value.and_then(|value| value.get(key)));
            let text = match value {
                Some(Value::String(text)) => encode(text),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                _ => continue,
            };
            headers.push((format!("mcp-param-{header}"), text));
        }
        headers
    }
}

/// The annotated properties of a schema, along `properties` only.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) =
            property.get("x-mcp-header").and_then(Value::as_str).filter(|name| !name.is_empty())
        {
            found.push((header.to_owned(), path.clone()));
        }
        collect(property, path, found);
        path.pop();
    }
}

/// A text as a header's value: as it is when a header can hold it, else wrapped in Base64.
fn encode(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && text.trim_matches(' ') == text
        && !(text.starts_with(PREFIX) && text.ends_with(SUFFIX));
    if is_plain { text.to_owned() } else { format!("{PREFIX}{}{SUFFIX}", base64(text.as_bytes())) }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let index = (group >> (18 - 6 * digit)) & 63;
            let is_padding = digit as usize > chunk.len();
            text.push(if is_padding { '=' } else { char::from(ALPHABET[index as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_header_cannot_hold_are_wrapped() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("two words", "two words"),
            ("", ""),
            ("caf\u{e9}", "=?base64?Y2Fmw6k=?="),
            (" x", "=?base64?IHg=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        ] {
            assert_eq!(encode(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_dates_from_2026_07_28_on_are_stateless() {
        for (protocol, is_stateless) in
            [("2024-11-05", false), ("2025-11-25", false), ("2026-07-28", true), ("2027-01-01", true)]
        {
            let info = ClientInfo { protocol: protocol.to_owned(), ..ClientInfo::default() };
            assert_eq!(Dialect::new(&info).is_stateless(), is_stateless, "{protocol}");
        }
    }
}
