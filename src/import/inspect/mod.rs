//! JSON logs of Inspect: each epoch of a sample is a conversation. A log is read sample by sample.

mod sample;
mod samples;

use super::model::{Event, ThreadId};
use super::problems::{Damage, ImportProblems};
use sample::Sample;
use std::io::Read;
use std::path::Path;

/// Reads a log, or a file of one sample, and gives its events to `sink`.
pub fn read_inspect(file: &Path, log: impl Read, problems: &mut ImportProblems, sink: &mut dyn FnMut(Event)) {
    let mut thread: ThreadId = 0;
    let mut found = 0;
    let read = samples::each_sample(log, &mut |sample| {
        if let Some(sample) = Sample::of(sample) {
            sample.tell(thread, file, problems, sink);
            thread += 1;
            found += 1;
        }
    });
    if let Err(error) = read {
        let damage = if error.is_eof() { Damage::CutLine } else { Damage::BadLine };
        problems.note(damage, file, 0, format_args!("{error}; {found} samples were read"));
    }
}

#[cfg(test)]
mod tests;
