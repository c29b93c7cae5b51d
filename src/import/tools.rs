//! The tools of recordings: transcripts hold no schemas, so arguments and their use are told by the calls.

use super::kinds::kind_by_name;
use super::scope::CLIENT;
use crate::agent::{SideTool, Tool, ToolUse, Toolbox, is_position_name, is_rfc3339, is_size_name};
use crate::suite::{ContinuationRule, Suite, ToolDeclaration};
use crate::words::ToolKind;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Server and tool.
pub type ToolKey = (String, String);

/// Lines that a client's own reader shows when it is not told how many.
const OWN_READ_LINES: u64 = 2000;

/// What the calls of a tool tell of it.
#[derive(Debug, Clone, Default)]
pub struct ToolFacts {
    pub calls: u64,
    /// Name of each argument, and the JSON types that its values had.
    arguments: BTreeMap<String, Vec<&'static str>>,
    /// A call carried a position.
    carries_position: bool,
}

impl ToolFacts {
    /// Takes in a call.
    pub fn take(&mut self, arguments: &Map<String, Value>) {
        self.calls += 1;
        for (name, value) in arguments {
            let types = self.arguments.entry(name.clone()).or_default();
            if let Some(kind) = type_of(value).filter(|kind| !types.contains(kind)) {
                types.push(kind);
            }
            self.carries_position |= is_position(name, value);
        }
    }

    fn schema(&self, key: &ToolKey) -> Value {
        let property = |(name, types): (&String, &Vec<&str>)| (name.clone(), json!({ "type": types }));
        let mut properties: Map<String, Value> = self.arguments.iter().map(property).collect();
        if key.0 == CLIENT && key.1 == "Read" {
            properties.insert("offset".to_owned(), json!({"type": "integer", "default": 1}));
            properties.insert("limit".to_owned(), json!({"type": "integer", "default": OWN_READ_LINES}));
        }
        json!({ "type": "object", "properties": properties })
    }

    /// The arguments that say what is read.
    pub fn identity(&self) -> impl Iterator<Item = &str> {
        self.arguments
            .keys()
            .map(String::as_str)
            .filter(|name| !is_position_name(name) && !is_size_name(name))
    }

    /// The arguments that bound a result.
    pub fn size(&self) -> impl Iterator<Item = &str> {
        self.arguments.keys().map(String::as_str).filter(|name| is_size_name(name))
    }
}

fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

/// Whether an argument says where a read starts: a day that something started on does not.
pub fn is_position(name: &str, value: &Value) -> bool {
    let is_date = |text: &str| {
        is_rfc3339(text)
            || (text.len() >= 8 && text[..4].bytes().all(|b| b.is_ascii_digit()) && text.contains('-'))
    };
    is_position_name(name)
        && match value {
            Value::Number(_) => true,
            Value::String(text) => !(text.is_empty() || text.is_char_boundary(4) && is_date(text)),
            _ => false,
        }
}

/// All tools of an import, by what was seen of them.
#[derive(Debug, Default)]
pub struct Tools {
    facts: BTreeMap<ToolKey, ToolFacts>,
    rules: BTreeMap<ToolKey, Vec<ContinuationRule>>,
    /// Tools of which a result said that there is more.
    offer_more: BTreeSet<ToolKey>,
    made: BTreeMap<ToolKey, Arc<Tool>>,
}

impl Tools {
    /// Takes in a call of the first look.
    pub fn note(&mut self, server: &str, tool: &str, arguments: &Map<String, Value>) {
        self.facts.entry((server.to_owned(), tool.to_owned())).or_default().take(arguments);
    }

    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    pub fn facts(&self) -> impl Iterator<Item = (&ToolKey, &ToolFacts)> {
        self.facts.iter()
    }

    /// Makes the tools as a replay would use them. A declaration of `suite` comes before what was seen.
    /// `rules`: those without which a replay would not go on as agents did.
    pub fn make(
        &mut self,
        suite: &Suite,
        rules: BTreeMap<ToolKey, Vec<ContinuationRule>>,
        offer_more: BTreeSet<ToolKey>,
    ) {
        self.rules = rules;
        self.offer_more = offer_more;
        let made = self.facts.iter().map(|(key, facts)| {
            let kind = kind_of(&key.1, facts, self.offer_more.contains(key));
            let tool = made(suite, key, facts, kind, self.rules.get(key));
            (key.clone(), tool)
        });
        self.made = made.collect();
    }

    /// The tool of a call.
    pub fn get(&self, server: &str, tool: &str) -> Option<&Arc<Tool>> {
        self.made.get(&(server.to_owned(), tool.to_owned()))
    }
}

fn made(
    suite: &Suite,
    key: &ToolKey,
    facts: &ToolFacts,
    kind: ToolKind,
    rules: Option<&Vec<ContinuationRule>>,
) -> Arc<Tool> {
    let name = &key.1;
    let mut suite = suite.clone();
    let declared = suite.tools.remove(name).unwrap_or_default();
    let declaration = ToolDeclaration {
        kind: Some(declared.kind.unwrap_or(kind)),
        continuation: declared.continuation.or_else(|| rules.cloned()),
        identity: declared.identity.or_else(|| {
            // Learned rules name some positions only; all others are no part of what is read either.
            rules.map(|_| facts.identity().map(str::to_owned).collect())
        }),
        ..declared
    };
    suite.tools.insert(name.clone(), declaration);
    let listed = SideTool {
        name: name.clone(),
        input_schema: facts.schema(key),
        meta: Value::Null,
        read_only: Some(true),
    };
    let used = BTreeMap::from([(name.clone(), ToolUse::default())]);
    let side = std::slice::from_ref(&listed);
    let toolbox = Toolbox::new(&suite, &used, side, side, &BTreeMap::new());
    Arc::clone(toolbox.get(name).expect("the toolbox was made for this tool"))
}

/// A tool that was ever asked to go on from a position reads, whatever its name says.
fn kind_of(name: &str, facts: &ToolFacts, offers_more: bool) -> ToolKind {
    match kind_by_name(name) {
        ToolKind::Write => ToolKind::Write,
        ToolKind::Other if offers_more => ToolKind::Read,
        _ if facts.carries_position => ToolKind::Read,
        by_name => by_name,
    }
}
