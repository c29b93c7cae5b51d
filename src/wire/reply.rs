//! How one call ended.

use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::failure::{Crash, HttpProblem};

/// One call, from sending the request to the end of its wait.
#[derive(Debug)]
pub struct CallReply {
    pub outcome: WireOutcome,
    pub started: Instant,
    /// Until the reply was there, or until it was clear that none would come.
    pub duration: Duration,
    pub warnings: Vec<ReplyWarning>,
}

/// The end of a call.
#[derive(Debug)]
pub enum WireOutcome {
    /// The bytes of `result` as they came.
    Result(Box<RawValue>),
    /// The bytes of `error` as they came; `code` is 0 and `message` empty where it has none.
    Error { raw: Box<RawValue>, code: i64, message: String },
    /// No answer within the limit. The session should not be used again: an answer that is still on
    /// its way is counted as late and never taken for another call's, but the server may be stuck.
    Timeout,
    /// The process, its stdout or the connection ended. The session is dead.
    Crashed { how: Crash },
    /// An HTTP answer to this call that is no JSON-RPC reply, and that the server itself made. An
    /// agent sees a failed call; the session goes on.
    Refused { how: HttpProblem },
    /// An HTTP answer that says nothing about the server's work: no authorisation, a rate limit, a
    /// redirect.
    Infrastructure { how: HttpProblem },
}

/// Something odd about a reply that was accepted all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyWarning {
    #[error("the reply has no `jsonrpc` member")]
    MissingJsonrpc,
    #[error("the reply has `jsonrpc`: `{found}` instead of `\"2.0\"`")]
    WrongJsonrpc { found: String },
    #[error("the reply has `error: null` beside its result")]
    ErrorNullBesideResult,
    #[error("the reply has a result beside its error; it was taken as an error")]
    ResultBesideError,
    #[error("the reply has `error: null` and no result; it was taken as an error")]
    ErrorNull,
    #[error("the reply's id was sent back as `{found}`, not as the number that was asked with")]
    IdOfAnotherType { found: String },
    #[error("a member of the reply came twice; the later one was taken")]
    DuplicateMember,
    #[error("the reply was not UTF-8; the bad bytes were replaced by U+FFFD")]
    InvalidUtf8,
    #[error("a line like a reply could not be read: {why}: `{excerpt}`")]
    UnreadableReply { why: String, excerpt: String },
    #[error("an error without an id came during the call: `{excerpt}`")]
    ErrorWithoutId { excerpt: String },
    #[error("the server answered with status {status} and was waited for: {seconds} s")]
    WaitedRetryAfter { status: u16, seconds: u64 },
    #[error("the event stream broke and was resumed")]
    Resumed,
    #[error("the server asked for input, and the call was sent again without any")]
    InputDeclined,
}

impl ReplyWarning {
    /// A fixed name for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::MissingJsonrpc => "missing_jsonrpc",
            Self::WrongJsonrpc { .. } => "wrong_jsonrpc",
            Self::ErrorNullBesideResult => "error_null_beside_result",
            Self::ResultBesideError => "result_beside_error",
            Self::ErrorNull => "error_null",
            Self::IdOfAnotherType { .. } => "id_of_another_type",
            Self::DuplicateMember => "duplicate_member",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::UnreadableReply { .. } => "unreadable_reply",
            Self::ErrorWithoutId { .. } => "error_without_id",
            Self::WaitedRetryAfter { .. } => "waited_retry_after",
            Self::Resumed => "resumed",
            Self::InputDeclined => "input_declined",
        }
    }
}

/// A reply before it is known whether anything else went wrong.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error { raw: Box<RawValue>, code: i64, message: String },
}

impl Reply {
    /// The error that this client makes itself when it can't give what the server asks for.
    pub(crate) fn refusal(message: &str) -> Self {
        let code = -32601;
        let error = serde_json::json!({ "code": code, "message": message });
        let raw = serde_json::value::to_raw_value(&error).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self::Error { raw, code, message: message.to_owned() }
    }
}

impl From<Reply> for WireOutcome {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Result(raw) => Self::Result(raw),
            Reply::Error { raw, code, message } => Self::Error { raw, code, message },
        }
    }
}
