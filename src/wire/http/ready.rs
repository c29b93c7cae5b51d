//! The wait until a command that serves HTTP accepts connections.

use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, sleep, timeout, timeout_at};

use crate::wire::failure::{Crash, StartErrorKind};
use crate::wire::process::Process;

const POLL: Duration = Duration::from_millis(20);

/// How long a port is tried before it counts as free.
const FREE: Duration = Duration::from_secs(1);

/// See to it that nothing serves `url` before its command is started: the wait would end at once,
/// and another server would be measured.
pub(crate) async fn check_free(url: &Url) -> Result<(), StartErrorKind> {
    match timeout(FREE, TcpStream::connect(address(url))).await {
        Ok(Ok(_)) => {
            let (host, port) = address(url);
            let what = format!("something serves `{host}:{port}` before the command is started");
            Err(StartErrorKind::Definition { what })
        }
        _ => Ok(()),
    }
}

fn address(url: &Url) -> (&str, u16) {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    (host, url.port_or_known_default().unwrap_or(80))
}

/// Wait until the port of `url` accepts a connection, the process ends, or the deadline is there.
pub(crate) async fn wait(
    process: &mut Process,
    url: &Url,
    limit: Duration,
    deadline: Instant,
) -> Result<(), StartErrorKind> {
    let address = address(url);
    loop {
        match timeout_at(deadline, TcpStream::connect((address.0, address.1))).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(_)) => sleep(POLL).await,
            Err(_) => break,
        }
        if process.has_ended() {
            let unknown = Crash::Exited { status: "unknown status".to_owned() };
            return Err(StartErrorKind::Ended { how: process.explain(unknown).await });
        }
        if Instant::now() >= deadline {
            break;
        }
    }
    Err(StartErrorKind::Timeout { limit, waiting_for: "connection to its url" })
}
