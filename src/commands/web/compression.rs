//! Compresses answers for those who accept that.

use std::io::{self, Write};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Compresses the answer to a request, unless it is a stream of events.
pub(super) async fn compress(request: Request, next: Next) -> Response {
    let accepted = accepts_gzip(request.headers());
    let response = next.run(request).await;
    if !accepted || !is_text(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let compressed = async {
        let plain = to_bytes(body, usize::MAX).await.map_err(io::Error::other)?;
        tokio::task::spawn_blocking(move || gzip(&plain)).await.map_err(io::Error::other)?
    };
    match compressed.await {
        Ok(compressed) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
            Response::from_parts(parts, Body::from(compressed))
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = accepted.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    codings.any(|coding| matches!(coding.trim(), "gzip" | "*"))
}

fn is_text(headers: &HeaderMap) -> bool {
    const KINDS: [&str; 3] = ["text/html", "text/javascript", "application/json"];
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| KINDS.iter().any(|begin| kind.starts_with(begin)))
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(plain)?;
    out.finish()
}
