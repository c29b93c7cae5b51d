//! One call with its result, measured.

use super::notice::{Found, Wording, find};
use super::row::{Row, least};
use crate::client::{Block, Page, Profile, ToolResult, utf16_len, view};
use crate::import::{Format, Output, OutputBlock};
use crate::words::Layer;
use serde_json::Value;

/// A result as its client saw it.
pub(super) enum Seen {
    /// Shown whole.
    Whole,
    /// Not shown whole, by the client's own word or by its profile.
    Refused(Option<Found>),
    Error,
}

/// A result, measured once.
pub(super) struct Measured {
    pub seen: Seen,
    /// What the client forwards of what the transcript holds.
    pub result: ToolResult,
    /// Characters of the whole result, as far as they are known.
    chars: Option<u64>,
    tokens: Option<u64>,
    layers: Vec<Layer>,
    is_by_estimate: bool,
}

/// Measures a result by `profile`.
pub(super) fn measure(format: Format, profile: &Profile, tool: &str, output: Output) -> Measured {
    let first = output.blocks().next().map(|block| block.text().to_owned());
    let found = first.as_deref().and_then(|text| find_in(format, text, &output));
    let tokens = first.as_deref().filter(|_| found.is_some()).and_then(refused_tokens);
    let whole_bytes = output.whole_bytes;
    let result = result_of(output);
    if let Some(found) = found {
        let chars = found.chars.or(whole_bytes);
        let mut layers = vec![found.wording.layer()];
        let over = |limit: &&crate::client::Limit| {
            limit.layer == Layer::Chars && chars.is_some_and(|chars| chars > limit.limit)
        };
        if profile.limits.iter().any(|limit| over(&limit)) && !layers.contains(&Layer::Chars) {
            layers.push(Layer::Chars);
        }
        let seen = Seen::Refused(Some(found));
        return Measured { seen, result, chars, tokens, layers, is_by_estimate: false };
    }
    if result.is_error {
        let seen = Seen::Error;
        return Measured {
            seen,
            result,
            chars: None,
            tokens: None,
            layers: Vec::new(),
            is_by_estimate: false,
        };
    }
    let view = view(profile, tool, &Value::Null, &result);
    let chars = Some(utf16_len(result.forwarded(profile).text()));
    let is_refused = format == Format::JsonRpc && view.is_partial();
    let is_by_estimate = is_refused && view.oversized_by == [Layer::Tokens];
    let seen = if is_refused { Seen::Refused(None) } else { Seen::Whole };
    Measured { seen, result, chars, tokens: None, layers: view.oversized_by, is_by_estimate }
}

/// The notice of a result. Where the format tells of a cut itself, no wording is needed.
fn find_in(format: Format, text: &str, output: &Output) -> Option<Found> {
    let told = output.whole_bytes.map(|_| Found {
        wording: if format == Format::Inspect { Wording::LogCut } else { Wording::MiddleCut },
        chars: None,
        saved: None,
    });
    // A cut in the middle has no fixed place: the reader tells it from one that the server quotes.
    let is_quoted = format == Format::Codex && !output.is_cut();
    if is_quoted { None } else { find(format, text).or(told) }
}

/// The tokens of a rejected result.
fn refused_tokens(text: &str) -> Option<u64> {
    let notice = crate::import::oversize(text)?;
    (notice.kind == crate::import::NoticeKind::TokensRejected).then_some(notice.size).flatten()
}

fn result_of(output: Output) -> ToolResult {
    let parts = output.shown.len();
    let blocks = output.shown.into_iter().filter_map(|block| match block {
        OutputBlock::Text(block) => Some(block),
        OutputBlock::Other(_) => None,
    });
    ToolResult {
        is_error: output.is_error,
        blocks: blocks.collect(),
        structured: output.structured.map(Block::of_document),
        parts,
        is_unreadable: false,
    }
}

impl Measured {
    /// The page that the agent could use.
    pub fn page<'r>(&'r self, profile: &Profile) -> Option<Page<'r>> {
        matches!(self.seen, Seen::Whole).then(|| self.result.forwarded(profile))
    }

    /// Counts the result.
    pub fn count(&self, row: &mut Row) {
        row.results += 1;
        for layer in &self.layers {
            *row.over.entry(*layer).or_default() += 1;
        }
        if let Some(chars) = self.chars {
            row.sizes.take(chars);
        }
        match &self.seen {
            Seen::Error => row.errors += 1,
            Seen::Whole => row.largest_shown = row.largest_shown.max(self.chars),
            Seen::Refused(found) => {
                row.oversized += 1;
                row.oversized_by_estimate += u64::from(self.is_by_estimate);
                row.smallest_refused = least(row.smallest_refused, self.chars);
                row.smallest_refused_tokens = least(row.smallest_refused_tokens, self.tokens);
                if let Some(found) = found {
                    *row.notices.entry(found.wording).or_default() += 1;
                }
            }
        }
    }
}
