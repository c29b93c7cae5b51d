//! What a server says about itself when a session begins.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::envelope::text_of;
use super::mend::read_value;

/// The answer to `initialize`.
#[derive(Debug, Clone)]
pub struct ServerHello {
    /// The revision that the server chose. It may be another than was asked for, or an unknown one.
    pub protocol: String,
    /// `serverInfo.name`; empty when it has none.
    pub name: String,
    /// `serverInfo.version`; empty when it has none.
    pub version: String,
    /// Length of `instructions` in characters (Unicode scalar values); 0 without any.
    pub instructions_chars: usize,
    /// `capabilities` as they came; `{}` when there are none.
    pub capabilities: Value,
    /// The whole result as it came.
    pub raw: Box<RawValue>,
}

impl ServerHello {
    /// Read the result of `initialize`. Only `protocolVersion` is asked for; released servers leave
    /// out or bloat the rest.
    pub(crate) fn read(raw: Box<RawValue>) -> Result<Self, String> {
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(raw.get()).map_err(|error| format!("expected an object: {error}"))?;
        let text = |members: &BTreeMap<String, &RawValue>, name: &str| {
            members.get(name).and_then(|raw| text_of(raw)).map(|text| text.into_owned())
        };
        let protocol = text(&members, "protocolVersion")
            .ok_or_else(|| "expected `protocolVersion`, a text".to_owned())?;
        let info: BTreeMap<String, &RawValue> = members
            .get("serverInfo")
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let capabilities = members.get("capabilities").and_then(|raw| read_value(raw.get()).ok());
        Ok(Self {
            protocol,
            name: text(&info, "name").unwrap_or_default(),
            version: text(&info, "version").unwrap_or_default(),
            instructions_chars: text(&members, "instructions").map_or(0, |text| text.chars().count()),
            capabilities: capabilities.filter(Value::is_object).unwrap_or_else(|| serde_json::json!({})),
            raw,
        })
    }

    /// Whether the server announces changes of its tool list.
    pub fn announces_tool_changes(&self) -> bool {
        self.capabilities.pointer("/tools/listChanged").and_then(Value::as_bool).unwrap_or(false)
    }
}
