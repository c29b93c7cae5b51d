//! The file of a session: append only, one write a line.

use super::cutter::Piece;
use super::frame::{self, Context, Origin};
use crate::text::sha256_hex;
use jiff::Timestamp;
use serde::Serialize;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The `format` of a session's first line.
pub const SESSION_FORMAT: &str = "mcp-regress-session";
/// The `format_version` that this version writes.
pub const SESSION_VERSION: u32 = 1;

/// What a session is of; every text in the form that may be written down.
#[derive(Debug, Clone, Serialize)]
pub struct Described {
    /// The server's name in the client's configuration.
    pub server: String,
    /// `stdio` or `http`.
    pub transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[derive(Serialize)]
struct Header<'a> {
    format: &'static str,
    format_version: u32,
    tool_version: &'static str,
    started: String,
    #[serde(flatten)]
    described: &'a Described,
}

/// A session that is being written, shared by everything that passes bytes on.
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    file: Mutex<File>,
    has_failed: AtomicBool,
}

impl SessionFile {
    /// Makes the session's file, mode 0600: `out` itself when its name ends in `.jsonl` (a file that is there
    /// is appended to), else a new file in that folder, which is made with mode 0700 when it is not there.
    ///
    /// # Errors
    ///
    /// A folder or file that cannot be made or written.
    pub fn create(out: &Path, described: &Described) -> io::Result<Self> {
        let started = Timestamp::now();
        let is_file = out.extension().is_some_and(|ending| ending == "jsonl");
        let folder = if is_file { out.parent().unwrap_or(Path::new("")) } else { out };
        if !folder.as_os_str().is_empty() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| named(error, "make the folder", folder))?;
        }
        let path = if is_file { out.to_owned() } else { folder.join(file_name(started, described)) };
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let file = opened.map_err(|error| named(error, "open", &path))?;
        let session = Self {
            path: std::path::absolute(&path).unwrap_or(path),
            file: Mutex::new(file),
            has_failed: AtomicBool::new(false),
        };
        let header = Header {
            format: SESSION_FORMAT,
            format_version: SESSION_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            started: format!("{started:.6}"),
            described,
        };
        let mut line = serde_json::to_vec(&header)?;
        line.push(b'\n');
        session.write(&line).map_err(|error| named(error, "write", &session.path))?;
        Ok(session)
    }

    /// The file, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a piece of what passed.
    pub(super) fn keep(&self, origin: Origin, context: Context<'_>, piece: &Piece<'_>) {
        self.append(&frame::line(Timestamp::now(), origin, context, piece));
    }

    /// Keeps something that happened.
    pub(super) fn note(&self, origin: Origin, http: Option<u64>, key: &'static str, value: &impl Serialize) {
        self.append(&frame::note(Timestamp::now(), origin, http, key, value));
    }

    /// Forces to the disk what was written.
    pub(super) fn sync(&self) {
        let file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The lines are in the file whatever comes of it; only a power cut would miss this.
        let _ = file.sync_data();
    }

    /// Appends a line. When that fails the server goes on without a record, and the person is told once.
    fn append(&self, line: &[u8]) {
        if let Err(error) = self.write(line)
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            let path = self.path.display();
            let _ = writeln!(
                io::stderr(),
                "mcp-regress record: `{path}` lacks frames from here on, it can't be written: {error}"
            );
        }
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write_all(line)
    }
}

fn named(error: io::Error, what: &str, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("can't {what} of the session, `{}`: {error}", path.display()))
}

/// `20261130T191500Z-docs-7c1e.session.jsonl`: sorted by time, told apart by process and nanosecond.
fn file_name(started: Timestamp, described: &Described) -> String {
    let name: String = described
        .server
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(64)
        .collect();
    let unique = sha256_hex(format!("{}-{}", std::process::id(), started.as_nanosecond()).as_bytes());
    format!("{}-{name}-{}.session.jsonl", started.strftime("%Y%m%dT%H%M%SZ"), &unique[..4])
}

/// `mcp-regress/sessions` in `$XDG_STATE_HOME`, else in `~/.local/state`, else (no home) in the folder for
/// temporary files. A client starts its servers in a folder that the user may not know.
pub fn default_folder() -> PathBuf {
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute(std::env::var_os("XDG_STATE_HOME"))
        .or_else(|| absolute(std::env::var_os("HOME")).map(|home| home.join(".local/state")));
    state.unwrap_or_else(std::env::temp_dir).join("mcp-regress/sessions")
}
