//! Lines that a session of `record` keeps in pieces, and lines of it that are no messages.

use super::{Frame, Sender};
use crate::text::base64;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of one message that are put together from pieces.
const MOST_BYTES: usize = 64 << 20;

/// A line as far as it came.
#[derive(Debug)]
pub(super) struct Piece {
    pub frame: Frame,
    pub text: Vec<u8>,
    pub line: u64,
}

/// The open lines, by direction and exchange.
#[derive(Debug, Default)]
pub(super) struct Pieces(BTreeMap<(String, u64), Piece>);

impl Pieces {
    /// Takes in a record of a session that holds text instead of a message: `None` when it is none, else the
    /// line that it ends.
    pub fn take(&mut self, record: &Value, line: u64) -> Option<Option<Piece>> {
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        let is = |key: &str| record.get(key).and_then(Value::as_bool).unwrap_or(false);
        let (direction, at) = (text("dir")?, text("ts")?);
        let bytes = match (text("text"), text("base64")) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(coded)) => base64::decode(coded).unwrap_or_default(),
            (None, None) if direction == "stderr" => return Some(None),
            (None, None) => return None,
        };
        let exchange = record.get("http").and_then(Value::as_u64);
        let key = (direction.to_owned(), exchange.unwrap_or(0));
        let held = if is("rest") { self.0.remove(&key) } else { None };
        let mut piece = held.unwrap_or_else(|| Piece {
            frame: Frame {
                sender: sender(direction),
                at: Some(at.to_owned()),
                exchange,
                server: None,
                message: Value::Null,
                bytes: None,
            },
            text: Vec::new(),
            line,
        });
        if piece.text.len() + bytes.len() <= MOST_BYTES {
            piece.text.extend(bytes);
        }
        if direction == "stderr" {
            return Some(None);
        }
        if is("part") {
            self.0.insert(key, piece);
            return Some(None);
        }
        // Whole lines of text are no messages: `record` tells those.
        Some(is("rest").then_some(piece))
    }

    /// Lines whose end never came.
    pub fn left(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.0).into_values().collect()
    }
}

fn sender(direction: &str) -> Sender {
    match direction {
        "client" => Sender::Client,
        "server" => Sender::Server,
        _ => Sender::Unknown,
    }
}
