//! Reading the journals of a run: an index first, then one case at a time.
//!
//! Lines arrive in any order, so the index holds where each attempt's line stands, and a case is
//! read when it is asked for: memory grows with the number of attempts by some tens of bytes each,
//! never with the number of calls.

use super::AttemptRecord;
use crate::words::Side;
use fs_err::File;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a journal cannot be read.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The line was whole when the index was made.
    #[error("`{path}` changed while it was read: byte {offset} no longer begins a line of the journal")]
    Changed { path: PathBuf, offset: u64 },
}

/// Something that the index left out or had to decide; for the person who looks, in no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalNote {
    /// A line that is no attempt, such as one that was cut when the run was killed.
    Unreadable { path: PathBuf, line: u64, reason: String },
    /// The attempt stands in the journal twice; the later start counts.
    Twice { case_id: String, side: Side, attempt: u32, same_inputs: bool },
    /// An attempt of a case that the run did not select.
    Foreign { case_id: String, lines: u64 },
}

impl std::fmt::Display for JournalNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable { path, line, reason } => {
                write!(f, "`{}` line {line} was left out, it is no whole record: {reason}", path.display())
            }
            Self::Twice { case_id, side, attempt, same_inputs } => {
                let inputs = if *same_inputs { "" } else { " (their inputs differ)" };
                write!(
                    f,
                    "attempt {attempt} of `{case_id}` on {side} is there twice, the later start counts{inputs}"
                )
            }
            Self::Foreign { case_id, lines } => {
                write!(f, "{lines} attempts of `{case_id}` were left out: the run did not select that case")
            }
        }
    }
}

/// Where one attempt's line stands.
#[derive(Debug, Clone, Copy)]
struct Entry {
    case: u32,
    side: Side,
    attempt: u32,
    file: u32,
    offset: u64,
    length: u32,
    started_ms: f64,
    /// Of the line's bytes: decides between equal starts, so that order never does.
    hash: u64,
    inputs: u64,
}

/// The attempts of a run, sorted by (case, side, attempt), each once.
#[derive(Debug, Clone)]
pub struct Journal {
    paths: Vec<PathBuf>,
    entries: Vec<Entry>,
    /// Where each case begins in `entries`; one more than cases.
    starts: Vec<u32>,
    notes: Vec<JournalNote>,
}

impl Journal {
    /// Indexes the journals at `paths`. `case_ids` are the run's cases in the order of its tables;
    /// cases are named by their place in it from here on.
    ///
    /// # Errors
    /// When a file cannot be opened or read. Lines that are no records are notes, not errors.
    pub fn open(paths: &[PathBuf], case_ids: &[String]) -> Result<Self, JournalError> {
        Self::open_as(paths.to_vec(), case_ids, &|_, side| Some(side))
    }

    /// As [`Journal::open`], with the side that a side of a file (named by its place in `paths`)
    /// plays; one that plays none is left out.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn open_as(
        paths: Vec<PathBuf>,
        case_ids: &[String],
        plays: &dyn Fn(usize, Side) -> Option<Side>,
    ) -> Result<Self, JournalError> {
        let places: HashMap<&str, u32> =
            case_ids.iter().enumerate().map(|(place, id)| (id.as_str(), place as u32)).collect();
        let mut entries: Vec<Entry> = Vec::new();
        let mut notes = Vec::new();
        let mut foreign = std::collections::BTreeMap::<String, u64>::new();
        for (file, path) in paths.iter().enumerate() {
            each_line(path, |number, offset, line| match serde_json::from_slice::<AttemptRecord>(line) {
                Ok(mut record) => {
                    let Some(side) = plays(file, record.side) else { return };
                    record.side = side;
                    match places.get(record.case_id.as_str()) {
                        Some(case) => entries.push(Entry::new(&record, *case, file as u32, offset, line)),
                        None => *foreign.entry(record.case_id).or_default() += 1,
                    }
                }
                Err(error) => {
                    let (path, reason) = (path.clone(), error.to_string());
                    notes.push(JournalNote::Unreadable { path, line: number, reason });
                }
            })?;
        }
        notes.extend(foreign.into_iter().map(|(case_id, lines)| JournalNote::Foreign { case_id, lines }));
        entries.sort_unstable_by(Entry::order);
        keep_latest(&mut entries, case_ids, &mut notes);
        entries.shrink_to_fit();
        let mut starts = vec![0u32; case_ids.len() + 1];
        entries.iter().for_each(|entry| starts[entry.case as usize + 1] += 1);
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        Ok(Self { paths, entries, starts, notes })
    }

    /// The journal of `cases` cases of which only numbers are known: it has no record.
    pub fn without_records(cases: usize) -> Self {
        Self { paths: Vec::new(), entries: Vec::new(), starts: vec![0; cases + 1], notes: Vec::new() }
    }

    /// How many attempts there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What was left out or decided.
    pub fn notes(&self) -> &[JournalNote] {
        &self.notes
    }

    /// The latest start of an attempt, in milliseconds since the run's start; 0 without any.
    pub fn latest_start_ms(&self) -> f64 {
        self.entries.iter().map(|entry| entry.started_ms).fold(0.0, f64::max)
    }

    /// Whether the attempt has a record.
    pub fn has(&self, case: usize, side: Side, attempt: u32) -> bool {
        self.of_case(case).binary_search_by(|e| (e.side, e.attempt).cmp(&(side, attempt))).is_ok()
    }

    /// Opens the files to read cases from.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn reader(&self) -> Result<JournalReader<'_>, JournalError> {
        let files = self.paths.iter().map(File::open).collect::<Result<_, _>>()?;
        Ok(JournalReader { journal: self, files, line: Vec::new() })
    }

    fn of_case(&self, case: usize) -> &[Entry] {
        &self.entries[self.starts[case] as usize..self.starts[case + 1] as usize]
    }
}

