//! Ids of cases, and the split that an id falls into.

use crate::doc::At;
use crate::words::Split;
use sha2::{Digest, Sha256};

const MOST_BYTES: usize = 200;
/// Spreadsheets and table readers take these for no value or a truth value.
const TAKEN: [&str; 5] = ["NA", "NaN", "null", "true", "false"];

/// `test` when the SHA-256 of the id, as a big-endian integer, is divisible by 3, else `dev`.
pub fn default_split(id: &str) -> Split {
    // 256 leaves 1 when divided by 3, so the number leaves what the sum of its bytes leaves.
    let sum: u32 = Sha256::digest(id.as_bytes()).iter().map(|byte| u32::from(*byte)).sum();
    if sum.is_multiple_of(3) { Split::Test } else { Split::Dev }
}

/// `[A-Za-z][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*`
fn is_id(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.split(['.', '/']).all(part)
}

/// The id of a case.
pub(super) fn id(at: &At<'_>) -> Option<String> {
    let text = at.text()?;
    if !is_id(text) {
        at.wrong(
            "an id of letters, digits, `_` and `-`, in parts joined by `.` or `/`, that begins with a letter",
        );
        return None;
    }
    if text.len() > MOST_BYTES {
        at.problem(format!("an id of {} bytes", text.len()), Some(format!("at most {MOST_BYTES}")), None);
        return None;
    }
    if TAKEN.contains(&text) {
        let hint = "tables that hold it would be read wrongly".to_owned();
        at.wrong_with(
            format!("an id other than {}", TAKEN.map(|word| format!("`{word}`")).join(", ")),
            Some(hint),
        );
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parts_joined_by_dots_or_slashes() {
        for good in ["a", "docs/audit-log-retention", "A1_b.c/9", "x/-", "a./b".trim_end_matches("./b")] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", "1a", "_a", "-a", "a/", "a//b", "a./b", "/a", "a b", "é", "a\n"] {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn the_split_is_the_remainder_of_the_whole_hash() {
        for id in ["docs/audit-log-retention", "a", "b", "c", "d", "e", "threads/newest"] {
            let remainder = Sha256::digest(id.as_bytes())
                .iter()
                .fold(0u32, |remainder, byte| (remainder * 256 + u32::from(*byte)) % 3);
            let wanted = if remainder == 0 { Split::Test } else { Split::Dev };
            assert_eq!(default_split(id), wanted, "{id}");
        }
    }
}
