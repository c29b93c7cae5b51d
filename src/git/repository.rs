//! A repository on this machine, as it is found from a folder; and a revision of it.

use super::command::{Git, GitOutput, Patience};
use super::{CiTarget, GitError, resolve, state};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long git or a build may take unless [`Repository::with_limit`] says otherwise.
const LIMIT: Duration = Duration::from_secs(3600);

/// A repository, of which nothing is ever changed.
#[derive(Debug, Clone)]
pub struct Repository {
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    has_work_tree: bool,
    pub(super) patience: Patience,
}

/// What a side was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The full hash; empty while HEAD has no commit.
    pub commit: String,
    /// Its first 7 digits, whatever the repository's size or configuration; `unborn` while HEAD has no commit.
    pub short: String,
    /// When the commit was made, in seconds since 1970; 0 while HEAD has no commit.
    pub committed_at: i64,
    /// Whether tracked files differ from the commit, or files are neither tracked nor ignored.
    pub dirty: bool,
    /// When dirty: the SHA-256 over every such path with its mode and content, or its absence.
    pub diff_sha256: Option<String>,
}

impl Repository {
    /// The repository that holds the folder `start`; `None` when none does.
    ///
    /// # Errors
    /// When git is missing, does not trust the repository, or `start` is no folder.
    pub fn discover(start: &Path) -> Result<Option<Self>, GitError> {
        let patience = Patience { limit: LIMIT, interrupt: None };
        let start = fs_err::canonicalize(start)
            .map_err(|source| GitError::io("look for a repository at", start, source))?;
        let ask = |what: &str| Git::at(&start, &patience).args(["rev-parse", what]).output();
        let git_dir = ask("--git-dir")?;
        if !git_dir.is_success {
            // A `.git` file that leads nowhere is said with the same words and a colon: that one is an error.
            return match git_dir.stderr.contains("not a git repository (or any") {
                true => Ok(None),
                false => Err(git_dir.failure()),
            };
        }
        let git_dir = path_in(&start, &git_dir);
        let common_dir = ask("--git-common-dir")?;
        if !common_dir.is_success {
            return Err(common_dir.failure());
        }
        let top = ask("--show-toplevel")?;
        let has_work_tree = top.is_success;
        let top = if has_work_tree { path_in(&start, &top) } else { git_dir.clone() };
        Ok(Some(Self { top, git_dir, common_dir: path_in(&start, &common_dir), has_work_tree, patience }))
    }

