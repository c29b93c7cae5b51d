//! What of an input could not be read: counted and named, never in the way of the rest.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A way in which an input can be damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Damage {
    /// A file or folder that cannot be opened or read on.
    Unreadable,
    /// A file of no known format.
    UnknownFormat,
    /// A line that is no JSON, or none of the format.
    BadLine,
    /// The last line ends before its end: the writer crashed, or is still writing.
    CutLine,
    /// A line over [`super::MOST_LINE_BYTES`].
    LongLine,
    /// Text that is no UTF-8; what is not is replaced, the rest is read.
    InvalidUtf8,
    /// A call without a result.
    NoResult,
    /// A result whose call was not seen.
    NoCall,
}

impl Damage {
    /// What was lost, for one and for many.
    fn phrase(self, count: u64) -> String {
        let (one, many) = match self {
            Self::Unreadable => ("place that cannot be read", "places that cannot be read"),
            Self::UnknownFormat => ("file of no known format", "files of no known format"),
            Self::BadLine => ("line that is no record", "lines that are no records"),
            Self::CutLine => ("last line cut short", "last lines cut short"),
            Self::LongLine => ("line too long to be read", "lines too long to be read"),
            Self::InvalidUtf8 => (
                "line with invalid UTF-8 (read all the same)",
                "lines with invalid UTF-8 (read all the same)",
            ),
            Self::NoResult => ("call without a result", "calls without a result"),
            Self::NoCall => ("result without a call", "results without a call"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// Whether something of the input was lost, and not only left open by the agent.
    pub fn is_loss(self) -> bool {
        !matches!(self, Self::NoResult | Self::NoCall | Self::InvalidUtf8)
    }
}

/// One place that was damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    file: PathBuf,
    line: u64,
    why: String,
}

/// Places named for each kind of damage; all of them are counted.
const MOST_NAMED: usize = 3;

/// Everything that could not be read.
#[derive(Debug, Clone, Default)]
pub struct ImportProblems {
    found: BTreeMap<Damage, (u64, Vec<Place>)>,
}

impl ImportProblems {
    /// Notes a damaged place. `line` counts from 1; 0 is the file as a whole. `why` may be empty.
    pub fn note(&mut self, damage: Damage, file: &Path, line: u64, why: impl fmt::Display) {
        let (count, places) = self.found.entry(damage).or_default();
        *count += 1;
        if places.len() < MOST_NAMED {
            places.push(Place { file: file.to_owned(), line, why: why.to_string() });
        }
    }

    pub fn count(&self, damage: Damage) -> u64 {
        self.found.get(&damage).map_or(0, |(count, _)| *count)
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was lost, without what the agent left open.
    pub fn losses(mut self) -> Self {
        self.found.retain(|damage, _| damage.is_loss());
        self
    }

    /// Takes in what was found elsewhere.
    pub fn add(&mut self, other: ImportProblems) {
        for (damage, (count, places)) in other.found {
            let (total, named) = self.found.entry(damage).or_default();
            *total += count;
            named.extend(places);
            named.truncate(MOST_NAMED);
        }
    }

    /// One line a kind of damage: how often, and where first.
    pub fn lines(&self) -> Vec<String> {
        self.found.iter().map(|(damage, (count, places))| line(*damage, *count, places)).collect()
    }
}

fn line(damage: Damage, count: u64, places: &[Place]) -> String {
    let named: Vec<String> = places.iter().map(named).collect();
    let rest = count.saturating_sub(places.len() as u64);
    let rest = if rest > 0 { format!(", and {rest} more") } else { String::new() };
    format!("{}: {}{rest}", damage.phrase(count), named.join(", "))
}

fn named(place: &Place) -> String {
    let line = if place.line > 0 { format!(":{}", place.line) } else { String::new() };
    let why = if place.why.is_empty() { String::new() } else { format!(" ({})", place.why) };
    format!("{}{line}{why}", place.file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_first_named() {
        let mut problems = ImportProblems::default();
        for line in 1..=5 {
            problems.note(Damage::BadLine, Path::new("a.jsonl"), line, "");
        }
        problems.note(Damage::Unreadable, Path::new("b"), 0, "permission denied");
        assert_eq!(
            problems.lines(),
            [
                "1 place that cannot be read: b (permission denied)",
                "5 lines that are no records: a.jsonl:1, a.jsonl:2, a.jsonl:3, and 2 more",
            ]
        );
    }
}
