//! Sessions in the normalised form of checkpoints (`"v": 1`): no envelope, and results merged into their calls.

use super::fields::text;
use serde_json::{Value, json};

/// Whether a record has this form.
pub(super) fn is_normalised(record: &Value) -> bool {
    record.get("v").and_then(Value::as_u64) == Some(1)
        && record.get("message").is_none()
        && record.get("content").is_some()
}

/// The records that a session would hold in its place: the message, and the results of its calls.
pub(super) fn records(mut record: Value) -> Vec<Value> {
    let mut content = record.get_mut("content").map(Value::take).unwrap_or_default();
    let mut results = Vec::new();
    for block in content.as_array_mut().into_iter().flatten() {
        // A prompt's blocks may lack their type.
        if block.get("type").is_none() && block.get("text").is_some() {
            block["type"] = json!("text");
        }
        if let (Some(id), Some(result)) =
            (text(block, "id").map(str::to_owned), block.get_mut("result").map(Value::take))
        {
            results.push(result_block(&id, result));
        }
    }
    let id = record.get("id").cloned().unwrap_or_default();
    let usage =
        json!({"input_tokens": record.get("input_tokens"), "output_tokens": record.get("output_tokens")});
    let envelope = |kind: Value, message: Value| json!({"type": kind, "timestamp": record.get("ts"), "version": record.get("cli_version"), "message": message});
    let kind = record.get("type").cloned().unwrap_or_default();
    let mut records = vec![envelope(kind, json!({"id": id, "content": content, "usage": usage}))];
    if !results.is_empty() {
        records.push(envelope(json!("user"), json!({"content": results})));
    }
    records
}

fn result_block(id: &str, mut result: Value) -> Value {
    let is_error = text(&result, "status") == Some("error");
    let content = match &mut result {
        Value::Object(map) => ["output", "content", "text"].iter().find_map(|key| map.remove(*key)),
        other => Some(other.take()),
    };
    json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error})
}
