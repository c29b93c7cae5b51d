//! Client profiles: which representation a client forwards, its limits, and what it does with a result over them.

use super::estimate::Estimator;
use super::table::{Row, TABLE};
use crate::suite::{ClientConfig, ClientName};
use crate::text::sha256_hex;
use crate::words::Layer;
use serde::Serialize;

crate::words::word_enum!(
/// Which part of a result the client forwards.
Representation {
    /// `structuredContent` when it is there and the result is no error, else the text blocks.
    StructuredFirst => "structured_first",
    /// The text blocks; `structuredContent` only when there is no text.
    Content => "content",
});

crate::words::word_enum!(
/// What the client counts.
SizeUnit {
    Utf16 => "utf16", Scalars => "scalars", Bytes => "bytes", Lines => "lines",
    TokensEstimated => "tokens_estimated", BytesDiv4 => "bytes_div_4",
});

crate::words::word_enum!(
/// What a limit is applied to.
Per {
    Result => "result", TextBlock => "text_block",
    /// Only when the result is exactly one text part.
    SingleTextPart => "single_text_part_only",
});

crate::words::word_enum!(
/// What the model gets instead of an oversized result.
Strategy {
    None => "none", SpillToFile => "spill_to_file", RejectError => "reject_error", MiddleCut => "middle_cut",
    Head20Tail80Spill => "head20_tail80_spill", CutAndSpill => "cut_and_spill", HeadAndSpill => "head_and_spill",
});

impl Strategy {
    /// Whether the whole result stands in a file that the agent can read.
    pub fn saves_files(self) -> bool {
        matches!(self, Self::SpillToFile | Self::Head20Tail80Spill | Self::CutAndSpill | Self::HeadAndSpill)
    }
}

/// One limit: a result over it is oversized.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limit {
    pub layer: Layer,
    pub unit: SizeUnit,
    pub limit: u64,
}

/// How an agent's client treats results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    pub id: String,
    pub representation: Representation,
    pub limits: Vec<Limit>,
    pub per: Per,
    pub strategy: Strategy,
    /// Put between text blocks.
    pub join: &'static str,
    /// The key in a tool's `_meta` that replaces all limits by one in UTF-16 units, and its largest value.
    pub meta_override: Option<(&'static str, u64)>,
    pub estimator: Estimator,
    /// The protocol revision that the client asks for.
    pub protocol: String,
    /// The name that servers are told; this tool's own by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientName>,
    /// What servers are told that the client offers; nothing by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<serde_json::Value>,
}

/// A `[client]` section that names nothing known.
#[derive(Debug, thiserror::Error)]
#[error("client: {what} `{found}` is not known; allowed: {allowed}")]
pub struct ProfileError {
    pub what: &'static str,
    pub found: String,
    pub allowed: String,
}

/// The protocol revision asked for by default.
pub const DEFAULT_PROTOCOL: &str = "2025-11-25";

impl Profile {
    /// The names of the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.0)
    }

    /// The profile that `[client]` asks for; `name` (a flag) wins over the file. Default: `claude-code`.
    ///
    /// # Errors
    /// When the profile, a unit or the estimator is not known.
    pub fn resolve(config: &ClientConfig, name: Option<&str>) -> Result<Self, ProfileError> {
        let wanted = name.or(config.profile.as_deref()).unwrap_or("claude-code");
        let row = TABLE.iter().find(|row| row.0 == wanted).ok_or_else(|| ProfileError {
            what: "profile",
            found: wanted.to_owned(),
            allowed: Self::names().collect::<Vec<_>>().join(", "),
        })?;
        let mut profile = Self::from_row(row);
        if let Some(limits) = &config.limits {
            profile.limits = limits.iter().map(configured_limit).collect::<Result<_, _>>()?;
        }
        if profile.strategy == Strategy::None && !profile.limits.is_empty() {
            // Limits for a client without any of its own: a result over them is saved, as most clients do.
            profile.strategy = Strategy::SpillToFile;
        }
        if let Some(estimator) = &config.token_estimator {
            profile.estimator = Estimator::parse(estimator).ok_or_else(|| ProfileError {
                what: "token_estimator",
                found: estimator.clone(),
                allowed: Estimator::allowed(),
            })?;
        }
        if let Some(protocol) = &config.protocol {
            profile.protocol = protocol.clone();
        }
        profile.client_info.clone_from(&config.client_info);
        profile.capabilities.clone_from(&config.capabilities);
        Ok(profile)
    }

    fn from_row(row: &Row) -> Self {
        let Row(id, representation, limits, per, strategy, join) = *row;
        Self {
            id: id.to_owned(),
            representation,
            limits: limits.to_vec(),
            per,
            strategy,
            join,
            meta_override: (id == "claude-code").then_some(("anthropic/maxResultSizeChars", 500_000)),
            estimator: Estimator::default(),
            protocol: DEFAULT_PROTOCOL.to_owned(),
            client_info: None,
            capabilities: None,
        }
    }

    /// The unit of `result_chars`: that of the first limit that counts no tokens and no lines, else UTF-16.
    pub fn unit(&self) -> SizeUnit {
        self.limits
            .iter()
            .map(|limit| limit.unit)
            .find(|unit| matches!(unit, SizeUnit::Utf16 | SizeUnit::Scalars | SizeUnit::Bytes))
            .unwrap_or(SizeUnit::Utf16)
    }

    /// The limit in that unit, if there is one.
    pub fn limit_in_unit(&self) -> Option<u64> {
        let unit = self.unit();
        self.limits.iter().filter(|limit| limit.unit == unit).map(|limit| limit.limit).min()
    }

    /// SHA-256 over all that decides what is forwarded, counted and seen.
    pub fn sha256(&self) -> String {
        sha256_hex(serde_json::to_vec(self).unwrap_or_default())
    }
}

fn configured_limit(config: &crate::suite::LimitConfig) -> Result<Limit, ProfileError> {
    let unit = SizeUnit::parse(&config.unit).ok_or_else(|| ProfileError {
        what: "unit",
        found: config.unit.clone(),
        allowed: SizeUnit::ALL.iter().map(|unit| unit.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    Ok(Limit { layer: config.layer, unit, limit: config.limit })
}
