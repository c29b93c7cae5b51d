//! Flipped cases replayed once more: what their fresh attempts say.

use super::comparison::{Comparison, Settings};
use crate::metric::AttemptTable;
use crate::stats::flips::{CaseRight, Direction, Flips};
use crate::stats::sample::SampleError;
use std::collections::BTreeMap;

/// Fresh attempts of cases that flipped. They enter no metric and no rule but that of flips.
#[derive(Debug, Clone, Default)]
pub struct Confirmation {
    /// Fresh attempts a side and case.
    pub attempts: u32,
    /// The flips repeat themselves, so that nothing was replayed.
    pub exact: bool,
    /// Fresh attempts with a record.
    pub recorded: usize,
    /// By place in the table: the cases that were to be confirmed, with what came of it. `None` when no
    /// fresh attempt is ok on both sides.
    cases: BTreeMap<usize, Option<CaseRight>>,
}

/// What the fresh attempts of some flipped cases say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confirmed {
    /// Cases that flip again, in the same direction.
    pub again: u64,
    /// As many would unchanged code show among these cases.
    pub expected: f64,
    /// Cases of which nothing is known: no fresh attempt is ok on both sides, or none was planned.
    pub unknown: u64,
}

impl Confirmation {
    /// `table` has the run's cases in their order, and of attempts the fresh ones alone; `planned` are
    /// places of cases in it.
    ///
    /// # Errors
    /// When an attempt is in the table twice.
    pub fn new(
        table: &AttemptTable,
        planned: &[usize],
        settings: Settings,
        attempts: u32,
        exact: bool,
    ) -> Result<Self, SampleError> {
        let mut cases: BTreeMap<usize, Option<CaseRight>> =
            planned.iter().map(|case| (*case, None)).collect();
        let include: Vec<bool> = (0..table.cases.len()).map(|case| cases.contains_key(&case)).collect();
        let (flips, _) = Comparison::new(table, settings)?.flips(&include)?;
        for case in flips.cases {
            cases.insert(case.case as usize, Some(case));
        }
        Ok(Self { attempts, exact, recorded: table.rows.len(), cases })
    }

    /// How often a case was right in its fresh attempts; `None` when nothing is known of it.
    pub fn case(&self, case: usize) -> Option<&CaseRight> {
        self.cases.get(&case)?.as_ref()
    }

    /// Whether any case was to be confirmed.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// What became of cases that flipped in one direction.
    pub fn of(&self, flipped: &[usize], direction: Direction) -> Confirmed {
        let known: Vec<CaseRight> = flipped.iter().filter_map(|case| self.case(*case).copied()).collect();
        let unknown = (flipped.len() - known.len()) as u64;
        let fresh = Flips::from_cases(known);
        Confirmed { again: fresh.count(direction), expected: fresh.expected(direction), unknown }
    }
}
