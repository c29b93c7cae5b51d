//! `compare`: stored runs, or the attempts of any harness in a CSV file, judged as `run` judges.

pub(super) mod file;
pub(super) mod runs;
mod show;

use super::{Failure, Printer};
use crate::cli::CompareArgs;
use crate::exit::ExitCode;
use std::path::Path;

pub(super) fn run(args: &CompareArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    match args.what.as_slice() {
        [one] if is_file(one) => file::compare(Path::new(one), args, printer),
        several if several.iter().any(|what| is_file(what)) => Err(Failure::usage(
            "a CSV file is compared alone: both sides are in it, told apart by the column `side`",
        )
        .hint("join the files into one, or name stored runs only")),
        runs => runs::compare(runs, args, printer),
    }
}

/// Runs are folders; whatever else is named is a file of attempts.
pub(super) fn is_file(what: &str) -> bool {
    let path = Path::new(what);
    let named_so = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("csv"));
    named_so || (path.exists() && !path.is_dir())
}
