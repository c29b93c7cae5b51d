//! `[tools.NAME]`: what a tool is for, and how its reads carry on.

use super::selector::selector;
use super::{AdvanceUnit, ContinuationRule, Next, Selector, StepBy, ToolDeclaration};
use crate::doc::{At, Content, Table};
use crate::text::Pointer;
use crate::words::ToolKind;

const KEYS: [&str; 7] = ["kind", "replay", "identity", "size", "continue", "content", "ignore"];
const RULE_KEYS: [&str; 9] =
    ["argument", "from", "pattern", "advance", "by", "while", "tool", "carry", "same"];
/// The keys that say what kind of rule it is.
const KINDS: [&str; 5] = ["from", "pattern", "advance", "tool", "same"];

pub(super) fn tool(at: &At<'_>) -> Option<ToolDeclaration> {
    let table = at.free_table()?;
    if table.has("rename") {
        let hint = "`rename` stands per side, as `[candidate.tools.NAME]`";
        table.problem_at_key(
            "rename",
            "`rename` in a declaration for both sides",
            None,
            Some(hint.to_owned()),
        );
    }
    let mut keys = KEYS.to_vec();
    keys.extend(table.has("rename").then_some("rename"));
    table.check_keys(&keys);
    Some(ToolDeclaration {
        kind: table.get("kind").and_then(|at| at.choice(ToolKind::ALL, ToolKind::as_str)),
        replay: table.get("replay").and_then(|at| at.flag()),
        identity: table.get("identity").and_then(|at| at.texts(0)),
        size: table.get("size").and_then(|at| at.texts(0)),
        continuation: table.get("continue").map(|at| each(&at, "a list of rules", rule)),
        content: table
            .get("content")
            .map(|at| each(&at, "a list of pointers", |at| at.pointer()))
            .unwrap_or_default(),
        ignore: table.get("ignore").map(|at| each(&at, "a list of tables", ignored)).unwrap_or_default(),
    })
}

/// The items of a list that can be read; the others are reported.
fn each<T>(at: &At<'_>, allowed: &str, read: impl Fn(&At<'_>) -> Option<T>) -> Vec<T> {
    at.items(allowed, 0).map(|items| items.iter().filter_map(read).collect()).unwrap_or_default()
}

/// `{ pointer = "/a" }` or `{ pattern = "regex" }`.
fn ignored(at: &At<'_>) -> Option<Selector> {
    let table = at.table(&["pointer", "pattern"])?;
    match table.exactly_one(&["pointer", "pattern"])? {
        "pointer" => table.get("pointer")?.pointer().map(Selector::Pointer),
        _ => table.get("pattern")?.pattern(false).map(Selector::Pattern),
    }
}

fn rule(at: &At<'_>) -> Option<ContinuationRule> {
    let table = at.table(&RULE_KEYS)?;
    let guard = table.get("while").map(|at| selector(&at, false));
    let kind = kind_of(&table)?;
    if kind != "advance" {
        table.refuse(&["by"], "without `advance`");
    }
    if kind != "tool" {
        table.refuse(&["carry"], "without `tool`");
    }
    if matches!(kind, "tool" | "same") {
        table.refuse(&["argument"], &format!("beside `{kind}`: no argument gets a new value"));
    }
    let next = match kind {
        "from" => from(&table),
        "pattern" => pattern(&table),
        "advance" => advance(&table),
        "tool" => another_tool(&table),
        _ => table.get("same")?.only_true().map(|_| Next::Same),
    };
    match guard {
        Some(None) => None,
        Some(guard) => Some(ContinuationRule { next: next?, guard }),
        None => Some(ContinuationRule { next: next?, guard: None }),
    }
}

/// `from` may stand beside `advance = "items"`, where it names the array to count.
fn kind_of(table: &Table<'_>) -> Option<&'static str> {
    let counts_items = table.get("advance").is_some_and(|at| at.as_text() == Some("items"));
    if table.has("advance") && table.has("from") && !counts_items {
        let hint =
            "only `advance = \"items\"` counts the array at `from`; the step itself is `by = { from = ... }`";
        table.problem_at_key("from", "`from` beside `advance`", None, Some(hint.to_owned()));
        return None;
    }
    let kinds: Vec<&'static str> =
        KINDS.into_iter().filter(|key| !(counts_items && *key == "from")).collect();
    table.exactly_one(&kinds)
}

fn argument(table: &Table<'_>) -> Option<String> {
    table.must("argument", "the argument that gets the next value")?.text().map(str::to_owned)
}

fn from(table: &Table<'_>) -> Option<Next> {
    let argument = argument(table);
    let pointer = table.get("from")?.pointer();
    Some(Next::From { argument: argument?, pointer: pointer? })
}

fn pattern(table: &Table<'_>) -> Option<Next> {
    let argument = argument(table);
    let pattern = table.get("pattern")?.pattern(true);
    Some(Next::Pattern { argument: argument?, pattern: pattern? })
}

fn advance(table: &Table<'_>) -> Option<Next> {
    let argument = argument(table);
    let unit = table.get("advance")?.choice(AdvanceUnit::ALL, AdvanceUnit::as_str);
    let by = table.get("by").map(|at| step_by(&at));
    let items: Option<Option<Pointer>> = table.get("from").map(|at| at.pointer());
    // A part that is there and cannot be read has been reported: no rule without it.
    if matches!(by, Some(None)) || matches!(items, Some(None)) {
        return None;
    }
    Some(Next::Advance { argument: argument?, unit: unit?, by: by.flatten(), items: items.flatten() })
}

/// The name of a size argument, `{ pattern = ... }` or `{ from = ... }`.
fn step_by(at: &At<'_>) -> Option<StepBy> {
    match at.node().content {
        Content::Text(_) => at.text().map(|name| StepBy::Argument(name.to_owned())),
        Content::Table(_) => {
            let table = at.table(&["pattern", "from"])?;
            let found = match table.exactly_one(&["pattern", "from"])? {
                "pattern" => table.get("pattern")?.pattern(true).map(Selector::Pattern),
                _ => table.get("from")?.pointer().map(Selector::Pointer),
            };
            found.map(StepBy::Selector)
        }
        _ => {
            at.wrong("the name of a size argument, `{ pattern = \"regex\" }` or `{ from = \"/pointer\" }`");
            None
        }
    }
}

fn another_tool(table: &Table<'_>) -> Option<Next> {
    let tool = table.get("tool")?.text().map(str::to_owned);
    let mut carry = Vec::new();
    let mut whole = true;
    if let Some(at) = table.get("carry") {
        match at.free_table() {
            Some(values) => {
                for (name, value) in values.all() {
                    match selector(&value, true) {
                        Some(found) => carry.push((name.to_owned(), found)),
                        None => whole = false,
                    }
                }
            }
            None => whole = false,
        }
    }
    if whole { Some(Next::Tool { tool: tool?, carry }) } else { None }
}
