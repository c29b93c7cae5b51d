//! The hash by which results are compared: of the raw bytes, or of what `ignore` leaves of them.

use super::leaf::escape;
use super::rule::{pattern_of, pointer_of};
use crate::suite::Selector;
use crate::text::{Pattern, Pointer, sha256_hex, stringify};
use crate::wire::read_value;
use serde_json::Value;

/// The hash of a raw result or error without what `ignore` matches. A pointer starts in structured content
/// and in every text block that is a document; a pattern is looked for in every text.
pub(super) fn compared_hash(raw: &str, ignore: &[Selector]) -> String {
    if ignore.is_empty() {
        return sha256_hex(raw);
    }
    let patterns: Vec<&Pattern> = ignore.iter().filter_map(pattern_of).collect();
    let pointers: Vec<&Pointer> = ignore.iter().filter_map(pointer_of).collect();
    let without_matches =
        |text: &str| patterns.iter().fold(text.to_owned(), |text, pattern| pattern.remove_from(&text));
    let Ok(mut result) = read_value(raw) else { return sha256_hex(without_matches(raw)) };
    let cleaned = |mut document: Value| {
        remove_at(&mut document, &mut String::new(), &pointers);
        Value::String(without_matches(&stringify(&document)))
    };
    if let Some(structured) = result.get_mut("structuredContent") {
        *structured = cleaned(structured.take());
    }
    let texts = result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
    for text in texts.filter_map(|block| block.get_mut("text")) {
        let Some(source) = text.as_str() else { continue };
        let is_json = source.trim_start().starts_with(['{', '[']);
        *text = match is_json.then(|| read_value(source)) {
            Some(Ok(document)) => cleaned(document),
            _ => Value::String(without_matches(source)),
        };
    }
    if let Some(Value::String(message)) = result.get_mut("message") {
        *message = without_matches(message);
    }
    sha256_hex(stringify(&result))
}

/// Removes what stands at one of the pointers; true when that is `value` itself.
fn remove_at(value: &mut Value, place: &mut String, pointers: &[&Pointer]) -> bool {
    if pointers.iter().any(|pointer| pointer.matches(place)) {
        *value = Value::Null;
        return true;
    }
    let length = place.len();
    let mut is_removed = |token: &str, inner: &mut Value| {
        place.push('/');
        place.push_str(token);
        let removed = remove_at(inner, place, pointers);
        place.truncate(length);
        removed
    };
    match value {
        Value::Object(map) => map.retain(|key, inner| !is_removed(&escape(key), inner)),
        Value::Array(items) => {
            let mut index = 0;
            items.retain_mut(|inner| {
                index += 1;
                !is_removed(&(index - 1).to_string(), inner)
            });
        }
        _ => {}
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_makes_no_difference_and_the_rest_does() {
        let ignore = [
            Selector::Pointer(Pointer::new("/meta/id").unwrap()),
            Selector::Pointer(Pointer::new("/items/*/at").unwrap()),
            Selector::Pattern(Pattern::new(r"took \d+ ms").unwrap()),
        ];
        let text = |text: &str| serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string();
        let hash = |raw: &str| compared_hash(raw, &ignore);
        for (one, other) in [
            (text("a, took 5 ms"), text("a, took 77 ms")),
            (text(r#"{"meta":{"id":1},"t":"x"}"#), text(r#"{"meta":{},"t":"x"}"#)),
            (
                r#"{"structuredContent":{"items":[{"at":1,"v":2}]}}"#.into(),
                r#"{"structuredContent":{"items":[{"v":2}]}}"#.into(),
            ),
            (r#"{"code":1,"message":"took 1 ms"}"#.into(), r#"{"code":1,"message":"took 2 ms"}"#.into()),
        ] {
            assert_ne!(one, other);
            assert_eq!(hash(&one), hash(&other), "{one} {other}");
        }
        for (one, other) in [
            (text("a, took 5 ms"), text("b, took 5 ms")),
            (text(r#"{"meta":{"id":1},"t":"x"}"#), text(r#"{"meta":{"id":1},"t":"y"}"#)),
            (
                r#"{"content":[{"type":"image","data":"A"}]}"#.into(),
                r#"{"content":[{"type":"image","data":"B"}]}"#.into(),
            ),
            (r#"{"isError":true,"content":[]}"#.into(), r#"{"content":[]}"#.into()),
        ] {
            assert_ne!(hash(&one), hash(&other), "{one} {other}");
        }
        assert_eq!(compared_hash("{}", &[]), sha256_hex("{}"));
    }
}
