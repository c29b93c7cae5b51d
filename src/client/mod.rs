//! How an agent's client treats results: which part it forwards, its limits, what the model sees past them. Pure.

mod cut;
mod estimate;
mod notice;
mod page;
mod profile;
mod result;
mod table;
mod view;

pub use estimate::{Estimator, size, utf16_len};
pub use page::{Block, Page, Part};
pub use profile::{DEFAULT_PROTOCOL, Limit, Per, Profile, ProfileError, Representation, SizeUnit, Strategy};
pub use result::ToolResult;
pub use view::{View, view};
