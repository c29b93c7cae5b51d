//! What the model sees of a result: whole, cut, or a notice instead of it.

use super::cut;
use super::estimate::{is_over, size};
use super::notice;
use super::page::{Block, Page};
use super::profile::{Limit, Per, Profile, SizeUnit, Strategy};
use super::result::ToolResult;
use crate::words::{Layer, ViewKind};
use serde_json::Value;
use std::borrow::Cow;

/// A result after the client profile: its sizes, and what is left of it when it is not whole.
#[derive(Debug, Clone)]
pub struct View {
    pub kind: ViewKind,
    /// The layers whose limit the result is over, in the profile's order.
    pub oversized_by: Vec<Layer>,
    /// Of the forwarded text, in the profile's unit.
    pub result_chars: u64,
    /// Of what the model sees, a notice included, in the profile's unit.
    pub view_chars: u64,
    pub tokens_estimated: u64,
    pub view_tokens_estimated: u64,
    /// What stands in the view of a cut result.
    cut: Vec<Block>,
}

impl View {
    /// Whether the model sees less than the whole result.
    pub fn is_partial(&self) -> bool {
        self.kind != ViewKind::Whole
    }

    /// What the agent can use of `result`, whose view this is: the forwarded page when the view is whole,
    /// the cut text, or nothing.
    pub fn visible<'r>(&'r self, profile: &Profile, result: &'r ToolResult) -> Page<'r> {
        match self.kind {
            ViewKind::Whole => result.forwarded(profile),
            ViewKind::Cut => Page::new(&self.cut, profile.join),
            ViewKind::Spilled | ViewKind::Rejected => Page::new([], profile.join),
        }
    }
}

/// Applies `profile` to the result of `tool`, whose `_meta` in the tool list may override the limits.
pub fn view(profile: &Profile, tool: &str, tool_meta: &Value, result: &ToolResult) -> View {
    let forwarded = result.forwarded(profile);
    let limits = limits_for(profile, tool_meta);
    let tripped = tripped_limits(profile, &limits, result, &forwarded);
    let unit = profile.unit();
    let measure = |text: &str| (size(text, unit, profile.estimator), profile.estimator.tokens(text));
    let (result_chars, tokens_estimated) = measure(forwarded.text());
    let oversized_by = tripped.iter().map(|limit| limit.layer).collect();
    let whole = View {
        kind: ViewKind::Whole,
        oversized_by,
        result_chars,
        view_chars: result_chars,
        tokens_estimated,
        view_tokens_estimated: tokens_estimated,
        cut: Vec::new(),
    };
    if tripped.is_empty() {
        return whole;
    }
    let Some(shown) = shown_instead(profile, tool, &limits, &tripped, result, &forwarded) else {
        return whole;
    };
    let page = Page::new(&shown.blocks, profile.join);
    let (view_chars, view_tokens_estimated) = measure(page.text());
    let cut = if shown.kind == ViewKind::Cut { shown.blocks } else { Vec::new() };
    View { kind: shown.kind, view_chars, view_tokens_estimated, cut, ..whole }
}

/// A tool's own `_meta` limit replaces every layer.
fn limits_for<'p>(profile: &'p Profile, tool_meta: &Value) -> Cow<'p, [Limit]> {
    let declared =
        profile.meta_override.and_then(|(key, largest)| Some((tool_meta.get(key)?.as_u64()?, largest)));
    match declared {
        Some((wanted, largest)) => {
            vec![Limit { layer: Layer::Chars, unit: SizeUnit::Utf16, limit: wanted.min(largest) }].into()
        }
        None => profile.limits.as_slice().into(),
    }
}

fn tripped_limits(
    profile: &Profile,
    limits: &[Limit],
    result: &ToolResult,
    forwarded: &Page<'_>,
) -> Vec<Limit> {
    let over = |text: &str, limit: &Limit| is_over(text, limit.unit, profile.estimator, limit.limit);
    let structured = result.forwarded_structured(profile).is_some();
    let trips = |limit: &&Limit| match profile.per {
        Per::SingleTextPart if !structured && result.parts != 1 => false,
        Per::TextBlock if !structured => result.blocks.iter().any(|block| over(block.text(), limit)),
        // One budget for all blocks, each of which is rounded up by itself.
        _ if limit.unit == SizeUnit::BytesDiv4 => {
            let cost = |text: &&str| size(text, limit.unit, profile.estimator);
            items(profile, result, forwarded).iter().map(cost).sum::<u64>() > limit.limit
        }
        _ => over(forwarded.text(), limit),
    };
    limits.iter().filter(trips).copied().collect()
}

/// What is forwarded, block by block: structured content is one text.
fn items<'p>(profile: &Profile, result: &'p ToolResult, forwarded: &'p Page<'_>) -> Vec<&'p str> {
    match result.forwarded_structured(profile) {
        Some(_) => vec![forwarded.text()],
        None => result.blocks.iter().map(Block::text).collect(),
    }
}

struct Shown {
    kind: ViewKind,
    blocks: Vec<Block>,
}

fn shown_instead(
    profile: &Profile,
    tool: &str,
    limits: &[Limit],
    tripped: &[Limit],
    result: &ToolResult,
    forwarded: &Page<'_>,
) -> Option<Shown> {
    let text = forwarded.text();
    let one = |kind: ViewKind, text: String| Some(Shown { kind, blocks: vec![Block::of_text(text)] });
    match profile.strategy {
        Strategy::None => None,
        Strategy::SpillToFile
            if profile.per == Per::TextBlock && result.forwarded_structured(profile).is_none() =>
        {
            let blocks = cut::replace_blocks(profile, tool, tripped, &result.blocks);
            Some(Shown { kind: ViewKind::Cut, blocks })
        }
        Strategy::SpillToFile => one(ViewKind::Spilled, notice::saved(tool, tripped, text)),
        Strategy::RejectError => one(ViewKind::Rejected, notice::rejected(profile, tool, tripped, text)),
        Strategy::MiddleCut if tripped.iter().any(|limit| limit.unit == SizeUnit::BytesDiv4) => {
            let texts = cut::middle_of_items(&items(profile, result, forwarded), tripped);
            Some(Shown { kind: ViewKind::Cut, blocks: texts.into_iter().map(Block::of_text).collect() })
        }
        Strategy::MiddleCut => one(ViewKind::Cut, cut::middle_in_frame(text, tool, tripped)),
        Strategy::Head20Tail80Spill => one(ViewKind::Cut, cut::head_and_tail(text, tripped)),
        Strategy::CutAndSpill | Strategy::HeadAndSpill => one(ViewKind::Cut, cut::head_lines(text, limits)),
    }
}
