//! Results that were kept, folded under their calls.

use super::page::shown_lines;
use crate::client::ToolResult;
use crate::report::phrase::grouped;
use crate::trace::{Bodies, CallRecord};
use maud::{Markup, html};
use std::collections::HashSet;

/// Most characters of one result on a page; the file holds the rest.
const CHARS: usize = 4_000;

/// Most characters of results on a page for one case.
const CASE_CHARS: usize = 200_000;

/// Files above this are named and not opened.
const FILE_BYTES: u64 = 8 << 20;

/// The kept results of one case, each shown once.
pub struct Kept<'a> {
    bodies: &'a Bodies,
    exist: bool,
    shown: HashSet<String>,
    room: usize,
}

impl<'a> Kept<'a> {
    pub fn of_case(bodies: &'a Bodies) -> Self {
        Self { bodies, exist: bodies.exist(), shown: HashSet::new(), room: CASE_CHARS }
    }

    /// What the call's result says, folded; nothing where it was not kept.
    pub fn body(&mut self, call: &CallRecord) -> Option<Markup> {
        // A comparison of stored runs has none of its own; the section says so once.
        let sha256 = call.body_sha256.as_deref().filter(|_| self.exist)?;
        let place = match Bodies::place(sha256) {
            Some(place) => place.display().to_string(),
            None => return Some(html! { p class="soft" { "its kept result has no valid name" } }),
        };
        if self.shown.contains(sha256) {
            return Some(html! { p class="soft" { "the same kept result as above" } });
        }
        let body = match self.bodies.read(sha256, FILE_BYTES) {
            Ok(body) => body,
            Err(error) => return Some(html! { p class="mark" { "`" (place) "`: " (error) } }),
        };
        let whole = body.map(|body| text_of(&String::from_utf8_lossy(&body)));
        let Some(whole) = whole.filter(|_| self.room > 0) else {
            return Some(html! { p class="soft" { "kept in " code { (place) } } });
        };
        self.shown.insert(sha256.to_owned());
        let most = CHARS.min(self.room);
        let part: String = whole.chars().take(most).collect();
        let all = whole.chars().count();
        self.room -= part.chars().count();
        Some(html! {
            details class="body" {
                summary { "result" }
                pre { (shown_lines(&part)) }
                p class="soft" {
                    @if all > most { (grouped(most as f64, 0)) " of " (grouped(all as f64, 0)) " characters; " }
                    "whole in " code { (place) }
                }
            }
        })
    }
}

/// What a person would read of a result: its texts; its JSON where it has none.
fn text_of(raw: &str) -> String {
    let result = ToolResult::parse(raw);
    let texts: Vec<&str> =
        result.blocks.iter().map(|block| block.text()).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { raw.to_owned() } else { texts.join("\n") }
}
