//! Lines of a file, one after the other, in bounded memory. A caller that passes a line over pays for finding
//! its end and nothing else.

use super::problems::{Damage, ImportProblems};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;

/// The longest line that is read, in bytes. Longer ones are passed over and counted.
pub const MOST_LINE_BYTES: usize = 32 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// One line without its line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'l> {
    pub bytes: &'l [u8],
    /// Counted from 1.
    pub number: u64,
    /// It has no line feed: the writer may have crashed, or is still writing.
    pub is_unfinished: bool,
}

/// The lines of a reader. Blank ones are passed over.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What is left of the buffer begins here,
    start: usize,
    /// holds no line feed before here,
    searched: usize,
    /// and ends here.
    end: usize,
    number: u64,
    is_over: bool,
    /// Bytes that the file had when it was opened: a file that grows faster than it is read ends there.
    left: u64,
    too_long: Option<u64>,
}

impl<R: Read> Lines<R> {
    /// `length`: bytes after which the reader ends with the line at hand; `u64::MAX` reads to the end.
    pub fn new(reader: R, length: u64) -> Self {
        Self {
            reader,
            buffer: vec![0; CHUNK],
            start: 0,
            searched: 0,
            end: 0,
            number: 0,
            is_over: false,
            left: length,
            too_long: None,
        }
    }

