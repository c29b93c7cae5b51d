//! From names to commits, and what is uncommitted, in real repositories that stay as they are.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod git_support;

use git_support::{Sandbox, command, commit, git, repository, untouched};
use mcp_regress::exit::ExitCode;
use mcp_regress::git::{CiTarget, GitError, Repository};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn names_mean_what_git_takes_them_for() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.repository("upstream", &["1", "2"]);
    git(&upstream, &["branch", "only-there", "HEAD~1"]);
    let dir = sandbox.path("a clone");
    git(&upstream, &["clone", "-q", ".", dir.to_str().unwrap()]);
    let (second, first) = (git(&dir, &["rev-parse", "HEAD"]), git(&dir, &["rev-parse", "HEAD~1"]));
    git(&dir, &["tag", "-a", "v1", "-m", "one", "HEAD~1"]);
    git(&dir, &["checkout", "-q", "-b", "feature"]);
    let third = commit(&dir, "a.txt", "3");
    let repository = repository(&dir);
    untouched(&dir, || {
        for (name, commit) in [
            ("main", &second),
            ("feature", &third),
            ("HEAD", &third),
            ("HEAD~2", &first),
            ("v1", &first),
            (&first, &first),
            (&first[..9], &first),
            ("only-there", &first),
            ("origin/main", &second),
            ("merge-base", &second),
            ("worktree", &third),
        ] {
            let revision = repository.resolve_for(name, &CiTarget::default()).unwrap();
            assert_eq!(&revision.commit, commit, "{name}");
            assert_eq!((revision.short.as_str(), revision.committed_at), (&commit[..7], 1_700_000_000));
            assert!(!revision.dirty && revision.diff_sha256.is_none());
        }
    });
}

#[test]
fn a_name_that_means_nothing_is_refused_with_what_to_do() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["1"]);
    git(&dir, &["branch", "feature/paging"]);
    untouched(&dir, || {
        for (name, told) in [
            ("feature/pagin", "did you mean `feature/paging`?"),
            ("HEAD:a.txt", "it is a blob, not a commit"),
            ("zzz", "`git branch -a` and `git tag` list what is here"),
            ("--upload-pack=x", "this is no name of a revision"),
            ("", "this is no name of a revision"),
            ("0000000000000000000000000000000000000001", "list what is here"),
        ] {
            let error = repository(&dir).resolve(name).unwrap_err();
            assert!(matches!(&error, GitError::UnknownRevision { revision, .. } if revision == name));
            assert!(error.to_string().contains(told), "{error}");
            assert_eq!(error.exit_code(), ExitCode::Usage);
        }
    });
}

