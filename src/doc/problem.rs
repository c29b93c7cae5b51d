//! What is wrong in a file, where, what is allowed there, and what to do.

use std::fmt;
use std::path::PathBuf;

/// A place in a text, both counted from 1; columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u64,
    pub column: u64,
}

/// One thing that is wrong in a file.
///
/// Displayed as `FILE:LINE:COLUMN: PLACE: FOUND; expected ALLOWED; HINT`, without the parts that are absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: PathBuf,
    /// `None` when the file as a whole is meant.
    pub position: Option<Position>,
    /// JSON Pointer or TOML key; empty for the root.
    pub place: String,
    pub found: String,
    pub allowed: Option<String>,
    pub hint: Option<String>,
}

impl Problem {
    /// A problem of the file as a whole.
    pub fn of_file(file: impl Into<PathBuf>, found: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            position: None,
            place: String::new(),
            found: found.into(),
            allowed: None,
            hint: None,
        }
    }

    #[must_use]
    pub fn expected(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn at_line(mut self, line: u64, column: u64) -> Self {
        self.position = Some(Position { line, column });
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.file.to_string_lossy()))?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.place.is_empty() {
            write!(f, ": {}", one_line(&self.place))?;
        }
        write!(f, ": {}", one_line(&self.found))?;
        if let Some(allowed) = &self.allowed {
            write!(f, "; expected {allowed}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

/// So many characters of a part that a file controls are shown.
const SHOWN_CHARS: usize = 300;

/// Keys and names may hold anything: no line break of theirs begins a line of ours.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN_CHARS));
    for (index, c) in text.chars().enumerate() {
        if index == SHOWN_CHARS {
            out.push_str("...");
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Everything that is wrong in the files of a suite, one line each. Exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Problems(pub Vec<Problem>);

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}
