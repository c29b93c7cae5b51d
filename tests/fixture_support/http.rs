//! HTTP/1.1 by hand: one request a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

pub struct HttpServer {
    child: Child,
    address: String,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl HttpServer {
    pub fn start(options: &str) -> HttpServer {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-regress"))
            .args(["fixture", "--http", "0"])
            .args(options.split_whitespace())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the fixture server starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("stdout is piped");
        BufReader::new(output).read_line(&mut line).expect("the server says where it listens");
        let address =
            line.trim().trim_start_matches("listening on http://").trim_end_matches("/mcp").to_owned();
        HttpServer { child, address }
    }

    pub fn post(&self, body: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("POST", body, headers)
    }

    pub fn send(&self, method: &str, body: &str, headers: &[(&str, &str)]) -> Reply {
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let media = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
        self.raw(method, body, &format!("{media}{more}"))
    }

    /// Sends exactly these headers besides host, length and close.
    pub fn raw(&self, method: &str, body: &str, headers: &str) -> Reply {
        // A server that died answers nothing: status 0.
        let Ok(mut stream) = TcpStream::connect(&self.address) else {
            return Reply { status: 0, headers: Vec::new(), body: String::new() };
        };
        let length = body.len();
        write!(
            stream,
            "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
        .expect("the server reads");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let pairs = lines.filter_map(|line| line.split_once(": "));
        Reply {
            status: status.unwrap_or(0),
            headers: pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
            body: body.to_owned(),
        }
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
