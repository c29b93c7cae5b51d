//! A server's command behind a shim: three streams, signals and the end passed on.

use super::die::{end_by, this_program};
use super::frame::Origin;
use super::pump::{Progress, PumpEnd, drain, is_deserted, pump};
use super::session_file::SessionFile;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Duration, Instant, interval, sleep};

/// How often the ends are looked at that no event tells.
const LOOK: Duration = Duration::from_millis(100);
/// How long a server may go on whose client is gone, or that closed its stdout; again after TERM.
const GRACE: Duration = Duration::from_secs(3);
/// How long a stream may be silent that others hold open after the server's end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Signals that are passed on; the others either can't be caught or are no business of a server.
const PASSED: [(Signal, &str); 6] = [
    (Signal::TERM, "TERM"),
    (Signal::INT, "INT"),
    (Signal::HUP, "HUP"),
    (Signal::QUIT, "QUIT"),
    (Signal::USR1, "USR1"),
    (Signal::USR2, "USR2"),
];

/// How the server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, or 128 + the number of the signal that ended it.
    pub code: u8,
}

/// Runs `command` between this process's stdin, stdout and stderr, and keeps what passes. A server that a
/// signal ended ends this process by the same signal.
///
/// # Errors
///
/// A command that cannot be started, or no runtime.
pub fn run(command: &[OsString], session: Arc<SessionFile>) -> io::Result<Ended> {
    // The server dies with the thread that started it: that must be this one, which stays to the end.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(watch(command, &session))?;
    let signal = status.signal();
    let end = match (status.code(), signal) {
        (Some(code), _) => serde_json::json!({ "code": code }),
        (None, signal) => serde_json::json!({ "signal": signal }),
    };
    session.note(Origin::Server, None, "exit", &end);
    session.sync();
    if let Some(signal) = signal {
        end_by(signal);
    }
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    Ok(Ended { code: u8::try_from(code).unwrap_or(1) })
}

/// A stream whose pump has ended.
type Told = (Origin, PumpEnd);

/// The running server and what is known of its ends.
struct Shim {
    child: Child,
    group: Option<Pid>,
    progress: [Arc<Progress>; 2],
    told: UnboundedReceiver<Told>,
    is_client_done: bool,
    is_output_done: bool,
    is_errors_done: bool,
    /// Since when the server has outlived its use.
    useless_since: Option<Instant>,
    was_terminated: bool,
}

async fn watch(command: &[OsString], session: &Arc<SessionFile>) -> io::Result<ExitStatus> {
    let (heard, mut signals) = unbounded_channel();
    for (number, name) in PASSED {
        let mut stream = signal(SignalKind::from_raw(number.as_raw()))?;
        let heard = heard.clone();
        tokio::spawn(
            async move { while stream.recv().await.is_some() && heard.send((number, name)).is_ok() {} },
        );
    }
    let mut shim = Shim::start(command, session)?;
    let mut looks = interval(LOOK);
    let status = loop {
        tokio::select! {
            status = shim.child.wait() => break status?,
            Some((number, name)) = signals.recv() => {
                session.note(Origin::Client, None, "signal", &name);
                shim.signal(number);
            }
            Some(told) = shim.told.recv() => shim.hear(told),
            _ = looks.tick() => shim.look(),
        }
    };
    shim.finish().await;
    Ok(status)
}

