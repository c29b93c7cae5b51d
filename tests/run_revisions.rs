//! The baseline from git: one command from a changed working tree to a verdict.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use std::path::Path;
use std::process::Command;

fn git(dir: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").current_dir(dir).args(identity).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository whose server has a fixed read window at HEAD and a growing one in the working tree.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let toml = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let (head, rest) = toml.split_once("[baseline]").unwrap();
    let (_, tail) = rest.split_once("# To see").unwrap();
    let server = "[server]\ncommand = [\"./server.sh\", \"{self}\"]\nbuild = \"echo built > built.txt\"";
    std::fs::write(dir.path().join("mcp-regress.toml"), format!("{head}{server}\n# To see{tail}")).unwrap();
    std::fs::write(dir.path().join(".gitignore"), "results/\n").unwrap();
    for name in ["dev.cases.jsonl", "test.cases.jsonl"] {
        std::fs::copy(demo().join(name), dir.path().join(name)).unwrap();
    }
    write_server(dir.path(), "baseline");
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-qm", "a fixed window"]);
    write_server(dir.path(), "candidate");
    dir
}

fn write_server(dir: &Path, build: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join("server.sh");
    let text = format!("#!/bin/sh\nexec \"$1\" fixture --scenario documents --build {build}\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_changed_working_tree_is_compared_with_head_and_left_alone() {
    let repository = repository();
    let cache = tempfile::tempdir().unwrap();
    let before =
        (git(repository.path(), &["status", "--porcelain"]), git(repository.path(), &["rev-parse", "HEAD"]));
    let said = said(mcp_regress().current_dir(repository.path()).env("XDG_CACHE_HOME", cache.path()).args([
        "run",
        "--baseline-rev",
        "HEAD",
    ]));
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let after =
        (git(repository.path(), &["status", "--porcelain"]), git(repository.path(), &["rev-parse", "HEAD"]));
    assert_eq!(before, after);
    let run = only_run(&repository.path().join("results"));
    let metric = &summary(&run)["splits"]["all"]["metrics"]["continuation_reads"];
    assert_eq!(metric["call"], "better", "{metric}");
    let meta: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap();
    let short = &before.1[..7];
    assert_eq!(meta["sides"]["baseline"]["revision"], short);
    assert_eq!(meta["sides"]["baseline"]["dirty"], false);
    assert_eq!(meta["sides"]["candidate"]["dirty"], true);
    assert!(said.out.contains(&format!("candidate {short}+dirty")), "{}", said.out);
    assert!(!repository.path().join("built.txt").exists(), "the build ran in the user's tree");
}

#[test]
fn a_build_that_fails_ends_with_exit_code_3_and_the_end_of_its_output() {
    let repository = repository();
    let cache = tempfile::tempdir().unwrap();
    let path = repository.path().join("mcp-regress.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, toml.replace("echo built > built.txt", "echo no compiler here; exit 9")).unwrap();
    let said = said(mcp_regress().current_dir(repository.path()).env("XDG_CACHE_HOME", cache.path()).args([
        "run",
        "--baseline-rev",
        "HEAD",
    ]));
    assert_eq!(said.code, Some(3), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("no compiler here"), "{}", said.err);
}
