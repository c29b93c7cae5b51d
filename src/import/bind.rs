//! Arguments that an earlier result gave the agent: bound, so that a replay sends what each side returns. When in
//! doubt an argument is not bound: a false binding sends another value and says nothing.

use super::chains::Chain;
use super::model::{EventKind, Session};
use super::redact::has_secret;
use super::shown::Shown;
use super::tools::is_position;
use crate::agent::{each_leaf, is_rfc3339, is_same, is_size_name, plain_name};
use crate::case::escaped_name;
use crate::client::Page;
use crate::text::Pointer;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Characters of the shortest value that is bound whatever its name.
pub const BOUND_CHARS: usize = 8;
/// Results in which a bound value may stand.
pub const MOST_RESULTS: usize = 5;
/// Numbers below are counts and choices.
pub const LEAST_NUMBER: u64 = 1_000;

/// One argument that is bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// The step whose first call has the argument, and the one whose result gave it.
    pub step: usize,
    pub from_step: usize,
    /// Where the argument stands in the arguments, and the value in the result.
    pub argument: String,
    pub pointer: String,
    pub value: Value,
    /// The name under which the value is saved.
    pub name: String,
}

/// An argument that looks like one to bind, and is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Unbound {
    pub step: usize,
    pub argument: String,
    pub value: Value,
    pub why: &'static str,
}

/// What an argument's value is known from.
#[derive(Debug, Default)]
struct Known {
    /// Results that hold it as a whole leaf, in order.
    results: Vec<usize>,
    /// The first event at which the user or the agent had it.
    first_said: Option<usize>,
    in_prompt: bool,
}

struct Argument<'s> {
    step: usize,
    pointer: String,
    name: String,
    value: &'s Value,
}

/// The bindings of the steps of one case, and what was not bound.
pub fn bindings(chains: &[Chain], session: &Session) -> (Vec<Binding>, Vec<Unbound>) {
    let arguments: Vec<Argument<'_>> =
        chains.iter().enumerate().flat_map(|(step, chain)| arguments(step, chain, session)).collect();
    let known = known(&arguments, session);
    let (mut bound, mut unbound) = (Vec::new(), Vec::new());
    let mut names: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for argument in &arguments {
        let Some(known) = known.get(&text_of(argument.value)).filter(|known| !known.results.is_empty())
        else {
            continue;
        };
        let called = chains[argument.step].first_event();
        let result = known.results[0];
        let is_shown = result < called;
        if !is_shown {
            continue;
        }
        match source(argument, known, chains, session) {
            Ok((from_step, pointer)) => {
                let name = name_for(argument, from_step, &pointer, &mut names);
                let (step, value) = (argument.step, argument.value.clone());
                bound.push(Binding {
                    step,
                    from_step,
                    argument: argument.pointer.clone(),
                    pointer,
                    value,
                    name,
                });
            }
            Err(why) => {
                let (step, value) = (argument.step, argument.value.clone());
                unbound.push(Unbound { step, argument: argument.pointer.clone(), value, why });
            }
        }
    }
    (bound, unbound)
}

/// The arguments of a step's first call that could be bound at all.
fn arguments<'s>(step: usize, chain: &Chain, session: &'s Session) -> Vec<Argument<'s>> {
    let EventKind::Call(call) = &session.events[chain.first_event()].kind else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in &call.arguments {
        let is_read_size = is_size_name(name) || chain.tool.is_size(name);
        if is_position(name, value) || is_read_size {
            continue;
        }
        let top = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        each_leaf(value, &mut |leaf| {
            let key = leaf.pointer.rsplit('/').find(|key| !is_index(key)).filter(|key| !key.is_empty());
            let default = chain.tool.schema.default_of(name);
            if is_candidate(leaf.value) && default != Some(leaf.value) {
                found.push(Argument {
                    step,
                    pointer: format!("{top}{}", leaf.pointer),
                    name: key.unwrap_or(name).to_owned(),
                    value: leaf.value,
                });
            }
        });
    }
    found
}

