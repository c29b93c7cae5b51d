//! `record` through the binary: what passes, what is kept, how either end may end.

mod http;
mod stdio;
mod support;
