//! What Gemini CLI shows of a result over its limit: the start, the end, and where the whole was saved.

use regex::Regex;
use std::sync::OnceLock;

/// A result of which the agent was shown a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GeminiCut {
    /// Characters (UTF-16 units) of the whole result; at least so many where the view does not tell.
    pub chars: u64,
    /// Where the client saved it.
    pub saved: String,
}

/// Reads the header that stands in front of such a view, and the line between its parts.
pub(crate) fn cut(text: &str) -> Option<GeminiCut> {
    static WORDINGS: OnceLock<[Regex; 2]> = OnceLock::new();
    let [header, between] = WORDINGS.get_or_init(|| {
        let compile = |text: &str| Regex::new(text).expect("the expression is a constant");
        [
            compile(
                r"^Output too large\. Showing first ([\d.,'\u{2019}\u{a0}\u{202f} ]+) and last ([\d.,'\u{2019}\u{a0}\u{202f} ]+) characters\. For full output see: ([^\n]+)",
            ),
            compile(r"\n\.\.\. \[([\d.,'\u{2019}\u{a0}\u{202f} ]+) characters omitted\] \.\.\.\n"),
        ]
    });
    let found = header.captures(text)?;
    let omitted = between.captures(text).and_then(|between| whole(&between[1]));
    let chars = whole(&found[1])?.checked_add(whole(&found[2])?)?.checked_add(omitted.unwrap_or(1))?;
    Some(GeminiCut { chars, saved: found[3].trim_end().to_owned() })
}

/// A whole number with the separators of any country.
fn whole(text: &str) -> Option<u64> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_tells_the_size() {
        let view = |first: &str, last: &str, omitted: &str| {
            format!(
                "Output too large. Showing first {first} and last {last} characters. For full output see: /t/x.txt\nab\n\n... [{omitted} characters omitted] ...\n\nyz"
            )
        };
        for (text, chars) in [
            (view("8,000", "32,000", "1"), Some(40_001)),
            (view("8.000", "32.000", "14.205"), Some(54_205)),
            (view("8\u{202f}000", "32\u{a0}000", "14\u{2019}205"), Some(54_205)),
            ("Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/x.txt".to_owned(), Some(40_001)),
            (format!("The log says: {}", view("8,000", "32,000", "1")), None),
            ("Output too large. Showing first words".to_owned(), None),
        ] {
            assert_eq!(cut(&text).map(|cut| cut.chars), chars, "{text}");
            assert!(cut(&text).is_none_or(|cut| cut.saved == "/t/x.txt"));
        }
    }
}
