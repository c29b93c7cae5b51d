//! Waits too short for the runtime.
//!
//! A server that answers in some tens of microseconds is measured by what its client adds. A turn of
//! the runtime's reactor with its timers costs about as much as such an answer, so a session whose
//! last exchange was quick waits for the next one in the pipe itself, for a millisecond at most, and
//! only then in the runtime. Nothing else on that thread runs meanwhile, which is why the wait is
//! short, is given up at the first slow answer, and lets the runtime have its turn every millisecond.

use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::process::{ChildStdin, ChildStdout};

/// The longest quick wait, and the longest time between two turns of the runtime.
const PATIENCE: Duration = Duration::from_millis(1);
/// How long a pipe is asked again and again before the thread sleeps: to be woken costs as much as a
/// quick answer.
const INSISTENCE: Duration = Duration::from_micros(50);
/// Spins between two questions, about a microsecond.
const PAUSES: u32 = 32;

/// Whether quick waits pay, and when the runtime had its last turn.
#[derive(Debug)]
pub(crate) struct Pace {
    /// How long the last exchange took.
    last: Duration,
    last_turn: Instant,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { last: Duration::MAX, last_turn: Instant::now() }
    }

    /// How long the next answer may be waited for in the pipe, if at all.
    pub(crate) fn quick_wait(&self, started: Instant, deadline: Instant) -> Option<QuickWait> {
        let insistence = if self.last < 2 * INSISTENCE { INSISTENCE } else { Duration::ZERO };
        let until = (started + PATIENCE).min(deadline);
        (self.last < PATIENCE).then_some(QuickWait { insistence, until })
    }

    /// Learn from an exchange that began at `started` and has ended now.
    pub(crate) fn note(&mut self, started: Instant) {
        self.last = started.elapsed();
    }

    /// Give the runtime its turn when it had none for a while.
    pub(crate) async fn take_turn(&mut self) {
        if self.last_turn.elapsed() >= PATIENCE {
            tokio::task::yield_now().await;
            self.last_turn = Instant::now();
        }
    }
}

/// A wait in the pipe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuickWait {
    /// How long the pipe is asked without sleeping.
    insistence: Duration,
    until: Instant,
}

/// Write what the pipe takes at once; 0 when it takes nothing or is broken, which a slower write
/// will find out.
pub(crate) fn write_now(pipe: &ChildStdin, bytes: &[u8]) -> usize {
    rustix::io::write(pipe, bytes).unwrap_or(0)
}

/// Let the server have the core, if it shares this one, and most of it, if it runs on its twin.
fn pause() {
    std::thread::yield_now();
    (0..PAUSES).for_each(|_| std::hint::spin_loop());
}

/// Wait for bytes and append them to `room`. False when none came, the stream has ended or is broken:
/// a slower read will find out which.
pub(crate) fn read_soon(pipe: &ChildStdout, room: &mut Vec<u8>, wait: QuickWait) -> bool {
    let QuickWait { insistence, until } = wait;
    let insist_until = until.min(Instant::now() + insistence);
    loop {
        match rustix::io::read(pipe, spare_capacity(room)) {
            Ok(length) => return length > 0,
            Err(Errno::AGAIN) if Instant::now() < insist_until => pause(),
            Err(Errno::AGAIN) => break,
            Err(_) => return false,
        }
    }
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
    let mut waited = [PollFd::new(pipe, PollFlags::IN)];
    if left.is_zero() || !matches!(poll(&mut waited, Some(&timeout)), Ok(1..)) {
        return false;
    }
    rustix::io::read(pipe, spare_capacity(room)).is_ok_and(|length| length > 0)
}
