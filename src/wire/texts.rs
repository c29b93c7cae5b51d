//! Every text of an error that may repeat what a server was given, for whoever must hide parts of it.

use super::failure::{CallFailure, Crash, HttpProblem, StartError, StartErrorKind};

impl StartError {
    /// Calls `change` with every text of the error that a server or a definition made.
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.stderr_tail);
        match &mut self.kind {
            StartErrorKind::Definition { what } | StartErrorKind::Malformed { what, .. } => change(what),
            StartErrorKind::Spawn { program, why } => {
                change(program);
                change(why);
            }
            StartErrorKind::Ended { how } => how.each_text(change),
            StartErrorKind::Http { how, .. } => how.each_text(change),
            StartErrorKind::Refused { message, .. } => change(message),
            StartErrorKind::Timeout { .. } => {}
        }
    }
}

impl CallFailure {
    /// As [`StartError::each_text`].
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Timeout { .. } => {}
            Self::Crashed { how, .. } => how.each_text(change),
            Self::Http { how, .. } => how.each_text(change),
            Self::Rpc { message, .. } => change(message),
            Self::Malformed { what, .. } => change(what),
        }
    }
}

impl Crash {
    fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Exited { status } => change(status),
            Self::ConnectionCut { why, .. } | Self::Unreachable { why } => change(why),
            Self::StdoutClosed | Self::StdinClosed | Self::MessageTooLarge { .. } | Self::SessionVanished => {
            }
        }
    }
}

impl HttpProblem {
    fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Status { body, .. } | Self::Forbidden { body } | Self::NoReply { body, .. } => change(body),
            Self::Unauthorized { challenge } => change(challenge),
            Self::Redirect { location, .. } => change(location),
            Self::Encoding { encoding } => change(encoding),
            Self::ContentType { found, body } => {
                change(found);
                change(body);
            }
            Self::Overloaded { .. } => {}
        }
    }
}
