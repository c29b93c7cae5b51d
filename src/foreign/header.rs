//! What each column of the file is for, by its name.

use super::ForeignError;

/// A column that is no metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Case,
    Side,
    Attempt,
    Split,
    Cluster,
    Status,
    Recording,
    NeedsMet,
    NeedsTotal,
    Exposed,
    TokensSource,
}

/// The last five stand in the files that this bench writes.
const KEYS: [(&str, Key); 12] = [
    ("case", Key::Case),
    ("case_id", Key::Case),
    ("side", Key::Side),
    ("attempt", Key::Attempt),
    ("split", Key::Split),
    ("cluster", Key::Cluster),
    ("status", Key::Status),
    ("recording_id", Key::Recording),
    ("needs_met", Key::NeedsMet),
    ("needs_total", Key::NeedsTotal),
    ("exposed", Key::Exposed),
    ("input_tokens_source", Key::TokensSource),
];

/// The header line: where each key stands, and all other columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Header {
    pub names: Vec<String>,
    keys: Vec<(Key, usize)>,
    /// Places of the columns that may be metrics.
    pub metrics: Vec<usize>,
    /// Columns without a name, such as the index that some programs write: they can be no metrics.
    pub unnamed: usize,
}

impl Header {
    pub fn of(names: Vec<String>) -> Result<Self, ForeignError> {
        let mut header = Self { names, ..Self::default() };
        for (place, name) in header.names.iter().enumerate() {
            match KEYS.iter().find(|(key, _)| key == name) {
                Some((_, key)) => header.keys.push((*key, place)),
                None if name.is_empty() => header.unnamed += 1,
                None => header.metrics.push(place),
            }
        }
        let needed = [(Key::Case, "`case` or `case_id`"), (Key::Side, "`side`"), (Key::Attempt, "`attempt`")];
        for (key, wanted) in needed {
            if header.place(key).is_none() {
                return Err(header.lacks(wanted));
            }
        }
        for (place, name) in header.names.iter().enumerate() {
            if !name.is_empty() && header.names[..place].contains(name) {
                return Err(ForeignError::TwoColumns(name.clone()));
            }
        }
        if header.keys.iter().filter(|(key, _)| *key == Key::Case).count() > 1 {
            return Err(ForeignError::TwoColumns("case` and `case_id".to_owned()));
        }
        Ok(header)
    }

    pub fn place(&self, key: Key) -> Option<usize> {
        self.keys.iter().find(|(of, _)| *of == key).map(|(_, place)| *place)
    }

    fn lacks(&self, wanted: &'static str) -> ForeignError {
        const SHOWN: usize = 120;
        let line = self.names.join(",");
        let separator = [(';', "`;`"), ('\t', "a tab")].into_iter().find(|(c, _)| line.contains(*c));
        let found = match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", &line[..end]),
            None => line,
        };
        let plain = wanted.split('`').nth(1).unwrap_or_default();
        let near = self.names.iter().find(|name| name.eq_ignore_ascii_case(plain));
        let hint = match (near, separator) {
            (Some(name), _) => format!("; did you mean `{name}`? names are lower-case"),
            (None, Some((_, name))) if self.names.len() == 1 => {
                format!("; cells seem to be separated by {name}, and commas were expected")
            }
            _ => String::new(),
        };
        ForeignError::NoColumn { wanted, found, hint }
    }
}
