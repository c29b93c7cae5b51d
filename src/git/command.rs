//! One run of `git`: an environment that cannot mislead it, no question asked, an end to every wait.

use super::GitError;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Variables that would point git to another repository, index or set of objects than the folder's own, as
/// they are set while a hook runs (`git rev-parse --local-env-vars`, without the ones that carry configuration).
pub(super) const MISLEADING: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Variables that change what git prints or which kind of repository it makes.
const DISTORTING: &[&str] = &[
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_TEMPLATE_DIR",
];

/// How long to wait for a program, and what cuts the wait short.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    pub limit: Duration,
    /// Set from outside when the user asks to stop. Without it programs stay in our process group, so that an
    /// interrupt at the terminal ends them with us.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How a wait ended.
pub(super) enum Ended {
    Exited(ExitStatus),
    OverLimit,
    Interrupted,
}

impl Patience {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Starts `command` and waits for its end; a program that is cut gets TERM, and KILL 3 seconds later.
    pub(super) fn run(&self, command: &mut Command) -> io::Result<Ended> {
        if self.is_interrupted() {
            return Ok(Ended::Interrupted);
        }
        if self.interrupt.is_some() {
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                // A shell that passes on the end of an interrupted program exits with 128 + 2.
                let by_interrupt = status.signal() == Some(2) || status.code() == Some(130);
                let was_interrupted = self.is_interrupted() || by_interrupt;
                return Ok(if was_interrupted { Ended::Interrupted } else { Ended::Exited(status) });
            }
            let cut = if self.is_interrupted() {
                Some(Ended::Interrupted)
            } else {
                (start.elapsed() >= self.limit).then_some(Ended::OverLimit)
            };
            if let Some(ended) = cut {
                self.end(&mut child)?;
                return Ok(ended);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn end(&self, child: &mut Child) -> io::Result<()> {
        let group = self.interrupt.as_ref().and_then(|_| Pid::from_raw(child.id().cast_signed()));
        let Some(group) = group else {
            child.kill()?;
            return child.wait().map(drop);
        };
        let _ = kill_process_group(group, Signal::TERM);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(3) && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        // The leader may have gone and left others behind.
        let _ = kill_process_group(group, Signal::KILL);
        child.wait().map(drop)
    }
}

/// A `git` command being put together.
pub(super) struct Git<'p> {
    command: Command,
    dir: PathBuf,
    patience: &'p Patience,
    told: Vec<String>,
}

/// What a `git` that ended said.
pub(super) struct GitOutput {
    pub is_success: bool,
    pub stdout: Vec<u8>,
    pub stderr: String,
    dir: PathBuf,
    told: String,
}

impl<'p> Git<'p> {
    /// A command in `dir` that takes no lock it can do without, asks nothing, runs no hook, starts no monitor
    /// and downloads nothing on its own.
    pub(super) fn at(dir: &Path, patience: &'p Patience) -> Self {
        let mut command = Command::new("git");
        command.current_dir(dir).stdin(Stdio::null());
        for name in MISLEADING.iter().chain(DISTORTING) {
            command.env_remove(name);
        }
        for (name, value) in [
            ("LC_ALL", "C"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
        ] {
            command.env(name, value);
        }
        let git = Self { command, dir: dir.to_owned(), patience, told: Vec::new() };
        git.config("core.hooksPath", "/dev/null").config("core.fsmonitor", "false")
    }

    /// The repository is `git_dir`, wherever the command runs.
    pub(super) fn git_dir(mut self, git_dir: &Path) -> Self {
        self.command.env("GIT_DIR", git_dir);
        self
    }

    /// The files that belong to `git_dir` are here, wherever its configuration puts them.
    pub(super) fn work_tree(mut self, top: &Path) -> Self {
        self.command.env("GIT_WORK_TREE", top);
        self
    }

    /// Missing objects of a partial clone may be fetched.
    pub(super) fn may_fetch(mut self) -> Self {
        self.command.env_remove("GIT_NO_LAZY_FETCH");
        self
    }

    pub(super) fn patience(&self) -> &'p Patience {
        self.patience
    }

    /// Looks for a repository in the folder itself, not above it.
    pub(super) fn no_higher(mut self) -> Self {
        if let Some(above) = self.dir.parent() {
            self.command.env("GIT_CEILING_DIRECTORIES", above);
        }
        self
    }

    /// Configuration for this command alone; to be given before the subcommand.
    pub(super) fn config(mut self, key: &str, value: &str) -> Self {
        self.command.arg("-c").arg(format!("{key}={value}"));
        self
    }

    pub(super) fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item: AsRef<OsStr>>,
    {
        for arg in args {
            self.told.push(arg.as_ref().to_string_lossy().into_owned());
            self.command.arg(arg);
        }
        self
    }

    pub(super) fn stdin(mut self, text: &[u8]) -> Result<Self, GitError> {
        let file = tempfile::tempfile()
            .and_then(|mut file| file.write_all(text).and_then(|()| file.rewind()).map(|()| file));
        let file = file.map_err(|source| GitError::io("write a temporary file", &self.dir, source))?;
        self.command.stdin(file);
        Ok(self)
    }

    /// Runs it, whatever its exit code.
    ///
    /// Output goes through unnamed files: no pipe can fill, and none is held open by a process left behind.
    pub(super) fn output(mut self) -> Result<GitOutput, GitError> {
        let told = format!("git {}", self.told.join(" "));
        let failed = |source| GitError::io("run git", &self.dir, source);
        let (mut out, mut err) = (scratch().map_err(failed)?, scratch().map_err(failed)?);
        self.command.stdout(out.try_clone().map_err(failed)?).stderr(err.try_clone().map_err(failed)?);
        let ended = match self.patience.run(&mut self.command) {
            Err(source) if source.kind() == io::ErrorKind::NotFound && self.dir.is_dir() => {
                return Err(GitError::NoGit);
            }
            ended => ended.map_err(failed)?,
        };
        let stderr = String::from_utf8_lossy(&read_back(&mut err).map_err(failed)?).trim().to_owned();
        match ended {
            Ended::Interrupted => Err(GitError::Interrupted),
            Ended::OverLimit => Err(GitError::Git {
                command: told,
                dir: self.dir,
                detail: format!("no end within {} s; {stderr}", self.patience.limit.as_secs()),
            }),
            Ended::Exited(status) => Ok(GitOutput {
                is_success: status.success(),
                stdout: read_back(&mut out).map_err(failed)?,
                stderr,
                dir: self.dir,
                told,
            }),
        }
    }

    /// Runs it; an exit code other than 0 is an error.
    pub(super) fn must(self) -> Result<GitOutput, GitError> {
        let output = self.output()?;
        if output.is_success { Ok(output) } else { Err(output.failure()) }
    }
}

impl GitOutput {
    /// The error for a command that should have worked.
    pub(super) fn failure(self) -> GitError {
        GitError::of_git(self.told, self.dir, self.stderr)
    }

    /// Standard output without its last line feed.
    pub(super) fn bytes(&self) -> &[u8] {
        self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout)
    }

    /// Standard output as text, for names and hashes.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

fn scratch() -> io::Result<File> {
    tempfile::tempfile()
}

fn read_back(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
