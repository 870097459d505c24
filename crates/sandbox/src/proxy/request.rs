//! What a process asks its proxy for, and why it does not get it.

use std::fmt;
use std::io;

use referee_containment::Endpoint;

/// The maximum number of headers.
const MOST_HEADERS: usize = 64;
/// Headers between a client and its proxy, and one that the proxy writes itself.
const NOT_FORWARDED: [&str; 5] =
    ["Host", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization"];

/// A request to the proxy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProxyRequest {
    /// The host and port as the client writes them.
    pub(super) target: String,
    /// The head to send to the host, unless the client asks for a connection alone.
    pub(super) forwarded: Option<Vec<u8>>,
}

impl ProxyRequest {
    /// Reads a whole head: `CONNECT host:port`, or another method with `http://host/path`.
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let parsed = request.parse(head).ok()?;
        if parsed != httparse::Status::Complete(head.len()) {
            return None;
        }
        let (method, url, version) = (request.method?, request.path?, request.version?);
        if method == "CONNECT" {
            return Some(Self { target: url.to_owned(), forwarded: None });
        }
        let url = url.strip_prefix("http://")?;
        let (host, path) = url.split_at(url.find(['/', '?']).unwrap_or(url.len()));
        let slash = if path.starts_with('/') { "" } else { "/" };
        // The host closes the connection after its answer, so the client opens a new one for the next
        // request, which may be for another host.
        let mut forwarded = format!(
            "{method} {slash}{path} HTTP/1.{version}\r\nHost: {host}\r\nConnection: close\r\n"
        )
        .into_bytes();
        for header in request.headers {
            if !NOT_FORWARDED.iter().any(|name| name.eq_ignore_ascii_case(header.name)) {
                let name = header.name.as_bytes();
                forwarded.extend([name, b": ", header.value, b"\r\n"].concat());
            }
        }
        forwarded.extend(b"\r\n");
        let names_port = host.rsplit(']').next().is_some_and(|end| end.contains(':'));
        let target = if names_port { host.to_owned() } else { format!("{host}:80") };
        Some(Self { target, forwarded: Some(forwarded) })
    }
}

/// Why a request is refused. Its text is the answer to the client.
#[derive(Debug)]
pub(super) enum ProxyRefusal {
    Malformed,
    TooLong,
    TooSlow,
    /// The host may not be reached.
    Forbidden(String),
    /// The host cannot be reached.
    Unreachable(String),
}

impl ProxyRefusal {
    pub(super) fn unlisted(listed: &[Endpoint]) -> Self {
        let listed: Vec<String> = listed.iter().map(Endpoint::to_string).collect();
        Self::Forbidden(format!("this player may only reach {}", listed.join(", ")))
    }

    pub(super) fn private(endpoint: &Endpoint) -> Self {
        Self::Forbidden(format!(
            "{endpoint} leads to a private address, which a player may only reach if its network \
             lists the address itself"
        ))
    }

    pub(super) fn unreachable(endpoint: &Endpoint, error: &io::Error) -> Self {
        Self::Unreachable(format!("cannot connect to {endpoint}: {error}"))
    }
}

impl fmt::Display for ProxyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (status, why) = match self {
            Self::Malformed => {
                ("400 Bad Request", "expected `CONNECT host:port` or a URL with `http://`")
            }
            Self::TooLong => ("431 Request Header Fields Too Large", "the head is too long"),
            Self::TooSlow => ("408 Request Timeout", "the head took too long"),
            Self::Forbidden(why) => ("403 Forbidden", why.as_str()),
            Self::Unreachable(why) => ("502 Bad Gateway", why.as_str()),
        };
        let length = why.len() + 1;
        write!(
            f,
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{why}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(head: &str) -> Option<String> {
        ProxyRequest::parse(head.as_bytes()).map(|request| request.target)
    }

    #[test]
    fn a_host_is_compared_as_it_is_written() {
        let target = |what: &str| target(&format!("{what} HTTP/1.1\r\n\r\n"));
        for (what, expected) in [
            ("CONNECT api.example:443", "api.example:443"),
            ("CONNECT api.example:443@evil.example:443", "api.example:443@evil.example:443"),
            ("CONNECT API.example.:443", "API.example.:443"),
            ("CONNECT http://api.example:443/", "http://api.example:443/"),
            ("GET http://api.example", "api.example:80"),
            ("GET http://api.example:8080/v1?x=http://a:1", "api.example:8080"),
            ("GET http://[::1]/", "[::1]:80"),
            ("GET http://[::1]:81?x", "[::1]:81"),
            ("GET http://api.example:443@evil.example/", "api.example:443@evil.example"),
        ] {
            assert_eq!(target(what).as_deref(), Some(expected), "{what}");
        }
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_refused() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://api.example/ HTTP/1.1\r\n\r\n",
            "CONNECT a:1\r\n\r\n",
            "CONNECT a:1 b:2 HTTP/1.1\r\n\r\n",
            "CONNECT a\0:1 HTTP/1.1\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\n\nGET / HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nX: 1\r\n folded\r\n\r\n",
            "\u{16}\u{3}\u{1}\r\n\r\n",
        ] {
            assert_eq!(target(head), None, "{head:?}");
        }
        let headers = "X: 1\r\n".repeat(MOST_HEADERS + 1);
        assert_eq!(target(&format!("GET http://a/ HTTP/1.1\r\n{headers}\r\n")), None);
    }

    #[test]
    fn a_request_goes_on_to_the_host_that_it_was_compared_by() {
        let head = "POST http://localhost:11434/api/chat?x HTTP/1.1\r\nhost: evil.example\r\n\
                    Content-Length: 2\r\nProxy-Connection: keep-alive\r\nCONNECTION: x\r\n\r\n";
        let request = ProxyRequest::parse(head.as_bytes()).expect("a request");
        let forwarded = String::from_utf8(request.forwarded.expect("a head")).expect("text");
        assert_eq!(
            forwarded,
            "POST /api/chat?x HTTP/1.1\r\nHost: localhost:11434\r\nConnection: close\r\n\
             Content-Length: 2\r\n\r\n"
        );
    }
}
