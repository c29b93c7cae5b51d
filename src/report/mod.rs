//! Reports: one value built from a results folder, one file a format.
//!
//! [`build`] reads the journal and judges; [`write_all`] writes every derived file of the results
//! folder; [`terminal`] is the table that a person sees. The reproducible files hold no clock
//! value, path, host, job count, argv or run id, and depend on what the journal holds, never on
//! the order of its lines.

pub mod cell;
pub mod across;
pub mod annotations;
pub mod attribution;
mod budget;
mod build;
mod comment;
mod confirming;
mod warning;
mod csv_calls;
mod csv_attempts;
mod csv_cases;
mod csv_figures;
mod oddity;
pub mod junit;
mod phrase;
mod sentence;
mod side_by_side;
mod terminal;
mod summary_json;
mod summary_md;
mod summary_tables;
mod files;
mod html;
pub mod from_summary;

pub use build::{Measured, MissingAttempt, Report, ReportError, build, build_with, judge, measure, settings};
pub use comment::{COMMENT_BYTES, MARKER, STEP_BYTES, comment_of_summary};
pub use confirming::{Flipped, flipped, journal_beside};
pub use files::{FILES, step_summary, write_all};
pub(crate) use phrase::{counted, grouped, is_direction_mark, without_commands};
pub use side_by_side::SideBySide;
pub use summary_json::render as summary_json;
pub use summary_md::render as summary_md;
pub use terminal::{TerminalOptions, terminal};
pub use warning::{Warning, drift_is_seen};
