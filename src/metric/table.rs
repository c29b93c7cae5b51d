//! All attempts of a comparison with their numbers: what the statistics and the reports take.

use super::bracket::BracketColumns;
use super::case_facts::CaseFacts;
use super::{Column, Exposure};
use crate::words::{Better, Metric, NoiseClass, Side, Split, Status};
use std::sync::Arc;

/// A metric as the tables show it. Foreign results may bring names of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricInfo {
    pub name: String,
    pub unit: String,
    pub better: Better,
    /// Whether it is known which direction is better; without, no difference is better or worse.
    pub has_direction: bool,
    pub noise: NoiseClass,
    /// The metric of the bench with this name, if it is one.
    pub known: Option<Metric>,
}

impl MetricInfo {
    pub fn is_share(&self) -> bool {
        self.noise == NoiseClass::Share
    }

    /// Whether it counts what a task costs, so that losing content makes it smaller.
    pub fn is_cost(&self) -> bool {
        self.has_direction && self.better == Better::Lower
    }
}

impl From<Metric> for MetricInfo {
    fn from(metric: Metric) -> Self {
        Self {
            name: metric.as_str().to_owned(),
            unit: metric.unit().to_string(),
            better: metric.better(),
            has_direction: true,
            noise: metric.noise_class(),
            known: Some(metric),
        }
    }
}

/// One case, in the order of the tables: split, then id.
#[derive(Debug, Clone)]
pub struct CaseRow {
    pub id: String,
    pub split: Split,
    pub cluster: Option<String>,
    /// No call of it may be replayed.
    pub is_skipped: bool,
    pub exposed: Option<Exposure>,
    pub facts: CaseFacts,
}

/// One attempt without its numbers.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    /// Place of the case in [`AttemptTable::cases`].
    pub case: u32,
    pub side: Side,
    pub attempt: u32,
    pub status: Status,
    pub recording_id: Arc<str>,
    /// (met, total) over read steps with a need; `None` where nothing is known of needs.
    pub needs: Option<(u32, u32)>,
    pub exposed: Option<Exposure>,
    /// Whether the attempt is right; `None` when nothing can tell.
    pub right: Option<bool>,
}

/// Cases, attempts and one column a metric.
#[derive(Debug, Clone, Default)]
pub struct AttemptTable {
    pub cases: Vec<CaseRow>,
    /// By case, side and attempt.
    pub rows: Vec<AttemptRow>,
    pub metrics: Vec<MetricInfo>,
    /// One a metric, each as long as `rows`.
    pub columns: Vec<Column>,
    /// Continuation reads at the ends of the bracket, when some need was inferred as `last`.
    pub bracket: Option<BracketColumns>,
    /// Where `input_tokens` come from: `recorded` or `estimated`.
    pub input_tokens_source: Option<String>,
}

impl AttemptTable {
    /// The place of a metric.
    pub fn metric(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|metric| metric.name == name)
    }

    /// The rows of one case.
    pub fn rows_of(&self, case: usize) -> std::ops::Range<usize> {
        let case = case as u32;
        let start = self.rows.partition_point(|row| row.case < case);
        start..start + self.rows[start..].partition_point(|row| row.case == case)
    }

    /// The same numbers with other sides: `plays` says which sides a side plays, none or several.
    pub fn with_sides(&self, plays: &dyn Fn(Side) -> Vec<Side>) -> Self {
        let mut order: Vec<(u32, Side, u32, usize)> = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            order.extend(plays(row.side).into_iter().map(|side| (row.case, side, row.attempt, place)));
        }
        order.sort_unstable();
        let rows =
            order.iter().map(|(_, side, _, place)| AttemptRow { side: *side, ..self.rows[*place].clone() });
        let moved = |column: &Column| {
            let mut moved = Column::with_capacity(order.len());
            order.iter().for_each(|(.., place)| moved.push(column.get(*place)));
            moved
        };
        Self {
            cases: self.cases.clone(),
            rows: rows.collect(),
            metrics: self.metrics.clone(),
            columns: self.columns.iter().map(moved).collect(),
            bracket: self.bracket.as_ref().map(|bracket| bracket.moved(moved)),
            input_tokens_source: self.input_tokens_source.clone(),
        }
    }

    /// The sides that occur, in order.
    pub fn sides(&self) -> Vec<Side> {
        let mut sides: Vec<Side> = Vec::new();
        for row in &self.rows {
            if !sides.contains(&row.side) {
                sides.push(row.side);
            }
        }
        sides.sort_unstable();
        sides
    }
}
