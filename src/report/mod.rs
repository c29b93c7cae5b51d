//! Reports: one value built from a results folder, one file a format.
//!
//! [`build`] reads the journal and judges; [`write_all`] writes every derived file of the results
//! folder; [`terminal`] is the table that a person sees. The reproducible files hold no clock
//! value, path, host, job count, argv or run id, and depend on what the journal holds, never on
//! the order of its lines.

pub mod cell;
pub mod across;
mod build;
mod confirming;
mod warning;
mod csv_calls;
mod csv_attempts;
mod csv_cases;
mod csv_figures;
mod oddity;
mod phrase;
mod sentence;
mod terminal;
mod summary_json;
mod summary_md;
mod files;

pub use build::{Measured, MissingAttempt, Report, ReportError, build, build_with, judge, measure, settings};
pub use confirming::{Flipped, flipped, journal_beside};
pub use files::{FILES, write_all};
pub(crate) use phrase::{counted, without_commands};
pub use summary_json::render as summary_json;
pub use summary_md::render as summary_md;
pub use terminal::{TerminalOptions, terminal};
pub use warning::{Warning, drift_is_seen};
