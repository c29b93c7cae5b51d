//! Messages over streamable HTTP.

mod answer;
mod legacy;
mod life;
pub(crate) mod link;
mod listener;
mod ready;
mod retry;
mod stream;

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::StatusCode;
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use self::answer::{Body, judge, read_whole};
pub(crate) use self::legacy::LegacySse;
use self::life::Life;
use self::link::Link;
use self::stream::Stream;
use super::counters::Counters;
use super::failure::{Crash, Failure, StartErrorKind};
use super::inbox::Inbox;
use super::process::{Ending, Process};
use super::reply::{Reply, ReplyWarning};
use super::request::Outgoing;
use super::target::{LaunchSpec, Limits};

/// How long the rest of a stream may take after its reply came.
const AFTER_REPLY: Duration = Duration::from_millis(20);
/// How long a message without a reply, or the end of a session, may take.
const NOTIFY_LIMIT: Duration = Duration::from_secs(3);

/// A server behind a URL, and its process when this client started it.
#[derive(Debug)]
pub(crate) struct Http {
    link: Link,
    pub(crate) life: Life,
    limit: usize,
    /// A stream whose reply was taken. Its end is read before the next request, so that the
    /// connection can be used again and a second reply is noticed.
    unread: Option<Stream>,
    listener: Option<JoinHandle<()>>,
    /// What the server says outside of replies, taken by the listener.
    aside: Arc<Mutex<Inbox>>,
}

impl Http {
    pub(crate) async fn start(
        url: &str,
        headers: &[(String, String)],
        launch: Option<&LaunchSpec>,
        limits: &Limits,
        deadline: Instant,
    ) -> Result<Self, (StartErrorKind, String)> {
        let (link, process) = reach(url, headers, launch, limits, deadline).await?;
        Ok(Self {
            link,
            life: Life { process, dead: None },
            limit: limits.max_message_bytes,
            unread: None,
            listener: None,
            aside: Arc::default(),
        })
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.life.dead.is_some()
    }

