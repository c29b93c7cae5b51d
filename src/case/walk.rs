//! Which files are case files: globs, never into a folder that holds a suite file of its own.

use crate::doc::Problem;
use crate::suite::{SUITE_FILE, compile_glob};
use globset::GlobMatcher;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Relative to the folder, sorted.
    pub files: Vec<PathBuf>,
    /// Globs that matched no file.
    pub unmatched: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Looks for files that match one of `globs` below `dir`. Links to files are followed, links to folders are not.
pub(super) fn walk(dir: &Path, globs: &[String]) -> Walk {
    let mut found = Walk::default();
    let mut matchers: Vec<(&String, GlobMatcher, bool)> = Vec::new();
    for glob in globs {
        match compile_glob(glob, true) {
            Ok(matcher) => matchers.push((glob, matcher, false)),
            Err(error) => found.problems.push(Problem::of_file(dir, error.to_string())),
        }
    }
    let entries = WalkDir::new(dir).sort_by_file_name().into_iter().filter_entry(is_ours);
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(dir).to_owned();
                let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                found
                    .problems
                    .push(Problem::of_file(path, format!("cannot be searched for cases: {reason}")));
                continue;
            }
        };
        let Ok(relative) = entry.path().strip_prefix(dir) else { continue };
        let is_folder =
            if entry.path_is_symlink() { entry.path().is_dir() } else { entry.file_type().is_dir() };
        if is_folder {
            continue;
        }
        let mut matched = false;
        for (_, matcher, hit) in &mut matchers {
            if matcher.is_match(relative) {
                *hit = true;
                matched = true;
            }
        }
        if matched {
            found.files.push(relative.to_owned());
        }
    }
    found.files.sort();
    found.unmatched =
        matchers.into_iter().filter(|(_, _, hit)| !hit).map(|(glob, _, _)| glob.clone()).collect();
    found
}

/// Not the insides of version control, and not another suite's folder.
fn is_ours(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_dir() {
        return true;
    }
    entry.file_name() != ".git" && !entry.path().join(SUITE_FILE).is_file()
}
