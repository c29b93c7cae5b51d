//! Submodules of checkouts: local ones, nested ones, and those that the user's clone has or lacks.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod git_support;

use git_support::{Sandbox, commit, git, read, untouched};
use mcp_regress::exit::ExitCode;
use mcp_regress::git::GitError;
use std::fs;
use std::path::{Path, PathBuf};

/// `app` with `libs/lib` that has `inner`; a second commit in each. The addresses are as given.
fn nested(sandbox: &Sandbox, address: impl Fn(&str) -> String) -> PathBuf {
    for name in ["inner", "lib", "app"] {
        sandbox.repository(name, &[&format!("{name} 1")]);
    }
    let add = |dir: &Path, name: &str, path: &str| {
        git(dir, &["submodule", "--quiet", "add", &address(name), path]);
        git(dir, &["submodule", "--quiet", "update", "--init", "--recursive"]);
        git(dir, &["commit", "-q", "-m", "a submodule"]);
    };
    let (lib, app) = (sandbox.path("lib"), sandbox.path("app"));
    add(&lib, "inner", "inner");
    add(&app, "lib", "libs/lib");
    git(&app, &["tag", "old"]);
    commit(&lib, "a.txt", "lib 2");
    git(&app.join("libs/lib"), &["pull", "-q", "--ff-only"]);
    commit(&app, "a.txt", "app 2");
    app
}

fn absolute(sandbox: &Sandbox) -> impl Fn(&str) -> String {
    let base = sandbox.path("");
    move |name| base.join(name).display().to_string()
}

fn texts(root: &Path) -> [String; 3] {
    ["a.txt", "libs/lib/a.txt", "libs/lib/inner/a.txt"].map(|file| read(&root.join(file)))
}

#[test]
fn every_level_is_at_the_commit_of_its_revision() {
    let sandbox = Sandbox::new();
    let app = nested(&sandbox, absolute(&sandbox));
    let build = "cat libs/lib/inner/a.txt > built.txt";
    for (rev, expected) in [("old", ["app 1", "lib 1", "inner 1"]), ("main", ["app 2", "lib 2", "inner 1"])] {
        let made = untouched(&app, || sandbox.checkout(&app, rev, Some(build)).unwrap());
        assert_eq!(texts(&made.root), expected);
        assert_eq!(read(&made.root.join("built.txt")), "inner 1");
        assert_eq!(git(&made.root, &["status", "--porcelain", "--untracked-files=no"]), "");
        let again = untouched(&app, || sandbox.checkout(&app, rev, Some("exit 1")).map(|made| made.root));
        assert!(again.is_err(), "another build is another checkout");
        fs::write(made.root.join("libs/lib/a.txt"), "edited").unwrap();
        drop(made);
        assert_eq!(texts(&sandbox.checkout(&app, rev, Some(build)).unwrap().root), expected, "made anew");
    }
}

#[test]
fn what_the_users_clone_holds_needs_no_remote() {
    let sandbox = Sandbox::new();
    let app = nested(&sandbox, absolute(&sandbox));
    let worktree = sandbox.path("worktree");
    git(&app, &["worktree", "add", "-q", "--detach", worktree.to_str().unwrap(), "main"]);
    // A later revision without it: its objects are in `.git/modules` still.
    git(&app, &["rm", "-q", "libs/lib"]);
    git(&app, &["commit", "-q", "-m", "removed"]);
    for name in ["lib", "inner"] {
        fs::rename(sandbox.path(name), sandbox.path(&format!("{name} is away"))).unwrap();
    }
    let made = untouched(&app, || sandbox.checkout(&app, "HEAD~1", None).unwrap());
    assert_eq!(texts(&made.root), ["app 2", "lib 2", "inner 1"]);
    let made = untouched(&worktree, || sandbox.checkout(&worktree, "old", None).unwrap());
    assert_eq!(texts(&made.root), ["app 1", "lib 1", "inner 1"]);
    assert!(!sandbox.checkout(&app, "main", None).unwrap().root.join("libs/lib/a.txt").exists());
}

#[test]
fn a_clone_without_its_submodules_gets_them_from_their_addresses() {
    for (what, sandbox) in
        [("absolute", Sandbox::new()), ("relative", Sandbox::new()), ("file", Sandbox::new())]
    {
        let base = sandbox.path("");
        let _app = match what {
            "relative" => nested(&sandbox, |name| format!("../{name}")),
            "file" => nested(&sandbox, |name| format!("file://{}", base.join(name).display())),
            _ => nested(&sandbox, absolute(&sandbox)),
        };
        let dir = sandbox.path("clone");
        git(&base, &["clone", "-q", sandbox.path("app").to_str().unwrap(), dir.to_str().unwrap()]);
        let made = untouched(&dir, || sandbox.checkout(&dir, "old", None));
        let made = made.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(texts(&made.root), ["app 1", "lib 1", "inner 1"], "{what}");
    }
}

#[test]
fn a_submodule_that_cannot_be_had_is_named_without_its_secret() {
    let sandbox = Sandbox::new();
    let app = nested(&sandbox, absolute(&sandbox));
    let dir = sandbox.path("clone");
    git(
        &app,
        &["config", "-f", ".gitmodules", "submodule.libs/lib.url", "http://me:t0ken@127.0.0.1:1/lib.git"],
    );
    commit(&app, "a.txt", "app 3");
    git(&app, &["clone", "-q", ".", dir.to_str().unwrap()]);
    let error = untouched(&dir, || sandbox.checkout(&dir, "main", None).unwrap_err());
    assert!(matches!(&error, GitError::Submodule { path, .. } if path == "libs/lib"), "{error}");
    assert_eq!(error.exit_code(), ExitCode::SideFailed);
    let told = error.to_string();
    assert!(told.contains("127.0.0.1:1/lib.git") && !told.contains("t0ken"), "{told}");
    assert!(told.contains("git submodule update --init --recursive"), "{told}");
    for entry in walkdir::WalkDir::new(sandbox.cache()).into_iter().filter_map(Result::ok) {
        if entry.path().components().any(|part| part.as_os_str() == ".git") && entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains("t0ken"), "{}", entry.path().display());
        }
    }
}

#[test]
fn a_submodule_that_nobody_wants_stays_empty() {
    let sandbox = Sandbox::new();
    let app = nested(&sandbox, absolute(&sandbox));
    git(&app, &["config", "-f", ".gitmodules", "submodule.libs/lib.update", "none"]);
    let with_none = commit(&app, "a.txt", "none");
    fs::remove_file(app.join(".gitmodules")).unwrap();
    let undeclared = commit(&app, "a.txt", "undeclared");
    for rev in [with_none, undeclared] {
        let made = untouched(&app, || sandbox.checkout(&app, &rev, None).unwrap());
        assert_eq!(fs::read_dir(made.root.join("libs/lib")).unwrap().count(), 0);
    }
}
