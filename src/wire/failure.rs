//! Why a session did not start, a call got no reply, or a listing failed.

use std::time::Duration;

use super::reply::WireOutcome;

/// How a session came to its end without being asked to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Crash {
    #[error("the process ended: {status}")]
    Exited { status: String },
    #[error("the server closed its stdout and lives on")]
    StdoutClosed,
    #[error("the server closed its stdin and lives on")]
    StdinClosed,
    #[error("the server sent more than {limit} bytes without ending a message")]
    MessageTooLarge { limit: usize },
    #[error("the connection was cut {place}: {why}")]
    ConnectionCut { place: &'static str, why: String },
    #[error("the server can't be reached: {why}")]
    Unreachable { why: String },
    #[error("the session vanished: the server answered 404 to its id")]
    SessionVanished,
}

impl Crash {
    /// A fixed name for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Exited { .. } => "exited",
            Self::StdoutClosed => "stdout_closed",
            Self::StdinClosed => "stdin_closed",
            Self::MessageTooLarge { .. } => "message_too_large",
            Self::ConnectionCut { .. } => "connection_cut",
            Self::Unreachable { .. } => "unreachable",
            Self::SessionVanished => "session_vanished",
        }
    }
}

/// An HTTP answer that holds no JSON-RPC reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpProblem {
    #[error("status {status}: `{body}`")]
    Status { status: u16, body: String },
    #[error("status 401: the server wants credentials{}; give them as a header, `Authorization = \"Bearer ${{TOKEN}}\"`", within(.challenge))]
    Unauthorized { challenge: String },
    #[error("status 403: the server knows the credentials, or the origin, and refuses: `{body}`")]
    Forbidden { body: String },
    #[error("status {status}: too many requests or overloaded, and {}", retry(.retry_after_s))]
    Overloaded { status: u16, retry_after_s: Option<u64> },
    #[error("status {status}: a redirect to `{location}`, which is not followed; give the final url")]
    Redirect { status: u16, location: String },
    #[error("content type `{found}` instead of `application/json` or `text/event-stream`: `{body}`")]
    ContentType { found: String, body: String },
    #[error("content encoding `{encoding}`, which was not asked for")]
    Encoding { encoding: String },
    #[error("status {status} and no reply to the request: `{body}`")]
    NoReply { status: u16, body: String },
}

impl HttpProblem {
    /// A fixed name for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Status { .. } => "http_status",
            Self::Unauthorized { .. } => "http_unauthorized",
            Self::Forbidden { .. } => "http_forbidden",
            Self::Overloaded { .. } => "http_overloaded",
            Self::Redirect { .. } => "http_redirect",
            Self::ContentType { .. } => "http_content_type",
            Self::Encoding { .. } => "http_encoding",
            Self::NoReply { .. } => "http_no_reply",
        }
    }

    /// The same, with the number of a status that has no name of its own.
    pub fn kind_with_status(&self) -> String {
        match self {
            Self::Status { status, .. } => format!("{}_{status}", self.kind()),
            _ => self.kind().to_owned(),
        }
    }
}

fn within(challenge: &str) -> String {
    if challenge.is_empty() { String::new() } else { format!(" (`{challenge}`)") }
}

fn retry(seconds: &Option<u64>) -> String {
    match seconds {
        Some(seconds) => format!("it asks for {seconds} s, more than the time limit leaves"),
        None => "it does not say when to come again".to_owned(),
    }
}

/// What to do about a refusal that comes from speaking the wrong revision.
fn advice(method: &str, code: &i64) -> &'static str {
    match (method, code) {
        ("initialize", -32022) => {
            "; it may want the revision without `initialize`: protocol = \"2026-07-28\""
        }
        ("server/discover", -32601 | -32602 | -32022) => {
            "; it may not speak revision 2026-07-28: leave `protocol` at its default"
        }
        _ => "",
    }
}

/// What to do about a URL that does not take the transport's first request.
fn other_transport(how: &HttpProblem) -> &'static str {
    match how {
        HttpProblem::Status { status: 404 | 405, .. } => {
            "; is the path right, and is the transport `http`, not the older `sse`, or the reverse?"
        }
        _ => "",
    }
}

/// Why a request has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    Timeout,
    Crashed(Crash),
    Refused(HttpProblem),
    Infrastructure(HttpProblem),
}

impl From<Failure> for WireOutcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Timeout => Self::Timeout,
            Failure::Crashed(how) => Self::Crashed { how },
            Failure::Refused(how) => Self::Refused { how },
            Failure::Infrastructure(how) => Self::Infrastructure { how },
        }
    }
}

/// Why a request other than a tool call has no usable result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    #[error("no answer to `{method}` within the time limit")]
    Timeout { method: &'static str },
    #[error("{how} (while waiting for `{method}`)")]
    Crashed { method: &'static str, how: Crash },
    #[error("`{method}` was answered with {how}")]
    Http { method: &'static str, how: HttpProblem },
    #[error("`{method}` was refused: {message} ({code})")]
    Rpc { method: &'static str, code: i64, message: String },
    #[error("the result of `{method}` can't be used: {what}")]
    Malformed { method: &'static str, what: String },
}

impl CallFailure {
    pub(crate) fn new(method: &'static str, failure: Failure) -> Self {
        match failure {
            Failure::Timeout => Self::Timeout { method },
            Failure::Crashed(how) => Self::Crashed { method, how },
            Failure::Refused(how) | Failure::Infrastructure(how) => Self::Http { method, how },
        }
    }
}

/// A server that could not be started, reached or initialised, with what it had to say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct StartError {
    pub kind: StartErrorKind,
    /// The end of the process's stderr; empty when nothing came or no process was started.
    pub stderr_tail: String,
}

impl StartError {
    /// Whether the server was there and died before it had answered.
    pub fn is_death(&self) -> bool {
        matches!(self.kind, StartErrorKind::Ended { .. })
    }
}

/// What stopped the start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartErrorKind {
    #[error("the server definition can't be used: {what}")]
    Definition { what: String },
    #[error("can't start `{program}`: {why}")]
    Spawn { program: String, why: String },
    #[error("{how} (before it was initialised)")]
    Ended { how: Crash },
    #[error("no answer within {} s: `{waiting_for}`", .limit.as_secs_f64())]
    Timeout { limit: Duration, waiting_for: &'static str },
    #[error("the answer to `{method}` was {how}{}", other_transport(.how))]
    Http { method: &'static str, how: HttpProblem },
    #[error("`{method}` was refused: {message} ({code}){}", advice(method, .code))]
    Refused { method: &'static str, code: i64, message: String },
    #[error("the result of `{method}` can't be used: {what}")]
    Malformed { method: &'static str, what: String },
}
