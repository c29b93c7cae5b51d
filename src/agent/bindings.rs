//! Values that an earlier result returned, put in where a recording refers to them.

use crate::case::unescaped_name;
use crate::client::Page;
use crate::suite::Selector;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A saved value; a captured text may stand for a number.
#[derive(Debug, Clone)]
struct Saved {
    value: Value,
    is_captured: bool,
}

/// The names saved so far in an attempt.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    saved: HashMap<String, Saved>,
    /// References that fell back to the recorded value.
    pub unresolved: u64,
}

/// The arguments of a step: as sent, and with bound values replaced by their names.
pub(super) struct Bound {
    pub arguments: Map<String, Value>,
    pub key_arguments: Map<String, Value>,
}

impl Bindings {
    /// Saves what a step asks for from its first visible result.
    pub fn save(&mut self, wanted: &[(String, Selector)], page: &Page<'_>) {
        for (name, place) in wanted {
            if let Some(value) = super::rule::find(place, page) {
                let is_captured = matches!(place, Selector::Pattern(_));
                self.saved.insert(name.clone(), Saved { value, is_captured });
            }
        }
    }

    /// The arguments with every reference resolved; `recorded` sends all of them as they were recorded.
    pub fn resolve(&mut self, arguments: &Map<String, Value>, recorded: bool) -> Bound {
        let mut sent = Map::new();
        let mut keys = Map::new();
        for (name, value) in arguments {
            let (value, key) = self.resolve_value(value, recorded);
            sent.insert(unescaped_name(name).to_owned(), value);
            keys.insert(name.clone(), key);
        }
        Bound { arguments: sent, key_arguments: keys }
    }

    fn resolve_value(&mut self, value: &Value, recorded: bool) -> (Value, Value) {
        match value {
            Value::Object(map) => match map.get("$from").and_then(Value::as_str) {
                Some(name) => {
                    let fallback = map.get("recorded").cloned().unwrap_or(Value::Null);
                    let key = json!({ "$from": name });
                    (if recorded { fallback } else { self.value_of(name, fallback) }, key)
                }
                None => {
                    let bound = self.resolve(map, recorded);
                    (Value::Object(bound.arguments), Value::Object(bound.key_arguments))
                }
            },
            Value::Array(items) => {
                let (sent, keys) = items.iter().map(|item| self.resolve_value(item, recorded)).unzip();
                (Value::Array(sent), Value::Array(keys))
            }
            scalar => (scalar.clone(), scalar.clone()),
        }
    }

    fn value_of(&mut self, name: &str, recorded: Value) -> Value {
        match self.saved.get(name) {
            None => {
                self.unresolved += 1;
                recorded
            }
            Some(Saved { value: Value::String(text), is_captured: true }) if recorded.is_number() => {
                serde_json::from_str::<serde_json::Number>(text)
                    .map_or(Value::String(text.clone()), Value::Number)
            }
            Some(saved) => saved.value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Block;
    use crate::text::{Pattern, Pointer};

    #[test]
    fn references_resolve_at_any_depth_and_fall_back_with_a_count() {
        let blocks = [r#"{"id": "b-1", "n": 7}"#, "session: 42"].map(|text| Block::of_text(text.to_owned()));
        let page = Page::new(&blocks, "\n");
        let mut bindings = Bindings::default();
        bindings.save(
            &[
                ("doc".into(), Selector::Pointer(Pointer::new("/id").unwrap())),
                ("session".into(), Selector::Pattern(Pattern::new(r"session: (\d+)").unwrap())),
                ("absent".into(), Selector::Pointer(Pointer::new("/none").unwrap())),
            ],
            &page,
        );
        let arguments = json!({"in": [{"id": {"$from": "doc", "recorded": "a-9"}}],
            "session": {"$from": "session", "recorded": 1}, "as_text": {"$from": "session", "recorded": "1"},
            "lost": {"$from": "absent", "recorded": 5}});
        let bound = bindings.resolve(arguments.as_object().unwrap(), false);
        assert_eq!(
            Value::Object(bound.arguments),
            json!({"in": [{"id": "b-1"}], "session": 42, "as_text": "42", "lost": 5})
        );
        let own = json!({"$from": {"$$from": [{"$from": "doc", "from": 1, "$fro": 2}]}});
        let in_case = crate::case::escaped(own.clone());
        assert_eq!(in_case, json!({"$$from": {"$$$from": [{"$$from": "doc", "from": 1, "$fro": 2}]}}));
        let sent = bindings.resolve(in_case.as_object().unwrap(), false).arguments;
        assert_eq!(Value::Object(sent), own, "an argument of that name is no binding");
        assert_eq!(bound.key_arguments["in"], json!([{"id": {"$from": "doc"}}]));
        assert_eq!(bindings.unresolved, 1);
    }
}
