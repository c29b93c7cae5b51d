//! Real repositories in temporary folders, and proof that nothing in them was touched.
#![allow(dead_code, reason = "each test file uses its own part")]

use mcp_regress::git::{Checkout, GitError, Repository};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Sandbox {
    pub folder: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(&self.folder).unwrap().join(name)
    }

    /// A new repository on branch `main`, with one commit for each text, which is all of `a.txt`.
    pub fn repository(&self, name: &str, texts: &[&str]) -> PathBuf {
        let dir = self.path(name);
        fs::create_dir_all(&dir).unwrap();
        git(&dir, &["init", "-q", "-b", "main", "."]);
        for text in texts {
            commit(&dir, "a.txt", text);
        }
        dir
    }

    pub fn cache(&self) -> PathBuf {
        self.path("the cache")
    }

    /// A checkout with a build that sees PATH alone.
    pub fn checkout(&self, dir: &Path, rev: &str, build: Option<&str>) -> Result<Checkout, GitError> {
        let repository = repository(dir);
        let revision = repository.resolve(rev)?;
        repository.checkout(&revision, build, &path_alone(), &self.cache(), &self.path("build.log"))
    }
}

pub fn path_alone() -> Vec<(String, String)> {
    vec![("PATH".to_owned(), std::env::var("PATH").unwrap())]
}

pub fn repository(dir: &Path) -> Repository {
    Repository::discover(dir).unwrap().expect("a repository")
}

/// `git` without the machine's settings.
pub fn command(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir);
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_AUTHOR_NAME", "T"),
        ("GIT_AUTHOR_EMAIL", "t@example.org"),
        ("GIT_COMMITTER_NAME", "T"),
        ("GIT_COMMITTER_EMAIL", "t@example.org"),
        ("GIT_AUTHOR_DATE", "1700000000 +0000"),
        ("GIT_COMMITTER_DATE", "1700000000 +0000"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command
}

pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = command(dir).args(["-c", "protocol.file.allow=always"]).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub fn commit(dir: &Path, file: &str, text: &str) -> String {
    fs::write(dir.join(file), text).unwrap();
    git(dir, &["add", "--all"]);
    git(dir, &["commit", "-q", "-m", &format!("{file}: {text}")]);
    git(dir, &["rev-parse", "HEAD"])
}

/// Everything in a folder, `.git` included: path, mode, bytes.
pub fn snapshot(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let entries = walkdir::WalkDir::new(dir).into_iter().map(Result::unwrap);
    let record = |entry: walkdir::DirEntry| {
        let kind = entry.file_type();
        let bytes = if kind.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        (entry.path().to_owned(), (entry.path().symlink_metadata().unwrap().permissions().mode(), bytes))
    };
    entries.map(record).collect()
}

/// Runs `act`, and fails unless the repository is the same after it: status, HEAD, index and every other byte.
pub fn untouched<T>(dir: &Path, act: impl FnOnce() -> T) -> T {
    let say = || {
        let head = command(dir).args(["rev-parse", "HEAD"]).output().unwrap().stdout;
        let has_files = git(dir, &["rev-parse", "--is-bare-repository"]) == "false";
        (has_files.then(|| git(dir, &["status", "--porcelain"])), head)
    };
    let (said, before) = (say(), snapshot(dir));
    let result = act();
    let after = snapshot(dir);
    let changed: Vec<_> =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(changed.is_empty(), "changed: {changed:?}");
    assert_eq!(say(), said);
    result
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
