//! Notices that stand in place of a result over a limit of the client. Only the start of the result of an MCP
//! tool can be one: a notice that is quoted somewhere is text.

use regex::Regex;
use std::sync::OnceLock;

crate::words::word_enum!(
/// The wordings.
NoticeKind {
    /// `MCP tool "T" response (N tokens) exceeds maximum allowed tokens (L)`: no data at all.
    TokensRejected => "tokens_rejected",
    /// `result (N characters) exceeds maximum allowed tokens. Output saved to PATH`.
    TokensSaved => "tokens_saved",
    /// `<persisted-output>` with a path and a preview.
    CharsSaved => "chars_saved",
});

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oversize {
    pub kind: NoticeKind,
    /// The size that it tells: characters for `TokensSaved`, tokens for `TokensRejected`, bytes (rounded by
    /// the client) for `CharsSaved`.
    pub size: Option<u64>,
    /// Where the client saved the result.
    pub saved: Option<String>,
}

struct Wordings {
    rejected: Regex,
    saved: Regex,
    persisted: Regex,
}

fn wordings() -> &'static Wordings {
    static WORDINGS: OnceLock<Wordings> = OnceLock::new();
    WORDINGS.get_or_init(|| {
        let compile = |text: &str| Regex::new(text).expect("the expression is a constant");
        // Numbers are written as the reader's country does: `113,673`, `201.710`, `12 345`.
        Wordings {
            rejected: compile(
                r#"^(?:Error: )?MCP tool "[^"\n]*" response \(([\d.,'\u{2019}\u{a0}\u{202f} ]+) tokens\) exceeds maximum allowed tokens"#,
            ),
            saved: compile(
                r"^(?:Error: )?result \(([\d.,'\u{2019}\u{a0}\u{202f} ]+) characters?(?: across [^)\n]* lines?)?\) exceeds maximum allowed tokens\. Output (?:has been )?saved to ([^\n]+)",
            ),
            persisted: compile(
                r"^<persisted-output>\s*Output too large \(([\d.,]+) ?(B|KB|MB)\)\. Full output saved to: ([^\n]+)",
            ),
        }
    })
}

/// The notice with which a result of an MCP tool begins, if it is one.
pub fn oversize(text: &str) -> Option<Oversize> {
    let text = text.trim_start();
    let wordings = wordings();
    if let Some(found) = wordings.saved.captures(text) {
        let path = found[2].trim_end();
        let saved = Some(path.strip_suffix('.').unwrap_or(path).to_owned());
        return Some(Oversize { kind: NoticeKind::TokensSaved, size: whole(&found[1]), saved });
    }
    if let Some(found) = wordings.persisted.captures(text) {
        let size = rounded_bytes(&found[1], &found[2]);
        let saved = Some(found[3].trim_end().to_owned());
        return Some(Oversize { kind: NoticeKind::CharsSaved, size, saved });
    }
    let found = wordings.rejected.captures(text)?;
    Some(Oversize { kind: NoticeKind::TokensRejected, size: whole(&found[1]), saved: None })
}

/// A whole number with any separators.
fn whole(text: &str) -> Option<u64> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

fn rounded_bytes(number: &str, unit: &str) -> Option<u64> {
    let factor = match unit {
        "KB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        _ => 1.0,
    };
    let number: f64 = number.replace(',', ".").parse().ok()?;
    Some((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wording_is_known_at_the_start_alone() {
        let of = |kind, size, saved: Option<&str>| {
            Some(Oversize { kind, size: Some(size), saved: saved.map(str::to_owned) })
        };
        for (text, wanted) in [
            (
                r#"MCP tool "thread_read" response (31203 tokens) exceeds maximum allowed tokens (25000). Please use"#,
                of(NoticeKind::TokensRejected, 31_203, None),
            ),
            (
                "Error: result (113,673 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to /h/t.txt.\nFormat: Plain text",
                of(NoticeKind::TokensSaved, 113_673, Some("/h/t.txt")),
            ),
            (
                "result (201.710 characters) exceeds maximum allowed tokens. Output saved to C:\\a b\\t.txt\nFormat",
                of(NoticeKind::TokensSaved, 201_710, Some("C:\\a b\\t.txt")),
            ),
            (
                "result (54\u{202f}205 characters across 1.204 lines) exceeds maximum allowed tokens. Output saved to /t",
                of(NoticeKind::TokensSaved, 54_205, Some("/t")),
            ),
            (
                "<persisted-output>\nOutput too large (66.5KB). Full output saved to: /h/x.txt\n\nPreview (first 2KB):\nab",
                of(NoticeKind::CharsSaved, 68_096, Some("/h/x.txt")),
            ),
            (
                "<persisted-output>\nOutput too large (1,5 MB). Full output saved to: /h/x.txt\n",
                of(NoticeKind::CharsSaved, 1_572_864, Some("/h/x.txt")),
            ),
            ("File content (31203 tokens) exceeds maximum allowed tokens (25000). Please use offset", None),
            ("the log says: result (1 characters) exceeds maximum allowed tokens. Output saved to /t", None),
            (
                "{\"text\": \"<persisted-output>\\nOutput too large (66.5KB). Full output saved to: /h\"}",
                None,
            ),
            ("", None),
        ] {
            assert_eq!(oversize(text), wanted, "{text}");
        }
    }
}
