//! Checkouts of revisions: made and built once, outside the user's tree, which stays as it is.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod git_support;

use git_support::{Sandbox, commit, git, path_alone, read, repository, snapshot, untouched};
use mcp_regress::exit::ExitCode;
use mcp_regress::git::GitError;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A build that says in `count` that it ran.
fn counting(sandbox: &Sandbox) -> (String, impl Fn() -> usize) {
    let count = sandbox.path("count");
    let build = format!("echo ran >> '{}'; cp a.txt built.txt; echo done building", count.display());
    (build, move || fs::read_to_string(&count).map_or(0, |text| text.lines().count()))
}

#[test]
fn a_revision_is_checked_out_and_built_once_and_the_users_tree_stays() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("my server", &["one", "two"]);
    git(&dir, &["tag", "v1", "HEAD~1"]);
    // Work in progress of every kind: staged, changed, untracked, stashed.
    fs::write(dir.join("a.txt"), "stashed").unwrap();
    git(&dir, &["stash", "-q"]);
    fs::write(dir.join("b.txt"), "staged").unwrap();
    git(&dir, &["add", "b.txt"]);
    fs::write(dir.join("a.txt"), "dirty").unwrap();
    fs::write(dir.join("c.txt"), "untracked").unwrap();
    let (build, count) = counting(&sandbox);

    let first = untouched(&dir, || sandbox.checkout(&dir, "v1", Some(&build)).unwrap());
    assert!(first.root.starts_with(sandbox.cache()) && first.root.ends_with("my server"));
    assert_eq!(read(&first.root.join("a.txt")), "one");
    assert_eq!(read(&first.root.join("built.txt")), "one");
    assert!(!first.root.join("b.txt").exists() && !first.root.join("c.txt").exists());
    assert_eq!(git(&first.root, &["rev-parse", "HEAD"]), git(&dir, &["rev-parse", "v1^{commit}"]));
    assert_eq!(git(&first.root, &["describe", "--tags"]), "v1", "a build may ask for its version");
    assert_eq!(git(&first.root, &["remote"]), "", "addresses, which may hold tokens, are not kept");
    assert_eq!(read(&sandbox.path("build.log")), "done building\n");

    fs::remove_file(sandbox.path("build.log")).unwrap();
    let again = untouched(&dir, || sandbox.checkout(&dir, "v1", Some(&build)).unwrap());
    assert_eq!((again.root, count()), (first.root.clone(), 1), "built once");
    assert_eq!(read(&sandbox.path("build.log")), "done building\n", "the log of that build");

    let other = untouched(&dir, || sandbox.checkout(&dir, "main", Some(&build)).unwrap());
    assert_eq!((read(&other.root.join("built.txt")).as_str(), count()), ("two", 2));
    let length = |path: &Path| path.as_os_str().len();
    assert_eq!(length(&other.root), length(&first.root), "a server that shows its path gives equal sizes");
    let unbuilt = untouched(&dir, || sandbox.checkout(&dir, "main", None).unwrap());
    assert!(unbuilt.root != other.root && !unbuilt.root.join("built.txt").exists());
}

#[test]
fn a_build_sees_the_given_variables_alone() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let hooks = "git config core.hooksPath .husky && git commit -q --allow-empty -m x";
    let build = format!("env > seen; read line; echo \"$?\" > stdin; {hooks}");
    let mut env = path_alone();
    for (name, value) in [
        ("GIVEN", "1"),
        // As a hook has them: a build that calls git must not reach the user's repository.
        ("GIT_DIR", dir.join(".git").to_str().unwrap()),
        ("GIT_INDEX_FILE", dir.join(".git/index").to_str().unwrap()),
        ("GIT_AUTHOR_NAME", "T"),
        ("GIT_AUTHOR_EMAIL", "t@example.org"),
        ("GIT_COMMITTER_NAME", "T"),
        ("GIT_COMMITTER_EMAIL", "t@example.org"),
    ] {
        env.push((name.to_owned(), value.to_owned()));
    }
    let repository = repository(&dir);
    let revision = repository.resolve("main").unwrap();
    let log = sandbox.path("logs/of/build.log");
    let root = untouched(&dir, || {
        // The build moved HEAD of its own repository: its files are those of the revision all the same.
        repository.checkout(&revision, Some(&build), &env, &sandbox.cache(), &log).unwrap().root
    });
    let seen = read(&root.join("seen"));
    let names: Vec<&str> = seen.lines().filter_map(|line| line.split_once('=')).map(|(k, _)| k).collect();
    assert!(names.contains(&"GIVEN") && names.contains(&"PATH"));
    for name in ["HOME", "CARGO_MANIFEST_DIR", "GIT_DIR", "GIT_INDEX_FILE"] {
        assert!(!names.contains(&name), "{name}");
    }
    assert_eq!(read(&root.join("stdin")), "1\n", "nothing to read");
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".husky");
}

