//! The suite file: servers, client profile, tool declarations, gate rules.

mod client;
mod defaults;
pub mod definitions;
mod expand;
mod file;
mod find;
mod globs;
mod model;
mod placeholder;
mod redact;
mod rule;
mod selector;
mod server;
mod side;
mod tool;
pub mod toml_lines;

pub use defaults::{check_repeats, effective_rules};
pub use expand::{ExpandError, ExpandErrors, Expanded, ExpandedServer, Scope, expand, expand_server};
pub use file::load;
pub use find::{Found, SUITE_FILE, find};
pub(crate) use globs::compile as compile_glob;
pub use globs::{GlobError, IdGlob, are_default_globs};
pub use model::*;
pub use placeholder::{Placeholder, fill, placeholders_in};
pub use redact::{is_secret_name, redact_argv, redact_own_argv, redact_url, redact_words, secrets_of_url};
pub(crate) use selector::selector;
pub use side::{SideDefinition, side_definition};
