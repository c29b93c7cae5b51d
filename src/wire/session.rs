//! One session with one server, from its start to its end.

use std::time::Instant;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::{Duration, Instant as Deadline};

use super::counters::Counters;
use super::dialect::Dialect;
use super::failure::{CallFailure, Failure, StartError, StartErrorKind};
use super::hello::ServerHello;
use super::inbox::Inbox;
use super::input::{self, InputRequired};
use super::listing::{Pager, ToolsListing};
use super::process::Ending;
use super::reply::{CallReply, Reply, ReplyWarning, WireOutcome};
use super::request::{CallParams, Meanwhile, Outgoing, notification, params, write_request};
use super::target::{ClientInfo, Limits, Target};
use super::transport::Transport;

/// How often a list that changes is asked for again.
const RELISTS: u32 = 5;
const LIST: &str = "tools/list";
const CALL: &str = "tools/call";
const INITIALIZE: &str = "initialize";
const DISCOVER: &str = "server/discover";

/// A server that has been initialised. Dropping it kills the server's process group.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    inbox: Inbox,
    dialect: Dialect,
    hello: ServerHello,
    limits: Limits,
    /// Where requests are written, kept for its memory.
    message: Vec<u8>,
}

/// How a session ended.
#[derive(Debug, Clone)]
pub struct CloseReport {
    /// How the process ended; `None` when this client had started none.
    pub ending: Option<Ending>,
    /// Exit code or signal, in words.
    pub status: Option<String>,
    /// Whether processes of its group were left, which were then killed.
    pub left_children: bool,
    pub stderr_tail: String,
    /// The final counts.
    pub counters: Counters,
}

impl Session {
    /// Start or reach the server and say `initialize` and `notifications/initialized`, all within
    /// `limits.start`. When `info` asks for revision 2026-07-28, `server/discover` takes their place.
    pub async fn start(target: &Target, info: &ClientInfo, limits: &Limits) -> Result<Self, StartError> {
        let deadline = deadline_after(limits.start);
        let started = Transport::start(target, limits, deadline).await;
        let mut transport = started.map_err(|(kind, stderr_tail)| StartError { kind, stderr_tail })?;
        let (mut inbox, dialect) = (Inbox::default(), Dialect::new(info));
        match greet(&mut transport, &mut inbox, &dialect, info, limits.start, deadline).await {
            Ok(hello) => {
                let (limits, message) = (limits.clone(), Vec::new());
                Ok(Self { transport, inbox, dialect, hello, limits, message })
            }
            Err(kind) => {
                let stderr_tail = transport.process().map(|process| process.stderr_tail());
                Err(StartError { kind, stderr_tail: stderr_tail.unwrap_or_default() })
            }
        }
    }

    /// What the server said about itself.
    pub fn server(&self) -> &ServerHello {
        &self.hello
    }

    /// Call a tool and wait for what comes of it, at most `limits.call`.
    pub async fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> CallReply {
        self.call_meanwhile(tool, arguments, &mut || ()).await
    }

    /// As [`Session::call`], with work to do while the server works. It must be safe to do it again.
    pub async fn call_meanwhile(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        meanwhile: &mut (dyn FnMut() + Send),
    ) -> CallReply {
        self.transport.prepare(&mut self.inbox).await;
        let started = Instant::now();
        let replied = self.call_until_complete(tool, arguments, meanwhile).await;
        let duration = started.elapsed();
        let warnings = self.inbox.settle();
        let outcome = replied.map_or_else(WireOutcome::from, WireOutcome::from);
        CallReply { outcome, started, duration, warnings }
    }

