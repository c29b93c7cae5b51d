//! JSON as clients write it, and a canonical form for keys.

use serde_json::Value;
use std::fmt::Write;

/// `value` as `JSON.stringify` writes it: no spaces, non-ASCII as it is, keys as received, numbers in
/// the shortest form (`1.0` is `1`).
pub fn stringify(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, false);
    out
}

/// As [`stringify`], with object keys sorted: equal values have equal text.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, true);
    out
}

fn write_value(out: &mut String, value: &Value, sorted: bool) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item, sorted);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            if sorted {
                entries.sort_by(|a, b| a.0.cmp(b.0));
            }
            out.push('{');
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(out, key);
                out.push(':');
                write_value(out, item, sorted);
            }
            out.push('}');
        }
    }
}

/// JavaScript prints a float without a fraction as an integer up to 1e21.
fn write_number(out: &mut String, number: &serde_json::Number) {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21 => {
            let _ = write!(out, "{}", if float == 0.0 { 0.0 } else { float });
        }
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_as_javascript_does() {
        for (source, wanted) in [
            (r#"{"b": 1.0, "a": [1, 2.5, -0.0, 1e3]}"#, r#"{"b":1,"a":[1,2.5,0,1000]}"#),
            (r#""é\u0001\n\"\u2028""#, "\"é\\u0001\\n\\\"\u{2028}\""),
            ("[true, null, {}]", "[true,null,{}]"),
        ] {
            let value: Value = serde_json::from_str(source).unwrap();
            assert_eq!(stringify(&value), wanted);
        }
    }

    #[test]
    fn canonical_sorts_keys_at_every_depth() {
        let value: Value = serde_json::from_str(r#"{"b":{"d":1,"c":2},"a":3}"#).unwrap();
        assert_eq!(canonical(&value), r#"{"a":3,"b":{"c":2,"d":1}}"#);
    }
}
