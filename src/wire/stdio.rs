//! Messages over the stdin and stdout of a process.

use std::convert::Infallible;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::failure::{Crash, Failure, StartErrorKind};
use super::framing::LineBuffer;
use super::inbox::Inbox;
use super::process::{Ending, Process};
use super::quick::{Pace, read_soon, write_now};
use super::reply::Reply;
use super::request::{Meanwhile, Outgoing};
use super::target::{LaunchSpec, Limits};

/// Bytes kept for a server that does not read its stdin; answers past it are dropped.
const OUTGOING_KEPT: usize = 1 << 20;
/// How long a notification may take when the server does not read.
const NOTIFY_LIMIT: Duration = Duration::from_millis(250);
/// How long a server that closed its stdin may still answer.
const AFTER_STDIN: Duration = Duration::from_secs(1);

/// A server process and its two pipes.
///
/// There is no reader task: the pipes are read while somebody waits, in the waiter's own task or, for
/// a moment, in its own thread. Between calls a talkative server waits in its write.
#[derive(Debug)]
pub(crate) struct Stdio {
    pub(crate) process: Process,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    lines: LineBuffer,
    limit: usize,
    outgoing: Vec<u8>,
    sent: usize,
    pace: Pace,
    dead: Option<Crash>,
}

impl Stdio {
    pub(crate) fn start(launch: &LaunchSpec, limits: &Limits) -> Result<Self, StartErrorKind> {
        let mut process = Process::start(launch, limits.stderr_kept)?;
        let Some((stdin, stdout)) = process.take_pipes() else {
            let program = launch.argv.first().cloned().unwrap_or_default();
            return Err(StartErrorKind::Spawn { program, why: "it has no pipes".to_owned() });
        };
        Ok(Self {
            process,
            stdin: Some(stdin),
            stdout,
            lines: LineBuffer::new(limits.max_message_bytes),
            limit: limits.max_message_bytes,
            outgoing: Vec::new(),
            sent: 0,
            pace: Pace::new(),
            dead: None,
        })
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.is_some()
    }

    /// Send a request and take messages until its reply is there.
    pub(crate) async fn exchange(
        &mut self,
        request: Outgoing<'_>,
        inbox: &mut Inbox,
        deadline: Instant,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Reply, Failure> {
        if let Some(how) = &self.dead {
            return Err(Failure::Crashed(how.clone()));
        }
        self.queue(request.bytes);
        let started = std::time::Instant::now();
        let replied = match self.take_quickly(inbox, started, deadline, meanwhile) {
            Some(reply) => Ok(Ok(reply)),
            None => {
                meanwhile();
                timeout_at(deadline, self.take_until_reply(inbox)).await
            }
        };
        self.pace.note(started);
        self.lines.give_back();
        match replied {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(how)) => {
                self.dead = Some(how.clone());
                Err(Failure::Crashed(how))
            }
            Err(_) => Err(Failure::Timeout),
        }
    }

    /// Send a message that has no reply. A server that does not read it in time misses it.
    pub(crate) async fn notify(&mut self, message: &[u8]) {
        self.queue(message);
        let _ = timeout(NOTIFY_LIMIT, self.flush()).await;
    }

    /// Take what comes until `until`.
    pub(crate) async fn listen(&mut self, inbox: &mut Inbox, until: Instant) {
        if self.dead.is_none()
            && let Ok(Err(how)) = timeout_at(until, self.take_for_ever(inbox)).await
        {
            self.dead = Some(how);
        }
    }

    /// Take the messages that were read along with earlier ones, without waiting.
    pub(crate) async fn prepare(&mut self, inbox: &mut Inbox) {
        self.take_buffered(inbox);
        self.pace.take_turn().await;
    }

    fn take_buffered(&mut self, inbox: &mut Inbox) {
        while let Some(line) = self.lines.next_line() {
            inbox.take(line);
        }
        self.queue_answers(inbox);
    }

    /// End the process, reading its stdout to the last: so it can't get stuck in a write, and what
    /// it still says is counted.
    pub(crate) async fn close(&mut self, inbox: &mut Inbox) -> (Ending, Option<String>, bool) {
        let stdin = self.stdin.take();
        let Self { process, stdout, lines, .. } = self;
        let drain = async {
            loop {
                while let Some(line) = lines.next_line() {
                    inbox.take(line);
                }
                if lines.is_overfull() {
                    lines.take_rest();
                }
                if !has_come(stdout.read_buf(lines.room()).await) {
                    return std::future::pending::<Infallible>().await;
                }
            }
        };
        tokio::select! {
            ended = process.end(stdin) => ended,
            never = drain => match never {},
        }
    }

