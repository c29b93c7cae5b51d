//! The seam between an agent and a server: a call goes out, an answer comes back.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::future::Future;
use std::time::Duration;

/// What came back for one call.
#[derive(Debug)]
pub enum Reply {
    /// The exact bytes of `result`.
    Result(Box<RawValue>),
    /// The exact bytes of `error`, and its message.
    Error {
        raw: Box<RawValue>,
        message: String,
    },
    Timeout,
    /// The server or the connection is gone; the text says how.
    Crashed(String),
    /// Neither the server's answer nor its death: credentials, overload, the network.
    Infrastructure(String),
}

/// A reply with its clock value and what was odd about it.
#[derive(Debug)]
pub struct Answer {
    pub reply: Reply,
    pub duration: Duration,
    /// Kinds of oddities of the reply's form.
    pub warnings: Vec<String>,
}

/// Something that tools can be called on: a session with a server, or a table in a test.
pub trait Caller {
    /// Sends one call and waits for its answer, within the caller's own time limit.
    fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> impl Future<Output = Answer> + Send;

    /// As [`Caller::call`], with work to do while the server works.
    fn call_meanwhile(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        meanwhile: &mut (dyn FnMut() + Send),
    ) -> impl Future<Output = Answer> + Send {
        meanwhile();
        self.call(tool, arguments)
    }
}
