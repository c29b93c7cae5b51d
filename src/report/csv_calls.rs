//! calls.csv and timings.csv: one row a call, read from the journal case by case.

use super::cell::{Cell, TableSpec};
use crate::metric::exposure::{self, Exposure};
use crate::metric::measure::is_continuation;
use crate::trace::{AttemptRecord, CallRecord, Journal};
use crate::words::Split;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

/// One call within its attempt.
pub struct CallRow {
    split: Split,
    attempt: Rc<AttemptRecord>,
    index: usize,
    exposed: Option<Exposure>,
}

impl CallRow {
    fn call(&self) -> &CallRecord {
        &self.attempt.calls[self.index]
    }

    /// A cell of what came back; empty for a call that was not sent.
    fn result<'r>(&'r self, cell: impl Fn(&'r CallRecord) -> Cell<'r>) -> Cell<'r> {
        Some(self.call()).filter(|call| call.was_sent()).map(cell).into()
    }
}

/// The columns of calls.csv.
pub fn calls_table() -> TableSpec<CallRow> {
    let about = "One row a call, in the order split, case, side, attempt, call.";
    TableSpec::<CallRow>::new("calls.csv", about)
        .column("split", "`dev` or `test`", |r| r.split.as_str().into())
        .column("case_id", "the case", |r| r.attempt.case_id.as_str().into())
        .column("side", "`baseline`, `candidate`, `same-code`, ..., `candidate-again`", |r| {
            r.attempt.side.to_string().into()
        })
        .column("attempt", "from 1 on each side", |r| r.attempt.attempt.into())
        .column("call_index", "place in the attempt, from 0", |r| r.index.into())
        .column("step_index", "the recording's step that made the call, from 0", |r| {
            r.call().step_index.into()
        })
        .column("tool", "by its name in recordings and suite", |r| r.call().tool.as_str().into())
        .column("kind", "`read`, `search`, `write`, `other`", |r| r.call().kind.as_str().into())
        .column("is_continuation", "a continuation rule made it", |r| is_continuation(r.call()).into())
        .column("continuation_evidence", "`offered` by an earlier result, or `computed`", |r| {
            r.call().continuation.filter(|_| is_continuation(r.call())).map(|e| e.as_str()).into()
        })
        .column("continues_call_index", "the call that it carries on", |r| {
            r.call().continues_call_index.into()
        })
        .column("is_shrunk_retry", "sent again with a smaller size argument", |r| {
            r.call().is_shrunk_retry.into()
        })
        .column("is_repeat", "the same tool and arguments as an earlier call of the attempt", |r| {
            r.call().is_repeat.into()
        })
        .column("is_stuck", "the page at which its chain was found stuck", |r| r.call().is_stuck.into())
        .column("chain_index", "the chain within the attempt, from 0", |r| r.call().chain_index.into())
        .column(
            "chain_end",
            "on a chain's last call: `met`, `end`, `stuck`, `blind`, `capped`, `error`, `gave_up`",
            |r| r.call().chain_end.map(|e| e.as_str()).into(),
        )
        .column("spill_reads", "reads of the file into which the client saved the result", |r| {
            r.call().spill_reads.into()
        })
        .unit("calls")
        .column("rule", "the continuation rule: its place in the declaration, or `inferred`", |r| {
            r.call().rule.as_deref().into()
        })
        .column("outcome", "`ok`, `tool_error`, `protocol_error`, `timeout`, `crashed`, `skipped`", |r| {
            r.call().outcome.as_str().into()
        })
        .column("result_wire_bytes", "bytes of the raw `result` or `error` value", |r| {
            r.result(|c| c.result_wire_bytes.into())
        })
        .unit("bytes")
        .column(
            "result_chars",
            "what the client forwards, in the unit that it counts: run.json, `client.unit`",
            |r| r.result(|c| c.result_chars.into()),
        )
        .unit("the client's")
        .column("view_chars", "what the model sees, in the same unit", |r| r.result(|c| c.view_chars.into()))
        .unit("the client's")
        .column("view", "`whole`, `spilled`, `rejected`, `cut`", |r| r.result(|c| c.view.as_str().into()))
        .column("oversized_by", "limit layers that tripped, in profile order, joined with `+`", |r| {
            let layers: Vec<_> = r.call().oversized_by.iter().map(|l| l.as_str()).collect();
            Some(layers.join("+")).filter(|text| !text.is_empty()).into()
        })
        .column("tokens_estimated", "estimate of what the client forwards, by the profile's estimator", |r| {
            r.result(|c| c.tokens_estimated.into())
        })
        .unit("tokens")
        .column("result_sha256", "of the raw value without what `ignore` matches", |r| {
            r.result(|c| c.result_sha256.as_str().into())
        })
        .column(
            "arguments_sha256",
            "of the tool and its canonical arguments, bound and carried values by name",
            |r| r.call().arguments_sha256.as_str().into(),
        )
        .column("exposed", "`true`, `false`, `unknown`; empty without a same-code side", |r| {
            r.exposed.map(|e| e.as_str()).into()
        })
        .column("past_need", "made after the need was met; in no metric", |r| r.call().past_need.into())
        .column(
            "unknown_arguments",
            "arguments that the side's schema does not know, joined with a space",
            |r| Some(r.call().unknown_arguments.join(" ")).filter(|text| !text.is_empty()).into(),
        )
}

