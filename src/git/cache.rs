//! Where checkouts are kept, and how processes that want the same one wait for each other.

use super::command::Patience;
use super::{GitError, Repository, Revision};
use crate::text::sha256_hex;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The files of a revision, ready to run. While it lives no other process replaces them.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The top of the files; its last part is the name of the user's own folder.
    pub root: PathBuf,
    pub revision: Revision,
    _held: Arc<File>,
}

impl Checkout {
    pub(super) fn new(root: PathBuf, revision: Revision, held: File) -> Self {
        Self { root, revision, _held: Arc::new(held) }
    }
}

/// `mcp-regress/checkouts` in `$XDG_CACHE_HOME`, else in `~/.cache`, else (no home) in the folder for temporary files.
pub fn default_cache_dir() -> PathBuf {
    cache_dir_of(std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME"))
}

fn cache_dir_of(xdg: Option<OsString>, home: Option<OsString>) -> PathBuf {
    // The XDG base directory specification says that a path that is not absolute is to be ignored.
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute(xdg).or_else(|| absolute(home).map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("mcp-regress/checkouts")
}

/// The place of one revision with one build command: `CACHE/REPOSITORY/COMMIT-BUILD` and files beside it.
///
/// The parts have fixed lengths, so that the two sides' roots are equally long: a server that shows its paths
/// gives results of the same size from both.
pub(super) struct Entry {
    /// Holds the checkout alone.
    pub folder: PathBuf,
    pub root: PathBuf,
    /// Says that checkout and build came to their end.
    pub done: PathBuf,
    /// The output of the build.
    pub build_log: PathBuf,
    lock: PathBuf,
}

impl Entry {
    pub(super) fn of(
        repository: &Repository,
        revision: &Revision,
        build: Option<&str>,
        cache: &Path,
    ) -> Result<Self, GitError> {
        let name = repository.top().file_name().unwrap_or("repository".as_ref());
        let whose = sha256_hex(repository.common_dir().as_os_str().as_bytes());
        let mut parent = name.to_owned();
        parent.push(format!("-{}", &whose[..8]));
        let parent = cache.join(parent);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&parent)
            .map_err(|source| GitError::io("make the cache folder", &parent, source))?;
        let parent = fs_err::canonicalize(&parent)
            .map_err(|source| GitError::io("find the cache folder", &parent, source))?;
        // Where a CI wants its caches inside the working tree, the tree's status stays as it was.
        let ignored = parent.join(".gitignore");
        if !ignored.exists() {
            fs_err::write(&ignored, "*\n").map_err(|source| GitError::io("write", &ignored, source))?;
        }
        let commit = revision.commit.get(..12).unwrap_or(&revision.commit);
        let key = format!("{commit}-{}", &sha256_hex(build.unwrap_or_default())[..8]);
        let folder = parent.join(&key);
        Ok(Self {
            root: folder.join(name),
            folder,
            done: parent.join(format!("{key}.done.json")),
            build_log: parent.join(format!("{key}.build.log")),
            lock: parent.join(format!("{key}.lock")),
        })
    }

    /// Waits until this process may use the entry (`is_shared`) or make it anew. The lock goes with the file.
    pub(super) fn hold(&self, is_shared: bool, patience: &Patience) -> Result<File, GitError> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let failed = |source| GitError::io("lock", &self.lock, source);
        let file = options.open(&self.lock).map_err(failed)?;
        let start = Instant::now();
        loop {
            match if is_shared { file.try_lock_shared() } else { file.try_lock() } {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            if patience.is_interrupted() {
                return Err(GitError::Interrupted);
            }
            if start.elapsed() >= patience.limit {
                let waited_s = patience.limit.as_secs();
                return Err(GitError::Busy { lock: self.lock.clone(), waited_s });
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Takes away what an earlier attempt left. The mark goes first: what is half removed is not taken for done.
    pub(super) fn clear(&self) -> Result<(), GitError> {
        for file in [&self.done, &self.build_log] {
            match fs_err::remove_file(file) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(GitError::io("remove", file, source));
                }
                _ => {}
            }
        }
        let parent = self.folder.parent().unwrap_or(&self.folder);
        let failed = |source| GitError::io("move aside", &self.folder, source);
        if self.folder.exists() {
            // Out of the way first: a build whose parent was killed may be writing in there still.
            let aside = tempfile::Builder::new().prefix(&self.aside_prefix()).tempdir_in(parent);
            let aside = aside.map_err(failed)?.keep();
            fs_err::rename(&self.folder, aside.join("old")).map_err(failed)?;
        }
        for entry in fs_err::read_dir(parent).map_err(failed)?.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(&self.aside_prefix()) {
                remove(&entry.path());
            }
        }
        Ok(())
    }

    fn aside_prefix(&self) -> String {
        format!("{}.old-", self.folder.file_name().unwrap_or_default().to_string_lossy())
    }
}

/// Removes a folder as far as it can be: what stays is in nobody's way, and is tried again the next time.
fn remove(folder: &Path) {
    if fs_err::remove_dir_all(folder).is_err() {
        // Folders that a build made read-only, as Go's module cache does.
        make_writable(folder);
        let _ = fs_err::remove_dir_all(folder);
    }
}

fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let folders = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    for entry in folders.filter(|entry| entry.file_type().is_dir()) {
        let _ = fs_err::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o700));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_xdg_specification_puts_it() {
        for (xdg, home, folder) in [
            (Some("/x"), Some("/h"), Some("/x/mcp-regress/checkouts")),
            (Some("relative"), Some("/h"), Some("/h/.cache/mcp-regress/checkouts")),
            (Some(""), Some("/h"), Some("/h/.cache/mcp-regress/checkouts")),
            (None, None, None),
        ] {
            let expected =
                folder.map_or_else(|| std::env::temp_dir().join("mcp-regress/checkouts"), PathBuf::from);
            assert_eq!(cache_dir_of(xdg.map(Into::into), home.map(Into::into)), expected);
        }
    }
}
