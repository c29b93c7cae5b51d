//! The census as JSON: numbers unrounded, what is not known null.

use super::census::Census;
use super::row::Row;
use super::tables::share;
use crate::words::Layer;
use serde_json::{Map, Value, json};

/// The `format_version` of what [`render`] gives.
const VERSION: u32 = 1;

/// The census; ends with a line feed.
pub fn render(census: &Census) -> String {
    let tools: Vec<Value> = census
        .rows
        .iter()
        .map(|((server, tool), row)| {
            let mut object = of_row(row);
            object.insert("kind".to_owned(), json!(row.kind));
            let mut named =
                Map::from_iter([("server".to_owned(), json!(server)), ("tool".to_owned(), json!(tool))]);
            named.extend(object);
            Value::Object(named)
        })
        .collect();
    let files: Map<String, Value> =
        census.files.iter().map(|(format, count)| (format.as_str().to_owned(), json!(count))).collect();
    let value = json!({
        "format_version": VERSION,
        "files": files,
        "sessions": census.sessions,
        "repeated_calls": census.repeated_calls,
        "clients": census.profiles,
        "total": of_row(&census.total()),
        "tools": tools,
        "warnings": census.problems.lines(),
    });
    format!("{value:#}\n")
}

fn of_row(row: &Row) -> Map<String, Value> {
    let [p50, p90, p99] = row.sizes.percentiles();
    let over: Map<String, Value> =
        Layer::ALL.iter().map(|layer| (layer.as_str().to_owned(), json!(row.over(*layer)))).collect();
    let notices: Map<String, Value> =
        row.notices.iter().map(|(wording, count)| (wording.as_str().to_owned(), json!(count))).collect();
    let value = json!({
        "calls": row.calls,
        "results": row.results,
        "errors": row.errors,
        "denied": row.denied,
        "oversized": row.oversized,
        "oversized_share": share(row.oversized, row.calls),
        "oversized_by_estimate": row.oversized_by_estimate,
        "over": over,
        "notices": notices,
        "continuation_reads": row.continuation_reads(),
        "continuation_reads_offered": row.continuations_offered,
        "continuation_reads_computed": row.continuations_computed,
        "spill_reads": row.spill_reads,
        "shrunk_retries": row.shrunk_retries,
        "repeated_reads": row.repeated_reads(),
        "stuck_reads": row.stuck_reads(),
        "largest_shown": row.largest_shown,
        "smallest_refused": row.smallest_refused,
        "smallest_refused_tokens": row.smallest_refused_tokens,
        "size_p50": p50,
        "size_p90": p90,
        "size_p99": p99,
    });
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
