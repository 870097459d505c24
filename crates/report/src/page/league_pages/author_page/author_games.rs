//! The games of an author: the latest ones, and the scores against each opponent.

use maud::{Markup, html};

use super::super::super::{format_percent, page_player_name};
use super::super::escape_league_page_text;
use super::{AuthorPage, render_stacking_table};
use referee_ratings::Outcomes;
use referee_record::model::fault::FaultCode;

/// A game of an author's player.
#[derive(Debug)]
pub struct ListedGame {
    /// When it began, for people; empty where that must not be known.
    pub when: String,
    /// The game's id on the page of the league.
    pub id: String,
    /// The number of the version that played.
    pub version: u32,
    /// The seat that it had.
    pub seat: String,
    /// What the opponent is called.
    pub opponent: String,
    /// The result, from the author's side.
    pub result: GameResult,
    /// How it ended.
    pub reason: String,
    /// The number of plies.
    pub plies: u32,
    /// Where it turned, if it was lost and that is known.
    pub turned: Option<TurnedAt>,
}

/// Where a game turned.
#[derive(Debug)]
pub struct TurnedAt {
    /// The number of the ply.
    pub ply: u32,
    /// What would have been better, for people.
    pub better: String,
}

/// The result of a game from one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// It was won.
    Won,
    /// It was drawn.
    Drawn,
    /// It was lost.
    Lost,
}

/// Which games are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameFilter {
    /// All.
    All,
    /// The lost games.
    Lost,
}

/// The scores of all versions against an opponent.
#[derive(Debug)]
pub struct OpponentScore {
    /// What the opponent is called.
    pub name: String,
    /// The scores, from the author's side.
    pub outcomes: Outcomes,
}

impl AuthorPage<'_> {
    pub(super) fn game_table(&self) -> Markup {
        let link = |filter, address: &str, label: &str| {
            html! {
                @if self.filter == filter { strong { (label) } } @else { a href=(address) { (label) } }
            }
        };
        let has_times = self.games.iter().any(|game| !game.when.is_empty());
        let has_turned = self.games.iter().any(|game| game.turned.is_some());
        let none = match self.filter {
            GameFilter::All => "No games yet.",
            GameFilter::Lost => "No lost games.",
        };
        html! {
            p {
                (link(GameFilter::All, "/author#games", "Latest games")) " · "
                (link(GameFilter::Lost, "/author?games=lost#games", "Latest lost games"))
            }
            @if self.games.is_empty() { p { (none) } } @else {
                (render_stacking_table("Your games", &html! {
                    thead { tr {
                        @if has_times { th { "Began" } } th { "Result" } th { "Opponent" } th.n { "Version" }
                        th { "Seat" } th { "Ended by" } th.n { "Plies" } th { "Game" }
                        @if has_turned { th { "Turned at" } }
                    } }
                    tbody { @for game in self.games { tr {
                        @if has_times { td data-label="Began" { (game.when) } }
                        th scope="row" { (format_author_result(game.result)) }
                        td data-label="Opponent" { (page_player_name(&game.opponent)) }
                        td.n data-label="Version" { (game.version) }
                        td data-label="Seat" { (escape_league_page_text(&game.seat)) }
                        td data-label="Ended by" { (escape_league_page_text(&game.reason)) }
                        td.n data-label="Plies" { (game.plies) }
                        td data-label="Game" { (link_author_game(game)) }
                        @if has_turned { (render_author_turned_cell(game)) }
                    } } }
                }))
            }
            @if self.is_looking {
                p.hint {
                    "The newest lost games are still being searched for the ply at which they \
                     turned: reload the page in a moment."
                }
            }
        }
    }

    pub(super) fn opponent_games_table(&self) -> Markup {
        if self.opponents.is_empty() {
            return html! { p { "No opponents yet." } };
        }
        html! {
            p { "All your versions against all of theirs." }
            (render_stacking_table("Your opponents", &html! {
                thead { tr {
                    th { "Opponent" } th.n { "Games" } th.n { "W" } th.n { "D" } th.n { "L" }
                    th.n { "Score" }
                } }
                tbody { @for one in self.opponents { tr {
                    th scope="row" { (page_player_name(&one.name)) }
                    td.n data-label="Games" { (one.outcomes.games()) }
                    td.n data-label="Won" { (one.outcomes.wins) }
                    td.n data-label="Drawn" { (one.outcomes.draws) }
                    td.n data-label="Lost" { (one.outcomes.losses) }
                    td.n data-label="Score" {
                        (format_percent(one.outcomes.score().value(), f64::from(one.outcomes.games())))
                    }
                } } }
            }))
        }
    }
}

/// The link to a game. One that ended in a fault opens there.
fn link_author_game(game: &ListedGame) -> Markup {
    let fault = FaultCode::from_name(&game.reason);
    html! {
        a href={ "/#game=" (game.id) @if fault.is_some() { "&ply=" (game.plies) } } { "watch" }
    }
}

/// Where a game turned, with a link to the position in which the player decided. An empty cell has no
/// label where rows are blocks.
fn render_author_turned_cell(game: &ListedGame) -> Markup {
    let Some(at) = &game.turned else { return html! { td {} } };
    html! { td data-label="Turned at" {
        span {
            a href={ "/#game=" (game.id) "&ply=" (at.ply.saturating_sub(1)) } { "ply " (at.ply) }
            ": " (escape_league_page_text(&at.better))
        }
    } }
}

fn format_author_result(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}
