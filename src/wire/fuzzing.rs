//! What must hold for any bytes that a server sends: the entry points of the fuzz targets.

use super::framing::LineBuffer;
use super::inbox::Inbox;
use super::sse::{Event, SseParser};

/// Small, so that a short input gets over it.
const LIMIT: usize = 256;

/// Lines do not depend on how the bytes arrive, and none is longer than the limit and a read.
pub fn framing(bytes: &[u8]) {
    let (size, bytes) = cut_size(bytes);
    let whole = lines(bytes, bytes.len().max(1), usize::MAX);
    assert_eq!(whole, lines(bytes, size, usize::MAX), "chunks of {size}");
    lines(bytes, size, LIMIT);
}

/// Events do not depend on how the bytes arrive.
pub fn sse(bytes: &[u8]) {
    let (size, bytes) = cut_size(bytes);
    assert_eq!(events(bytes, bytes.len().max(1)), events(bytes, size), "chunks of {size}");
}

/// A message is a reply, a request, a notification or junk, whatever it is; and of the two requests that are
/// asked here none gets the reply of the other.
pub fn envelope(bytes: &[u8]) {
    let mut inbox = Inbox::default();
    for _ in 0..2 {
        inbox.expect();
        for line in bytes.split(|byte| *byte == b'\n') {
            inbox.take(line);
        }
        assert!(
            inbox.answers.iter().all(|answer| serde_json::from_slice::<serde_json::Value>(answer).is_ok())
        );
        inbox.reply.take();
        assert!(inbox.settle().len() <= 200);
    }
}

/// The first byte says in which chunks the rest arrives.
fn cut_size(bytes: &[u8]) -> (usize, &[u8]) {
    bytes.split_first().map_or((1, bytes), |(first, rest)| (usize::from(*first % 32) + 1, rest))
}

fn lines(bytes: &[u8], size: usize, limit: usize) -> Vec<Vec<u8>> {
    let (mut buffer, mut found) = (LineBuffer::new(limit), Vec::new());
    for chunk in bytes.chunks(size) {
        buffer.room().extend_from_slice(chunk);
        while let Some(line) = buffer.next_line() {
            found.push(line.to_vec());
        }
        if buffer.is_overfull() {
            found.push(buffer.take_rest());
        }
        buffer.give_back();
    }
    found.push(buffer.take_rest());
    found
}

fn events(bytes: &[u8], size: usize) -> Vec<Event> {
    let (mut parser, mut events) = (SseParser::new(), Vec::new());
    for chunk in bytes.chunks(size) {
        parser.push(chunk, &mut events);
        assert!(parser.pending() <= bytes.len());
    }
    events
}
