//! What can go wrong between a name of a revision and a checkout of it, and what mends it.

use crate::exit::ExitCode;
use std::io;
use std::path::{Path, PathBuf};

/// Why a side could not be taken from git.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    #[error("`git` was not found on PATH; install git, or give the sides by folder, command or URL")]
    NoGit,
    #[error(
        "`{}` is in no git repository; run inside one, or give the baseline by --baseline-root, --baseline-cmd or --baseline-url",
        .0.display()
    )]
    NotARepository(PathBuf),
    #[error(
        "git does not trust the repository at `{}`, which belongs to another user; once you trust it: `git config --global --add safe.directory '{}'`",
        .0.display(), .0.display()
    )]
    Untrusted(PathBuf),
    #[error("the repository at `{}` has no working tree; name a revision for each side", .0.display())]
    NoWorkTree(PathBuf),
    #[error("HEAD of `{}` has no commit yet; commit first, or give the baseline another way", .0.display())]
    Unborn(PathBuf),
    #[error("the revision `{revision}` is not in `{}`; {hint}", repository.display())]
    UnknownRevision { revision: String, repository: PathBuf, hint: String },
    #[error(
        "{what} is not in `{}`, which is a shallow clone; fetch it: `{command}`",
        repository.display()
    )]
    Shallow { what: String, repository: PathBuf, command: String },
    #[error("{what} is not in `{}`; {hint}", repository.display())]
    NoMergeBase { what: String, repository: PathBuf, hint: String },
    #[error(
        "the revision `{0}` holds uncommitted changes and cannot be checked out; run the working tree itself, or commit"
    )]
    Dirty(String),
    #[error(
        "the checkout of `{revision}` failed in `{}`: {detail}",
        dir.display()
    )]
    Checkout { revision: String, dir: PathBuf, detail: String },
    #[error(
        "the submodule `{path}` at `{commit}` could not be had from `{url}`: {detail}; with `git submodule update --init --recursive` in your clone it is taken from there"
    )]
    Submodule { path: String, commit: String, url: String, detail: String },
    #[error("the build of `{revision}` {ended}: `{command}`; all of its output: `{}`{}", log.display(), quote(tail))]
    Build {
        revision: String,
        command: String,
        /// `ended with exit code 2`, `was killed by signal 9`, `took longer than 3600 s`.
        ended: String,
        log: PathBuf,
        /// The last lines of the output, at most 20, without control characters.
        tail: String,
    },
    #[error(
        "another process has held `{}` for {waited_s} s; wait for it, or use another cache folder (XDG_CACHE_HOME)",
        lock.display()
    )]
    Busy { lock: PathBuf, waited_s: u64 },
    #[error("interrupted")]
    Interrupted,
    #[error("could not {what} `{}`: {source}", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("`{command}` failed in `{}`: {detail}", dir.display())]
    Git { command: String, dir: PathBuf, detail: String },
}

impl GitError {
    /// How a command that meets this error ends.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::NoGit
            | Self::NotARepository(_)
            | Self::Untrusted(_)
            | Self::NoWorkTree(_)
            | Self::UnknownRevision { .. }
            | Self::Dirty(_) => ExitCode::Usage,
            Self::Unborn(_) | Self::Shallow { .. } | Self::NoMergeBase { .. } => ExitCode::NotComparable,
            Self::Checkout { .. }
            | Self::Submodule { .. }
            | Self::Build { .. }
            | Self::Busy { .. }
            | Self::Io { .. } => ExitCode::SideFailed,
            Self::Interrupted => ExitCode::Interrupted,
            Self::Git { .. } => ExitCode::Internal,
        }
    }

    pub(super) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { what, path: path.to_owned(), source }
    }

    /// The error that git's own words mean.
    pub(super) fn of_git(command: String, dir: PathBuf, stderr: String) -> Self {
        if stderr.contains("detected dubious ownership") {
            let named = stderr.split("repository at '").nth(1).and_then(|rest| rest.split('\'').next());
            return Self::Untrusted(named.map_or(dir, PathBuf::from));
        }
        if stderr.contains("must be run in a work tree") {
            return Self::NoWorkTree(dir);
        }
        let detail = if stderr.is_empty() { "no reason given".to_owned() } else { one_line(&stderr) };
        Self::Git { command, dir, detail }
    }
}

/// Several lines of another program as one.
pub(super) fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(printable).collect::<Vec<_>>().join("; ")
}

/// Without control characters: they could rewrite what a terminal shows.
pub(super) fn printable(line: &str) -> String {
    line.chars().filter(|c| !c.is_control() || *c == '\t').collect()
}

/// The lines of a build, each behind a bar, so that none can be taken for ours nor for a command to a CI.
fn quote(tail: &str) -> String {
    tail.lines().map(|line| format!("\n  | {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_real_git_on_a_repository_of_another_user_become_the_command_that_mends_it() {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let mut command = std::process::Command::new("git");
            // git's own switch for its tests: every repository belongs to somebody else.
            command.current_dir(&folder).args(args).env("LC_ALL", "C").env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").env_remove("GIT_DIR").output().unwrap()
        };
        git(&["init", "-q", "."]);
        let stderr = String::from_utf8(git(&["rev-parse", "--show-toplevel"]).stderr).unwrap();
        let error = GitError::of_git("git rev-parse".into(), folder.path().into(), stderr);
        let top = std::fs::canonicalize(&folder).unwrap();
        assert!(matches!(&error, GitError::Untrusted(path) if *path == top), "{error:?}");
        assert!(error.to_string().contains("git config --global --add safe.directory"));
        assert_eq!(error.exit_code(), ExitCode::Usage);
    }

    #[test]
    fn a_build_cannot_speak_to_the_terminal_nor_to_the_ci() {
        assert_eq!(printable("\u{1b}[31mred\r\tx"), "[31mred\tx");
        assert_eq!(quote("::error::x\nb"), "\n  | ::error::x\n  | b");
    }
}
