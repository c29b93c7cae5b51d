//! Transcripts of agents as cases.
//!
//! ```text
//! files -> lines -> events of threads (one reader a format) -> tasks -> chains -> needs -> cases
//! ```
//!
//! Every reader turns its format into the same [`Event`]s. What comes after the events knows no format.

mod claude;
mod files;
mod format;
mod lines;
mod model;
mod notice;
mod problems;
mod rpc;
mod read;

pub use claude::{ClaudeReader, Wanted, mcp_name};
pub use files::{Input, inputs};
pub use format::{Format, HEAD_BYTES, detect};
pub use lines::{Line, Lines, MOST_LINE_BYTES, decode};
pub use model::{
    About, Call, Event, EventKind, Output, OutputBlock, Session, SessionBuilder, ThreadId, Tokens,
};
pub use notice::{NoticeKind, Oversize, oversize};
pub use problems::{Damage, ImportProblems};
pub use read::read;
pub use rpc::RpcReader;
