//! Import against its contract: transcripts in, cases out, through the binary.

#[path = "../cli/mod.rs"]
mod cli;

mod bindings;
mod chains;
mod damage;
mod examples;
mod flow;
mod needs;
mod privacy;
mod support;
mod traps;
