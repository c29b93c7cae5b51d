//! What the model sees of a result: whole, cut, or a notice instead of it.

use super::cut;
use super::estimate::{size, utf16_len};
use super::profile::{Limit, Per, Profile, SizeUnit, Strategy};
use super::result::{Page, ToolResult};
use crate::words::{Layer, ViewKind};
use serde_json::Value;

/// A result after the client profile.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    pub kind: ViewKind,
    /// The layers whose limit the result is over, in the profile's order.
    pub oversized_by: Vec<Layer>,
    /// All that the client forwards, or saves to a file.
    pub forwarded: Page,
    /// What the agent can use: the forwarded page when the view is whole, the cut text, or nothing.
    pub visible: Page,
    /// Of the forwarded text, in the profile's unit.
    pub result_chars: u64,
    /// Of what the model sees, a notice included, in the profile's unit.
    pub view_chars: u64,
    pub tokens_estimated: u64,
    pub view_tokens_estimated: u64,
}

impl View {
    /// Whether the model sees less than the whole result.
    pub fn is_partial(&self) -> bool {
        self.kind != ViewKind::Whole
    }

    /// The view of a failed call: its error text, whole.
    pub fn of_text(profile: &Profile, text: &str) -> Self {
        let result = ToolResult { is_error: true, blocks: vec![text.to_owned()], structured: None };
        view(profile, "", &Value::Null, &result)
    }
}

/// Applies `profile` to the result of `tool`, whose `_meta` in the tool list may override the limits.
pub fn view(profile: &Profile, tool: &str, tool_meta: &Value, result: &ToolResult) -> View {
    let forwarded = result.forwarded(profile);
    let limits = limits_for(profile, tool_meta);
    let tripped = tripped_limits(profile, &limits, result, &forwarded);
    let shown =
        if tripped.is_empty() { None } else { shown_instead(profile, tool, &tripped, result, &forwarded) };
    let unit = profile.unit();
    let measure = |text: &str| (size(text, unit, profile.estimator), profile.estimator.tokens(text));
    let (result_chars, tokens_estimated) = measure(&forwarded.text);
    let oversized_by = tripped.iter().map(|limit| limit.layer).collect();
    match shown {
        None => View {
            kind: ViewKind::Whole,
            oversized_by,
            visible: forwarded.clone(),
            forwarded,
            result_chars,
            view_chars: result_chars,
            tokens_estimated,
            view_tokens_estimated: tokens_estimated,
        },
        Some(Shown { kind, text }) => {
            let (view_chars, view_tokens_estimated) = measure(&text);
            let visible =
                if kind == ViewKind::Cut { Page::of_blocks([text.as_str()], "") } else { Page::default() };
            View {
                kind,
                oversized_by,
                forwarded,
                visible,
                result_chars,
                view_chars,
                tokens_estimated,
                view_tokens_estimated,
            }
        }
    }
}

/// A tool's own `_meta` limit replaces every layer.
fn limits_for(profile: &Profile, tool_meta: &Value) -> Vec<Limit> {
    let declared =
        profile.meta_override.and_then(|(key, largest)| Some((tool_meta.get(key)?.as_u64()?, largest)));
    match declared {
        Some((wanted, largest)) => {
            vec![Limit { layer: Layer::Chars, unit: SizeUnit::Utf16, limit: wanted.min(largest) }]
        }
        None => profile.limits.clone(),
    }
}

fn tripped_limits(profile: &Profile, limits: &[Limit], result: &ToolResult, forwarded: &Page) -> Vec<Limit> {
    let over = |text: &str, limit: &Limit| size(text, limit.unit, profile.estimator) > limit.limit;
    let structured = result.forwarded_structured(profile).is_some();
    let trips = |limit: &&Limit| match profile.per {
        Per::Result => over(&forwarded.text, limit),
        Per::SingleTextPart => (structured || result.blocks.len() == 1) && over(&forwarded.text, limit),
        Per::TextBlock if structured => over(&forwarded.text, limit),
        Per::TextBlock => result.blocks.iter().any(|block| over(block, limit)),
    };
    limits.iter().filter(trips).copied().collect()
}

struct Shown {
    kind: ViewKind,
    text: String,
}

