//! The games embedded in the page, and the links to all others.

use maud::{Markup, html};
use serde_json::json;

use super::template::json_in_html;
use super::{PageData, count, elo, name, plies};
use crate::analysis::highlights::{FAULTS, Highlight, HighlightKind};
use crate::escape;
use crate::report::replay_frames::describe_end;
use referee_games::Seat;

pub(super) fn section(material: &PageData<'_>) -> Markup {
    let highlights = &material.summary.highlights;
    html! {
        p {
            "This file contains " (count(material.replays.len(), "game")) ": those listed here"
            @if material.summary.faults.total > FAULTS { " (only the first " (FAULTS) " with a fault)" }
            ". All other games are loaded from the folder " code { "games" } " beside it."
        }
        div.choices {
            @for kind in HighlightKind::ALL {
                @let of = highlights.of(kind);
                @if !of.is_empty() {
                    div { h3 { (kind.name()) } ol { @for highlight in of { li { (link(highlight, kind)) } } } }
                }
            }
        }
        details #all {
            summary { "All games" }
            p.filter {
                label { "of " select #one { option value="" { "anyone" } } } " "
                label { "against " select #other { option value="" { "anyone" } } } " "
                output #found {}
            }
            div.scroll { table { tbody #list {} } }
        }
    }
}

fn link(highlight: &Highlight, kind: HighlightKind) -> Markup {
    let game = &highlight.record;
    let ply = if kind == HighlightKind::Fault { game.plies } else { 0 };
    html! {
        a href={ "#game=" (game.id) "&ply=" (ply) } {
            (name(&game.players[Seat::First])) " – " (name(&game.players[Seat::Second]))
        }
        small {
            " " (describe_end(game.winner(), &game.result, &game.reason)) ", " (plies(game.plies))
            @if kind == HighlightKind::Upset { ", against " (elo(highlight.lead.abs())) " Elo" }
        }
    }
}

/// The data for the script: player names by number, the ranking order and the replay frames.
pub(super) fn data(material: &PageData<'_>) -> String {
    let names: Vec<String> =
        material.results.names().iter().map(|name| escape::terminal(name)).collect();
    let order: Vec<usize> = material.standings.rows.iter().map(|row| row.number).collect();
    let lists = json!({ "names": names, "order": order, "index": true }).to_string();
    let replays = material.replays.join(",\n");
    json_in_html(&format!("{},\"replays\":[\n{replays}]}}", &lists[..lists.len() - 1]))
}
