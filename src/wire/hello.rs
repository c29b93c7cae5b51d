//! What a server says about itself when a session begins.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::counters::excerpt;
use super::envelope::text_of;
use super::mend::read_value;

type Members<'a> = BTreeMap<String, &'a RawValue>;

fn members_of(raw: &RawValue) -> Result<Members<'_>, serde_json::Error> {
    serde_json::from_str(raw.get())
}

fn text(members: &Members<'_>, name: &str) -> Option<String> {
    members.get(name).and_then(|raw| text_of(raw)).map(Cow::into_owned)
}

/// The answer to `initialize`, or to `server/discover`.
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
        let members = members_of(&raw).map_err(|error| format!("expected an object: {error}"))?;
        let protocol = text(&members, "protocolVersion")
            .ok_or_else(|| "expected `protocolVersion`, a text".to_owned())?;
        let info = members.get("serverInfo").and_then(|raw| members_of(raw).ok()).unwrap_or_default();
        Ok(Self::build(protocol, &members, &info, raw.clone()))
    }

    /// Read the result of `server/discover`, which must support `protocol`.
    pub(crate) fn read_discovery(raw: Box<RawValue>, protocol: &str) -> Result<Self, String> {
        let members = members_of(&raw).map_err(|error| format!("expected an object: {error}"))?;
        let versions = members.get("supportedVersions").and_then(|raw| read_value(raw.get()).ok());
        let versions =
            versions.as_ref().and_then(Value::as_array).ok_or("expected `supportedVersions`, an array")?;
        if !versions.iter().any(|version| version == protocol) {
            let found = excerpt(Value::from(versions.clone()).to_string().as_bytes());
            return Err(format!("expected `{protocol}` in `supportedVersions`, found `{found}`"));
        }
        let meta = members.get("_meta").and_then(|raw| members_of(raw).ok()).unwrap_or_default();
        let info = meta.get("io.modelcontextprotocol/serverInfo").and_then(|raw| members_of(raw).ok());
        Ok(Self::build(protocol.to_owned(), &members, &info.unwrap_or_default(), raw.clone()))
    }

    fn build(protocol: String, members: &Members<'_>, info: &Members<'_>, raw: Box<RawValue>) -> Self {
        let capabilities = members.get("capabilities").and_then(|raw| read_value(raw.get()).ok());
        Self {
            protocol,
            name: text(info, "name").unwrap_or_default(),
            version: text(info, "version").unwrap_or_default(),
            instructions_chars: text(members, "instructions").map_or(0, |text| text.chars().count()),
            capabilities: capabilities.filter(Value::is_object).unwrap_or_else(|| serde_json::json!({})),
            raw,
        }
    }

    /// Whether the server announces changes of its tool list.
    pub fn announces_tool_changes(&self) -> bool {
        self.capabilities.pointer("/tools/listChanged").and_then(Value::as_bool).unwrap_or(false)
    }
}
