//! attempts.csv: one row an attempt, one column a metric.

use super::cell::{Cell, TableSpec};
use crate::metric::{AttemptRow, AttemptTable};
use crate::words::Metric;
use std::io;

/// One attempt within its table.
pub struct Row<'t> {
    table: &'t AttemptTable,
    row: usize,
}

impl Row<'_> {
    fn get(&self) -> &AttemptRow {
        &self.table.rows[self.row]
    }
}

/// What the column of a metric holds, for `columns.md`.
pub fn about_metric(metric: Metric) -> &'static str {
    use Metric::*;
    match metric {
        ToolCalls => "all tool calls",
        AgentCalls => "tool calls and spill reads: what the agent had to do",
        ReadCalls => "calls of read steps and of tools of kind `read`",
        ContinuationReads => "reads that a continuation rule made",
        ShrunkRetries => "reads sent again with a smaller size argument because the result was oversized",
        SpillReads => "reads of files into which the client saved oversized results",
        RepeatedReads => "reads with the tool and arguments of an earlier one",
        StuckChains => "chains that were offered more and got no news",
        CappedChains => "chains that reached the page cap",
        OversizedResults => "results over any limit of the client profile",
        MaxResultChars => "the largest result, in the unit that the client counts",
        ResultChars => "sum of what the client forwards",
        ResultWireBytes => "sum of the raw results as received, without envelope",
        ViewChars => "sum of what the model sees; a notice counts with its preview",
        InputTokens => "recorded usage when a model ran, else the estimate of the views",
        OutputTokens => "only when a model ran",
        Turns => "only when a model ran",
        EvidenceRecall => "(needs met + evidence texts seen) / (needs + evidence texts)",
        CallsToEvidence => "calls until the last need was met; empty when one was not",
        Errors => "results with `isError`, protocol errors, timeouts, crashes",
        DurationMs => "wall time",
        Correct | Completeness | Truthfulness | SourceRecall | CitedGold => "graded; only when a model ran",
    }
}

/// The columns of attempts.csv for a table: every metric of the bench but the clock, then the
/// table's own.
pub fn attempts_table<'t>(table: &AttemptTable) -> TableSpec<Row<'t>> {
    let about = "One row an attempt, in the order split, case, side, attempt; metrics are per attempt.";
    let mut spec = TableSpec::<Row<'t>>::new("attempts.csv", about)
        .column("split", "`dev` or `test`", |r| r.table.cases[r.get().case as usize].split.as_str().into())
        .column("case_id", "the case", |r| r.table.cases[r.get().case as usize].id.as_str().into())
        .column("cluster", "cases of one cluster are resampled together", |r| {
            r.table.cases[r.get().case as usize].cluster.as_deref().into()
        })
        .column("side", "`baseline`, `candidate`, `same-code`, ..., `candidate-again`", |r| {
            r.get().side.to_string().into()
        })
        .column("attempt", "from 1 on each side", |r| r.get().attempt.into())
        .column("recording_id", "the recording that it replays", |r| {
            Some(&*r.get().recording_id).filter(|id| !id.is_empty()).into()
        })
        .column("status", "`ok`, `failed`, `infrastructure`", |r| r.get().status.as_str().into())
        .column("needs_met", "read steps whose need was met", |r| r.get().needs.map(|n| n.0).into())
        .unit("steps")
        .column("needs_total", "read steps with a need", |r| r.get().needs.map(|n| n.1).into())
        .unit("steps")
        .column("exposed", "`true`, `false`, `unknown`; empty without a same-code side", |r| {
            r.get().exposed.map(|e| e.as_str()).into()
        });
    let tokens = table.metric(Metric::InputTokens.as_str());
    spec = spec.column("input_tokens_source", "`recorded` or `estimated`", move |r| {
        let has_tokens = tokens.is_some_and(|place| r.table.columns[place].get(r.row).is_some());
        r.table.input_tokens_source.as_deref().filter(|_| has_tokens).into()
    });
    let bench = Metric::ALL.iter().filter(|metric| **metric != Metric::DurationMs);
    for metric in bench {
        let place = table.metric(metric.as_str());
        let about = format!("{}; {} is better", about_metric(*metric), metric.better());
        spec = spec.column(metric.as_str(), about, move |r| value(r, place)).unit(metric.unit().to_string());
    }
    for (place, metric) in table.metrics.iter().enumerate().filter(|(_, metric)| metric.known.is_none()) {
        let (about, unit) = match metric.has_direction {
            true => (format!("a column of the file; {} is better", metric.better), metric.unit.to_string()),
            false => ("a column of the file".to_owned(), String::new()),
        };
        spec = spec.column(metric.name.clone(), about, move |r| value(r, Some(place))).unit(unit);
    }
    spec
}

fn value<'r>(row: &'r Row<'_>, place: Option<usize>) -> Cell<'r> {
    place.and_then(|place| row.table.columns[place].get(row.row)).into()
}

/// The rows of attempts.csv.
pub fn attempt_rows(table: &AttemptTable) -> impl Iterator<Item = io::Result<Row<'_>>> {
    (0..table.rows.len()).map(move |row| Ok(Row { table, row }))
}
