//! The page of the organiser: what is wanted of the run, and of each author.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::{Path as Named, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::entrance::{Entrance, OrganiserVisit, page_with_forms, see_other};
use super::form::{self, FormProblem};
use crate::WebError;
use crate::served;
use crate::shared_copy::Freshness;
use crate::visitors::ORGANISER;
use referee_league::control::Control;
use referee_league::invitations::Invitations;
use referee_league::queue::CheckQueue;
use referee_report::page::league::{LeagueStatus, ListedAuthor, OrganiserPage};
use referee_tournament::folder;

/// Shows the organiser what there is.
pub(super) async fn page(State(entrance): State<Arc<Entrance>>, visit: OrganiserVisit) -> Response {
    match html(&entrance, &visit).await {
        Ok(html) => page_with_forms(html),
        Err(failure) => entrance.sorry(&failure),
    }
}

async fn html(entrance: &Entrance, visit: &OrganiserVisit) -> Result<String, WebError> {
    let control = entrance.control()?;
    let state = match (control.closed, control.paused) {
        (true, _) => LeagueStatus::Closed,
        (false, true) => LeagueStatus::Paused,
        (false, false) => LeagueStatus::Playing,
    };
    let queue = CheckQueue::read(&entrance.league.dir)?;
    let checking: Vec<&str> = queue.checking.iter().map(|check| check.author.as_str()).collect();
    let page = OrganiserPage {
        league: &entrance.name,
        token: &visit.secret.form_token(),
        message: &control.message,
        state,
        is_running: folder::is_being_written(&entrance.league.dir),
        bounds: entrance.league.settings.bounds,
        queue: (&checking, &queue.waiting),
        authors: &authors(entrance, &control).await?,
    };
    Ok(page.html())
}

/// Everyone who was invited, has entered or was removed.
async fn authors(entrance: &Entrance, control: &Control) -> Result<Vec<ListedAuthor>, WebError> {
    let invitations = Invitations::read(&entrance.league.dir)?;
    let live = served::page(&entrance.live, Freshness::Recent).await?;
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in live.entrants.iter().filter_map(|player| player.entry.as_ref()) {
        *versions.entry(&entry.author).or_default() += 1;
    }
    let all: BTreeSet<&str> = invitations
        .authors()
        .chain(versions.keys().copied())
        .chain(control.removed.iter().map(String::as_str))
        .collect();
    let listed = |name: &str| ListedAuthor {
        name: name.to_owned(),
        versions: versions.get(name).copied().unwrap_or_default(),
        is_removed: control.removed.contains(name),
    };
    Ok(all.into_iter().map(listed).collect())
}

/// Does what a form on the page asks for.
pub(super) async fn wish(
    State(entrance): State<Arc<Entrance>>,
    visit: OrganiserVisit,
    Named(wish): Named<String>,
    request: Request,
) -> Response {
    let fields = match form::fields(request, &visit.secret).await {
        Ok(fields) => fields,
        Err(problem) => return entrance.refuse_form(&problem, ORGANISER),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let author = field("author");
    let wanted: Box<dyn FnOnce(&mut Control)> = match wish.as_str() {
        "pause" => Box::new(|control| control.paused = true),
        "resume" => Box::new(Control::resume),
        "close" if field("sure") == "yes" => Box::new(|control| control.closed = true),
        "message" => {
            let message = field("message").replace("\r\n", "\n");
            if let Err(problem) = Control::refuse_long(&message) {
                return entrance.refuse_form(&FormProblem::Unusable(problem), ORGANISER);
            }
            Box::new(|control| control.message = message)
        }
        "remove" | "readmit" => match authors(&entrance, &Control::default()).await {
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
            Err(failure) => return entrance.sorry(&failure),
        },
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match entrance.change(wanted) {
        Ok(_) => see_other(ORGANISER, None),
        Err(failure) => entrance.sorry(&failure),
    }
}
