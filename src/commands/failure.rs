//! How a command fails: an exit code, what was wrong, what to do.

use crate::exit::ExitCode;
use std::fmt::Display;

/// A failure as the person who ran the command sees it.
#[derive(Debug)]
pub struct Failure {
    pub code: ExitCode,
    /// What and where; may have several lines.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(code: ExitCode, message: impl Display) -> Self {
        Self { code, message: message.to_string(), hint: None }
    }

    /// Usage or configuration.
    pub fn usage(message: impl Display) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// Adds what to do.
    pub fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl From<crate::doc::Problems> for Failure {
    fn from(problems: crate::doc::Problems) -> Self {
        Self::usage(problems)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::PermissionDenied
            | std::io::ErrorKind::NotFound
            | std::io::ErrorKind::WouldBlock => ExitCode::Usage,
            _ => ExitCode::Internal,
        };
        Self::new(code, error)
    }
}
