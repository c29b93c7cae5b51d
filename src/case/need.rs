//! `need`: what must have been seen before a read step is over.

use super::fingerprints::fingerprints;
use super::{Coverage, Items, Need, Reach};
use crate::doc::{At, list_of};

const KEYS: [&str; 6] = ["contains", "coverage", "reach", "items", "end", "pages"];
/// Nothing above it can be met reliably once page borders have moved.
const MOST_COVERAGE: f64 = 0.95;

/// All parts that are there must hold; at least one is.
pub(super) fn need(at: &At<'_>) -> Option<Need> {
    let table = at.table(&KEYS)?;
    if table.is_empty() {
        at.problem(
            "a need without a part",
            Some(list_of(KEYS)),
            Some("leave `need` out to read one page".to_owned()),
        );
        return None;
    }
    Some(Need {
        contains: table.get("contains").and_then(|at| at.texts(1)).unwrap_or_default(),
        coverage: table.get("coverage").and_then(|at| coverage(&at)),
        reach: table.get("reach").and_then(|at| reach(&at)),
        items: table.get("items").and_then(|at| items(&at)),
        end: table.get("end").and_then(|at| at.only_true()).unwrap_or(false),
        pages: table.get("pages").and_then(|at| at.whole(1..=u64::MAX)),
    })
}

fn coverage(at: &At<'_>) -> Option<Coverage> {
    let table = at.table(&["fingerprints", "at_least"])?;
    let fingerprints = table.must("fingerprints", "`{\"v\": 1, \"data\": \"...\"}`").and_then(|at| {
        let values = fingerprints(&at)?;
        if values.is_empty() {
            at.problem("no fingerprint", Some("at least one".to_owned()), None);
            return None;
        }
        Some(values)
    });
    let allowed = "a share over 0 and at most 0.95";
    let at_least = table
        .must("at_least", allowed)
        .and_then(|at| at.number(allowed, |share| share > 0.0 && share <= MOST_COVERAGE));
    Some(Coverage { fingerprints: fingerprints?, at_least: at_least? })
}

fn reach(at: &At<'_>) -> Option<Reach> {
    let table = at.table(&["pointer", "at_least", "at_most"])?;
    let pointer = table.must("pointer", "a JSON Pointer to a number").and_then(|at| at.pointer());
    let limit = |key: &str| table.get(key).and_then(|at| at.number("a number", |_| true));
    let (at_least, at_most) = (limit("at_least"), limit("at_most"));
    if !table.has("at_least") && !table.has("at_most") {
        at.problem("a `reach` without a limit", Some("`at_least`, `at_most` or both".to_owned()), None);
        return None;
    }
    if let (Some(least), Some(most)) = (at_least, at_most)
        && least > most
    {
        at.problem(format!("`at_least` {least} over `at_most` {most}: nothing can hold"), None, None);
        return None;
    }
    Some(Reach { pointer: pointer?, at_least, at_most })
}

fn items(at: &At<'_>) -> Option<Items> {
    let table = at.table(&["pointer", "at_least"])?;
    let pointer = table.must("pointer", "a JSON Pointer to an array").and_then(|at| at.pointer());
    let at_least =
        table.must("at_least", "a whole number of at least 1").and_then(|at| at.whole(1..=u64::MAX));
    Some(Items { pointer: pointer?, at_least: at_least? })
}