impl Shim {
    fn start(command: &[OsString], session: &Arc<SessionFile>) -> io::Result<Self> {
        let (input, input_end) = io::pipe()?;
        let (output_end, output) = io::pipe()?;
        let (errors_end, errors) = io::pipe()?;
        let mut starter = Command::new(this_program()?);
        starter.args(["record", "--child-of", &std::process::id().to_string(), "--"]).args(command);
        starter.stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(errors));
        // In a group of its own a terminal's Ctrl-C comes once, by this process.
        let child = starter.process_group(0).kill_on_drop(true).spawn()?;
        // It holds the server's ends of the pipes.
        drop(starter);
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (tell, told) = unbounded_channel();
        let progress = [Arc::default(), Arc::default()];
        pump_input(input_end, session, tell.clone());
        pump_output(output_end, Origin::Server, session, &progress[0], tell.clone());
        pump_output(errors_end, Origin::Stderr, session, &progress[1], tell);
        Ok(Self {
            child,
            group,
            progress,
            told,
            is_client_done: false,
            is_output_done: false,
            is_errors_done: false,
            useless_since: None,
            was_terminated: false,
        })
    }

    fn hear(&mut self, (origin, end): Told) {
        match origin {
            Origin::Client if end == PumpEnd::Source => self.is_client_done = true,
            Origin::Client => {}
            Origin::Server => self.is_output_done = true,
            Origin::Stderr => self.is_errors_done = true,
        }
    }

    /// Ends a server that nobody can use: its client is gone, or its stdout is closed. The client of a server
    /// that closed its stdout would see the end of it at once; here it does when this process ends.
    fn look(&mut self) {
        let is_useless = self.is_output_done || (self.is_client_done && is_deserted(io::stdout().as_fd()));
        if !is_useless {
            self.useless_since = None;
            return;
        }
        let since = *self.useless_since.get_or_insert_with(Instant::now);
        if since.elapsed() > 2 * GRACE {
            self.signal(Signal::KILL);
        } else if since.elapsed() > GRACE && !std::mem::replace(&mut self.was_terminated, true) {
            self.signal(Signal::TERM);
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group that is gone needs no signal.
            let _ = kill_process_group(group, signal);
        }
    }

    /// After the server's end: pass on its last words, and leave no process of its group.
    async fn finish(&mut self) {
        let (mut chunks, mut silent_since) = (self.chunks(), Instant::now());
        while !(self.is_output_done && self.is_errors_done) {
            tokio::select! {
                Some(told) = self.told.recv() => self.hear(told),
                () = sleep(LOOK) => {}
            }
            let is_waiting = self.progress.iter().any(|one| one.is_writing.load(Ordering::Relaxed));
            if std::mem::replace(&mut chunks, self.chunks()) != chunks || is_waiting {
                silent_since = Instant::now();
            }
            if silent_since.elapsed() > LAST_WORDS {
                if !self.has_group() {
                    // A process that left the group holds the stream; it is no part of the server any more.
                    break;
                }
                self.signal(Signal::KILL);
                silent_since = Instant::now();
            }
        }
        self.signal(Signal::KILL);
    }

    fn chunks(&self) -> u64 {
        self.progress.iter().map(|one| one.chunks.load(Ordering::Relaxed)).sum()
    }

    fn has_group(&self) -> bool {
        self.group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }
}

fn pump_input(input: PipeWriter, session: &Arc<SessionFile>, tell: UnboundedSender<Told>) {
    let session = Arc::clone(session);
    std::thread::spawn(move || {
        let stdin = io::stdin();
        let end = pump(stdin.as_fd(), input.as_fd(), Origin::Client, &session, &Progress::default());
        drop(input);
        if end == PumpEnd::Sink {
            drain(stdin.as_fd(), Origin::Client, &session);
        }
        // Nobody listens when the server has ended already.
        let _ = tell.send((Origin::Client, PumpEnd::Source));
    });
}

fn pump_output(
    output: PipeReader,
    origin: Origin,
    session: &Arc<SessionFile>,
    progress: &Arc<Progress>,
    tell: UnboundedSender<Told>,
) {
    let (session, progress) = (Arc::clone(session), Arc::clone(progress));
    std::thread::spawn(move || {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let sink = if origin == Origin::Server { stdout.as_fd() } else { stderr.as_fd() };
        let end = pump(output.as_fd(), sink, origin, &session, &progress);
        // With the pipe closed the server learns what the client did.
        drop(output);
        let _ = tell.send((origin, end));
    });
}
