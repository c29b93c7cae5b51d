//! Cases: what an agent did once, as recordings of steps.

mod model;

pub use model::*;