#[test]
fn uncommitted_work_has_a_hash_of_its_content() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("r", &["one"]);
    commit(&dir, ".gitignore", "ignored\n");
    fs::write(dir.join("ignored"), "x").unwrap();
    fs::create_dir(dir.join("results")).unwrap();
    let hash = || untouched(&dir, || repository(&dir).working_tree().unwrap().diff_sha256);
    assert_eq!(hash(), None);
    // Newer than the index says, and the same: git must look into it, and may not write down what it saw.
    fs::write(dir.join("a.txt"), "one").unwrap();
    assert_eq!(hash(), None);

    let mut seen = Vec::new();
    let mut expect_new = |what: &str| {
        let now = hash().unwrap_or_else(|| panic!("{what}: clean"));
        assert_eq!(now.len(), 64);
        assert!(!seen.contains(&now), "{what}: seen before");
        assert_eq!(hash(), Some(now.clone()), "{what}: not the same twice");
        seen.push(now);
    };
    fs::write(dir.join("a.txt"), "two").unwrap();
    expect_new("changed");
    fs::set_permissions(dir.join("a.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    expect_new("executable");
    fs::write(dir.join("new file"), "x").unwrap();
    expect_new("untracked");
    fs::write(dir.join("new file"), "y").unwrap();
    expect_new("untracked with another content");
    std::os::unix::fs::symlink("a.txt", dir.join("link")).unwrap();
    expect_new("untracked link");
    fs::remove_file(dir.join("a.txt")).unwrap();
    expect_new("deleted");

    let before = hash();
    git(&dir, &["add", "--all"]);
    assert_eq!(hash(), before, "staging changes no content");
    fs::write(dir.join("results/run.json"), "{}").unwrap();
    assert_ne!(hash(), before);
    let results = dir.join("results");
    let without = repository(&dir).working_tree_without(&[&results, Path::new("/elsewhere")]).unwrap();
    assert_eq!(without.diff_sha256, before, "what is left out does not count");
}

#[test]
fn changes_inside_a_submodule_count() {
    let sandbox = Sandbox::new();
    let lib = sandbox.repository("lib", &["lib"]);
    let dir = sandbox.repository("r", &["one"]);
    git(&dir, &["submodule", "--quiet", "add", lib.to_str().unwrap(), "lib"]);
    git(&dir, &["commit", "-q", "-m", "lib"]);
    let hash = || untouched(&dir, || repository(&dir).working_tree().unwrap().diff_sha256);
    assert_eq!(hash(), None);
    fs::write(dir.join("lib/a.txt"), "x").unwrap();
    let first = hash();
    fs::write(dir.join("lib/a.txt"), "y").unwrap();
    assert!(first.is_some() && hash().is_some() && hash() != first);
}

#[test]
fn a_head_without_commit_and_one_without_branch() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("unborn", &[]);
    untouched(&dir, || {
        let revision = repository(&dir).working_tree().unwrap();
        assert_eq!(
            (revision.commit.as_str(), revision.short.as_str(), revision.dirty),
            ("", "unborn", false)
        );
        for name in ["HEAD", "merge-base"] {
            let error = repository(&dir).resolve_for(name, &CiTarget::default()).unwrap_err();
            assert!(matches!(error, GitError::Unborn(_)), "{error}");
            assert_eq!(error.exit_code(), ExitCode::NotComparable);
        }
    });
    fs::write(dir.join("a.txt"), "1").unwrap();
    assert!(untouched(&dir, || repository(&dir).working_tree().unwrap().dirty));

    let dir = sandbox.repository("detached", &["1", "2"]);
    git(&dir, &["checkout", "-q", "--detach", "HEAD~1"]);
    untouched(&dir, || {
        let repository = repository(&dir);
        let head = git(&dir, &["rev-parse", "HEAD"]);
        assert_eq!(repository.working_tree().unwrap().commit, head);
        assert_eq!(repository.resolve_for("merge-base", &CiTarget::default()).unwrap().commit, head);
    });
}

