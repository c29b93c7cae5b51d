//! Results that ask for input first (revision 2026-07-28), and what a client without such offers
//! answers.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::envelope::text_of;
use super::mend::read_value;

/// The most times that one call is sent again with answers.
pub(crate) const ROUNDS: u32 = 10;

/// A result whose `resultType` is `input_required`.
#[derive(Debug)]
pub(crate) struct InputRequired {
    /// The requests, by the server's keys.
    requests: Map<String, Value>,
    /// `requestState`, to be sent back as it came.
    pub(crate) state: Option<Box<RawValue>>,
}

impl InputRequired {
    /// Read a result; `None` when it is complete, as almost all are.
    pub(crate) fn read(result: &RawValue) -> Option<Self> {
        // The text is searched before anything is parsed: results are large and this is rare.
        memchr::memmem::find(result.get().as_bytes(), b"input_required")?;
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
        if text_of(members.get("resultType")?)? != "input_required" {
            return None;
        }
        let requests = members.get("inputRequests").and_then(|raw| read_value(raw.get()).ok());
        let requests = requests.and_then(|requests| requests.as_object().cloned()).unwrap_or_default();
        let state = members.get("requestState").map(|state| (*state).to_owned());
        Some(Self { requests, state })
    }

    /// The answers of a client that offers nothing: questions to the user are declined. Anything
    /// else has no answer, and its method is the error.
    pub(crate) fn answers(&self) -> Result<Value, String> {
        let mut answers = Map::new();
        for (key, request) in &self.requests {
            match request["method"].as_str() {
                Some("elicitation/create") => answers.insert(key.clone(), json!({ "action": "decline" })),
                Some(other) => return Err(other.to_owned()),
                None => return Err("a request without a method".to_owned()),
            };
        }
        Ok(Value::Object(answers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<InputRequired> {
        InputRequired::read(&RawValue::from_string(json.to_owned()).expect("json"))
    }

    #[test]
    fn only_the_result_type_decides() {
        assert!(read(r#"{"content":[{"type":"text","text":"input_required"}]}"#).is_none());
        assert!(read(r#"{"resultType":"complete","note":"input_required"}"#).is_none());
        assert!(read(r#"["input_required"]"#).is_none());
        let asked = read(
            r#"{"resultType":"input_required","requestState":"a\u00e9","inputRequests":{"k":{"method":"elicitation/create"}}}"#,
        )
        .expect("a question");
        assert_eq!(asked.state.as_deref().map(RawValue::get), Some(r#""a\u00e9""#));
        assert_eq!(asked.answers(), Ok(json!({"k": {"action": "decline"}})));
        let other = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
        assert_eq!(read(other).expect("a question").answers(), Err("roots/list".to_owned()));
    }
}
