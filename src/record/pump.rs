//! One direction of a stdio server: bytes in, kept, out.

use super::cutter::Cutter;
use super::frame::{Context, Origin};
use super::session_file::SessionFile;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How long the end of a line is waited for before its beginning is kept by itself.
const LINE_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
const CHUNK: usize = 64 << 10;

/// What others see of a pump.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Chunks that were passed on.
    pub chunks: AtomicU64,
    /// It holds bytes that the other end has not taken yet.
    pub is_writing: AtomicBool,
}

/// How a pump ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PumpEnd {
    /// The end that writes has closed.
    Source,
    /// The end that reads has closed.
    Sink,
}

/// Passes bytes on until one end closes. What ends a line in a chunk is kept before the chunk is passed on.
pub(super) fn pump(
    source: BorrowedFd<'_>,
    sink: BorrowedFd<'_>,
    origin: Origin,
    session: &SessionFile,
    progress: &Progress,
) -> PumpEnd {
    let mut cutter = Cutter::default();
    let keep = |cutter: &mut Cutter, bytes: &[u8]| {
        cutter.push(bytes, |piece| session.keep(origin, Context::default(), &piece));
    };
    let mut chunk = vec![0; CHUNK];
    let end = loop {
        if cutter.is_holding() && !is_ready(source, PollFlags::IN, Some(&LINE_WAIT)) {
            cutter.part(|piece| session.keep(origin, Context::default(), &piece));
        }
        let Some(bytes) = read(source, &mut chunk) else { break PumpEnd::Source };
        keep(&mut cutter, bytes);
        progress.is_writing.store(true, Ordering::Relaxed);
        let is_taken = write_all(sink, bytes);
        progress.is_writing.store(false, Ordering::Relaxed);
        if !is_taken {
            break PumpEnd::Sink;
        }
        progress.chunks.fetch_add(1, Ordering::Relaxed);
    };
    cutter.part(|piece| session.keep(origin, Context::default(), &piece));
    let what = if end == PumpEnd::Source { "end of stream" } else { "the other end is closed" };
    session.note(origin, None, "closed", &what);
    end
}

/// Keeps what still comes when nobody takes it any more: a client that writes must not wait for ever.
pub(super) fn drain(source: BorrowedFd<'_>, origin: Origin, session: &SessionFile) {
    let mut cutter = Cutter::default();
    let mut chunk = vec![0; CHUNK];
    while let Some(bytes) = read(source, &mut chunk) {
        cutter.push(bytes, |piece| session.keep(origin, Context::default(), &piece));
    }
    cutter.part(|piece| session.keep(origin, Context::default(), &piece));
}

/// The next bytes; `None` at the end, and when the stream is broken, which is one.
fn read<'c>(source: BorrowedFd<'_>, chunk: &'c mut [u8]) -> Option<&'c [u8]> {
    loop {
        match rustix::io::read(source, &mut *chunk) {
            Ok(0) => return None,
            Ok(length) => return Some(&chunk[..length]),
            Err(Errno::INTR) => {}
            // The other end may have made a shared description non-blocking.
            Err(Errno::AGAIN) => {
                is_ready(source, PollFlags::IN, None);
            }
            Err(_) => return None,
        }
    }
}

fn write_all(sink: BorrowedFd<'_>, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(sink, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                is_ready(sink, PollFlags::OUT, None);
            }
            Err(_) => return false,
        }
    }
    true
}

fn is_ready(stream: BorrowedFd<'_>, flags: PollFlags, limit: Option<&Timespec>) -> bool {
    let mut waited = [PollFd::new(&stream, flags)];
    loop {
        match poll(&mut waited, limit) {
            Ok(count) => return count > 0,
            Err(Errno::INTR) => {}
            Err(_) => return true,
        }
    }
}

/// Whether nobody reads what is written to `sink` any more.
pub(super) fn is_deserted(sink: BorrowedFd<'_>) -> bool {
    let mut waited = [PollFd::new(&sink, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut waited, Some(&now)), Ok(1..))
        && waited[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
