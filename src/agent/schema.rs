//! The input schema of a tool, as far as a replay looks at it.

use crate::suite::Rename;
use serde_json::{Map, Value};

/// The input schema of a tool, by the argument names that recordings use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    properties: Option<Map<String, Value>>,
    open: bool,
}

impl Schema {
    pub(super) fn of(schema: &Value, rename: &Rename) -> Self {
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
            open: schema.get("patternProperties").is_some()
                || schema
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

    /// The argument's default, unless that is null.
    pub fn default_of(&self, argument: &str) -> Option<&Value> {
        self.property(argument)?.get("default").filter(|value| !value.is_null())
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_told_by_every_branch() {
        let property = |property: Value| {
            Schema::of(&json!({"properties": {"x": property}}), &Rename::default()).is_number("x")
        };
        for number in [
            json!({"type": "integer"}),
            json!({"type": ["null", "number"]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!({"oneOf": [{"anyOf": [{"type": "number"}]}]}),
        ] {
            assert!(property(number.clone()), "{number}");
        }
        for other in [
            json!({"type": "string"}),
            json!({}),
            json!(true),
            json!({"type": ["integer", "string"]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ] {
            assert!(!property(other.clone()), "{other}");
        }
    }

    #[test]
    fn a_closed_schema_knows_its_arguments_by_their_recorded_names() {
        let rename =
            Rename { tool: None, arguments: [("query".to_owned(), "sql".to_owned())].into_iter().collect() };
        let unknown = |schema: Value| {
            let sent = ["query".to_owned(), "limit".to_owned()];
            Schema::of(&schema, &rename).unknown(sent.iter())
        };
        assert_eq!(unknown(json!({"properties": {"sql": {}}})), ["limit"]);
        for open in [json!({}), json!({"properties": {}, "additionalProperties": true})] {
            assert!(unknown(open).is_empty());
        }
    }
}
