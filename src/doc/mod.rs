//! Input files as trees of values with places, and a reader that collects every problem of a file.
//!
//! A file of ours is read once into [`Node`]s, from TOML or from strict JSON, and walked with [`At`]. What does
//! not fit becomes a [`Problem`] with file, line, column and key; reading goes on, so that all come in one go.

mod at;
mod json;
mod nearest;
mod node;
mod place;
mod problem;
mod source;
mod table;
mod toml;

pub use at::At;
pub use json::Comments;
pub use nearest::{did_you_mean, list_of, nearest};
pub use node::{Content, Entry, Node};
pub use problem::{Position, Problem, Problems};
pub use source::{Document, Form, Report, Source, read_bytes, read_text};
pub(crate) use source::{open_file, unreadable};
pub use table::Table;
