//! Who may use the proxy: a page in a browser may reach a loopback port under a name of its own.

use axum::http::{HeaderMap, header};
use std::net::IpAddr;

/// The hosts that requests may name.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The proxy can be reached from other machines: their addresses for it are allowed.
    pub is_public: bool,
    /// Further names, lower case, without a port.
    pub names: Vec<String>,
}

impl Gate {
    /// Checks `Host`, which must name this machine, and `Origin`, which must when it is there.
    ///
    /// # Errors
    ///
    /// What was refused and what to do, for the one who asked.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), String> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
        if hosts.next().is_some() || !self.admits(host) {
            return Err(self.refused("Host", host));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if !place.is_some_and(|place| self.admits(place)) {
                return Err(self.refused("Origin", origin));
            }
        }
        Ok(())
    }

    fn refused(&self, header: &str, value: &str) -> String {
        let value: String = value.chars().filter(|c| !c.is_control()).take(100).collect();
        let allowed =
            if self.is_public { "localhost and IP addresses" } else { "localhost and loopback addresses" };
        format!("`{header}: {value}` is refused, only {allowed} are allowed; allow a name with --allow-host")
    }

    /// Whether `authority` (a host, perhaps with a port) is this machine. A name could be anyone's, and lead here.
    fn admits(&self, authority: &str) -> bool {
        let Some(host) = host_of(authority) else { return false };
        match host.parse::<IpAddr>() {
            Ok(address) => self.is_public || address.is_loopback(),
            Err(_) => {
                let host = host.to_ascii_lowercase();
                host == "localhost" || host.ends_with(".localhost") || self.names.contains(&host)
            }
        }
    }
}

fn host_of(authority: &str) -> Option<&str> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = rest.strip_prefix(':');
    let is_port = rest.is_empty() || port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    (is_port && !host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_admitted() {
        for (host, origin, loopback, public) in [
            ("127.0.0.1:8080", None, true, true),
            ("localhost", Some("http://localhost:6274"), true, true),
            ("[::1]:1", Some("https://[::1]"), true, true),
            ("a.localhost:1", None, true, true),
            ("10.1.2.3:8080", None, false, true),
            ("evil.example", None, false, false),
            ("127.0.0.1.evil.example", None, false, false),
            ("127.0.0.1@evil.example", None, false, false),
            ("localhost:1x", None, false, false),
            ("", None, false, false),
            ("localhost", Some("https://evil.example"), false, false),
            ("localhost", Some("null"), false, false),
            ("localhost", Some("http://localhost/path"), false, false),
            ("mine.example:1", Some("http://mine.example"), true, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            for (is_public, expected) in [(false, loopback), (true, public)] {
                let gate = Gate { is_public, names: vec!["mine.example".to_owned()] };
                assert_eq!(gate.check(&headers).is_ok(), expected, "{host} {origin:?} public {is_public}");
            }
        }
        assert!(Gate::default().check(&HeaderMap::new()).is_err());
    }
}
