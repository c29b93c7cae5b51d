//! Fingerprints of a need: base64 of 8-byte big-endian values, sorted, each once.

use crate::doc::At;

const VERSION: u64 = 1;
/// The most that a recording keeps.
const MOST: usize = 4096;

/// `{"v": 1, "data": "..."}`.
pub(super) fn fingerprints(at: &At<'_>) -> Option<Vec<u64>> {
    let table = at.table(&["v", "data"])?;
    let version = table.must("v", "`1`").and_then(|at| at.whole(VERSION..=VERSION));
    let data = table.must("data", "base64 of 8-byte values")?;
    let values = match decode(data.text()?) {
        Ok(values) => values,
        Err(found) => {
            data.problem(
                found,
                Some("base64 of 8-byte big-endian values, ascending, each once".to_owned()),
                None,
            );
            return None;
        }
    };
    version.map(|_| values)
}

fn decode(text: &str) -> Result<Vec<u64>, String> {
    let bytes = base64(text).ok_or("a text that is no base64")?;
    let (chunks, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("{} bytes, which is no multiple of 8", bytes.len()));
    }
    if chunks.len() > MOST {
        return Err(format!("{} fingerprints, more than {MOST}", chunks.len()));
    }
    let values: Vec<u64> = chunks.iter().map(|chunk| u64::from_be_bytes(*chunk)).collect();
    if let Some(index) = values.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(format!("fingerprint {} is not above the one before it", index + 2));
    }
    Ok(values)
}

/// Base64 of RFC 4648 section 4; the padding may be left out, unused bits must be zero.
fn base64(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let digits = match bytes {
        [head @ .., b'=', b'='] if bytes.len().is_multiple_of(4) => head,
        [head @ .., b'='] if bytes.len().is_multiple_of(4) => head,
        whole => whole,
    };
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for digit in group {
            bits = bits << 6 | u32::from(value_of(*digit)?);
        }
        let filled = match group.len() {
            4 => 3,
            3 if bits & 0b11 == 0 => 2,
            2 if bits & 0b1111 == 0 => 1,
            _ => return None,
        };
        bits <<= 6 * (4 - group.len());
        out.extend_from_slice(&bits.to_be_bytes()[1..=filled]);
    }
    Some(out)
}

fn value_of(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_rfc_4648() {
        for (text, wanted) in [
            ("", Some("")),
            ("Zg==", Some("f")),
            ("Zm8=", Some("fo")),
            ("Zm9v", Some("foo")),
            ("Zm9vYg", Some("foob")),
            ("Zm9vYmE=", Some("fooba")),
            ("Zm9vYmFy", Some("foobar")),
            ("Zh==", None),
            ("Z", None),
            ("Zg=", None),
            ("Zm 9", None),
            ("====", None),
        ] {
            assert_eq!(base64(text), wanted.map(|text| text.as_bytes().to_vec()), "{text}");
        }
    }

    #[test]
    fn values_ascend() {
        assert_eq!(decode("AAAAAAAAAAEAAAAAAAAAAg=="), Ok(vec![1, 2]));
        assert_eq!(
            decode("AAAAAAAAAAIAAAAAAAAAAg==").unwrap_err(),
            "fingerprint 2 is not above the one before it"
        );
        assert_eq!(decode("AAAA").unwrap_err(), "3 bytes, which is no multiple of 8");
        assert_eq!(decode("?").unwrap_err(), "a text that is no base64");
    }
}
