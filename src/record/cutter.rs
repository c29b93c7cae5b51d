//! A byte stream cut into the lines that a session keeps.

/// Bytes of a line that are held back until its end comes; a longer one is kept in pieces.
const MOST_HELD: usize = 8 << 20;

/// A piece of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'b> {
    /// Without the line feed.
    pub bytes: &'b [u8],
    /// The line goes on in the next piece.
    pub is_part: bool,
    /// The line began in the piece before.
    pub is_rest: bool,
}

/// Cuts one direction.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    held: Vec<u8>,
    has_parts: bool,
}

impl Cutter {
    /// Takes the next bytes and hands out the lines that they end.
    pub fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(Piece<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let is_rest = std::mem::take(&mut self.has_parts);
            if self.held.is_empty() {
                take(Piece { bytes: &bytes[..end], is_part: false, is_rest });
            } else {
                self.held.extend_from_slice(&bytes[..end]);
                take(Piece { bytes: &self.held, is_part: false, is_rest });
                self.held = Vec::new();
            }
            bytes = &bytes[end + 1..];
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() >= MOST_HELD {
            self.part(take);
        }
    }

    /// Whether bytes are held that no piece has shown yet.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Hands out what is held of a line whose end has not come: it may never come.
    pub fn part(&mut self, mut take: impl FnMut(Piece<'_>)) {
        if self.is_holding() {
            take(Piece { bytes: &self.held, is_part: true, is_rest: self.has_parts });
            self.held = Vec::new();
            self.has_parts = true;
        }
    }

    /// Hands out what is held as a whole: the message ended where its stream did.
    pub fn whole(&mut self, mut take: impl FnMut(Piece<'_>)) {
        if self.is_holding() || self.has_parts {
            take(Piece { bytes: &self.held, is_part: false, is_rest: self.has_parts });
            *self = Self::default();
        }
    }

    /// Takes bytes that no line feed divides.
    pub fn hold(&mut self, bytes: &[u8], take: impl FnMut(Piece<'_>)) {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= MOST_HELD {
            self.part(take);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Owned = (Vec<u8>, bool, bool);

    fn owned(piece: Piece<'_>) -> Owned {
        (piece.bytes.to_vec(), piece.is_part, piece.is_rest)
    }

    #[test]
    fn lines_do_not_depend_on_chunks() {
        let stream = b"one\n\ntwo\r\nthree\n";
        for size in 1..=stream.len() {
            let (mut cutter, mut pieces) = (Cutter::default(), Vec::new());
            stream.chunks(size).for_each(|chunk| cutter.push(chunk, |piece| pieces.push(owned(piece))));
            let lines: Vec<&[u8]> = pieces.iter().map(|(bytes, ..)| bytes.as_slice()).collect();
            assert_eq!(lines, [&b"one"[..], b"", b"two\r", b"three"], "chunks of {size}");
            assert!(!cutter.is_holding() && pieces.iter().all(|(_, is_part, is_rest)| !is_part && !is_rest));
        }
    }

    #[test]
    fn a_line_that_waits_is_kept_in_pieces() {
        let (mut cutter, mut pieces) = (Cutter::default(), Vec::new());
        cutter.push(b"ab", |piece| pieces.push(owned(piece)));
        cutter.part(|piece| pieces.push(owned(piece)));
        cutter.part(|piece| pieces.push(owned(piece)));
        cutter.push(b"cd\nef", |piece| pieces.push(owned(piece)));
        cutter.part(|piece| pieces.push(owned(piece)));
        let expected =
            [(b"ab".to_vec(), true, false), (b"cd".to_vec(), false, true), (b"ef".to_vec(), true, false)];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let mut cutter = Cutter::default();
        let (mut pieces, mut total) = (0, 0);
        for _ in 0..40 {
            cutter.push(&vec![b'x'; 1 << 20], |piece| {
                pieces += 1;
                total += piece.bytes.len();
                assert!(piece.is_part && piece.bytes.len() <= MOST_HELD + (1 << 20));
            });
        }
        assert_eq!((pieces, total), (5, 40 << 20));
    }
}
