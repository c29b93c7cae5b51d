//! The process behind a URL, when this client started it, and how the connection was lost.

use tokio::time::error::Elapsed;

use crate::wire::failure::{Crash, Failure};
use crate::wire::process::{Ending, Process};
use crate::wire::reply::Reply;

#[derive(Debug, Default)]
pub(crate) struct Life {
    pub(crate) process: Option<Process>,
    pub(crate) dead: Option<Crash>,
}

impl Life {
    /// An error once the connection is lost: nothing can be asked any more.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.dead.clone().map_or(Ok(()), |how| Err(Failure::Crashed(how)))
    }

    /// What came of a request. A crash is explained by the process, and remembered.
    pub(crate) async fn settle(
        &mut self,
        replied: Result<Result<Reply, Failure>, Elapsed>,
    ) -> Result<Reply, Failure> {
        let mut failure = match replied {
            Ok(Ok(reply)) => return Ok(reply),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Timeout,
        };
        if let Failure::Crashed(how) = &mut failure {
            if let Some(process) = &mut self.process {
                *how = process.explain(how.clone()).await;
            }
            self.dead = Some(how.clone());
        }
        Err(failure)
    }

    /// End the process, if there is one.
    pub(crate) async fn end(&mut self) -> Option<(Ending, Option<String>, bool)> {
        match &mut self.process {
            Some(process) => Some(process.end_service().await),
            None => None,
        }
    }
}