    /// The reply, if the server is one that answers at once and does so again.
    fn take_quickly(
        &mut self,
        inbox: &mut Inbox,
        started: std::time::Instant,
        deadline: Instant,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Option<Reply> {
        let wait = self.pace.quick_wait(started, deadline.into_std())?;
        self.sent += write_now(self.stdin.as_ref()?, &self.outgoing[self.sent..]);
        if self.sent < self.outgoing.len() {
            return None;
        }
        meanwhile();
        loop {
            while let Some(line) = self.lines.next_line() {
                inbox.take(line);
                if let Some(reply) = inbox.reply.take() {
                    return Some(reply);
                }
            }
            if !inbox.answers.is_empty() || self.lines.is_overfull() {
                return None;
            }
            if !read_soon(&self.stdout, self.lines.room(), wait) {
                return None;
            }
        }
    }

    async fn take_until_reply(&mut self, inbox: &mut Inbox) -> Result<Reply, Crash> {
        loop {
            while let Some(line) = self.lines.next_line() {
                inbox.take(line);
                if let Some(reply) = inbox.reply.take() {
                    return Ok(reply);
                }
            }
            self.queue_answers(inbox);
            if self.step().await? {
                continue;
            }
            // The stream has ended; its last line may lack an end and still be the reply.
            let rest = self.lines.take_rest();
            if !rest.is_empty() {
                inbox.take(&rest);
            }
            if let Some(reply) = inbox.reply.take() {
                return Ok(reply);
            }
            return Err(self.process.explain(Crash::StdoutClosed).await);
        }
    }

    async fn take_for_ever(&mut self, inbox: &mut Inbox) -> Result<(), Crash> {
        loop {
            self.take_buffered(inbox);
            if !self.step().await? {
                return Err(self.process.explain(Crash::StdoutClosed).await);
            }
        }
    }

    /// One write or one read, whichever is possible: a server that is busy writing to us need not
    /// read from us. False at the end of stdout.
    async fn step(&mut self) -> Result<bool, Crash> {
        if self.lines.is_overfull() {
            return Err(Crash::MessageTooLarge { limit: self.limit });
        }
        let Self { stdin, stdout, lines, outgoing, sent, .. } = self;
        let unsent = &outgoing[*sent..];
        if unsent.is_empty() {
            return Ok(has_come(stdout.read_buf(lines.room()).await));
        }
        let Some(pipe) = stdin else { return self.after_stdin().await };
        tokio::select! {
            biased;
            written = pipe.write(unsent) => match written {
                Ok(length @ 1..) => {
                    *sent += length;
                    Ok(true)
                }
                _ => self.after_stdin().await,
            },
            read = stdout.read_buf(lines.room()) => Ok(has_come(read)),
        }
    }

    /// The server does not read any more. Its last messages may still be in the pipe.
    async fn after_stdin(&mut self) -> Result<bool, Crash> {
        self.stdin = None;
        self.outgoing.clear();
        self.sent = 0;
        match timeout(AFTER_STDIN, self.stdout.read_buf(self.lines.room())).await {
            Ok(read) => Ok(has_come(read)),
            Err(_) => Err(self.process.explain(Crash::StdinClosed).await),
        }
    }

    fn queue(&mut self, message: &[u8]) {
        if self.sent == self.outgoing.len() || self.sent > OUTGOING_KEPT {
            self.outgoing.drain(..self.sent);
            self.sent = 0;
        }
        self.outgoing.extend_from_slice(message);
        self.outgoing.push(b'\n');
    }

    fn queue_answers(&mut self, inbox: &mut Inbox) {
        for answer in std::mem::take(&mut inbox.answers) {
            if self.outgoing.len() - self.sent < OUTGOING_KEPT {
                self.queue(&answer);
            } else {
                inbox.counters.answers_dropped += 1;
            }
        }
    }

    async fn flush(&mut self) {
        while let (Some(pipe), true) = (self.stdin.as_mut(), self.sent < self.outgoing.len()) {
            match pipe.write(&self.outgoing[self.sent..]).await {
                Ok(length @ 1..) => self.sent += length,
                _ => self.stdin = None,
            }
        }
    }
}

/// Whether a read brought anything; an error is an end like any other.
fn has_come(read: std::io::Result<usize>) -> bool {
    read.is_ok_and(|length| length > 0)
}
