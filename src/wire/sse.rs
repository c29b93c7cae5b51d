//! Server-sent events out of a byte stream, as the HTML standard cuts them.

/// One event. Events without data are handed out too: servers send an id that way before anything
/// else, so that a broken stream can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Empty when the stream named none, which means `message`.
    pub(crate) name: String,
    pub(crate) data: Vec<u8>,
    pub(crate) id: Option<String>,
    /// How long to wait before the stream is opened again, in milliseconds.
    pub(crate) retry_ms: Option<u64>,
}

/// A parser that is fed with chunks of any size.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    /// The bytes of a line whose end has not come yet.
    line: Vec<u8>,
    /// The last byte was a CR: a LF that follows belongs to it.
    after_cr: bool,
    has_begun: bool,
    event: Event,
    has_data: bool,
    is_blank: bool,
}

impl SseParser {
    pub(crate) fn new() -> Self {
        Self { is_blank: true, ..Self::default() }
    }

    /// Take a chunk and append the events that it ends.
    pub(crate) fn push(&mut self, mut chunk: &[u8], events: &mut Vec<Event>) {
        while !chunk.is_empty() {
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', chunk) else {
                self.line.extend_from_slice(chunk);
                return;
            };
            self.after_cr = chunk[end] == b'\r';
            if self.line.is_empty() {
                self.take_line(&chunk[..end], events);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&chunk[..end]);
                self.take_line(&line, events);
            }
            chunk = &chunk[end + 1..];
        }
    }

    /// Bytes held for an event that is not complete.
    pub(crate) fn pending(&self) -> usize {
        self.line.len() + self.event.data.len()
    }

    /// Whether the stream has stopped inside an event.
    pub(crate) fn is_inside_event(&self) -> bool {
        !self.line.is_empty() || !self.is_blank
    }

    fn take_line(&mut self, line: &[u8], events: &mut Vec<Event>) {
        let mut line = line;
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            if !std::mem::replace(&mut self.is_blank, true) {
                self.has_data = false;
                events.push(std::mem::take(&mut self.event));
            }
            return;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            // A line that begins with a colon is a comment.
            Some(0) => return,
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        self.take_field(field, value);
    }

    fn take_field(&mut self, field: &[u8], value: &[u8]) {
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = text(),
            b"id" if !value.contains(&0) => self.event.id = Some(text()),
            b"retry" => match text().parse() {
                Ok(wait) => self.event.retry_ms = Some(wait),
                Err(_) => return,
            },
            _ => return,
        }
        self.is_blank = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(stream: &[u8], size: usize) -> (Vec<Event>, bool) {
        let (mut parser, mut events) = (SseParser::new(), Vec::new());
        stream.chunks(size).for_each(|chunk| parser.push(chunk, &mut events));
        (events, parser.is_inside_event())
    }

    fn event(name: &str, data: &str, id: Option<&str>, retry_ms: Option<u64>) -> Event {
        Event { name: name.to_owned(), data: data.as_bytes().to_vec(), id: id.map(str::to_owned), retry_ms }
    }

    #[test]
    fn events_do_not_depend_on_line_ends_or_chunks() {
        let text = "\u{feff}: a comment\nid: 1\nretry: 250\ndata:\n\nevent: message\ndata: {\"a\":\ndata:  1}\n\
                    unknown: x\nid\n\n\n\ndata\n\nretry: soon\n\n";
        let expected = [
            event("", "", Some("1"), Some(250)),
            event("message", "{\"a\":\n 1}", Some(""), None),
            event("", "", None, None),
        ];
        for line_end in ["\n", "\r\n", "\r"] {
            let stream = text.replace('\n', line_end);
            for size in 1..stream.len() {
                let (events, is_inside) = parse(stream.as_bytes(), size);
                assert_eq!(events, expected, "{line_end:?} in chunks of {size}");
                assert!(!is_inside, "{line_end:?} in chunks of {size}");
            }
        }
    }

    #[test]
    fn a_cut_inside_an_event_is_seen() {
        for (stream, is_inside) in [
            ("data: x\n\n", false),
            ("data: x\n", true),
            ("data: x", true),
            ("dat", true),
            (": c\n", false),
            ("", false),
        ] {
            assert_eq!(parse(stream.as_bytes(), 3).1, is_inside, "{stream:?}");
        }
    }
}
