//! `--confirm-flips`: after a run is judged, its flipped cases are replayed once more.

use super::results::RunFolder;
use super::run::{recorded, replay_all};
use super::{Failure, Printer};
use crate::cli::RunArgs;
use crate::exit::ExitCode;
use crate::report;
use crate::run::{RunConfig, RunEnd};
use crate::trace::{ConfirmMeta, RunMeta, RunStatus};
use std::collections::HashSet;
use std::sync::Arc;

/// Fresh attempts of a flipped case on each side; more when a case has more recordings.
const LEAST_ATTEMPTS: u32 = 8;

/// Judges the finished run `config`, notes in `meta` which cases flipped, and replays them.
pub(super) async fn replay(
    config: &RunConfig,
    folder: &RunFolder,
    meta: &mut RunMeta,
    args: &RunArgs,
    printer: &Printer,
) -> Result<RunEnd, Failure> {
    let internal = |error: report::ReportError| Failure::new(ExitCode::Internal, error);
    let measured = report::measure(meta.clone(), &folder.journals()?).map_err(internal)?;
    let flipped = report::flipped(&measured).map_err(|error| internal(error.into()))?;
    drop(measured);
    let ids: HashSet<&str> = flipped.cases.iter().map(String::as_str).collect();
    let cases: Vec<_> = config.cases.iter().filter(|case| ids.contains(case.id.as_str())).cloned().collect();
    let recordings = cases.iter().map(|case| case.recordings.len() as u32).max().unwrap_or(0);
    let attempts = recordings.max(LEAST_ATTEMPTS);
    meta.confirm = Some(ConfirmMeta { attempts, exact: flipped.exact, cases: Some(flipped.cases.clone()) });
    let is_due = !cases.is_empty() && !flipped.exact;
    if is_due {
        // A run that was complete is resumable again until this is done.
        meta.status = RunStatus::Started;
    }
    folder.write_meta(meta)?;
    if !is_due {
        return Ok(RunEnd::Complete);
    }
    printer.note(&format!(
        "{} flipped: {attempts} fresh attempts a side",
        report::counted(cases.len() as u64, "case", "cases")
    ));
    let shape = config.shape.further(attempts);
    let journal = report::journal_beside(&folder.journal(None)?);
    let written = Some(journal.clone()).filter(|journal| journal.is_file());
    let recorded = recorded(written.as_slice(), &flipped.cases, shape)?;
    let planned = (cases.len() * shape.expected().len()) as u64;
    let clock = recorded.clock(config.clock);
    let further = RunConfig { cases, shape, done: recorded.done, clock, ..config.clone() };
    replay_all(Arc::new(further), &journal, planned, args, printer).await
}
