//! `scan` through the binary: exact counts of transcripts in every format.

mod claude;
mod formats;
mod output;
mod relations;
mod support;
