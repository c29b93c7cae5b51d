//! The nearest right name for a misspelt one, and lists of names for messages.

/// Longer names are no typing slip, and comparing them costs the product of the lengths.
const LONGEST: usize = 64;

/// The name of `known` that `wrong` most likely stands for, when one is near enough.
pub fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let folded = fold(wrong);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&folded, &fold(name)), name))
        .filter(|(distance, name)| {
            let short = folded.len().min(name.len());
            *distance <= (short / 3).max(1) && *distance < short
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Case, `-` and `_` are the commonest slips and weigh nothing.
fn fold(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

/// "did you mean `x`?", when a name is near enough.
pub fn did_you_mean<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(wrong, known).map(|name| format!("did you mean `{name}`?"))
}

/// "`a`", or "one of `a`, `b`, `c`".
pub fn list_of<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "no key".to_owned(),
        [one] => one.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
        for (wrong, wanted) in [
            ("contain", Some("contains")),
            ("Contains", Some("contains")),
            ("need-kind", Some("need_kind")),
            ("ened", Some("need")),
            ("x", None),
            ("recordings_of_the_case", None),
            ("zzzz", None),
        ] {
            assert_eq!(nearest(wrong, ["contains", "need", "need_kind", "end"]), wanted, "{wrong}");
        }
    }
}
