//! A server's address behind a reverse proxy.

mod gate;
mod headers;
mod tap;

pub use gate::Gate;

use super::frame::Origin;
use super::session_file::SessionFile;
use crate::suite::redact_url;
use crate::wire::link::{build_client, reason};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use headers::{passed_on, recorded};
use reqwest::{Client, Url};
use serde_json::json;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tap::{Reading, Tap};
use tokio::signal::unix::{SignalKind, signal};

/// How a proxy is set up.
#[derive(Debug)]
pub struct HttpOptions {
    /// Of the server: `http` or `https`, with a host.
    pub url: Url,
    /// Bound, so that the address is known.
    pub listener: TcpListener,
    pub gate: Gate,
}

struct Shared {
    client: Client,
    url: Url,
    gate: Gate,
    session: Arc<SessionFile>,
    exchanges: AtomicU64,
}

/// Serves until this process gets INT, TERM or HUP.
///
/// # Errors
///
/// No runtime, no client, a listener that cannot be used.
pub fn serve(options: HttpOptions, session: Arc<SessionFile>) -> std::io::Result<()> {
    let HttpOptions { url, listener, gate } = options;
    let client = build_client(&url).map_err(|error| std::io::Error::other(reason(error)))?;
    let shared =
        Arc::new(Shared { client, url, gate, session: Arc::clone(&session), exchanges: AtomicU64::new(0) });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async move {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let app = axum::Router::new().fallback(exchange).with_state(shared);
        let mut ends = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
        let [int, term, hup] = &mut ends;
        let (int, term, hup) = (heard(int), heard(term), heard(hup));
        tokio::select! {
            served = async { axum::serve(listener, app).await } => served,
            () = int => Ok(()),
            () = term => Ok(()),
            () = hup => Ok(()),
        }
    });
    // Streams that are open would go on for ever.
    runtime.shutdown_background();
    session.note(Origin::Server, None, "closed", &"recording ended");
    session.sync();
    served
}

async fn heard(stream: &mut std::io::Result<tokio::signal::unix::Signal>) {
    match stream {
        Ok(stream) => {
            stream.recv().await;
        }
        // A signal that can't be heard ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

/// One request and its response.
async fn exchange(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let session = &shared.session;
    let number = shared.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
    let (parts, body) = request.into_parts();
    let path = redact_url(&format!("http://x{}", parts.uri))["http://x".len()..].to_owned();
    let said = json!({ "method": parts.method.as_str(), "path": path, "headers": recorded(&parts.headers) });
    session.note(Origin::Client, Some(number), "request", &said);
    if let Err(why) = shared.gate.check(&parts.headers) {
        return refusal(session, number, StatusCode::FORBIDDEN, &why);
    }
    let target = target(&shared.url, &parts.uri);
    let mut headers = passed_on(&parts.headers);
    // Compressed, a session would hold nothing that can be read.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.remove(header::HOST);
    headers.remove(header::CONTENT_LENGTH);
    let mut sent = shared.client.request(parts.method, target).headers(headers);
    if !body.is_end_stream() {
        let tap = Tap::new(body, Reading::Whole, Origin::Client, number, Arc::clone(session));
        sent = sent.body(reqwest::Body::wrap(tap));
    }
    match sent.send().await {
        Ok(response) => respond(response, number, session),
        Err(error) => {
            let what = if error.is_connect() { "can't be reached" } else { "gave no answer" };
            let why = format!("{} {what}: {}", redact_url(shared.url.as_str()), reason(error));
            refusal(session, number, StatusCode::BAD_GATEWAY, &why)
        }
    }
}

/// Where a request goes: to the server's own address when it is for the same path, with the query that only
/// the proxy knows; else to the same path on that server.
fn target(url: &Url, asked: &axum::http::Uri) -> Url {
    let mut target = url.clone();
    let query = match (url.query().filter(|_| asked.path() == url.path()), asked.query()) {
        (Some(own), Some(asked)) => Some(format!("{own}&{asked}")),
        (own, asked) => own.or(asked).map(str::to_owned),
    };
    target.set_path(asked.path());
    target.set_query(query.as_deref());
    target
}

fn respond(response: reqwest::Response, number: u64, session: &Arc<SessionFile>) -> Response {
    let (status, headers) = (response.status(), response.headers().clone());
    let said = json!({ "status": status.as_u16(), "headers": recorded(&headers) });
    session.note(Origin::Server, Some(number), "response", &said);
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_stream = media.trim_start().to_ascii_lowercase().starts_with("text/event-stream");
    let reading = if is_stream { Reading::Events } else { Reading::Whole };
    let body = Tap::new(reqwest::Body::from(response), reading, Origin::Server, number, Arc::clone(session));
    let mut out = Response::new(Body::new(body));
    *out.status_mut() = status;
    *out.headers_mut() = passed_on(&headers);
    out
}

/// An answer of the proxy's own.
fn refusal(session: &SessionFile, number: u64, status: StatusCode, why: &str) -> Response {
    session.note(Origin::Server, Some(number), "refused", &json!({ "status": status.as_u16(), "why": why }));
    let message = format!("mcp-regress record: {why}");
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_to_the_same_path() {
        for (url, asked, expected) in [
            ("http://h:1/mcp", "/mcp", "http://h:1/mcp"),
            ("http://h:1/mcp?key=s", "/mcp", "http://h:1/mcp?key=s"),
            ("http://h:1/mcp?key=s", "/mcp?a=b", "http://h:1/mcp?key=s&a=b"),
            ("http://h:1/mcp?key=s", "/messages?id=1", "http://h:1/messages?id=1"),
            ("https://u:p@h/mcp", "/.well-known/x", "https://u:p@h/.well-known/x"),
        ] {
            let target = target(&Url::parse(url).unwrap(), &asked.parse().unwrap());
            assert_eq!(target.as_str(), expected, "{url} {asked}");
        }
    }
}
