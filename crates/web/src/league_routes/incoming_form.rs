//! Forms as browsers send them, read piece by piece: bounded in size, in time and in memory.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_DISPOSITION;
use tokio::time::{Instant, timeout_at};
use tokio_stream::{Stream, StreamExt as _};

use referee_league::invitations::LinkSecret;

/// The field that shows that a form comes from a page of this server; the first one.
const TOKEN: &str = "token";
/// The most bytes of a form besides its files, and of what is received before it is read.
const BESIDE: u64 = 1 << 20;
/// The most bytes of a field that is text.
const LARGEST_FIELD: usize = 16 << 10;
/// The most fields of a form without files.
const MOST_FIELDS: usize = 8;
/// How long a form may take besides its size.
const GRACE: Duration = Duration::from_secs(30);
/// The slowest rate after that, in bytes per second.
const SLOWEST: u64 = 16 << 10;
/// How long to read on from somebody who is refused, so that the answer is seen.
const DRAINING: Duration = Duration::from_secs(10);

/// The reason why a form is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum FormProblem {
    /// It is too large.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// It comes too slowly.
    #[error("it arrived too slowly")]
    TooSlow,
    /// It does not come from a page of this server.
    #[error("the form is not from this page, or your link has been replaced; open the page again")]
    Foreign,
    /// It is not a form, or breaks off.
    #[error("the form cannot be read: {0}")]
    Broken(String),
    /// Something in it cannot be used.
    #[error("{0}")]
    Unusable(String),
}

impl FormProblem {
    /// The status of the answer.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::Broken(_) | Self::Unusable(_) => StatusCode::BAD_REQUEST,
        }
    }
}

impl From<MultipartError> for FormProblem {
    fn from(error: MultipartError) -> Self {
        Self::Broken(error.body_text())
    }
}

/// A form that is being received.
pub(super) struct IncomingForm {
    parts: Multipart,
    pace: FormPace,
    /// The most bytes of its files.
    most: u64,
}

/// How fast a form comes.
#[derive(Debug, Clone)]
struct FormPace {
    begun: Instant,
    /// The bytes of files that were read.
    read: Arc<AtomicU64>,
}

impl FormPace {
    /// What `next` gives, if it comes in time.
    async fn await_in_time<T>(
        &self,
        next: impl Future<Output = Result<T, MultipartError>>,
    ) -> Result<T, FormProblem> {
        let earned = Duration::from_secs(self.read.load(Ordering::Relaxed) / SLOWEST);
        let next = timeout_at(self.begun + GRACE + earned, next).await;
        Ok(next.map_err(|_| FormProblem::TooSlow)??)
    }
}

impl IncomingForm {
    /// A form of whoever has this secret, with at most `most` bytes of files.
    pub(super) async fn begin(
        request: Request,
        secret: &LinkSecret,
        most: u64,
    ) -> Result<Self, FormProblem> {
        let pace = FormPace { begun: Instant::now(), read: Arc::default() };
        let request = request.map(|body| {
            let read = Arc::clone(&pace.read);
            let whole = body.into_data_stream();
            let most = most.saturating_add(BESIDE);
            Body::from_stream(BoundedBody { whole, most, came: 0, read, rests: false })
        });
        let parts = Multipart::from_request(request, &()).await;
        let parts = parts.map_err(|error| FormProblem::Broken(error.body_text()))?;
        let mut form = Self { parts, pace, most };
        match form.next_text().await? {
            Some((name, token)) if name == TOKEN && token == secret.form_token() => Ok(form),
            _ => Err(FormProblem::Foreign),
        }
    }

