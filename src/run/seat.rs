//! A side's place in a worker: its server process, made anew when it is due or gone.

use super::launch::{LaunchValues, SideSpec};
use super::secrets::Secrets;
use crate::agent::{Answer, Caller, Reply};
use crate::wire::{ClientInfo, CloseReport, Limits, Session, StartError, StartErrorKind, WireOutcome};
use crate::words::Side;
use serde_json::{Map, Value};
use std::sync::Arc;
use tempfile::TempDir;

/// How to start a session of a side.
#[derive(Clone)]
pub(super) struct Starter {
    pub spec: Arc<SideSpec>,
    pub info: Arc<ClientInfo>,
    pub limits: Arc<Limits>,
    pub seed: u64,
}

impl Starter {
    /// Starts a session; `{tmp}` lives as long as it.
    pub async fn start(&self, side: Side, attempt_seed: &str) -> Result<Seat, StartError> {
        let secrets = &self.spec.secrets;
        let failed = |why: std::io::Error| StartError {
            kind: StartErrorKind::Definition { what: why.to_string() },
            stderr_tail: String::new(),
        };
        let tmp = tempfile::Builder::new().prefix("mcp-regress-").tempdir().map_err(failed)?;
        let values = LaunchValues { side, seed: self.seed, attempt_seed, tmp: tmp.path() };
        let target = self.spec.target(&values).map_err(failed)?;
        let started = Session::start(&target, &self.info, &self.limits).await;
        let session = started.map_err(|error| secrets.hide_in_start(error))?;
        Ok(Seat { session, secrets: secrets.clone(), _tmp: tmp })
    }
}

/// A running session and its folder.
pub struct Seat {
    pub(super) session: Session,
    secrets: Secrets,
    _tmp: TempDir,
}

impl Seat {
    /// Ends the session, and removes its folder after it.
    pub async fn close(self) -> CloseReport {
        self.session.close().await
    }
}

impl Caller for Seat {
    async fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Answer {
        self.call_meanwhile(tool, arguments, &mut || ()).await
    }

    async fn call_meanwhile(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        meanwhile: &mut (dyn FnMut() + Send),
    ) -> Answer {
        let answer = self.session.call_meanwhile(tool, arguments, meanwhile).await;
        let mut warnings: Vec<String> = answer.warnings.iter().map(|w| w.kind().to_owned()).collect();
        let reply = match answer.outcome {
            WireOutcome::Result(raw) => Reply::Result(raw),
            WireOutcome::Error { raw, message, .. } => Reply::Error { raw, message },
            WireOutcome::Timeout => Reply::Timeout,
            WireOutcome::Crashed { how } => Reply::Crashed(self.secrets.hide(&how.to_string())),
            WireOutcome::Refused { how } => {
                warnings.push(how.kind_with_status());
                refused(&how.to_string())
            }
            WireOutcome::Infrastructure { how } => Reply::Infrastructure(self.secrets.hide(&how.to_string())),
        };
        Answer { reply, duration: answer.duration, warnings }
    }
}

/// An answer without a JSON-RPC reply is a failed call to the agent, like an error.
fn refused(message: &str) -> Reply {
    match serde_json::value::to_raw_value(message) {
        Ok(raw) => Reply::Error { raw, message: message.to_owned() },
        Err(error) => Reply::Crashed(error.to_string()),
    }
}
