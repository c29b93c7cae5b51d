//! Journals of the shards of one run, put together as if one process had written them.

use super::AttemptRecord;
use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

/// A journal, and by how much its run started after the first of all, in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct MergePart {
    pub journal: PathBuf,
    pub later_ms: f64,
}

/// Writes the records of `parts` to `to`, mode 0600, with clock values that count from the first start: of two
/// records of one attempt the later start can then be told. A line that stands in several parts is written
/// once. One that is no whole record is kept as it is: a reader leaves it out and names it.
///
/// # Errors
/// When a file cannot be read or written.
pub fn merge_journals(parts: &[MergePart], to: &std::path::Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(to)?;
    let mut out = BufWriter::new(file);
    // A shard that was copied while it ran, and once more when it had ended.
    let mut written = (parts.len() > 1).then(HashSet::new);
    for part in parts {
        let mut journal = BufReader::new(File::open(&part.journal)?);
        let mut line = Vec::new();
        while journal.read_until(b'\n', &mut line)? > 0 {
            let text = line.trim_ascii();
            if !text.is_empty() {
                let shifted = shifted(text, part.later_ms)?;
                let is_new =
                    written.as_mut().is_none_or(|seen| seen.insert(xxhash_rust::xxh3::xxh3_128(&shifted)));
                if is_new {
                    out.write_all(&shifted)?;
                    out.write_all(b"\n")?;
                }
            }
            line.clear();
        }
    }
    out.flush()
}

fn shifted(line: &[u8], later_ms: f64) -> io::Result<Vec<u8>> {
    let Ok(mut record) = serde_json::from_slice::<AttemptRecord>(line) else { return Ok(line.to_vec()) };
    record.started_ms += later_ms;
    record.calls.iter_mut().for_each(|call| call.started_ms += later_ms);
    Ok(serde_json::to_vec(&record)?)
}