    /// The tools of the server, once its list has settled: a list during which the server said that
    /// it had changed is taken again, at most five times.
    pub async fn list_tools(&mut self) -> Result<ToolsListing, CallFailure> {
        let mut relisted = 0;
        loop {
            self.transport.prepare(&mut self.inbox).await;
            let changes = self.list_changes();
            let mut listing = self.list_once().await?;
            self.settle(changes).await;
            listing.relisted = relisted;
            listing.is_unsettled = self.list_changes() != changes;
            if !listing.is_unsettled || relisted == RELISTS {
                self.dialect.learn(&listing.tools);
                return Ok(listing);
            }
            relisted += 1;
        }
    }

    /// Counts since the start. Messages that wait in the pipe are not among them yet.
    pub fn counters(&self) -> Counters {
        let mut counters = self.inbox.counters.clone();
        counters.add(&self.transport.counters_aside());
        counters
    }

    /// The end of what the server's process wrote to stderr.
    pub fn stderr_tail(&self) -> String {
        self.transport.process().map(|process| process.stderr_tail()).unwrap_or_default()
    }

    /// Whether nothing is known that would keep the server from answering. False once the process
    /// has ended, stdout was closed, or the session or connection is gone.
    pub fn is_alive(&self) -> bool {
        self.transport.is_alive()
    }

    /// End the session: stdin is closed (HTTP: the session is deleted), the process group gets TERM
    /// after 3 s (a command that serves HTTP: at once) and KILL after 3 more, and whatever is left of
    /// the group is killed.
    pub async fn close(mut self) -> CloseReport {
        let ended = self.transport.close(&mut self.inbox).await;
        let (ending, status, left_children) = match ended {
            Some((ending, status, left_children)) => (Some(ending), status, left_children),
            None => (None, None, false),
        };
        CloseReport {
            ending,
            status,
            left_children,
            stderr_tail: self.stderr_tail(),
            counters: self.counters(),
        }
    }

    async fn list_once(&mut self) -> Result<ToolsListing, CallFailure> {
        let malformed = |what: String| CallFailure::Malformed { method: LIST, what };
        let mut pager = Pager::new(self.dialect.is_stateless(), self.limits.max_message_bytes);
        let mut cursor = None;
        loop {
            let params = params(self.dialect.meta(), cursor);
            let headers = self.dialect.headers(LIST, None);
            let deadline = deadline_after(self.limits.call);
            let replied = self.exchange(LIST, &params, &headers, deadline, &mut || ()).await;
            self.inbox.settle();
            let page = match replied.map_err(|failure| CallFailure::new(LIST, failure))? {
                Reply::Result(page) => page,
                Reply::Error { code, message, .. } => {
                    return Err(CallFailure::Rpc { method: LIST, code, message });
                }
            };
            match pager.take(&page).map_err(malformed)? {
                Some(next) => cursor = Some(next),
                None => return Ok(pager.finish()),
            }
        }
    }

    /// Wait until the server has announced no change for a while. One that declares no
    /// announcements is only asked for what it has said already.
    async fn settle(&mut self, changes: u64) {
        if !self.hello.announces_tool_changes() {
            return self.transport.listen(&mut self.inbox, Deadline::now()).await;
        }
        let mut seen = changes;
        for _ in 0..=RELISTS {
            self.transport.listen(&mut self.inbox, deadline_after(self.limits.settle)).await;
            let now = self.list_changes();
            if now == seen {
                return;
            }
            seen = now;
        }
    }

    fn list_changes(&self) -> u64 {
        self.inbox.counters.list_changes() + self.transport.counters_aside().list_changes()
    }

