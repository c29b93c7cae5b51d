//! `[client]`: the profile and what is overridden in it.

use super::{ClientConfig, ClientName, LimitConfig};
use crate::doc::At;
use crate::words::Layer;

const KEYS: [&str; 6] = ["profile", "limits", "token_estimator", "protocol", "client_info", "capabilities"];

/// Which units each layer may count in.
const UNITS: [(Layer, &[&str]); 4] = [
    (Layer::Tokens, &["tokens_estimated", "bytes_div_4"]),
    (Layer::Chars, &["utf16", "scalars"]),
    (Layer::Bytes, &["bytes"]),
    (Layer::Lines, &["lines"]),
];

pub(super) fn client(at: &At<'_>) -> Option<ClientConfig> {
    let table = at.table(&KEYS)?;
    let text = |key: &str| table.get(key).and_then(|at| at.text().map(str::to_owned));
    Some(ClientConfig {
        profile: text("profile"),
        limits: table.get("limits").and_then(|at| {
            let items = at.items("a list of tables with `layer`, `unit`, `limit`", 0)?;
            let limits: Vec<Option<LimitConfig>> = items.iter().map(limit).collect();
            limits.into_iter().collect()
        }),
        token_estimator: text("token_estimator"),
        protocol: table.get("protocol").and_then(|at| {
            let text = at.text()?;
            if !is_date(text) {
                at.wrong("a protocol version such as `2025-11-25`");
                return None;
            }
            Some(text.to_owned())
        }),
        client_info: table.get("client_info").and_then(|at| client_name(&at)),
        capabilities: table.get("capabilities").and_then(|at| {
            at.free_table()?;
            Some(at.node().to_json())
        }),
    })
}

/// `{ name = "claude-code", version = "2.1.220" }`: some servers answer clients differently.
fn client_name(at: &At<'_>) -> Option<ClientName> {
    let table = at.table(&["name", "version"])?;
    let text = |key: &str| table.must(key, "a text").and_then(|at| at.text().map(str::to_owned));
    let (name, version) = (text("name"), text("version"));
    Some(ClientName { name: name?, version: version? })
}

fn limit(at: &At<'_>) -> Option<LimitConfig> {
    let table = at.table(&["layer", "unit", "limit"])?;
    let layer = table.must("layer", "what is limited").and_then(|at| at.choice(Layer::ALL, Layer::as_str));
    let unit = table.must("unit", "how it is counted").and_then(|at| {
        let all: Vec<&'static str> = UNITS
            .iter()
            .filter(|(of, _)| layer.is_none_or(|layer| layer == *of))
            .flat_map(|(_, units)| units.iter().copied())
            .collect();
        at.choice(&all, |unit| unit)
    });
    let limit = table.must("limit", "a whole number of at least 1").and_then(|at| at.whole(1..=u64::MAX));
    Some(LimitConfig { layer: layer?, unit: unit?.to_owned(), limit: limit? })
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(index, byte)| if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() })
}
