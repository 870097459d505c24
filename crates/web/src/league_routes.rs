//! The pages of a league behind links: authors hand in, and the organiser decides.

mod author_routes;
mod challenge_routes;
mod entrance;
mod held_up;
mod incoming_form;
mod organiser_routes;
mod own_games;
mod packet_routes;
mod turned_games;
mod upload;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::middleware;
use axum::routing::{get, post};

use crate::connections::{HAND_IN, REPORT_EVENTS};
use crate::visitors::{AUTHOR, ORGANISER};
use referee_report::page::league_pages::{SCRIPT, style};

pub use entrance::Entrance;

/// The pages behind links. Their bodies are bounded where they are read.
pub fn private_pages(entrance: Arc<Entrance>) -> Router {
    let private = Router::new()
        .route("/enter/{secret}", get(entrance::enter).post(entrance::enter_anew))
        .route("/leave", post(entrance::leave))
        .route(AUTHOR, get(author_routes::page))
        .route(HAND_IN, post(upload::hand_in))
        .route("/author/challenge", post(challenge_routes::challenge))
        .route("/author/challenges/{number}/", get(challenge_routes::games))
        .route(REPORT_EVENTS, get(author_routes::report_events))
        .route("/author/versions/{number}/", get(packet_routes::page))
        .route("/author/versions/{number}/games/{file}", get(packet_routes::game))
        .route("/author/versions/{number}/packet.zip", get(packet_routes::download))
        .route("/author/versions/{number}/player.zip", get(packet_routes::player))
        .route(ORGANISER, get(organiser_routes::page))
        .route("/organiser/authors.csv", get(organiser_routes::authors_table))
        .route("/organiser/{wish}", post(organiser_routes::wish))
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::map_response(entrance::keep_private))
        .with_state(entrance);
    let file = |kind: &'static str, text: String| {
        get(async move || ([(header::CONTENT_TYPE, kind)], text))
    };
    private
        .route("/league.css", file("text/css; charset=utf-8", style()))
        .route("/league.js", file("text/javascript; charset=utf-8", SCRIPT.to_owned()))
}
