//! Reading a file into a tree, and the problems met on the way.

use super::json::{self, Comments};
use super::{Node, Position, Problem, Problems, toml};
use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The notation of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    Toml,
}

impl Form {
    /// What a table is called in this notation.
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Json => "an object",
            Self::Toml => "a table",
        }
    }
}

/// A text and where it came from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file as messages name it.
    pub file: PathBuf,
    pub text: String,
    pub form: Form,
    /// The line of the file at which the text begins, from 1.
    pub first_line: u64,
}

impl Source {
    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        Sweep { offset: 0, position: Position { line: self.first_line, column: 1 } }
            .advance(&self.text, offset)
    }
}

/// A parsed text.
#[derive(Debug)]
pub struct Document {
    pub form: Form,
    pub root: Node,
}

impl Document {
    /// Parses a text; problems of its notation go to `report`.
    pub fn parse(source: &Source, comments: Comments, report: &Report) -> Option<Self> {
        let root = match source.form {
            Form::Json => json::parse(&source.text, comments, report),
            Form::Toml => toml::parse(&source.text, report),
        }?;
        Some(Self { form: source.form, root })
    }
}

/// A problem before its offset is turned into line and column.
#[derive(Debug)]
struct Pending {
    offset: usize,
    place: String,
    found: String,
    allowed: Option<String>,
    hint: Option<String>,
}

/// Collects the problems of one text, and warnings beside them.
#[derive(Debug, Default)]
pub struct Report {
    problems: RefCell<Vec<Pending>>,
    warnings: RefCell<Vec<Pending>>,
}

impl Report {
    /// Adds a problem at a byte offset.
    pub fn problem(
        &self,
        span: &Range<usize>,
        place: String,
        found: String,
        allowed: Option<String>,
        hint: Option<String>,
    ) {
        self.problems.borrow_mut().push(Pending { offset: span.start, place, found, allowed, hint });
    }

    /// Adds a warning at a byte offset.
    pub fn warning(&self, span: &Range<usize>, place: String, found: String, hint: Option<String>) {
        self.warnings.borrow_mut().push(Pending { offset: span.start, place, found, allowed: None, hint });
    }

    pub fn is_empty(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// The problems in the order of the text.
    pub fn into_problems(self, source: &Source) -> Vec<Problem> {
        placed(self.problems.into_inner(), source)
    }

    /// Problems and warnings in the order of the text.
    pub fn into_both(self, source: &Source) -> (Vec<Problem>, Vec<Problem>) {
        (placed(self.problems.into_inner(), source), placed(self.warnings.into_inner(), source))
    }
}

/// Lines and columns are counted in one pass over the text, however many problems there are.
fn placed(mut pending: Vec<Pending>, source: &Source) -> Vec<Problem> {
    pending.sort_by_key(|problem| problem.offset);
    let mut sweep = Sweep { offset: 0, position: Position { line: source.first_line, column: 1 } };
    pending
        .into_iter()
        .map(|Pending { offset, place, found, allowed, hint }| Problem {
            file: source.file.clone(),
            position: Some(sweep.advance(&source.text, offset)),
            place,
            found,
            allowed,
            hint,
        })
        .collect()
}

struct Sweep {
    offset: usize,
    position: Position,
}

impl Sweep {
    fn advance(&mut self, text: &str, offset: usize) -> Position {
        let mut end = offset.clamp(self.offset, text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        for c in text.get(self.offset..end).unwrap_or_default().chars() {
            if c == '\n' {
                self.position.line += 1;
                self.position.column = 1;
            } else {
                self.position.column += 1;
            }
        }
        self.offset = end.max(self.offset);
        self.position
    }
}

/// Opens a regular file. A pipe or device is refused: reading it could wait for ever.
///
/// # Errors
/// A problem that names the file as `shown`.
pub(crate) fn open_file(path: &Path, shown: &Path) -> Result<File, Problems> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(shown, &error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "is a folder" } else { "is no regular file" };
        return Err(Problem::of_file(shown, what).expected("a file").into());
    }
    File::open(path).map_err(|error| unreadable(shown, &error))
}

/// The bytes of a regular file.
///
/// # Errors
/// A problem that names the file as `shown`.
pub fn read_bytes(path: &Path, shown: &Path) -> Result<Vec<u8>, Problems> {
    let mut bytes = Vec::new();
    open_file(path, shown)?.read_to_end(&mut bytes).map_err(|error| unreadable(shown, &error))?;
    Ok(bytes)
}

pub(crate) fn unreadable(shown: &Path, error: &std::io::Error) -> Problems {
    match error.kind() {
        std::io::ErrorKind::NotFound => Problem::of_file(shown, "no such file").into(),
        _ => Problem::of_file(shown, format!("cannot be read: {error}")).into(),
    }
}

/// Bytes as text. A byte order mark is a problem, but not one that hides the others: it is cut off.
///
/// # Errors
/// The problem of bytes that are no UTF-8, with its place.
pub fn read_text(
    bytes: Vec<u8>,
    shown: &Path,
    first_line: u64,
) -> Result<(String, Option<Problem>), Problems> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        let mut sweep = Sweep { offset: 0, position: Position { line: first_line, column: 1 } };
        let at = sweep.advance(&before, before.len());
        let byte = error.as_bytes().get(good).copied().unwrap_or_default();
        Problem::of_file(shown, format!("byte 0x{byte:02x} is no UTF-8"))
            .expected("UTF-8")
            .at_line(at.line, at.column)
    })?;
    let mark = text.starts_with('\u{feff}').then(|| {
        text.drain(..'\u{feff}'.len_utf8());
        Problem::of_file(shown, "a byte order mark")
            .expected("UTF-8 without one")
            .hint("save the file as plain UTF-8")
            .at_line(first_line, 1)
    });
    Ok((text, mark))
}
