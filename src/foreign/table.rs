//! From the columns of the file to the table that is judged.

use super::declare::{Declared, undeclared};
use super::rows::{Raw, RawColumn, RawRow};
use super::{Foreign, ForeignError, Wanted};
use crate::metric::case_facts::CaseFacts;
use crate::metric::exposure;
use crate::metric::{AttemptRow, AttemptTable, CaseRow, Column, MetricInfo};
use crate::words::{Metric, Side};
use std::sync::Arc;

pub(super) fn assemble(mut raw: Raw, wanted: &Wanted) -> Result<Foreign, ForeignError> {
    let mut notes = Vec::new();
    let roles = wanted.sides.assign(&raw.sides.list)?;
    check_whole(&raw, &mut notes)?;
    let columns = std::mem::take(&mut raw.columns);
    let metrics = metrics(columns, &wanted.metrics, &mut notes)?;
    note_unused(&raw, &roles, &mut notes);
    if raw.unnamed > 0 {
        notes.push(format!("left out, they have no name: {} of the columns", raw.unnamed));
    }
    let cases = order_of_cases(&raw, &roles);
    let order = order_of_rows(&raw, &roles, &cases)?;
    let has_recordings = has_recordings(&raw, &roles, &order)?;
    let mut names: Vec<(Side, String)> =
        roles.iter().zip(&raw.sides.list).filter_map(|(side, name)| Some(((*side)?, name.clone()))).collect();
    names.sort();
    let table = build(&raw, &roles, &cases, &order, metrics);
    Ok(Foreign { table, names, has_recordings, notes })
}

/// A file without a last line feed may have lost its end. It shows by what its last line belongs to: a case
/// with fewer rows than others, a side that cases lack, a cell that nobody else leaves empty.
fn check_whole(raw: &Raw, notes: &mut Vec<String>) -> Result<(), ForeignError> {
    let Some(last) = raw.rows.last().filter(|_| !raw.ends_whole) else { return Ok(()) };
    let mut counts = vec![0u32; raw.cases.list.len()];
    raw.rows.iter().for_each(|row| counts[row.case as usize] += 1);
    let (got, want) = (counts[last.case as usize], counts.iter().copied().max().unwrap_or(0));
    if got < want {
        let case = raw.cases.list[last.case as usize].clone();
        return Err(ForeignError::Cut { case, got, want });
    }
    let mut has_side = vec![false; raw.cases.list.len()];
    raw.rows.iter().filter(|row| row.side == last.side).for_each(|row| has_side[row.case as usize] = true);
    if let Some(case) = has_side.iter().position(|has_side| !has_side) {
        let (case, side) = (raw.cases.list[case].clone(), raw.sides.list[last.side as usize].clone());
        return Err(ForeignError::CutSide { case, side });
    }
    let others = raw.rows.len() as u64 - 1;
    let is_cut = |column: &&RawColumn| {
        others > 0 && column.values.get(others as usize).is_none() && column.numbers == others
    };
    if let Some(column) = raw.columns.last().filter(|_| raw.ends_in_column).filter(is_cut) {
        return Err(ForeignError::CutCell { column: column.name.clone() });
    }
    notes.push("the last line of the file has no line feed: is the file whole?".to_owned());
    Ok(())
}

/// A column of the file that is a metric, its values in the order of the file.
type Measured = (MetricInfo, Column);

/// Columns of numbers, as declared or as they are.
fn metrics(
    columns: Vec<RawColumn>,
    declared: &[Declared],
    notes: &mut Vec<String>,
) -> Result<Vec<Measured>, ForeignError> {
    for (place, metric) in declared.iter().enumerate() {
        if declared[..place].iter().any(|earlier| earlier.name == metric.name) {
            return Err(ForeignError::DeclaredTwice(metric.name.clone()));
        }
        if !columns.iter().any(|column| column.name == metric.name) {
            let found: Vec<String> =
                columns.iter().filter(|c| c.numbers > 0).map(|c| format!("`{}`", c.name)).collect();
            let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
            return Err(ForeignError::NoMetric { name: metric.name.clone(), found });
        }
    }
    let mut measured = Vec::new();
    let mut texts = Vec::new();
    for column in columns {
        let declared = declared.iter().find(|metric| metric.name == column.name);
        if let Some((place, value)) = column.bad {
            let is_text = column.has_text && column.numbers == 0 && declared.is_none();
            if !is_text {
                let expected = "a finite number or nothing was expected".to_owned();
                return Err(ForeignError::Cell { place, value, expected });
            }
            texts.push(format!("`{}`", column.name));
            continue;
        }
        match declared {
            Some(declared) => measured.push((declared.info(column.range), column.values)),
            None if column.numbers > 0 => {
                measured.push((undeclared(&column.name, column.range), column.values));
            }
            None => {}
        }
    }
    if !texts.is_empty() {
        notes.push(format!("left out, they hold text: {}", texts.join(", ")));
    }
    if measured.is_empty() { Err(ForeignError::NoMetrics) } else { Ok(measured) }
}

fn note_unused(raw: &Raw, roles: &[Option<Side>], notes: &mut Vec<String>) {
    let unused = roles.iter().zip(&raw.sides.list).filter(|(side, _)| side.is_none());
    let names: Vec<String> = unused.map(|(_, name)| format!("`{name}`")).collect();
    if !names.is_empty() {
        notes.push(format!("sides left out (--same-code NAME takes one in): {}", names.join(", ")));
    }
}

