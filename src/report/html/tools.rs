//! How the lists of tools differ.

use super::page::shown;
use crate::metric::tools_list::ChangedTool;
use crate::report::Report;
use crate::report::phrase::grouped;
use maud::{Markup, html};

/// A token of a tool list is taken for four bytes.
const TOKEN_BYTES: u64 = 4;

pub fn section(report: &Report) -> String {
    let Some(list) = &report.tools_list else { return String::new() };
    let size = |bytes: u64| {
        format!(
            "{} bytes, about {} tokens",
            grouped(bytes as f64, 0),
            grouped(bytes.div_ceil(TOKEN_BYTES) as f64, 0)
        )
    };
    html! {
        h2 id="tools" { "tools/list" }
        @if list.identical { p { "Byte-identical: " (size(list.baseline_bytes)) " (estimated)." } }
        @else {
            p { (size(list.baseline_bytes)) " on the baseline, " (size(list.candidate_bytes)) " on the candidate (estimated). "
                @if list.only_order { "The same tools stand in both: only their order or spelling changed." }
                @else if list.compatible { "Nothing was removed, and no argument became required." }
                @else { strong { "Calls that worked may no longer work." } } }
            ul {
                @for (word, names) in [("added", &list.added), ("removed", &list.removed)] {
                    @for name in names { li { (word) " " code { (shown(name)) } } }
                }
                @for tool in &list.changed { li { "changed " code { (shown(&tool.name)) } (changes(tool)) } }
            }
        }
    }
    .into_string()
}

fn changes(tool: &ChangedTool) -> Markup {
    let lists = [
        ("arguments added", &tool.arguments_added),
        ("arguments removed", &tool.arguments_removed),
        ("now required", &tool.required_added),
        ("no longer required", &tool.required_removed),
    ];
    html! {
        ul {
            @if let ([old], [new]) = (tool.arguments_removed.as_slice(), tool.arguments_added.as_slice()) {
                li { "perhaps renamed: " code { (shown(old)) } " to " code { (shown(new)) } }
            }
            @if tool.description_changed { li { "another description" } }
            @for (word, names) in lists { @if !names.is_empty() {
                li { (word) ": " @for name in names { code { (shown(name)) } " " } }
            } }
        }
    }
}
