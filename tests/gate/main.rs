//! From `git push` to a verdict: shards and their merge, stored baselines, what a CI gets to see, exit codes.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

#[path = "../cli/mod.rs"]
mod cli;

mod ci;
mod codes;
mod secrets;
mod shards;
mod stored;
