//! Services that both sides need: started before them, ended after them, their output kept.

use super::environment::VisibleEnv;
use super::launch::free_port;
use super::secrets::Secrets;
use super::service_log::LogWriter;
use crate::suite::{Placeholder, ServiceConfig, fill};
use fs_err::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// Running services; ended when dropped.
pub struct Services(Vec<Service>);

struct Service {
    child: Child,
    log: LogWriter,
}

/// How long between two looks at a service that is not ready.
const POLL: Duration = Duration::from_millis(50);
/// Bytes and lines of a service's output that an error shows.
const TAIL_BYTES: u64 = 4 << 10;
const TAIL_LINES: usize = 12;

/// Starts every service and waits until each answers at its `ready` address. What they print goes to
/// `service-1.log` and so on in the folder `output`, without `secrets`; what is there already is kept.
///
/// # Errors
/// When one cannot be started, ends, or is not ready within `limit`; with the end of its output.
pub async fn start_services(
    services: &[ServiceConfig],
    root: &Path,
    output: &Path,
    limit: Duration,
    secrets: &Secrets,
) -> io::Result<Services> {
    let mut running = Services(Vec::new());
    for (index, service) in services.iter().enumerate() {
        let path = log_of(output, index);
        let (pipe, log) = LogWriter::start(open_log(&path)?, secrets.clone())?;
        let filled = Filled::new(service, root)?;
        let mut command = Command::new(&filled.command[0]);
        command.args(&filled.command[1..]).current_dir(root).env_clear();
        command.envs(VisibleEnv::of(None, super::is_ci()).variables());
        command
            .stdin(Stdio::null())
            .stdout(pipe.try_clone()?)
            .stderr(pipe)
            .kill_on_drop(true)
            .process_group(0);
        let child = command
            .spawn()
            .map_err(|why| named(index, &format!("can't start `{}`: {why}", service.command[0])))?;
        // It holds our end of the pipe.
        drop(command);
        running.0.push(Service { child, log });
        if let Some(ready) = &filled.ready
            && let Err(error) = running.wait_ready(index, ready, limit).await
        {
            running.end();
            running.0[index].log.finish();
            return Err(with_tail(&error, &path));
        }
    }
    Ok(running)
}

/// A service with a port of its own in place of `{port}`.
struct Filled {
    command: Vec<String>,
    ready: Option<String>,
}

impl Filled {
    fn new(service: &ServiceConfig, root: &Path) -> io::Result<Self> {
        let texts = || service.command.iter().chain(&service.ready);
        let port = if texts().any(|text| text.contains("{port}")) { Some(free_port()?) } else { None };
        let own = std::env::current_exe()?;
        let fill_in = |text: &String| {
            fill(text, |placeholder| match placeholder {
                Placeholder::SelfBinary => Some(own.display().to_string()),
                Placeholder::Port => port.map(|port| port.to_string()),
                Placeholder::Root => Some(root.display().to_string()),
                _ => None,
            })
        };
        Ok(Self {
            command: service.command.iter().map(fill_in).collect(),
            ready: service.ready.as_ref().map(fill_in),
        })
    }
}

fn log_of(output: &Path, index: usize) -> PathBuf {
    output.join(format!("service-{}.log", index + 1))
}

/// Opened to append, so that a resumed run keeps what the first one printed, and for its owner alone.
fn open_log(path: &Path) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(options.open(path)?.into_file())
}

/// The error with the last lines that the service printed.
fn with_tail(error: &io::Error, log: &Path) -> io::Error {
    let tail = tail_of(log).unwrap_or_default();
    let lines: Vec<&str> = tail.lines().rev().take(TAIL_LINES).collect();
    let mut message = error.to_string();
    if lines.is_empty() {
        message.push_str("; it printed nothing");
    } else {
        message.push_str("\nthe end of its output:");
    }
    for line in lines.into_iter().rev() {
        message.push_str("\n  | ");
        message.push_str(line);
    }
    io::Error::other(message)
}

fn tail_of(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn named(index: usize, what: &str) -> io::Error {
    io::Error::other(format!("service {}: {what}", index + 1))
}

impl Services {
    async fn wait_ready(&mut self, index: usize, ready: &str, limit: Duration) -> io::Result<()> {
        let address = address_of(ready)
            .ok_or_else(|| named(index, &format!("`ready` is no http address: `{ready}`")))?;
        let until = Instant::now() + limit;
        loop {
            if let Some(status) = self.0[index].child.try_wait()? {
                return Err(named(index, &format!("it ended before it was ready: {status}")));
            }
            if tokio::net::TcpStream::connect(&address).await.is_ok() {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(named(
                    index,
                    &format!("nothing answered at `{ready}` within {} s", limit.as_secs_f64()),
                ));
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

/// Host and port of an http address.
fn address_of(url: &str) -> Option<String> {
    let (rest, port) = match url.strip_prefix("https://") {
        Some(rest) => (rest, 443),
        None => (url.strip_prefix("http://")?, 80),
    };
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    Some(if host.contains(':') { host.to_owned() } else { format!("{host}:{port}") })
}

impl Services {
    fn end(&self) {
        for service in &self.0 {
            // The whole group: a service may have started others.
            if let Some(pid) = service.child.id().and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
                let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::TERM);
            }
        }
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        self.end();
        for service in &self.0 {
            service.log.finish();
        }
    }
}
