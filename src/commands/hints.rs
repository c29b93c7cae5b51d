//! Fixed hints: what was seen, why it matters, what to try.

use super::Failure;
use super::resolve::Selected;
use super::side::ResolvedSides;
use crate::agent::{SideTool, Toolbox};
use crate::exit::ExitCode;
use crate::run::{PrepareError, Prepared};
use crate::suite::toml_lines::key as toml_key;

/// Lines of a server's stderr that an error shows.
const STDERR_LINES: usize = 12;

/// A side that did not start, with the end of its stderr.
pub(super) fn side_failed(error: &PrepareError) -> Failure {
    let mut message = error.to_string();
    let tail: Vec<&str> = error.stderr_tail().lines().rev().take(STDERR_LINES).collect();
    if !tail.is_empty() {
        message.push_str("\nthe end of its stderr:");
        for line in tail.into_iter().rev() {
            message.push_str("\n  | ");
            message.push_str(line);
        }
    }
    let hint = if error.timed_out() {
        "a server that installs or imports for long at its first start needs more: raise `start_timeout_s` in the suite"
    } else if message.contains("401") {
        "give the credentials in `headers` of the side, for example Authorization = \"Bearer ${TOKEN}\", and set the variable"
    } else if error.stderr_tail().is_empty() {
        "run its command by hand in the side's folder; `mcp-regress check` tries each side alone"
    } else {
        "run its command by hand in the side's folder; the stderr above is the server's own"
    };
    Failure::new(ExitCode::SideFailed, message).hint(hint)
}

/// No call of any case may be replayed: the lines to paste.
pub(super) fn nothing_allowed(tools: &Toolbox, candidate: &[SideTool]) -> Failure {
    let mut message = "no call of any case may be replayed: a replay never calls a tool that may change anything, and \
                       neither the suite nor the baseline says that these only read. Where that is so, paste into the suite:"
        .to_owned();
    for tool in tools.iter() {
        message.push_str(&format!("\n\n[tools.{}]\nreplay = true", toml_key(&tool.name)));
    }
    let by_candidate: Vec<&str> = tools
        .iter()
        .filter(|tool| candidate.iter().any(|t| t.name == tool.name && t.read_only == Some(true)))
        .map(|tool| tool.name.as_str())
        .collect();
    let failure = Failure::new(ExitCode::NothingSelected, message);
    if by_candidate.is_empty() {
        return failure;
    }
    failure.hint(format!(
        "only the candidate annotates {} as read-only; the baseline decides",
        by_candidate.join(", ")
    ))
}

/// What would spoil a run, known before its first call.
pub(super) fn before_run(
    selected: &Selected,
    sides: &ResolvedSides,
    prepared: &Prepared,
    baseline: &Toolbox,
    candidate: &Toolbox,
) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    warnings.extend(selected.unmatched.iter().map(|glob| format!("no case file matches `{glob}`")));
    warnings.extend(sides.baseline.warnings.iter().chain(&sides.candidate.warnings).cloned());
    warnings.extend(prepared.baseline.warnings.iter().chain(&prepared.candidate.warnings).cloned());
    for (side, tools, listed) in [
        ("baseline", baseline, &prepared.baseline.tools),
        ("candidate", candidate, &prepared.candidate.tools),
    ] {
        warnings.extend(missing_tools(side, tools, listed));
    }
    let skipped: Vec<&str> =
        baseline.iter().filter(|tool| !tool.may_call).map(|tool| tool.name.as_str()).collect();
    if !skipped.is_empty() {
        warnings.push(format!(
            "calls of {} are skipped on all sides: they may change something; to replay them say `replay = true` in [tools.NAME]",
            skipped.join(", ")
        ));
    }
    warnings
}

/// Tools that cases call and a side does not list.
pub(super) fn missing_tools(side: &str, tools: &Toolbox, listed: &[SideTool]) -> Vec<String> {
    let missing = tools.iter().filter(|tool| !tool.is_listed);
    let one = |tool: &std::sync::Arc<crate::agent::Tool>| {
        let names = listed.iter().map(|tool| tool.name.as_str());
        let near =
            crate::doc::nearest(&tool.side_name, names).map(|name| format!("; did you mean `{name}`?"));
        format!(
            "the {side} lists no tool `{}`, which cases call{}; a renamed tool is declared with [{side}.tools.{}] rename",
            tool.side_name,
            near.unwrap_or_default(),
            toml_key(&tool.name)
        )
    };
    missing.map(one).collect()
}