#[test]
fn a_failing_build_is_told_with_its_end_and_is_tried_again() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let (count, _) = counting(&sandbox);
    for (build, ended) in [
        (format!("{count}; seq 100; printf '\\033[31m::error::no\\n' >&2; exit 7"), "ended with exit code 7"),
        (format!("{count}; seq 100; printf '::error::no'; kill -9 $$"), "was killed by signal 9"),
    ] {
        for _ in 0..2 {
            let error = untouched(&dir, || sandbox.checkout(&dir, "main", Some(&build)).unwrap_err());
            assert_eq!(error.exit_code(), ExitCode::SideFailed);
            let told = error.to_string();
            assert!(told.contains(ended) && told.contains(build.as_str()), "{told}");
            assert!(told.contains("\n  | 100\n") && !told.contains("| 81\n"), "the last 20 lines: {told}");
            assert!(told.contains("::error::no") && told.lines().all(|l| !l.trim().starts_with("::")));
            assert!(!told.contains('\u{1b}') && told.contains("build.log"));
            assert!(read(&sandbox.path("build.log")).contains("\n81\n"));
        }
    }
    assert_eq!(read(&sandbox.path("count")).lines().count(), 4, "a failure is not kept");
}

#[test]
fn a_build_that_was_cut_is_not_taken_for_done() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let flag = Arc::new(AtomicBool::new(false));
    // Slow the first time only; it leaves its files behind when it is cut.
    let (started, pid) = (sandbox.path("started"), sandbox.path("pid"));
    let build = format!(
        "touch half; [ -e '{0}' ] && touch whole && exit 0; echo $$ > '{1}'; touch '{0}'; sleep 600",
        started.display(),
        pid.display()
    );
    let limited = repository(&dir).with_limit(Duration::from_millis(1500));
    let revision = limited.resolve("main").unwrap();
    let (cache, log) = (sandbox.cache(), sandbox.path("build.log"));
    let run = |repository: &mcp_regress::git::Repository| {
        repository.checkout(&revision, Some(&build), &path_alone(), &cache, &log)
    };
    let error = untouched(&dir, || run(&limited).unwrap_err());
    assert!(matches!(&error, GitError::Build { ended, .. } if ended.contains("took longer")), "{error}");

    fs::remove_file(&started).unwrap();
    let interruptible = repository(&dir).with_interrupt(flag.clone());
    let error = untouched(&dir, || {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_for(&started);
                flag.store(true, Ordering::Relaxed);
            });
            run(&interruptible).unwrap_err()
        })
    });
    assert!(matches!(error, GitError::Interrupted), "{error}");
    assert_eq!(error.exit_code(), ExitCode::Interrupted);
    assert!(!is_running(read(&pid).trim()), "the build is ended, with what it started");

    let root = run(&repository(&dir)).unwrap().root;
    assert!(root.join("whole").exists());
}

fn is_running(pid: &str) -> bool {
    // A process that has ended but was not waited for has no command line.
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| !words.is_empty())
}

fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Does nothing unless a test below starts it again as a process of its own.
#[test]
fn child_that_checks_out() {
    let Ok(sandbox) = std::env::var("TEST_CHECKOUT_SANDBOX") else { return };
    let sandbox = Path::new(&sandbox);
    let repository = repository(&sandbox.join("r"));
    let revision = repository.resolve("main").unwrap();
    let build = std::env::var("TEST_CHECKOUT_BUILD").unwrap();
    let log = sandbox.join(format!("log-{}", std::process::id()));
    let cache = sandbox.join("the cache");
    let made = repository.checkout(&revision, Some(&build), &path_alone(), &cache, &log).unwrap();
    assert_eq!(read(&made.root.join("built.txt")), "one");
    assert_eq!(read(&log), "done building\n");
}

fn child(sandbox: &Sandbox, build: &str) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_checks_out"]);
    command.env("TEST_CHECKOUT_SANDBOX", sandbox.path("")).env("TEST_CHECKOUT_BUILD", build);
    command.stdout(std::process::Stdio::null());
    command
}

