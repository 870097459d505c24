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

use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::routing::{get, post};
use axum::{Router, middleware};

use self::author_routes::serve_author_page;
use self::challenge_routes::{handle_challenge, serve_challenge_games};
use self::entrance::leave_entrance;
use self::organiser_routes::{
    handle_organiser_wish, serve_organiser_authors, serve_organiser_page,
};
use self::packet_routes::{
    serve_packet_archive, serve_packet_game, serve_packet_page, serve_packet_player,
};
use self::upload::handle_upload;
use crate::connections::{HAND_IN, REPORT_EVENTS};
use crate::visitors::{AUTHOR, ORGANISER};
use referee_report::page::league_pages::{SCRIPT, league_pages_style};

pub use entrance::Entrance;

/// The pages behind links. Their bodies are bounded where they are read.
pub fn private_pages(entrance: Arc<Entrance>) -> Router {
    let private = Router::new()
        .route("/enter/{secret}", get(entrance::enter).post(entrance::enter_as_other_guest))
        .route("/leave", post(leave_entrance))
        .route(AUTHOR, get(serve_author_page))
        .route(HAND_IN, post(handle_upload))
        .route("/author/challenge", post(handle_challenge))
        .route("/author/challenges/{number}/", get(serve_challenge_games))
        .route(REPORT_EVENTS, get(author_routes::report_events))
        .route("/author/versions/{number}/", get(serve_packet_page))
        .route("/author/versions/{number}/games/{file}", get(serve_packet_game))
        .route("/author/versions/{number}/packet.zip", get(serve_packet_archive))
        .route("/author/versions/{number}/player.zip", get(serve_packet_player))
        .route(ORGANISER, get(serve_organiser_page))
        .route("/organiser/authors.csv", get(serve_organiser_authors))
        .route("/organiser/{wish}", post(handle_organiser_wish))
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::map_response(entrance::forbid_response_caching))
        .with_state(entrance);
    let file = |kind: &'static str, text: String| {
        get(async move || ([(header::CONTENT_TYPE, kind)], text))
    };
    private
        .route("/league.css", file("text/css; charset=utf-8", league_pages_style()))
        .route("/league.js", file("text/javascript; charset=utf-8", SCRIPT.to_owned()))
}
