//! A recorder, its client's ends, and the session that it writes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes that is not stuck.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_mcp-regress")
}

/// The binary with nothing in its environment that could change what it does.
pub fn mcp_regress(arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MCP_REGRESS_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

/// A process between pipes; killed when the test is done with it.
pub struct Running {
    pub child: Child,
    pub stdin: Option<std::process::ChildStdin>,
    out: Receiver<Vec<u8>>,
    err: Receiver<Vec<u8>>,
    seen: [Vec<u8>; 2],
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let out = chunks(child.stdout.take().unwrap());
        let err = chunks(child.stderr.take().unwrap());
        Self { stdin: child.stdin.take(), out, err, seen: [Vec::new(), Vec::new()], child }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("it is read");
    }

    /// Waits until standard output holds `wanted`.
    pub fn await_out(&mut self, wanted: &str) -> String {
        await_text(&self.out, &mut self.seen[0], wanted)
    }

    pub fn await_err(&mut self, wanted: &str) -> String {
        await_text(&self.err, &mut self.seen[1], wanted)
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Closes stdin and waits for the end: status, standard output, standard error.
    pub fn finish(mut self) -> (ExitStatus, Vec<u8>, Vec<u8>) {
        drop(self.stdin.take());
        let status = wait(&mut self.child);
        let [mut out, mut err] = std::mem::take(&mut self.seen);
        self.out.iter().for_each(|chunk| out.extend(chunk));
        self.err.iter().for_each(|chunk| err.extend(chunk));
        (status, out, err)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
    assert!(status.success(), "kill -{name} {process}");
}

pub fn wait(child: &mut Child) -> ExitStatus {
    let mut status = None;
    eventually("the process ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Asks until the answer is yes.
pub fn eventually(what: &str, mut ask: impl FnMut() -> bool) {
    let started = Instant::now();
    while !ask() {
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn chunks(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 1 << 16];
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            if tell.send(chunk[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    told
}

fn await_text(stream: &Receiver<Vec<u8>>, seen: &mut Vec<u8>, wanted: &str) -> String {
    loop {
        let text = String::from_utf8_lossy(seen).into_owned();
        if text.contains(wanted) {
            return text;
        }
        let chunk = stream.recv_timeout(PATIENCE);
        seen.extend(chunk.unwrap_or_else(|_| panic!("`{wanted}` did not come, but `{text}`")));
    }
}

/// Where sessions of a test go.
pub struct Place {
    pub dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn folder(&self) -> PathBuf {
        self.dir.path().join("sessions")
    }

    /// `record` with these arguments, writing here.
    pub fn record(&self, arguments: &[&str]) -> Command {
        let folder = self.folder();
        let mut all = vec!["record", "--out", folder.to_str().unwrap()];
        all.extend(arguments);
        mcp_regress(&all)
    }

    /// The only session file.
    pub fn file(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.folder()).expect("the folder is there");
        let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8(std::fs::read(self.file()).unwrap()).expect("a session is UTF-8")
    }

    /// The lines after the first, each JSON and each with a time and an origin.
    pub fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let lines: Vec<Value> =
            text.lines().skip(1).map(|line| mcp_regress::wire::read_value(line).unwrap()).collect();
        for line in &lines {
            assert!(line["ts"].is_string() && line["dir"].is_string(), "{line}");
        }
        lines
    }

    pub fn header(&self) -> Value {
        serde_json::from_str(self.text().lines().next().unwrap()).unwrap()
    }

    /// The values under `key` of the lines from `origin`.
    pub fn all(&self, origin: &str, key: &str) -> Vec<Value> {
        let lines = self.lines().into_iter().filter(|line| line["dir"] == origin);
        lines.filter_map(|line| line.get(key).cloned()).collect()
    }
}

/// Mode bits of a file or folder.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The fixture server over HTTP; its address without the path.
pub fn http_fixture(options: &[&str]) -> (Child, String) {
    let mut command = mcp_regress(&["fixture", "--scenario", "documents", "--http", "0"]);
    let mut child = command.args(options).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().trim_start_matches("listening on http://").trim_end_matches("/mcp").to_owned();
    (child, address)
}