/// The cases that a side which takes part has a row of, by split and id.
fn order_of_cases(raw: &Raw, roles: &[Option<Side>]) -> Vec<u32> {
    let mut seen = vec![false; raw.cases.list.len()];
    for row in raw.rows.iter().filter(|row| roles[row.side as usize].is_some()) {
        seen[row.case as usize] = true;
    }
    let mut cases: Vec<u32> = (0..seen.len() as u32).filter(|case| seen[*case as usize]).collect();
    let key = |case: &u32| (raw.case_facts[*case as usize].0, raw.cases.list[*case as usize].as_str());
    cases.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    cases
}

/// The rows that take part, by case, side and attempt, each key once.
fn order_of_rows(raw: &Raw, roles: &[Option<Side>], cases: &[u32]) -> Result<Vec<u32>, ForeignError> {
    let mut places = vec![u32::MAX; raw.cases.list.len()];
    cases.iter().enumerate().for_each(|(place, case)| places[*case as usize] = place as u32);
    let key = |row: u32| {
        let raw: &RawRow = &raw.rows[row as usize];
        (places[raw.case as usize], roles[raw.side as usize], raw.attempt)
    };
    let mut order: Vec<u32> = (0..raw.rows.len() as u32)
        .filter(|row| roles[raw.rows[*row as usize].side as usize].is_some())
        .collect();
    order.sort_unstable_by_key(|row| (key(*row), *row));
    if let Some(pair) = order.windows(2).find(|pair| key(pair[0]) == key(pair[1])) {
        let row = &raw.rows[pair[0] as usize];
        return Err(ForeignError::Twice {
            case: raw.cases.list[row.case as usize].clone(),
            side: raw.sides.list[row.side as usize].clone(),
            attempt: row.attempt,
            first: u64::from(pair[0]) + 1,
            second: u64::from(pair[1]) + 1,
        });
    }
    Ok(order)
}

/// Whether attempts of one number are pairs: each row names its recording, and the same one on
/// every side.
fn has_recordings(raw: &Raw, roles: &[Option<Side>], order: &[u32]) -> Result<bool, ForeignError> {
    let row = |place: &u32| &raw.rows[*place as usize];
    if !order.iter().any(|place| row(place).recording.is_some()) {
        return Ok(false);
    }
    let mut by_attempt: Vec<u32> = order.to_vec();
    by_attempt
        .sort_unstable_by_key(|place| (row(place).case, row(place).attempt, roles[row(place).side as usize]));
    for pair in by_attempt.windows(2) {
        let (a, b) = (row(&pair[0]), row(&pair[1]));
        if (a.case, a.attempt) != (b.case, b.attempt) || a.recording == b.recording {
            continue;
        }
        let name = |recording: Option<u32>| {
            recording.map_or_else(String::new, |recording| raw.recordings.list[recording as usize].clone())
        };
        return Err(ForeignError::Recordings {
            case: raw.cases.list[a.case as usize].clone(),
            attempt: a.attempt,
            first: name(a.recording),
            second: name(b.recording),
            row: u64::from(pair[1]) + 1,
        });
    }
    Ok(true)
}

fn build(
    raw: &Raw,
    roles: &[Option<Side>],
    cases: &[u32],
    order: &[u32],
    metrics: Vec<Measured>,
) -> AttemptTable {
    let recordings: Vec<Arc<str>> = raw.recordings.list.iter().map(|name| name.as_str().into()).collect();
    let unnamed: Arc<str> = "".into();
    let correct = metrics.iter().position(|(info, _)| info.known == Some(Metric::Correct));
    let mut places = vec![0u32; raw.cases.list.len()];
    cases.iter().enumerate().for_each(|(place, case)| places[*case as usize] = place as u32);
    let mut rows = Vec::with_capacity(order.len());
    for place in order {
        let row = &raw.rows[*place as usize];
        let Some(side) = roles[row.side as usize] else { continue };
        // A graded answer says whether an attempt is right; else its needs do.
        let right = match correct {
            Some(metric) => metrics[metric].1.get(*place as usize).map(|correct| correct >= 0.5),
            None => row.needs.filter(|(_, total)| *total > 0).map(|(met, total)| met == total),
        };
        rows.push(AttemptRow {
            case: places[row.case as usize],
            side,
            attempt: row.attempt,
            status: row.status,
            recording_id: row
                .recording
                .map_or_else(|| unnamed.clone(), |name| recordings[name as usize].clone()),
            needs: row.needs,
            exposed: row.exposed,
            right,
        });
    }
    let mut table =
        AttemptTable { rows, input_tokens_source: raw.tokens_source.clone(), ..AttemptTable::default() };
    for (info, values) in metrics {
        let mut ordered = Column::with_capacity(order.len());
        order.iter().for_each(|place| ordered.push(values.get(*place as usize)));
        table.metrics.push(info);
        table.columns.push(ordered);
    }
    for (place, case) in cases.iter().enumerate() {
        let (split, cluster) = &raw.case_facts[*case as usize];
        let exposed = exposure::combine(table.rows[table.rows_of(place)].iter().map(|row| row.exposed));
        table.cases.push(CaseRow {
            id: raw.cases.list[*case as usize].clone(),
            split: *split,
            cluster: cluster.clone(),
            is_skipped: false,
            exposed,
            facts: CaseFacts::default(),
        });
    }
    table
}