impl Entry {
    fn new(record: &AttemptRecord, case: u32, file: u32, offset: u64, line: &[u8]) -> Self {
        Self {
            case,
            side: record.side,
            attempt: record.attempt,
            file,
            offset,
            length: line.len() as u32,
            started_ms: record.started_ms,
            hash: xxhash_rust::xxh3::xxh3_64(line),
            inputs: xxhash_rust::xxh3::xxh3_64(record.inputs_sha256.as_bytes()),
        }
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        (self.case, self.side, self.attempt)
            .cmp(&(other.case, other.side, other.attempt))
            .then(self.started_ms.total_cmp(&other.started_ms))
            .then(self.hash.cmp(&other.hash))
    }
}

/// Of sorted entries with one key the last one stays: it started latest.
fn keep_latest(entries: &mut Vec<Entry>, case_ids: &[String], notes: &mut Vec<JournalNote>) {
    entries.dedup_by(|later, kept| {
        let key = |entry: &Entry| (entry.case, entry.side, entry.attempt);
        if key(later) != key(kept) {
            return false;
        }
        notes.push(JournalNote::Twice {
            case_id: case_ids[later.case as usize].clone(),
            side: later.side,
            attempt: later.attempt,
            same_inputs: later.inputs == kept.inputs,
        });
        *kept = *later;
        true
    });
}

/// Calls `f` with number (from 1), offset and bytes of every line that is not blank.
fn each_line(path: &Path, mut f: impl FnMut(u64, u64, &[u8])) -> Result<(), JournalError> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut line, mut offset, mut number) = (Vec::new(), 0u64, 0u64);
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        number += 1;
        let text = line.trim_ascii_end();
        if !text.is_empty() {
            f(number, offset, text);
        }
        offset += length as u64;
    }
}

/// Open files of a journal.
pub struct JournalReader<'j> {
    journal: &'j Journal,
    files: Vec<File>,
    line: Vec<u8>,
}

impl JournalReader<'_> {
    /// The records of one case, by side and attempt.
    ///
    /// # Errors
    /// When a file cannot be read or was changed since the index was made.
    pub fn case(&mut self, case: usize) -> Result<Vec<AttemptRecord>, JournalError> {
        self.journal.of_case(case).iter().map(|entry| self.record(entry)).collect()
    }

    fn record(&mut self, entry: &Entry) -> Result<AttemptRecord, JournalError> {
        let file = &mut self.files[entry.file as usize];
        file.seek(SeekFrom::Start(entry.offset))?;
        self.line.resize(entry.length as usize, 0);
        file.read_exact(&mut self.line)?;
        let mut record: AttemptRecord = serde_json::from_slice(&self.line).map_err(|_| {
            let path = self.journal.paths[entry.file as usize].clone();
            JournalError::Changed { path, offset: entry.offset }
        })?;
        record.side = entry.side;
        Ok(record)
    }
}
