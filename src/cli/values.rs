//! Values of flags that have parts.

use crate::plan::Shard;
use std::path::PathBuf;
use std::str::FromStr;

/// The part of the cases to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardChoice {
    Given(Shard),
    /// From the environment; of so many parts, where it does not say.
    Auto(Option<u32>),
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("auto") else { return Shard::parse(text).map(Self::Given) };
        if rest.is_empty() {
            return Ok(Self::Auto(None));
        }
        let count = rest
            .strip_prefix('/')
            .ok_or_else(|| format!("`{text}` is neither I/N nor `auto` nor `auto/N`"))?;
        // Any part will do to check the count.
        Shard::parse(&format!("1/{count}")).map(|shard| Self::Auto(Some(shard.count)))
    }
}

crate::words::word_enum!(
/// A report that can be written to a path of its own.
ReportKind { Comment => "comment", Json => "json", Junit => "junit", Markdown => "markdown" });

impl ReportKind {
    /// Its file in the folder of a run.
    pub fn file(self) -> &'static str {
        match self {
            Self::Comment => "comment.md",
            Self::Json => "summary.json",
            Self::Junit => "junit.xml",
            Self::Markdown => "summary.md",
        }
    }
}

/// A report, and where else it is to be written; the folder of the run holds it anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportWish {
    pub kind: ReportKind,
    pub path: Option<PathBuf>,
}

impl FromStr for ReportWish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, path) = text.split_once('=').map_or((text, None), |(word, path)| (word, Some(path)));
        let kind = ReportKind::parse(word).ok_or_else(|| {
            let kinds: Vec<&str> = ReportKind::ALL.iter().map(|kind| kind.as_str()).collect();
            format!("no report `{word}`; expected one of {}", kinds.join(", "))
        })?;
        if path == Some("") {
            return Err(format!("`{word}=` without a path"));
        }
        Ok(Self { kind, path: path.map(PathBuf::from) })
    }
}
