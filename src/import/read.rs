//! One file: its format is detected, and its reader tells the events.

use super::claude::{ClaudeReader, Wanted};
use super::files::Input;
use super::format::{Format, HEAD_BYTES, detect};
use super::lines::Lines;
use super::model::Event;
use super::problems::{Damage, ImportProblems};
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::Path;

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
    let whole = Cursor::new(head).chain(file);
    match format {
        Format::ClaudeCode => claude(path, whole, length, wanted, problems, sink),
        Format::Codex | Format::Gemini | Format::Inspect | Format::JsonRpc => {
            problems.note(Damage::UnknownFormat, path, 0, format_args!("`{format}` cannot be read yet"));
            return None;
        }
    }
    Some(format)
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
    see: &mut dyn FnMut(super::lines::Line<'_>, &mut ImportProblems),
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