    /// The next field.
    pub(super) async fn next_field(&mut self) -> Result<Option<IncomingField<'_>>, FormProblem> {
        let field = self.pace.await_in_time(self.parts.next_field()).await?;
        Ok(field.map(|field| IncomingField { field, pace: &self.pace, most: self.most }))
    }

    /// The next field as text, with its name.
    async fn next_text(&mut self) -> Result<Option<(String, String)>, FormProblem> {
        let Some(mut field) = self.next_field().await? else { return Ok(None) };
        let name = field.field.name().unwrap_or_default().to_owned();
        let text = field.text().await?;
        Ok(Some((name, text)))
    }
}

/// A field of a form, with a file.
pub(super) struct IncomingField<'f> {
    field: Field<'f>,
    pace: &'f FormPace,
    most: u64,
}

impl IncomingField<'_> {
    /// The name of the file, as its sender calls it; empty without a file.
    ///
    /// # Errors
    /// The name is not text.
    pub(super) fn file_name(&self) -> Result<&str, FormProblem> {
        let head = self.field.headers().get(CONTENT_DISPOSITION);
        if head.is_some_and(|head| std::str::from_utf8(head.as_bytes()).is_err()) {
            let why = "rename the file: its name is not UTF-8";
            return Err(FormProblem::Unusable(why.to_owned()));
        }
        Ok(self.field.file_name().unwrap_or_default())
    }

    /// Its name, if it is a text and no file.
    pub(super) fn text_name(&self) -> Option<&str> {
        self.field.name().filter(|_| self.field.file_name().is_none())
    }

    /// The text of the field, which must be short.
    pub(super) async fn text(&mut self) -> Result<String, FormProblem> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.pace.await_in_time(self.field.chunk()).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LARGEST_FIELD {
                let name = self.field.name().unwrap_or_default();
                return Err(FormProblem::Unusable(format!("`{name}` is too long")));
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The next piece of the file. All files together have a bound.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, FormProblem> {
        let chunk = self.pace.await_in_time(self.field.chunk()).await?;
        let length = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        let before = self.pace.read.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > self.most {
            return Err(FormProblem::TooLarge(self.most));
        }
        Ok(chunk)
    }
}

/// The fields of a form without files, of whoever has this secret.
pub(super) async fn read_form_fields(
    request: Request,
    secret: &LinkSecret,
) -> Result<BTreeMap<String, String>, FormProblem> {
    let mut form = IncomingForm::begin(request, secret, 0).await?;
    let mut fields = BTreeMap::new();
    while let Some((name, text)) = form.next_text().await? {
        if fields.len() == MOST_FIELDS {
            return Err(FormProblem::Unusable("it has too many fields".to_owned()));
        }
        fields.insert(name, text);
    }
    Ok(fields)
}

/// Reads on for a while, at most `most` bytes, and forgets it.
pub(super) async fn drain_form_request(request: Request, most: u64) {
    let mut body = request.into_body().into_data_stream();
    let mut left = most.saturating_add(BESIDE);
    let all = async {
        while let Some(Ok(chunk)) = body.next().await {
            left = left.saturating_sub(chunk.len() as u64);
            if left == 0 {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAINING, all).await;
}

/// A body of at most `most` bytes, which is received only as fast as it is read.
struct BoundedBody {
    whole: BodyDataStream,
    most: u64,
    came: u64,
    /// The bytes of files that were read.
    read: Arc<AtomicU64>,
    /// Whether the reader must first use what it has: otherwise it would collect all that is there.
    rests: bool,
}

impl Stream for BoundedBody {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.rests) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = std::task::ready!(Pin::new(&mut self.whole).poll_next(context));
        Poll::Ready(match next {
            Some(Ok(chunk)) => {
                self.rests = true;
                self.came = self.came.saturating_add(chunk.len() as u64);
                let unread = self.came.saturating_sub(self.read.load(Ordering::Relaxed));
                if self.came > self.most || unread > BESIDE {
                    return Poll::Ready(Some(Err(io::Error::other("it is too large"))));
                }
                Some(Ok(chunk))
            }
            Some(Err(error)) => Some(Err(io::Error::other(error))),
            None => None,
        })
    }
}