    /// Ends git and builds when `flag` is set; without one they end with the terminal's interrupt.
    #[must_use]
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.patience.interrupt = Some(flag);
        self
    }

    /// The longest that one git command, one build or another process's build may take; one hour when not set.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.patience.limit = limit;
        self
    }

    /// The top of the working tree; the repository itself when it has none.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// What stands in the working tree. HEAD may be detached, or have no commit.
    ///
    /// # Errors
    /// When the repository has no working tree, or git fails.
    pub fn working_tree(&self) -> Result<Revision, GitError> {
        self.working_tree_without(&[])
    }

    /// As [`Repository::working_tree`], leaving out paths in it that say nothing of the code: a run that writes
    /// its results into the tree should not make the next one another revision.
    ///
    /// # Errors
    /// As [`Repository::working_tree`].
    pub fn working_tree_without(&self, left_out: &[&Path]) -> Result<Revision, GitError> {
        if !self.has_work_tree {
            return Err(GitError::NoWorkTree(self.top.clone()));
        }
        let left_out: Vec<&Path> =
            left_out.iter().filter_map(|path| path.strip_prefix(&self.top).ok()).collect();
        let scope = state::Scope::Everything { left_out };
        let diff_sha256 = state::changes(self.git(), &self.top, &scope)?;
        let mut revision = match resolve::commit_of(self, "HEAD")? {
            Some(commit) => self.revision(commit)?,
            None => Revision {
                commit: String::new(),
                short: "unborn".to_owned(),
                committed_at: 0,
                dirty: false,
                diff_sha256: None,
            },
        };
        revision.dirty = diff_sha256.is_some();
        revision.diff_sha256 = diff_sha256;
        Ok(revision)
    }

    /// The commit that a name stands for: a branch, a tag, a hash or any expression of git's; a branch that only
    /// `origin` has; `merge-base` (of HEAD and [`CiTarget::of_process`], else the default branch); `worktree`.
    ///
    /// # Errors
    /// When there is no such commit here, with what to do about it.
    pub fn resolve(&self, rev: &str) -> Result<Revision, GitError> {
        self.resolve_for(rev, &CiTarget::of_process())
    }

    /// As [`Repository::resolve`], with `merge-base` of `ci`.
    ///
    /// # Errors
    /// As [`Repository::resolve`].
    pub fn resolve_for(&self, rev: &str, ci: &CiTarget) -> Result<Revision, GitError> {
        match rev {
            "worktree" => self.working_tree(),
            "merge-base" => self.revision(resolve::merge_base(self, ci)?),
            name => self.revision(resolve::named(self, name)?),
        }
    }

    fn revision(&self, commit: String) -> Result<Revision, GitError> {
        let told = self.git().args(["rev-list", "-1", "--format=%ct", &commit, "--"]).must()?;
        let committed_at = told.text().lines().last().and_then(|line| line.parse().ok()).unwrap_or(0);
        let short = commit.chars().take(7).collect();
        Ok(Revision { commit, short, committed_at, dirty: false, diff_sha256: None })
    }

    /// A command that reads this repository.
    pub(super) fn git(&self) -> Git<'_> {
        // The folder of a submodule that is checked out no more names files that are gone, and git refuses to
        // start there; so the files are always said to be at `top`, whether there are any or not.
        Git::at(&self.top, &self.patience).git_dir(&self.git_dir).work_tree(&self.top)
    }

    pub(super) fn is_shallow(&self) -> bool {
        self.shallow_file().is_file()
    }

    /// Where the commits without their parents are listed, when the clone is shallow.
    pub(super) fn shallow_file(&self) -> PathBuf {
        self.common_dir.join("shallow")
    }

    pub(super) fn objects(&self) -> PathBuf {
        self.common_dir.join("objects")
    }

    /// Where `name` may be in git's own folders: of this worktree, and of the repository.
    pub(super) fn in_git_dirs(&self, name: &Path) -> [PathBuf; 2] {
        [self.git_dir.join(name), self.common_dir.join(name)]
    }

    pub(super) fn work_tree(&self) -> Option<&Path> {
        self.has_work_tree.then_some(self.top.as_path())
    }

    pub(super) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The repository whose own folder is `git_dir`, without its working tree; `None` when it is none.
    pub(super) fn of_git_dir(git_dir: &Path, patience: &Patience) -> Result<Option<Self>, GitError> {
        let common = Git::at(git_dir, patience).git_dir(git_dir).work_tree(git_dir);
        let common = common.args(["rev-parse", "--git-common-dir"]).output()?;
        Ok(common.is_success.then(|| Self {
            top: git_dir.to_owned(),
            git_dir: git_dir.to_owned(),
            common_dir: path_in(git_dir, &common),
            has_work_tree: false,
            patience: patience.clone(),
        }))
    }

    /// One value of the repository's configuration, as git sees it with all its files.
    pub(super) fn config_value(&self, key: &str) -> Result<Option<String>, GitError> {
        let told = self.git().args(["config", "--get", key]).output()?;
        Ok(told.is_success.then(|| told.text()))
    }

    /// `origin`, or the only remote; `None` when there is none, or several others.
    pub(super) fn remote(&self) -> Result<Option<String>, GitError> {
        let remotes = self.git().args(["remote"]).must()?.text();
        let names: Vec<&str> = remotes.lines().collect();
        Ok(match names.as_slice() {
            names if names.contains(&"origin") => Some("origin".to_owned()),
            [only] => Some((*only).to_owned()),
            _ => None,
        })
    }
}

/// A path that git printed, which is relative to the folder it ran in.
fn path_in(dir: &Path, output: &GitOutput) -> PathBuf {
    let path = dir.join(OsString::from_vec(output.bytes().to_vec()));
    fs_err::canonicalize(&path).unwrap_or(path)
}
