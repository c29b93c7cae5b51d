//! A body that passes, frame by frame, and is kept.

use crate::record::cutter::{Cutter, Piece};
use crate::record::frame::{Context as FrameContext, Origin};
use crate::record::session_file::SessionFile;
use crate::wire::sse::{Event, SseParser};
use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// How long the rest of a message is waited for before its beginning is kept by itself.
const REST_WAIT: Duration = Duration::from_millis(50);

/// How the bytes of a body make messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The body is one.
    Whole,
    /// Each event of a stream is one.
    Events,
}

/// What is kept of a body.
struct Keeper {
    reading: Reading,
    cutter: Cutter,
    events: SseParser,
    origin: Origin,
    number: u64,
    session: Arc<SessionFile>,
    is_over: bool,
}

/// A body between two connections.
pub(super) struct Tap<B> {
    /// Some bodies may not be shared between threads, which a request's must; nobody ever waits for the lock.
    inner: Mutex<Pin<Box<B>>>,
    keeper: Keeper,
    wait: Option<Pin<Box<Sleep>>>,
}

impl<B> Tap<B> {
    pub fn new(inner: B, reading: Reading, origin: Origin, number: u64, session: Arc<SessionFile>) -> Self {
        let keeper = Keeper {
            reading,
            cutter: Cutter::default(),
            events: SseParser::new(),
            origin,
            number,
            session,
            is_over: false,
        };
        Self { inner: Mutex::new(Box::pin(inner)), keeper, wait: None }
    }
}

impl<B> HttpBody for Tap<B>
where
    B: HttpBody<Data = Bytes>,
    B::Error: std::fmt::Display,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        let inner = this.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        let polled = inner.as_mut().poll_frame(context);
        match &polled {
            Poll::Pending if this.keeper.cutter.is_holding() => {
                let wait = this.wait.get_or_insert_with(|| Box::pin(sleep(REST_WAIT)));
                if wait.as_mut().poll(context).is_ready() {
                    this.wait = None;
                    this.keeper.part();
                }
            }
            Poll::Pending => {}
            Poll::Ready(Some(Ok(frame))) => {
                this.wait = None;
                if let Some(bytes) = frame.data_ref() {
                    this.keeper.take(bytes);
                }
            }
            Poll::Ready(Some(Err(error))) => this.keeper.end(Some(&format!("broken off: {error}"))),
            Poll::Ready(None) => this.keeper.end(None),
        }
        if inner.is_end_stream() {
            // A body of known length is not asked again after its last frame.
            this.keeper.end(None);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).size_hint()
    }
}

impl Keeper {
    fn take(&mut self, bytes: &[u8]) {
        let (session, origin) = (&self.session, self.origin);
        let context = FrameContext { http: Some(self.number), event: None };
        match self.reading {
            Reading::Whole => self.cutter.hold(bytes, |piece| session.keep(origin, context, &piece)),
            Reading::Events => {
                let mut events = Vec::new();
                self.events.push(bytes, &mut events);
                events.iter().for_each(|event| self.event(event));
            }
        }
    }

    fn event(&self, event: &Event) {
        let name = if event.name.is_empty() { "message" } else { &event.name };
        let context = FrameContext { http: Some(self.number), event: Some((name, event.id.as_deref())) };
        // An event of any size is one message: its parser holds it whole.
        let whole = Piece { bytes: &event.data, is_part: false, is_rest: false };
        self.session.keep(self.origin, context, &whole);
    }

    fn part(&mut self) {
        let (session, origin) = (&self.session, self.origin);
        let context = FrameContext { http: Some(self.number), event: None };
        self.cutter.part(|piece| session.keep(origin, context, &piece));
    }

    /// Keeps what is left, once.
    fn end(&mut self, why: Option<&str>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let why = why.or_else(|| self.events.is_inside_event().then_some("it ended inside an event"));
        if let Some(why) = why {
            self.part();
            self.session.note(self.origin, Some(self.number), "cut", &why);
            return;
        }
        let (session, origin) = (&self.session, self.origin);
        let context = FrameContext { http: Some(self.number), event: None };
        self.cutter.whole(|piece| session.keep(origin, context, &piece));
    }
}

impl<B> Drop for Tap<B> {
    fn drop(&mut self) {
        self.keeper.end(Some("the other end is closed"));
    }
}