    /// The next line that is not blank; a line that is too long is passed over and noted.
    ///
    /// # Errors
    /// What the reader says; the lines before stay good.
    pub fn next_line(&mut self) -> std::io::Result<Option<Line<'_>>> {
        loop {
            let Some((from, to, is_unfinished)) = self.find()? else { return Ok(None) };
            self.number += 1;
            if !self.buffer[from..to].iter().all(u8::is_ascii_whitespace) {
                let bytes = &self.buffer[from..to];
                let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
                let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.number == 1).unwrap_or(bytes);
                return Ok(Some(Line { bytes, number: self.number, is_unfinished }));
            }
        }
    }

    /// The number of a line that was passed over since the last question, because it was too long.
    pub fn take_too_long(&mut self) -> Option<u64> {
        self.too_long.take()
    }

    /// Where the next line stands in the buffer.
    fn find(&mut self) -> std::io::Result<Option<(usize, usize, bool)>> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]) {
                let (from, to) = (self.start, self.searched + at);
                self.start = to + 1;
                self.searched = self.start;
                return Ok(Some((from, to, false)));
            }
            self.searched = self.end;
            if self.end - self.start > MOST_LINE_BYTES {
                self.skip_line()?;
                continue;
            }
            if self.is_over || !self.fill()? {
                self.is_over = true;
                if self.start == self.end {
                    return Ok(None);
                }
                let found = (self.start, self.end, true);
                self.start = self.end;
                return Ok(Some(found));
            }
        }
    }

    /// Drops the line at hand up to its end.
    fn skip_line(&mut self) -> std::io::Result<()> {
        self.number += 1;
        self.too_long = Some(self.number);
        self.buffer = vec![0; CHUNK];
        loop {
            (self.start, self.searched, self.end) = (0, 0, 0);
            if !self.fill()? {
                self.is_over = true;
                return Ok(());
            }
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[..self.end]) {
                self.start = at + 1;
                self.searched = self.start;
                return Ok(());
            }
        }
    }

    /// Reads on; false at the end.
    fn fill(&mut self) -> std::io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        // Once the length at opening was read, only the line at hand is still finished.
        if self.left == 0 && self.end == 0 {
            return Ok(false);
        }
        if self.end == self.buffer.len() {
            self.buffer.resize((self.buffer.len() * 2).min(MOST_LINE_BYTES + 1), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    self.end += read;
                    self.left = self.left.saturating_sub(read as u64);
                    return Ok(true);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A line as a record. Invalid UTF-8 and lone surrogates are replaced; what is no record is noted.
pub fn decode<T: DeserializeOwned>(line: Line<'_>, file: &Path, problems: &mut ImportProblems) -> Option<T> {
    let first = match serde_json::from_slice(line.bytes) {
        Ok(record) => return Some(record),
        Err(error) => error,
    };
    if line.is_unfinished && first.is_eof() {
        problems.note(Damage::CutLine, file, line.number, "");
        return None;
    }
    let text = String::from_utf8_lossy(line.bytes);
    let is_replaced = matches!(text, std::borrow::Cow::Owned(_));
    let mended = crate::wire::mend_surrogates(&text);
    match serde_json::from_str(&mended) {
        Ok(record) => {
            if is_replaced {
                problems.note(Damage::InvalidUtf8, file, line.number, "");
            }
            Some(record)
        }
        Err(error) if error.is_eof() && line.is_unfinished => {
            problems.note(Damage::CutLine, file, line.number, "");
            None
        }
        Err(_) => {
            problems.note(Damage::BadLine, file, line.number, first);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(u64, String, bool)> {
        let mut lines = Lines::new(text, text.len() as u64);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push((line.number, String::from_utf8_lossy(line.bytes).into_owned(), line.is_unfinished));
        }
        found
    }

    #[test]
    fn lines_end_at_line_feeds_and_blank_ones_are_passed_over() {
        let wanted = [(1, "a"), (4, "b"), (5, "c")].map(|(at, text)| (at, text.to_owned(), at == 5));
        assert_eq!(lines(b"a\r\n\n  \nb\nc"), wanted);
        assert!(lines(b"").is_empty());
        assert_eq!(lines(b"\xef\xbb\xbfa\n"), [(1, "a".to_owned(), false)]);
    }

    #[test]
    fn a_line_may_be_longer_than_a_chunk_and_not_longer_than_the_limit() {
        let long = "x".repeat(3 * CHUNK + 7);
        let text = format!("a\n{long}\nb");
        let found = lines(text.as_bytes());
        assert_eq!(found[1].1.len(), long.len());
        assert_eq!(found[2], (3, "b".to_owned(), true));

        let text = format!("a\n{}\nb\n", "x".repeat(MOST_LINE_BYTES + CHUNK));
        let mut lines = Lines::new(text.as_bytes(), u64::MAX);
        assert_eq!(lines.next_line().unwrap().map(|line| line.number), Some(1));
        assert_eq!(lines.next_line().unwrap().map(|line| line.number), Some(3));
        assert_eq!(lines.take_too_long(), Some(2));
        assert_eq!(lines.next_line().unwrap(), None);
        assert_eq!(lines.buffer.len(), CHUNK);
    }

    #[test]
    fn a_file_that_grows_ends_with_the_line_at_hand() {
        let endless = std::io::repeat(b'y').take(1 << 20).chain(&b"\nlater\nlater still\n"[..]);
        let mut lines = Lines::new(endless, 1 << 20);
        assert_eq!(lines.next_line().unwrap().map(|line| line.bytes.len()), Some(1 << 20));
        let mut rest = 0;
        while lines.next_line().unwrap().is_some() {
            rest += 1;
        }
        assert!(rest <= 2);
    }

    #[test]
    fn damage_is_told_apart() {
        let mut problems = ImportProblems::default();
        let mut read = |bytes: &[u8], is_unfinished| {
            let line = Line { bytes, number: 1, is_unfinished };
            decode::<serde_json::Value>(line, Path::new("f"), &mut problems)
        };
        assert_eq!(read(b"{\"a\": \"\xff\"}", false).unwrap()["a"], "\u{fffd}");
        assert_eq!(read(br#"{"a": "\ud800"}"#, false).unwrap()["a"], "\u{fffd}");
        assert!(read(br#"{"a": "#, true).is_none());
        assert!(read(b"{\"a\": \"\xff", true).is_none());
        assert!(read(br#"{"a": "#, false).is_none());
        assert!(read(&b"[".repeat(100_000), false).is_none());
        let counts = [Damage::InvalidUtf8, Damage::CutLine, Damage::BadLine].map(|kind| problems.count(kind));
        assert_eq!(counts, [1, 2, 2]);
    }
}
