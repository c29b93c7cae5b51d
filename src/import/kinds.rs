//! What a tool is for, as its name and its use say: transcripts hold no schemas.

use crate::words::ToolKind;

const WRITES: [&str; 38] = [
    "add",
    "append",
    "apply",
    "approve",
    "archive",
    "assign",
    "cancel",
    "clear",
    "close",
    "create",
    "delete",
    "edit",
    "insert",
    "install",
    "merge",
    "move",
    "multiedit",
    "notebookedit",
    "patch",
    "publish",
    "push",
    "put",
    "remove",
    "rename",
    "replace",
    "reply",
    "resolve_thread",
    "save",
    "send",
    "set",
    "submit",
    "todowrite",
    "update",
    "upload",
    "upsert",
    "write",
    "delegate",
    "transition",
];
const SEARCHES: [&str; 11] = [
    "search",
    "find",
    "query",
    "grep",
    "glob",
    "lookup",
    "match",
    "filter",
    "suggest",
    "discover",
    "websearch",
];
const READS: [&str; 17] = [
    "read", "get", "fetch", "list", "view", "show", "open", "load", "download", "retrieve", "describe",
    "browse", "cat", "export", "inspect", "webfetch", "dump",
];

/// The kind that a tool's name says: by the first of its words that is a verb known here.
pub fn kind_by_name(name: &str) -> ToolKind {
    for word in words_of(name) {
        let word = word.as_str();
        if WRITES.contains(&word) {
            return ToolKind::Write;
        }
        if SEARCHES.contains(&word) {
            return ToolKind::Search;
        }
        if READS.contains(&word) {
            return ToolKind::Read;
        }
    }
    ToolKind::Other
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else {
            if c.is_uppercase() && was_lower {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_verb_of_a_name_says_the_kind() {
        for (name, kind) in [
            ("read_document", ToolKind::Read),
            ("thread_read", ToolKind::Read),
            ("getIssue", ToolKind::Read),
            ("list_comments", ToolKind::Read),
            ("search", ToolKind::Search),
            ("find-tickets", ToolKind::Search),
            ("update_ticket", ToolKind::Write),
            ("create_search_index", ToolKind::Write),
            ("Edit", ToolKind::Write),
            ("Grep", ToolKind::Search),
            ("resolve-library-id", ToolKind::Other),
            ("settings", ToolKind::Other),
            ("", ToolKind::Other),
        ] {
            assert_eq!(kind_by_name(name), kind, "{name}");
        }
    }
}
