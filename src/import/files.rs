//! The files below the paths that were asked for.

use super::problems::{Damage, ImportProblems};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// One file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub path: PathBuf,
    /// It was named itself, not found in a folder: that it is no transcript is worth a word.
    pub is_named: bool,
}

/// Endings of files that may be transcripts, for files found in folders.
const ENDINGS: [&str; 4] = ["jsonl", "json", "log", "ndjson"];

/// The files at and below `paths`, each once, in the order of their paths. Folders are walked by name; what
/// cannot be entered is noted.
pub fn inputs(paths: &[PathBuf], problems: &mut ImportProblems) -> Vec<Input> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        for entry in WalkDir::new(path).follow_root_links(true).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let place = error.path().unwrap_or(path).to_owned();
                    let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    problems.note(Damage::Unreadable, &place, 0, why);
                    continue;
                }
            };
            let is_named = entry.depth() == 0;
            let is_file = entry.path().is_file() || (is_named && !entry.path().is_dir());
            if !is_file || !(is_named || may_be_transcript(entry.path())) {
                continue;
            }
            let same = entry.path().canonicalize().unwrap_or_else(|_| entry.path().to_owned());
            if seen.insert(same) {
                found.push(Input { path: entry.into_path(), is_named });
            }
        }
    }
    found
}

fn may_be_transcript(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
