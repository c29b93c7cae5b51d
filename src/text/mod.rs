//! Text and JSON helpers that several modules need: hashes, pointers, patterns, JSON as clients write it.

pub mod base64;
mod decimal;
mod hash;
mod pattern;
mod pointer;
mod stringify;

pub use decimal::decimal;
pub use hash::{sha256_hex, sha256_parts};
pub use pattern::{Pattern, PatternError};
pub use pointer::{Pointer, PointerError};
pub use stringify::{canonical, stringify};
