//! Challenges of an author: the form, what became of them, and the games.

use std::sync::Arc;

use axum::extract::{Path as Named, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::author_routes::date;
use super::entrance::{AuthorVisit, Entrance, see_other};
use super::incoming_form::{self, FormProblem};
use crate::WebError;
use crate::background_work::in_background;
use crate::live_tournament::{self, LivePage};
use crate::shared_copy::Freshness;
use referee_league::author_folder::AuthorFolder;
use referee_league::challenge_records::{
    Challenges, MOST_PER_HOUR, PlayedChallenge, WantedChallenge,
};
use referee_league::control::Control;
use referee_league::now;
use referee_record::model::league_entry::Entry;
use referee_record::model::plies::Plies;
use referee_record::model::record::GameRecord;
use referee_record::wording::counted;
use referee_report::packet_page::page_of_challenge;
use referee_report::page::league_pages::{ChallengeSection, ListedChallenge};
use referee_report::page::page_template::with_own_page;
use referee_tournament::folder;

/// What the page of an author shows of challenges; `None` if this game cannot have them.
pub(super) fn section(
    entrance: &Entrance,
    author: &str,
    live: &LivePage,
    control: &Control,
) -> Result<Option<ChallengeSection>, WebError> {
    if live.tables.analysis.header.seats.len() != 2 {
        return Ok(None);
    }
    let past = Challenges::read(&entrance.league.settings.entrants, author)?;
    let opponents =
        refusal(author, control).map_or_else(|| opponents(live, author), |_| Vec::new());
    let is_hiding = entrance.league.settings.pseudonyms;
    let refused = past.refused.map(|one| [date(one.at), one.opponent, one.why]);
    Ok(Some(ChallengeSection {
        opponents,
        among: is_hiding.then_some(live.tables.analysis.header.players.len()),
        bounds: format!("At most {MOST_PER_HOUR} per hour; hand-in checks come first."),
        waiting: wanted(entrance, author).map(|wanted| wanted.opponent),
        refused,
        played: past.played.iter().rev().map(|one| listed(author, one)).collect(),
    }))
}

/// What an author waits for.
fn wanted(entrance: &Entrance, author: &str) -> Option<WantedChallenge> {
    AuthorFolder::open(&entrance.folder(author)).ok()?.challenge()
}

/// Whom an author can challenge, as the page calls them; nobody without a version that plays.
fn opponents(live: &LivePage, author: &str) -> Vec<String> {
    let present = live.entrants.iter().filter(|player| player.left.is_none());
    let (own, others): (Vec<_>, Vec<_>) = present
        .partition(|player| player.entry.as_ref().is_some_and(|entry| entry.author == author));
    if own.is_empty() {
        return Vec::new();
    }
    let free =
        others.into_iter().filter(|player| player.disqualified.is_none() && player.usage.is_none());
    let analysis = &live.tables.analysis;
    let mut names: Vec<String> =
        free.map(|player| analysis.shown_name(&player.name).to_owned()).collect();
    // Whoever entered a moment ago has no pseudonym on this page.
    names.retain(|name| !name.is_empty());
    names.sort();
    names
}

/// Why nobody can be challenged now.
fn refusal(author: &str, control: &Control) -> Option<&'static str> {
    [
        (control.closed, "The league is closed."),
        (control.removed.contains(author), "The organiser has removed you."),
        (control.paused, "The league is paused. Try again once it resumes."),
    ]
    .into_iter()
    .find_map(|(holds, why)| holds.then_some(why))
}

fn listed(author: &str, one: &PlayedChallenge) -> ListedChallenge {
    let own = Entry::name(author, one.version);
    ListedChallenge {
        number: one.number,
        when: date(one.at),
        version: one.version,
        opponent: one.opponent.clone(),
        results: one.games.iter().map(|game| result(game, &own)).collect(),
        problem: one.problem.clone(),
    }
}

/// The result of a game from the side of `own`, in words.
fn result(game: &GameRecord, own: &str) -> String {
    let seat = game.players.seats().find(|&seat| game.players[seat] == own);
    let seat = seat.map_or("", |seat| &game.players.names[seat]);
    let result = match &*game.result {
        "draw" => "drawn",
        winner if winner == seat => "won",
        _ => "lost",
    };
    format!("{result} as {seat} ({}, {})", game.reason, Plies(game.plies))
}

