//! `{"$from": name, "recorded": value}` inside arguments. A tool whose own argument is named `$from` has it with one
//! more `$` in a case: `$$from` is sent as `$from`, `$$$from` as `$$from`.

use crate::doc::{At, Content, did_you_mean, list_of};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The key that makes an object a binding.
const FROM: &str = "$from";
const RECORDED: &str = "recorded";

/// Whether a name is `$from`, with any number of `$` in front.
fn is_from(name: &str) -> bool {
    name.strip_suffix(FROM).is_some_and(|front| front.bytes().all(|byte| byte == b'$'))
}

/// The name of an argument as a server knows it.
pub fn unescaped_name(name: &str) -> &str {
    if name != FROM && is_from(name) { &name[1..] } else { name }
}

/// The name of an argument as a case holds it.
pub fn escaped_name(name: &str) -> Cow<'_, str> {
    if is_from(name) { Cow::Owned(format!("${name}")) } else { Cow::Borrowed(name) }
}

/// Arguments of a call as a case holds them.
pub fn escaped(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(map) => Value::Object(
            map.into_iter().map(|(name, value)| (escaped_name(&name).into_owned(), escaped(value))).collect(),
        ),
        scalar => scalar,
    }
}

/// Checks every binding inside `arguments`: `saved` are the names that earlier steps save.
pub(super) fn check(arguments: &At<'_>, saved: &BTreeSet<String>) {
    if arguments.node().entry(FROM).is_some() {
        arguments.problem(
            "a binding in place of all arguments",
            Some("an object of arguments".to_owned()),
            Some("bind single arguments, or parts of them".to_owned()),
        );
        return;
    }
    check_inside(arguments, saved);
}

fn check_inside(at: &At<'_>, saved: &BTreeSet<String>) {
    match &at.node().content {
        Content::Table(_) if at.node().entry(FROM).is_some() => check_binding(at, saved),
        Content::Table(_) => {
            if let Some(table) = at.free_table() {
                for (_, child) in table.all() {
                    check_inside(&child, saved);
                }
            }
        }
        Content::List(_) => {
            for child in at.items("a list", 0).unwrap_or_default() {
                check_inside(&child, saved);
            }
        }
        Content::Other(_) => at.wrong("a number that a double can hold"),
        _ => {}
    }
}

fn check_binding(at: &At<'_>, saved: &BTreeSet<String>) {
    let Some(table) = at.table(&[FROM, RECORDED]) else { return };
    table.must(RECORDED, "the value that was recorded");
    let Some(from) = table.get(FROM) else { return };
    let Some(name) = from.text() else { return };
    if saved.contains(name) {
        return;
    }
    let names = || saved.iter().map(String::as_str);
    let allowed = match saved.is_empty() {
        true => "a name that an earlier step of this recording saves, and none does".to_owned(),
        false => format!("{}, which earlier steps of this recording save", list_of(names())),
    };
    from.problem(format!("`{name}` is saved by no earlier step"), Some(allowed), did_you_mean(name, names()));
}
