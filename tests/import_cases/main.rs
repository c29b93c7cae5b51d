//! Import against its contract: transcripts in, cases out, through the binary.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

#[path = "../cli/mod.rs"]
mod cli;

mod bindings;
mod chains;
mod damage;
mod examples;
mod flow;
#[path = "../fixture_support/mod.rs"]
mod fixture_support;
mod needs;
mod privacy;
mod round_trip;
mod support;
mod traps;
