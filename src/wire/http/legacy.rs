//! The HTTP transport of revision 2024-11-05: one stream for everything that the server says, and a
//! second URL, which the stream names, for what the client says.

use reqwest::StatusCode;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::answer::{self, Body, judge, read_whole};
use super::life::Life;
use super::link::Link;
use super::reach;
use super::stream::{self, Stream};
use crate::wire::failure::{Failure, StartErrorKind};
use crate::wire::inbox::Inbox;
use crate::wire::process::Ending;
use crate::wire::reply::Reply;
use crate::wire::request::Outgoing;
use crate::wire::sse::Event;
use crate::wire::target::{LaunchSpec, Limits};

/// How long the answer to a post is waited for once the reply is there, and how long a message
/// without a reply may take.
const POST_LIMIT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(crate) struct LegacySse {
    /// Leads to the URL for posts.
    link: Link,
    stream: Stream,
    /// Events that came and were not taken yet.
    events: Vec<Event>,
    pub(crate) life: Life,
    limit: usize,
}

impl LegacySse {
    pub(crate) async fn start(
        url: &str,
        headers: &[(String, String)],
        launch: Option<&LaunchSpec>,
        limits: &Limits,
        deadline: Instant,
    ) -> Result<Self, (StartErrorKind, String)> {
        let (link, process) = reach(url, headers, launch, limits, deadline).await?;
        let opened = timeout_at(deadline, open(link, limits.max_message_bytes)).await;
        let opened = opened.unwrap_or_else(|_| {
            Err(StartErrorKind::Timeout { limit: limits.start, waiting_for: "the event `endpoint`" })
        });
        match opened {
            Ok((link, stream, events)) => {
                let life = Life { process, dead: None };
                Ok(Self { link, stream, events, life, limit: limits.max_message_bytes })
            }
            Err(kind) => Err((kind, process.map(|process| process.stderr_tail()).unwrap_or_default())),
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.life.dead.is_some()
    }

    /// Post a request and take messages from the stream until its reply is there.
    pub(crate) async fn exchange(
        &mut self,
        request: Outgoing<'_>,
        inbox: &mut Inbox,
        deadline: Instant,
    ) -> Result<Reply, Failure> {
        self.life.check()?;
        let replied = timeout_at(deadline, self.post_until_reply(request, inbox)).await;
        self.life.settle(replied).await
    }

    pub(crate) async fn notify(&mut self, message: Vec<u8>) {
        let _ = timeout(POST_LIMIT, self.link.post(message, &[])).await;
    }

    /// Take what comes until `until`.
    pub(crate) async fn listen(&mut self, inbox: &mut Inbox, until: Instant) {
        while self.life.dead.is_none() {
            match timeout_at(until, self.stream.read(&mut self.events, self.limit)).await {
                Ok(Ok(true)) => self.take_events(inbox).await,
                Ok(Ok(false)) => self.life.dead = Some(self.stream.ended()),
                Ok(Err(how)) => self.life.dead = Some(how),
                Err(_) => return,
            }
        }
    }

    pub(crate) async fn close(&mut self, inbox: &mut Inbox) -> Option<(Ending, Option<String>, bool)> {
        self.listen(inbox, Instant::now()).await;
        self.life.end().await
    }

    async fn post_until_reply(&mut self, request: Outgoing<'_>, inbox: &mut Inbox) -> Result<Reply, Failure> {
        let link = self.link.clone();
        let mut post = Box::pin(post(&link, request));
        let mut is_posted = false;
        loop {
            tokio::select! {
                posted = &mut post, if !is_posted => {
                    is_posted = true;
                    posted?;
                }
                more = self.stream.read(&mut self.events, self.limit) => {
                    let more = more.map_err(Failure::Crashed)?;
                    self.take_events(inbox).await;
                    if let Some(reply) = inbox.reply.take() {
                        if !is_posted {
                            let _ = timeout(POST_LIMIT, post).await;
                        }
                        return Ok(reply);
                    }
                    if !more {
                        return Err(Failure::Crashed(self.stream.ended()));
                    }
                }
            }
        }
    }

    async fn take_events(&mut self, inbox: &mut Inbox) {
        self.events.drain(..).for_each(|event| stream::take(&event, inbox));
        for answer in std::mem::take(&mut inbox.answers) {
            if !matches!(timeout(POST_LIMIT, self.link.post(answer, &[])).await, Ok(Ok(_))) {
                inbox.counters.answers_dropped += 1;
            }
        }
    }
}

/// Post a message; the answer says only whether it was taken.
async fn post(link: &Link, request: Outgoing<'_>) -> Result<(), Failure> {
    let response = link.post(request.bytes.to_vec(), request.headers).await?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    judge(&response, false)?;
    let body = read_whole(response, answer::EXCERPT_READ).await.unwrap_or_default();
    Err(answer::without_reply(status, &body))
}

/// Open the stream and wait for the URL to post to.
async fn open(link: Link, limit: usize) -> Result<(Link, Stream, Vec<Event>), StartErrorKind> {
    let failed = |failure| match failure {
        Failure::Refused(how) | Failure::Infrastructure(how) => StartErrorKind::Http { method: "GET", how },
        Failure::Crashed(how) => StartErrorKind::Ended { how },
        Failure::Timeout => StartErrorKind::Malformed { method: "GET", what: "no answer".to_owned() },
    };
    let response = link.get(None).await.map_err(|how| StartErrorKind::Ended { how })?;
    let status = response.status();
    match judge(&response, false).map_err(failed)? {
        Body::Events => {}
        Body::Message | Body::Unusable(_) if status != StatusCode::OK => {
            let body = read_whole(response, answer::EXCERPT_READ).await.unwrap_or_default();
            return Err(failed(answer::without_reply(status, &body)));
        }
        other => {
            let what = format!("expected the content type `text/event-stream`, found {other:?}");
            return Err(StartErrorKind::Malformed { method: "GET", what });
        }
    }
    let (mut stream, mut events) = (Stream::new(response), Vec::new());
    loop {
        let more = stream.read(&mut events, limit).await.map_err(|how| StartErrorKind::Ended { how })?;
        if let Some(at) = events.iter().position(|event| event.name == "endpoint") {
            let endpoint = String::from_utf8_lossy(&events.remove(at).data).into_owned();
            return Ok((link.to_endpoint(&endpoint)?, stream, events));
        }
        if !more {
            return Err(StartErrorKind::Ended { how: stream.ended() });
        }
    }
}
