//! The shared vocabulary: sides, splits, metrics, outcomes. A leaf that every module may import.
//!
//! Each word is spelled once, here, with the text that files and tables show.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Declares an enum whose variants have a fixed text in files: `as_str`, `parse`, `ALL`, serde.
macro_rules! word_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// The text of this value in files and tables.
            pub const fn as_str(self) -> &'static str { match self { $($name::$variant => $text),+ } }
            /// The value with this text.
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some($name::$variant),)+ _ => None } }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.as_str()) }
        }
    };
}
pub(crate) use word_enum;

mod metric_name;
pub use metric_name::{Better, Metric, NoiseClass, Unit};

/// What a replay runs against. Ordered as tables print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Baseline,
    Candidate,
    /// The baseline once more, in processes of its own; numbered from 1.
    SameCode(u32),
    /// Attempt 1 of each case once more on the candidate; never part of a delta.
    CandidateAgain,
    /// The same of a stored run that now serves as baseline.
    BaselineAgain,
}

impl Side {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "baseline" => Some(Self::Baseline),
            "candidate" => Some(Self::Candidate),
            "candidate-again" => Some(Self::CandidateAgain),
            "baseline-again" => Some(Self::BaselineAgain),
            "same-code" => Some(Self::SameCode(1)),
            _ => text.strip_prefix("same-code-")?.parse().ok().filter(|k| *k >= 2).map(Self::SameCode),
        }
    }

    /// Whether this side runs the baseline's code.
    pub fn is_baseline_code(self) -> bool {
        matches!(self, Self::Baseline | Self::SameCode(_) | Self::BaselineAgain)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline => f.pad("baseline"),
            Self::Candidate => f.pad("candidate"),
            Self::SameCode(1) => f.pad("same-code"),
            Self::SameCode(k) => f.pad(&format!("same-code-{k}")),
            Self::CandidateAgain => f.pad("candidate-again"),
            Self::BaselineAgain => f.pad("baseline-again"),
        }
    }
}

impl Serialize for Side {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("unknown side `{text}`")))
    }
}

word_enum!(
    /// The half of a suite that a case belongs to.
    Split { Dev => "dev", Test => "test" });

word_enum!(
    /// What a tool is for, as the suite or inference says.
    ToolKind { Read => "read", Search => "search", Other => "other", Write => "write" });

word_enum!(
/// How one call ended.
Outcome {
    Ok => "ok", ToolError => "tool_error", ProtocolError => "protocol_error",
    Timeout => "timeout", Crashed => "crashed",
    /// Not sent: the tool may change something and the suite does not allow it.
    Skipped => "skipped",
});

word_enum!(
/// Why a chain ended.
ChainEnd {
    Met => "met", End => "end", Stuck => "stuck", Blind => "blind", Capped => "capped",
    Error => "error", GaveUp => "gave_up",
});

word_enum!(
/// What the model sees of a result.
ViewKind {
    Whole => "whole",
    /// A notice with the path of a saved file.
    Spilled => "spilled",
    /// A notice without the data.
    Rejected => "rejected",
    /// Part of the result.
    Cut => "cut",
});

word_enum!(
    /// Where the value of a continuation came from.
    Evidence { Offered => "offered", Computed => "computed" });

word_enum!(
    /// What became of an attempt.
    Status { Ok => "ok", Failed => "failed", Infrastructure => "infrastructure" });

word_enum!(
    /// What the agent does after an oversized result that is not shown whole.
    OnOversized { RetrySmaller => "retry_smaller", ReadSavedFile => "read_saved_file", GiveUp => "give_up" });

word_enum!(
    /// Which results a run keeps beside its journal.
    KeepBodies { Nothing => "none", Oversized => "oversized", All => "all" });

word_enum!(
    /// How often a side's process is made anew.
    Restart { Worker => "worker", Case => "case", Attempt => "attempt" });

word_enum!(
    /// Where a need comes from.
    NeedKind { Used => "used", End => "end", Last => "last", All => "all", Written => "written" });

word_enum!(
    /// What a rule asks of a metric.
    Role { Guardrail => "guardrail", Goal => "goal", Info => "info" });

word_enum!(
    /// Which of the two questions a rule answers.
    Question { TheseCases => "these-cases", CasesLikeThese => "cases-like-these" });

word_enum!(
    /// How a recording is sent.
    ReplayMode { Adaptive => "adaptive", Verbatim => "verbatim" });

word_enum!(
    /// A layer of a client profile's limits.
    Layer { Tokens => "tokens", Chars => "chars", Bytes => "bytes", Lines => "lines" });