    /// What the listener counted.
    pub(crate) fn counters_aside(&self) -> Counters {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner).counters.clone()
    }

    /// Name the revision in every request from now on.
    pub(crate) fn speak(&mut self, version: &str) {
        self.link.set_version(version);
    }

    /// After `initialize`: name the revision in every request from now on, and listen to what the
    /// server says by itself, if it offers that.
    pub(crate) async fn begin(&mut self, version: &str, initialized: Vec<u8>) {
        self.speak(version);
        self.notify(initialized).await;
        let listening = listener::listen(self.link.clone(), Arc::clone(&self.aside), self.limit);
        self.listener = Some(tokio::spawn(listening));
    }

    /// Read what is left of the last stream, for a moment.
    pub(crate) async fn prepare(&mut self, inbox: &mut Inbox) {
        if let Some(mut stream) = self.unread.take() {
            let rest = async { while let Ok(true) = stream.step(inbox, self.limit).await {} };
            let _ = timeout(AFTER_REPLY, rest).await;
            self.send_answers(inbox).await;
        }
    }

    /// Send a request and wait for its reply, in whatever form it comes.
    pub(crate) async fn exchange(
        &mut self,
        request: Outgoing<'_>,
        inbox: &mut Inbox,
        deadline: Instant,
    ) -> Result<Reply, Failure> {
        self.life.check()?;
        let replied = timeout_at(deadline, self.post_until_reply(request, inbox, deadline)).await;
        self.life.settle(replied).await
    }

    /// Send a message that has no reply; what the server answers is not waited for long.
    pub(crate) async fn notify(&mut self, message: Vec<u8>) {
        let _ = timeout(NOTIFY_LIMIT, self.link.post(message, &[])).await;
    }

    /// End the session, then the process.
    pub(crate) async fn close(&mut self, inbox: &mut Inbox) -> Option<(Ending, Option<String>, bool)> {
        self.prepare(inbox).await;
        self.stop_listening();
        if self.life.dead.is_none() && self.link.has_session() {
            let _ = timeout(NOTIFY_LIMIT, self.link.delete()).await;
        }
        self.life.end().await
    }

    async fn post_until_reply(
        &mut self,
        request: Outgoing<'_>,
        inbox: &mut Inbox,
        deadline: Instant,
    ) -> Result<Reply, Failure> {
        let mut waits = retry::Waits::default();
        let response = loop {
            let response = self.link.post(request.bytes.to_vec(), request.headers).await?;
            match waits.next(&response, deadline)? {
                Some(seconds) => {
                    inbox.counters.retry_after_waits += 1;
                    let status = response.status().as_u16();
                    inbox.warn(ReplyWarning::WaitedRetryAfter { status, seconds });
                    drop(response);
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                }
                None => break response,
            }
        };
        self.link.note_session(&response);
        let status = response.status();
        match judge(&response, self.link.has_session())? {
            Body::Events => self.take_stream(Stream::new(response), inbox).await,
            Body::Message => {
                let body = read_whole(response, self.limit).await?;
                inbox.take(&body);
                self.send_answers(inbox).await;
                inbox.reply.take().ok_or_else(|| answer::without_reply(status, &body))
            }
            Body::Unusable(found) => {
                // An error status may come with the right kind of error and the wrong content type.
                let body = read_whole(response, answer::EXCERPT_READ).await.unwrap_or_default();
                if status != StatusCode::OK && body.trim_ascii_start().starts_with(b"{") {
                    inbox.take(&body);
                }
                inbox.reply.take().ok_or_else(|| answer::unusable(status, found, &body))
            }
        }
    }

    async fn take_stream(&mut self, mut stream: Stream, inbox: &mut Inbox) -> Result<Reply, Failure> {
        loop {
            let more = stream.step(inbox, self.limit).await;
            if let Some(reply) = inbox.reply.take() {
                self.unread = Some(stream);
                return Ok(reply);
            }
            self.send_answers(inbox).await;
            let cut = match more {
                Ok(true) => continue,
                Ok(false) => stream.ended(),
                Err(crash @ Crash::MessageTooLarge { .. }) => return Err(Failure::Crashed(crash)),
                Err(crash) => crash,
            };
            stream = stream.resume(&self.link, cut).await.map_err(Failure::Crashed)?;
            inbox.counters.stream_resumptions += 1;
            inbox.warn(ReplyWarning::Resumed);
        }
    }

    async fn send_answers(&self, inbox: &mut Inbox) {
        for answer in std::mem::take(&mut inbox.answers) {
            if !matches!(timeout(NOTIFY_LIMIT, self.link.post(answer, &[])).await, Ok(Ok(_))) {
                inbox.counters.answers_dropped += 1;
            }
        }
    }

    fn stop_listening(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.abort();
        }
    }
}

/// The way to a URL, and the process behind it when there is a command to start.
async fn reach(
    url: &str,
    headers: &[(String, String)],
    launch: Option<&LaunchSpec>,
    limits: &Limits,
    deadline: Instant,
) -> Result<(Link, Option<Process>), (StartErrorKind, String)> {
    let no_words = |kind| (kind, String::new());
    let link = Link::new(url, headers).map_err(no_words)?;
    let Some(launch) = launch else { return Ok((link, None)) };
    ready::check_free(&link.url).await.map_err(no_words)?;
    let mut process = Process::start(launch, limits.stderr_kept).map_err(no_words)?;
    let stdout = process.take_stdout();
    process.drain(stdout);
    let waited = ready::wait(&mut process, &link.url, limits.start, deadline).await;
    waited.map_err(|kind| (kind, process.stderr_tail()))?;
    Ok((link, Some(process)))
}

impl Drop for Http {
    fn drop(&mut self) {
        self.stop_listening();
    }
}
