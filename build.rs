//! Which commit a release was built from, for `--version`.
//!
//! Only a release asks: a build that a developer makes after each change must not begin anew with each commit.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MCP_REGRESS_COMMIT");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Whoever packs a release from an archive has no repository, and can say it.
    let told = std::env::var("MCP_REGRESS_COMMIT").ok().filter(|commit| !commit.is_empty());
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = told.or_else(|| if is_release { of_repository() } else { None });
    let text = commit.map_or(version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=MCP_REGRESS_VERSION={text}");
}

/// The commit of the working tree, `+dirty` when something is changed.
fn of_repository() -> Option<String> {
    for path in ["HEAD", "logs/HEAD"] {
        println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", path])?);
    }
    for path in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_dirty = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_dirty { format!("{commit}+dirty") } else { commit })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
