//! The census as a person sees it.

use super::census::Census;
use super::row::Row;
use crate::report::{counted, grouped};
use crate::words::Layer;

/// The text; the first line says how many results were too large, the last what to do next.
pub fn terminal(census: &Census, named: &str) -> String {
    let total = census.total();
    let mut lines = vec![oversized(&total)];
    let files: u64 = census.files.values().sum();
    let formats: Vec<&str> = census.files.keys().map(|format| format.as_str()).collect();
    let mut about = format!(
        "{} of {}, {}; measured as {} does",
        counted(files, "file", "files"),
        formats.join(", "),
        counted(census.sessions, "session with calls", "sessions with calls"),
        census.profiles.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    );
    if census.repeated_calls > 0 {
        let repeated = counted(census.repeated_calls, "repeated call", "repeated calls");
        about.push_str(&format!("; {repeated} of resumed sessions left out"));
    }
    lines.push(about);
    lines.push(String::new());
    lines.extend(table(census, &total));
    lines.push(String::new());
    lines.extend(details(census, &total));
    let server =
        busiest(census).map(|server| format!(" --server {}", shell_words::quote(server))).unwrap_or_default();
    lines.push(format!("next: mcp-regress import {named}{server}"));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// `137 of 308 calls (44 %) oversized; largest shown 48,608, smallest refused 54,205`.
fn oversized(row: &Row) -> String {
    let mut text = format!("{} of {}", figure(row.oversized), counted(row.calls, "call", "calls"));
    if row.calls > 0 {
        text.push_str(&format!(" ({:.0} %)", 100.0 * row.oversized as f64 / row.calls as f64));
    }
    text.push_str(" oversized");
    let mut sizes: Vec<String> = Vec::new();
    sizes.extend(row.largest_shown.map(|size| format!("largest shown {}", figure(size))));
    match (row.smallest_refused, row.smallest_refused_tokens) {
        (Some(size), _) => sizes.push(format!("smallest refused {}", figure(size))),
        (None, Some(tokens)) => sizes.push(format!("smallest refused {} tokens", figure(tokens))),
        (None, None) => {}
    }
    if sizes.is_empty() { text } else { format!("{text}; {}", sizes.join(", ")) }
}

fn figure(number: u64) -> String {
    grouped(number as f64, 0)
}

const COLUMNS: [&str; 12] = [
    "tool",
    "calls",
    "oversized",
    "read on",
    "spill reads",
    "shrunk",
    "repeated",
    "stuck",
    "shown to",
    "refused from",
    "median",
    "p99",
];

fn table(census: &Census, total: &Row) -> Vec<String> {
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(census.rows.iter().map(|((server, tool), row)| cells(format!("{server}/{tool}"), row)));
    if census.rows.len() > 1 {
        rows.push(cells("all".to_owned(), total));
    }
    let widths: Vec<usize> = (0..COLUMNS.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &[String; 12]| {
        let mut cells = row.iter().zip(&widths);
        let first = cells.next().map(|(name, width)| format!("{name:<width$}")).unwrap_or_default();
        cells.fold(first, |line, (cell, width)| format!("{line}  {cell:>width$}"))
    };
    rows.iter().map(line).collect()
}

fn cells(name: String, row: &Row) -> [String; 12] {
    let size = |size: Option<u64>| size.map_or_else(String::new, figure);
    let [median, _, p99] = row.sizes.percentiles();
    [
        name,
        figure(row.calls),
        figure(row.oversized),
        figure(row.continuation_reads()),
        figure(row.spill_reads),
        figure(row.shrunk_retries),
        figure(row.repeated_reads()),
        figure(row.stuck_reads()),
        size(row.largest_shown),
        size(row.smallest_refused),
        size(median),
        size(p99),
    ]
}

/// What the table has no room for.
fn details(census: &Census, total: &Row) -> Vec<String> {
    let mut lines = Vec::new();
    if total.continuation_reads() > 0 {
        lines.push(format!(
            "continuation reads: {} offered by an earlier result, {} computed",
            figure(total.continuations_offered),
            figure(total.continuations_computed)
        ));
    }
    let over: Vec<String> = Layer::ALL
        .iter()
        .filter(|layer| total.over(**layer) > 0)
        .map(|layer| format!("{} over {layer}", figure(total.over(*layer))))
        .collect();
    if !over.is_empty() {
        lines.push(format!("limits of the client: {}", over.join(", ")));
    }
    let notices: Vec<String> =
        total.notices.iter().map(|(wording, count)| format!("{wording} {}", figure(*count))).collect();
    if !notices.is_empty() {
        lines.push(format!("notices: {}", notices.join(", ")));
    }
    if census.has_wire && total.oversized > 0 {
        let estimated = total.oversized_by_estimate;
        let by_estimate = if estimated > 0 {
            format!(", {} of them by an estimate of tokens", figure(estimated))
        } else {
            String::new()
        };
        lines.push(format!("on the wire, oversized is what the client profile says{by_estimate}"));
    }
    if total.errors > 0 {
        lines.push(format!("errors: {}", figure(total.errors)));
    }
    if total.denied > 0 {
        lines.push(format!("not let through, and not counted: {}", counted(total.denied, "call", "calls")));
    }
    let missing = total.calls.saturating_sub(total.results);
    if missing > 0 {
        lines.push(format!("without a result: {}", counted(missing, "call", "calls")));
    }
    lines
}

/// The server with most calls, when there is a choice.
fn busiest(census: &Census) -> Option<&str> {
    let mut calls: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for ((server, _), row) in &census.rows {
        *calls.entry(server).or_default() += row.calls;
    }
    if calls.len() < 2 {
        return None;
    }
    calls.into_iter().max_by_key(|(name, calls)| (*calls, std::cmp::Reverse(*name))).map(|(name, _)| name)
}
