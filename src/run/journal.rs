//! The journal: one line an attempt, appended with one write as soon as the attempt ends.

use crate::trace::AttemptRecord;
use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// When the journal is forced to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// At most once a second and at the end.
    EverySecond,
    /// After each attempt: nothing is lost when the power goes.
    EveryAttempt,
}

/// Records that may wait for the disk before workers do.
const WAITING: usize = 16;

/// An open journal; workers share it. A thread of its own writes, so that no server waits while a
/// record is put into words.
#[derive(Debug)]
pub struct JournalWriter {
    /// Gone once the journal is finished.
    records: Mutex<Option<SyncSender<Entry>>>,
    writer: Mutex<Writer>,
    sync: Sync,
}

/// The thread that writes.
#[derive(Debug)]
enum Writer {
    AtWork(JoinHandle<io::Result<()>>),
    /// With what it failed at, if it did: every worker is told, not the first alone.
    Ended(Option<(io::ErrorKind, String)>),
}

/// A record on its way to the disk, and who waits until it is there.
type Entry = (AttemptRecord, Option<SyncSender<()>>);

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
        let (records, coming) = sync_channel(WAITING);
        let name = "journal".to_owned();
        let writer = std::thread::Builder::new().name(name).spawn(move || write_all(file, &coming, sync))?;
        Ok(Self { records: Mutex::new(Some(records)), writer: Mutex::new(Writer::AtWork(writer)), sync })
    }

    /// Appends one record: at once, or with [`Sync::EveryAttempt`] before this returns.
    ///
    /// # Errors
    /// When the disk is full or the file is gone; perhaps of an earlier record.
    pub fn append(&self, record: AttemptRecord) -> io::Result<()> {
        let records = lock(&self.records).clone();
        let (done, is_done) = sync_channel(1);
        let waits = (self.sync == Sync::EveryAttempt).then_some(done);
        let must_wait = waits.is_some();
        let is_taken = records.is_some_and(|records| records.send((record, waits)).is_ok());
        if is_taken && (!must_wait || is_done.recv().is_ok()) {
            return Ok(());
        }
        self.finish()?;
        Err(io::Error::other("the journal is closed"))
    }

    /// Writes what waits, and forces everything to disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(&self) -> io::Result<()> {
        drop(lock(&self.records).take());
        // Who comes second waits here for what the first one learns.
        let mut writer = lock(&self.writer);
        let failed = match std::mem::replace(&mut *writer, Writer::Ended(None)) {
            Writer::AtWork(thread) => {
                let written = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                written.err().map(|error| (error.kind(), error.to_string()))
            }
            Writer::Ended(failed) => failed,
        };
        let told = failed.as_ref().map_or(Ok(()), |(kind, why)| Err(io::Error::new(*kind, why.clone())));
        *writer = Writer::Ended(failed);
        told
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        // Who cares for the error has asked before.
        let _ = self.finish();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One write a record, until no worker is left.
fn write_all(mut file: File, coming: &Receiver<Entry>, sync: Sync) -> io::Result<()> {
    let mut synced = Instant::now();
    for (record, waits) in coming {
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        file.write_all(&line)?;
        if sync == Sync::EveryAttempt || synced.elapsed() >= Duration::from_secs(1) {
            file.sync_data()?;
            synced = Instant::now();
        }
        if let Some(waits) = waits {
            let _ = waits.send(());
        }
    }
    file.sync_data()
}
