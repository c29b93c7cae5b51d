//! The way to one URL: a connection pool and the headers of every request.

use std::error::Error;
use std::sync::Once;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

use crate::wire::failure::{Crash, Failure, StartErrorKind};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

#[derive(Debug, Clone)]
pub(crate) struct Link {
    client: Client,
    pub(crate) url: Url,
    headers: HeaderMap,
}

impl Link {
    pub(crate) fn new(url: &str, headers: &[(String, String)]) -> Result<Self, StartErrorKind> {
        let definition = |what: String| StartErrorKind::Definition { what };
        // The parser's errors do not repeat the text, which may hold a secret.
        let url = Url::parse(url).map_err(|error| definition(format!("its url can't be read: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(definition(format!("its url is neither http nor https: `{}:`", url.scheme())));
        }
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let key = HeaderName::from_bytes(name.as_bytes());
            let key = key.map_err(|_| definition(format!("a header has no valid name: `{name}`")))?;
            let value = HeaderValue::from_str(value);
            let mut value = value.map_err(|_| {
                definition(format!("the value of header `{name}` has characters that no header can hold"))
            })?;
            value.set_sensitive(true);
            all.append(key, value);
        }
        let client = build_client(&url).map_err(|error| definition(reason(error)))?;
        Ok(Self { client, url, headers: all })
    }

    /// The same way to the URL that a server named, which must be of the same origin: headers with
    /// credentials go there.
    pub(crate) fn to_endpoint(&self, endpoint: &str) -> Result<Self, StartErrorKind> {
        let malformed = |what: String| StartErrorKind::Malformed { method: "GET", what };
        let url = self.url.join(endpoint.trim());
        let url = url.map_err(|error| malformed(format!("the event `endpoint` holds no url: {error}")))?;
        if url.origin() != self.url.origin() {
            let what = format!("the event `endpoint` leads to another server: `{}`", bare(&url));
            return Err(malformed(what));
        }
        Ok(Self { url, ..self.clone() })
    }

    pub(crate) fn has_session(&self) -> bool {
        self.headers.contains_key(SESSION)
    }

    /// Keep the session that the answer to `initialize` names.
    pub(crate) fn note_session(&mut self, response: &Response) {
        if let Some(session) = response.headers().get(SESSION)
            && response.status().is_success()
        {
            self.headers.insert(SESSION, session.clone());
        }
    }

    pub(crate) fn set_version(&mut self, version: &str) {
        if let Ok(version) = HeaderValue::from_str(version) {
            self.headers.insert(VERSION, version);
        }
    }

    /// Post a message. Headers of `extra` that HTTP can't hold are left out.
    pub(crate) async fn post(
        &self,
        message: Vec<u8>,
        extra: &[(String, String)],
    ) -> Result<Response, Failure> {
        let mut headers = self.headers.clone();
        for (name, value) in extra {
            if let (Ok(name), Ok(value)) =
                (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
            {
                headers.insert(name, value);
            }
        }
        let request = self.client.post(self.url.clone()).headers(headers);
        let request = request.header(ACCEPT, BOTH).header(CONTENT_TYPE, JSON).body(message);
        request.send().await.map_err(|error| Failure::Crashed(lost(error)))
    }

    /// Open a stream, from the event `after` on if there is one.
    pub(crate) async fn get(&self, after: Option<&str>) -> Result<Response, Crash> {
        let mut request =
            self.client.get(self.url.clone()).headers(self.headers.clone()).header(ACCEPT, EVENTS);
        if let Some(Ok(id)) = after.map(HeaderValue::from_str) {
            request = request.header(LAST_EVENT, id);
        }
        request.send().await.map_err(lost)
    }

    pub(crate) async fn delete(&self) -> Result<Response, Crash> {
        self.client.delete(self.url.clone()).headers(self.headers.clone()).send().await.map_err(lost)
    }
}

pub(crate) fn build_client(url: &Url) -> Result<Client, reqwest::Error> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that the program has chosen a provider already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("mcp-regress/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // No certificate will be looked at, so a machine without any is no obstacle.
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}

/// Whether the URL leads to this machine, where a proxy has no business.
fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A URL without what may be secret in it.
pub(crate) fn bare(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), host_and_port(url), url.path())
}

fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn lost(error: reqwest::Error) -> Crash {
    let is_connect = error.is_connect();
    let why = reason(error);
    if is_connect {
        Crash::Unreachable { why }
    } else {
        Crash::ConnectionCut { place: "before the answer", why }
    }
}

/// The innermost causes of an error, without the URL.
pub(crate) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_kept_from_loopback() {
        for (url, expected) in [
            ("http://127.0.0.1:1/mcp", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]:80/", true),
            ("http://localhost/", true),
            ("http://a.localhost/", true),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).expect("a url")), expected, "{url}");
        }
    }

    #[test]
    fn definitions_are_checked_and_keep_their_secrets() {
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        for (url, headers, expected) in [
            ("nonsense", vec![], "url can't be read"),
            ("ftp://user:secret@host/x?key=secret", vec![], "neither http nor https: `ftp:`"),
            ("http://host", header("bad name", "secret"), "no valid name: `bad name`"),
            ("http://host", header("x", "secret\n"), "the value of header `x`"),
        ] {
            let error = Link::new(url, &headers).expect_err(url).to_string();
            assert!(error.contains(expected) && !error.contains("secret"), "{error}");
        }
    }
}