#[test]
fn repositories_are_found_wherever_they_are() {
    let sandbox = Sandbox::new();
    let dir = sandbox.repository("with space", &["1", "2"]);
    fs::create_dir_all(dir.join("deep/er")).unwrap();
    assert_eq!(repository(&dir.join("deep/er")).top(), dir);

    let odd = sandbox.repository("line\nfeed", &["1"]);
    assert_eq!(repository(&odd).top(), odd);

    // A worktree, and one that was made from within it.
    let (tree, tree_of_tree) = (sandbox.path("tree"), sandbox.path("tree of tree"));
    git(&dir, &["worktree", "add", "-q", "--detach", tree.to_str().unwrap(), "HEAD~1"]);
    git(&tree, &["worktree", "add", "-q", "-b", "other", tree_of_tree.to_str().unwrap()]);
    fs::write(tree_of_tree.join("a.txt"), "changed").unwrap();
    let revision = untouched(&dir, || repository(&tree_of_tree).working_tree().unwrap());
    assert_eq!(repository(&tree_of_tree).top(), tree_of_tree);
    assert_eq!(revision.commit, git(&dir, &["rev-parse", "HEAD~1"]));
    assert!(revision.dirty && !repository(&tree).working_tree().unwrap().dirty);

    let bare = sandbox.path("bare.git");
    git(&dir, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    assert_eq!(repository(&bare).resolve("main").unwrap().commit, git(&dir, &["rev-parse", "HEAD"]));
    let error = repository(&bare).working_tree().unwrap_err();
    assert!(matches!(error, GitError::NoWorkTree(_)) && error.exit_code() == ExitCode::Usage);

    let plain = sandbox.path("plain");
    fs::create_dir(&plain).unwrap();
    assert!(Repository::discover(&plain).unwrap().is_none());
    assert!(Repository::discover(&sandbox.path("missing")).is_err());
    fs::write(plain.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
    assert!(Repository::discover(&plain).is_err(), "a broken link to a repository is not silence");
}

#[test]
fn the_merge_base_is_with_the_target_of_the_ci_else_with_the_default_branch() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.repository("upstream", &["1", "2"]);
    git(&upstream, &["branch", "release", "HEAD~1"]);
    let dir = sandbox.path("clone");
    git(&upstream, &["clone", "-q", ".", dir.to_str().unwrap()]);
    let (second, first) = (git(&dir, &["rev-parse", "HEAD"]), git(&dir, &["rev-parse", "HEAD~1"]));
    git(&dir, &["checkout", "-q", "-b", "feature"]);
    commit(&dir, "a.txt", "3");
    let base = |ci: &CiTarget| repository(&dir).resolve_for("merge-base", ci).unwrap().commit;
    let ci = |name: &'static str, value: &str| {
        CiTarget::from_lookup(|asked| (asked == name).then(|| value.to_owned()))
    };
    untouched(&dir, || {
        assert_eq!(base(&CiTarget::default()), second);
        assert_eq!(base(&ci("GITHUB_BASE_REF", "release")), first);
        assert_eq!(base(&ci("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "release")), first);
        assert_eq!(base(&ci("CI_MERGE_REQUEST_DIFF_BASE_SHA", &first)), first);
    });
    // Without origin/HEAD: main of the remote, then one's own main, then master.
    git(&dir, &["remote", "set-head", "origin", "--delete"]);
    assert_eq!(base(&CiTarget::default()), second);
    git(&dir, &["remote", "remove", "origin"]);
    git(&dir, &["branch", "-f", "main", &first]);
    assert_eq!(base(&CiTarget::default()), first);
    git(&dir, &["branch", "-m", "main", "master"]);
    assert_eq!(base(&CiTarget::default()), first);
    git(&dir, &["branch", "-m", "master", "trunk"]);
    let error = repository(&dir).resolve_for("merge-base", &CiTarget::default()).unwrap_err();
    assert!(error.to_string().contains("--baseline-rev"), "{error}");
    assert_eq!(error.exit_code(), ExitCode::NotComparable);

    git(&dir, &["checkout", "-q", "--orphan", "main"]);
    git(&dir, &["commit", "-q", "-m", "unrelated"]);
    git(&dir, &["checkout", "-q", "feature"]);
    let error = repository(&dir).resolve_for("merge-base", &CiTarget::default()).unwrap_err();
    assert!(error.to_string().contains("share no commit"), "{error}");
}

/// A pull request as a CI checks it out: the newest commit alone, detached.
fn shallow(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    let upstream = sandbox.path("upstream");
    if !upstream.exists() {
        sandbox.repository("upstream", &["1", "2", "3"]);
        git(&upstream, &["checkout", "-q", "-b", "feature", "HEAD~1"]);
        commit(&upstream, "b.txt", "b");
        commit(&upstream, "b.txt", "c");
        git(&upstream, &["tag", "-a", "-m", "one", "v1", "main~2"]);
        git(&upstream, &["checkout", "-q", "main"]);
        git(&upstream, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    }
    let dir = sandbox.path(name);
    let url = format!("file://{}", upstream.display());
    git(
        &upstream,
        &["clone", "-q", "--depth=1", "--branch=feature", "--no-tags", &url, dir.to_str().unwrap()],
    );
    git(&dir, &["checkout", "-q", "--detach"]);
    git(&dir, &["branch", "-q", "-D", "feature"]);
    dir
}

#[test]
fn a_shallow_clone_is_told_with_the_one_command_that_mends_it() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.path("upstream");
    shallow(&sandbox, "first");
    let of = |rev: &str| git(&upstream, &["rev-parse", &format!("{rev}^{{commit}}")]);
    let base = of("main~1");
    let github = CiTarget { branch: Some("main".into()), commit: None, variable: Some("GITHUB_BASE_REF") };
    let gitlab = CiTarget { branch: None, commit: Some(base.clone()), variable: Some("CI_X") };
    let none = CiTarget::default();
    let table = [
        ("main", &none, of("main")),
        ("v1", &none, of("v1")),
        ("HEAD~1", &none, of("feature~1")),
        (&base, &none, base.clone()),
        (&base[..10], &none, base.clone()),
        ("merge-base", &github, base.clone()),
        ("merge-base", &gitlab, base.clone()),
        ("merge-base", &none, base.clone()),
    ];
    for (index, (name, ci, commit)) in table.into_iter().enumerate() {
        let dir = shallow(&sandbox, &format!("clone {index}"));
        let error = untouched(&dir, || repository(&dir).resolve_for(name, ci).unwrap_err());
        assert_eq!(error.exit_code(), ExitCode::NotComparable);
        let GitError::Shallow { command: mending, .. } = &error else { panic!("{error}") };
        assert!(error.to_string().contains(mending.as_str()));
        let mut shell = std::process::Command::new("sh");
        shell.envs(command(&dir).get_envs().filter_map(|(k, v)| Some((k, v?))));
        let ran = shell.current_dir(&dir).args(["-c", mending]).output().unwrap();
        assert!(ran.status.success(), "{mending}: {}", String::from_utf8_lossy(&ran.stderr));
        let mended = repository(&dir).resolve_for(name, ci);
        assert_eq!(
            mended.map(|revision| revision.commit).map_err(|e| e.to_string()),
            Ok(commit),
            "{mending}"
        );
    }
}

#[test]
fn a_shallow_clone_that_has_the_tip_but_not_the_way_to_it() {
    let sandbox = Sandbox::new();
    let dir = shallow(&sandbox, "clone");
    git(&dir, &["fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main"]);
    let ci = CiTarget { branch: Some("main".into()), commit: None, variable: Some("GITHUB_BASE_REF") };
    assert!(repository(&dir).resolve_for("main", &ci).is_ok());
    let error = untouched(&dir, || repository(&dir).resolve_for("merge-base", &ci).unwrap_err());
    let GitError::Shallow { command: mending, .. } = &error else { panic!("{error}") };
    let words: Vec<&str> = mending.split(' ').skip(1).collect();
    git(&dir, &words);
    let base = git(&sandbox.path("upstream"), &["rev-parse", "main~1"]);
    assert_eq!(repository(&dir).resolve_for("merge-base", &ci).unwrap().commit, base);
}

/// Does nothing unless the test below starts it again, in an environment such as a hook has.
#[test]
fn child_in_the_environment_of_a_hook() {
    let Ok(dir) = std::env::var("TEST_HOOK_REPOSITORY") else { return };
    let repository = repository(Path::new(&dir));
    let revision = repository.working_tree().unwrap();
    let said = format!("{}\n{}\n{}", repository.top().display(), revision.commit, revision.dirty);
    fs::write(std::env::var("TEST_HOOK_ANSWER").unwrap(), said).unwrap();
}

#[test]
fn variables_of_another_repository_do_not_mislead() {
    let sandbox = Sandbox::new();
    let (dir, other) = (sandbox.repository("r", &["1"]), sandbox.repository("other", &["2"]));
    let answer = sandbox.path("answer");
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_in_the_environment_of_a_hook"])
        .env("TEST_HOOK_REPOSITORY", &dir)
        .env("TEST_HOOK_ANSWER", &answer)
        .env("GIT_DIR", other.join(".git"))
        .env("GIT_WORK_TREE", &other)
        .env("GIT_INDEX_FILE", other.join(".git/index"))
        .env("GIT_PREFIX", "x/")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "de_DE.UTF-8")
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let head = git(&dir, &["rev-parse", "HEAD"]);
    assert_eq!(git_support::read(&answer), format!("{}\n{head}\nfalse", dir.display()));
}
