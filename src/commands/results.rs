//! The results folder: where runs are kept, how one is made and found again.

use super::Failure;
use crate::exit::ExitCode;
use crate::plan::Shard;
use crate::trace::RunMeta;
use fs_err as fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder of one run.
#[derive(Debug, Clone)]
pub(super) struct RunFolder(pub PathBuf);

impl RunFolder {
    /// Makes a new folder under `out`; a bad path fails here, before anything runs. `Ok(None)`: another run has
    /// that name already.
    pub fn create(out: &Path, run_id: &str) -> Result<Option<Self>, Failure> {
        let folder = out.join(run_id);
        fs::create_dir_all(out)?;
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => Ok(Some(Self(folder))),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => {
                Err(Failure::usage(format!("can't make the results folder `{}`: {error}", folder.display()))
                    .hint("give another folder with --out"))
            }
        }
    }

    /// As [`RunFolder::create`]; a folder of that name is taken over.
    pub fn create_again(out: &Path, run_id: &str) -> Result<Self, Failure> {
        Ok(Self::create(out, run_id)?.unwrap_or_else(|| Self(out.join(run_id))))
    }

    /// The journal of one shard, whose folder is made.
    pub fn journal(&self, shard: Option<Shard>) -> Result<PathBuf, Failure> {
        let folder = self.0.join("shards").join(shard.unwrap_or(Shard::WHOLE).folder());
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(folder.join("attempts.jsonl"))
    }

    /// All journals of the run, by shard.
    pub fn journals(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut journals = Vec::new();
        let shards = self.0.join("shards");
        if !shards.is_dir() {
            return Ok(journals);
        }
        for shard in fs::read_dir(shards)? {
            let journal = shard?.path().join("attempts.jsonl");
            if journal.is_file() {
                journals.push(journal);
            }
        }
        journals.sort();
        Ok(journals)
    }

    /// Writes `run.json`, replacing it as a whole.
    pub fn write_meta(&self, meta: &RunMeta) -> Result<(), Failure> {
        let mut text =
            serde_json::to_string_pretty(meta).map_err(|error| Failure::new(ExitCode::Internal, error))?;
        text.push('\n');
        let next = self.0.join("run.json.next");
        let mut file = fs::OpenOptions::new();
        let mut file = file.write(true).create(true).truncate(true);
        file = fs_err::os::unix::fs::OpenOptionsExt::mode(file, 0o600);
        file.open(&next)?.write_all(text.as_bytes())?;
        fs::rename(&next, self.0.join("run.json"))?;
        Ok(())
    }

    /// What the run is made of, as its own cases alone.
    pub fn read_meta(&self) -> Result<RunMeta, Failure> {
        self.read_whole_meta().map(RunMeta::of_its_cases)
    }

    /// As [`RunFolder::read_meta`], with the cases of all shards.
    pub fn read_whole_meta(&self) -> Result<RunMeta, Failure> {
        let path = self.0.join("run.json");
        let text = fs::read_to_string(&path).map_err(Failure::usage)?;
        let meta: RunMeta = serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!("`{}` is no run of this version: {error}", path.display()))
        })?;
        if meta.format_version != crate::trace::FORMAT_VERSION {
            return Err(Failure::new(
                ExitCode::NotComparable,
                format!(
                    "`{}` has format {}, this version reads {}",
                    path.display(),
                    meta.format_version,
                    crate::trace::FORMAT_VERSION
                ),
            ));
        }
        Ok(meta)
    }
}

/// Where services print: they start before a new run has its folder, which is named after what the
/// sides turn out to be.
pub(super) enum ServiceLogs {
    /// In the folder of the run that is resumed.
    InPlace(PathBuf),
    /// Beside it, on the same file system, to be moved while they are written.
    Aside(tempfile::TempDir),
}

impl ServiceLogs {
    pub fn new(stored: Option<&RunFolder>, out: &Path) -> Result<Self, Failure> {
        Ok(match stored {
            Some(folder) => Self::InPlace(folder.0.clone()),
            None => Self::Aside(tempfile::Builder::new().prefix(".services-").tempdir_in(out)?),
        })
    }

    pub fn folder(&self) -> &Path {
        match self {
            Self::InPlace(folder) => folder,
            Self::Aside(folder) => folder.path(),
        }
    }

    pub fn keep_in(&self, run: &RunFolder) -> Result<(), Failure> {
        if let Self::Aside(folder) = self {
            for log in fs::read_dir(folder.path())? {
                let log = log?;
                fs::rename(log.path(), run.0.join(log.file_name()))?;
            }
        }
        Ok(())
    }
}

/// The run that a person names: a folder, a name under `out`, or the last one.
pub(super) fn find(out: &Path, named: Option<&Path>) -> Result<RunFolder, Failure> {
    let Some(named) = named else {
        return all(out).pop().ok_or_else(|| Failure::usage(format!("no run under `{}`", out.display())));
    };
    let candidates = [named.to_owned(), out.join(named)];
    let found = candidates.iter().find(|folder| folder.join("run.json").is_file());
    found.map(|folder| RunFolder(folder.clone())).ok_or_else(|| {
        Failure::usage(format!("no run at `{}`, nor under `{}`", named.display(), out.display()))
    })
}

/// The last run under `out` that can be read and `fits`.
pub(super) fn find_last(out: &Path, fits: &dyn Fn(&RunMeta) -> bool) -> Option<RunFolder> {
    let fits = |folder: &RunFolder| folder.read_whole_meta().is_ok_and(|meta| fits(&meta));
    all(out).into_iter().rev().find(fits)
}

/// Every run under `out`, by name, which begins with the time of its start.
pub(super) fn all(out: &Path) -> Vec<RunFolder> {
    let mut folders: Vec<PathBuf> = match fs::read_dir(out) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    folders.retain(|folder| folder.join("run.json").is_file());
    folders.sort();
    folders.into_iter().map(RunFolder).collect()
}