/// Where an author's page has challenges.
const BACK: &str = "/author#challenges";

/// Takes a challenge.
pub(super) async fn challenge(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    request: Request,
) -> Response {
    let fields = match incoming_form::fields(request, &visit.secret).await {
        Ok(fields) => fields,
        Err(problem) => return entrance.refuse_form(&problem, BACK),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let among = field("among").parse().ok();
    let wanted = WantedChallenge { opponent: field("opponent").to_owned(), among };
    match take(&entrance, &visit.name, &wanted).await {
        Ok(Ok(())) => see_other(BACK, None),
        Ok(Err(Refused::Form(problem))) => entrance.refuse_form(&problem, BACK),
        Ok(Err(Refused::Said(why))) => {
            entrance.tell(StatusCode::FORBIDDEN, "No game", &why, (BACK, "Go back"))
        }
        Ok(Err(Refused::Wait(why, seconds))) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            let page = entrance.tell(status, "Too soon", &why, (BACK, "Go back"));
            ([(header::RETRY_AFTER, seconds.to_string())], page).into_response()
        }
        Err(failure) => entrance.sorry(&failure),
    }
}

/// Why a challenge is not taken.
enum Refused {
    Form(FormProblem),
    Said(String),
    /// With the time to wait, in seconds.
    Wait(String, u64),
}

/// How soon to try again while another challenge waits, in seconds.
const SOON: u64 = 60;

async fn take(
    entrance: &Arc<Entrance>,
    author: &str,
    wanted: &WantedChallenge,
) -> Result<Result<(), Refused>, WebError> {
    if let Some(why) = refusal(author, &entrance.control()?) {
        return Ok(Err(Refused::Said(why.to_owned())));
    }
    let live = live_tournament::page(&entrance.live, Freshness::Recent).await?;
    if !opponents(&live, author).contains(&wanted.opponent) {
        let why = "choose an opponent that is on the page now".to_owned();
        return Ok(Err(Refused::Form(FormProblem::Unusable(why))));
    }
    let past = Challenges::read(&entrance.league.settings.entrants, author)?;
    if let Some(seconds) = past.wait(now()) {
        let wait = counted(seconds.div_ceil(60), "minute");
        let why =
            format!("At most {MOST_PER_HOUR} challenges are played per hour. Try again in {wait}.");
        return Ok(Err(Refused::Wait(why, seconds)));
    }
    let path = entrance.folder(author);
    let folder = AuthorFolder::make(&path).map_err(WebError::unwritable(&path))?;
    if folder.challenge().is_some() {
        let why = "Your last challenge is still queued or in progress.".to_owned();
        return Ok(Err(Refused::Wait(why, SOON)));
    }
    folder.write_challenge(wanted).map_err(WebError::unwritable(&path))?;
    Ok(Ok(()))
}

/// The games of one of the author's own challenges. Others have none here.
pub(super) async fn games(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named(number): Named<u32>,
) -> Response {
    let bounds = entrance.bounds(&visit.name);
    let Ok(_held) = bounds.asking.try_acquire() else {
        let why = "you have too many pages waiting\n";
        return (StatusCode::TOO_MANY_REQUESTS, why).into_response();
    };
    let (place, author) = (Arc::clone(&entrance), visit.name.clone());
    match in_background(move || page(&place, &author, number)).await {
        Ok(Some(page)) => Html(page).into_response(),
        Ok(None) => entrance.not_found(BACK),
        Err(failure) => entrance.sorry(&failure),
    }
}

fn page(entrance: &Entrance, author: &str, number: u32) -> Result<Option<String>, WebError> {
    let past = Challenges::read(&entrance.league.settings.entrants, author)?;
    let Some(one) = past.played.into_iter().find(|one| one.number == number) else {
        return Ok(None);
    };
    let header = folder::header(&entrance.live.dir)?;
    let renderer = entrance.live.renderer(&header)?;
    let title = format!("{} – {}", Entry::name(author, one.version), one.opponent);
    let page = page_of_challenge(&header, &title, &one.games, &renderer)?;
    Ok(Some(with_own_page(&page, BACK)))
}
