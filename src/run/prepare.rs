//! Before the first call: each side is started once, says who it is and lists its tools.

use super::launch::SideSpec;
use super::seat::{Seat, Starter};
use super::worker::MOST_FAILED_STARTS;
use crate::agent::SideTool;
use crate::text::{canonical, sha256_hex};
use crate::trace::{ToolMeta, ToolsListMeta};
use crate::wire::{CallFailure, ClientInfo, Ending, Limits, StartError, StartErrorKind, Tool};
use crate::words::Side;
use serde_json::Value;
use std::sync::Arc;

/// A side that started: who answered, and with which tools.
#[derive(Debug, Clone)]
pub struct PreparedSide {
    pub server_name: String,
    pub server_version: String,
    pub protocol: String,
    pub tools: Vec<SideTool>,
    pub tools_list: ToolsListMeta,
    /// What was odd while it started and listed, one line each.
    pub warnings: Vec<String>,
}

/// Both sides.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub baseline: PreparedSide,
    pub candidate: PreparedSide,
}

/// A side that could not be started, initialised or listed.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error("the {side} did not start: {error}")]
    Start { side: Side, error: StartError },
    #[error("the {side} did not list its tools: {error}")]
    List { side: Side, error: CallFailure, stderr_tail: String },
}

impl PrepareError {
    /// The end of the server's stderr; empty when nothing came.
    pub fn stderr_tail(&self) -> &str {
        match self {
            Self::Start { error, .. } => &error.stderr_tail,
            Self::List { stderr_tail, .. } => stderr_tail,
        }
    }

    /// The side was still at work when its time was over.
    pub fn timed_out(&self) -> bool {
        match self {
            Self::Start { error, .. } => matches!(error.kind, StartErrorKind::Timeout { .. }),
            Self::List { error, .. } => matches!(error, CallFailure::Timeout { .. }),
        }
    }

    pub fn side(&self) -> Side {
        match self {
            Self::Start { side, .. } | Self::List { side, .. } => *side,
        }
    }
}

/// Starts a side, reads its tool list and ends it.
///
/// # Errors
/// When the side does not start, does not initialise, or does not list its tools.
pub async fn prepare(
    side: Side,
    spec: &SideSpec,
    info: &ClientInfo,
    limits: &Limits,
    seed: u64,
) -> Result<PreparedSide, PrepareError> {
    let (mut prepared, seat) = open(side, spec, info, limits, seed).await?;
    let closed = seat.close().await;
    if closed.ending == Some(Ending::Killed) {
        prepared.warnings.push(format!(
            "{side}: it had to be killed: it goes on after the end of its stdin and after TERM"
        ));
    }
    if closed.left_children {
        prepared.warnings.push(format!("{side}: it left processes behind, which were killed"));
    }
    Ok(prepared)
}

/// As [`prepare`], and the session goes on.
///
/// # Errors
/// As [`prepare`].
pub async fn open(
    side: Side,
    spec: &SideSpec,
    info: &ClientInfo,
    limits: &Limits,
    seed: u64,
) -> Result<(PreparedSide, Seat), PrepareError> {
    let starter = Starter {
        spec: Arc::new(spec.clone()),
        info: Arc::new(info.clone()),
        limits: Arc::new(limits.clone()),
        seed,
    };
    let attempt_seed = crate::plan::attempt_seed(seed, "", side, 0);
    let mut deaths = 0;
    let mut seat = loop {
        match starter.start(side, &attempt_seed).await {
            Ok(seat) => break seat,
            // One that died may live the next time, as it may in the middle of a run.
            Err(error) if error.is_death() && deaths + 1 < MOST_FAILED_STARTS => deaths += 1,
            Err(error) => return Err(PrepareError::Start { side, error }),
        }
    };
    let listing = match seat.session.list_tools().await {
        Ok(listing) => listing,
        Err(error) => {
            let stderr_tail = spec.secrets.hide(&seat.session.stderr_tail());
            let error = spec.secrets.hide_in_listing(error);
            return Err(PrepareError::List { side, error, stderr_tail });
        }
    };
    let hello = seat.session.server().clone();
    let counters = seat.session.counters();
    let mut warnings: Vec<String> =
        counters.warnings.iter().map(|(what, times)| format!("{side}: {what} ({times} times)")).collect();
    if counters.junk > 0 {
        warnings.push(format!("{side}: {} lines on stdout were no messages", counters.junk));
    }
    if deaths > 0 {
        warnings.push(format!("{side}: it died {deaths} times before it answered, and was started again"));
    }
    if listing.relisted > 0 {
        warnings.push(format!("{side}: its tool list changed after the start; the last one counts"));
    }
    if listing.is_unsettled {
        warnings.push(format!("{side}: the tool list was still changing when it was taken"));
    }
    let prepared = PreparedSide {
        server_name: spec.secrets.hide(&hello.name),
        server_version: spec.secrets.hide(&hello.version),
        protocol: spec.secrets.hide(&hello.protocol),
        tools: listing.tools.iter().map(side_tool).collect(),
        tools_list: ToolsListMeta {
            bytes: listing.bytes,
            sha256: listing.sha256.clone(),
            tools: listing.tools.iter().map(tool_meta).collect(),
        },
        warnings,
    };
    Ok((prepared, seat))
}

fn side_tool(tool: &Tool) -> SideTool {
    SideTool {
        name: tool.name.clone(),
        input_schema: tool.input_schema.clone(),
        meta: tool.meta.clone(),
        read_only: tool.read_only_hint,
    }
}

fn tool_meta(tool: &Tool) -> ToolMeta {
    let entry = crate::wire::read_value(tool.raw.get()).unwrap_or(Value::Null);
    let names = |value: Option<&Value>| match value {
        Some(Value::Object(map)) => map.keys().cloned().collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    ToolMeta {
        name: tool.name.clone(),
        sha256: sha256_hex(canonical(&entry)),
        description_sha256: sha256_hex(tool.description.as_deref().unwrap_or_default()),
        arguments: names(tool.input_schema.get("properties")),
        required: names(tool.input_schema.get("required")),
        read_only: tool.read_only_hint,
        input_schema: Some(tool.input_schema.clone()),
    }
}
