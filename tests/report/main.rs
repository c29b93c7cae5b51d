//! Everything right of the trace, through the public face: metrics, verdicts, tables, texts.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod traces;

mod edges;
mod inferred;
mod metrics;
mod verdicts;
mod tables;
mod people;
mod pages;
mod parting;
