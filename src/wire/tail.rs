//! The end of a text that may never end.

/// The last `kept` bytes of everything pushed, and how many there were.
#[derive(Debug)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    kept: usize,
    total: u64,
}

impl Tail {
    pub(crate) fn new(kept: usize) -> Self {
        Self { bytes: Vec::new(), kept, total: 0 }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        self.bytes.extend_from_slice(chunk);
        // Cutting at twice the size keeps the cost of a flood at one move a byte.
        if self.bytes.len() > self.kept.saturating_mul(2) {
            self.bytes.drain(..self.bytes.len() - self.kept);
        }
    }

    /// How many bytes came in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The end as text, from the first whole line when something was dropped.
    pub(crate) fn text(&self) -> String {
        let end = &self.bytes[self.bytes.len().saturating_sub(self.kept)..];
        if self.total <= end.len() as u64 {
            return String::from_utf8_lossy(end).into_owned();
        }
        let whole = memchr::memchr(b'\n', end).map_or(end, |line_end| &end[line_end + 1..]);
        String::from_utf8_lossy(if whole.is_empty() { end } else { whole }).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[test]
    fn the_end_is_kept_from_a_line_start() {
        let mut tail = Tail::new(10);
        for line in ["first\n", "second\n", "third\n"] {
            tail.push(line.as_bytes());
        }
        assert_eq!(tail.text(), "third\n");
        assert_eq!(tail.total(), 19);

        let mut short = Tail::new(10);
        short.push(b"all of it");
        assert_eq!(short.text(), "all of it");

        let mut flood = Tail::new(4);
        (0..1000).for_each(|_| flood.push(b"xyz"));
        assert_eq!(flood.text(), "zxyz");
        assert!(flood.bytes.len() <= 8);

        let mut none = Tail::new(0);
        none.push(b"x");
        assert_eq!(none.text(), "");
    }
}
