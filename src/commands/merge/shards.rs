//! Finding the folders of shards below what a person names.

use super::super::results::RunFolder;
use super::super::{Failure, Printer};
use crate::plan::Shard;
use crate::trace::RunMeta;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// How deep a run may lie below a named folder: artifacts are unpacked into folders of their own.
const DEPTH: usize = 4;

/// One shard, or a whole run, which is the only shard of one.
#[derive(Debug)]
pub(super) struct Found {
    pub folder: RunFolder,
    pub meta: RunMeta,
}

impl Found {
    pub fn shard(&self) -> Shard {
        self.meta.shard.unwrap_or(Shard::WHOLE)
    }
}

/// Every run below the folders, by start, then name; each folder once.
///
/// Beside shards, whole runs that only lie in a named folder are somebody else's, such as an earlier merge.
pub(super) fn find(dirs: &[PathBuf], printer: &Printer) -> Result<Vec<Found>, Failure> {
    let mut folders = BTreeSet::new();
    for dir in dirs {
        let below = runs_below(dir)?;
        if below.is_empty() {
            return Err(Failure::usage(format!("no run in `{}`", dir.display()))
                .hint("name the folders that `run --shard` made, or a folder that holds them"));
        }
        folders.extend(below);
    }
    let read = |path: PathBuf| {
        let folder = RunFolder(path);
        folder.read_whole_meta().map(|meta| Found { folder, meta })
    };
    let mut found: Vec<Found> = folders.into_iter().map(read).collect::<Result<_, _>>()?;
    if found.iter().any(|found| found.meta.shard.is_some()) {
        let named: BTreeSet<PathBuf> = dirs.iter().filter_map(|dir| fs_err::canonicalize(dir).ok()).collect();
        found.retain(|found| {
            let stays = found.meta.shard.is_some() || named.contains(&found.folder.0);
            if !stays {
                printer.note(&format!("left out, for it is no shard: {}", found.folder.0.display()));
            }
            stays
        });
    }
    found.sort_by(|a, b| {
        let key = |found: &Found| (found.meta.started_at.clone(), found.meta.run_id.clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}

fn runs_below(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut runs = Vec::new();
    let mut entries = WalkDir::new(dir).max_depth(DEPTH).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(Failure::usage)?;
        if entry.file_type().is_dir() && entry.path().join("run.json").is_file() {
            runs.push(fs_err::canonicalize(entry.path())?);
            entries.skip_current_dir();
        }
    }
    Ok(runs)
}
