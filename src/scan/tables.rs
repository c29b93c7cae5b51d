//! The tables of a census.

use super::census::Census;
use super::notice::Wording;
use super::row::Row;
use crate::import::ToolKey;
use crate::report::cell::TableSpec;
use crate::words::Layer;
use std::io;

/// A row of tools.csv.
pub type ToolRow<'c> = (&'c ToolKey, &'c Row);
/// A row of notices.csv.
pub type NoticeRow<'c> = (&'c ToolKey, Wording, u64);

/// The columns of tools.csv.
pub fn tools_table<'c>() -> TableSpec<ToolRow<'c>> {
    let about = "One row a server and tool, in their order. Sizes are characters (UTF-16 units) of what the client forwards.";
    let table = TableSpec::<ToolRow<'c>>::new("tools.csv", about)
        .column("server", "the MCP server", |(key, _)| key.0.as_str().into())
        .column("tool", "the tool", |(key, _)| key.1.as_str().into())
        .column("kind", "`read`, `search`, `write`, `other`: by its name and use", |(_, row)| {
            row.kind.map(|kind| kind.as_str()).into()
        })
        .column("calls", "calls, each once however many files repeat it", |(_, row)| row.calls.into())
        .unit("calls")
        .column("results", "results that came; the other calls have none", |(_, row)| row.results.into())
        .unit("results")
        .column("errors", "results that are errors, notices apart", |(_, row)| row.errors.into())
        .unit("results")
        .column("oversized", "results that the client did not show whole", |(_, row)| row.oversized.into())
        .unit("results")
        .column("oversized_share", "oversized / calls", |(_, row)| share(row.oversized, row.calls).into())
        .unit("share")
        .column(
            "oversized_by_estimate",
            "of the oversized ones those that only an estimate of tokens tells of",
            |(_, row)| row.oversized_by_estimate.into(),
        )
        .unit("results");
    let table = Layer::ALL.iter().fold(table, |table, layer| {
        let about = format!("results over the limit of {layer} of the client profile");
        table.column(format!("over_{layer}"), about, |(_, row)| row.over(*layer).into()).unit("results")
    });
    table
        .column("continuation_reads", "reads that carry an earlier one on", |(_, row)| {
            row.continuation_reads().into()
        })
        .unit("calls")
        .column("continuation_reads_offered", "of these: an earlier result held the position", |(_, row)| {
            row.continuations_offered.into()
        })
        .unit("calls")
        .column(
            "continuation_reads_computed",
            "of these: the position is where the last one ended",
            |(_, row)| row.continuations_computed.into(),
        )
        .unit("calls")
        .column("spill_reads", "reads of the files into which results were saved", |(_, row)| {
            row.spill_reads.into()
        })
        .unit("calls")
        .column("shrunk_retries", "reads sent again with a smaller size argument", |(_, row)| {
            row.shrunk_retries.into()
        })
        .unit("calls")
        .column("repeated_reads", "reads with the arguments of an earlier one of the task", |(_, row)| {
            row.repeated_reads().into()
        })
        .unit("calls")
        .column("stuck_reads", "repeated and continuation reads that brought the same again", |(_, row)| {
            row.stuck_reads().into()
        })
        .unit("calls")
        .column("largest_shown", "the largest result that was shown whole", |(_, row)| {
            row.largest_shown.into()
        })
        .unit("characters")
        .column("smallest_refused", "the smallest result that was not", |(_, row)| {
            row.smallest_refused.into()
        })
        .unit("characters")
        .column("smallest_refused_tokens", "the same where a notice tells tokens", |(_, row)| {
            row.smallest_refused_tokens.into()
        })
        .unit("tokens")
        .column("size_p50", "median size of results whose size is known", |(_, row)| {
            row.sizes.percentiles()[0].into()
        })
        .unit("characters")
        .column("size_p90", "90th percentile, nearest rank", |(_, row)| row.sizes.percentiles()[1].into())
        .unit("characters")
        .column("size_p99", "99th percentile, nearest rank", |(_, row)| row.sizes.percentiles()[2].into())
        .unit("characters")
        .column("denied", "calls that never reached the server; in no other column", |(_, row)| {
            row.denied.into()
        })
        .unit("calls")
}

/// The rows of tools.csv.
pub fn tools_rows(census: &Census) -> impl Iterator<Item = io::Result<ToolRow<'_>>> {
    census.rows.iter().map(Ok)
}

/// The columns of notices.csv.
pub fn notices_table<'c>() -> TableSpec<NoticeRow<'c>> {
    let about = "One row a server, tool and wording of the notices that stood in place of results.";
    TableSpec::<NoticeRow<'c>>::new("notices.csv", about)
        .column("server", "the MCP server", |(key, _, _)| key.0.as_str().into())
        .column("tool", "the tool", |(key, _, _)| key.1.as_str().into())
        .column("notice", "the wording, by a name", |(_, wording, _)| wording.as_str().into())
        .column("results", "results with it", |(_, _, count)| (*count).into())
        .unit("results")
}

/// The rows of notices.csv.
pub fn notices_rows(census: &Census) -> impl Iterator<Item = io::Result<NoticeRow<'_>>> {
    census
        .rows
        .iter()
        .flat_map(|(key, row)| row.notices.iter().map(move |(wording, count)| Ok((key, *wording, *count))))
}

pub(super) fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}
