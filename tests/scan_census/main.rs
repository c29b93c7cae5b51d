//! `scan` through the binary: exact counts of transcripts in every format, which `import` reads too; and the
//! client profiles by which results are measured.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod claude;
mod families;
mod formats;
mod output;
mod profiles;
mod relations;
mod support;
