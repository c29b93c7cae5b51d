//! Base64 (RFC 4648, section 4) for what is no text.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the padded form of `bytes`.
pub fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let is_padding = place > group.len();
            let index = bits >> (18 - 6 * place) & 63;
            out.push(if is_padding { b'=' } else { ALPHABET[index as usize] });
        }
    }
}

/// The bytes of a padded or unpadded text; `None` when it is none.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0u32;
        for byte in group {
            let index = ALPHABET.iter().position(|known| known == byte)?;
            bits = bits << 6 | u32::try_from(index).ok()?;
        }
        let length = match group.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bits <<= 6 * (4 - group.len());
        out.extend_from_slice(&bits.to_be_bytes()[1..=length]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            encode(plain.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(decode(text).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("_"), None);
        assert_eq!(decode("\u{e9}\u{e9}"), None);
    }

    #[test]
    fn every_byte_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [254, 255, 256] {
            let mut out = Vec::new();
            encode(&bytes[..length], &mut out);
            assert_eq!(decode(&String::from_utf8(out).unwrap()).as_deref(), Some(&bytes[..length]));
        }
    }
}
