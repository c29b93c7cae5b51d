//! Reports: one value built from a results folder, one file a format.

pub mod cell;
mod csv_calls;
mod csv_attempts;