#[test]
fn processes_that_want_the_same_checkout_wait_for_the_one_that_makes_it() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let (build, count) = counting(&sandbox);
    let build = build.replace("echo done", "sleep 0.3; echo done");
    untouched(&dir, || {
        let children: Vec<_> = (0..4).map(|_| child(&sandbox, &build).spawn().unwrap()).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
    });
    assert_eq!(count(), 1);
}

#[test]
fn a_process_that_is_killed_leaves_nothing_that_counts() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let (build, count) = counting(&sandbox);
    let slow = sandbox.path("slow");
    fs::write(&slow, "").unwrap();
    let (pid, build) = (
        sandbox.path("pid"),
        format!(
            "[ -e '{0}' ] && rm '{0}' && echo $$ > '{1}' && exec sh -c 'while sleep 0.01; do mkdir -p junk; date > junk/file; done' 2>/dev/null; {build}",
            slow.display(),
            sandbox.path("pid").display()
        ),
    );
    untouched(&dir, || {
        let mut first = child(&sandbox, &build).spawn().unwrap();
        while fs::read_to_string(&pid).map_or(true, |text| !text.ends_with('\n')) {
            std::thread::sleep(Duration::from_millis(10));
        }
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(child(&sandbox, &build).status().unwrap().success(), "the lock went with the process");
    });
    assert_eq!(count(), 1);
    let made = sandbox.checkout(&dir, "main", Some(&build)).unwrap();
    let writes_in_it = made.root.join("junk").exists();
    std::process::Command::new("kill").arg(read(&pid).trim()).status().unwrap();
    assert!(!writes_in_it, "the build without a parent still runs, elsewhere");
}

#[test]
fn a_checkout_in_use_is_not_replaced() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let held = sandbox.checkout(&dir, "main", None).unwrap();
    fs::write(held.root.join("a.txt"), "a side wrote here").unwrap();
    let hasty = repository(&dir).with_limit(Duration::from_millis(200));
    let revision = hasty.resolve("main").unwrap();
    let again = || hasty.checkout(&revision, None, &[], &sandbox.cache(), &sandbox.path("log"));
    let error = again().unwrap_err();
    assert!(matches!(error, GitError::Busy { .. }), "{error}");
    assert_eq!(error.exit_code(), ExitCode::SideFailed);
    drop(held);
    assert_eq!(read(&again().unwrap().root.join("a.txt")), "one", "what is not the revision is made anew");
    assert!(!sandbox.path("log").exists(), "no build, no log");
}

#[test]
fn what_a_build_changes_belongs_to_it_and_what_others_change_does_not() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let (build, count) = counting(&sandbox);
    let build = format!("{build}; echo locked > a.txt");
    let root = sandbox.checkout(&dir, "main", Some(&build)).unwrap().root;
    fs::write(root.join("data.sqlite"), "left by a side").unwrap();
    sandbox.checkout(&dir, "main", Some(&build)).unwrap();
    assert_eq!((count(), read(&root.join("a.txt")).as_str()), (1, "locked\n"));
    fs::write(root.join("a.txt"), "edited").unwrap();
    sandbox.checkout(&dir, "main", Some(&build)).unwrap();
    assert_eq!((count(), read(&root.join("a.txt")).as_str()), (2, "locked\n"));
    assert!(!root.join("data.sqlite").exists());

    // A filter that writes into a tracked file whenever git looks at another.
    let filter =
        "git config filter.x.clean 'date +%N >> b.txt; cat'; echo 'a.txt filter=x' > .git/info/attributes";
    let restless = format!("mkdir -p .git/info; {filter}; echo x > b.txt; touch -d 2001-01-01 a.txt");
    commit(&dir, "b.txt", "b");
    let error = sandbox.checkout(&dir, "main", Some(&restless)).unwrap_err();
    assert!(error.to_string().contains("keep changing"), "{error}");
}

