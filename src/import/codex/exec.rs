//! Events of `codex exec --json`: what came of each item, without times and prompts.

use super::outputs::Own;
use super::{CodexReader, Place, State, object, text, usage_of};
use crate::import::model::{About, Call, EventKind, Output};
use serde_json::{Map, Value};

impl CodexReader {
    pub(super) fn exec(&mut self, kind: &str, record: &mut Value, place: &mut Place<'_>) {
        match kind {
            "thread.started" => {
                let session_id = text(record, "thread_id").map(str::to_owned);
                place.tell(EventKind::About(About { session_id, ..About::default() }));
            }
            "turn.completed" => {
                if let Some(usage) = record.get("usage") {
                    place.tell(EventKind::Tokens(usage_of(usage)));
                }
            }
            "item.started" | "item.updated" | "item.completed" => {
                let Some(mut item) = record.get_mut("item").map(Value::take) else { return };
                self.exec_item(&mut item, kind == "item.completed", place);
            }
            _ => {}
        }
    }

    fn exec_item(&mut self, item: &mut Value, is_completed: bool, place: &mut Place<'_>) {
        // Older versions name the kind `item_type`.
        let kind = text(item, "type").or_else(|| text(item, "item_type")).unwrap_or_default().to_owned();
        let said = || text(item, "text").unwrap_or_default().to_owned();
        match kind.as_str() {
            "agent_message" | "assistant_message" if is_completed => place.tell(EventKind::Say(said())),
            "reasoning" if is_completed => place.tell(EventKind::Think(said())),
            "mcp_tool_call" => self.exec_call(item, is_completed, place),
            "command_execution" if is_completed => own_tool(item, "shell", "command", place),
            _ => {}
        }
    }

    fn exec_call(&mut self, item: &mut Value, is_completed: bool, place: &mut Place<'_>) {
        let server = text(item, "server").map(str::to_owned);
        let Some(tool) = text(item, "tool").map(str::to_owned) else { return };
        let id = text(item, "id").map_or_else(|| format!("line-{}", place.line), str::to_owned);
        if !self.calls.contains_key(&id) {
            let arguments = match item.get_mut("arguments").map(Value::take) {
                Some(Value::String(text)) => object(crate::wire::read_value(&text).unwrap_or_default()),
                other => object(other.unwrap_or_default()),
            };
            let state = State { line: place.line, own: None, is_of_model: false, is_answered: false };
            self.calls.insert(id.clone(), state);
            place.tell(EventKind::Call(Call { id: id.clone(), server, tool, arguments }));
        }
        let Some(state) = self.calls.get_mut(&id).filter(|state| is_completed && !state.is_answered) else {
            return;
        };
        let error = item.get("error").filter(|error| !error.is_null());
        let own = match (error, item.get("result").filter(|result| !result.is_null())) {
            (Some(error), _) => Own::of_error(error),
            (None, Some(result)) => Own::of_rollout(camel(result.clone())),
            // A version that keeps no results.
            (None, None) => return,
        };
        state.is_answered = true;
        let failed = text(item, "status") == Some("failed");
        let mut output = own.output(id);
        output.is_error |= failed;
        place.tell(EventKind::Output(output));
    }
}

/// A result whose members are written in snake case.
fn camel(mut result: Value) -> Value {
    if let Value::Object(members) = &mut result {
        for (old, new) in [("structured_content", "structuredContent"), ("is_error", "isError")] {
            if let Some(value) = members.remove(old) {
                members.insert(new.to_owned(), value);
            }
        }
    }
    result
}

/// A call of the client's own with its result.
fn own_tool(item: &Value, tool: &str, argument: &str, place: &mut Place<'_>) {
    let Some(id) = text(item, "id").map(str::to_owned) else { return };
    let command = item.get(argument).cloned().unwrap_or_default();
    let arguments = Map::from_iter([(argument.to_owned(), command)]);
    let output = text(item, "aggregated_output").unwrap_or_default().to_owned();
    let failed = item.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0);
    place.tell(EventKind::Call(Call { id: id.clone(), server: None, tool: tool.to_owned(), arguments }));
    place.tell(EventKind::Output(Output::of_text(id, output, failed)));
}
