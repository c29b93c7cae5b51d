//! The fresh attempts of flipped cases: which cases are due, and what their journals hold.

use super::{Measured, MissingAttempt, ReportError};
use crate::metric::{AttemptRow, AttemptTable, case_order, measure::is_right};
use crate::stats::sample::SampleError;
use crate::trace::{Journal, RunMeta};
use crate::verdict::comparison::Settings;
use crate::verdict::{Comparison, Confirmation};
use crate::words::Side;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The journal of fresh attempts that belongs to a journal of a run.
pub fn journal_beside(journal: &Path) -> PathBuf {
    journal.with_file_name("confirm.jsonl")
}

/// The cases that flipped, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flipped {
    /// Ids, in the order of the tables.
    pub cases: Vec<String>,
    /// They repeat themselves, so that fresh attempts would say the same.
    pub exact: bool,
}

/// The flips of a run.
///
/// # Errors
/// When the attempts cannot be judged.
pub fn flipped(measured: &Measured) -> Result<Flipped, SampleError> {
    let table = &measured.collected.table;
    let comparison = Comparison::new(table, measured.settings)?;
    let headline = comparison.headline(&comparison.selected(None, &|_| true));
    let (flips, exact) = comparison.flips(&headline)?;
    let cases = flips.flipped().map(|(case, _)| table.cases[case.case as usize].id.clone()).collect();
    Ok(Flipped { cases, exact })
}

/// Reads the fresh attempts of a run; what was planned and has no record joins `missing`. `None` when the
/// run was not asked to confirm, or was not judged yet.
pub(super) fn confirmation(
    meta: &RunMeta,
    journals: &[PathBuf],
    table: &AttemptTable,
    settings: Settings,
    missing: &mut Vec<MissingAttempt>,
) -> Result<Option<Confirmation>, ReportError> {
    let Some((confirm, cases)) = meta.confirm.as_ref().and_then(|c| Some((c, c.cases.as_ref()?))) else {
        return Ok(None);
    };
    let named: HashSet<&str> = cases.iter().map(String::as_str).collect();
    let is_planned = |place: &usize| named.contains(table.cases[*place].id.as_str());
    let planned: Vec<usize> = (0..table.cases.len()).filter(is_planned).collect();
    let paths: Vec<PathBuf> =
        journals.iter().map(|path| journal_beside(path)).filter(|p| p.is_file()).collect();
    let ids: Vec<String> = case_order(meta).into_iter().map(|(id, _)| id.clone()).collect();
    let journal = Journal::open(&paths, &ids)?;
    let mut reader = journal.reader()?;
    let mut fresh = AttemptTable { cases: table.cases.clone(), ..AttemptTable::default() };
    for place in if confirm.exact { &[] } else { &planned[..] } {
        for side in [Side::Baseline, Side::Candidate] {
            let numbers = meta.attempts + 1..=meta.attempts + confirm.attempts;
            let absent = numbers.filter(|attempt| !journal.has(*place, side, *attempt));
            missing.extend(absent.map(|attempt| MissingAttempt {
                case_id: ids[*place].clone(),
                side,
                attempt,
            }));
        }
        fresh.rows.extend(reader.case(*place)?.iter().map(|record| AttemptRow {
            case: *place as u32,
            side: record.side,
            attempt: record.attempt,
            status: record.status,
            recording_id: record.recording_id.as_str().into(),
            needs: None,
            exposed: None,
            right: is_right(record),
        }));
    }
    Ok(Some(Confirmation::new(&fresh, &planned, settings, confirm.attempts, confirm.exact)?))
}