fn shown_instead(
    profile: &Profile,
    tool: &str,
    tripped: &[Limit],
    result: &ToolResult,
    forwarded: &Page,
) -> Option<Shown> {
    let text = forwarded.text.as_str();
    let spilled = |text: String| Shown { kind: ViewKind::Spilled, text };
    let cut = |text: String| Shown { kind: ViewKind::Cut, text };
    let by_tokens = tripped.iter().any(|limit| limit.layer == Layer::Tokens);
    match profile.strategy {
        Strategy::None => None,
        Strategy::SpillToFile if profile.per == Per::TextBlock && !result.blocks.is_empty() => {
            Some(cut(cut::replace_blocks(profile, tool, tripped, &result.blocks)))
        }
        Strategy::SpillToFile if by_tokens => Some(spilled(token_notice(tool, text))),
        Strategy::SpillToFile => Some(spilled(preview_notice(tool, text))),
        Strategy::RejectError => {
            Some(Shown { kind: ViewKind::Rejected, text: reject_notice(profile, tool, text) })
        }
        Strategy::MiddleCut => Some(cut(cut::middle(text, tripped))),
        Strategy::Head20Tail80Spill => Some(cut(cut::head_and_tail(text, tripped))),
        Strategy::CutAndSpill | Strategy::HeadAndSpill => Some(cut(cut::head_lines(text, &profile.limits))),
    }
}

/// The name of the saved file, without the clock and folder that a real client puts in.
pub(super) fn saved_name(tool: &str) -> String {
    format!("tool-results/mcp-{tool}.txt")
}

fn token_notice(tool: &str, text: &str) -> String {
    format!(
        "result ({} characters across {} lines) exceeds maximum allowed tokens. Output has been saved to {}.\n\
         Format: Plain text\nRead the file in chunks with offset and limit.",
        utf16_len(text),
        text.lines().count(),
        saved_name(tool)
    )
}

/// Bytes of the preview that stands in a notice.
const PREVIEW_BYTES: usize = 2_048;

fn preview_notice(tool: &str, text: &str) -> String {
    format!(
        "<persisted-output>\nOutput too large ({:.1}KB). Full output saved to: {}\n\nPreview (first 2KB):\n{}\n...\n\
         </persisted-output>",
        text.len() as f64 / 1024.0,
        saved_name(tool),
        cut::head_bytes(text, PREVIEW_BYTES)
    )
}

fn reject_notice(profile: &Profile, tool: &str, text: &str) -> String {
    let limit = profile.limits.first().map_or(0, |limit| limit.limit);
    format!(
        "MCP tool \"{tool}\" response ({} tokens) exceeds maximum allowed tokens ({limit}). Please use pagination, \
         filtering, or limit parameters to reduce the response size.",
        profile.estimator.tokens(text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::ClientConfig;
    use serde_json::json;

    fn seen(client: &str, text: String, meta: Value) -> View {
        let profile = Profile::resolve(&ClientConfig::default(), Some(client)).unwrap();
        let result = ToolResult { is_error: false, blocks: vec![text], structured: None };
        view(&profile, "t", &meta, &result)
    }

    #[test]
    fn both_layers_of_claude_code_are_told_apart() {
        let cases = [
            ("x".repeat(50_000), vec![], ViewKind::Whole),
            ("x".repeat(50_001), vec![Layer::Chars], ViewKind::Spilled),
            // 25,001 tokens by bytes, 25,001 characters.
            ("€".repeat(25_001), vec![Layer::Tokens], ViewKind::Spilled),
            ("x".repeat(80_000), vec![Layer::Tokens, Layer::Chars], ViewKind::Spilled),
        ];
        for (text, layers, kind) in cases {
            let view = seen("claude-code", text, Value::Null);
            assert_eq!((view.oversized_by.clone(), view.kind), (layers, kind));
            assert_eq!(view.visible.text.is_empty(), kind == ViewKind::Spilled);
        }
    }

    #[test]
    fn characters_are_utf16_units() {
        let view = seen("claude-code", "😀".repeat(10), Value::Null);
        assert_eq!(view.result_chars, 20);
    }

    #[test]
    fn meta_override_replaces_both_layers_up_to_its_largest_value() {
        let meta = json!({"anthropic/maxResultSizeChars": 900_000});
        assert_eq!(seen("claude-code", "x".repeat(500_000), meta.clone()).kind, ViewKind::Whole);
        assert_eq!(seen("claude-code", "x".repeat(500_001), meta.clone()).oversized_by, [Layer::Chars]);
        // A client that does not know the key keeps its own limits.
        assert_eq!(seen("claude-code-100k", "x".repeat(100_001), meta).kind, ViewKind::Spilled);
    }

    #[test]
    fn a_notice_counts_with_its_preview_and_shows_nothing_to_use() {
        let view = seen("claude-code", "y".repeat(60_000), Value::Null);
        assert!(view.view_chars > 2_048 && view.view_chars < 2_400, "{}", view.view_chars);
        assert_eq!(view.result_chars, 60_000);
        assert!(view.visible.parts.is_empty());
    }

    #[test]
    fn a_client_without_limits_shows_everything() {
        assert_eq!(seen("none", "x".repeat(3_000_000), Value::Null).kind, ViewKind::Whole);
        assert_eq!(seen("claude-code-legacy", "x".repeat(75_001), Value::Null).kind, ViewKind::Rejected);
    }
}