/// A text with a digit and without a space that is no date, or a whole number that is no count.
fn is_candidate(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.bytes().any(|b| b.is_ascii_digit()) && !text.contains(char::is_whitespace) && !is_date(text)
        }
        Value::Number(number) => number.as_u64().is_some_and(|number| number >= LEAST_NUMBER),
        _ => false,
    }
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_day = bytes.len() >= 10
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5..7].iter().all(u8::is_ascii_digit)
        && bytes[7] == b'-'
        && bytes[8..10].iter().all(u8::is_ascii_digit)
        && !bytes.get(10).is_some_and(|b| b.is_ascii_alphanumeric() && *b != b'T');
    is_rfc3339(text)
        || is_day
        || text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u64>().is_ok_and(|n| n < LEAST_NUMBER)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// One walk over the conversation for all values at once.
fn known(arguments: &[Argument<'_>], session: &Session) -> HashMap<String, Known> {
    let mut known: HashMap<String, Known> =
        arguments.iter().map(|argument| (text_of(argument.value), Known::default())).collect();
    if known.is_empty() {
        return known;
    }
    for (index, event) in session.events.iter().enumerate() {
        match &event.kind {
            EventKind::Prompt(text) | EventKind::Shown(text) => note_said(&mut known, text, index, true),
            EventKind::Say(text) | EventKind::Think(text) | EventKind::Compaction(text) => {
                note_said(&mut known, text, index, false);
            }
            EventKind::Call(call) => {
                for text in super::offered::texts_in(&Value::Object(call.arguments.clone())) {
                    note_said(&mut known, &text, index, false);
                }
            }
            EventKind::Output(output) => {
                let documents =
                    output.blocks().filter_map(|block| block.document()).chain(&output.structured);
                for document in documents {
                    each_leaf(document, &mut |leaf| {
                        if let Some(known) = known.get_mut(&text_of(leaf.value))
                            && known.results.last() != Some(&index)
                        {
                            known.results.push(index);
                        }
                    });
                }
            }
            EventKind::About(_) | EventKind::Tokens(_) => {}
        }
    }
    known
}

fn note_said(known: &mut HashMap<String, Known>, text: &str, event: usize, in_prompt: bool) {
    for (value, known) in known.iter_mut() {
        if (known.first_said.is_none() || in_prompt) && text.contains(value.as_str()) {
            known.first_said.get_or_insert(event);
            known.in_prompt |= in_prompt;
        }
    }
}

/// The step and the pointer that an argument is bound to, or why it is not.
fn source(
    argument: &Argument<'_>,
    known: &Known,
    chains: &[Chain],
    session: &Session,
) -> Result<(usize, String), &'static str> {
    if known.in_prompt {
        return Err("it stands in a prompt");
    }
    if known.first_said.is_some_and(|said| said < known.results[0]) {
        return Err("the agent had it before a result showed it");
    }
    if known.results.len() > MOST_RESULTS {
        return Err("too many results hold it");
    }
    let called = chains[argument.step].first_event();
    let first_visible = |chain: &Chain| {
        let call = chain.calls.iter().find(|call| matches!(call.shown, Shown::Page(_)))?;
        let output = call.output.filter(|output| *output < called && known.results.contains(output))?;
        Some((output, call.shown.clone()))
    };
    let mut sources: Vec<(usize, usize, Shown)> = chains[..argument.step]
        .iter()
        .enumerate()
        .filter_map(|(step, chain)| first_visible(chain).map(|(output, shown)| (output, step, shown)))
        .collect();
    sources.sort_by_key(|(output, _, _)| *output);
    if sources.is_empty() {
        return Err("no first page of an earlier step of this task shows it");
    }
    let is_short = argument.value.is_number() || text_of(argument.value).chars().count() < BOUND_CHARS;
    let needs_name = is_short && text_of(argument.value).chars().count() < BOUND_CHARS;
    for (_, step, shown) in sources.iter().rev() {
        let Some(page) = shown.page() else { continue };
        let places = places(&page, argument, needs_name, session, called);
        if let Some(pointer) = places {
            return Ok((*step, pointer));
        }
    }
    Err(if needs_name { "it is short, and the names differ" } else { "the result holds it in another form" })
}

