//! `{self} {root} {side} {port} {tmp} {seed} {attempt_seed}` in commands, arguments, env and url.

crate::words::word_enum!(
/// What is filled in when a side's process is made; any other text in braces stays as it is.
Placeholder {
    /// The running mcp-regress, for its fixture server.
    SelfBinary => "self",
    Root => "root",
    Side => "side",
    Port => "port",
    Tmp => "tmp",
    Seed => "seed",
    /// A hash of seed, case id, side and attempt; with `restart = "attempt"` only.
    AttemptSeed => "attempt_seed",
});

/// `text` with each placeholder replaced by what `value` gives; one without a value stays. What is filled in is
/// not looked at again.
pub fn fill(text: &str, mut value: impl FnMut(Placeholder) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        match head(rest).and_then(|(placeholder, length)| Some((value(placeholder)?, length))) {
            Some((filled, length)) => {
                out.push_str(&filled);
                rest = &rest[length..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The placeholders of a text, in order.
pub fn placeholders_in(text: &str) -> Vec<Placeholder> {
    let mut found = Vec::new();
    fill(text, |placeholder| {
        found.push(placeholder);
        None
    });
    found
}

/// The placeholder at the start of `rest`, and its length with the braces.
fn head(rest: &str) -> Option<(Placeholder, usize)> {
    let close = rest.find('}')?;
    Some((Placeholder::parse(rest.get(1..close)?)?, close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_what_is_named_and_nothing_else() {
        let value = |placeholder| match placeholder {
            Placeholder::Port => Some("80".to_owned()),
            Placeholder::Root => Some("{port}".to_owned()),
            _ => None,
        };
        for (text, wanted) in [
            ("http://h:{port}/mcp", "http://h:80/mcp"),
            ("{{port}}", "{80}"),
            ("{root}/{tmp}", "{port}/{tmp}"),
            ("{\"a\": {port}}", "{\"a\": 80}"),
            ("{unknown} {Port} {", "{unknown} {Port} {"),
            ("é{é}{port}", "é{é}80"),
        ] {
            assert_eq!(fill(text, value), wanted, "{text}");
        }
        assert_eq!(placeholders_in("{seed}{x}{attempt_seed}"), [Placeholder::Seed, Placeholder::AttemptSeed]);
    }
}
