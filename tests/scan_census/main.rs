//! `scan` through the binary: exact counts of transcripts in every format.

mod claude;
mod formats;
mod output;
mod profiles;
mod relations;
mod support;
