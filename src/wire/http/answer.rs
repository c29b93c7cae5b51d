//! What an HTTP answer to a request means before its body is read.

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode, Url};

use super::link::{bare, reason};
use crate::wire::counters::excerpt;
use crate::wire::failure::{Crash, Failure, HttpProblem};

/// How much of a body is read that will only be quoted.
pub(crate) const EXCERPT_READ: usize = 64 << 10;

/// How the body of an answer is to be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// A message.
    Message,
    /// A stream of events.
    Events,
    /// Neither; the content type.
    Unusable(String),
}

/// Tell apart what can hold a reply from what can't.
pub(crate) fn judge(response: &Response, has_session: bool) -> Result<Body, Failure> {
    let status = response.status();
    let header = |name: HeaderName| {
        let value = response.headers().get(name).map(|value| excerpt(value.as_bytes()));
        value.unwrap_or_default()
    };
    if status == StatusCode::NOT_FOUND && has_session {
        return Err(Failure::Crashed(Crash::SessionVanished));
    }
    if status == StatusCode::UNAUTHORIZED {
        // Only the scheme: parameters may name internal hosts and tokens.
        let challenge = header(WWW_AUTHENTICATE).split(' ').next().unwrap_or_default().to_owned();
        return Err(Failure::Infrastructure(HttpProblem::Unauthorized { challenge }));
    }
    if status.is_redirection() {
        let location = redacted(response.url(), &header(LOCATION));
        return Err(Failure::Infrastructure(HttpProblem::Redirect { status: status.as_u16(), location }));
    }
    let encoding = header(CONTENT_ENCODING);
    if status.is_success() && !matches!(encoding.as_str(), "" | "identity") {
        return Err(Failure::Refused(HttpProblem::Encoding { encoding }));
    }
    let content_type = header(CONTENT_TYPE);
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Ok(match essence.as_str() {
        "application/json" => Body::Message,
        "text/event-stream" if status.is_success() => Body::Events,
        _ => Body::Unusable(content_type),
    })
}

/// Why an answer of the wrong content type is no reply.
pub(crate) fn unusable(status: StatusCode, found: String, body: &[u8]) -> Failure {
    if status == StatusCode::OK && !(body.is_empty() && found.is_empty()) {
        return Failure::Refused(HttpProblem::ContentType { found, body: excerpt(body) });
    }
    without_reply(status, body)
}

/// Why an answer whose body was read holds no reply.
pub(crate) fn without_reply(status: StatusCode, body: &[u8]) -> Failure {
    let (status, body) = (status.as_u16(), excerpt(body));
    match status {
        403 => Failure::Infrastructure(HttpProblem::Forbidden { body }),
        // These are made by what stands in front of a server.
        407 | 502 | 504 => Failure::Infrastructure(HttpProblem::Status { status, body }),
        200..=299 => Failure::Refused(HttpProblem::NoReply { status, body }),
        _ => Failure::Refused(HttpProblem::Status { status, body }),
    }
}

/// Read a body of at most `limit` bytes.
pub(crate) async fn read_whole(mut response: Response, limit: usize) -> Result<Vec<u8>, Failure> {
    let announced = response.content_length().unwrap_or(0).min(1 << 20);
    let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > limit => {
                return Err(Failure::Crashed(Crash::MessageTooLarge { limit }));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => {
                let why = reason(error);
                return Err(Failure::Crashed(Crash::ConnectionCut { place: "inside a body", why }));
            }
        }
    }
}

fn redacted(from: &Url, location: &str) -> String {
    from.join(location).map_or_else(|_| "an unreadable location".to_owned(), |url| bare(&url))
}
