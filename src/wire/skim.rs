//! The members of a JSON object, found faster than a parser finds them.
//!
//! Nearly all bytes of a large result stand in strings. Here they are looked through by vector search for
//! the next quote or backslash, where a parser looks at eight bytes at a time. What is taken here is JSON
//! to the letter (RFC 8259); everything else, and whatever is rare, is left to the parser.

use memchr::memchr2;
use serde::de::value::{BorrowedStrDeserializer, Error, MapDeserializer};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

/// Brackets open at once; more are left to the parser.
const DEEPEST: u32 = 63;

/// The members of the object that `text` is, in order, values as their exact text. `None` leaves it to
/// the parser: no object, no JSON, a key with escapes, or nested too deep.
pub(super) fn members(text: &str) -> Option<Vec<(&str, &RawValue)>> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(4);
    let mut at = after_space(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    at = after_space(bytes, at + 1);
    while bytes.get(at) != Some(&b'}') {
        let name_end = end_of_string(bytes, at)?;
        let name = text.get(at + 1..name_end - 1).filter(|name| !name.contains('\\'))?;
        at = after_space(bytes, name_end);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        let start = after_space(bytes, at + 1);
        let end = end_of_value(bytes, start)?;
        found.push((name, raw(text.get(start..end)?)?));
        at = after_space(bytes, end);
        match bytes.get(at)? {
            b',' => at = Some(after_space(bytes, at + 1)).filter(|at| bytes.get(*at) == Some(&b'"'))?,
            b'}' => {}
            _ => return None,
        }
    }
    (after_space(bytes, at + 1) == bytes.len()).then_some(found)
}

/// Where the value that begins at `at` ends.
fn end_of_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    // One bit a bracket that is open, the last one lowest: 1 for an object.
    let (mut open, mut depth) = (0u64, 0u32);
    loop {
        at = after_space(bytes, at);
        match bytes.get(at)? {
            b'"' => at = end_of_string(bytes, at)?,
            bracket @ (b'{' | b'[') => {
                let is_object = *bracket == b'{';
                at = after_space(bytes, at + 1);
                if bytes.get(at) == Some(if is_object { &b'}' } else { &b']' }) {
                    at += 1;
                } else {
                    (open, depth) = (open << 1 | u64::from(is_object), depth + 1);
                    if depth > DEEPEST {
                        return None;
                    }
                    at = if is_object { after_key(bytes, at)? } else { at };
                    continue;
                }
            }
            b't' => at = after_word(bytes, at, b"true")?,
            b'f' => at = after_word(bytes, at, b"false")?,
            b'n' => at = after_word(bytes, at, b"null")?,
            _ => at = end_of_number(bytes, at)?,
        }
        // The value may be the last of several brackets.
        loop {
            if depth == 0 {
                return Some(at);
            }
            at = after_space(bytes, at);
            let is_object = open & 1 == 1;
            match bytes.get(at)? {
                b',' if is_object => {
                    at = after_key(bytes, after_space(bytes, at + 1))?;
                    break;
                }
                b',' => {
                    at += 1;
                    break;
                }
                b'}' if is_object => (open, depth, at) = (open >> 1, depth - 1, at + 1),
                b']' if !is_object => (open, depth, at) = (open >> 1, depth - 1, at + 1),
                _ => return None,
            }
        }
    }
}

fn after_space(bytes: &[u8], at: usize) -> usize {
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + bytes.get(at..).map_or(0, |rest| rest.iter().take_while(space).count())
}

