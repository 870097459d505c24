//! Who is at the entrance: links and cookies with secrets, and the bounds on what each author may do at
//! once.

use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{FromRequestParts, Path as Named, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use super::incoming_form::{FormProblem, read_form_fields};
use super::turned_games::TurnedGames;
use crate::WebError;
use crate::connections::max_connections;
use crate::live_tournament::LiveTournament;
use crate::visitors::{AUTHOR, ORGANISER};
use referee_config::LeaguePlace;
use referee_league::control::LeagueControl;
use referee_league::invitations::{Invitations, InvitedVisitor, LinkSecret};
use referee_record::plain_files;
use referee_report::page::league_pages::{render_guest_change, render_league_page_notice};

/// The folder for what is being handed in, in the folder for all.
const INCOMING: &str = ".incoming";
/// The most submissions that are received at once.
const UPLOADS: usize = 8;
/// The most pages on which an author watches the report, and the most of its downloads, at once.
const PAGES: usize = 4;
/// The most packets that are made at once.
const PACKETS: usize = 2;
/// How long a cookie is kept: half a year, in seconds.
const COOKIE_AGE: u32 = 180 * 86_400;
/// Which resources a page behind a link may load: only its own files.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                      img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The state behind all links.
pub struct Entrance {
    pub(super) league: LeaguePlace,
    /// The name of the league.
    pub(super) name: String,
    pub(super) live: Arc<LiveTournament>,
    /// Limits how many submissions are received at once.
    pub(super) uploads: Arc<Semaphore>,
    /// Limits how many pages wait for news of a report.
    pub(super) followers: Arc<Semaphore>,
    /// Limits how many packets are made at once.
    pub(super) packing: Arc<Semaphore>,
    /// The latest packets, the newest last.
    pub(super) packets: Mutex<Vec<KeptPacket>>,
    /// Where lost games turned.
    pub(super) turned: TurnedGames,
    authors: Mutex<HashMap<String, Arc<AuthorBounds>>>,
}

/// A packet that was made.
pub(super) struct KeptPacket {
    /// The player's name.
    pub(super) player: String,
    /// The number of changes of the log before it was made.
    pub(super) changes: u64,
    pub(super) folder: Arc<TempDir>,
}

/// What an author does now.
pub(super) struct AuthorBounds {
    /// Since when and for how long nothing more is taken after the last upload.
    pub(super) pause: Mutex<Option<(Instant, Duration)>>,
    pub(super) uploading: Arc<Semaphore>,
    /// Limits how many refused submissions are still read.
    pub(super) draining: Semaphore,
    pub(super) following: Arc<Semaphore>,
    /// Limits how many downloads are waited for or being sent.
    pub(super) asking: Arc<Semaphore>,
    pub(super) packing: tokio::sync::Mutex<()>,
    /// Held while lost games are looked at.
    pub(super) looking: Arc<Semaphore>,
}

impl Default for AuthorBounds {
    fn default() -> Self {
        Self {
            pause: Mutex::default(),
            uploading: Arc::new(Semaphore::new(1)),
            draining: Semaphore::new(1),
            following: Arc::new(Semaphore::new(PAGES)),
            asking: Arc::new(Semaphore::new(PAGES)),
            packing: tokio::sync::Mutex::default(),
            looking: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Entrance {
    /// Opens the entrance of a league, and removes what was never handed in as a whole.
    ///
    /// # Errors
    /// The folder for what arrives cannot be made.
    pub fn open(
        league: LeaguePlace,
        name: String,
        live: Arc<LiveTournament>,
    ) -> Result<Self, WebError> {
        let entrance = Self {
            league,
            name,
            live,
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            followers: Arc::new(Semaphore::new(max_connections() / 4)),
            packing: Arc::new(Semaphore::new(PACKETS)),
            packets: Mutex::default(),
            turned: TurnedGames::default(),
            authors: Mutex::default(),
        };
        let incoming = entrance.incoming_folder();
        let cleared = match plain_files::check_folder_nofollow(&incoming) {
            Ok(()) => fs::remove_dir_all(&incoming),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        cleared
            .and_then(|()| make_private_folder(&incoming))
            .map_err(WebError::unwritable(&incoming))?;
        Ok(entrance)
    }

    /// Where submissions are received.
    pub(super) fn incoming_folder(&self) -> PathBuf {
        self.league.settings.hand_in.join(INCOMING)
    }

    /// The folder that an author hands in to.
    pub(super) fn hand_in_folder(&self, author: &str) -> PathBuf {
        self.league.settings.hand_in.join(author)
    }

    /// What the organiser wants.
    pub(super) fn control(&self) -> Result<LeagueControl, WebError> {
        Ok(LeagueControl::read(&self.league.dir)?)
    }

    /// Changes what the organiser wants.
    pub(super) fn change_control(
        &self,
        change: impl FnOnce(&mut LeagueControl),
    ) -> Result<LeagueControl, WebError> {
        Ok(LeagueControl::change(&self.league.dir, change)?)
    }

    /// What an author does now. There are as many as were invited.
    pub(super) fn author_bounds(&self, author: &str) -> Arc<AuthorBounds> {
        let mut authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(authors.entry(author.to_owned()).or_default())
    }

    /// Whose secret it is now: invitations may have ended a moment ago.
    pub(super) fn find_guest(
        &self,
        secret: &LinkSecret,
    ) -> Result<Option<InvitedVisitor>, WebError> {
        Ok(Invitations::read(&self.league.dir)?.find_visitor(secret))
    }

    /// The visit of a request, by its cookie. `None` if it has none that lets anybody in.
    fn find_visit(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<(InvitedVisitor, LinkSecret)>, WebError> {
        let invitations = Invitations::read(&self.league.dir)?;
        let mut secrets = entrance_cookie_secrets(headers, entrance_cookie_name(&invitations));
        Ok(secrets
            .find_map(|secret| invitations.find_visitor(&secret).map(|guest| (guest, secret))))
    }

    /// The link with this secret, or the response to a secret that no link has.
    fn find_link(&self, secret: &str) -> Result<EntranceLink, Box<Response>> {
        let invitations = Invitations::read(&self.league.dir);
        let invitations = invitations.map_err(|failure| self.failure_response(&failure))?;
        let secret = LinkSecret::sent(secret);
        let guest = secret.and_then(|secret| Some((invitations.find_visitor(&secret)?, secret)));
        let (guest, secret) = guest.ok_or_else(|| {
            self.refuse(
                "This link has been revoked or is invalid; ask the organiser for a new one.",
            )
        })?;
        Ok(EntranceLink { invitations, guest, secret })
    }

    /// What a visitor without a link is told.
    fn refuse_stranger(&self) -> Response {
        self.refuse(
            "Open this page with your personal link; if you have lost it, ask the \
                     organiser for a new one.",
        )
    }

    /// A page that says why something is refused.
    pub(super) fn refuse(&self, why: &str) -> Response {
        self.notice_response(StatusCode::FORBIDDEN, "No access", why, ("/", "See the ranking"))
    }

    /// A page that says what is wrong with a form.
    pub(super) fn refuse_form(&self, problem: &FormProblem, back: &str) -> Response {
        let status = problem.status();
        self.notice_response(status, "Request rejected", &format!("{problem}."), (back, "Go back"))
    }

    /// A page that says that something failed here. What exactly is for the organiser.
    pub(super) fn failure_response(&self, failure: &impl std::error::Error) -> Response {
        tracing::error!("{failure}");
        let text = "Something went wrong on the server. The organiser can see the details in the \
                    terminal.";
        self.notice_response(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Sorry",
            text,
            ("/", "See the ranking"),
        )
    }

    /// A page that only tells something.
    pub(super) fn notice_response(
        &self,
        status: StatusCode,
        heading: &str,
        text: &str,
        on: (&str, &str),
    ) -> Response {
        (status, entrance_page(render_league_page_notice(&self.name, heading, text, on)))
            .into_response()
    }

    /// The answer if a page does not exist, with a link to `back`.
    pub(super) fn not_found(&self, back: &str) -> Response {
        let text = "This page does not exist, or is no longer kept.";
        self.notice_response(StatusCode::NOT_FOUND, "Not found", text, (back, "Your page"))
    }
}

/// An author who came by a link.
pub(super) struct AuthorVisit {
    pub(super) name: String,
    pub(super) secret: LinkSecret,
}

impl FromRequestParts<Arc<Entrance>> for AuthorVisit {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        entrance: &Arc<Entrance>,
    ) -> Result<Self, Response> {
        match entrance.find_visit(&parts.headers) {
            Ok(Some((InvitedVisitor::Author(name), secret))) => Ok(Self { name, secret }),
            // The ranking leads everyone to this page.
            Ok(Some((InvitedVisitor::Organiser, _))) if parts.uri.path() == AUTHOR => {
                Err(redirect_visitor(ORGANISER, None))
            }
            Ok(Some((InvitedVisitor::Organiser, _))) => {
                Err(entrance.refuse("This page is for authors."))
            }
            Ok(None) => Err(entrance.refuse_stranger()),
            Err(failure) => Err(entrance.failure_response(&failure)),
        }
    }
}

/// The organiser, who came by a link.
pub(super) struct OrganiserVisit {
    pub(super) secret: LinkSecret,
}

impl FromRequestParts<Arc<Entrance>> for OrganiserVisit {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        entrance: &Arc<Entrance>,
    ) -> Result<Self, Response> {
        match entrance.find_visit(&parts.headers) {
            Ok(Some((InvitedVisitor::Organiser, secret))) => Ok(Self { secret }),
            Ok(Some((InvitedVisitor::Author(_), _))) => {
                Err(entrance.refuse("This page is for the organiser."))
            }
            Ok(None) => Err(entrance.refuse_stranger()),
            Err(failure) => Err(entrance.failure_response(&failure)),
        }
    }
}

/// Lets in a visitor with a link: the cookie carries its secret from now on. A visitor who is
/// already another author is asked first: what is handed in after that would be another author's.
pub(super) async fn enter(
    State(entrance): State<Arc<Entrance>>,
    Named(secret): Named<String>,
    headers: HeaderMap,
) -> Response {
    let link = match entrance.find_link(&secret) {
        Ok(link) => link,
        Err(response) => return *response,
    };
    match entrance.find_visit(&headers) {
        Ok(Some((guest, own))) if guest != link.guest => {
            let [now, then] = [&guest, &link.guest].map(guest_name);
            let address = format!("/enter/{}", link.secret.cookie());
            let page =
                render_guest_change(&entrance.name, [now, then], &address, &own.form_token());
            // This page's address contains a secret, which a proxy would log as the referrer of the
            // next request. The origin is needed: without it, browsers send forms as from nowhere.
            ([(header::REFERRER_POLICY, "strict-origin")], entrance_page(page)).into_response()
        }
        Ok(_) => link.follow(),
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// Lets in a visitor who agreed to become another author.
pub(super) async fn enter_as_other_guest(
    State(entrance): State<Arc<Entrance>>,
    Named(secret): Named<String>,
    request: Request,
) -> Response {
    let (guest, own) = match entrance.find_visit(request.headers()) {
        Ok(Some(visit)) => visit,
        Ok(None) => return entrance.refuse_stranger(),
        Err(failure) => return entrance.failure_response(&failure),
    };
    if let Err(problem) = read_form_fields(request, &own).await {
        return entrance.refuse_form(&problem, guest_page_path(&guest));
    }
    match entrance.find_link(&secret) {
        Ok(link) => link.follow(),
        Err(response) => *response,
    }
}

/// The page of a guest.
fn guest_page_path(guest: &InvitedVisitor) -> &'static str {
    match guest {
        InvitedVisitor::Author(_) => AUTHOR,
        InvitedVisitor::Organiser => ORGANISER,
    }
}

/// What a guest is called.
fn guest_name(guest: &InvitedVisitor) -> &str {
    match guest {
        InvitedVisitor::Author(name) => name,
        InvitedVisitor::Organiser => "the organiser",
    }
}

/// A link that admits its visitor.
struct EntranceLink {
    invitations: Invitations,
    guest: InvitedVisitor,
    secret: LinkSecret,
}

impl EntranceLink {
    /// Lets its guest in.
    fn follow(self) -> Response {
        let to = guest_page_path(&self.guest);
        redirect_visitor(
            to,
            Some(format_entrance_cookie(&self.invitations, self.secret.cookie(), COOKIE_AGE)),
        )
    }
}

/// Ends the visit on this device.
pub(super) async fn leave_entrance(
    State(entrance): State<Arc<Entrance>>,
    request: Request,
) -> Response {
    let (guest, secret) = match entrance.find_visit(request.headers()) {
        Ok(Some(visit)) => visit,
        Ok(None) => return entrance.refuse_stranger(),
        Err(failure) => return entrance.failure_response(&failure),
    };
    if let Err(problem) = read_form_fields(request, &secret).await {
        return entrance.refuse_form(&problem, guest_page_path(&guest));
    }
    match Invitations::read(&entrance.league.dir) {
        Ok(invitations) => redirect_visitor("/", Some(format_entrance_cookie(&invitations, "", 0))),
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// Sends the browser to a page of this server.
pub(super) fn redirect_visitor(to: &str, cookie: Option<String>) -> Response {
    let cookie = cookie.map(|cookie| [(header::SET_COOKIE, cookie)]);
    (StatusCode::SEE_OTHER, cookie, [(header::LOCATION, to.to_owned())]).into_response()
}

/// A page in which nothing runs but the script of this server.
fn entrance_page(html: String) -> Response {
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response()
}

/// The same with forms, which are sent only here. Where pages tell nobody where a visitor comes from,
/// not even this server, browsers do not say which page a form is from.
pub(super) fn entrance_page_with_forms(html: String) -> Response {
    ([(header::REFERRER_POLICY, "same-origin")], entrance_page(html)).into_response()
}

/// Nothing behind a link is kept by browsers or proxies.
pub(super) async fn forbid_response_caching(mut response: Response) -> Response {
    let no_store = header::HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    response
}

/// Creates a folder that only its owner may enter.
pub(super) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    plain_files::check_folder_nofollow(path)
}

/// The name of the cookie. A browser takes one with this prefix only over an encrypted connection.
fn entrance_cookie_name(invitations: &Invitations) -> &'static str {
    if invitations.is_encrypted() { "__Host-referee-league" } else { "referee-league" }
}

fn format_entrance_cookie(invitations: &Invitations, value: &str, age: u32) -> String {
    let name = entrance_cookie_name(invitations);
    let secure = if invitations.is_encrypted() { "; Secure" } else { "" };
    format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age}{secure}")
}

/// The secrets in the cookies of this name.
fn entrance_cookie_secrets<'a>(
    headers: &'a HeaderMap,
    name: &'a str,
) -> impl Iterator<Item = LinkSecret> + use<'a> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(';'))
        .filter_map(move |pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
        .filter_map(LinkSecret::sent)
}
