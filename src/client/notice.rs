//! The notices that clients put in place of a result over a limit.

use super::cut;
use super::estimate::utf16_len;
use super::profile::{Limit, Profile, SizeUnit};
use crate::words::Layer;

/// Bytes of the preview that stands in a notice.
const PREVIEW_BYTES: usize = 2_048;

/// The name of the saved file, without the clock and folder that a real client puts in.
pub(super) fn saved_name(tool: &str) -> String {
    format!("tool-results/mcp-{tool}.txt")
}

/// Says where the result was saved: without a preview when a token limit tripped, else with one.
pub(super) fn saved(tool: &str, tripped: &[Limit], text: &str) -> String {
    if tripped.iter().any(|limit| limit.layer == Layer::Tokens) {
        return format!(
            "result ({} characters across {} lines) exceeds maximum allowed tokens. Output has been saved to {}.\n\
             Format: Plain text\nRead the file in chunks with offset and limit.",
            utf16_len(text),
            text.lines().count(),
            saved_name(tool)
        );
    }
    format!(
        "<persisted-output>\nOutput too large ({:.1}KB). Full output saved to: {}\n\nPreview (first 2KB):\n{}\n...\n\
         </persisted-output>",
        text.len() as f64 / 1024.0,
        saved_name(tool),
        cut::head_bytes(text, PREVIEW_BYTES)
    )
}

/// Says that the result is too large, and nothing else.
pub(super) fn rejected(profile: &Profile, tool: &str, tripped: &[Limit], text: &str) -> String {
    match tripped.first() {
        Some(limit) if limit.unit == SizeUnit::TokensEstimated => format!(
            "MCP tool \"{tool}\" response ({} tokens) exceeds maximum allowed tokens ({}). Please use pagination, \
             filtering, or limit parameters to reduce the response size.",
            profile.estimator.tokens(text),
            limit.limit
        ),
        limit => format!("result exceeds maximum length of {}", limit.map_or(0, |limit| limit.limit)),
    }
}
