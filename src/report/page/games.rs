//! The games that the page brings along, and the way to all others.

use maud::{Markup, html};
use serde_json::json;

use super::shell::json_in_html;
use super::{Material, count, elo, name, plies};
use crate::escape;
use crate::report::survey::chosen::{Choice, FAULTS, Why};

pub(super) fn section(material: &Material<'_>) -> Markup {
    let chosen = &material.survey.chosen;
    html! {
        p {
            "This file brings " (count(material.films.len(), "game")) " along: those listed here"
            @if material.survey.faults.total > FAULTS { " (of those with a fault the first " (FAULTS) ")" }
            ". All others are loaded from the folder " code { "games" } " beside it."
        }
        div.choices {
            @for why in Why::ALL {
                @let of = chosen.of(why);
                @if !of.is_empty() {
                    div { h3 { (why.name()) } ol { @for choice in of { li { (link(choice, why)) } } } }
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

fn link(choice: &Choice, why: Why) -> Markup {
    let [first, second] = &choice.players;
    let ply = if why == Why::Fault { choice.plies } else { 0 };
    html! {
        a href={ "#game=" (choice.id) "&ply=" (ply) } { (name(first)) " – " (name(second)) }
        small {
            " " (choice.end) ", " (plies(choice.plies))
            @if why == Why::Upset { ", against " (elo(choice.lead.abs())) " Elo" }
        }
    }
}

/// What the script needs: the names by number, the order of the ranking, the films.
pub(super) fn data(material: &Material<'_>) -> String {
    let names: Vec<String> =
        material.results.names().iter().map(|name| escape::terminal(name)).collect();
    let order: Vec<usize> = material.standings.rows.iter().map(|row| row.number).collect();
    let lists = json!({ "names": names, "order": order, "index": true }).to_string();
    let films = material.films.join(",\n");
    json_in_html(&format!("{},\"films\":[\n{films}]}}", &lists[..lists.len() - 1]))
}
