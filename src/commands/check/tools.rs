//! The tools that cases call, as a replay takes them: declared, or inferred from the schema.

use super::super::sizes::counted;
use super::Started;
use super::cases::Census;
use crate::agent::{SideTool, Tool, Toolbox, inferred_declaration};
use crate::suite::toml_lines as toml;
use crate::suite::{Suite, ToolDeclaration};
use crate::words::ToolKind;
use std::collections::BTreeSet;

pub(super) struct Tools<'c> {
    pub suite: &'c Suite,
    pub census: &'c Census,
    /// Empty when the baseline did not start.
    pub baseline_tools: &'c [SideTool],
    pub started: &'c Started,
    pub baseline: Option<Toolbox>,
    pub candidate: Option<Toolbox>,
}

impl Tools<'_> {
    /// Every tool that cases call, then the names of those that none calls.
    pub fn told(&self) -> String {
        let mut told = String::new();
        let Some(first) = self.baseline.as_ref().or(self.candidate.as_ref()) else { return told };
        if first.iter().next().is_some() {
            told.push_str("\ntools that cases call\n");
        }
        for tool in first.iter() {
            let others = [&self.baseline, &self.candidate].into_iter().flatten();
            let mut listed =
                others.filter_map(|toolbox| toolbox.get(&tool.name)).filter(|tool| tool.is_listed);
            let shown = listed.next().unwrap_or(tool);
            told.push_str(&self.tool(shown));
            // The sides' schemas may differ.
            let (here, there) = (self.inferred(shown), listed.next().map(|tool| self.inferred(tool)));
            if let Some(there) = there.filter(|there| *there != here) {
                told.push_str(&format!("    on the candidate: {}\n", there.join("; ")));
            }
        }
        let unused = self.unused(first);
        if !unused.is_empty() {
            told.push_str(&format!("tools that no case calls: {}\n", unused.join(", ")));
        }
        told
    }

    fn unused(&self, toolbox: &Toolbox) -> Vec<&str> {
        let used: BTreeSet<&str> = toolbox.iter().map(|tool| tool.side_name.as_str()).collect();
        let listed = [&self.started.baseline, &self.started.candidate]
            .into_iter()
            .flatten()
            .flat_map(|side| &side.tools);
        let unused: BTreeSet<&str> =
            listed.map(|tool| tool.name.as_str()).filter(|name| !used.contains(name)).collect();
        unused.into_iter().collect()
    }

    fn tool(&self, tool: &Tool) -> String {
        let asked = self.census.asked(&tool.name).map_or_else(
            || "called by a rule of another tool".to_owned(),
            |asked| {
                let steps = counted(asked.steps as u64, "step", "steps");
                let reads = counted(asked.reads as u64, "read", "reads");
                format!("{steps}, {reads} among them")
            },
        );
        let kind = self.source(&tool.name, |declared| declared.kind.is_some());
        let mut told = format!("  {}: {} ({kind}); {asked}\n", tool.name, tool.kind);
        let called = if tool.may_call { "may be called" } else { "is skipped" };
        told.push_str(&format!("    {called}: {}\n", self.why(tool)));
        for part in self.inferred(tool) {
            told.push_str(&format!("    {part}\n"));
        }
        told
    }

    /// What decides whether the tool may be called.
    fn why(&self, tool: &Tool) -> String {
        let declared = self.suite.tools.get(&tool.name);
        match declared.map(|declared| (declared.replay, declared.kind)) {
            Some((Some(replay), _)) => return format!("the suite says replay = {replay}"),
            Some((None, Some(kind @ (ToolKind::Read | ToolKind::Search | ToolKind::Write)))) => {
                return format!("the suite says kind = \"{kind}\"");
            }
            _ => {}
        }
        if tool.may_call {
            return "the baseline says readOnlyHint = true".to_owned();
        }
        if self.started.baseline.is_none() {
            return "the baseline did not start, so its annotations are not known".to_owned();
        }
        let candidate = self.started.candidate.iter().flat_map(|side| &side.tools);
        let by_candidate = candidate
            .filter(|listed| listed.name == tool.side_name)
            .any(|listed| listed.read_only == Some(true));
        if by_candidate
            && self
                .baseline_tools
                .iter()
                .all(|listed| listed.read_only != Some(true) || listed.name != tool.side_name)
        {
            return "only the candidate says readOnlyHint = true, and the baseline decides".to_owned();
        }
        "neither the suite nor the baseline says that it only reads".to_owned()
    }

    /// Identity, size and continuation, each with where it comes from.
    fn inferred(&self, tool: &Tool) -> Vec<String> {
        let declared = self.suite.tools.get(&tool.name);
        let (positions, _) = inferred_declaration(tool);
        let identity = match declared.and_then(|declared| declared.identity.clone()) {
            Some(names) => names,
            None => tool.schema.names().filter(|name| tool.is_identity(name)).map(str::to_owned).collect(),
        };
        let knows_none = tool.schema.names().next().is_none();
        let is_declared = declared.is_some_and(|declared| declared.identity.is_some());
        let identity = if knows_none && !is_declared {
            vec!["every argument that is sent".to_owned()]
        } else {
            identity
        };
        let part = |what: &str, names: &[String], is_declared: fn(&ToolDeclaration) -> bool| {
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("{what}: {names} ({})", self.source(&tool.name, is_declared))
        };
        let continuation = match &tool.rules {
            Some(rules) if rules.is_empty() => "continue: none (declared)".to_owned(),
            Some(rules) => {
                let rules: Vec<String> = rules.iter().map(toml::rule).collect();
                format!("continue: {} (declared)", rules.join(", "))
            }
            None if positions.is_empty() => {
                "continue: none, for want of a position argument (inferred)".to_owned()
            }
            None => format!(
                "continue: by {}, as the first result that offers more shows (inferred)",
                positions.join(" or ")
            ),
        };
        vec![
            part("identity", &identity, |declared| declared.identity.is_some()),
            part("size", &tool.size, |declared| declared.size.is_some()),
            continuation,
        ]
    }

    fn source(&self, tool: &str, is_declared: impl Fn(&ToolDeclaration) -> bool) -> &'static str {
        if self.suite.tools.get(tool).is_some_and(is_declared) { "declared" } else { "inferred" }
    }

    /// The lines that allow what is skipped, where the suite has not decided.
    pub fn to_paste(&self) -> Option<String> {
        let toolbox = self.baseline.as_ref()?;
        let is_open = |name: &str| {
            self.suite.tools.get(name).is_none_or(|declared| {
                declared.replay.is_none() && declared.kind.is_none_or(|kind| kind == ToolKind::Other)
            })
        };
        let skipped: Vec<&str> = toolbox
            .iter()
            .filter(|tool| !tool.may_call && is_open(&tool.name))
            .map(|tool| tool.name.as_str())
            .collect();
        if skipped.is_empty() {
            return None;
        }
        let mut warning = format!(
            "calls of {} are skipped on all sides, for they may change something; where they only read, paste into the suite:",
            skipped.join(", ")
        );
        for name in skipped {
            warning.push_str(&format!("\n[tools.{}]\nreplay = true", toml::key(name)));
        }
        Some(warning)
    }
}
