//! Does a change to an MCP server make agents better or worse off, and how sure are we?
//!
//! The flow, left to right; nothing on the left imports from its right:
//!
//! ```text
//! cases -> plan -> run (agent x wire x client profile) -> trace -> metrics -> statistics -> verdict -> reports
//! ```
//!
//! Every arrow is a plain value that can be written to disk and read back. The trace is the only
//! seam between running and judging: everything to its right is a pure function of a results
//! folder, and gives the same bytes every time.

pub mod words;
pub mod doc;
pub mod text;

pub mod suite;
pub mod case;
pub mod import;
pub mod plan;
pub mod git;

pub mod wire;
pub mod record;
pub mod client;
pub mod trace;
pub mod agent;
pub mod run;

pub mod metric;
pub mod foreign;
pub mod stats;
pub mod verdict;
pub mod report;
pub mod scan;

pub mod exit;
pub mod fixture;

#[doc(hidden)]
pub mod fuzzing;

pub mod cli;
pub mod commands;
