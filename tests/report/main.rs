//! Everything right of the trace, through the public face: metrics, verdicts, tables, texts.

mod traces;

mod metrics;
mod verdicts;
mod tables;
mod people;
