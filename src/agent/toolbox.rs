//! The tools of one side as a replay uses them: declaration, schema, names, and whether they may be called.

use super::infer;
use crate::case::{Case, Intent};
use crate::suite::{ContinuationRule, Rename, Selector, Suite, ToolDeclaration};
use crate::text::Pointer;
use crate::words::ToolKind;
use serde_json::{Map, Value};
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

/// The input schema of a tool, by the argument names that recordings use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    properties: Option<Map<String, Value>>,
    open: bool,
}

impl Schema {
    fn of(schema: &Value, rename: &Rename) -> Self {
        let recorded_name = |name: &String| {
            rename
                .arguments
                .iter()
                .find(|(_, side)| *side == name)
                .map_or(name.clone(), |(recorded, _)| recorded.clone())
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        Self {
            properties: properties
                .map(|map| map.iter().map(|(k, v)| (recorded_name(k), v.clone())).collect()),
            open: schema
                .get("additionalProperties")
                .is_some_and(|extra| extra.as_bool() == Some(true) || extra.is_object()),
        }
    }

    pub fn has(&self, argument: &str) -> bool {
        self.property(argument).is_some()
    }

    fn property(&self, argument: &str) -> Option<&Value> {
        self.properties.as_ref()?.get(argument)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().flat_map(|map| map.keys().map(String::as_str))
    }

    pub fn default_of(&self, argument: &str) -> Option<&Value> {
        self.property(argument)?.get("default")
    }

    /// Whether the types of the argument hold integer or number and not string.
    pub fn is_number(&self, argument: &str) -> bool {
        let mut types = Vec::new();
        if let Some(property) = self.property(argument) {
            collect_types(property, &mut types);
        }
        types.iter().any(|name| *name == "integer" || *name == "number") && !types.contains(&"string")
    }

    /// The arguments that the schema does not know; none when it lists none or is open.
    pub fn unknown<'a>(&self, arguments: impl Iterator<Item = &'a String>) -> Vec<String> {
        match &self.properties {
            Some(known) if !self.open => {
                arguments.filter(|name| !known.contains_key(*name)).cloned().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn collect_types<'v>(property: &'v Value, types: &mut Vec<&'v str>) {
    match property.get("type") {
        Some(Value::String(name)) => types.push(name),
        Some(Value::Array(names)) => types.extend(names.iter().filter_map(Value::as_str)),
        _ => {}
    }
    for key in ["anyOf", "oneOf"] {
        for branch in property.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect_types(branch, types);
        }
    }
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
    pub size: Vec<String>,
    identity: Option<Vec<String>>,
    /// `None`: to be inferred from the first result that offers more.
    pub rules: Option<Vec<ContinuationRule>>,
    pub content: Vec<Pointer>,
    pub ignore: Vec<Selector>,
}

impl Tool {
    /// The arguments by the names that this side uses.
    pub fn side_arguments(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let name_of = |name: &String| self.side_arguments.get(name).unwrap_or(name).clone();
        arguments.iter().map(|(name, value)| (name_of(name), value.clone())).collect()
    }

    /// Whether this argument says what is read, and neither where nor how much.
    pub fn is_identity(&self, argument: &str) -> bool {
        match &self.identity {
            Some(names) => names.iter().any(|name| name == argument),
            None => !self.is_position(argument) && !self.size.iter().any(|name| name == argument),
        }
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
        let tools = used.iter().map(|(name, usage)| {
            let tool = resolve(suite.tools.get(name), name, *usage, baseline, side, renames.get(name));
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
    baseline: &[SideTool],
    side: &[SideTool],
    rename: Option<&Rename>,
) -> Tool {
    let rename = rename.cloned().unwrap_or_default();
    let side_name = rename.tool.clone().unwrap_or_else(|| name.to_owned());
    let listed = side.iter().find(|tool| tool.name == side_name);
    let schema = listed.map(|tool| Schema::of(&tool.input_schema, &rename)).unwrap_or_default();
    let declared_or_none = declared.cloned().unwrap_or_default();
    let read_only = baseline.iter().find(|tool| tool.name == name).and_then(|tool| tool.read_only);
    Tool {
        name: name.to_owned(),
        side_name,
        side_arguments: rename.arguments,
        kind: declared_or_none.kind.unwrap_or_else(|| infer::kind(usage, &schema)),
        may_call: may_call(declared, read_only),
        is_listed: listed.is_some(),
        meta: listed.map_or(Value::Null, |tool| tool.meta.clone()),
        size: declared_or_none.size.unwrap_or_else(|| infer::size_names(&schema)),
        schema,
        identity: declared_or_none.identity,
        rules: declared_or_none.continuation,
        content: declared_or_none.content,
        ignore: declared_or_none.ignore,
    }
}

/// The suite allows it, or the baseline says that it only reads and the suite does not forbid it.
fn may_call(declared: Option<&ToolDeclaration>, read_only: Option<bool>) -> bool {
    let by_suite = declared.and_then(|tool| {
        let reads = matches!(tool.kind, Some(ToolKind::Read | ToolKind::Search));
        tool.replay.or(reads.then_some(true))
    });
    by_suite.unwrap_or(read_only == Some(true))
}
