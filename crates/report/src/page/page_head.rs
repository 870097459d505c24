//! The head of the page: who won and how sure that is, the featured game, and notices.

use maud::{Markup, html};

use super::live_workers_table::render_live_workers;
use super::page_template::PageKind;
use super::ranking_section::{link_ranking_player, ranking_strength_span, render_ranking_bar};
use super::{PageData, page_place, page_player_name};
use crate::diagnostics_text::describe_diagnosed_look_alikes;
use crate::standings_notes::{
    Headline, contradiction_standings_note, copies_standings_note, groups_standings_note,
    missing_scores_standings_note, short_winner_note, spared_standings_note, winner_standings_note,
};
use referee_protocol::escape::escape_line;
use referee_record::model::record::GameRecord;
use referee_record::wording::pluralize;
use referee_tournament::analysis::highlights::HighlightKind;

/// The kind of tournament, its progress, its winner, and a board of its featured game.
pub(super) fn render_page_head(material: &PageData<'_>) -> Markup {
    let PageData { header, standings, .. } = material;
    let faults = standings.fault_total();
    html! {
        div.head {
            div {
                (render_head_progress(material))
                @if let Some(workers) = material.workers { (render_live_workers(workers)) }
                p.lead {
                    (escape_line(&header.game)) " · "
                    (pluralize(header.players.len(), "player")) " · "
                    (standings.summary)
                    @if faults > 0 { " · " a href="#faults" { (pluralize(faults as usize, "fault")) } }
                }
                @if head_awaits_first_game(material) {
                    // The style sheet hides what would be empty.
                    p.waiting { "The ranking appears here as soon as a game has ended." }
                }
                @if let Some(headline) = render_head_headline(material) { p.headline { (headline) } }
                @if let Some(winner) = describe_head_winner(material) { p.winner { (winner) } }
                (render_head_podium(material))
                (render_page_head_notices(material))
            }
            (render_head_board(material))
        }
    }
}

/// Whether the first game is still to end.
fn head_awaits_first_game(PageData { kind, standings, out, .. }: &PageData<'_>) -> bool {
    let summary = standings.summary;
    *kind == PageKind::Live && summary.played == 0 && summary.due > 0 && out.is_empty()
}

/// What a link to the page says in a chat: who won, if that is known, and what was played.
pub(super) fn describe_page_head(material: &PageData<'_>) -> String {
    let PageData { header, standings, .. } = material;
    let players = pluralize(header.players.len(), "player");
    let game = escape_line(&header.game);
    let winner =
        describe_head_winner(material).map(|winner| format!("{winner} ")).unwrap_or_default();
    format!("{winner}{game}, {players}, {}.", standings.summary)
}

/// How much of a running tournament is played. The script adds the time left.
fn render_head_progress(material: &PageData<'_>) -> Markup {
    let summary = material.standings.summary;
    html! {
        @if material.kind == PageKind::Live && summary.due > 0 {
            p #progress data-played=(summary.played) data-total=(summary.total_games()) {
                progress aria-label="Games played" value=(summary.played) max=(summary.total_games()) {}
                " " span #left {}
            }
        }
    }
}

/// Who won, in a line.
fn render_head_headline(material: &PageData<'_>) -> Option<Markup> {
    let PageData { found, standings, .. } = material;
    let may_compare =
        |one: &str, other: &str| material.names_players() && !found.are_alike(one, other);
    let coloured = |player: &str| html! { em class=(head_colour_class(material, player)) { (page_player_name(player)) } };
    Some(match short_winner_note(standings, may_compare)? {
        Headline::Best(one) => html! { (coloured(one)) " is the best" },
        Headline::First(one) => html! { (coloured(one)) " is first" },
        Headline::Close(one, other) => html! {
            (coloured(one)) " and " (coloured(other)) " are too close to call"
        },
    })
}

/// The class that gives a player's name its colour: one of the first three has its own.
fn head_colour_class(material: &PageData<'_>, player: &str) -> String {
    let mut ranked = material.standings.rows.iter().filter(|row| row.rank.is_ok());
    let at = ranked.position(|row| row.player == player).unwrap_or(PODIUM);
    format!("own-{}", at.min(PODIUM))
}

