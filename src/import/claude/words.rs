//! What a `user` record is: the transcript files much under that name that nobody typed.

/// What the text of a `user` record is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserText {
    Prompt(String),
    /// Shown to the agent by its client.
    Shown(String),
    Compaction(String),
}

/// What a record says of itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UserFlags {
    pub is_meta: bool,
    pub is_compact_summary: bool,
    /// The record holds results: text beside them is a notice.
    pub has_results: bool,
}

/// How texts begin that the client wrote. A command that only the client runs begins with its name; one that
/// stands for a prompt begins with its message.
const OF_THE_CLIENT: [&str; 11] = [
    "<local-command-",
    "<command-name>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<user-memory-input>",
    "[Request interrupted by user",
    "Caveat: The messages below were generated",
    "[Image: ",
    "Base directory for this skill:",
];
const SUMMARY: &str = "This session is being continued from a previous conversation";

/// Tells prompts from what the client wrote.
pub(super) fn user_text(text: &str, flags: UserFlags) -> Option<UserText> {
    if flags.is_compact_summary || text.starts_with(SUMMARY) {
        return Some(UserText::Compaction(text.to_owned()));
    }
    let typed = without_reminders(text);
    let typed = typed.trim();
    if text.trim().is_empty() {
        return None;
    }
    let is_clients = OF_THE_CLIENT.iter().any(|start| typed.starts_with(start));
    if typed.is_empty() || flags.is_meta || flags.has_results || is_clients {
        return Some(UserText::Shown(text.to_owned()));
    }
    Some(UserText::Prompt(command(typed).unwrap_or_else(|| typed.to_owned())))
}

/// A command as it was typed: its name and arguments.
fn command(text: &str) -> Option<String> {
    let inside = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    if !text.starts_with("<command-message>") {
        return None;
    }
    let arguments = inside("command-args").unwrap_or_default();
    Some(format!("{} {arguments}", inside("command-name")?).trim_end().to_owned())
}

/// The text without the reminders that the client puts in.
pub(in crate::import) fn without_reminders(text: &str) -> String {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        match after.split_once(CLOSE) {
            Some((_, after)) => rest = after,
            None => return out,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_told_from_what_the_client_wrote() {
        let none = UserFlags::default();
        let prompt = |text: &str| Some(UserText::Prompt(text.to_owned()));
        let shown = |text: &str| Some(UserText::Shown(text.to_owned()));
        for (text, flags, wanted) in [
            ("Fix it", none, prompt("Fix it")),
            ("<system-reminder>x</system-reminder>\nFix it", none, prompt("Fix it")),
            ("<system-reminder>x</system-reminder>", none, shown("<system-reminder>x</system-reminder>")),
            (
                "<command-message>pr</command-message>\n<command-name>/pr</command-name>\n<command-args>now</command-args>",
                none,
                prompt("/pr now"),
            ),
            ("<command-name>/mcp</command-name>", none, shown("<command-name>/mcp</command-name>")),
            ("<local-command-stdout>x", none, shown("<local-command-stdout>x")),
            ("body of a skill", UserFlags { is_meta: true, ..none }, shown("body of a skill")),
            ("[Request interrupted by user]", none, shown("[Request interrupted by user]")),
            ("a notice", UserFlags { has_results: true, ..none }, shown("a notice")),
            (
                "Summary",
                UserFlags { is_compact_summary: true, ..none },
                Some(UserText::Compaction("Summary".to_owned())),
            ),
            (" \n", none, None),
        ] {
            assert_eq!(user_text(text, flags), wanted, "{text}");
        }
    }
}
