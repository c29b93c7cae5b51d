//! Cases: what an agent did once, as recordings of steps.

mod binding;
mod fingerprints;
mod id;
mod load;
mod model;
mod need;
mod read;
mod recording;
mod select;
mod steps;
mod walk;

pub use binding::{escaped, escaped_name, unescaped_name};
pub use id::default_split;
pub use load::{Loaded, load, load_all, parse};
pub use model::*;
pub use select::{Selection, select};
pub use steps::Steps;
