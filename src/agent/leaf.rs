//! The scalar leaves of a document, and the places where they stand.

use crate::text::Pointer;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write;

/// A scalar leaf, its JSON Pointer, and whether it stands inside an array.
pub(crate) struct Leaf<'p, 'v> {
    pub pointer: &'p str,
    pub value: &'v Value,
    pub in_array: bool,
}

/// Calls `see` for every scalar leaf, in document order.
pub(crate) fn each_leaf<'v>(document: &'v Value, see: &mut impl FnMut(Leaf<'_, 'v>)) {
    walk(document, &mut String::new(), false, true, see);
}

/// Calls `see` for every scalar leaf outside arrays, in document order.
pub(crate) fn each_leaf_outside_arrays<'v>(document: &'v Value, see: &mut impl FnMut(Leaf<'_, 'v>)) {
    walk(document, &mut String::new(), false, false, see);
}

fn walk<'v>(
    value: &'v Value,
    pointer: &mut String,
    in_array: bool,
    enter_arrays: bool,
    see: &mut impl FnMut(Leaf<'_, 'v>),
) {
    let length = pointer.len();
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                pointer.push('/');
                pointer.push_str(&escape(key));
                walk(inner, pointer, in_array, enter_arrays, see);
                pointer.truncate(length);
            }
        }
        Value::Array(items) if enter_arrays => {
            for (index, inner) in items.iter().enumerate() {
                let _ = write!(pointer, "/{index}");
                walk(inner, pointer, true, enter_arrays, see);
                pointer.truncate(length);
            }
        }
        Value::Array(_) => {}
        _ => see(Leaf { pointer, value, in_array }),
    }
}

/// A reference token of a JSON Pointer.
pub(crate) fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}

/// Whether a place is at or below a pointer, in which `*` stands for any one token.
pub(crate) fn covers(pointer: &Pointer, place: &str) -> bool {
    let mut found = place.split('/');
    pointer
        .as_str()
        .split('/')
        .all(|wanted| found.next().is_some_and(|token| wanted == "*" || wanted == token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_cover_what_is_below_them() {
        let covered = |pointer: &str, place: &str| covers(&Pointer::new(pointer).unwrap(), place);
        assert!(covered("/a", "/a/b") && covered("/items/*/id", "/items/3/id") && covered("", "/x"));
        assert!(!covered("/a", "/ab") && !covered("/items/*/id", "/items/3/name") && !covered("/a/b", "/a"));
    }

    #[test]
    fn leaves_know_their_place() {
        let document = json!({"a/b": {"c": 1}, "items": [{"t": "x"}, [true]], "n": null});
        let mut seen = Vec::new();
        each_leaf(&document, &mut |leaf| seen.push(format!("{} {}", leaf.pointer, leaf.in_array)));
        assert_eq!(seen, ["/a~1b/c false", "/items/0/t true", "/items/1/0 true", "/n false"]);
        let mut outside = 0;
        each_leaf_outside_arrays(&document, &mut |_| outside += 1);
        assert_eq!(outside, 2);
    }
}
