//! Names that may begin with their server's: `docs_read_document`.

use super::kinds::kind_by_name;
use crate::words::ToolKind;

/// Server and tool of a name of three words or more whose second word is a verb and whose first is none; else
/// the name is taken to be the tool's own.
pub(super) fn server_and_bare(name: &str) -> (Option<&str>, &str) {
    let Some((first, rest)) = name.split_once('_') else { return (None, name) };
    let is_verb = |word: &str| kind_by_name(word) != ToolKind::Other;
    let second = rest.split('_').next().unwrap_or_default();
    let is_prefix = !first.is_empty() && !is_verb(first) && is_verb(second) && rest.len() > second.len() + 1;
    if is_prefix { (Some(first), rest) } else { (None, name) }
}

#[cfg(test)]
mod tests {
    use super::server_and_bare;

    #[test]
    fn a_verb_in_second_place_shows_a_prefix() {
        for (name, expected) in [
            ("docs_read_document", (Some("docs"), "read_document")),
            ("read_document", (None, "read_document")),
            ("thread_read", (None, "thread_read")),
            ("list_all_files", (None, "list_all_files")),
            ("bash", (None, "bash")),
            ("_read_x", (None, "_read_x")),
        ] {
            assert_eq!(server_and_bare(name), expected, "{name}");
        }
    }
}
