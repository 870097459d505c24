//! Admits people who look at the page, and refuses other pages in their browsers.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// From where the page can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only from this machine.
    Local,
    /// From everywhere that can reach the listening address.
    Network,
}

/// Who may be answered.
#[derive(Debug, Clone)]
pub(crate) struct VisitorGate {
    pub(crate) reach: Reach,
    /// The host under which people reach the page through a proxy, with its port if it has one.
    pub(crate) host: Option<Arc<str>>,
}

/// The page of an author of a league.
pub(crate) const AUTHOR: &str = "/author";
/// The page of the organiser of a league.
pub(crate) const ORGANISER: &str = "/organiser";
/// The beginning of a link with a secret.
const ENTER: &str = "/enter/";

/// Headers of every answer: browsers must not give it to pages of other origins, show it in frames
/// or guess its type. A page with forms has another policy of its own.
const PROTECTION: [(HeaderName, &str); 6] = [
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (
        header::CONTENT_SECURITY_POLICY,
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Answers permitted requests, and protects the answers with headers.
pub(crate) async fn admit_visitor(
    State(gate): State<VisitorGate>,
    request: Request,
    next: Next,
) -> Response {
    let refused = visitor_refusal(request.headers(), request.method(), request.uri().path(), &gate);
    let mut response = match refused {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in PROTECTION {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Why a request is refused, if it is.
fn visitor_refusal(
    headers: &HeaderMap,
    method: &Method,
    path: &str,
    gate: &VisitorGate,
) -> Option<&'static str> {
    let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = value("host");
    let known = gate.host.as_deref();
    let is_known = host.is_some_and(|host| Some(host) == known || is_this_machine(host));
    if gate.reach == Reach::Local && !is_known {
        return Some("this page is only available on this machine\n");
    }
    // Only a person who follows a link may come from another page.
    let is_page = ["/", AUTHOR, ORGANISER].contains(&path) || path.starts_with(ENTER);
    let follows_link = is_page
        && method == Method::GET
        && value("sec-fetch-mode") == Some("navigate")
        && value("sec-fetch-dest") == Some("document");
    let is_own = matches!(value("sec-fetch-site"), None | Some("same-origin" | "none"));
    let origin = value("origin").map(|origin| origin.split_once("://").map(|(_, host)| host));
    let is_same =
        origin.is_none_or(|origin| origin.is_some() && (origin == host || origin == known));
    let may = (is_own || follows_link) && is_same;
    (!may).then_some("only requests from the page served here are accepted\n")
}

/// Whether `host`, as the request names it, is this machine. A foreign page may have reached this
/// server under another name.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(path: &str, reach: Reach, given: &[(&'static str, &str)]) -> bool {
        may_by(&Method::GET, path, reach, given)
    }

    fn may_by(method: &Method, path: &str, reach: Reach, given: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.insert(*name, value.parse().expect("a value"));
        }
        let gate = VisitorGate { reach, host: Some("league.example.org".into()) };
        visitor_refusal(&headers, method, path, &gate).is_none()
    }

    #[test]
    fn only_the_served_page_may_request_its_parts() {
        let host = ("host", "127.0.0.1:8018");
        let pages = ["/", "/enter/3f9a1c07be52", "/author", "/organiser"];
        let parts = ["/games/index.js", "/events", "/author/report", "/author/versions/1/"];
        for path in pages.into_iter().chain(parts) {
            let may =
                |more: &[(&'static str, &str)]| may(path, Reach::Local, &[&[host], more].concat());
            assert!(may(&[]), "a program");
            assert!(may(&[("sec-fetch-site", "none")]), "typed by a person");
            assert!(may(&[("sec-fetch-site", "same-origin")]), "the page itself");
            assert!(may(&[("origin", "http://127.0.0.1:8018")]), "the page itself");
            for site in ["cross-site", "same-site", "odd"] {
                assert!(!may(&[("sec-fetch-site", site), ("sec-fetch-mode", "no-cors")]), "{site}");
            }
            for origin in ["null", "http://127.0.0.1:3000", "https://example.org"] {
                assert!(!may(&[("origin", origin)]), "{origin}");
            }
            let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
            let to = |dest| may(&[&link[..], &[("sec-fetch-dest", dest)]].concat());
            assert_eq!(to("document"), pages.contains(&path), "a link");
            let form = [&[host][..], &link, &[("sec-fetch-dest", "document")]].concat();
            assert!(!may_by(&Method::POST, path, Reach::Local, &form), "a form");
            assert!(!to("iframe"), "a frame");
        }
    }

    #[test]
    fn local_requests_must_name_this_machine_as_host() {
        for host in
            ["localhost", "localhost:8018", "127.0.0.1:1", "127.0.0.2:8018", "[::1]:8018", "[::1]"]
        {
            assert!(may("/", Reach::Local, &[("host", host)]), "{host}");
        }
        for host in [
            "example.org",
            "example.org:8018",
            "localhost.example.org",
            "localhost:x",
            "10.0.0.1",
            "",
        ] {
            assert!(!may("/", Reach::Local, &[("host", host)]), "{host}");
            assert!(may("/", Reach::Network, &[("host", host)]), "{host}");
        }
        assert!(!may("/", Reach::Local, &[]), "no name at all");
    }
}
