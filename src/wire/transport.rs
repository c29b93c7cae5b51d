//! The transports behind one face.

use tokio::time::Instant;

use super::counters::Counters;
use super::failure::{Failure, StartErrorKind};
use super::http::{Http, LegacySse};
use super::inbox::Inbox;
use super::process::{Ending, Process};
use super::reply::Reply;
use super::request::{Meanwhile, Outgoing};
use super::stdio::Stdio;
use super::target::{Limits, Target};

#[derive(Debug)]
pub(crate) enum Transport {
    Stdio(Box<Stdio>),
    Http(Box<Http>),
    Sse(Box<LegacySse>),
}

impl Transport {
    /// Start or reach the server. An error comes with the end of stderr.
    pub(crate) async fn start(
        target: &Target,
        limits: &Limits,
        deadline: Instant,
    ) -> Result<Self, (StartErrorKind, String)> {
        let (url, headers, launch) = match target {
            Target::Stdio(launch) => {
                let started = Stdio::start(launch, limits).map_err(|kind| (kind, String::new()))?;
                return Ok(Self::Stdio(Box::new(started)));
            }
            Target::Http { url, headers } => (url, headers, None),
            Target::Sse { launch, url, headers } => {
                let started = LegacySse::start(url, headers, launch.as_ref(), limits, deadline).await?;
                return Ok(Self::Sse(Box::new(started)));
            }
            Target::HttpCommand { launch, url, headers } => (url, headers, Some(launch)),
        };
        Ok(Self::Http(Box::new(Http::start(url, headers, launch, limits, deadline).await?)))
    }

    /// Take what is left of the last exchange, so that it is not charged to the next.
    pub(crate) async fn prepare(&mut self, inbox: &mut Inbox) {
        match self {
            Self::Stdio(stdio) => stdio.prepare(inbox).await,
            Self::Http(http) => http.prepare(inbox).await,
            Self::Sse(sse) => sse.listen(inbox, Instant::now()).await,
        }
    }

    pub(crate) async fn exchange(
        &mut self,
        request: Outgoing<'_>,
        inbox: &mut Inbox,
        deadline: Instant,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Reply, Failure> {
        match self {
            Self::Stdio(stdio) => stdio.exchange(request, inbox, deadline, meanwhile).await,
            Self::Http(http) => {
                meanwhile();
                http.exchange(request, inbox, deadline).await
            }
            Self::Sse(sse) => {
                meanwhile();
                sse.exchange(request, inbox, deadline).await
            }
        }
    }

    pub(crate) async fn notify(&mut self, message: Vec<u8>) {
        match self {
            Self::Stdio(stdio) => stdio.notify(&message).await,
            Self::Http(http) => http.notify(message).await,
            Self::Sse(sse) => sse.notify(message).await,
        }
    }

    /// Name revision `version` in every request from now on, where the transport does such things.
    pub(crate) fn speak(&mut self, version: &str) {
        if let Self::Http(http) = self {
            http.speak(version);
        }
    }

    /// Whether the server learns by the end of a connection that nobody waits any more.
    pub(crate) fn cancels_by_closing(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    /// Say that the session is initialised and speaks revision `version`.
    pub(crate) async fn begin(&mut self, version: &str, initialized: Vec<u8>) {
        match self {
            Self::Stdio(stdio) => stdio.notify(&initialized).await,
            Self::Http(http) => http.begin(version, initialized).await,
            Self::Sse(sse) => sse.notify(initialized).await,
        }
    }

    /// Take what the server says by itself until `until`.
    pub(crate) async fn listen(&mut self, inbox: &mut Inbox, until: Instant) {
        match self {
            Self::Stdio(stdio) => stdio.listen(inbox, until).await,
            Self::Sse(sse) => sse.listen(inbox, until).await,
            // The listener runs beside; its counts are asked for with `counters_aside`.
            Self::Http(http) => {
                http.prepare(inbox).await;
                tokio::time::sleep_until(until).await;
            }
        }
    }

    /// Counts that are kept outside of the session's inbox.
    pub(crate) fn counters_aside(&self) -> Counters {
        let mut counters = match self {
            Self::Stdio(_) | Self::Sse(_) => Counters::default(),
            Self::Http(http) => http.counters_aside(),
        };
        counters.stderr_bytes = self.process().map_or(0, Process::stderr_bytes);
        counters
    }

    pub(crate) fn process(&self) -> Option<&Process> {
        match self {
            Self::Stdio(stdio) => Some(&stdio.process),
            Self::Http(http) => http.life.process.as_ref(),
            Self::Sse(sse) => sse.life.process.as_ref(),
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        let is_dead = match self {
            Self::Stdio(stdio) => stdio.is_dead(),
            Self::Http(http) => http.is_dead(),
            Self::Sse(sse) => sse.is_dead(),
        };
        !is_dead && self.process().is_none_or(Process::is_running)
    }

    pub(crate) async fn close(&mut self, inbox: &mut Inbox) -> Option<(Ending, Option<String>, bool)> {
        match self {
            Self::Stdio(stdio) => Some(stdio.close(inbox).await),
            Self::Http(http) => http.close(inbox).await,
            Self::Sse(sse) => sse.close(inbox).await,
        }
    }
}
