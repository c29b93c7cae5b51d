//! Whether a view offered more: what a chain's end can be told from.

use super::chains::{Chain, arguments_of};
use super::model::Session;
use super::views::View;
use crate::agent::{as_number, each_leaf_outside_arrays, is_position_name, offer, plain_name};
use crate::client::{Page, utf16_len};
use crate::suite::ContinuationRule;
use serde_json::Value;

/// For every view of a chain, whether it offered more.
pub fn offers(chain: &Chain, views: &[View], session: &Session) -> Vec<bool> {
    let said: Vec<Option<bool>> = views.iter().map(|view| said(chain, view, session)).collect();
    let ever_offered = said.contains(&Some(true));
    let last = views.len().saturating_sub(1);
    let offered = said.iter().enumerate().map(|(index, said)| match said {
        // The agent went on: there was more.
        _ if index < last => true,
        Some(offers) => *offers,
        // Where earlier pages named their next one, a page that names none is the last.
        None if ever_offered => false,
        None => views.get(index).is_some_and(|view| gave_all_asked(chain, view, session)),
    });
    offered.collect()
}

/// The rule by which the first view offers more.
pub fn rule_of(chain: &Chain, views: &[View], session: &Session) -> Option<ContinuationRule> {
    views.iter().find_map(|view| {
        let arguments = arguments_of(session, chain.calls[view.call].event);
        Some(offer(&chain.tool, arguments, &view.page(), true)?.rule)
    })
}

/// What a view itself says: it offers a next page, or says that there is none.
fn said(chain: &Chain, view: &View, session: &Session) -> Option<bool> {
    let arguments = arguments_of(session, chain.calls[view.call].event);
    let page = view.page();
    if offer(&chain.tool, arguments, &page, true).is_some() {
        return Some(true);
    }
    says(&page)
}

/// What the flags and cursors of a page say, outside lists.
pub(super) fn says(page: &Page<'_>) -> Option<bool> {
    let mut answer = None;
    for document in page.documents() {
        each_leaf_outside_arrays(document, &mut |leaf| {
            let key = plain_name(leaf.pointer.rsplit('/').next().unwrap_or_default());
            let says = match (key.as_str(), leaf.value) {
                ("hasmore" | "hasnextpage" | "hasnext", Value::Bool(flag)) => Some(*flag),
                (key, Value::Null) if names_next(key) => Some(false),
                (key, Value::String(text)) if names_next(key) => Some(!text.is_empty()),
                _ => None,
            };
            answer = answer.or(says);
        });
    }
    answer
}

fn names_next(key: &str) -> bool {
    key.starts_with("next") || key.ends_with("cursor") || key.ends_with("pagetoken")
}

/// Where nothing says so: a read that gave as much as was asked for may have more, one that gave fewer has not.
/// A tool that takes no position gives all that there is.
fn gave_all_asked(chain: &Chain, view: &View, session: &Session) -> bool {
    let tool = &chain.tool;
    let arguments = arguments_of(session, chain.calls[view.call].event);
    let takes_position = tool.schema.names().any(is_position_name);
    let sizes = tool.schema.names().filter(|name| tool.is_size(name));
    let asked = sizes.filter_map(|name| {
        let sent = arguments.get(name).filter(|value| !value.is_null());
        Some((name, as_number(sent.or_else(|| tool.schema.default_of(name))?)?))
    });
    let Some((name, asked)) = asked.into_iter().next().filter(|_| takes_position) else { return false };
    given(name, &view.page()) as f64 >= asked
}

/// How much a page gave, in the unit that a size argument's name speaks of.
fn given(size: &str, page: &Page<'_>) -> u64 {
    let name = plain_name(size);
    if name.contains("chars") || name.contains("length") {
        return utf16_len(page.text());
    }
    let items = page.documents().filter_map(longest_array).max();
    items.unwrap_or_else(|| page.text().lines().count()) as u64
}

fn longest_array(document: &Value) -> Option<usize> {
    match document {
        Value::Array(items) => Some(items.len()),
        Value::Object(map) => map.values().filter_map(longest_array).max(),
        _ => None,
    }
}
