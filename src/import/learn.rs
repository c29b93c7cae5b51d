//! Continuation rules told by what agents did: how the position of a continuation read came out of the read
//! before it.

use super::chains::{Chain, Made, arguments_of};
use super::model::Session;
use super::offered::speaks_of_place;
use super::redact::has_secret;
use super::stop::says;
use super::tools::{ToolKey, is_position};
use crate::agent::{as_number, each_leaf_outside_arrays, is_same, offer, plain_name};
use crate::client::{Page, Part};
use crate::suite::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy};
use crate::text::{Pattern, Pointer};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The share of a tool's continuation reads that a rule must give to be offered.
const LEAST_SHARE: f64 = 0.5;
/// Words before a value by which a sentence is told.
const WORDS_BEFORE: usize = 3;

/// How a rule was told: what is surer comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ground {
    /// A replay infers it by itself.
    Inferred,
    Leaf,
    Sentence,
    Sum,
}

#[derive(Debug, Clone)]
struct Candidate {
    rule: ContinuationRule,
    ground: Ground,
    given: u64,
}

/// The continuation reads of one argument of a tool.
#[derive(Debug, Default)]
struct Seen {
    reads: u64,
    candidates: BTreeMap<String, Candidate>,
}

/// What was seen of the results and continuation reads of all tools.
#[derive(Debug, Default)]
pub struct Lessons {
    continued: BTreeMap<ToolKey, BTreeMap<String, Seen>>,
    /// Tools of which a result said that there is more.
    pub offer_more: BTreeSet<ToolKey>,
}

/// What was learned of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    pub rules: Vec<ContinuationRule>,
    /// Continuation reads, and those of them that the rules give.
    pub reads: u64,
    pub given: u64,
    /// A replay infers as much without a declaration.
    pub is_inferred: bool,
}

impl Lessons {
    /// Takes in the chains of a conversation.
    pub fn take(&mut self, chains: &[Chain], session: &Session) {
        for chain in chains {
            let mut pages = chain.calls.iter().filter_map(|call| call.shown.page());
            if pages.any(|page| says(&page) == Some(true)) {
                self.offer_more.insert((chain.server.clone(), chain.tool.name.clone()));
            }
            for pair in chain.calls.windows(2) {
                if !matches!(pair[1].made, Made::Continuation(_)) {
                    continue;
                }
                let Some(page) = pair[0].shown.page() else { continue };
                let (before, after) =
                    (arguments_of(session, pair[0].event), arguments_of(session, pair[1].event));
                self.step(chain, &page, before, after);
            }
        }
    }

    fn step(
        &mut self,
        chain: &Chain,
        page: &Page<'_>,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
    ) {
        let moved = after
            .iter()
            .filter(|(name, value)| is_position(name, value) && !is_same(before.get(*name), value));
        for (name, value) in moved {
            let key = (chain.server.clone(), chain.tool.name.clone());
            let seen = self.continued.entry(key).or_default().entry(name.clone()).or_default();
            seen.reads += 1;
            for (ground, rule) in candidates(chain, page, before, name, value) {
                let key = format!("{ground:?} {rule:?}");
                let candidate = seen.candidates.entry(key).or_insert(Candidate { rule, ground, given: 0 });
                candidate.given += 1;
            }
        }
    }

    /// For each tool that was read on: the rules that give most of its continuation reads.
    pub fn learned(&self) -> BTreeMap<ToolKey, Learned> {
        let learned = self.continued.iter().map(|(key, arguments)| {
            let mut of_tool = Learned { rules: Vec::new(), reads: 0, given: 0, is_inferred: true };
            for seen in arguments.values() {
                of_tool.reads += seen.reads;
                let best = seen.candidates.values().max_by_key(|c| (c.given, std::cmp::Reverse(c.ground)));
                let Some(best) = best.filter(|best| best.given as f64 >= LEAST_SHARE * seen.reads as f64)
                else {
                    continue;
                };
                of_tool.given += best.given;
                of_tool.is_inferred &= best.ground == Ground::Inferred;
                // How many pages there are is known to inference, and to no rule.
                if best.ground != Ground::Inferred || has_end(&best.rule) {
                    of_tool.rules.push(best.rule.clone());
                }
            }
            (key.clone(), of_tool)
        });
        learned.collect()
    }
}

/// Whether a rule says itself where it ends.
fn has_end(rule: &ContinuationRule) -> bool {
    rule.guard.is_some() || !matches!(rule.next, Next::Advance { .. })
}

/// Every rule that makes `value` of a page and the arguments that it was asked for with.
fn candidates(
    chain: &Chain,
    page: &Page<'_>,
    before: &Map<String, Value>,
    name: &str,
    value: &Value,
) -> Vec<(Ground, ContinuationRule)> {
    let mut found = Vec::new();
    if let Some(offer) = offer(&chain.tool, before, page, true)
        && offer.rule.argument() == Some(name)
        && is_same(offer.arguments.get(name), value)
    {
        found.push((Ground::Inferred, as_declared(offer.rule, page)));
    }
    found.extend(leaves(page, name, value).into_iter().map(|rule| (Ground::Leaf, rule)));
    found.extend(sentences(page, name, value).into_iter().map(|rule| (Ground::Sentence, rule)));
    found.extend(sums(chain, page, before, name, value).into_iter().map(|rule| (Ground::Sum, rule)));
    found
}

