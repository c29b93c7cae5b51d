//! What clients put in place of a result over one of their limits, by its wording. Each client has its own, so a
//! wording is looked for only in that client's transcripts: quoted elsewhere it is text.

use crate::import::{Format, GeminiCut, NoticeKind, gemini_cut, oversize};
use crate::words::Layer;
use regex::Regex;
use std::sync::OnceLock;

crate::words::word_enum!(
/// The wordings.
Wording {
    /// Claude Code: `MCP tool "T" response (N tokens) exceeds maximum allowed tokens (L)`; no data at all.
    TokensRejected => "tokens_rejected",
    /// Claude Code: `result (N characters) exceeds maximum allowed tokens. Output saved to PATH`.
    TokensSaved => "tokens_saved",
    /// Claude Code: `<persisted-output>` with a path and a preview.
    CharsSaved => "chars_saved",
    /// Claude's chat: `result exceeds maximum length of 1048576`, `Tool result is too large. Maximum size is 1MB.`
    LengthRejected => "length_rejected",
    /// Codex: `...N tokens truncated...` in the middle, or whole items left out.
    MiddleCut => "middle_cut",
    /// Codex to 0.56: `[... omitted N of M lines ...]`, `[... output truncated to fit N bytes ...]`.
    HeadTailCut => "head_tail_cut",
    /// Gemini CLI: `Output too large. Showing first A and last B characters.`
    HeadTailSaved => "head_tail_saved",
    /// Inspect: `The output of your call to T was too long to be displayed.`
    LogCut => "log_cut",
});

/// A notice as it stands in a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub wording: Wording,
    /// Characters of the whole result, where the notice tells.
    pub chars: Option<u64>,
    /// Where the client saved the result.
    pub saved: Option<String>,
}

impl Wording {
    /// The limit that the result is over, by the notice's own words.
    pub(super) fn layer(self) -> Layer {
        match self {
            Self::TokensRejected | Self::TokensSaved | Self::MiddleCut => Layer::Tokens,
            Self::CharsSaved | Self::LengthRejected | Self::HeadTailSaved => Layer::Chars,
            Self::HeadTailCut | Self::LogCut => Layer::Bytes,
        }
    }
}

/// The notice of `format`'s client in a result that begins with `text`, if there is one.
pub(super) fn find(format: Format, text: &str) -> Option<Found> {
    match format {
        Format::ClaudeCode => of_claude(text),
        Format::Codex => of_codex(text),
        Format::Gemini => of_gemini(text),
        Format::Inspect => text
            .starts_with("The output of your call to ")
            .then(|| text.lines().next().unwrap_or_default().ends_with("was too long to be displayed."))
            .filter(|is_notice| *is_notice)
            .map(|_| Found { wording: Wording::LogCut, chars: None, saved: None }),
        // The wire holds what the server sent.
        Format::JsonRpc => None,
    }
}

fn of_claude(text: &str) -> Option<Found> {
    if let Some(notice) = oversize(text) {
        let (wording, chars) = match notice.kind {
            NoticeKind::TokensRejected => (Wording::TokensRejected, None),
            NoticeKind::TokensSaved => (Wording::TokensSaved, notice.size),
            NoticeKind::CharsSaved => (Wording::CharsSaved, notice.size),
        };
        return Some(Found { wording, chars, saved: notice.saved });
    }
    let is_length = text.starts_with("result exceeds maximum length of ")
        || text.starts_with("Tool result is too large. Maximum size is ");
    is_length.then_some(Found { wording: Wording::LengthRejected, chars: None, saved: None })
}

struct Wordings {
    middle: Regex,
    omitted: Regex,
    lines: Regex,
}

fn wordings() -> &'static Wordings {
    static WORDINGS: OnceLock<Wordings> = OnceLock::new();
    WORDINGS.get_or_init(|| {
        let compile = |text: &str| Regex::new(text).expect("the expression is a constant");
        Wordings {
            middle: compile("\u{2026}\\d[\\d.,]* (?:tokens|chars|characters) truncated\u{2026}"),
            omitted: compile(r"\[omitted \d+ (?:text )?items?"),
            lines: compile(
                r"\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes) \.\.\.\]",
            ),
        }
    })
}

fn of_codex(text: &str) -> Option<Found> {
    let found = |wording| Some(Found { wording, chars: None, saved: None });
    if wordings().middle.is_match(text) || wordings().omitted.is_match(text) {
        return found(Wording::MiddleCut);
    }
    if wordings().lines.is_match(text) { found(Wording::HeadTailCut) } else { None }
}

fn of_gemini(text: &str) -> Option<Found> {
    let GeminiCut { chars, saved } = gemini_cut(text)?;
    Some(Found { wording: Wording::HeadTailSaved, chars: Some(chars), saved: Some(saved) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_wordings() {
        let claude = "result (54,205 characters) exceeds maximum allowed tokens. Output saved to /t/tool-results/x.txt";
        let codex = "[{\"type\":\"text\",\"text\":\"part\u{2026}2900 tokens truncated\u{2026}end\"}]";
        let gemini = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /tmp/x.txt\na\n... [1,000 characters omitted] ...\nb";
        for (format, text, expected) in [
            (Format::ClaudeCode, claude, Some((Wording::TokensSaved, Some(54_205)))),
            (
                Format::ClaudeCode,
                "result exceeds maximum length of 1048576",
                Some((Wording::LengthRejected, None)),
            ),
            (Format::ClaudeCode, codex, None),
            (Format::Codex, codex, Some((Wording::MiddleCut, None))),
            (Format::Codex, "a\n[... omitted 34 of 324 lines ...]\nb", Some((Wording::HeadTailCut, None))),
            (Format::Codex, claude, None),
            (Format::Gemini, gemini, Some((Wording::HeadTailSaved, Some(41_000)))),
            (Format::Gemini, "He said: Output too large. Showing first 1 and last 2 characters.", None),
            (
                Format::Inspect,
                "The output of your call to x was too long to be displayed.\nHere is a truncated version:",
                Some((Wording::LogCut, None)),
            ),
            (Format::JsonRpc, claude, None),
        ] {
            let found = find(format, text).map(|found| (found.wording, found.chars));
            assert_eq!(found, expected, "{format} {text}");
        }
    }
}
