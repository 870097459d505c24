//! A host and a port that a process may reach.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The port of an endpoint that names none: that of HTTPS.
const DEFAULT_PORT: u16 = 443;
/// The maximum length of a host's name.
const LONGEST_HOST: usize = 253;

/// A host, by name or address, and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The name, in lower case, or the address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// A text is not an [`Endpoint`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidEndpoint;

impl fmt::Display for InvalidEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected a host in lower case, and a port unless it is 443, such as \
             `api.example.com`, `localhost:11434` or `[::1]:8080`",
        )
    }
}

impl std::error::Error for InvalidEndpoint {}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl FromStr for Endpoint {
    type Err = InvalidEndpoint;

    fn from_str(text: &str) -> Result<Self, InvalidEndpoint> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, port) = rest.split_once(']').ok_or(InvalidEndpoint)?;
            let is_address = host.contains(':') && host.parse::<IpAddr>().is_ok();
            (Some(host).filter(|_| is_address), port)
        } else {
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            (Some(host).filter(|host| is_host_name(host)), port)
        };
        let digits = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok().filter(|it| *it > 0 && digits(port)),
            None => Some(DEFAULT_PORT).filter(|_| port.is_empty()),
        };
        let host = host.ok_or(InvalidEndpoint)?.to_owned();
        Ok(Self { host, port: port.ok_or(InvalidEndpoint)? })
    }
}

/// Whether it can be the name of a host, or is an address of IPv4.
fn is_host_name(host: &str) -> bool {
    let is_part = |part: &str| {
        let letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        !part.is_empty() && part.bytes().all(letter)
    };
    host.len() <= LONGEST_HOST && host.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_the_port_that_it_names_or_that_of_https() {
        let read = |text: &str| text.parse::<Endpoint>().map(|found| found.to_string());
        for (text, expected) in [
            ("api.example.com", "api.example.com:443"),
            ("localhost:11434", "localhost:11434"),
            ("10.0.0.7:80", "10.0.0.7:80"),
            ("[::1]:8080", "[::1]:8080"),
            ("[fd00::7]", "[fd00::7]:443"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn nothing_else_is_an_endpoint() {
        for text in [
            "",
            ":80",
            "a:",
            "a:0",
            "a:+80",
            "a:65536",
            "a:80:80",
            "A.example",
            "a..b",
            "a.",
            "*.a",
            "http://a",
            "a/b",
            "user@a",
            "a b",
            "::1",
            "[::1",
            "[a]:80",
            "[10.0.0.7]",
            "[::1]80",
            "a\r\n:80",
            "münchen.example",
        ] {
            assert_eq!(text.parse::<Endpoint>(), Err(InvalidEndpoint), "{text:?}");
        }
    }
}
