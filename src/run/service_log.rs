//! What a service prints, on its way to its file: values that a side was given are taken out, since a side may tell
//! them to the service.

use super::secrets::Secrets;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A line longer than this is written in parts.
const LONGEST_LINE: usize = 64 << 10;
/// How long to wait for the last lines of a service that has ended; something that it started may hold its output.
const LAST_LINES: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(5);

/// Writes what comes through a pipe to a log, until nobody holds the pipe.
pub(super) struct LogWriter(JoinHandle<()>);

impl LogWriter {
    /// The pipe for the service, and who empties it.
    ///
    /// # Errors
    /// When there are no more pipes or threads.
    pub fn start(log: File, secrets: Secrets) -> io::Result<(PipeWriter, Self)> {
        let (reader, writer) = io::pipe()?;
        let name = "service log".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || empty(reader, log, &secrets))?;
        Ok((writer, Self(thread)))
    }

    /// Waits until everything is written, for a moment.
    pub fn finish(&self) {
        let until = Instant::now() + LAST_LINES;
        while !self.0.is_finished() && Instant::now() < until {
            std::thread::sleep(POLL);
        }
    }
}

/// A disk that takes no more must not stop the service: the pipe is emptied all the same.
fn empty(mut from: PipeReader, mut log: File, secrets: &Secrets) {
    let (mut waiting, mut chunk) = (Vec::new(), vec![0; 8 << 10]);
    loop {
        let read = match from.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        waiting.extend_from_slice(&chunk[..read]);
        if let Some(end) = waiting.iter().rposition(|byte| *byte == b'\n') {
            let lines: Vec<u8> = waiting.drain(..=end).collect();
            let _ = log.write_all(hidden(&lines, secrets).as_bytes());
        } else if waiting.len() > LONGEST_LINE {
            let text = hidden(&waiting, secrets);
            // A value that is cut by the end so far must wait for the rest of it.
            let cut = text.floor_char_boundary(text.len().saturating_sub(secrets.longest()));
            let _ = log.write_all(&text.as_bytes()[..cut]);
            waiting = text.as_bytes()[cut..].to_vec();
        }
    }
    let _ = log.write_all(hidden(&waiting, secrets).as_bytes());
}

fn hidden(bytes: &[u8], secrets: &Secrets) -> String {
    secrets.hide(&String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_gets_through_however_it_is_written() {
        let secret = "tok-123456789";
        let secrets = Secrets::new([(secret.to_owned(), None)]);
        let long = "x".repeat(LONGEST_LINE - 5);
        let text = format!("a {secret}\n{long}{secret}{long}{secret}\nend {secret}");
        for piece in [1_000, 4_099, text.len()] {
            let log = tempfile::NamedTempFile::new().unwrap();
            let (mut pipe, writer) = LogWriter::start(log.reopen().unwrap(), secrets.clone()).unwrap();
            for piece in text.as_bytes().chunks(piece) {
                pipe.write_all(piece).unwrap();
            }
            drop(pipe);
            writer.finish();
            assert_eq!(std::fs::read_to_string(log.path()).unwrap(), text.replace(secret, "***"));
        }
    }
}
