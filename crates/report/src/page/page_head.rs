//! The head of the page: who won and how sure that is, the featured game, and notices.

use maud::{Markup, html};

use super::live_workers_table::live_workers;
use super::page_template::PageKind;
use super::ranking_section::{bar, link, span_of_strengths};
use super::{PageData, name, place};
use crate::diagnostics_text::look_alikes;
use crate::standings_notes::{self, Headline};
use referee_protocol::escape;
use referee_record::model::record::GameRecord;
use referee_record::wording::counted;
use referee_tournament::analysis::highlights::HighlightKind;

/// The kind of tournament, its progress, its winner, and a board of its featured game.
pub(super) fn head(material: &PageData<'_>) -> Markup {
    let PageData { header, standings, .. } = material;
    let faults = standings.fault_total();
    html! {
        div.head {
            div {
                (progress(material))
                @if let Some(workers) = material.workers { (live_workers(workers)) }
                p.lead {
                    (escape::terminal(&header.game)) " · "
                    (counted(header.players.len(), "player")) " · "
                    (standings.summary)
                    @if faults > 0 { " · " a href="#faults" { (counted(faults as usize, "fault")) } }
                }
                @if is_waiting(material) {
                    // The style sheet hides what would be empty.
                    p.waiting { "The ranking appears here as soon as a game has ended." }
                }
                @if let Some(headline) = headline(material) { p.headline { (headline) } }
                @if let Some(winner) = winner(material) { p.winner { (winner) } }
                (podium(material))
                (notices(material))
            }
            (board(material))
        }
    }
}

/// Whether the first game is still to end.
fn is_waiting(PageData { kind, standings, out, .. }: &PageData<'_>) -> bool {
    let summary = standings.summary;
    *kind == PageKind::Live && summary.played == 0 && summary.due > 0 && out.is_empty()
}

/// What a link to the page says in a chat: who won, if that is known, and what was played.
pub(super) fn description(material: &PageData<'_>) -> String {
    let PageData { header, standings, .. } = material;
    let players = counted(header.players.len(), "player");
    let game = escape::terminal(&header.game);
    let winner = winner(material).map(|winner| format!("{winner} ")).unwrap_or_default();
    format!("{winner}{game}, {players}, {}.", standings.summary)
}

/// How much of a running tournament is played. The script adds the time left.
fn progress(material: &PageData<'_>) -> Markup {
    let summary = material.standings.summary;
    html! {
        @if material.kind == PageKind::Live && summary.due > 0 {
            p #progress data-played=(summary.played) data-total=(summary.total()) {
                progress aria-label="Games played" value=(summary.played) max=(summary.total()) {}
                " " span #left {}
            }
        }
    }
}

/// Who won, in a line.
fn headline(material: &PageData<'_>) -> Option<Markup> {
    let PageData { found, standings, .. } = material;
    let may_compare =
        |one: &str, other: &str| material.names_players() && !found.are_alike(one, other);
    let coloured = |player: &str| html! { em class=(colour(material, player)) { (name(player)) } };
    Some(match standings_notes::headline(standings, may_compare)? {
        Headline::Best(one) => html! { (coloured(one)) " is the best" },
        Headline::First(one) => html! { (coloured(one)) " is first" },
        Headline::Close(one, other) => html! {
            (coloured(one)) " and " (coloured(other)) " are too close to call"
        },
    })
}

/// The class that gives a player's name its colour: one of the first three has its own.
fn colour(material: &PageData<'_>, player: &str) -> String {
    let mut ranked = material.standings.rows.iter().filter(|row| row.rank.is_ok());
    let at = ranked.position(|row| row.player == player).unwrap_or(PODIUM);
    format!("own-{}", at.min(PODIUM))
}

/// The first players with the intervals of their ratings, and what they scored.
fn podium(material: &PageData<'_>) -> Markup {
    let rows = &material.standings.rows;
    let scale = span_of_strengths(rows);
    let ranked = rows.iter().filter(|row| row.rank.is_ok()).take(PODIUM);
    html! {
        @if rows.iter().filter(|row| row.rank.is_ok()).count() > 1 {
            div.podium {
                @for (at, row) in ranked.enumerate() {
                    span.faint { (place(row)) }
                    b class=(format!("own-{at}")) { (link(row)) }
                    @if let Some(bar) = bar(row, scale) { (bar) } @else { span {} }
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
fn winner(material: &PageData<'_>) -> Option<String> {
    let PageData { found, standings, .. } = material;
    standings_notes::winner(standings, |one, other| {
        material.names_players() && !found.are_alike(one, other)
    })
}

/// The game whose last board the head shows, and what it is.
pub(super) fn featured<'a>(material: &PageData<'a>) -> Option<(&'a GameRecord, &'static str)> {
    let are_alike =
        |one: &str, other: &str| material.names_players() && material.found.are_alike(one, other);
    let (kind, record) = material.summary.highlights.featured(are_alike)?;
    let is_close = kind == HighlightKind::Close;
    Some((record, if is_close { "The closest game" } else { "The longest game" }))
}

/// The board of the featured game, which the script draws.
fn board(material: &PageData<'_>) -> Markup {
    let Some((record, caption)) = featured(material) else { return Markup::default() };
    html! {
        figure #featured hidden {
            a href={ "#game=" (record.id) "&ply=0" } {
                span.board {}
                span.caption {
                    span {
                        (caption) ": "
                        @for (at, player) in record.players.values.values().iter().enumerate() {
                            @if at > 0 { " – " }
                            b class=(colour(material, player)) { (name(player)) }
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
fn notices(material: &PageData<'_>) -> Markup {
    let notices = all_notices(material);
    html! {
        @if !notices.is_empty() {
            details.notices {
                summary { (counted(notices.len(), "notice")) }
                @for notice in notices { p.warning { (notice) } }
            }
        }
    }
}

fn all_notices(material: &PageData<'_>) -> Vec<Markup> {
    let PageData { standings, found, out, .. } = material;
    let mut notices: Vec<Markup> = out.iter().map(|line| html! { (line) }).collect();
    let of_standings = [
        standings_notes::without_scores(standings),
        standings_notes::spared(standings),
        standings_notes::groups(standings),
        standings_notes::contradiction(standings),
        standings_notes::copies(standings),
    ];
    notices.extend(of_standings.into_iter().flatten().map(|line| html! { (line) }));
    notices.extend(found.cycles.iter().map(|cycle| {
        let [one, two, three] = &cycle.players;
        html! {
            (name(one)) " beats " (name(two)) ", who beats " (name(three)) ", who beats "
            (name(one)) ": no ranking of the three shows that."
        }
    }));
    if material.organiser_calls().is_none() {
        // What follows are the organiser's suspicions, and all players know their own numbers.
        return notices;
    }
    notices.extend(found.unexplained.iter().map(|player| {
        html! {
            "The ratings do not explain the results of " (name(&player.player))
            ": best against " (name(&player.best_against))
            ", worst against " (name(&player.worst_against)) "."
        }
    }));
    notices.extend(look_alikes(found).into_iter().map(|line| html! { (line) }));
    notices
}
