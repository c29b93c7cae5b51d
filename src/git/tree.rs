//! The files of a commit in a new repository that borrows the objects of another.

use super::GitError;
use super::Repository;
use super::command::{Git, Patience};
use super::error::one_line;
use super::submodules;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where the commits of a repository, and those of its submodules, come from.
pub(super) struct Source {
    /// A repository on this machine that has the commit.
    pub local: Option<Repository>,
    /// Where its own remote is: addresses of submodules may be relative to it.
    pub url: Option<String>,
}

/// Settings of the user's repository that change which bytes a checkout writes.
const CARRIED: &str =
    r"^(core\.(autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|attributesfile)|filter\..*)$";

/// Writes the files of `commit` and of its submodules to `root`.
pub(super) fn write(root: &Path, source: &Source, commit: &str, patience: &Patience) -> Result<(), GitError> {
    init(root, commit, patience)?;
    if let Some(local) = &source.local {
        borrow(root, local, patience)?;
    }
    finish(root, source, commit, patience)
}

/// An empty repository, without the machine's templates and hooks, that never tidies itself.
pub(super) fn init(root: &Path, commit: &str, patience: &Patience) -> Result<(), GitError> {
    fs_err::create_dir_all(root).map_err(|source| GitError::io("make", root, source))?;
    let format = if commit.len() == 64 { "sha256" } else { "sha1" };
    let format = format!("--object-format={format}");
    Git::at(root, patience)
        .no_higher()
        .config("init.defaultBranch", "main")
        .args(["init", "--quiet", "--template=", &format, "."])
        .must()?;
    for (key, value) in [("gc.auto", "0"), ("maintenance.auto", "false")] {
        Git::at(root, patience).no_higher().args(["config", key, value]).must()?;
    }
    Ok(())
}

/// Lets `root` read the objects of `local`, and takes over what shapes a checkout: settings, attributes, tags
/// (a build may ask `git describe` for its version) and where a shallow history ends.
fn borrow(root: &Path, local: &Repository, patience: &Patience) -> Result<(), GitError> {
    let git_dir = root.join(".git");
    let info = git_dir.join("objects/info");
    fs_err::create_dir_all(&info).map_err(|source| GitError::io("make", &info, source))?;
    let alternates = info.join("alternates");
    let mut line = quoted(local.objects().as_os_str());
    line.push(b'\n');
    fs_err::write(&alternates, line).map_err(|source| GitError::io("write", &alternates, source))?;
    copy_if_there(&local.shallow_file(), &git_dir.join("shallow"))?;
    let attributes = Path::new("info/attributes");
    copy_if_there(&local.common_dir().join(attributes), &git_dir.join(attributes))?;
    let told = local.git().args(["config", "--local", "-z", "--get-regexp", CARRIED]).output()?;
    for entry in told.stdout.split(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        // A key without a line feed after it stands for `true`.
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
        if !key.is_empty() {
            Git::at(root, patience).no_higher().args(["config", "--add", key, value]).must()?;
        }
    }
    let tags = local.git().args(["for-each-ref", "--format=create %(refname) %(objectname)", "refs/tags"]);
    let tags = tags.must()?.stdout;
    // A tag whose object a partial clone lacks makes git refuse them all; a checkout without tags is as good.
    Git::at(root, patience).no_higher().args(["update-ref", "--stdin"]).stdin(&tags)?.output()?;
    Ok(())
}

/// Writes the files once the objects are within reach.
pub(super) fn finish(
    root: &Path,
    source: &Source,
    commit: &str,
    patience: &Patience,
) -> Result<(), GitError> {
    let mut git = Git::at(root, patience).no_higher();
    // For this command alone: an address may hold a token, which has no place in a cache.
    if let Some(url) = &source.url {
        git = git.config("remote.origin.url", url);
        if source.local.as_ref().map(is_partial).transpose()?.unwrap_or(false) {
            git = git.config("remote.origin.promisor", "true").may_fetch();
        }
    }
    let told = git
        .args(["checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach", commit])
        .output()?;
    if !told.is_success {
        let detail = one_line(&told.stderr);
        return Err(GitError::Checkout { revision: commit.to_owned(), dir: root.to_owned(), detail });
    }
    submodules::write(root, source, commit, patience)
}

fn is_partial(local: &Repository) -> Result<bool, GitError> {
    let told = local.git().args(["config", "--get-regexp", r"^remote\..*\.promisor$", "^true$"]).output()?;
    Ok(told.is_success)
}

/// A path as `objects/info/alternates` wants it: as it is, or quoted as in C when a line cannot hold it.
fn quoted(path: &OsStr) -> Vec<u8> {
    let bytes = path.as_bytes();
    if !bytes.contains(&b'\n') {
        return bytes.to_vec();
    }
    let mut out = vec![b'"'];
    for byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

fn copy_if_there(from: &Path, to: &Path) -> Result<(), GitError> {
    if !from.is_file() {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs_err::create_dir_all(folder).map_err(|source| GitError::io("make", folder, source))?;
    }
    let bytes = fs_err::read(from).map_err(|source| GitError::io("read", from, source))?;
    fs_err::write(to, bytes).map_err(|source| GitError::io("write", to, source))
}
