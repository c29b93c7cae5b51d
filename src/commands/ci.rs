//! The CI around this process: what it shows beside a change, and where it wants to be told.

use super::{Failure, Printer};
use crate::report::annotations::{self, Annotation};
use crate::report::{self, Report};
use std::io::Write;
use std::path::PathBuf;

/// Which CI this is, as far as one is told anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ci {
    /// None, or one that reads files alone.
    Other,
    GitHub {
        /// Markdown that is appended here stands on the page of the run.
        summary: Option<PathBuf>,
    },
}

impl Ci {
    pub fn detect() -> Self {
        let is_set = |name: &str| std::env::var(name).is_ok_and(|value| value == "true");
        if !is_set("GITHUB_ACTIONS") {
            return Self::Other;
        }
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        Self::GitHub { summary: summary.map(PathBuf::from) }
    }

    /// Tells a finished report. `prints_data`: standard output is for a program.
    pub fn tell(&self, report: &Report, prints_data: bool, printer: &Printer) {
        let Self::GitHub { summary } = self else { return };
        let commands = annotations::github(&annotations::of(report));
        printer.command(&commands, prints_data);
        let Some(path) = summary else { return };
        let written = report::step_summary(report).and_then(|text| {
            let mut file = fs_err::OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(text.as_bytes())
        });
        if let Err(error) = written {
            // The verdict does not hang on what a page shows.
            printer.note(&format!("the step's summary can't be written: {error}"));
        }
    }

    /// Tells what went wrong.
    pub fn tell_failure(&self, failure: &Failure, printer: &Printer) {
        if *self == Self::Other {
            return;
        }
        let title = format!("exit code {}", failure.code as u8);
        let message = super::printer::harmless(&failure.message);
        printer.command(&annotations::github(&[Annotation { is_error: true, title, message }]), true);
    }
}
