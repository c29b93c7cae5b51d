//! The tools of one side as a replay uses them: declaration, schema, names, and whether they may be called.

use super::infer;
use super::schema::Schema;
use crate::case::{Case, Intent};
use crate::suite::{ContinuationRule, Rename, Selector, Suite, ToolDeclaration};
use crate::text::Pointer;
use crate::words::ToolKind;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tool as a side's `tools/list` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SideTool {
    pub name: String,
    pub input_schema: Value,
    /// `_meta` of the entry; null when absent.
    pub meta: Value,
    /// The annotation `readOnlyHint`.
    pub read_only: Option<bool>,
}

/// How cases use a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolUse {
    pub in_read_step: bool,
}

/// The tools that cases and continuation rules name.
pub fn tools_used<'c>(suite: &Suite, cases: impl IntoIterator<Item = &'c Case>) -> BTreeMap<String, ToolUse> {
    let mut used: BTreeMap<String, ToolUse> = BTreeMap::new();
    let recordings = cases.into_iter().flat_map(|case| &case.recordings);
    for (intent, tool) in recordings.flat_map(|recording| recording.steps.outline()) {
        used.entry(tool.to_owned()).or_default().in_read_step |= intent == Intent::Read;
    }
    let carried_on_by = suite.tools.values().flat_map(|tool| tool.continuation.iter().flatten());
    for rule in carried_on_by {
        if let crate::suite::Next::Tool { tool, .. } = &rule.next {
            used.entry(tool.clone()).or_default();
        }
    }
    used
}

/// One tool on one side.
#[derive(Debug, Clone)]
pub struct Tool {
    /// The name in recordings and suite.
    pub name: String,
    /// The name that this side uses.
    pub side_name: String,
    side_arguments: BTreeMap<String, String>,
    pub kind: ToolKind,
    /// Whether a replay may call it; the same on every side.
    pub may_call: bool,
    /// Whether this side's tool list holds it.
    pub is_listed: bool,
    pub schema: Schema,
    pub meta: Value,
    /// Arguments that bound a result, in order.
    pub size: Vec<String>,
    infers_size: bool,
    identity: Option<Vec<String>>,
    /// `None`: to be inferred from the first result that offers more.
    pub rules: Option<Vec<ContinuationRule>>,
    pub content: Vec<Pointer>,
    pub ignore: Vec<Selector>,
}

impl Tool {
    /// The arguments by the names that this side uses.
    pub fn side_arguments<'a>(&self, arguments: &'a Map<String, Value>) -> Cow<'a, Map<String, Value>> {
        if self.side_arguments.is_empty() {
            return Cow::Borrowed(arguments);
        }
        let name_of = |name: &String| self.side_arguments.get(name).unwrap_or(name).clone();
        Cow::Owned(arguments.iter().map(|(name, value)| (name_of(name), value.clone())).collect())
    }

    /// Whether this argument says what is read, and neither where nor how much.
    pub fn is_identity(&self, argument: &str) -> bool {
        match &self.identity {
            Some(names) => names.iter().any(|name| name == argument),
            None => !self.is_position(argument) && !self.is_size(argument),
        }
    }

    /// Whether this argument bounds a result.
    pub fn is_size(&self, argument: &str) -> bool {
        self.size.iter().any(|name| name == argument) || (self.infers_size && infer::is_size_name(argument))
    }

    /// Whether this argument says where a read starts.
    pub fn is_position(&self, argument: &str) -> bool {
        match &self.rules {
            Some(rules) if !rules.is_empty() => rules.iter().any(|rule| rule.argument() == Some(argument)),
            _ => infer::is_position_name(argument),
        }
    }
}

impl ContinuationRule {
    /// The argument that gets the next value.
    pub fn argument(&self) -> Option<&str> {
        use crate::suite::Next::*;
        match &self.next {
            From { argument, .. } | Pattern { argument, .. } | Advance { argument, .. } => Some(argument),
            Tool { .. } | Same => None,
        }
    }
}

/// The tools of one side, by the names that recordings use.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<Tool>>,
}

impl Toolbox {
    /// Resolves every tool in `used` for a side.
    ///
    /// `baseline` decides what may be called, for all sides alike. `renames` are the side's own.
    pub fn new(
        suite: &Suite,
        used: &BTreeMap<String, ToolUse>,
        baseline: &[SideTool],
        side: &[SideTool],
        renames: &BTreeMap<String, Rename>,
    ) -> Self {
        let baseline_renames = suite.baseline.as_ref().map(|server| &server.renames);
        let tools = used.iter().map(|(name, usage)| {
            let renamed = baseline_renames.and_then(|renames| renames.get(name)?.tool.as_deref());
            let baseline_name = renamed.unwrap_or(name);
            let declared = suite.tools.get(name);
            let tool = resolve(declared, name, *usage, baseline_name, baseline, side, renames.get(name));
            (name.clone(), Arc::new(tool))
        });
        Self { tools: tools.collect() }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }
}

fn resolve(
    declared: Option<&ToolDeclaration>,
    name: &str,
    usage: ToolUse,
    baseline_name: &str,
    baseline: &[SideTool],
    side: &[SideTool],
    rename: Option<&Rename>,
) -> Tool {
    let rename = rename.cloned().unwrap_or_default();
    let side_name = rename.tool.clone().unwrap_or_else(|| name.to_owned());
    let listed = side.iter().find(|tool| tool.name == side_name);
    let schema = listed.map(|tool| Schema::of(&tool.input_schema, &rename)).unwrap_or_default();
    let declared_or_none = declared.cloned().unwrap_or_default();
    let on_baseline = baseline.iter().find(|tool| tool.name == baseline_name);
    let read_only = on_baseline.and_then(|tool| tool.read_only);
    // What counts as a read must not differ between the sides: the baseline's schema decides.
    let infer_kind = || match on_baseline {
        Some(tool) => infer::kind(usage, &Schema::of(&tool.input_schema, &Rename::default())),
        None => infer::kind(usage, &schema),
    };
    Tool {
        name: name.to_owned(),
        side_name,
        side_arguments: rename.arguments,
        kind: declared_or_none.kind.unwrap_or_else(infer_kind),
        may_call: may_call(declared, read_only),
        is_listed: listed.is_some(),
        meta: listed.map_or(Value::Null, |tool| tool.meta.clone()),
        infers_size: declared_or_none.size.is_none(),
        size: declared_or_none.size.unwrap_or_else(|| infer::size_names(&schema)),
        schema,
        identity: declared_or_none.identity,
        rules: declared_or_none.continuation,
        content: declared_or_none.content,
        ignore: declared_or_none.ignore,
    }
}

/// The suite allows it, or the baseline says that it only reads and the suite does not forbid it. A tool that
/// the suite calls a writer is never called on the word of its server.
fn may_call(declared: Option<&ToolDeclaration>, read_only: Option<bool>) -> bool {
    let by_suite = declared.and_then(|tool| match (tool.replay, tool.kind) {
        (Some(replay), _) => Some(replay),
        (None, Some(ToolKind::Read | ToolKind::Search)) => Some(true),
        (None, Some(ToolKind::Write)) => Some(false),
        (None, _) => None,
    });
    by_suite.unwrap_or(read_only == Some(true))
}
