//! Responses in two forms: plain, and compressed for clients that accept it.

use std::io::Write as _;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Less is not worth compressing.
const WORTH: usize = 1024;

/// A text that is sent to many, compressed once for all of them.
///
/// Only what everyone may read is compressed: the size of a compressed answer would tell an
/// onlooker of the network how alike a secret in it and something that he put there are.
#[derive(Debug)]
pub(crate) struct CompressedText {
    kind: &'static str,
    plain: Bytes,
    packed: Option<Bytes>,
}

impl CompressedText {
    /// A text of this content type.
    pub(crate) fn new(kind: &'static str, text: String) -> Self {
        let packed = (text.len() >= WORTH).then(|| gzip_text(text.as_bytes())).flatten();
        Self { kind, plain: Bytes::from(text), packed }
    }

    /// The answer to a request with these headers.
    pub(crate) fn to_response(&self, asked: &HeaderMap) -> Response {
        let kind = [(header::CONTENT_TYPE, self.kind), (header::VARY, "accept-encoding")];
        match &self.packed {
            Some(packed) if accepts_gzip(asked) => {
                (kind, [(header::CONTENT_ENCODING, "gzip")], packed.clone()).into_response()
            }
            _ => (kind, self.plain.clone()).into_response(),
        }
    }
}

/// The text compressed. Memory cannot fail to be written.
fn gzip_text(text: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).ok()?;
    packer.finish().ok().map(Bytes::from)
}

/// Whether the client that sent these headers accepts gzip, with a weight above zero.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).into_iter();
    let all = lines.filter_map(|line: &HeaderValue| line.to_str().ok());
    let mut quality = None;
    for coding in all.flat_map(|line| line.split(',')) {
        let mut words = coding.split(';').map(str::trim);
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        let weight = words.find_map(|word| word.strip_prefix("q=")).unwrap_or("1");
        let weight: f32 = weight.trim().parse().unwrap_or(0.0);
        match name.as_str() {
            "gzip" | "x-gzip" => quality = Some(weight),
            "*" => quality = quality.or(Some(weight)),
            _ => {}
        }
    }
    quality.is_some_and(|quality| quality > 0.0)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn accepts(coding: &'static str) -> bool {
        let headers =
            HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(coding))]);
        accepts_gzip(&headers)
    }

    #[test]
    fn only_those_who_can_read_it_get_gzip() {
        for coding in ["gzip", "br, gzip", "GZIP;q=0.5", "deflate, *", "*;q=0.1, x-gzip"] {
            assert!(accepts(coding), "{coding}");
        }
        for coding in ["", "br", "gzip;q=0", "*;q=0", "gzip; q=0.0, *", "gzip;q=x", "gzipped"] {
            assert!(!accepts(coding), "{coding}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_text_is_the_same_in_both_forms() {
        let text = "a ranking with many names ".repeat(1000);
        let sent = CompressedText::new("text/html", text.clone());
        let packed = sent.packed.as_deref().expect("it is long");
        assert!(packed.len() < text.len() / 10);
        let mut read = String::new();
        GzDecoder::new(packed).read_to_string(&mut read).expect("gzip");
        assert_eq!(read, text);
        assert!(CompressedText::new("text/html", "short".to_owned()).packed.is_none());
    }
}
