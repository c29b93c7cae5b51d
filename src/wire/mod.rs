//! Bytes to messages and back: one named MCP client that keeps what a server sent as it came.
//!
//! A [`Session`] starts a server (or connects to one), says `initialize`, lists tools and calls
//! them one at a time. Every wait has a limit, every buffer a bound, and every way in which a call
//! can go wrong has a name ([`WireOutcome`]). The bytes of a result are never decoded and written
//! again: what [`CallReply`] holds is what was on the wire.
//!
//! From the bytes upwards: `framing` cuts a byte stream into lines, `sse` into events;
//! `envelope` reads one message; `inbox` decides what a message means while a request is waiting;
//! `stdio` and `http` move messages; `session` gives them an order.

mod dialect;
mod envelope;
mod framing;
pub(crate) mod fuzzing;
mod inbox;
mod input;
mod request;
pub(crate) mod sse;

mod target;
mod texts;
mod counters;
mod failure;
mod reply;
mod mend;
mod tail;

mod process;
mod quick;
mod stdio;
mod http;
mod transport;

mod hello;
mod listing;
mod session;
mod skim;

pub use counters::Counters;
pub use failure::{CallFailure, Crash, HttpProblem, StartError, StartErrorKind};
pub use hello::ServerHello;
pub(crate) use http::link;
pub use listing::{ListingEnd, Tool, ToolsListing};
pub use mend::{mend_surrogates, read_value};
pub use process::Ending;
pub use reply::{CallReply, ReplyWarning, WireOutcome};
pub use session::{CloseReport, Session};
pub use target::{ClientInfo, LaunchSpec, Limits, Target};
