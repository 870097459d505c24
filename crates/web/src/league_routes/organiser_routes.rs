//! The page of the organiser: what is wanted of the run, and of each author.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::{Path as Named, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::author_routes::format_author_date;
use super::entrance::{Entrance, OrganiserVisit, entrance_page_with_forms, redirect_visitor};
use super::held_up::held_up;
use super::incoming_form::{FormProblem, read_form_fields};
use crate::WebError;
use crate::background_work::in_background;
use crate::live_tournament::{LivePage, latest_live_page};
use crate::shared_copy::Freshness;
use crate::visitors::ORGANISER;
use referee_league::check_queue::CheckQueue;
use referee_league::control::LeagueControl;
use referee_league::hand_in_history::{PastHandIn, PastOutcome, read_hand_in_history};
use referee_league::invitations::Invitations;
use referee_record::model::record::HeaderPlayer;
use referee_report::StandingsRow;
use referee_report::page::league_pages::{
    CurrentVersion, LeagueOrganiserPage, LeagueStatus, ListedAuthor, league_authors_csv,
};
use referee_tournament::folder::is_folder_in_use;

/// Shows the organiser what there is.
pub(super) async fn serve_organiser_page(
    State(entrance): State<Arc<Entrance>>,
    visit: OrganiserVisit,
) -> Response {
    match render_organiser_page(&entrance, &visit).await {
        Ok(html) => entrance_page_with_forms(html),
        Err(failure) => entrance.failure_response(&failure),
    }
}

async fn render_organiser_page(
    entrance: &Entrance,
    visit: &OrganiserVisit,
) -> Result<String, WebError> {
    let control = entrance.control()?;
    let state = match (control.closed, control.paused) {
        (true, _) => LeagueStatus::Closed,
        (false, true) => LeagueStatus::Paused,
        (false, false) => LeagueStatus::Playing,
    };
    let queue = CheckQueue::read(&entrance.league.dir)?;
    let checking: Vec<&str> = queue.checking.iter().map(|check| check.author.as_str()).collect();
    let live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    let page = LeagueOrganiserPage {
        league: &entrance.name,
        token: &visit.secret.form_token(),
        message: &control.message,
        state,
        is_running: is_folder_in_use(&entrance.league.dir),
        bounds: entrance.league.settings.bounds,
        held_up: &held_up(entrance, &live),
        queue: (&checking, &queue.waiting),
        authors: &list_organiser_authors(entrance, &control).await?,
    };
    Ok(page.html())
}

/// Everyone who was invited, has entered or was removed.
async fn list_organiser_authors(
    entrance: &Entrance,
    control: &LeagueControl,
) -> Result<Vec<ListedAuthor>, WebError> {
    let invitations = Invitations::read(&entrance.league.dir)?;
    let live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    let (entrants, control) = (entrance.league.settings.entrants.clone(), control.clone());
    in_background(move || {
        let mut versions: BTreeMap<&str, Vec<&HeaderPlayer>> = BTreeMap::new();
        for player in &live.entrants {
            if let Some(entry) = &player.entry {
                versions.entry(&entry.author).or_default().push(player);
            }
        }
        let all: BTreeSet<&str> = invitations
            .authors()
            .chain(versions.keys().copied())
            .chain(control.removed.iter().map(String::as_str))
            .collect();
        let listed = |name: &str| {
            let own = versions.get(name).map(Vec::as_slice).unwrap_or_default();
            Ok(ListedAuthor {
                name: name.to_owned(),
                is_invited: invitations.authors().any(|author| author == name),
                versions: own.len(),
                current: own.iter().find_map(|player| organiser_current_version(&live, player)),
                last: read_hand_in_history(&entrants, name)?.pop().map(organiser_hand_in_outcome),
                is_removed: control.removed.contains(name),
            })
        };
        all.into_iter().map(listed).collect()
    })
    .await
}

/// A version, if it has not left.
fn organiser_current_version(live: &LivePage, player: &HeaderPlayer) -> Option<CurrentVersion> {
    let number = player.entry.as_ref().filter(|_| player.left.is_none())?.version;
    let shown = live.tables.analysis.shown_name(&player.name);
    // Whoever entered a moment ago is not on the page yet.
    let row = live.tables.standings.rows.iter().find(|row| row.player == shown);
    Some(CurrentVersion {
        number,
        out: live.outs.get(&player.name).copied(),
        games: row.map_or(0, StandingsRow::games),
        faults: row.map_or(0, StandingsRow::fault_total),
    })
}

/// When it was decided what becomes of a submission, and the decision.
fn organiser_hand_in_outcome(last: PastHandIn) -> (String, Result<u32, String>) {
    let decided = match last.outcome {
        PastOutcome::Entered { version } => Ok(version),
        PastOutcome::Refused { why } => Err(why),
    };
    (format_author_date(last.at), decided)
}

/// Gives the organiser the list of authors.
pub(super) async fn serve_organiser_authors(
    State(entrance): State<Arc<Entrance>>,
    _: OrganiserVisit,
) -> Response {
    let table = async {
        let control = entrance.control()?;
        Ok::<_, WebError>(league_authors_csv(&list_organiser_authors(&entrance, &control).await?)?)
    };
    match table.await {
        Ok(table) => ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], table).into_response(),
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// Does what a form on the page asks for.
pub(super) async fn handle_organiser_wish(
    State(entrance): State<Arc<Entrance>>,
    visit: OrganiserVisit,
    Named(wish): Named<String>,
    request: Request,
) -> Response {
    let fields = match read_form_fields(request, &visit.secret).await {
        Ok(fields) => fields,
        Err(problem) => return entrance.refuse_form(&problem, ORGANISER),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let author = field("author");
    let wanted: Box<dyn FnOnce(&mut LeagueControl)> = match wish.as_str() {
        "pause" => Box::new(|control| control.paused = true),
        "resume" => Box::new(LeagueControl::resume),
        "close" if field("sure") == "yes" => Box::new(|control| control.closed = true),
        "message" => {
            let message = field("message").replace("\r\n", "\n");
            if let Err(problem) = LeagueControl::refuse_long_message(&message) {
                return entrance.refuse_form(&FormProblem::Unusable(problem), ORGANISER);
            }
            Box::new(|control| control.message = message)
        }
        "remove" | "readmit" => {
            match list_organiser_authors(&entrance, &LeagueControl::default()).await {
                Ok(known) if wish == "readmit" || known.iter().any(|it| it.name == author) => {
                    let is_removed = wish == "remove";
                    Box::new(move |control| {
                        if is_removed {
                            control.removed.insert(author.to_owned());
                        } else {
                            control.removed.remove(author);
                        }
                    })
                }
                Ok(_) => {
                    let problem = FormProblem::Unusable("no author has this name".to_owned());
                    return entrance.refuse_form(&problem, ORGANISER);
                }
                Err(failure) => return entrance.failure_response(&failure),
            }
        }
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match entrance.change_control(wanted) {
        Ok(_) if matches!(wish.as_str(), "remove" | "readmit") => {
            redirect_visitor("/organiser#authors", None)
        }
        Ok(_) => redirect_visitor(ORGANISER, None),
        Err(failure) => entrance.failure_response(&failure),
    }
}