/// An inferred rule with what inference looks at beside it: the flag that says whether there is more.
fn as_declared(rule: ContinuationRule, page: &Page<'_>) -> ContinuationRule {
    let is_pages = matches!(rule.next, Next::Advance { unit: AdvanceUnit::Pages, .. });
    let guard = if is_pages { more_flag(page) } else { rule.guard.or_else(|| more_flag(page)) };
    ContinuationRule { next: rule.next, guard }
}

/// The flag outside lists that says that there is more.
fn more_flag(page: &Page<'_>) -> Option<Selector> {
    let mut flag = None;
    for document in page.documents() {
        each_leaf_outside_arrays(document, &mut |leaf| {
            let key = plain_name(leaf.pointer.rsplit('/').next().unwrap_or_default());
            let is_flag = matches!(key.as_str(), "hasmore" | "hasnextpage" | "hasnext");
            if is_flag && leaf.value == &Value::Bool(true) && flag.is_none() {
                flag = Pointer::new(leaf.pointer).ok().map(Selector::Pointer);
            }
        });
    }
    flag
}

fn leaves(page: &Page<'_>, name: &str, value: &Value) -> Vec<ContinuationRule> {
    let mut places = Vec::new();
    for document in page.documents() {
        each_leaf_outside_arrays(document, &mut |leaf| {
            let is_it = is_same(Some(leaf.value), value) && speaks_of_place(leaf.pointer, name);
            if is_it && !has_secret(leaf.pointer) {
                places.push(leaf.pointer.to_owned());
            }
        });
    }
    let guard = more_flag(page);
    let rule = |place: &String| {
        let next = Next::From { argument: name.to_owned(), pointer: Pointer::new(place).ok()? };
        Some(ContinuationRule { next, guard: guard.clone() })
    };
    places.iter().filter_map(rule).collect()
}

/// Sentences that name the value: the words before it, numbers in them left open.
fn sentences(page: &Page<'_>, name: &str, value: &Value) -> Vec<ContinuationRule> {
    let wanted = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut found = Vec::new();
    for part in page.parts() {
        let Part::Text(text) = part else { continue };
        for line in text.lines().filter(|line| line.contains(&wanted)) {
            let Some(at) = line.find(&wanted) else { continue };
            let before = line[..at].trim_end();
            let words: Vec<&str> = before.split_whitespace().collect();
            let kept = &words[words.len().saturating_sub(WORDS_BEFORE)..];
            if has_secret(line[..at].trim_end())
                || !kept.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3)
            {
                continue;
            }
            let escaped: Vec<String> = kept.iter().map(|word| open_numbers(&regex::escape(word))).collect();
            let gap = if line[..at].ends_with(char::is_whitespace) { r"\s+" } else { "" };
            let capture = if value.is_number() { r"(\d+)" } else { r#"([^\s"'<>,;)\]]*[\w=/+-])"# };
            let Ok(pattern) = Pattern::new(&format!("{}{gap}{capture}", escaped.join(r"\s+"))) else {
                continue;
            };
            if pattern.capture(page.text()) == Some(&wanted) {
                found.push(ContinuationRule {
                    next: Next::Pattern { argument: name.to_owned(), pattern },
                    guard: None,
                });
            }
        }
    }
    found.truncate(2);
    found
}

fn open_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut in_number = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_number {
            out.push_str(r"\d+");
        }
        in_number = c.is_ascii_digit();
    }
    out
}

/// The value before, and what was asked for: the agent counts.
fn sums(
    chain: &Chain,
    page: &Page<'_>,
    before: &Map<String, Value>,
    name: &str,
    value: &Value,
) -> Vec<ContinuationRule> {
    let tool = &chain.tool;
    let counts_pages = plain_name(name) == "page";
    let sent = before.get(name).filter(|value| !value.is_null()).or_else(|| tool.schema.default_of(name));
    let start = sent.map_or(Some(if counts_pages { 1.0 } else { 0.0 }), as_number);
    let (Some(start), Some(value)) = (start, as_number(value)) else { return Vec::new() };
    let advance = |unit, by| {
        let next = Next::Advance { argument: name.to_owned(), unit, by, items: None };
        ContinuationRule { next, guard: None }
    };
    if counts_pages {
        return if value == start + 1.0 { vec![advance(AdvanceUnit::Pages, None)] } else { Vec::new() };
    }
    let sizes = tool.schema.names().filter(|size| tool.is_size(size));
    let given = sizes.filter_map(|size| {
        let asked =
            before.get(size).filter(|value| !value.is_null()).or_else(|| tool.schema.default_of(size));
        let is_sum = as_number(asked?)? == value - start;
        let unit = match plain_name(size) {
            name if name.contains("chars") || name.contains("length") => AdvanceUnit::Chars,
            _ if page.documents().next().is_some() => AdvanceUnit::Items,
            _ => AdvanceUnit::Lines,
        };
        is_sum.then(|| advance(unit, Some(StepBy::Argument(size.to_owned()))))
    });
    given.collect()
}
