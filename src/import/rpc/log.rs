//! Lines of logs that hold a message.

use super::Sender;
use std::sync::OnceLock;

/// A message within a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Logged<'l> {
    pub sender: Sender,
    pub at: Option<&'l str>,
    pub server: Option<&'l str>,
    pub json: &'l str,
}

/// What stands before a message, and who sent it.
const SIGNS: [(&str, Sender); 6] = [
    ("Message from client: ", Sender::Client),
    ("Message from server: ", Sender::Server),
    ("[editor -> server] ", Sender::Client),
    ("[server -> editor] ", Sender::Server),
    ("[client -> server] ", Sender::Client),
    ("[server -> client] ", Sender::Server),
];

/// The message of a line of VS Code's or Claude Desktop's log.
pub(super) fn message(line: &str) -> Option<Logged<'_>> {
    let start = line.find('{')?;
    let (before, json) = line.split_at(start);
    let (sign, sender) = SIGNS.iter().find(|(sign, _)| before.ends_with(sign))?;
    let before = &before[..before.len() - sign.len()];
    let at = time().find(before).map(|found| found.as_str());
    // Claude Desktop: `TIME [NAME] [LEVEL] Message ...`; VS Code: `TIME [LEVEL] [editor -> server]`.
    let mut brackets =
        before.split('[').skip(1).filter_map(|rest| rest.split_once(']').map(|(name, _)| name));
    let first = brackets.next();
    let server = if brackets.next().is_some() { first.filter(|name| !name.is_empty()) } else { None };
    Some(Logged { sender: *sender, at, server, json })
}

fn time() -> &'static regex::Regex {
    static TIME: OnceLock<regex::Regex> = OnceLock::new();
    TIME.get_or_init(|| {
        regex::Regex::new(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?").expect("the expression is a constant")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_in_lines() {
        for (line, expected) in [
            (
                r#"2026-01-01T00:00:00.100Z [docs] [info] Message from client: {"id":9}"#,
                Some((Sender::Client, Some("2026-01-01T00:00:00.100Z"), Some("docs"), r#"{"id":9}"#)),
            ),
            (
                r#"2026-01-01 00:00:00.500 [trace] [server -> editor] {"id":3}"#,
                Some((Sender::Server, Some("2026-01-01 00:00:00.500"), None, r#"{"id":3}"#)),
            ),
            (r#"2026-01-01 00:00:00.500 [info] Connection state: Running {"x":1}"#, None),
            ("2026-01-01T00:00:00.100Z [docs] [info] Server started", None),
        ] {
            let found = message(line).map(|found| (found.sender, found.at, found.server, found.json));
            assert_eq!(found, expected, "{line}");
        }
    }
}
