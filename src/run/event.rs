//! What the runner tells while it works. It never formats: a terminal, a log or nothing listens.

use crate::words::{Side, Status};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// So many attempts will run, of which some are recorded already.
    Planned {
        attempts: u64,
        done: u64,
    },
    Started {
        case_id: String,
        side: Side,
        attempt: u32,
    },
    Ended {
        case_id: String,
        side: Side,
        attempt: u32,
        status: Status,
        failure: Option<String>,
    },
    /// All sides of an attempt are replayed once more after an infrastructure failure.
    Again {
        case_id: String,
        attempt: u32,
        why: String,
        /// Ended sides that no longer count.
        ended: u64,
        /// Those of them that were not ok.
        failed: u64,
    },
}

/// A listener; called from any worker.
pub type Events = dyn Fn(Event) + Send + std::marker::Sync;
