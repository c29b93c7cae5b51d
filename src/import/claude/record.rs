//! A line of a session as a value, without what nobody reads.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The client's own copy of a result, beside the one that the model got: about half of a long line.
const UNREAD: &str = "toolUseResult";

/// An object.
pub struct Record(pub Value);

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfRecord)
    }
}

struct OfRecord;

impl<'de> Visitor<'de> for OfRecord {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let mut record = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == UNREAD {
                map.next_value::<IgnoredAny>()?;
            } else {
                record.insert(key, map.next_value()?);
            }
        }
        Ok(Record(Value::Object(record)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_but_the_copy_of_a_result_is_kept_in_its_order() {
        let text = r#"{"b": 1, "toolUseResult": {"content": ["\ud83d\ude00"]}, "a": {"toolUseResult": 2}}"#;
        let Record(record) = serde_json::from_str(text).unwrap();
        assert_eq!(record, json!({ "b": 1, "a": { "toolUseResult": 2 } }));
        assert_eq!(record.as_object().unwrap().keys().collect::<Vec<_>>(), ["b", "a"]);
        for text in ["[1]", "7", r#"{"toolUseResult": }"#, r#"{"toolUseResult": "a"#] {
            assert!(serde_json::from_str::<Record>(text).is_err(), "{text}");
        }
    }
}
