//! Where the suite is: a flag, the current folder, its `cases`, or a suite of defaults. Never searched upwards.

use super::{ClientConfig, ServerConfig, Suite, file};
use crate::doc::{Problem, Problems};
use crate::text::sha256_hex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of a suite file.
pub const SUITE_FILE: &str = "mcp-regress.toml";
/// The server definitions that a suite of defaults takes.
const DEFINITIONS: &str = ".mcp.json";
/// The folder of cases of a suite of defaults.
const CASES: &str = "cases";

/// What stands for the suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    File(PathBuf),
    /// `./.mcp.json` and `./cases/`: no suite file, every key at its default.
    Defaults {
        dir: PathBuf,
    },
}

impl Found {
    /// The suite.
    ///
    /// # Errors
    /// Every problem of the file.
    pub fn load(&self) -> Result<Suite, Problems> {
        match self {
            Self::File(path) => file::load(path),
            Self::Defaults { dir } => Ok(suite_of_defaults(dir)),
        }
    }
}

/// Finds the suite: `flag` (a folder means its suite file), else `cwd`, else its `cases` folder, else `cwd` with
/// `.mcp.json` and `cases/`.
///
/// # Errors
/// When there is none; the problem names the places looked at.
pub fn find(flag: Option<&Path>, cwd: &Path) -> Result<Found, Problems> {
    if let Some(path) = flag {
        let path = cwd.join(path);
        let file = if path.is_dir() { path.join(SUITE_FILE) } else { path };
        let file = as_shown(file, cwd);
        if file.is_file() {
            return Ok(Found::File(file));
        }
        let hint = "`--suite` takes a suite file, or a folder that holds a `mcp-regress.toml`";
        return Err(Problem::of_file(file, "no such suite file").hint(hint).into());
    }
    for file in [cwd.join(SUITE_FILE), cwd.join(CASES).join(SUITE_FILE)] {
        if file.is_file() {
            return Ok(Found::File(as_shown(file, cwd)));
        }
    }
    if cwd.join(DEFINITIONS).is_file() && cwd.join(CASES).is_dir() {
        return Ok(Found::Defaults { dir: cwd.to_owned() });
    }
    Err(Problem::of_file(as_shown(cwd.join(SUITE_FILE), cwd), "no suite found")
        .expected("`mcp-regress.toml`, `cases/mcp-regress.toml`, or `.mcp.json` with a folder `cases`")
        .hint("`mcp-regress init` writes a suite, `--suite` names one elsewhere")
        .into())
}

/// Messages name files as a person would type them: relative, when `cwd` is where we stand.
fn as_shown(path: PathBuf, cwd: &Path) -> PathBuf {
    match path.strip_prefix(cwd) {
        Ok(relative) if std::env::current_dir().is_ok_and(|here| here == cwd) => relative.to_owned(),
        _ => path,
    }
}

/// Cases are taken from `cases` alone: the rest of a project's folder is none of ours.
fn suite_of_defaults(dir: &Path) -> Suite {
    Suite {
        file: None,
        dir: absolute(dir),
        sha256: sha256_hex(""),
        cases: super::globs::DEFAULT_CASES.iter().map(|glob| format!("{CASES}/{glob}")).collect(),
        attempts: None,
        same_code: None,
        seed: None,
        on_oversized: None,
        spill_chunk: None,
        restart: None,
        max_pages: None,
        start_timeout: None,
        call_timeout: None,
        client: ClientConfig::default(),
        server: Some(ServerConfig { from: Some(DEFINITIONS.to_owned()), ..ServerConfig::default() }),
        baseline: None,
        candidate: None,
        services: Vec::new(),
        tools: BTreeMap::new(),
        rules: Vec::new(),
    }
}

/// Roots and working folders of processes need a folder that does not depend on where we stand.
pub(super) fn absolute(dir: &Path) -> PathBuf {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    std::fs::canonicalize(dir).or_else(|_| std::path::absolute(dir)).unwrap_or_else(|_| dir.to_owned())
}
