//! The results of any harness: one CSV file with a row an attempt, read into an [`AttemptTable`].
//!
//! Columns `case` (or `case_id`), `side` and `attempt` must be there; `split`, `cluster`, `status`
//! and `recording_id` may be; every other column of numbers is a metric. A file that this bench
//! wrote is read with all that it says. The file is read once, row by row, into columns.
//!
//! Reading order: [`declare`] is what a person says of a column, [`header`] what a column is for,
//! [`rows`] reads cells, [`sides`] says which name plays which side, [`table`] puts it together.

pub mod declare;
pub mod sides;

mod cells;
mod error;
mod header;
mod rows;
mod table;

pub use declare::Declared;
pub use error::ForeignError;
pub use sides::SideNames;

use crate::metric::AttemptTable;
use crate::words::Side;
use std::path::Path;

/// What is asked of a file.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub sides: SideNames,
    pub metrics: Vec<Declared>,
}

/// A file as read.
#[derive(Debug, Clone, Default)]
pub struct Foreign {
    pub table: AttemptTable,
    /// The file's name of each side that takes part, in order.
    pub names: Vec<(Side, String)>,
    /// Attempts with one number on two sides replay the same recording.
    pub has_recordings: bool,
    /// What a reader must know: columns and sides that were left out.
    pub notes: Vec<String>,
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read, or says something that cannot be judged: see [`ForeignError`].
pub fn read(path: &Path, wanted: &Wanted) -> Result<Foreign, ForeignError> {
    let file = std::fs::File::open(path)?;
    let raw = rows::read(std::io::BufReader::with_capacity(1 << 20, file))?;
    table::assemble(raw, wanted)
}
