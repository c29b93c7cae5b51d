//! The census of transcripts: what agents called, what was too large for their client, how they read on. No
//! server is needed.
//!
//! Files are read once, call by call, in bounded memory: of a result its size, a hash, and what it offers are
//! kept.

mod call;
mod census;
mod client;
mod files;
mod json;
mod notice;
mod percentile;
mod reads;
mod row;
mod tables;
mod terminal;
mod thread;

pub use census::Census;
pub use files::{ScanOptions, scan};
pub use json::render as json;
pub use notice::Wording;
pub use row::{Row, Sizes};
pub use tables::{notices_rows, notices_table, tools_rows, tools_table};
pub use terminal::terminal;
