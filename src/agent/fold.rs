//! How texts are compared: white space folded, case folded, separators of thousands removed.

/// Appends `text` with runs of Unicode white space as one space, at both ends too. A space that meets one
/// at the end of `out` is part of the same run.
pub(crate) fn fold_into(out: &mut String, text: &str) {
    out.reserve(text.len());
    let mut in_space = out.ends_with(' ');
    let mut rest = text;
    while let Some(at) = rest.find(char::is_whitespace) {
        let (word, tail) = rest.split_at(at);
        out.push_str(word);
        in_space &= word.is_empty();
        if !in_space {
            out.push(' ');
        }
        in_space = true;
        rest = tail.trim_start();
    }
    out.push_str(rest);
}

/// Runs of Unicode white space become one space, also at both ends, so that folded pieces can be joined.
pub(crate) fn fold_space(text: &str) -> String {
    let mut out = String::new();
    fold_into(&mut out, text);
    out
}

/// A text folded by [`fold_space`] as `contains` compares it: in one case, and without a comma, point, space
/// or apostrophe between a digit and a group of exactly three digits.
pub(crate) fn comparable(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let bytes = folded.as_bytes();
    for (at, c) in folded.char_indices() {
        if c.is_ascii() {
            if !(is_separator(c) && separates_thousands(bytes, at, 1)) {
                out.push(c.to_ascii_lowercase());
            }
        } else if !(is_separator(c) && separates_thousands(bytes, at, c.len_utf8())) {
            // By way of upper case, so that a final sigma is a sigma and a sharp s is two.
            out.extend(c.to_uppercase().flat_map(char::to_lowercase));
        }
    }
    out
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\'' | '\u{2019}')
}

fn separates_thousands(text: &[u8], at: usize, length: usize) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let after = at + length;
    at > 0 && is_digit(at - 1) && (after..after + 3).all(is_digit) && !is_digit(after + 3)
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
            ("4 000 d'or, 1'000, 1’000", "4000 d'or, 1000, 1000"),
            ("4\u{a0}000\u{202f}000", "4000000"),
            ("  x\n", " x "),
            ("12,3456", "12,3456"),
            ("ΟΔΟΣ Straße ÉTÉ", "οδοσ strasse été"),
            ("\u{2003}", " "),
            ("", ""),
        ] {
            assert_eq!(comparable(&fold_space(text)), wanted);
        }
    }

    #[test]
    fn a_run_of_space_over_a_joint_is_one_space() {
        let mut out = "a ".to_owned();
        fold_into(&mut out, " \n b");
        assert_eq!(out, "a b");
        fold_into(&mut out, "");
        fold_into(&mut out, "c ");
        assert_eq!(out, "a bc ");
    }
}
