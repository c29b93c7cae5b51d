//! The suite as typed values. What a file leaves out is `None`: flags and defaults come later.

use crate::text::{Pattern, Pointer};
use crate::words::{Layer, Metric, OnOversized, Question, Restart, Role, Side, Split, ToolKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A suite file, checked. All names that may be overridden by a flag are optional.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The file; `None` for a suite of defaults.
    pub file: Option<PathBuf>,
    /// The folder from which globs, roots and relative commands are taken.
    pub dir: PathBuf,
    /// SHA-256 of the file's bytes, or of nothing for a suite of defaults.
    pub sha256: String,
    /// Globs relative to `dir`.
    pub cases: Vec<String>,
    pub attempts: Option<u32>,
    pub same_code: Option<u32>,
    pub seed: Option<u64>,
    pub on_oversized: Option<OnOversized>,
    /// Characters of a saved file that one spill read shows.
    pub spill_chunk: Option<u64>,
    pub restart: Option<Restart>,
    pub max_pages: Option<u32>,
    pub start_timeout: Option<Duration>,
    pub call_timeout: Option<Duration>,
    pub client: ClientConfig,
    /// `[server]`: the definition that a side without its own takes.
    pub server: Option<ServerConfig>,
    pub baseline: Option<ServerConfig>,
    pub candidate: Option<ServerConfig>,
    pub services: Vec<ServiceConfig>,
    pub tools: BTreeMap<String, ToolDeclaration>,
    pub rules: Vec<Rule>,
}

/// `[client]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClientConfig {
    pub profile: Option<String>,
    /// Replaces the profile's limits.
    pub limits: Option<Vec<LimitConfig>>,
    pub token_estimator: Option<String>,
    pub protocol: Option<String>,
    /// The name and version that servers are told.
    pub client_info: Option<ClientName>,
    /// What the client says it offers; an object.
    pub capabilities: Option<serde_json::Value>,
}

/// A client as it names itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientName {
    pub name: String,
    pub version: String,
}

/// One limit of a client profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LimitConfig {
    pub layer: Layer,
    /// `utf16`, `scalars`, `bytes`, `lines`, `tokens_estimated`, `bytes_div_4`.
    pub unit: String,
    pub limit: u64,
}

/// `[server]`, `[baseline]`, `[candidate]`.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    pub command: Option<Vec<String>>,
    pub url: Option<String>,
    /// How `url` is spoken to; `None` is streamable HTTP.
    pub transport: Option<HttpTransport>,
    pub headers: Vec<(String, String)>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
    pub root: Option<String>,
    pub rev: Option<String>,
    pub build: Option<String>,
    /// A file of server definitions in a client's format, and the name in it.
    pub from: Option<String>,
    pub name: Option<String>,
    /// Variables that the side may see; `None` leaves the default, `Some(["all"])` is `pass_env = "all"`.
    pub pass_env: Option<Vec<String>>,
    /// `[candidate.tools.NAME] rename`: by the name that recordings use.
    pub renames: BTreeMap<String, Rename>,
}

crate::words::word_enum!(
/// The two transports of MCP over HTTP.
HttpTransport {
    Streamable => "http",
    /// That of revision 2024-11-05: one event stream, and a second URL to post to.
    LegacySse => "sse",
});

/// A tool or argument that has another name on one side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rename {
    pub tool: Option<String>,
    /// Recorded argument name to the side's name.
    pub arguments: BTreeMap<String, String>,
}

/// `[[service]]`: something that both sides need.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    pub command: Vec<String>,
    pub ready: Option<String>,
}

/// `[tools.NAME]`. `None` leaves that part to inference.
#[derive(Debug, Clone, Default)]
pub struct ToolDeclaration {
    pub kind: Option<ToolKind>,
    pub replay: Option<bool>,
    pub identity: Option<Vec<String>>,
    pub size: Option<Vec<String>>,
    pub continuation: Option<Vec<ContinuationRule>>,
    /// Leaves that are content for fingerprints; `*` stands for any index.
    pub content: Vec<Pointer>,
    pub ignore: Vec<Selector>,
}

/// Where a value is found: a pointer into the documents of a result, or group 1 of a pattern in its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Selector {
    Pointer(Pointer),
    Pattern(Pattern),
}

/// One rule of `continue`.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuationRule {
    pub next: Next,
    /// `while`: must hold for the rule to match.
    pub guard: Option<Selector>,
}

/// How the next call of a chain is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The value at a pointer goes into the argument.
    From { argument: String, pointer: Pointer },
    /// Group 1 of a pattern goes into the argument.
    Pattern { argument: String, pattern: Pattern },
    /// The last value sent plus a step. `items`: the array to count, for `advance = "items"` with `from`.
    Advance { argument: String, unit: AdvanceUnit, by: Option<StepBy>, items: Option<Pointer> },
    /// Another tool carries on with the values named in `carry`.
    Tool { tool: String, carry: Vec<(String, Selector)> },
    /// The server keeps the cursor: the same arguments again.
    Same,
}

crate::words::word_enum!(
    /// What an `advance` rule counts.
    AdvanceUnit { Lines => "lines", Items => "items", Chars => "chars", Pages => "pages" });

/// The step of an `advance` rule.
#[derive(Debug, Clone, PartialEq)]
pub enum StepBy {
    /// What was asked for by a size argument.
    Argument(String),
    /// What the server says it gave.
    Selector(Selector),
}

/// `[[rule]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    pub subject: Subject,
    pub bound: Bound,
    /// `None` is `all`.
    pub split: Option<Split>,
    /// Glob of case ids; `None` is every case.
    pub cases: Option<String>,
    /// The suite does not name it: it holds by default, and has nothing to say where nothing can be measured.
    #[serde(default)]
    pub is_implied: bool,
}

/// What a rule looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    Metric(Metric),
    Special(Special),
    /// A column of another harness's results, by its name. No suite file can name one.
    Column(String),
}

impl Subject {
    /// The subject with this text.
    pub fn parse(text: &str) -> Option<Self> {
        Metric::parse(text).map(Self::Metric).or_else(|| Special::parse(text).map(Self::Special))
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Metric(metric) => metric.as_str(),
            Self::Special(special) => special.as_str(),
            Self::Column(name) => name,
        }
    }
}

crate::words::word_enum!(
/// Subjects of rules that are no metric of an attempt.
Special {
    Flips => "flips", LostEvidence => "lost_evidence", ToolsList => "tools_list",
    LargestResult => "largest_result", FailedAttempts => "failed_attempts",
    UnpairedCases => "unpaired_cases", StaleCases => "stale_cases",
});

/// What a rule demands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Bound {
    /// `max`, `min`: compared exactly with the total on side `on`.
    Absolute { max: Option<f64>, min: Option<f64>, on: Side },
    /// `margin`, `role`, `question`: the delta between the sides.
    Relative { margin: Margin, role: Role, question: Option<Question> },
    /// `require`, for `tools_list`.
    Require { require: Require, on: Side },
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Margin {
    /// In the metric's unit, on the mean per attempt; at least 0.
    Absolute(f64),
    /// A share of the baseline, `0.05` for `"5%"`.
    Percent(f64),
}

crate::words::word_enum!(
/// What a `tools_list` rule demands.
Require {
    /// The bytes of the tools arrays.
    Identical => "identical",
    /// Order ignored.
    SameTools => "same-tools",
    /// Nothing removed, no new required argument.
    Compatible => "compatible",
});
