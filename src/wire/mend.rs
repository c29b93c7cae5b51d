//! JSON that is legal and that no Rust text can hold.

use std::borrow::Cow;

use serde_json::Value;

/// Read a JSON value as other languages do: a lone surrogate, which JSON may escape but UTF-8 can't
/// hold, becomes U+FFFD. Nesting deeper than 128 is an error here, never an overflow.
pub fn read_value(json: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(json).or_else(|error| match mend_surrogates(json) {
        Cow::Owned(mended) => serde_json::from_str(&mended),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Replace the escapes of lone surrogates (`\ud800`) by the escape of U+FFFD; of the same length.
pub fn mend_surrogates(json: &str) -> Cow<'_, str> {
    let mut mended: Option<Vec<u8>> = None;
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', &bytes[at..]) {
        at += offset;
        match (escaped_unit(bytes, at), escaped_unit(bytes, at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 12,
            (Some(0xd800..0xe000), _) => {
                mended.get_or_insert_with(|| bytes.to_vec())[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            (Some(_), _) => at += 6,
            (None, _) => at = (at + 2).min(bytes.len()),
        }
    }
    match mended.map(String::from_utf8) {
        Some(Ok(mended)) => Cow::Owned(mended),
        _ => Cow::Borrowed(json),
    }
}

/// The UTF-16 unit of the escape `\uXXXX` at `at`, if there is one.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""plain""#, "plain"),
            (r#""\ud83d\ude00 \u00e9 \\ud800 \u0000""#, "\u{1f600} \u{e9} \\ud800 \0"),
            (r#""\ud800""#, "\u{fffd}"),
            (r#""\udc00x\ud800\n\ud800\ud83d\ude00""#, "\u{fffd}x\u{fffd}\n\u{fffd}\u{1f600}"),
            (r#""\uD800\\""#, "\u{fffd}\\"),
        ] {
            assert_eq!(read_value(json).expect(json), expected, "{json}");
        }
        for broken in [r#""\ud80"#, r#""\"#, r#""\ud800\u"#, "{"] {
            assert!(read_value(broken).is_err(), "{broken}");
        }
        assert!(read_value(&"[".repeat(100_000)).is_err());
    }
}
