//! The suite file: servers, client profile, tool declarations, gate rules.

mod client;
mod defaults;
mod file;
mod find;
mod globs;
mod model;
mod placeholder;
mod rule;
mod selector;
mod server;
mod tool;

pub use defaults::{check_repeats, effective_rules};
pub use file::load;
pub use find::{Found, SUITE_FILE, find};
pub(crate) use globs::compile as compile_glob;
pub use globs::{GlobError, IdGlob};
pub use model::*;
pub use placeholder::{Placeholder, fill, placeholders_in};
pub(crate) use selector::selector;
