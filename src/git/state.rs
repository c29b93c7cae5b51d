//! What a working tree holds beyond its commit, as one hash.
//!
//! The hash is over contents, not over a patch: a patch differs with the version of git, its settings and its
//! diff algorithm. One record a path, by the bytes of the path: path, 0, mode, 0, content hash, line feed.

use super::GitError;
use super::command::{Git, Patience};
use crate::text::sha256_hex;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Which paths count.
pub(super) enum Scope<'p> {
    /// Tracked and untracked ones, not ignored ones; without those below these, which are relative to the top.
    Everything { left_out: Vec<&'p Path> },
    /// Tracked ones: a build may leave what it likes beside them.
    Tracked,
}

/// The SHA-256 of everything at `top` that differs from HEAD; `None` when nothing does. `git` is a command in its
/// repository.
pub(super) fn changes(git: Git<'_>, top: &Path, scope: &Scope<'_>) -> Result<Option<String>, GitError> {
    let manifest = manifest(git, top, scope)?;
    Ok((!manifest.is_empty()).then(|| sha256_hex(manifest)))
}

fn manifest(git: Git<'_>, top: &Path, scope: &Scope<'_>) -> Result<Vec<u8>, GitError> {
    let patience = git.patience();
    let git = git.args(["status", "--porcelain=v1", "-z", "--no-renames"]);
    let mut git = match scope {
        Scope::Everything { .. } => {
            git.args(["--untracked-files=all", "--ignore-submodules=none", "--", "."])
        }
        Scope::Tracked => git.args(["--untracked-files=no", "--ignore-submodules=untracked", "--", "."]),
    };
    if let Scope::Everything { left_out } = scope {
        for path in left_out.iter().filter(|path| !path.as_os_str().is_empty()) {
            let mut spec = b":(top,exclude,literal)".to_vec();
            spec.extend_from_slice(path.as_os_str().as_bytes());
            git = git.args([OsStr::from_bytes(&spec)]);
        }
    }
    let status = git.must()?;
    let entries = status.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
    let mut paths: Vec<&[u8]> = entries.map(|entry| &entry[3..]).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut manifest = Vec::new();
    for path in paths {
        let (mode, hash) = content(&top.join(OsStr::from_bytes(path)), scope, patience)?;
        for part in [path, b"\0", mode.as_bytes(), b"\0", hash.as_bytes(), b"\n"] {
            manifest.extend_from_slice(part);
        }
    }
    Ok(manifest)
}

/// What stands at a path: its kind, and a hash of its content.
fn content(path: &Path, scope: &Scope<'_>, patience: &Patience) -> Result<(&'static str, String), GitError> {
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(("absent", String::new()));
    };
    let kind = metadata.file_type();
    Ok(if kind.is_symlink() {
        let target = path.read_link().unwrap_or_default();
        ("link", sha256_hex(target.as_os_str().as_bytes()))
    } else if kind.is_dir() {
        ("folder", repository_in(path, scope, patience)?)
    } else if kind.is_file() {
        let mode = if metadata.permissions().mode() & 0o111 == 0 { "file" } else { "executable" };
        match file_sha256(path) {
            Ok(hash) => (mode, hash),
            // It differs from the commit all the same, and the server will not read it either.
            Err(_) => ("unreadable", String::new()),
        }
    } else {
        ("other", String::new())
    })
}

/// A folder that git names as one path is a submodule, or a repository of its own: its HEAD and its changes.
fn repository_in(dir: &Path, scope: &Scope<'_>, patience: &Patience) -> Result<String, GitError> {
    let head = Git::at(dir, patience).no_higher().args(["rev-parse", "HEAD"]).output()?;
    if !head.is_success {
        return Ok(String::new());
    }
    let scope = match scope {
        Scope::Everything { .. } => Scope::Everything { left_out: Vec::new() },
        Scope::Tracked => Scope::Tracked,
    };
    let mut record = head.stdout;
    record.extend_from_slice(&manifest(Git::at(dir, patience).no_higher(), dir, &scope)?);
    Ok(sha256_hex(record))
}

fn file_sha256(path: &Path) -> io::Result<String> {
    let mut file = fs_err::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    // The hash of the hash: only its digits are wanted, and one function makes those.
    Ok(sha256_hex(hasher.finalize()))
}
