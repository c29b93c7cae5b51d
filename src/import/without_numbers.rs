//! What a client's own reader puts around the text of a file: line numbers, and reminders to the agent.

use super::claude::without_reminders;
use std::borrow::Cow;

/// The text without line numbers and reminders.
pub(super) fn without_numbers(text: &str) -> String {
    let text: Cow<'_, str> =
        if text.contains("<system-reminder>") { without_reminders(text).into() } else { text.into() };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        out.push_str(unnumbered(line));
    }
    out
}

/// A line without `   12→`, or with a tab for the arrow.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &rest[digits..];
    let content = behind.strip_prefix('→').or_else(|| behind.strip_prefix('\t'));
    content.filter(|_| digits > 0).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_reminders_are_taken_off() {
        for (text, wanted) in [
            ("     1→a := 1\n    12→\tb\n", "a := 1\n\tb\n"),
            ("1\tx\n2\ty", "x\ny"),
            ("12 apples\n→ 3", "12 apples\n→ 3"),
            ("a\n<system-reminder>\nx\n</system-reminder>\n", "a\n\n"),
            ("", ""),
        ] {
            assert_eq!(without_numbers(text), wanted);
        }
    }
}
