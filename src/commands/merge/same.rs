//! Whether shards are parts of one run: the same code, cases, client and settings, cut the same way.

use super::super::Failure;
use super::shards::Found;
use crate::exit::ExitCode;
use crate::trace::{RunMeta, SideMeta};

/// Every shard must be of the run of the first.
pub(super) fn require_same(found: &[Found]) -> Result<(), Failure> {
    let [first, others @ ..] = found else { return Ok(()) };
    let mut lines = Vec::new();
    for other in others {
        let differ = differences(first, other);
        if !differ.is_empty() {
            lines.push(format!("`{}`: {}", other.folder.0.display(), differ.join(", ")));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let message = format!(
        "not shards of one run; they differ from `{}`:\n  {}",
        first.folder.0.display(),
        lines.join("\n  ")
    );
    Err(Failure::new(ExitCode::NotComparable, message)
        .hint("merge shards of one suite, one revision a side and one command; leave the others out"))
}

/// What two shards do not have in common.
fn differences(first: &Found, other: &Found) -> Vec<String> {
    let (a, b) = (&first.meta, &other.meta);
    let mut differ: Vec<String> = Vec::new();
    if first.shard().count != other.shard().count {
        differ.push(format!("cut into {} and not {}", other.shard().count, first.shard().count));
    }
    differ.extend(cases(a, b));
    for (what, same) in [
        ("version of mcp-regress", a.tool_version == b.tool_version),
        ("suite file", a.suite_sha256 == b.suite_sha256),
        ("rules", a.rules == b.rules && a.rules_note == b.rules_note),
        ("client profile", a.client == b.client),
        ("protocol", a.protocol == b.protocol),
        ("seed", a.seed == b.seed),
        ("attempts", a.attempts == b.attempts && a.same_code == b.same_code),
        ("resamples", a.resamples == b.resamples),
        ("way of replaying", a.replay == b.replay && a.on_oversized == b.on_oversized),
        ("stored baseline", stored(a) == stored(b)),
        ("sides", a.a_a == b.a_a && a.sides.keys().eq(b.sides.keys())),
    ] {
        if !same {
            differ.push(what.to_owned());
        }
    }
    for (name, side) in &a.sides {
        if b.sides.get(name).is_some_and(|other| code(side) != code(other)) {
            differ.push(format!("code of the {name}"));
        }
    }
    differ
}

/// One line, with the first case that differs.
fn cases(a: &RunMeta, b: &RunMeta) -> Option<String> {
    if a.cases == b.cases {
        return None;
    }
    let ids = a.cases.keys().chain(b.cases.keys());
    let mut ids: Vec<&String> = ids.filter(|id| a.cases.get(*id) != b.cases.get(*id)).collect();
    ids.sort();
    ids.dedup();
    Some(format!("{} of the cases, `{}` among them", ids.len(), ids.first().map_or("", |id| id.as_str())))
}

fn stored(meta: &RunMeta) -> Option<(&str, &str)> {
    meta.baseline_run.as_ref().map(|stored| (stored.run_id.as_str(), stored.side.as_str()))
}

/// What tells one build from another. Commands may differ in their paths from machine to machine.
fn code(side: &SideMeta) -> impl PartialEq + '_ {
    (
        (side.revision.as_deref(), side.dirty, side.diff_sha256.as_deref()),
        (side.server_name.as_deref(), side.server_version.as_deref(), side.protocol.as_deref()),
        side.tools_list.as_ref().map(|list| list.sha256.as_str()),
    )
}
