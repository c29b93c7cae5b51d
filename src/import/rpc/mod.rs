//! JSON-RPC messages with direction and time: sessions of `record`, the recordings of other proxies, and logs of
//! VS Code and Claude Desktop. One tolerant reader: a record may hold messages at any place that is known, and a
//! reply is told by its id and its form.

mod log;
mod pairs;
mod pieces;
mod record;

use super::lines::{Line, decode};
use super::model::{About, Event, EventKind};
use super::problems::{Damage, ImportProblems};
use pairs::{Pairs, Told};
use pieces::Pieces;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sender {
    Client,
    Server,
    /// The record does not say.
    Unknown,
}

/// A message as a record holds it.
#[derive(Debug, PartialEq)]
pub(super) struct Frame {
    pub sender: Sender,
    /// RFC 3339, or as the record has it.
    pub at: Option<String>,
    /// The exchange of HTTP that it belongs to.
    pub exchange: Option<u64>,
    /// The server, where the record names it.
    pub server: Option<String>,
    pub message: Value,
    /// Of the whole message.
    pub bytes: Option<u64>,
}

/// Reads one file.
pub struct RpcReader {
    file: PathBuf,
    pairs: Pairs,
    pieces: Pieces,
    /// The exchange of a request and response that one record holds without ids.
    own_ids: u64,
}

impl RpcReader {
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), pairs: Pairs::new(file), pieces: Pieces::default(), own_ids: 0 }
    }

    /// Takes in the next line of a log, or the next record.
    pub fn line(&mut self, line: Line<'_>, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        if !line.bytes.trim_ascii_start().starts_with(b"{") {
            return self.log_line(line, problems, sink);
        }
        let Some(record) = decode::<Value>(line, &self.file, problems) else { return };
        self.record(record, line.number, problems, sink);
    }

    /// Takes in a whole file that is one document.
    pub fn document(&mut self, document: Value, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        self.record(document, 0, problems, sink);
    }

    /// Notes calls that have no reply.
    pub fn end(&mut self, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        for piece in self.pieces.left() {
            self.text(&piece.text, piece.frame, piece.line, problems, sink);
        }
        for line in self.pairs.open() {
            problems.note(Damage::NoResult, &self.file, line, "");
        }
    }

    fn log_line(&mut self, line: Line<'_>, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        let text = String::from_utf8_lossy(line.bytes);
        // A log holds much besides messages.
        let Some(found) = log::message(&text) else { return };
        let bytes = found.json.len() as u64;
        let json = Line { bytes: found.json.as_bytes(), ..line };
        let Some(message) = decode::<Value>(json, &self.file, problems) else { return };
        let frame = Frame {
            sender: found.sender,
            at: found.at.map(str::to_owned),
            exchange: None,
            server: found.server.map(str::to_owned),
            message,
            bytes: Some(bytes),
        };
        self.frame(frame, line.number, sink);
    }

    fn record(
        &mut self,
        mut record: Value,
        line: u64,
        problems: &mut ImportProblems,
        sink: &mut dyn FnMut(Event),
    ) {
        if record.get("format_version").is_some() && record.get("server").is_some() {
            self.pairs.begin_session();
            let server = record.get("server").and_then(Value::as_str).map(str::to_owned);
            let about = About { server: server.clone(), ..About::default() };
            self.pairs.named(server);
            return tell(EventKind::About(about), None, line, sink);
        }
        if let Some(whole) = self.pieces.take(&record, line) {
            if let Some(piece) = whole {
                self.text(&piece.text, piece.frame, line, problems, sink);
            }
            return;
        }
        let mut frames = Vec::new();
        record::frames(&mut record, &mut self.own_ids, &mut frames);
        for frame in frames {
            self.frame(frame, line, sink);
        }
    }

    /// A message out of the pieces of its line.
    fn text(
        &mut self,
        text: &[u8],
        mut frame: Frame,
        line: u64,
        problems: &mut ImportProblems,
        sink: &mut dyn FnMut(Event),
    ) {
        if !text.trim_ascii_start().starts_with(b"{") && !text.trim_ascii_start().starts_with(b"[") {
            return;
        }
        let json = Line { bytes: text, number: line, is_unfinished: true };
        if let Some(message) = decode::<Value>(json, &self.file, problems) {
            frame.message = message;
            frame.bytes = Some(text.len() as u64);
            self.frame(frame, line, sink);
        }
    }

    /// A message, or a batch of them.
    fn frame(&mut self, mut frame: Frame, line: u64, sink: &mut dyn FnMut(Event)) {
        if let Value::Array(batch) = &mut frame.message {
            for message in std::mem::take(batch) {
                let (at, server) = (frame.at.clone(), frame.server.clone());
                let one = Frame { at, server, message, bytes: None, ..frame };
                self.frame(one, line, sink);
            }
            return;
        }
        let at = frame.at.clone();
        for told in self.pairs.take(frame, line) {
            let kind = match told {
                Told::About(about) => EventKind::About(about),
                Told::Call(call) => EventKind::Call(call),
                Told::Output(output) => EventKind::Output(output),
            };
            tell(kind, at.clone(), line, sink);
        }
    }
}

fn tell(kind: EventKind, at: Option<String>, line: u64, sink: &mut dyn FnMut(Event)) {
    sink(Event { thread: 0, at, line, kind });
}

#[cfg(test)]
mod tests;
