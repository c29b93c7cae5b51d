//! A revision's files in the cache: made and built once, used by any number of runs.

use super::cache::{Checkout, Entry};
use super::command::Git;
use super::tree::{self, Source};
use super::{GitError, Repository, Revision, build, state};
use serde_json::{Value, json};
use std::path::Path;

impl Repository {
    /// The files of `rev` with its submodules, built, in a folder of `cache`, which may be anywhere outside the
    /// working tree. A checkout of the same commit and build command that is there already is used again, unless
    /// its tracked files have changed since it was built.
    ///
    /// `build` runs with `sh -c` in the checkout and sees `env` alone; its output goes to `log`, also that of the
    /// earlier build when it need not run again. Without `build`, `log` is left alone.
    ///
    /// # Errors
    /// When `rev` holds uncommitted changes, a commit or submodule cannot be had, the build fails or is cut, or
    /// another process keeps the checkout locked. What is left then is never taken for a finished checkout.
    pub fn checkout(
        &self,
        rev: &Revision,
        build: Option<&str>,
        env: &[(String, String)],
        cache: &Path,
        log: &Path,
    ) -> Result<Checkout, GitError> {
        if rev.commit.is_empty() {
            return Err(GitError::Unborn(self.top().to_owned()));
        }
        if rev.dirty {
            return Err(GitError::Dirty(rev.short.clone()));
        }
        let entry = Entry::of(self, rev, build, cache)?;
        let mut made = 0;
        loop {
            let held = entry.hold(true, &self.patience)?;
            if is_done(self, &entry, rev, build)? {
                if build.is_some() && made == 0 {
                    copy(&entry.build_log, log)?;
                }
                return Ok(Checkout::new(entry.root, rev.clone(), held));
            }
            drop(held);
            if made == 2 {
                let detail =
                    "its tracked files keep changing after the build; let the build wait for what it starts";
                return Err(GitError::Checkout {
                    revision: rev.short.clone(),
                    dir: entry.root,
                    detail: detail.to_owned(),
                });
            }
            let held = entry.hold(false, &self.patience)?;
            // Another process may have made it while this one waited.
            if !is_done(self, &entry, rev, build)? {
                make(self, &entry, rev, build, env, log)?;
                made += 1;
            }
            drop(held);
        }
    }
}

fn make(
    repository: &Repository,
    entry: &Entry,
    rev: &Revision,
    command: Option<&str>,
    env: &[(String, String)],
    log: &Path,
) -> Result<(), GitError> {
    let patience = &repository.patience;
    entry.clear()?;
    let source = Source { local: Some(repository.clone()), url: Some(address(repository)?) };
    tree::write(&entry.root, &source, &rev.commit, patience)?;
    if let Some(command) = command {
        build::run(command, &entry.root, env, log, &rev.short, patience)?;
        copy(log, &entry.build_log)?;
    }
    let mark = json!({
        "format_version": 1,
        "commit": rev.commit,
        "build": command,
        "tracked_changes_sha256": tracked_changes(repository, entry)?,
    });
    // Renamed into place: a mark that is there is whole.
    let unfinished = entry.done.with_extension("new");
    fs_err::write(&unfinished, format!("{mark}\n"))
        .and_then(|()| fs_err::rename(&unfinished, &entry.done))
        .map_err(|source| GitError::io("write", &entry.done, source))
}

/// Whether checkout and build came to their end, and the tracked files are still as the build left them.
fn is_done(
    repository: &Repository,
    entry: &Entry,
    rev: &Revision,
    command: Option<&str>,
) -> Result<bool, GitError> {
    let Some(mark) = fs_err::read(&entry.done).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
    else {
        return Ok(false);
    };
    let mark: Value = mark;
    let says = |key: &str| mark.get(key).and_then(Value::as_str);
    if says("commit") != Some(&rev.commit) || says("build") != command || !entry.root.is_dir() {
        return Ok(false);
    }
    if command.is_some() && !entry.build_log.is_file() {
        return Ok(false);
    }
    match tracked_changes(repository, entry) {
        Ok(changes) => Ok(changes.as_deref() == says("tracked_changes_sha256")),
        Err(GitError::Interrupted) => Err(GitError::Interrupted),
        // The objects it borrowed are gone, or the folder is damaged: it is made again.
        Err(_) => Ok(false),
    }
}

fn tracked_changes(repository: &Repository, entry: &Entry) -> Result<Option<String>, GitError> {
    let git = Git::at(&entry.root, &repository.patience).no_higher();
    state::changes(git, &entry.root, &state::Scope::Tracked)
}

/// The repository's own address: its remote, else its folder, as git takes it for relative submodules.
fn address(repository: &Repository) -> Result<String, GitError> {
    let url = match repository.remote()? {
        Some(remote) => repository.config_value(&format!("remote.{remote}.url"))?,
        None => None,
    };
    Ok(url.unwrap_or_else(|| repository.top().display().to_string()))
}

fn copy(from: &Path, to: &Path) -> Result<(), GitError> {
    if let Some(folder) = to.parent() {
        fs_err::create_dir_all(folder).map_err(|source| GitError::io("make", folder, source))?;
    }
    fs_err::copy(from, to)
        .map(drop)
        .map_err(|source| GitError::io("copy the log of the build to", to, source))
}
