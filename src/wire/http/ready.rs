//! The wait until a command that serves HTTP accepts connections.

use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, sleep, timeout_at};

use crate::wire::failure::{Crash, StartErrorKind};
use crate::wire::process::Process;

const POLL: Duration = Duration::from_millis(20);

/// Wait until the port of `url` accepts a connection, the process ends, or the deadline is there.
pub(crate) async fn wait(
    process: &mut Process,
    url: &Url,
    limit: Duration,
    deadline: Instant,
) -> Result<(), StartErrorKind> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    loop {
        match timeout_at(deadline, TcpStream::connect((host.as_str(), port))).await {
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
    Err(StartErrorKind::Timeout { limit, waiting_for: "its url accepts no connection" })
}