/// The best place of a value on a page: outside lists, else beside a value that was known, else the first.
fn places(
    page: &Page<'_>,
    argument: &Argument<'_>,
    needs_name: bool,
    session: &Session,
    called: usize,
) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for document in page.documents() {
        each_leaf(document, &mut |leaf| {
            if leaf.value == argument.value && (!needs_name || names_agree(&argument.name, leaf.pointer)) {
                found.push(leaf.pointer.to_owned());
            }
        });
    }
    // A pointer takes the first document that has it: it must lead to this value.
    // Keys may be data: a pointer that names a person is not kept.
    found.retain(|pointer| {
        !has_secret(pointer)
            && Pointer::new(pointer).is_ok_and(|pointer| page.value_at(&pointer) == Some(argument.value))
    });
    let in_list = |pointer: &String| pointer.split('/').any(is_index);
    found
        .iter()
        .find(|pointer| !in_list(pointer))
        .or_else(|| found.iter().find(|pointer| is_beside_known(page, pointer, session, called)))
        .or_else(|| found.first())
        .cloned()
}

fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a text beside the value stands in a prompt before the call.
fn is_beside_known(page: &Page<'_>, pointer: &str, session: &Session, called: usize) -> bool {
    let Some(parent) = pointer.rsplit_once('/').and_then(|(parent, _)| Pointer::new(parent).ok()) else {
        return false;
    };
    let Some(Value::Object(siblings)) = page.value_at(&parent) else { return false };
    let prompts = || {
        session.events[..called].iter().filter_map(|event| match &event.kind {
            EventKind::Prompt(text) => Some(text.as_str()),
            _ => None,
        })
    };
    siblings
        .values()
        .filter_map(Value::as_str)
        .filter(|text| text.chars().count() >= 4)
        .any(|text| prompts().any(|prompt| prompt.to_lowercase().contains(&text.to_lowercase())))
}

/// Whether an argument is named as a leaf: by its key, or by the thing it is in and its key (`documentId` and
/// `/documents/0/id`).
fn names_agree(argument: &str, pointer: &str) -> bool {
    let wanted = plain_name(argument);
    let mut keys = pointer.rsplit('/').filter(|key| !is_index(key)).map(plain_name);
    let key = keys.next().unwrap_or_default();
    if wanted == key {
        return true;
    }
    let Some(thing) = keys.next().filter(|thing| !thing.is_empty()) else { return false };
    let singular = thing.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let singular = singular.or_else(|| thing.strip_suffix('s').map(str::to_owned)).unwrap_or(thing.clone());
    [thing, singular].iter().any(|thing| wanted == format!("{thing}{key}"))
}

/// A name for what is saved, the same for the same place.
fn name_for(
    argument: &Argument<'_>,
    from_step: usize,
    pointer: &str,
    names: &mut BTreeMap<String, (usize, String)>,
) -> String {
    let place = (from_step, pointer.to_owned());
    let numbered =
        (1..).map(|n: u32| if n == 1 { argument.name.clone() } else { format!("{}_{n}", argument.name) });
    let mut free = numbered.filter(|name| names.get(name).is_none_or(|taken| *taken == place));
    let name = free.next().unwrap_or_default();
    names.insert(name.clone(), place);
    name
}

/// Puts a binding in place of an argument, in arguments as a case holds them.
pub fn put(arguments: &mut Value, binding: &Binding) {
    let pointer = binding.argument.split('/').map(escaped_name).collect::<Vec<_>>().join("/");
    if let Some(place) = arguments.pointer_mut(&pointer)
        && (is_same(Some(place), &binding.value) || place.is_string())
    {
        *place = serde_json::json!({ "$from": binding.name, "recorded": place.take() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_ids_are_candidates() {
        for (value, wanted) in [
            (json!("6f1d2c3b-0a9e-4b7c-8d5f-1e2a3b4c5d6e"), true),
            (json!("QX-17"), true),
            (json!(1000), true),
            (json!("doc-a"), false),
            (json!("done"), false),
            (json!(3), false),
            (json!("12"), false),
            (json!(999), false),
            (json!(true), false),
            (json!(1234.5), false),
            (json!("2026-11-30"), false),
            (json!("2026-11-30T21:00:00Z"), false),
            (json!("page 17"), false),
            (json!(null), false),
        ] {
            assert_eq!(is_candidate(&value), wanted, "{value}");
        }
    }

    #[test]
    fn names_agree_by_key_or_by_thing_and_key() {
        for (argument, pointer, wanted) in [
            ("id", "/tickets/0/id", true),
            ("documentId", "/documents/0/id", true),
            ("document_id", "/document/id", true),
            ("categoryId", "/categories/3/id", true),
            ("documentId", "/results/0/id", false),
            ("number", "/id", false),
        ] {
            assert_eq!(names_agree(argument, pointer), wanted, "{argument} {pointer}");
        }
    }
}
