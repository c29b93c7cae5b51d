//! In CI a pull request's server must not see the CI's secrets nor the other side's, and nobody else may read them.

use crate::cli::*;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const UNNAMED: &str = "planted-of-the-ci-1f0c";
const OF_CANDIDATE: &str = "planted-of-the-candidate-77ab";
const IN_COMMAND: &str = "planted-in-the-command-93de";

fn git(dir: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").current_dir(dir).args(identity).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository whose server and build each write down what they see of the environment.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let toml = std::fs::read_to_string(demo().join("mcp-regress.toml")).unwrap();
    let (head, rest) = toml.split_once("[baseline]").unwrap();
    let (_, tail) = rest.split_once("# To see").unwrap();
    let server = "[server]\ncommand = [\"./server.sh\", \"{self}\", \"--level\", \"3\"]\nbuild = \"env > \\\"$HOME/build.$$.env\\\"\"\n\
                  [candidate]\nenv = { SEARCH_TOKEN = \"${SEARCH_TOKEN}\" }\n\
                  command = [\"./server.sh\", \"{self}\", \"--api-token\", \"${COMMAND_TOKEN}\"]\n";
    std::fs::write(dir.path().join("mcp-regress.toml"), format!("{head}{server}\n# To see{tail}")).unwrap();
    std::fs::copy(demo().join("dev.cases.jsonl"), dir.path().join("dev.cases.jsonl")).unwrap();
    std::fs::write(dir.path().join(".gitignore"), "results/\n").unwrap();
    let script =
        "#!/bin/sh\nenv > \"$HOME/side.$$.env\"\nexec \"$1\" fixture --scenario documents --build baseline\n";
    let path = dir.path().join("server.sh");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-qm", "a server"]);
    dir
}

/// Files below a folder that hold the text.
fn holding(dir: &Path, text: &str) -> Vec<String> {
    let files = walkdir::WalkDir::new(dir)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let holds = |entry: &walkdir::DirEntry| {
        let bytes = std::fs::read(entry.path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    files.filter(holds).map(|entry| entry.path().display().to_string()).collect()
}

#[test]
fn a_planted_token_reaches_neither_the_other_side_nor_a_build_nor_any_file() {
    let repository = repository();
    let home = tempfile::tempdir().unwrap();
    let told = home.path().join("summary.md");
    let mut command = mcp_regress();
    command
        .current_dir(repository.path())
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &told)
        .env("GITHUB_TOKEN", UNNAMED)
        .env("AWS_SECRET_ACCESS_KEY", UNNAMED)
        .env("SEARCH_TOKEN", OF_CANDIDATE)
        .env("COMMAND_TOKEN", IN_COMMAND);
    command.args(["run", "--cases", "docs/two*", "--attempts", "1", "--baseline-rev", "HEAD", "-vv"]);
    command.args(["--report", &format!("junit={}", home.path().join("junit.xml").display())]);
    let said = said(&mut command);
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let sides = holding(home.path(), "SHELL_IS_NOT_ASKED");
    assert!(sides.is_empty());
    for (what, wanted) in [("side.", 2), ("build.", 1)] {
        let files = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let count = files.filter(|name| name.to_string_lossy().starts_with(what)).count();
        assert!(count >= wanted, "{what}: {count}");
    }
    // Of the CI's own secrets nobody sees anything, on disk or on the terminal.
    for token in [UNNAMED, IN_COMMAND] {
        for dir in [home.path(), repository.path()] {
            assert_eq!(holding(dir, token), Vec::<String>::new(), "{token}");
        }
    }
    for token in [UNNAMED, OF_CANDIDATE, IN_COMMAND] {
        assert!(
            !said.out.contains(token) && !said.err.contains(token),
            "{token}: {}\n{}",
            said.out,
            said.err
        );
    }
    // What the candidate's definition names, the candidate sees, and neither the baseline nor a build.
    let seeing = holding(home.path(), OF_CANDIDATE);
    assert!(!seeing.is_empty() && seeing.iter().all(|file| file.contains("side.")), "{seeing:?}");
    let others = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
    let blind = others.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.ends_with(".env") && !seeing.contains(&path.display().to_string())
    });
    assert!(blind.count() >= 2, "the baseline and its build saw it: {seeing:?}");
    assert_eq!(holding(repository.path(), OF_CANDIDATE), Vec::<String>::new());
}
