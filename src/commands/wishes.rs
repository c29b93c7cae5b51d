//! `--report KIND=PATH`: reports beside those in the folder of the run.

use super::Failure;
use crate::cli::{ReportKind, ReportWish};
use crate::report::junit;
use fs_err as fs;
use std::path::Path;

/// Makes sure, before anything runs, that the paths can be written. What an earlier run left there is removed: a
/// report that is not written must not be taken for one.
pub(super) fn prepare(wishes: &[ReportWish]) -> Result<(), Failure> {
    for path in wishes.iter().filter_map(|wish| wish.path.as_deref()) {
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, ""));
        made.and_then(|()| fs::remove_file(path)).map_err(|error| {
            Failure::usage(format!("--report: {error}")).hint("give a path that can be written")
        })?;
    }
    Ok(())
}

/// Copies reports from the folder of a run. A comment that was not written, since there is nothing to say, is
/// not written here either.
pub(super) fn fulfil(wishes: &[ReportWish], run: &Path) -> Result<(), Failure> {
    for wish in wishes {
        let from = run.join(wish.kind.file());
        if let Some(path) = wish.path.as_deref().filter(|_| from.is_file()) {
            fs::copy(from, path)?;
        }
    }
    Ok(())
}

/// A side did not start, or was lost: that is what the tests of a CI show.
pub(super) fn failed_side(wishes: &[ReportWish], message: &str) -> Result<(), Failure> {
    for wish in wishes.iter().filter(|wish| wish.kind == ReportKind::Junit) {
        if let Some(path) = &wish.path {
            fs::write(path, junit::failed_side(message)?)?;
        }
    }
    Ok(())
}
