//! The trace: the record on disk of everything an attempt did, and of what a run was made of.

mod bodies;
mod record;
mod run_meta;
mod reader;
mod merge;

pub use bodies::Bodies;
pub use merge::{MergePart, merge_journals};
pub use reader::{Journal, JournalError, JournalNote, JournalReader};
pub use record::{AttemptRecord, Bracket, CallRecord, NeedRecord};
pub use run_meta::*;
