//! The trace: the record on disk of everything an attempt did, and of what a run was made of.

mod record;
mod run_meta;

pub use record::{AttemptRecord, CallRecord, NeedRecord};
pub use run_meta::*;
