//! What to connect to, who is asking, and how long to wait.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A command to start.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchSpec {
    /// The program and its arguments. The program is looked up in the `PATH` of `env`.
    pub argv: Vec<String>,
    /// The complete environment: nothing is inherited.
    pub env: Vec<(String, String)>,
    /// The folder in which the command runs. It must exist.
    pub cwd: PathBuf,
}

/// A server, by the way in which it is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// A process that speaks on its stdin and stdout, one message a line.
    Stdio(LaunchSpec),
    /// A server that is up already and speaks streamable HTTP.
    Http { url: String, headers: Vec<(String, String)> },
    /// A server that speaks HTTP with one event stream, the transport of revision 2024-11-05, and its
    /// command if it is to be started.
    Sse { launch: Option<LaunchSpec>, url: String, headers: Vec<(String, String)> },
    /// A command that serves streamable HTTP: it is started, then `url` is awaited until it accepts
    /// connections. It ends with the session.
    HttpCommand { launch: LaunchSpec, url: String, headers: Vec<(String, String)> },
}

/// The client that a server sees.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientInfo {
    pub name: String,
    pub version: String,
    /// The revision that `initialize` asks for.
    pub protocol: String,
    /// What the client offers to the server; an object.
    pub capabilities: serde_json::Value,
}

impl Default for ClientInfo {
    /// This tool under its own name, asking for 2025-11-25 and offering nothing.
    fn default() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: "2025-11-25".to_owned(),
            capabilities: serde_json::json!({}),
        }
    }
}

/// The bounds of a session. Write `Limits { call: ..., ..Limits::default() }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From the start of the process to the answer to `initialize`. Default 30 s.
    pub start: Duration,
    /// From sending a call to its answer, waits that the server asked for included; also the limit
    /// of each page of `tools/list`. Default 60 s.
    pub call: Duration,
    /// The largest message that is kept, in bytes; a longer one ends the session. Default 128 MiB,
    /// so that a result of 100 MB passes and two sides stay under half a gigabyte.
    pub max_message_bytes: usize,
    /// How much of the end of the server's stderr is kept, in bytes. Default 64 KiB.
    pub stderr_kept: usize,
    /// How long the tool list of a server that announces changes must be quiet before it counts as
    /// settled. Default 200 ms; a server that does not declare `tools.listChanged` is not waited for.
    pub settle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            call: Duration::from_secs(60),
            max_message_bytes: 128 << 20,
            stderr_kept: 64 << 10,
            settle: Duration::from_millis(200),
        }
    }
}

// Values of variables and headers are secrets until proven otherwise, so `Debug` shows names only.

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchSpec")
            .field("program", &self.argv.first())
            .field("arguments", &self.argv.len().saturating_sub(1))
            .field("env", &names(&self.env))
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(launch) => f.debug_tuple("Stdio").field(launch).finish(),
            Self::Http { headers, .. } => f.debug_struct("Http").field("headers", &names(headers)).finish(),
            Self::Sse { launch, headers, .. } => {
                f.debug_struct("Sse").field("launch", launch).field("headers", &names(headers)).finish()
            }
            Self::HttpCommand { launch, headers, .. } => f
                .debug_struct("HttpCommand")
                .field("launch", launch)
                .field("headers", &names(headers))
                .finish(),
        }
    }
}

fn names(pairs: &[(String, String)]) -> Vec<&str> {
    pairs.iter().map(|(name, _)| name.as_str()).collect()
}
