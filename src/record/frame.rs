//! One line of a session file.

use super::cutter::Piece;
use crate::text::base64;
use jiff::Timestamp;
use serde::Serialize;
use std::io::Write;

/// Where bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Client,
    Server,
    Stderr,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Stderr => "stderr",
        }
    }
}

/// What a frame of HTTP says besides its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context<'a> {
    /// The number of the exchange, from 1.
    pub http: Option<u64>,
    /// Name and id of the event whose data the frame is.
    pub event: Option<(&'a str, Option<&'a str>)>,
}

/// The line of a piece: `msg` when it is a whole JSON text, else `text`, else `base64`.
pub(super) fn line(at: Timestamp, origin: Origin, context: Context<'_>, piece: &Piece<'_>) -> Vec<u8> {
    let mut out = start(at, origin, context.http, piece.bytes.len());
    if let Some((name, id)) = context.event {
        member(&mut out, "event", &name);
        if let Some(id) = id {
            member(&mut out, "event_id", &id);
        }
    }
    if piece.is_rest {
        member(&mut out, "rest", &true);
    }
    if piece.is_part {
        member(&mut out, "part", &true);
    }
    let text = std::str::from_utf8(piece.bytes).ok();
    let may_be_json = !piece.is_rest && !piece.is_part && origin != Origin::Stderr;
    match text {
        Some(json) if may_be_json && is_json(json) => {
            out.extend_from_slice(b",\"msg\":");
            // Line breaks between its tokens: JSON has none within.
            out.extend(json.trim_matches(BLANKS).bytes().map(|byte| match byte {
                b'\n' | b'\r' => b' ',
                other => other,
            }));
        }
        Some(text) => member(&mut out, "text", &text),
        None => {
            out.extend_from_slice(b",\"base64\":\"");
            base64::encode(piece.bytes, &mut out);
            out.push(b'"');
        }
    }
    out.extend_from_slice(b"}\n");
    out
}

/// The line of something that happened; `value` stands under `key`.
pub(super) fn note(
    at: Timestamp,
    origin: Origin,
    http: Option<u64>,
    key: &'static str,
    value: &impl Serialize,
) -> Vec<u8> {
    let mut out = start(at, origin, http, 64);
    member(&mut out, key, value);
    out.extend_from_slice(b"}\n");
    out
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

fn is_json(text: &str) -> bool {
    !text.trim_matches(BLANKS).is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn start(at: Timestamp, origin: Origin, http: Option<u64>, room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(room + 96);
    // Writing to a vector can't fail.
    let _ = write!(out, "{{\"ts\":\"{at:.6}\",\"dir\":\"{}\"", origin.as_str());
    if let Some(number) = http {
        let _ = write!(out, ",\"http\":{number}");
    }
    out
}

fn member(out: &mut Vec<u8>, key: &str, value: &impl Serialize) {
    let _ = write!(out, ",\"{key}\":");
    // Texts, flags, numbers and maps of them: no value of these has a form that JSON lacks.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(bytes: &[u8], is_part: bool, is_rest: bool) -> (String, Value) {
        let at = "2026-01-02T03:04:05.000006Z".parse().unwrap();
        let line = line(at, Origin::Server, Context::default(), &Piece { bytes, is_part, is_rest });
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        let value = serde_json::from_str(&line).unwrap();
        (line, value)
    }

    #[test]
    fn json_keeps_its_bytes_and_the_rest_is_kept_too() {
        let (line, _) = of(br#"{"jsonrpc": "2.0",  "x":1.50,"s":"\ud83d\ude00"}"#, false, false);
        assert!(line.contains(r#""msg":{"jsonrpc": "2.0",  "x":1.50,"s":"\ud83d\ude00"}}"#), "{line}");
        for (bytes, is_part, is_rest, expected) in [
            (&b"{\"a\":\n1}\r"[..], false, false, json!({"msg": {"a": 1}})),
            (b"listening", false, false, json!({"text": "listening"})),
            (b"", false, false, json!({"text": ""})),
            (b"\xff\xfe", false, false, json!({"base64": "//4="})),
            (b"{\"a\":", true, false, json!({"part": true, "text": "{\"a\":"})),
            (b"1", false, true, json!({"rest": true, "text": "1"})),
        ] {
            let mut expected = expected;
            expected["ts"] = json!("2026-01-02T03:04:05.000006Z");
            expected["dir"] = json!("server");
            assert_eq!(of(bytes, is_part, is_rest).1, expected);
        }
    }
}
