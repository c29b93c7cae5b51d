//! The results folder: where runs are kept, how one is made and found again.

use super::Failure;
use crate::exit::ExitCode;
use crate::trace::{RunMeta, RunStatus};
use fs_err as fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder of one run.
#[derive(Debug, Clone)]
pub(super) struct RunFolder(pub PathBuf);

impl RunFolder {
    /// Makes a new folder under `out`; a bad path fails here, before anything runs.
    pub fn create(out: &Path, run_id: &str) -> Result<Self, Failure> {
        let folder = out.join(run_id);
        let shard = folder.join("shards/1-of-1");
        let mut builder = std::fs::DirBuilder::new();
        // The folder itself must be new: two runs may start in the same moment.
        let made = builder.mode(0o700).create(&folder).and_then(|()| builder.recursive(true).create(&shard));
        made.map_err(|error| {
            Failure::usage(format!("can't make the results folder `{}`: {error}", folder.display()))
                .hint("give another folder with --out")
        })?;
        Ok(Self(folder))
    }

    pub fn journal(&self) -> PathBuf {
        self.0.join("shards/1-of-1/attempts.jsonl")
    }

    /// All journals of the run, by shard.
    pub fn journals(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut journals = Vec::new();
        for shard in fs::read_dir(self.0.join("shards"))? {
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

    pub fn read_meta(&self) -> Result<RunMeta, Failure> {
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
pub(super) fn find(
    out: &Path,
    named: Option<&Path>,
    wanted: Option<RunStatus>,
) -> Result<RunFolder, Failure> {
    if let Some(named) = named {
        let candidates = [named.to_owned(), out.join(named)];
        let found = candidates.iter().find(|folder| folder.join("run.json").is_file());
        return found.map(|folder| RunFolder(folder.clone())).ok_or_else(|| {
            Failure::usage(format!("no run at `{}`, nor under `{}`", named.display(), out.display()))
        });
    }
    let mut folders: Vec<PathBuf> = match fs::read_dir(out) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    folders.retain(|folder| folder.join("run.json").is_file());
    // Names begin with the time of the start.
    folders.sort();
    let fits = |folder: &RunFolder| {
        wanted.is_none_or(|status| folder.read_meta().is_ok_and(|meta| meta.status == status))
    };
    folders.into_iter().rev().map(RunFolder).find(fits).ok_or_else(|| {
        Failure::usage(format!(
            "no {}run under `{}`",
            if wanted.is_some() { "unfinished " } else { "" },
            out.display()
        ))
    })
}