/// The first players with the intervals of their ratings, and what they scored.
fn render_head_podium(material: &PageData<'_>) -> Markup {
    let rows = &material.standings.rows;
    let scale = ranking_strength_span(rows);
    let ranked = rows.iter().filter(|row| row.rank.is_ok()).take(PODIUM);
    html! {
        @if rows.iter().filter(|row| row.rank.is_ok()).count() > 1 {
            div.podium {
                @for (at, row) in ranked.enumerate() {
                    span.faint { (page_place(row)) }
                    b class=(format!("own-{at}")) { (link_ranking_player(row)) }
                    @if let Some(bar) = render_ranking_bar(row, scale) { (bar) } @else { span {} }
                    span.faint { (row.score_of_games()) " of " (row.games) }
                }
            }
        }
    }
}

/// The players that the head shows, each in a colour of its own.
const PODIUM: usize = 3;

/// Who won. The players that a comparison leaves out because they decide alike are suspicions of
/// the organiser: where names are pseudonyms, nobody is compared.
fn describe_head_winner(material: &PageData<'_>) -> Option<String> {
    let PageData { found, standings, .. } = material;
    winner_standings_note(standings, |one, other| {
        material.names_players() && !found.are_alike(one, other)
    })
}

/// The game whose last board the head shows, and what it is.
pub(super) fn head_featured_game<'a>(
    material: &PageData<'a>,
) -> Option<(&'a GameRecord, &'static str)> {
    let are_alike =
        |one: &str, other: &str| material.names_players() && material.found.are_alike(one, other);
    let (kind, record) = material.summary.highlights.featured(are_alike)?;
    let is_close = kind == HighlightKind::Close;
    Some((record, if is_close { "The closest game" } else { "The longest game" }))
}

/// The board of the featured game, which the script draws.
fn render_head_board(material: &PageData<'_>) -> Markup {
    let Some((record, caption)) = head_featured_game(material) else { return Markup::default() };
    html! {
        figure #featured hidden {
            a href={ "#game=" (record.id) "&ply=0" } {
                span.board {}
                span.caption {
                    span {
                        (caption) ": "
                        @for (at, player) in record.players.values.values().iter().enumerate() {
                            @if at > 0 { " – " }
                            b class=(head_colour_class(material, player)) { (page_player_name(player)) }
                        }
                        " " span.ply {}
                    }
                    span.watch { "▶ watch" }
                }
            }
        }
    }
}

/// What to know before trusting the ranking; folded, because it can be long.
fn render_page_head_notices(material: &PageData<'_>) -> Markup {
    let notices = list_page_head_notices(material);
    html! {
        @if !notices.is_empty() {
            details.notices {
                summary { (pluralize(notices.len(), "notice")) }
                @for notice in notices { p.warning { (notice) } }
            }
        }
    }
}

fn list_page_head_notices(material: &PageData<'_>) -> Vec<Markup> {
    let PageData { standings, found, out, .. } = material;
    let mut notices: Vec<Markup> = out.iter().map(|line| html! { (line) }).collect();
    let of_standings = [
        missing_scores_standings_note(standings),
        spared_standings_note(standings),
        groups_standings_note(standings),
        contradiction_standings_note(standings),
        copies_standings_note(standings),
    ];
    notices.extend(of_standings.into_iter().flatten().map(|line| html! { (line) }));
    notices.extend(found.cycles.iter().map(|cycle| {
        let [one, two, three] = &cycle.players;
        html! {
            (page_player_name(one)) " beats " (page_player_name(two)) ", who beats " (page_player_name(three)) ", who beats "
            (page_player_name(one)) ": no ranking of the three shows that."
        }
    }));
    if material.organiser_calls().is_none() {
        // What follows are the organiser's suspicions, and all players know their own numbers.
        return notices;
    }
    notices.extend(found.unexplained.iter().map(|player| {
        html! {
            "The ratings do not explain the results of " (page_player_name(&player.player))
            ": best against " (page_player_name(&player.best_against))
            ", worst against " (page_player_name(&player.worst_against)) "."
        }
    }));
    notices.extend(describe_diagnosed_look_alikes(found).into_iter().map(|line| html! { (line) }));
    notices
}
