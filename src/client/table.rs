//! The clients that are known, as of November 2026; a suite file can override any number.

use super::profile::{Limit, Per, Representation, SizeUnit, Strategy};
use crate::words::Layer;

use Representation::{Content, StructuredFirst};
use SizeUnit::{Bytes, BytesDiv4, Lines, Scalars, TokensEstimated, Utf16};

/// Name, representation, limits, what they apply to, what is shown instead, what stands between blocks.
pub(super) struct Row(
    pub &'static str,
    pub Representation,
    pub &'static [Limit],
    pub Per,
    pub Strategy,
    pub &'static str,
);

const fn limit(layer: Layer, unit: SizeUnit, limit: u64) -> Limit {
    Limit { layer, unit, limit }
}

pub(super) const TABLE: &[Row] = &[
    Row(
        "claude-code",
        StructuredFirst,
        &[limit(Layer::Tokens, TokensEstimated, 25_000), limit(Layer::Chars, Utf16, 50_000)],
        Per::Result,
        Strategy::SpillToFile,
        "\n",
    ),
    Row(
        "claude-code-100k",
        StructuredFirst,
        &[limit(Layer::Tokens, TokensEstimated, 25_000), limit(Layer::Chars, Utf16, 100_000)],
        Per::Result,
        Strategy::SpillToFile,
        "\n",
    ),
    Row(
        "claude-code-legacy",
        Content,
        &[limit(Layer::Tokens, TokensEstimated, 25_000)],
        Per::Result,
        Strategy::RejectError,
        "\n",
    ),
    Row(
        "claude-desktop",
        Content,
        &[limit(Layer::Chars, Utf16, 1_048_576)],
        Per::Result,
        Strategy::RejectError,
        "\n",
    ),
    // 10,000 with the serialisation allowance of 1.2.
    Row(
        "codex",
        StructuredFirst,
        &[limit(Layer::Tokens, BytesDiv4, 12_000)],
        Per::Result,
        Strategy::MiddleCut,
        "\n",
    ),
    Row(
        "gemini-cli",
        Content,
        &[limit(Layer::Chars, Utf16, 40_000)],
        Per::SingleTextPart,
        Strategy::Head20Tail80Spill,
        "\n",
    ),
    Row(
        "qwen-code",
        Content,
        &[limit(Layer::Chars, Utf16, 25_000), limit(Layer::Lines, Lines, 1_000)],
        Per::Result,
        Strategy::CutAndSpill,
        "\n",
    ),
    Row(
        "vscode-copilot",
        StructuredFirst,
        &[limit(Layer::Bytes, Bytes, 8_192)],
        Per::Result,
        Strategy::SpillToFile,
        "\n",
    ),
    Row(
        "goose",
        Content,
        &[limit(Layer::Chars, Scalars, 200_000)],
        Per::TextBlock,
        Strategy::SpillToFile,
        "\n",
    ),
    Row(
        "opencode",
        Content,
        &[limit(Layer::Bytes, Bytes, 51_200), limit(Layer::Lines, Lines, 2_000)],
        Per::Result,
        Strategy::HeadAndSpill,
        "\n",
    ),
    Row("inspect-ai", Content, &[limit(Layer::Bytes, Bytes, 16_384)], Per::Result, Strategy::MiddleCut, "\n"),
    Row("zed", Content, &[], Per::Result, Strategy::None, ""),
    Row("cline", Content, &[], Per::Result, Strategy::None, "\n\n"),
    Row("none", Content, &[], Per::Result, Strategy::None, "\n"),
];
