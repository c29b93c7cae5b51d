//! The views of a chain: what each of its reads showed, and which used features stand where in it.

use super::chains::Chain;
use super::features::{Feature, FeatureKind, each_feature};
use super::model::{EventKind, Session};
use super::redact::secrets;
use super::shown::Shown;
use super::sightings::Sightings;
use super::without_numbers::without_numbers;
use crate::agent::{ChainText, chain_texts};
use crate::client::{Block, Page};
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::HashMap;

/// Characters of the page before that a page's text is joined to, for what straddles the two.
pub const JOIN_CHARS: usize = 240;
/// Words of the longest passage that is kept.
pub const PASSAGE_WORDS: usize = 12;

/// What one read of a chain showed.
#[derive(Debug)]
pub struct View {
    /// The place of the result among the events.
    pub event: usize,
    /// Which call of the chain.
    pub call: usize,
    pub blocks: Vec<Block>,
}

impl View {
    pub fn page(&self) -> Page<'_> {
        Page::new(&self.blocks, "\n")
    }
}

/// A used feature in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub kind: FeatureKind,
    pub hash: u64,
    /// Orders the passages of a view: which of its texts, and where in it; below 0 where it begins on the page
    /// before.
    pub place: (usize, isize),
    /// As the view has it; a number without separators of thousands.
    pub text: String,
}

/// The views of a chain in order: results that were shown, and what was read of saved ones.
pub fn views(chain: &Chain, session: &Session) -> Vec<View> {
    let mut views = Vec::new();
    for (index, call) in chain.calls.iter().enumerate() {
        if let (Shown::Page(blocks), Some(event)) = (&call.shown, call.output) {
            views.push(View { event, call: index, blocks: blocks.clone() });
        }
        for spill in &call.spill_reads {
            if let Some((event, text)) = output_of(*spill, session) {
                let blocks = vec![Block::of_text(unescaped(&without_numbers(&text)).into_owned())];
                views.push(View { event, call: index, blocks });
            }
        }
    }
    views
}

fn output_of(call_event: usize, session: &Session) -> Option<(usize, String)> {
    let EventKind::Call(call) = &session.events[call_event].kind else { return None };
    session.events.iter().enumerate().skip(call_event).find_map(|(index, event)| match &event.kind {
        EventKind::Output(output) if output.call_id == call.id && !output.is_error => {
            Some((index, output.text()))
        }
        _ => None,
    })
}

/// What was read of a saved file may be part of a JSON text, in which line breaks and quotes are escaped.
fn unescaped(text: &str) -> Cow<'_, str> {
    let is_whole =
        text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_whole || !text.contains('\\') {
        return text.into();
    }
    let plain = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\/", "/");
    plain.into()
}

/// The texts of a chain's views as needs look at them.
pub fn texts_of(chain: &Chain, views: &[View]) -> Vec<Vec<ChainText>> {
    let pages: Vec<Page<'_>> = views.iter().map(View::page).collect();
    chain_texts(&chain.tool, None, &pages)
}

/// For each view, the used features that it shows. What straddles two pages belongs to the later one.
pub fn passages(texts: &[Vec<ChainText>], sightings: &Sightings) -> Vec<Vec<Passage>> {
    let mut tails: HashMap<(usize, Option<&str>), &str> = HashMap::new();
    let mut pages = Vec::with_capacity(texts.len());
    for page in texts {
        let mut found: HashMap<(u64, FeatureKind), Passage> = HashMap::new();
        for (index, text) in page.iter().enumerate() {
            collect(&text.text, index, 0, sightings, &mut found);
            if text.stands_alone {
                continue;
            }
            let key = (text.document, text.pointer.as_deref());
            if let Some(tail) = tails.insert(key, &text.text).map(|before| tail_of(before, JOIN_CHARS)) {
                let head = head_of(&text.text, JOIN_CHARS);
                for join in ["", " "] {
                    let before = format!("{}{join}", tail.trim_end());
                    let joined = format!("{before}{}", head.trim_start());
                    collect(&joined, index, before.len(), sightings, &mut found);
                }
            }
        }
        let mut found: Vec<Passage> = found.into_values().collect();
        found.sort_by_key(|passage| (passage.place, passage.hash));
        pages.push(found);
    }
    pages
}

/// Collects the used features of a text, each where it stands first. `joint`: where the page begins, when the text carries the end of the page before; what ends before it is that page's.
fn collect(
    text: &str,
    index: usize,
    joint: usize,
    sightings: &Sightings,
    found: &mut HashMap<(u64, FeatureKind), Passage>,
) {
    let mut secret: Option<Vec<std::ops::Range<usize>>> = None;
    each_feature(text, true, &mut |Feature { kind, hash, range }| {
        if !sightings.is_used(hash) || range.end <= joint || (joint > 0 && range.start >= joint) {
            return;
        }
        let secret =
            secret.get_or_insert_with(|| secrets(text).into_iter().map(|(range, _)| range).collect());
        if secret.iter().any(|secret| secret.start < range.end && range.start < secret.end) {
            return;
        }
        let place = (index, range.start as isize - joint as isize);
        let passage = Passage { kind, hash, place, text: kept_text(&text[range], kind) };
        found.entry((hash, kind)).or_insert(passage);
    });
}

fn kept_text(text: &str, kind: FeatureKind) -> String {
    match kind {
        FeatureKind::Number => crate::agent::comparable(text),
        _ => text.split_whitespace().take(PASSAGE_WORDS).collect::<Vec<_>>().join(" "),
    }
}

fn tail_of(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[start..]
}

fn head_of(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}
