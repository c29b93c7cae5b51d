//! A byte stream cut into lines, in one bounded buffer.

use memchr::memchr;

/// How much room a read is given at least.
const READ_ROOM: usize = 64 << 10;

/// An empty buffer that grew past this is given back.
const KEPT_CAPACITY: usize = 1 << 20;

/// Bytes that came, and how far they have been looked at.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the first line that was not taken yet begins.
    start: usize,
    /// Up to here there is no line end after `start`, so a long line is searched once, not at each read.
    scanned: usize,
    limit: usize,
}

impl LineBuffer {
    /// A buffer in which a line may have up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: Vec::with_capacity(READ_ROOM), start: 0, scanned: 0, limit }
    }

    /// The next whole line, without its line feed.
    pub(crate) fn next_line(&mut self) -> Option<&[u8]> {
        let found = self.bytes.get(self.scanned..).and_then(|rest| memchr(b'\n', rest));
        let Some(offset) = found else {
            self.scanned = self.bytes.len();
            return None;
        };
        let (start, end) = (self.start, self.scanned + offset);
        self.start = end + 1;
        self.scanned = self.start;
        self.bytes.get(start..end)
    }

    /// What is left at the end of the stream: a line that was never finished.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.start.min(self.bytes.len()));
        self.bytes.clear();
        (self.start, self.scanned) = (0, 0);
        rest
    }

    /// Whether the unfinished line is over the limit. Checked before each read, so the buffer never
    /// holds much more than the limit.
    pub(crate) fn is_overfull(&self) -> bool {
        self.bytes.len() - self.start > self.limit
    }

    /// Give back the memory of a long line once everything that came was taken.
    pub(crate) fn give_back(&mut self) {
        if self.start == self.bytes.len() {
            self.bytes.clear();
            if self.bytes.capacity() > KEPT_CAPACITY {
                self.bytes = Vec::new();
            }
            (self.start, self.scanned) = (0, 0);
        }
    }

    /// The vector to append to, with room for a read.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        if self.start == self.bytes.len() {
            self.give_back();
        } else if self.start > self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.bytes.capacity() - self.bytes.len() < READ_ROOM / 8 {
            self.bytes.reserve(READ_ROOM);
        }
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_depend_on_how_the_bytes_arrive() {
        let stream = b"one\n\nthree is longer\r\nlast without an end";
        for size in 1..stream.len() {
            let mut lines = LineBuffer::new(1 << 10);
            let mut seen = Vec::new();
            for chunk in stream.chunks(size) {
                lines.room().extend_from_slice(chunk);
                while let Some(line) = lines.next_line() {
                    seen.push(String::from_utf8_lossy(line).into_owned());
                }
            }
            assert_eq!(seen, ["one", "", "three is longer\r"], "chunks of {size}");
            assert_eq!(lines.take_rest(), b"last without an end", "chunks of {size}");
        }
    }

    #[test]
    fn a_line_over_the_limit_is_seen_and_its_memory_is_given_back() {
        let mut lines = LineBuffer::new(4 << 20);
        while !lines.is_overfull() {
            lines.room().extend_from_slice(&[b'x'; 100_000]);
            assert!(lines.next_line().is_none());
        }
        assert!(lines.room().len() <= (4 << 20) + 100_000);
        lines.room().push(b'\n');
        assert!(lines.next_line().is_some());
        lines.give_back();
        assert!(lines.bytes.capacity() <= KEPT_CAPACITY);
    }
}