    /// Call, and call again with the answers of a client that offers nothing as long as the server
    /// asks for input; all within one limit.
    async fn call_until_complete(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Reply, Failure> {
        let deadline = deadline_after(self.limits.call);
        let meta = self.dialect.meta().cloned();
        let headers = self.dialect.headers(CALL, Some((tool, arguments)));
        let mut params = CallParams::new(tool, arguments, meta.as_ref());
        for _ in 0..=input::ROUNDS {
            let reply = self.exchange(CALL, &params, &headers, deadline, meanwhile).await?;
            let asked = match &reply {
                Reply::Result(result) if self.dialect.is_stateless() => InputRequired::read(result),
                _ => None,
            };
            let Some(asked) = asked else { return Ok(reply) };
            match asked.answers() {
                Ok(answers) => params.input_responses = Some(answers),
                Err(method) => return Ok(Reply::refusal(&format!("this client does not offer {method}"))),
            }
            params.request_state = asked.state;
            self.inbox.counters.input_rounds += 1;
            self.inbox.warn(ReplyWarning::InputDeclined);
        }
        Ok(Reply::refusal(&format!("the server asked for input more than {} times", input::ROUNDS)))
    }

    /// Send a request and wait for its reply. After a time limit the server is told that nobody
    /// waits any more.
    async fn exchange<P: Serialize>(
        &mut self,
        method: &str,
        params: &P,
        headers: &[(String, String)],
        deadline: Deadline,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Reply, Failure> {
        let id = self.inbox.expect();
        write_request(&mut self.message, id, method, params);
        let request = Outgoing { bytes: &self.message, headers };
        let replied = self.transport.exchange(request, &mut self.inbox, deadline, meanwhile).await;
        let is_told = self.dialect.is_stateless() && self.transport.cancels_by_closing();
        if matches!(replied, Err(Failure::Timeout)) && !is_told {
            let params = json!({ "requestId": id, "reason": "the time limit of the client" });
            self.transport.notify(notification("notifications/cancelled", Some(params))).await;
        }
        replied
    }
}

/// Learn who the server is, by `initialize` or by `server/discover`.
async fn greet(
    transport: &mut Transport,
    inbox: &mut Inbox,
    dialect: &Dialect,
    info: &ClientInfo,
    limit: Duration,
    deadline: Deadline,
) -> Result<ServerHello, StartErrorKind> {
    let method = if dialect.is_stateless() { DISCOVER } else { INITIALIZE };
    let params = match dialect {
        Dialect::Stateless(_) => params(dialect.meta(), None),
        Dialect::Session => json!({
            "protocolVersion": info.protocol,
            "capabilities": info.capabilities,
            "clientInfo": { "name": info.name, "version": info.version },
        }),
    };
    if dialect.is_stateless() {
        transport.speak(&info.protocol);
    }
    let mut message = Vec::new();
    write_request(&mut message, inbox.expect(), method, &params);
    let request = Outgoing { bytes: &message, headers: &dialect.headers(method, None) };
    let replied = transport.exchange(request, inbox, deadline, &mut || ()).await;
    inbox.settle();
    let result = greeting(replied, method, limit)?;
    let hello = match dialect {
        Dialect::Stateless(_) => ServerHello::read_discovery(result, &info.protocol),
        Dialect::Session => ServerHello::read(result),
    };
    let hello = hello.map_err(|what| StartErrorKind::Malformed { method, what })?;
    if !dialect.is_stateless() {
        transport.begin(&hello.protocol, notification("notifications/initialized", None)).await;
    }
    Ok(hello)
}

/// The result of the first request, or why there is no session.
fn greeting(
    replied: Result<Reply, Failure>,
    method: &'static str,
    limit: Duration,
) -> Result<Box<RawValue>, StartErrorKind> {
    match replied {
        Ok(Reply::Result(result)) => Ok(result),
        Ok(Reply::Error { code, message, .. }) => Err(StartErrorKind::Refused { method, code, message }),
        Err(Failure::Timeout) => Err(StartErrorKind::Timeout { limit, waiting_for: method }),
        Err(Failure::Crashed(how)) => Err(StartErrorKind::Ended { how }),
        Err(Failure::Refused(how) | Failure::Infrastructure(how)) => {
            Err(StartErrorKind::Http { method, how })
        }
    }
}

/// A limit so long that it can't be added to the clock is as good as a year.
fn deadline_after(limit: Duration) -> Deadline {
    let now = Deadline::now();
    now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3600))
}
