//! Secrets and personal data are taken out of everything that a case holds, before anything is cut or hashed.

use regex::Regex;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// The name and version of the pack; it stands in the `source` of every recording.
pub const PACK: &str = "default/1";

/// One kind of secret: what replaces it, and how it looks. Group 1, where there is one, is the secret alone.
const PATTERNS: [(&str, &str); 13] = [
    (
        "[redacted private-key]",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    ),
    ("[redacted token]", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("[redacted key]", r"\b(?:sk|pk|rk)[-_](?:ant-|proj-|live[-_]|test[-_])?[A-Za-z0-9_-]{16,}"),
    (
        "[redacted token]",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
    ),
    (
        "[redacted token]",
        r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|lin_(?:api|oauth)_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{32,})",
    ),
    ("[redacted key]", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("[redacted key]", r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("[redacted token]", r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{12,}=*)"),
    ("[redacted password]", r"(?i)[a-z][a-z0-9+.-]*://[^\s:/@]+:([^\s:/@]{2,})@"),
    (
        "[redacted secret]",
        r#"(?i)\b(?:[a-z0-9_-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|private[_-]?key))["']?\s*[:=]\s*["']?([^\s"',;&]{6,})"#,
    ),
    ("[redacted e-mail]", r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"),
    ("~", r"(?:/Users|/home|[A-Za-z]:\\+Users)[/\\]+[^/\\\s\x22'<>|:;,]+"),
    // The same in names of folders, as clients write them for the project at work.
    ("~", r"(?:^|[/\\\s\x22'])(-(?:Users|home)-[^-/\\\s\x22'<>|:;,]+)"),
];

/// Names of arguments whose value is a secret whatever it looks like.
const SECRET_NAMES: [&str; 9] = [
    "password",
    "passwd",
    "secret",
    "apikey",
    "token",
    "accesstoken",
    "authtoken",
    "authorization",
    "privatekey",
];

fn patterns() -> &'static Vec<(&'static str, Regex)> {
    static COMPILED: OnceLock<Vec<(&str, Regex)>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let compile = |(shown, text): (&'static str, &str)| {
            (shown, Regex::new(text).expect("the expression is a constant"))
        };
        PATTERNS.map(compile).into()
    })
}

/// Where a text holds something to redact, and what takes its place; in order, without overlaps.
pub fn secrets(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    for (shown, pattern) in patterns() {
        for captures in pattern.captures_iter(text) {
            let Some(secret) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            let range = secret.range();
            if !found.iter().any(|(taken, _)| taken.start < range.end && range.start < taken.end) {
                found.push((range, shown));
            }
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Whether a text holds something to redact.
pub fn has_secret(text: &str) -> bool {
    patterns().iter().any(|(_, pattern)| pattern.is_match(text))
}

/// The text with everything redacted.
pub fn redacted(text: &str) -> Cow<'_, str> {
    let found = secrets(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, shown) in found {
        out.push_str(&text[from..range.start]);
        out.push_str(shown);
        from = range.end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Arguments with everything redacted, and how many values were.
pub fn redacted_arguments(arguments: &Map<String, Value>) -> (Map<String, Value>, u64) {
    let mut count = 0;
    let redacted = arguments.iter().map(|(name, value)| (name.clone(), redact(name, value, &mut count)));
    (redacted.collect(), count)
}

/// Whether what is called so is a secret whatever it looks like.
pub fn is_secret_name(name: &str) -> bool {
    SECRET_NAMES.contains(&crate::agent::plain_name(name).as_str())
}

/// A value with everything redacted, and how many texts were.
pub fn redacted_value(value: &Value) -> (Value, u64) {
    let mut count = 0;
    let redacted = redact("", value, &mut count);
    (redacted, count)
}

fn redact(name: &str, value: &Value, count: &mut u64) -> Value {
    match value {
        Value::String(text) => {
            if is_secret_name(name) && !text.is_empty() {
                *count += 1;
                return Value::String("[redacted secret]".to_owned());
            }
            match redacted(text) {
                Cow::Borrowed(_) => value.clone(),
                Cow::Owned(text) => {
                    *count += 1;
                    Value::String(text)
                }
            }
        }
        Value::Array(items) => items.iter().map(|item| redact(name, item, count)).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(name, value)| {
                    // Keys within an argument may be data: people by their addresses.
                    let shown = redacted(name);
                    *count += u64::from(matches!(shown, Cow::Owned(_)));
                    (shown.into_owned(), redact(name, value, count))
                })
                .collect(),
        ),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_replaced_and_nothing_else() {
        for (text, wanted) in [
            ("mail a.b+c@example.co.uk now", "mail [redacted e-mail] now"),
            ("/Users/alex/work/a.go and /home/b/c", "~/work/a.go and ~/c"),
            (r"C:\Users\alex\x", r"~\x"),
            (r"C:\\Users\\alex\\x", r"~\\x"),
            ("~/.claude/projects/-Users-alex-work/a", "~/.claude/projects/~-work/a"),
            ("two-home-made-pies", "two-home-made-pies"),
            ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted token]"),
            ("sk-ant-api03-abcdefghijklmnop0123", "[redacted key]"),
            ("ghp_0123456789abcdefghij0123", "[redacted token]"),
            ("postgres://u:hunter2@db/x", "postgres://u:[redacted password]@db/x"),
            ("password = \"hunter22\", x", "password = \"[redacted secret]\", x"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted key]"),
            ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-def", "[redacted token]"),
            ("tokens and passwords in general", "tokens and passwords in general"),
            ("doc-17 at 12:30, 6f1d2c3b-0a9e-4b7c", "doc-17 at 12:30, 6f1d2c3b-0a9e-4b7c"),
            ("", ""),
        ] {
            assert_eq!(redacted(text), wanted);
        }
    }

    #[test]
    fn arguments_are_redacted_at_any_depth_and_by_their_names() {
        let arguments = json!({"path": "/home/ann/a", "in": [{"token": "t1"}], "limit": 3, "q": "x"});
        let (redacted, count) = redacted_arguments(arguments.as_object().unwrap());
        assert_eq!(
            Value::Object(redacted),
            json!({"path": "~/a", "in": [{"token": "[redacted secret]"}], "limit": 3, "q": "x"})
        );
        assert_eq!(count, 2);
    }
}
