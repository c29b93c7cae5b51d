//! Import against its contract: transcripts in, cases out, through the binary.

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
