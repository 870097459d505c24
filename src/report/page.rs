//! The page: everything about a tournament in one HTML file that needs no network and no server.
//! Style, script, charts and some games are embedded; other games are loaded from files next to it.

mod conditions;
mod cross;
mod faults;
mod games;
mod over_time;
mod play;
mod ranking;
pub mod template;

use std::fmt::Display;

use maud::{Markup, html};

use super::{Row, Standings, notes};
use crate::analysis::diagnostics::Diagnostics;
use crate::analysis::log_summary::LogSummary;
use crate::analysis::results::NamedResults;
use crate::escape;
use crate::model::plies::Plies;
use crate::model::record::Header;
pub(super) use faults::one as fault;
pub use faults::shell_quoted;
use template::{PageKind, PageTemplate};

/// The data that the page shows.
#[derive(Debug)]
pub struct PageData<'a> {
    /// The log's header.
    pub header: &'a Header,
    /// The ranking.
    pub standings: &'a Standings,
    /// The results by pairing.
    pub results: &'a NamedResults,
    /// The summary of the games of the log.
    pub summary: &'a LogSummary,
    /// The diagnostics of games and ratings together.
    pub found: &'a Diagnostics,
    /// Replay frames to embed, as JSON.
    pub replays: &'a [String],
    /// The lines about players that were taken out.
    pub out: &'a [String],
    /// The options with which commands find the tournament. `None` on a page under pseudonyms,
    /// which shows neither commands nor hashes.
    pub called: Option<&'a str>,
    /// Identifies everything that the page is made from, if it is a file.
    pub stamp: Option<&'a str>,
    /// The way in which the page is published.
    pub kind: PageKind,
}

impl PageData<'_> {
    /// Whether the page may say who the players are.
    fn names_players(&self) -> bool {
        self.called.is_some()
    }
}

/// The page as HTML.
pub fn page(material: &PageData<'_>) -> String {
    let title = escape::terminal(&material.header.tournament);
    // The order of the games would reveal who is who, because the schedule can be computed.
    let over_time =
        material.names_players().then(|| ("time", "Over time", over_time::section(material)));
    let sections = [
        ("ranking", "Ranking", ranking::section(material)),
        ("ratings", "Ratings", ranking::chart_section(material)),
        ("cross", "Cross table", cross::section(material)),
    ];
    let more = [
        ("play", "Lengths and endings", play::section(material)),
        ("thinking", "Clock use", play::clock_section(material)),
        ("faults", "Faults", faults::section(material)),
        ("games", "Games", games::section(material)),
        ("conditions", "Conditions", conditions::section(material)),
    ];
    let sections: Vec<_> = sections.into_iter().chain(over_time).chain(more).collect();
    let data = games::data(material);
    PageTemplate {
        title: &title,
        summary: summary(material),
        sections: &sections,
        data: &data,
        key: &material.header.identity,
        stamp: material.stamp,
        kind: material.kind,
    }
    .html()
}

/// The kind of tournament and its progress, in a line or two.
fn summary(material: &PageData<'_>) -> Markup {
    let PageData { header, standings, .. } = material;
    let faults = standings.fault_total();
    html! {
        p.lead {
            (escape::terminal(&header.game)) " · "
            (count(header.players.len(), "player")) " · "
            (standings.summary)
            @if faults > 0 { " · " a href="#faults" { (count(faults as usize, "fault")) } }
        }
        @if let Some(winner) = notes::winner(standings) { p.winner { (winner) } }
        @for line in material.out { p.warning { (line) } }
    }
}

/// A number and its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A number of plies and its noun.
pub(super) fn plies(number: u32) -> String {
    Plies(number).to_string()
}

/// A player's place in the ranking, or a dash.
fn place(row: &Row) -> String {
    or_dash(row.place())
}

/// The text, or a dash if there is none.
fn or_dash(text: Option<impl Display>) -> String {
    text.map_or_else(|| "–".to_owned(), |text| text.to_string())
}

/// A player's name as safe HTML text.
fn name(name: &str) -> Markup {
    html! { bdi { (escape::terminal(name)) } }
}

/// Elo without decimals.
pub(super) fn elo(value: f64) -> String {
    let whole = value.round() + 0.0;
    if whole < 0.0 { format!("−{:.0}", -whole) } else { format!("{whole:.0}") }
}

/// A share as a percentage.
pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}%", 100.0 * part / whole) } else { "–".to_owned() }
}

/// A time in a suitable unit.
pub(super) fn time(ns: u64) -> String {
    let humane = |value: f64| match value {
        value if value < 10.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    let ns = ns as f64;
    match ns {
        _ if ns < 1e6 => format!("{} µs", humane(ns / 1e3)),
        _ if ns < 1e9 => format!("{} ms", humane(ns / 1e6)),
        _ => format!("{} s", humane(ns / 1e9)),
    }
}

/// A chart with its caption, and its table, which opens on demand.
pub(super) fn figure(chart: &str, caption: &str, table: &Markup) -> Markup {
    html! {
        figure {
            div.scroll { (maud::PreEscaped(chart)) }
            figcaption { (caption) }
            details.table { summary { "As a table" } div.scroll { (table) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        assert_eq!([-0.2, -12.6, 40.4].map(elo), ["0", "−13", "40"]);
        let times = [900, 9_460, 12_000_000, 3_400_000_000];
        assert_eq!(times.map(time), ["0.9 µs", "9.5 µs", "12 ms", "3.4 s"]);
        assert_eq!((percent(1.0, 3.0), percent(1.0, 0.0)), ("33.3%".into(), "–".into()));
    }
}
