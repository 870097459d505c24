//! The games embedded in the page, and the links to all others.

use maud::{Markup, html};

use super::page_template::PageKind;
use super::{PageData, SHOWN_GAMES, format_elo, page_player_name};
use referee_match::replay::frames::describe_game_end;
use referee_record::model::plies::Plies;
use referee_record::wording::pluralize;
use referee_tournament::analysis::highlights::{FAULTS, Highlight, HighlightKind};

/// What the section has, in a few words.
pub(super) fn games_teaser(material: &PageData<'_>) -> String {
    let all = material.results.counts.games() as usize;
    match material.kind {
        PageKind::File => {
            format!("{} of {} to watch here", material.replays.len(), pluralize(all, "game"))
        }
        PageKind::Live => format!("{} to watch", pluralize(all, "game")),
    }
}

pub(super) fn render_games_section(material: &PageData<'_>) -> Markup {
    let highlights = &material.summary.highlights;
    let is_too_long = material.results.counts.games() as usize > SHOWN_GAMES;
    html! {
        @if material.kind == PageKind::File { p {
            "This file contains " (pluralize(material.replays.len(), "game")) ": those listed here"
            @if material.summary.faults.total > FAULTS { " (only the first " (FAULTS) " with a fault)" }
            @if is_too_long {
                ". The first " (SHOWN_GAMES) " games of the tournament are loaded from the folder "
                code { "games" } " beside it; " code { "referee replay" } " shows any other."
            } @else {
                ". All other games are loaded from the folder " code { "games" } " beside it."
            }
        } }
        div.choices {
            @for kind in HighlightKind::ALL {
                @let of = highlights.of_kind(kind);
                @if !of.is_empty() {
                    div { h3 { (kind.name()) } ol { @for highlight in of { li { (link_highlighted_game(highlight, kind)) } } } }
                }
            }
        }
        h3 { "All games" }
        p.filter {
            label { "by " select #one { option value="" { "anyone" } } } " "
            label { "against " select #other { option value="" { "anyone" } } } " "
            label { "ending in " input #ending type="search" placeholder="draw, timeout …"; } " "
            label { "sorted by " select #sorted {
                option value="" { "their order" } option value="-5" { "most plies" }
                option value="5" { "fewest plies" } option value="4" { "ending" }
            } }
        }
        p #found role="status" {}
        div.scroll.tall tabindex="0" role="region" aria-label="All games" { table #list-of-games {
            thead { tr {
                // The ending names everyone, so on a phone it needs the room.
                @let is_of_many = material.header.seats.len() > 2;
                th scope="col" { "Game" }
                th.wide[is_of_many] scope="col" { (deal_heading(material)) }
                th scope="col" { "Ending" }
                th.n.wide[is_of_many] scope="col" { "Length" }
            } }
            tbody #list {}
        } }
    }
}

/// The heading of the numbers of deals.
fn deal_heading(material: &PageData<'_>) -> &'static str {
    if material.header.seats.len() == 2 { "Pair" } else { "Deal" }
}

fn link_highlighted_game(highlight: &Highlight, kind: HighlightKind) -> Markup {
    let game = &highlight.record;
    let ply = if kind == HighlightKind::Fault { game.plies } else { 0 };
    html! {
        a href={ "#game=" (game.id) "&ply=" (ply) } {
            @for (at, player) in game.players.values.values().iter().enumerate() {
                @if at > 0 { " – " } (page_player_name(player))
            }
        }
        small {
            " " (describe_game_end(game)) ", " (Plies(game.plies))
            @if kind == HighlightKind::Upset { ", an upset of " (format_elo(highlight.upset)) " Elo" }
        }
    }
}
