//! Waits that a server asks for.

use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode};
use tokio::time::{Duration, Instant};

use crate::wire::failure::{Failure, HttpProblem};

/// A server that asks for more waits than this in one call is not waited for any more.
const WAITS: u32 = 20;

/// The waits of one request.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    done: u32,
}

impl Waits {
    /// How many seconds to wait before the request is sent again; `None` when the answer is no
    /// request to wait. A 429 or 503 that can't be waited out is a failure.
    pub(crate) fn next(&mut self, response: &Response, deadline: Instant) -> Result<Option<u64>, Failure> {
        let status = response.status();
        if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            return Ok(None);
        }
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after_s = header.and_then(|text| seconds(text, Timestamp::now()));
        self.done += 1;
        match retry_after_s {
            Some(wait) if self.done <= WAITS && fits(wait, deadline) => Ok(Some(wait)),
            _ => Err(Failure::Infrastructure(HttpProblem::Overloaded {
                status: status.as_u16(),
                retry_after_s,
            })),
        }
    }
}

fn fits(wait: u64, deadline: Instant) -> bool {
    Instant::now().checked_add(Duration::from_secs(wait)).is_some_and(|end| end < deadline)
}

/// `Retry-After` as seconds from `now`: a number or an HTTP date.
fn seconds(text: &str, now: Timestamp) -> Option<u64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    // Parts of a second are against RFC 9110 and seen all the same.
    if let Some((whole, part)) = text.split_once('.') {
        let is_part = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        return whole.parse::<u64>().ok().filter(|_| is_part)?.checked_add(1);
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    u64::try_from(date.as_second() - now.as_second()).ok().or(Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let now: Timestamp = "2026-11-08T10:00:00Z".parse().expect("a time");
        for (text, expected) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 08 Nov 2026 10:00:05 GMT", Some(5)),
            ("Sun, 08 Nov 2026 09:00:00 GMT", Some(0)),
            ("1.5", Some(2)),
            ("1.", None),
            ("-1.5", None),
            ("-1", None),
            ("soon", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text, now), expected, "{text}");
        }
    }
}
