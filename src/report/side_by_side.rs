//! Several runs compared with one reference, in one table: a metric a row, a run a column.

use super::Report;
use super::phrase::{self, Shown, plain};
use crate::verdict::MetricRow;
use std::collections::BTreeMap;

/// What the comparisons said so far.
#[derive(Debug, Clone, Default)]
pub struct SideBySide {
    reference: String,
    runs: Vec<Run>,
    /// Names of metrics in the order of the tables.
    metrics: Vec<String>,
}

#[derive(Debug, Clone, Default)]
struct Run {
    name: String,
    verdict: &'static str,
    /// By the name of the metric: of the reference on the cases of both, of the run, and its word.
    cells: BTreeMap<String, [String; 3]>,
}

impl SideBySide {
    pub fn new(reference: &str) -> Self {
        Self { reference: plain(reference), ..Self::default() }
    }

    /// Adds a comparison with the reference.
    pub fn add(&mut self, name: &str, report: &Report) {
        let mut run =
            Run { name: plain(name), verdict: report.gate.verdict.as_str(), cells: BTreeMap::new() };
        for row in &report.splits[0].metrics {
            let info = &report.collected.table.metrics[row.metric];
            let label = phrase::label(info, row);
            if !self.metrics.contains(&label) {
                self.metrics.push(label.clone());
            }
            run.cells.insert(label, cells(Shown::of(info, row), row));
        }
        self.runs.push(run);
    }

    /// The table, in lines of at most `width` columns: runs that find no room stand in a table below. Nothing for
    /// fewer than two runs. Metrics in which no run differs are left out.
    pub fn lines(&self, width: usize) -> Vec<String> {
        if self.runs.len() < 2 {
            return Vec::new();
        }
        let mut lines = vec![format!("side by side, each against {}", self.reference)];
        lines.extend(
            self.runs
                .iter()
                .enumerate()
                .map(|(place, run)| format!("  {}  {}: {}", letter(place), run.name, run.verdict)),
        );
        let numbered: Vec<(usize, &Run)> = self.runs.iter().enumerate().collect();
        let mut rest = numbered.as_slice();
        while !rest.is_empty() {
            let fits =
                (1..=rest.len()).rev().find(|count| *count == 1 || self.is_within(&rest[..*count], width));
            let (now, later) = rest.split_at(fits.unwrap_or(1));
            lines.push(String::new());
            lines.extend(self.table(now));
            rest = later;
        }
        lines
    }

    fn is_within(&self, runs: &[(usize, &Run)], width: usize) -> bool {
        self.table(runs).iter().all(|line| line.chars().count() <= width)
    }

    fn table(&self, runs: &[(usize, &Run)]) -> Vec<String> {
        let mut rows: Vec<Vec<String>> = vec![vec![String::new(), "reference".to_owned()]];
        rows[0].extend(runs.iter().map(|(place, _)| letter(*place)));
        for label in self.metrics.iter().filter(|label| self.differs(label)) {
            let of = |run: &Run| run.cells.get(label).cloned().unwrap_or_default();
            let mut references: Vec<String> = runs.iter().map(|(_, run)| of(run)[0].clone()).collect();
            references.dedup();
            // Runs that share other cases with the reference have it at another value.
            let mut row = vec![label.clone(), references.join(" / ")];
            row.extend(runs.iter().map(|(_, run)| {
                let [_, value, word] = of(run);
                format!("{value} {word}").trim().to_owned()
            }));
            rows.push(row);
        }
        if rows.len() == 1 {
            return vec!["no metric differs".to_owned()];
        }
        laid_out(&rows)
    }

    fn differs(&self, label: &str) -> bool {
        self.runs.iter().filter_map(|run| run.cells.get(label)).any(|[base, cand, _]| base != cand)
    }
}

fn cells(shown: Shown, row: &MetricRow) -> [String; 3] {
    let value = |mean: Option<f64>| mean.map_or_else(String::new, |mean| shown.value(mean));
    let delta = row.delta.filter(|delta| *delta != 0.0).map(|delta| shown.delta(delta));
    let word = match (delta, row.call) {
        (Some(delta), Some(call)) => format!("({delta} {call})"),
        (Some(delta), None) => format!("({delta})"),
        (None, _) => String::new(),
    };
    [value(row.baseline_mean), value(row.candidate_mean), word]
}

/// `A`, `B`, ..., `Z`, then `run 27`.
fn letter(place: usize) -> String {
    match u8::try_from(place) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        _ => format!("run {}", place + 1),
    }
}

fn laid_out(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0) + 2;
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| -> String {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