#[test]
fn odd_clones_are_checked_out_too() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.repository("upstream", &["one", "two", "three"]);
    fs::create_dir(upstream.join("sub")).unwrap();
    commit(&upstream, "sub/b.txt", "b");
    git(&upstream, &["config", "uploadpack.allowFilter", "true"]);
    git(&upstream, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", upstream.display());
    let clone = |name: &str, flags: &[&str]| {
        let dir = sandbox.path(name);
        let mut args = vec!["clone", "-q"];
        args.extend(flags);
        args.extend([url.as_str(), dir.to_str().unwrap()]);
        git(&upstream, &args);
        dir
    };
    let plain = clone("plain", &[]);
    let nested = sandbox.path("worktree");
    git(&plain, &["worktree", "add", "-q", "--detach", nested.to_str().unwrap(), "HEAD~2"]);
    let inner = sandbox.path("worktree of worktree");
    git(&nested, &["worktree", "add", "-q", "-b", "inner", inner.to_str().unwrap(), "main"]);
    let sparse = clone("sparse", &["--sparse"]);
    let shared = sandbox.path("shared");
    git(&plain, &["clone", "-q", "--shared", ".", shared.to_str().unwrap()]);
    let line_feed = clone("line\nfeed \"quoted\"", &[]);
    for (dir, rev, text) in [
        (clone("depth 2", &["--depth=2"]), "HEAD~1", "three"),
        (clone("partial", &["--filter=blob:none"]), "HEAD~2", "two"),
        (clone("bare", &["--bare"]), "main~3", "one"),
        (sparse, "main", "three"),
        (shared, "main~2", "two"),
        (line_feed, "main~3", "one"),
        (nested, "HEAD", "two"),
        (inner, "HEAD~3", "one"),
        (plain, "origin/main", "three"),
    ] {
        let made = untouched(&dir, || sandbox.checkout(&dir, rev, Some("cp a.txt built.txt")).unwrap());
        assert_eq!(read(&made.root.join("built.txt")), text, "{}", dir.display());
        assert_eq!(
            git(&made.root, &["status", "--porcelain", "--", "a.txt", "sub"]),
            "",
            "{}",
            dir.display()
        );
    }
}

#[test]
fn settings_hooks_and_attributes_of_the_machine_and_of_the_clone() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one\ntwo\n"]);
    git(&dir, &["config", "core.autocrlf", "true"]);
    git(&dir, &["config", "core.hooksPath", dir.join("hooks").to_str().unwrap()]);
    fs::create_dir(dir.join("hooks")).unwrap();
    let ran = sandbox.path("hook ran");
    fs::write(dir.join("hooks/post-checkout"), format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(dir.join("hooks/post-checkout"), mode).unwrap();
    let made = untouched(&dir, || sandbox.checkout(&dir, "main", None).unwrap());
    assert_eq!(read(&made.root.join("a.txt")), "one\r\ntwo\r\n", "as a checkout in the user's clone");
    assert!(!ran.exists());
    assert!(
        git_support::command(&made.root)
            .args(["config", "core.hooksPath"])
            .output()
            .unwrap()
            .stdout
            .is_empty()
    );
}

#[test]
fn a_cache_inside_the_tree_does_not_show_in_its_status() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    let repository = repository(&dir);
    let revision = repository.resolve("main").unwrap();
    let git_folder = snapshot(&dir.join(".git"));
    repository.checkout(&revision, None, &[], &dir.join(".cache/checkouts"), &sandbox.path("log")).unwrap();
    assert_eq!(git(&dir, &["status", "--porcelain"]), "");
    assert_eq!(snapshot(&dir.join(".git")), git_folder);
    assert!(!repository.working_tree().unwrap().dirty);
}

#[test]
fn what_cannot_be_checked_out_is_refused() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    fs::write(dir.join("a.txt"), "dirty").unwrap();
    let repository = repository(&dir);
    let refused =
        |rev| repository.checkout(&rev, None, &[], &sandbox.cache(), &sandbox.path("log")).unwrap_err();
    let error = refused(repository.working_tree().unwrap());
    assert!(matches!(error, GitError::Dirty(_)) && error.exit_code() == ExitCode::Usage, "{error}");
    let mut gone = repository.resolve("main").unwrap();
    gone.commit = "1".repeat(40);
    let error = refused(gone);
    assert!(
        matches!(error, GitError::Checkout { .. }) && error.exit_code() == ExitCode::SideFailed,
        "{error}"
    );
    fs::write(sandbox.path("file"), "").unwrap();
    let revision = repository.resolve("main").unwrap();
    let error =
        repository.checkout(&revision, None, &[], &sandbox.path("file"), &sandbox.path("log")).unwrap_err();
    assert!(matches!(error, GitError::Io { .. }) && error.to_string().contains("file"), "{error}");
}
