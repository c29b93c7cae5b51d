//! The journal: one line an attempt, appended with one write as soon as the attempt ends.

use crate::trace::AttemptRecord;
use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// When the journal is forced to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// At most once a second and at the end.
    EverySecond,
    /// After each attempt: nothing is lost when the power goes.
    EveryAttempt,
}

/// An open journal; workers share it.
#[derive(Debug)]
pub struct JournalWriter {
    inner: Mutex<Inner>,
    sync: Sync,
}

#[derive(Debug)]
struct Inner {
    file: File,
    synced: Instant,
}

impl JournalWriter {
    /// Opens the journal at `path` for appending, mode 0600. A last line that was cut is ended, so that the
    /// next record begins a line of its own.
    ///
    /// # Errors
    /// When the file cannot be opened or is locked by another run.
    pub fn open(path: &Path, sync: Sync) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path)?;
        if file.file().try_lock().is_err() {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                format!(
                    "`{}` is in use by another run; wait for it to end, or give another --out",
                    path.display()
                ),
            ));
        }
        let length = file.seek(SeekFrom::End(0))?;
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Self { inner: Mutex::new(Inner { file, synced: Instant::now() }), sync })
    }

    /// Appends one record.
    ///
    /// # Errors
    /// When the disk is full or the file is gone.
    pub fn append(&self, record: &AttemptRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut inner = self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.file.write_all(&line)?;
        if self.sync == Sync::EveryAttempt || inner.synced.elapsed() >= Duration::from_secs(1) {
            inner.file.sync_data()?;
            inner.synced = Instant::now();
        }
        Ok(())
    }

    /// Forces everything to disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(&self) -> io::Result<()> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner).file.sync_data()
    }
}
