//! How texts are compared: white space folded, case folded, separators of thousands removed.

/// Runs of Unicode white space become one space; kept at both ends, so that folded pieces can be joined.
pub(super) fn fold_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_space = false;
    for c in text.chars() {
        let is_space = c.is_whitespace();
        if !(is_space && in_space) {
            out.push(if is_space { ' ' } else { c });
        }
        in_space = is_space;
    }
    out
}

/// A text as `contains` compares it: folded, in lower case, and without a comma, point, space or
/// apostrophe between a digit and a group of exactly three digits.
pub(super) fn comparable(text: &str) -> String {
    let folded: Vec<char> = fold_space(text).chars().flat_map(char::to_lowercase).collect();
    let mut out = String::with_capacity(folded.len());
    for (at, c) in folded.iter().enumerate() {
        if !(is_separator(*c) && separates_thousands(&folded, at)) {
            out.push(*c);
        }
    }
    out
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\'' | '\u{2019}')
}

fn separates_thousands(text: &[char], at: usize) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(char::is_ascii_digit);
    at > 0 && is_digit(at - 1) && (1..=3).all(|step| is_digit(at + step)) && !is_digit(at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_space_case_and_thousands() {
        for (text, wanted) in [
            ("A\u{a0}\n\tB", "a b"),
            ("1,234,567 and 12,34", "1234567 and 12,34"),
            ("201.710 or 3.14159", "201710 or 3.14159"),
            ("4 000 d'or, 1'000", "4000 d'or, 1000"),
            (" x ", " x "),
            ("12,3456", "12,3456"),
        ] {
            assert_eq!(comparable(text), wanted);
        }
    }
}
