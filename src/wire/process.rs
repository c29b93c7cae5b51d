//! The server's process: its group, its stderr, and its end.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::failure::{Crash, StartErrorKind};
use super::tail::Tail;
use super::target::LaunchSpec;

/// How long a process gets to end after its stdin was closed, and again after TERM.
const GRACE: Duration = Duration::from_secs(3);
/// How long the end of stderr is waited for once the process or its stdout has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How a process ended when it was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It had ended before.
    BeforeClose,
    /// It ended by itself once its stdin was closed.
    StdinClosed,
    /// It ended within 3 s after TERM.
    Terminated,
    /// It had to be killed.
    Killed,
}

/// A running server process that leads a process group of its own.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// The group; `None` only when the process was gone before its id could be read.
    group: Option<Pid>,
    tail: Arc<Mutex<Tail>>,
    drains: Vec<JoinHandle<()>>,
}

impl Process {
    /// Start `launch` with stdin, stdout and stderr as pipes; stderr is read from now on.
    pub(crate) fn start(launch: &LaunchSpec, kept: usize) -> Result<Self, StartErrorKind> {
        let Some((program, arguments)) = launch.argv.split_first() else {
            return Err(StartErrorKind::Definition { what: "its command is empty".to_owned() });
        };
        if !launch.cwd.is_dir() {
            let what = format!("its folder does not exist: `{}`", launch.cwd.display());
            return Err(StartErrorKind::Definition { what });
        }
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&launch.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| StartErrorKind::Spawn { program: program.clone(), why: error.to_string() })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let tail = Arc::new(Mutex::new(Tail::new(kept)));
        let stderr = child.stderr.take();
        let mut process = Self { child, group, tail, drains: Vec::new() };
        process.drain(stderr);
        Ok(process)
    }

    /// Read a stream to its end and keep its tail beside that of stderr.
    pub(crate) fn drain<R: AsyncRead + Unpin + Send + 'static>(&mut self, stream: Option<R>) {
        let Some(mut stream) = stream else { return };
        let tail = Arc::clone(&self.tail);
        self.drains.push(tokio::spawn(async move {
            let mut chunk = vec![0; 16 << 10];
            while let Ok(length @ 1..) = stream.read(&mut chunk).await {
                tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
            }
        }));
    }

    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    pub(crate) fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Whether the process has not ended yet. It is looked at and not collected, which `wait` does.
    pub(crate) fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match self.group {
            Some(leader) if self.child.id().is_some() => {
                matches!(waitid(WaitId::Pid(leader), options), Ok(None))
            }
            _ => false,
        }
    }

    /// Whether the process has ended, without waiting.
    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    pub(crate) fn stderr_bytes(&self) -> u64 {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).total()
    }

    /// What it means that a pipe of the process broke: its status if it ends within a moment, else
    /// `otherwise`. Waits for the last of stderr, which says why.
    pub(crate) async fn explain(&mut self, otherwise: Crash) -> Crash {
        match timeout(LAST_WORDS, self.child.wait()).await {
            Ok(Ok(status)) => {
                self.hear_last_words().await;
                Crash::Exited { status: describe(status) }
            }
            _ => otherwise,
        }
    }

    async fn hear_last_words(&mut self) {
        for drain in &mut self.drains {
            if !drain.is_finished() {
                // A child of the server may hold stderr open for ever.
                let _ = timeout(LAST_WORDS, drain).await;
            }
        }
    }

    /// End a process that speaks on `stdin` by closing it: TERM to its group after 3 s, KILL after
    /// 3 more.
    pub(crate) async fn end(&mut self, stdin: Option<ChildStdin>) -> (Ending, Option<String>, bool) {
        self.end_after(stdin, GRACE).await
    }

    /// End a process that serves a port, to which the end of stdin means nothing: TERM to its group
    /// at once, KILL after 3 s.
    pub(crate) async fn end_service(&mut self) -> (Ending, Option<String>, bool) {
        let stdin = self.child.stdin.take();
        self.end_after(stdin, Duration::ZERO).await
    }

    async fn end_after(
        &mut self,
        stdin: Option<ChildStdin>,
        patience: Duration,
    ) -> (Ending, Option<String>, bool) {
        // Looked at before stdin is closed: a quick server ends in the moment between the two.
        let mut ending = if self.has_ended() { Ending::BeforeClose } else { Ending::StdinClosed };
        drop(stdin);
        let mut status = timeout(patience, self.child.wait()).await;
        for (signal, next) in [(Signal::TERM, Ending::Terminated), (Signal::KILL, Ending::Killed)] {
            if status.is_err() {
                ending = next;
                self.signal(signal);
                status = timeout(GRACE, self.child.wait()).await;
            }
        }
        let left_children = self.has_group_members();
        self.signal(Signal::KILL);
        self.hear_last_words().await;
        let status = status.ok().and_then(Result::ok).map(describe);
        (ending, status, left_children)
    }

    /// End everything at once.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.drains.iter().for_each(JoinHandle::abort);
    }

    fn has_group_members(&self) -> bool {
        self.group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // The group may be gone, which is what was wanted. Its id is not given to another
            // group while one member lives; after that the chance of reuse in this moment is one in
            // the size of the process table.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}
