//! Which conversation a record belongs to. Subagents of older versions stand in the file of their session,
//! told by a flag and by the chain of parents alone.

use super::fields::{flag, text};
use crate::import::model::ThreadId;
use serde_json::Value;
use std::collections::HashMap;

/// The conversations of a file, as far as they were met. The main one is 0.
#[derive(Debug, Default)]
pub(super) struct Threads {
    count: ThreadId,
    by_name: HashMap<String, ThreadId>,
    /// Of records of subagents: their thread by their id.
    by_uuid: HashMap<String, ThreadId>,
    /// The subagent of the record before.
    last: Option<ThreadId>,
}

impl Threads {
    /// The thread of a record.
    pub fn of(&mut self, record: &Value) -> ThreadId {
        let parent_call = text(record, "parent_tool_use_id");
        if !flag(record, "isSidechain") && parent_call.is_none() {
            return 0;
        }
        let thread = match text(record, "agentId").or(parent_call) {
            Some(name) => self.named(name),
            None => {
                let parent = text(record, "parentUuid");
                let known = parent.and_then(|parent| self.by_uuid.get(parent)).copied();
                // A parent that was passed over: the subagent that spoke last goes on.
                known.or(self.last.filter(|_| parent.is_some())).unwrap_or_else(|| self.add())
            }
        };
        self.last = Some(thread);
        if let Some(uuid) = text(record, "uuid") {
            self.by_uuid.insert(uuid.to_owned(), thread);
        }
        thread
    }

    /// The thread of the subagent with this name.
    pub fn named(&mut self, name: &str) -> ThreadId {
        if let Some(thread) = self.by_name.get(name) {
            return *thread;
        }
        let thread = self.add();
        self.by_name.insert(name.to_owned(), thread);
        thread
    }

    fn add(&mut self) -> ThreadId {
        self.count += 1;
        self.count
    }
}