fn after_word(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// Behind the colon of the key that begins at `at`.
fn after_key(bytes: &[u8], at: usize) -> Option<usize> {
    let colon = after_space(bytes, end_of_string(bytes, at)?);
    (bytes.get(colon) == Some(&b':')).then_some(colon + 1)
}

fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut from = at + 1;
    loop {
        let stop = from + memchr2(b'"', b'\\', bytes.get(from..)?)?;
        let has_control = bytes[from..stop].iter().fold(false, |any, byte| any | (*byte < 0x20));
        if has_control {
            return None;
        }
        if bytes[stop] == b'"' {
            return Some(stop + 1);
        }
        from = match bytes.get(stop + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => stop + 2,
            b'u' if bytes.get(stop + 2..stop + 6)?.iter().all(u8::is_ascii_hexdigit) => stop + 6,
            _ => return None,
        };
    }
}

fn end_of_number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |at: usize| {
        let count = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(at + count)
    };
    let start = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = digits(start)?;
    if bytes[start] == b'0' && end > start + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        end = digits(end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-'))))?;
    }
    Some(end)
}

/// A text that is known to be JSON, as the type that says so. `serde_json` hands its own raw values over
/// as a map of this one key; a version that does not any more gives `None`, and the parser does the work.
fn raw(text: &str) -> Option<&RawValue> {
    const TOKEN: &str = "$serde_json::private::RawValue";
    struct Known<'a>(&'a str);
    impl<'de> Deserializer<'de> for Known<'de> {
        type Error = Error;
        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let value = BorrowedStrDeserializer::<Error>::new(self.0);
            visitor.visit_map(MapDeserializer::new(std::iter::once((TOKEN, value))))
        }
        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }
    <&RawValue>::deserialize(Known(text)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// As the parser finds them; of two equal keys the later one.
    fn parsed(text: &str) -> Option<BTreeMap<String, &RawValue>> {
        serde_json::from_str(text).ok()
    }

    fn same(text: &str) {
        if let Some(found) = members(text) {
            let found: BTreeMap<String, &str> =
                found.into_iter().map(|(name, raw)| (name.to_owned(), raw.get())).collect();
            let parsed = parsed(text).unwrap_or_else(|| panic!("taken, and no JSON: {text}"));
            let parsed: BTreeMap<String, &str> =
                parsed.into_iter().map(|(name, raw)| (name, raw.get())).collect();
            assert_eq!(found, parsed, "{text}");
        }
    }

    #[test]
    fn what_is_taken_is_what_the_parser_takes() {
        let deep = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        for (text, is_taken) in [
            (r#"{}"#.to_owned(), true),
            (r#" { "a" : 1 , "b":[ ] } "#.to_owned(), true),
            (r#"{"a":{"b":[1,-0.5e+3,true,false,null,"x\n\u00e9\"]}"]},"c":0}"#.to_owned(), true),
            (r#"{"é":"日本"}"#.to_owned(), true),
            (r#"{"a\n":1}"#.to_owned(), false),
            (deep(64), true),
            (deep(65), false),
            (String::new(), false),
            ("[]".to_owned(), false),
        ] {
            assert_eq!(members(&text).is_some(), is_taken, "{text}");
            same(&text);
        }
        for wrong in [
            "{",
            "{}x",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":-}",
            "{\"a\":1e}",
            "{\"a\":tru}",
            "{\"a\":[1,]}",
            "{\"a\":[1}",
            "{\"a\":{\"b\"}}",
            "{\"a\":{,}}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":\"\t\"}",
            "{\"a\":\"",
            "{a:1}",
            "{\"a\":1 2}",
        ] {
            assert!(members(wrong).is_none(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn damaged_messages_are_taken_only_as_the_parser_takes_them(
            body in r#"[ \[\]{}":,a0-9.eE+\\nu-]{0,40}"#, cut in 0usize..200, at in 0usize..200, byte in 0u8..128,
        ) {
            same(&format!("{{{body}}}"));
            let message = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a \"b\" \u00e9\n"}],"n":[-1.5e3,{}]}}"#;
            let mut bytes = message.as_bytes().to_vec();
            let place = at % bytes.len();
            bytes[place] = byte;
            bytes.truncate(cut.max(1));
            if let Ok(text) = String::from_utf8(bytes) {
                same(&text);
            }
        }
    }
}
