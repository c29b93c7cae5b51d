//! A reply that comes as events, and what to do when its stream breaks.

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::time::{Duration, sleep};

use super::link::{Link, reason};
use crate::wire::failure::Crash;
use crate::wire::inbox::Inbox;
use crate::wire::sse::{Event, SseParser};

/// The wait before a stream is opened again, unless the server names one.
const RECONNECT: Duration = Duration::from_secs(1);
const RECONNECT_AT_LEAST: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Stream {
    response: Response,
    parser: SseParser,
    /// The last id that an event had: from there the stream can be resumed.
    last_id: Option<String>,
    wait: Duration,
}

impl Stream {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, parser: SseParser::new(), last_id: None, wait: RECONNECT }
    }

    /// Whether an answer is a stream of events.
    pub(crate) fn is_in(response: &Response) -> bool {
        let kind = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes().to_ascii_lowercase());
        response.status().is_success() && kind.is_some_and(|kind| kind.starts_with(b"text/event-stream"))
    }

    /// Read one chunk and take the messages that it completes. False at the end.
    pub(crate) async fn step(&mut self, inbox: &mut Inbox, limit: usize) -> Result<bool, Crash> {
        let mut events = Vec::new();
        let more = self.read(&mut events, limit).await?;
        events.iter().for_each(|event| take(event, inbox));
        Ok(more)
    }

    /// Read one chunk and append the events that it completes. False at the end.
    pub(crate) async fn read(&mut self, events: &mut Vec<Event>, limit: usize) -> Result<bool, Crash> {
        let chunk = match self.response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(false),
            Err(error) => return Err(Crash::ConnectionCut { place: self.place(), why: reason(error) }),
        };
        self.parser.push(&chunk, events);
        if self.parser.pending() > limit {
            return Err(Crash::MessageTooLarge { limit });
        }
        for event in events.iter() {
            if let Some(id) = &event.id {
                self.last_id = Some(id.clone()).filter(|id| !id.is_empty());
            }
            if let Some(wait) = event.retry_ms {
                self.wait = Duration::from_millis(wait).max(RECONNECT_AT_LEAST);
            }
        }
        Ok(true)
    }

    /// What it means that the stream ended before its reply.
    pub(crate) fn ended(&self) -> Crash {
        let why = "the stream ended without a reply".to_owned();
        Crash::ConnectionCut { place: self.place(), why }
    }

    /// Open the stream again after its last event. Without an event's id, or when the server does
    /// not go on, the `cut` stands.
    pub(crate) async fn resume(self, link: &Link, cut: Crash) -> Result<Self, Crash> {
        let Some(last_id) = self.last_id else { return Err(cut) };
        sleep(self.wait).await;
        match link.get(Some(&last_id)).await {
            Ok(response) if Self::is_in(&response) => {
                let parser = SseParser::new();
                Ok(Self { response, parser, last_id: Some(last_id), wait: self.wait })
            }
            _ => Err(cut),
        }
    }

    fn place(&self) -> &'static str {
        if self.parser.is_inside_event() { "in the middle of an event" } else { "between events" }
    }
}

/// Hand the data of a message event to the inbox. Other events carry no messages.
pub(crate) fn take(event: &Event, inbox: &mut Inbox) {
    if !event.data.is_empty() && matches!(event.name.as_str(), "" | "message") {
        inbox.take(&event.data);
    }
}
