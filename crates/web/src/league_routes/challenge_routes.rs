//! Challenges of an author: the form, what became of them, and the games.

use std::sync::Arc;

use axum::extract::{Path as Named, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::author_routes::format_author_date;
use super::entrance::{AuthorVisit, Entrance, redirect_visitor};
use super::incoming_form::{FormProblem, read_form_fields};
use crate::WebError;
use crate::background_work::in_background;
use crate::live_tournament::{LivePage, latest_live_page};
use crate::shared_copy::Freshness;
use referee_league::author_folder::AuthorFolder;
use referee_league::challenge_records::{
    ChallengeRecords, MOST_PER_HOUR, PlayedChallenge, WantedChallenge,
};
use referee_league::control::LeagueControl;
use referee_league::unix_seconds_now;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::plies::Plies;
use referee_record::model::record::GameRecord;
use referee_record::wording::pluralize;
use referee_report::packet_page::render_challenge_packet_page;
use referee_report::page::league_pages::{ChallengeSection, ListedChallenge};
use referee_report::page::page_template::add_template_own_link;
use referee_tournament::folder::read_folder_header;

/// What the page of an author shows of challenges; `None` if this game cannot have them.
pub(super) fn build_challenge_section(
    entrance: &Entrance,
    author: &str,
    live: &LivePage,
    control: &LeagueControl,
) -> Result<Option<ChallengeSection>, WebError> {
    if live.tables.analysis.header.seats.len() != 2 {
        return Ok(None);
    }
    let past = ChallengeRecords::read(&entrance.league.settings.entrants, author)?;
    let opponents = challenge_refusal(author, control)
        .map_or_else(|| list_challenge_opponents(live, author), |_| Vec::new());
    let is_hiding = entrance.league.settings.pseudonyms;
    let refused = past.refused.map(|one| [format_author_date(one.at), one.opponent, one.why]);
    Ok(Some(ChallengeSection {
        opponents,
        among: is_hiding.then_some(live.tables.analysis.header.players.len()),
        bounds: format!("At most {MOST_PER_HOUR} per hour; hand-in checks come first."),
        waiting: read_waiting_challenge(entrance, author).map(|wanted| wanted.opponent),
        refused,
        played: past.played.iter().rev().map(|one| list_played_challenge(author, one)).collect(),
    }))
}

/// What an author waits for.
fn read_waiting_challenge(entrance: &Entrance, author: &str) -> Option<WantedChallenge> {
    AuthorFolder::open(&entrance.hand_in_folder(author)).ok()?.challenge()
}

/// Whom an author can challenge, as the page calls them; nobody without a version that plays.
fn list_challenge_opponents(live: &LivePage, author: &str) -> Vec<String> {
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
fn challenge_refusal(author: &str, control: &LeagueControl) -> Option<&'static str> {
    [
        (control.closed, "The league is closed."),
        (control.removed.contains(author), "The organiser has removed you."),
        (control.paused, "The league is paused. Try again once it resumes."),
    ]
    .into_iter()
    .find_map(|(holds, why)| holds.then_some(why))
}

fn list_played_challenge(author: &str, one: &PlayedChallenge) -> ListedChallenge {
    let own = LeagueEntry::version_name(author, one.version);
    ListedChallenge {
        number: one.number,
        when: format_author_date(one.at),
        version: one.version,
        opponent: one.opponent.clone(),
        results: one.games.iter().map(|game| format_challenge_result(game, &own)).collect(),
        problem: one.problem.clone(),
    }
}

/// The result of a game from the side of `own`, in words.
fn format_challenge_result(game: &GameRecord, own: &str) -> String {
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
pub(super) async fn handle_challenge(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    request: Request,
) -> Response {
    let fields = match read_form_fields(request, &visit.secret).await {
        Ok(fields) => fields,
        Err(problem) => return entrance.refuse_form(&problem, BACK),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let among = field("among").parse().ok();
    let wanted = WantedChallenge { opponent: field("opponent").to_owned(), among };
    match queue_challenge(&entrance, &visit.name, &wanted).await {
        Ok(Ok(())) => redirect_visitor(BACK, None),
        Ok(Err(ChallengeRefusal::Form(problem))) => entrance.refuse_form(&problem, BACK),
        Ok(Err(ChallengeRefusal::Said(why))) => {
            entrance.notice_response(StatusCode::FORBIDDEN, "No game", &why, (BACK, "Go back"))
        }
        Ok(Err(ChallengeRefusal::Wait(why, seconds))) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            let page = entrance.notice_response(status, "Too soon", &why, (BACK, "Go back"));
            ([(header::RETRY_AFTER, seconds.to_string())], page).into_response()
        }
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// Why a challenge is not taken.
enum ChallengeRefusal {
    Form(FormProblem),
    Said(String),
    /// With the time to wait, in seconds.
    Wait(String, u64),
}

/// How soon to try again while another challenge waits, in seconds.
const SOON: u64 = 60;

async fn queue_challenge(
    entrance: &Arc<Entrance>,
    author: &str,
    wanted: &WantedChallenge,
) -> Result<Result<(), ChallengeRefusal>, WebError> {
    if let Some(why) = challenge_refusal(author, &entrance.control()?) {
        return Ok(Err(ChallengeRefusal::Said(why.to_owned())));
    }
    let live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    if !list_challenge_opponents(&live, author).contains(&wanted.opponent) {
        let why = "choose an opponent that is on the page now".to_owned();
        return Ok(Err(ChallengeRefusal::Form(FormProblem::Unusable(why))));
    }
    let past = ChallengeRecords::read(&entrance.league.settings.entrants, author)?;
    if let Some(seconds) = past.wait(unix_seconds_now()) {
        let wait = pluralize(seconds.div_ceil(60), "minute");
        let why =
            format!("At most {MOST_PER_HOUR} challenges are played per hour. Try again in {wait}.");
        return Ok(Err(ChallengeRefusal::Wait(why, seconds)));
    }
    let path = entrance.hand_in_folder(author);
    let folder = AuthorFolder::make(&path).map_err(WebError::unwritable(&path))?;
    if folder.challenge().is_some() {
        let why = "Your last challenge is still queued or in progress.".to_owned();
        return Ok(Err(ChallengeRefusal::Wait(why, SOON)));
    }
    folder.write_challenge(wanted).map_err(WebError::unwritable(&path))?;
    Ok(Ok(()))
}

/// The games of one of the author's own challenges. Others have none here.
pub(super) async fn serve_challenge_games(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named(number): Named<u32>,
) -> Response {
    let bounds = entrance.author_bounds(&visit.name);
    let Ok(_held) = bounds.asking.try_acquire() else {
        let why = "you have too many pages waiting\n";
        return (StatusCode::TOO_MANY_REQUESTS, why).into_response();
    };
    let (place, author) = (Arc::clone(&entrance), visit.name.clone());
    match in_background(move || render_challenge_page(&place, &author, number)).await {
        Ok(Some(page)) => Html(page).into_response(),
        Ok(None) => entrance.not_found(BACK),
        Err(failure) => entrance.failure_response(&failure),
    }
}

fn render_challenge_page(
    entrance: &Entrance,
    author: &str,
    number: u32,
) -> Result<Option<String>, WebError> {
    let past = ChallengeRecords::read(&entrance.league.settings.entrants, author)?;
    let Some(one) = past.played.into_iter().find(|one| one.number == number) else {
        return Ok(None);
    };
    let header = read_folder_header(&entrance.live.dir)?;
    let renderer = entrance.live.replay_renderer(&header)?;
    let title = format!("{} – {}", LeagueEntry::version_name(author, one.version), one.opponent);
    let page = render_challenge_packet_page(&header, &title, &one.games, &renderer)?;
    Ok(Some(add_template_own_link(&page, BACK)))
}
