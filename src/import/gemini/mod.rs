//! Sessions of Gemini CLI (one document, or JSON Lines that are applied one after the other) and its stream-json.

mod cut;
mod names;
mod session;
mod stream;

pub(crate) use cut::{GeminiCut, cut};

use super::lines::{Line, decode};
use super::model::Event;
use super::problems::ImportProblems;
use serde_json::Value;
use session::Conversation;
use std::path::{Path, PathBuf};
use stream::Stream;

/// Reads one file.
pub struct GeminiReader {
    file: PathBuf,
    conversation: Conversation,
    stream: Stream,
}

impl GeminiReader {
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), conversation: Conversation::default(), stream: Stream::default() }
    }

    /// Takes in the next line: a record of a session, or an event of a stream.
    pub fn line(&mut self, line: Line<'_>, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        let Some(record) = decode::<Value>(line, &self.file, problems) else { return };
        if Stream::is_event(&record) {
            self.stream.take(record, line.number, sink);
        } else {
            self.conversation.apply(record, line.number);
        }
    }

    /// Takes in a whole session.
    pub fn document(&mut self, document: Value) {
        self.conversation.apply(document, 0);
    }

    /// Tells the session as it was at the end: later lines win.
    pub fn end(&mut self, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
        self.stream.end(&self.file, problems, sink);
        std::mem::take(&mut self.conversation).tell(&self.file, problems, sink);
    }
}

#[cfg(test)]
mod tests;
