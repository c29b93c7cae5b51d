//! The replay against METHOD.md and CASE-FORMAT.md: every rule, need and end, by scripted servers.

mod calls;
mod ends;
mod inference;
mod needs;
mod oversized;
mod rules;
mod support;
