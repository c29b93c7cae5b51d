//! One file: its format is detected, and its reader tells the events.

use super::claude::{ClaudeReader, Wanted};
use super::codex::CodexReader;
use super::files::Input;
use super::format::{Format, HEAD_BYTES, detect};
use super::gemini::GeminiReader;
use super::inspect::read_inspect;
use super::lines::{Line, Lines, decode};
use super::model::Event;
use super::problems::{Damage, ImportProblems};
use super::rpc::RpcReader;
use serde_json::Value;
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::Path;

/// The largest file that is read as one document, in bytes.
const MOST_DOCUMENT_BYTES: u64 = 64 << 20;

/// The head of a file, and then the rest of it.
pub(super) type WholeFile = Chain<Cursor<Vec<u8>>, File>;

/// Reads a file and gives its events to `sink`, in the order of the file. What cannot be read is noted; `None`
/// when that is all of it.
pub fn read(
    input: &Input,
    wanted: Wanted,
    problems: &mut ImportProblems,
    sink: &mut dyn FnMut(Event),
) -> Option<Format> {
    read_as(input, wanted, problems, &mut |_, event| sink(event))
}

/// As [`read`], and tells the format with every event.
pub fn read_as(
    input: &Input,
    wanted: Wanted,
    problems: &mut ImportProblems,
    sink: &mut dyn FnMut(Format, Event),
) -> Option<Format> {
    let path = &input.path;
    let (head, file, length) = match open(path) {
        Ok(opened) => opened,
        Err(error) => {
            problems.note(Damage::Unreadable, path, 0, error);
            return None;
        }
    };
    let Some(format) = detect(&head) else {
        // A folder may hold anything; a file that was named is expected to be a transcript.
        if input.is_named {
            problems.note(Damage::UnknownFormat, path, 0, if head.is_empty() { "empty" } else { "" });
        }
        return None;
    };
    let is_document = !is_lines(&head);
    let whole = Cursor::new(head).chain(file);
    let sink = &mut |event: Event| sink(format, event);
    match format {
        Format::ClaudeCode => claude(path, whole, length, wanted, problems, sink),
        Format::JsonRpc => {
            let mut reader = RpcReader::new(path);
            if is_document {
                with_document(path, whole, problems, &mut |document, problems| {
                    reader.document(document, problems, sink);
                });
            } else {
                each_line(path, whole, length, problems, &mut |line, problems| {
                    reader.line(line, problems, sink);
                });
            }
            reader.end(problems, sink);
        }
        Format::Codex => {
            let mut reader = CodexReader::new(path);
            each_line(path, whole, length, problems, &mut |line, problems| reader.line(line, problems, sink));
            reader.end(problems, sink);
        }
        Format::Gemini => {
            let mut reader = GeminiReader::new(path);
            if is_document {
                with_document(path, whole, problems, &mut |document, _| reader.document(document));
            } else {
                each_line(path, whole, length, problems, &mut |line, problems| {
                    reader.line(line, problems, sink);
                });
            }
            reader.end(problems, sink);
        }
        Format::Inspect => read_inspect(path, whole, problems, sink),
    }
    Some(format)
}

/// Whether a file holds one record a line, or a log, and not one document over many lines.
fn is_lines(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let Some(first) = lines.next() else { return true };
    if !first.trim_ascii_start().starts_with(b"{") && !first.trim_ascii_start().starts_with(b"[") {
        return true;
    }
    let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
    // A first line that is longer than the head is a record among others, unless the file is that line.
    is_whole || (lines.next().is_none() && head.len() >= HEAD_BYTES)
}

/// Gives a file that is one document to `see`.
fn with_document(
    path: &Path,
    whole: WholeFile,
    problems: &mut ImportProblems,
    see: &mut dyn FnMut(Value, &mut ImportProblems),
) {
    let mut bytes = Vec::new();
    if let Err(error) = whole.take(MOST_DOCUMENT_BYTES + 1).read_to_end(&mut bytes) {
        return problems.note(Damage::Unreadable, path, 0, error);
    }
    if bytes.len() as u64 > MOST_DOCUMENT_BYTES {
        let most = MOST_DOCUMENT_BYTES >> 20;
        return problems.note(Damage::LongLine, path, 1, format_args!("one document over {most} MiB"));
    }
    let line = Line { bytes: &bytes, number: 1, is_unfinished: true };
    if let Some(document) = decode::<Value>(line, path, problems) {
        see(document, problems);
    }
}

/// The head of a file, the file behind it, and its length.
fn open(path: &Path) -> std::io::Result<(Vec<u8>, File, u64)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    // What is no regular file has no length of its own.
    Ok((head, file, if length == 0 { u64::MAX } else { length }))
}

fn claude(
    path: &Path,
    whole: WholeFile,
    length: u64,
    wanted: Wanted,
    problems: &mut ImportProblems,
    sink: &mut dyn FnMut(Event),
) {
    let mut reader = ClaudeReader::new(path, wanted);
    each_line(path, whole, length, problems, &mut |line, problems| reader.line(line, problems, sink));
    reader.end(problems, sink);
}

/// Gives every line of a file to `see`; lines that are too long and errors of the file are noted.
pub(super) fn each_line(
    path: &Path,
    whole: WholeFile,
    length: u64,
    problems: &mut ImportProblems,
    see: &mut dyn FnMut(Line<'_>, &mut ImportProblems),
) {
    let mut lines = Lines::new(whole, length);
    loop {
        let is_more = match lines.next_line() {
            Ok(Some(line)) => {
                see(line, problems);
                true
            }
            Ok(None) => false,
            Err(error) => {
                problems.note(Damage::Unreadable, path, 0, error);
                return;
            }
        };
        if let Some(number) = lines.take_too_long() {
            problems.note(
                Damage::LongLine,
                path,
                number,
                format_args!("over {} MiB", super::MOST_LINE_BYTES >> 20),
            );
        }
        if !is_more {
            return;
        }
    }
}
