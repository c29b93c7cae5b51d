//! One pass over a journal, case by case.

use super::bracket::BracketColumns;
use super::case_facts::CaseFacts;
use super::fidelity::Fidelity;
use super::measure::{is_right, measure, needs};
use super::side_facts::{NeedFacts, SideFacts};
use super::table::{AttemptRow, AttemptTable, CaseRow, MetricInfo};
use super::{Column, exposure};
use crate::trace::{CaseMeta, Journal, JournalError, RunMeta};
use crate::words::{Metric, Side, Status};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Everything that judging and reporting take from the journal.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub table: AttemptTable,
    pub sides: BTreeMap<Side, SideFacts>,
    pub needs: NeedFacts,
    pub fidelity: Fidelity,
    /// Requests that the same code was asked again, and those of them that it answered otherwise.
    pub same_code_calls: (u64, u64),
    /// The same of requests that the candidate was asked again, in later attempts too.
    pub candidate_calls: (u64, u64),
    /// And of those that the baseline was asked again in later attempts.
    pub baseline_calls: (u64, u64),
}

/// The run's cases in the order of the tables: dev before test, then by id.
pub fn case_order(meta: &RunMeta) -> Vec<(&String, &CaseMeta)> {
    let mut cases: Vec<_> = meta.cases.iter().collect();
    cases.sort_by(|a, b| (a.1.split, a.0).cmp(&(b.1.split, b.0)));
    cases
}

/// Measures every attempt of the journal.
///
/// # Errors
/// When a journal file cannot be read.
pub fn collect(meta: &RunMeta, journal: &Journal) -> Result<Collected, JournalError> {
    let metrics: Vec<Metric> = Metric::of_replay().collect();
    let mut collected = Collected::default();
    collected.table.metrics = metrics.iter().copied().map(MetricInfo::from).collect();
    collected.table.input_tokens_source = Some("estimated".to_owned());
    collected.table.columns = metrics.iter().map(|_| Column::with_capacity(journal.len())).collect();
    collected.table.rows.reserve_exact(journal.len());
    let mut reader = journal.reader()?;
    let mut bracket = BracketColumns::default();
    let mut names = HashSet::<Arc<str>>::new();
    for (place, (id, case)) in case_order(meta).into_iter().enumerate() {
        let records = reader.case(place)?;
        collected.fidelity.add(id, &records, &case.recorded);
        let (compared, differing) = exposure::same_code_differences(&records);
        collected.same_code_calls.0 += compared;
        collected.same_code_calls.1 += differing;
        for (sum, side) in [
            (&mut collected.candidate_calls, Side::Candidate),
            (&mut collected.baseline_calls, Side::Baseline),
        ] {
            let (compared, differing) = exposure::repeat_differences(&records, side);
            (sum.0, sum.1) = (sum.0 + compared, sum.1 + differing);
        }
        let labels = exposure::of_calls(&records);
        for (record, labels) in records.iter().zip(&labels) {
            collected.sides.entry(record.side).or_default().add(record);
            collected.needs.add(record);
            collected.table.rows.push(AttemptRow {
                case: place as u32,
                side: record.side,
                attempt: record.attempt,
                status: record.status,
                recording_id: interned(&mut names, &record.recording_id),
                needs: (record.status != Status::Infrastructure).then(|| needs(record)),
                exposed: exposure::combine(labels.iter().copied()),
                right: is_right(record),
            });
            bracket.push(record);
            for (column, metric) in collected.table.columns.iter_mut().zip(&metrics) {
                column.push(measure(record, *metric));
            }
        }
        collected.table.cases.push(CaseRow {
            id: id.clone(),
            split: case.split,
            cluster: case.cluster.clone(),
            is_skipped: case.skipped,
            exposed: exposure::combine(labels.into_iter().flatten()),
            facts: CaseFacts::of(&records),
        });
        collected.needs.add_order(id, &records);
    }
    collected.table.bracket = (collected.needs.bracketed > 0).then_some(bracket);
    Ok(collected)
}

fn interned(names: &mut HashSet<Arc<str>>, name: &str) -> Arc<str> {
    if let Some(known) = names.get(name) {
        return known.clone();
    }
    let name: Arc<str> = name.into();
    names.insert(name.clone());
    name
}
