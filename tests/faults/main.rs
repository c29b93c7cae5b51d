//! A server that misbehaves, a disk that is full, a kill at any moment: what the bench makes of it.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

#[path = "../cli/mod.rs"]
mod cli;

mod durability;
mod harmless;
mod path;
mod soak;
mod specs;
mod starts;
mod support;
mod table;
