//! What the judging rests on beside one run's table: fresh attempts, earlier rounds, bounds, inferred needs.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

#[path = "../cli/mod.rs"]
mod cli;

mod confirm;
mod lucky;
mod rounds;
