//! An HTTP server whose every byte is written by the test.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
    pub bytes: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The JSON-RPC method, or the HTTP method of a request without one.
    pub fn what(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.method)
    }
}

/// What to write, in order.
pub enum Part {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// Chunks as they are sent, and the end of the body when the sender is gone.
    Feed(UnboundedReceiver<String>),
    /// End the connection here.
    Close,
}

pub type Answer = Vec<Part>;

/// An answer with a body of known length.
pub fn plain(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    vec![Part::Bytes(format!("{head}\r\n{body}").into_bytes())]
}

pub fn json(body: &str) -> Answer {
    plain(200, &[("Content-Type", "application/json")], body)
}

/// An event stream in chunks, which ends well if `ends`, and is cut otherwise.
pub fn events(chunks: &[&str], ends: bool) -> Answer {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut parts = vec![Part::Bytes(head.as_bytes().to_vec())];
    for chunk in chunks {
        parts.push(Part::Bytes(format!("{:x}\r\n{chunk}\r\n", chunk.len()).into_bytes()));
    }
    parts.push(if ends { Part::Bytes(b"0\r\n\r\n".to_vec()) } else { Part::Close });
    parts
}

pub struct Server {
    pub url: String,
    pub requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serve `handler` on a free port of loopback.
    pub async fn start<H>(handler: H) -> Self
    where
        H: Fn(&Request) -> Answer + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/mcp?key=secret", listener.local_addr().expect("an address"));
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (handler, seen) = (Arc::new(handler), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&handler), Arc::clone(&seen)));
            }
        });
        Self { url, requests }
    }

    /// The requests so far, by JSON-RPC or HTTP method.
    pub fn seen(&self, what: &str) -> Vec<Request> {
        let requests = self.requests.lock().expect("no test panics with the lock");
        requests.iter().filter(|request| request.what() == what).cloned().collect()
    }
}

async fn serve<H: Fn(&Request) -> Answer>(
    stream: TcpStream,
    handler: Arc<H>,
    seen: Arc<Mutex<Vec<Request>>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        let parts = handler(&request);
        seen.lock().expect("no test panics with the lock").push(request);
        for part in parts {
            match part {
                Part::Bytes(bytes) => {
                    if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                        return;
                    }
                }
                Part::Feed(mut receiver) => {
                    while let Some(chunk) = receiver.recv().await {
                        let bytes = format!("{:x}\r\n{chunk}\r\n", chunk.len()).into_bytes();
                        if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                            return;
                        }
                    }
                    if stream.write_all(b"0\r\n\r\n").await.is_err() {
                        return;
                    }
                }
                Part::Pause(time) => tokio::time::sleep(time).await,
                Part::Close => return,
            }
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|length| *length > 0)?;
    let method = line.split(' ').next()?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.ok()?;
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    Some(Request { method, headers, body, bytes })
}
