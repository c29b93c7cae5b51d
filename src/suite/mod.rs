//! The suite file: servers, client profile, tool declarations, gate rules.

mod model;

pub use model::*;