/// A row of timings.csv: a call, or the whole attempt.
pub struct TimingRow {
    row: CallRow,
    is_attempt: bool,
}

impl TimingRow {
    fn clock(&self) -> (f64, f64) {
        if self.is_attempt {
            return (self.row.attempt.started_ms, self.row.attempt.duration_ms);
        }
        (self.row.call().started_ms, self.row.call().duration_ms)
    }
}

/// The columns of timings.csv, the only table that holds clock values.
pub fn timings_table() -> TableSpec<TimingRow> {
    let about = "Clock values: one row an attempt (without a call), then one a call. Not reproducible.";
    TableSpec::<TimingRow>::new("timings.csv", about)
        .column("split", "`dev` or `test`", |r| r.row.split.as_str().into())
        .column("case_id", "the case", |r| r.row.attempt.case_id.as_str().into())
        .column("side", "as in calls.csv", |r| r.row.attempt.side.to_string().into())
        .column("attempt", "from 1 on each side", |r| r.row.attempt.attempt.into())
        .column("call_index", "as in calls.csv; empty for the attempt as a whole", |r| {
            (!r.is_attempt).then_some(r.row.index).into()
        })
        .column("started_ms", "milliseconds since the run's start", |r| r.clock().0.into())
        .unit("ms")
        .column("duration_ms", "milliseconds", |r| r.clock().1.into())
        .unit("ms")
}

/// The calls of a journal in the order of the tables; one case in memory at a time.
///
/// # Errors
/// When a journal file cannot be opened; rows carry the errors of reading on.
pub fn call_rows<'j>(
    journal: &'j Journal,
    splits: &'j [Split],
) -> io::Result<impl Iterator<Item = io::Result<CallRow>> + 'j> {
    Ok(attempts(journal, splits)?.flat_map(|attempt| match attempt {
        Err(error) => vec![Err(error)],
        Ok((split, attempt, labels)) => labels
            .into_iter()
            .enumerate()
            .map(|(index, exposed)| Ok(CallRow { split, attempt: attempt.clone(), index, exposed }))
            .collect(),
    }))
}

/// The attempts and calls of a journal for timings.csv.
///
/// # Errors
/// As [`call_rows`].
pub fn timing_rows<'j>(
    journal: &'j Journal,
    splits: &'j [Split],
) -> io::Result<impl Iterator<Item = io::Result<TimingRow>> + 'j> {
    Ok(attempts(journal, splits)?.flat_map(|attempt| match attempt {
        Err(error) => vec![Err(error)],
        Ok((split, attempt, labels)) => {
            let row = |index, exposed| CallRow { split, attempt: attempt.clone(), index, exposed };
            let mut rows = vec![Ok(TimingRow { row: row(0, None), is_attempt: true })];
            let calls = labels.into_iter().enumerate();
            rows.extend(calls.map(|(i, label)| Ok(TimingRow { row: row(i, label), is_attempt: false })));
            rows
        }
    }))
}

type Labelled = (Split, Rc<AttemptRecord>, Vec<Option<Exposure>>);

fn attempts<'j>(
    journal: &'j Journal,
    splits: &'j [Split],
) -> io::Result<impl Iterator<Item = io::Result<Labelled>> + 'j> {
    let mut reader = journal.reader().map_err(io::Error::other)?;
    let mut waiting = VecDeque::new();
    let mut cases = splits.iter().enumerate();
    Ok(std::iter::from_fn(move || {
        while waiting.is_empty() {
            let (place, split) = cases.next()?;
            match reader.case(place) {
                Err(error) => waiting.push_back(Err(io::Error::other(error))),
                Ok(records) => {
                    let labels = exposure::of_calls(&records);
                    let labelled = records.into_iter().map(Rc::new).zip(labels);
                    waiting.extend(labelled.map(|(record, labels)| Ok((*split, record, labels))));
                }
            }
        }
        waiting.pop_front()
    }))
}
