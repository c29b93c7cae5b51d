//! The stream on which a server speaks by itself: notifications, and requests to the client.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::{Duration, sleep};

use super::link::Link;
use super::stream::{self, Stream};
use crate::wire::inbox::Inbox;

/// The wait before a stream that ended is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Listen until the server does not offer the stream (405 is the usual answer) or is gone.
pub(crate) async fn listen(link: Link, aside: Arc<Mutex<Inbox>>, limit: usize) {
    loop {
        match link.get(None).await {
            Ok(response) if Stream::is_in(&response) => {
                hear(Stream::new(response), &link, &aside, limit).await
            }
            _ => return,
        }
        sleep(PAUSE).await;
    }
}

async fn hear(mut stream: Stream, link: &Link, aside: &Mutex<Inbox>, limit: usize) {
    let mut events = Vec::new();
    while let Ok(true) = stream.read(&mut events, limit).await {
        let answers = {
            let mut inbox = aside.lock().unwrap_or_else(PoisonError::into_inner);
            events.drain(..).for_each(|event| stream::take(&event, &mut inbox));
            std::mem::take(&mut inbox.answers)
        };
        for answer in answers {
            // A server that does not take the answer has asked in vain; that is its own affair.
            let _ = link.post(answer, &[]).await;
        }
    }
}
