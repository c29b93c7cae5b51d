//! `record` through the binary: what passes, what is kept, how either end may end.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod http;
mod stdio;
mod support;
