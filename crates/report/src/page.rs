//! The page: everything about a tournament in one HTML file that needs no network and no server.
//! Style, script, charts and some games are embedded; other games are loaded from files next to it.

mod conditions;
mod cross_table;
mod faults_section;
pub mod game_page;
mod games_section;
pub mod league_pages;
mod lengths_and_clocks;
mod live_workers_table;
mod over_time;
mod page_head;
pub mod page_template;
mod ranking_section;
mod script_data;
pub mod tuning_page;
mod versions_section;
mod workers_section;

use std::fmt::Display;
use std::num::NonZeroU64;

use maud::{Markup, html};

use self::conditions::render_conditions;
use self::cross_table::render_cross_table;
use self::faults_section::{faults_teaser, render_faults_section};
use self::games_section::{games_teaser, render_games_section};
use self::lengths_and_clocks::{lengths_teaser, render_clocks_section, render_lengths_and_endings};
use self::over_time::render_ratings_over_time;
use self::page_head::{describe_page_head, render_page_head};
use self::ranking_section::{render_ranking_chart, render_ranking_section};
use self::script_data::page_script_data;
use self::versions_section::render_versions_section;
use self::workers_section::render_workers_section;
use super::number_format::{
    format_elo, format_large_number, format_mean_nanoseconds, format_nanoseconds, format_percent,
};
use super::{Standings, StandingsRow};
pub(super) use faults_section::render_fault_case;
use page_template::{PageKind, PagePart, PageSection, PageTemplate, escape_template_json};
use referee_games::{BySeat, Seat};
use referee_match::replay::frames::ReplayFrames;
use referee_protocol::escape::escape_line;
use referee_record::model::record::Header;
use referee_tournament::analysis::diagnostics::Diagnostics;
use referee_tournament::analysis::log_summary::LogSummary;
use referee_tournament::analysis::named_results::NamedResults;
use referee_tournament::folder::live_workers_file::LiveWorkers;

/// The most games that a page can show move by move, the first of the log. Each has to be replayed
/// and takes about 700 bytes, so a page of all games of a very long log would take hours. Tables
/// and ratings cover every game.
pub(crate) const SHOWN_GAMES: usize = 40_000;

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
    /// The way in which the page is published.
    pub kind: PageKind,
    /// The address of the visitor's own page, if people have one.
    pub own_page: Option<&'static str>,
    /// The machines that play now, if a run on many machines is in progress.
    pub workers: Option<&'a LiveWorkers>,
}

impl PageData<'_> {
    /// Whether the page may say who the players are.
    fn names_players(&self) -> bool {
        self.called.is_some()
    }

    /// The options with which commands find the tournament, if the page is the organiser's: it has
    /// suspicions then, and what players wrote to stderr. The page of a league is its authors'.
    fn organiser_calls(&self) -> Option<&str> {
        self.called.filter(|_| self.own_page.is_none())
    }
}

/// A page, whole and in parts.
#[derive(Debug)]
pub struct Page {
    /// The page as HTML.
    pub html: String,
    /// The parts of a live page that can change.
    pub parts: Vec<PagePart>,
}

/// A game that was played, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedGame {
    /// The id.
    pub id: String,
    /// The players' numbers in the results, by seat.
    pub players: BySeat<usize>,
    /// The seat that won; `None` for a draw.
    pub winner: Option<Seat>,
    /// How it ended.
    pub reason: String,
    /// The number of plies.
    pub plies: u32,
    /// When it began, in seconds since 1970; 0 under pseudonyms.
    pub began: u64,
    /// What no other game shares, also if its id changes because names do; `None` for a game without
    /// actions.
    pub fingerprint: Option<NonZeroU64>,
}

/// Renders the page.
pub fn render_report_page(material: &PageData<'_>) -> Page {
    let title = escape_line(&material.header.tournament);
    let replays = format!("[{}]", material.replays.join(",\n"));
    let template = PageTemplate {
        title: &title,
        description: &describe_page_head(material),
        summary: render_page_head(material),
        sections: &report_page_sections(material),
        data: &escape_template_json(&page_script_data(material)),
        replays: &escape_template_json(&replays),
        key: &material.header.identity,
        kind: material.kind,
        own_page: material.own_page,
    };
    let parts = match material.kind {
        PageKind::Live => template.parts(),
        PageKind::File => Vec::new(),
    };
    Page { html: template.html(), parts }
}

/// A page with one game and nothing else.
pub fn render_report_of_game(game: &ReplayFrames) -> String {
    let title = game.players.join(" – ");
    // Texts are JSON without fail.
    let json = |value: serde_json::Value| escape_template_json(&value.to_string());
    let template = PageTemplate {
        title: &title,
        description: &game.end,
        summary: html! {},
        sections: &[],
        data: &json(serde_json::json!({ "only": game.id })),
        replays: &json(serde_json::json!([game])),
        key: &game.id,
        kind: PageKind::File,
        own_page: None,
    };
    template.html()
}

/// The sections, the ranking first. All others open on demand.
fn report_page_sections(material: &PageData<'_>) -> Vec<PageSection<'static>> {
    let folded = |place, teaser: &str, content| PageSection::folded(place, teaser, content);
    // The order of the games would reveal who is who, because the schedule can be computed.
    let over_time = material.names_players().then(|| {
        folded(("time", "Over time"), "ratings game by game", render_ratings_over_time(material))
    });
    let clocks = render_clocks_section(material);
    let by_worker = render_workers_section(material)
        .map(|(teaser, content)| folded(("workers", "Workers"), &teaser, content));
    let conditions = render_conditions(material);
    [
        PageSection::open("ranking", "Ranking", render_ranking_section(material)),
        folded(("games", "Games"), &games_teaser(material), render_games_section(material)),
        folded(("faults", "Faults"), &faults_teaser(material), render_faults_section(material)),
        folded(("cross", "Cross table"), "who beat whom", render_cross_table(material)),
        folded(("ratings", "Ratings"), "with intervals", render_ranking_chart(material)),
    ]
    .into_iter()
    .chain(
        render_versions_section(material)
            .map(|(teaser, content)| folded(("versions", "Versions"), &teaser, content)),
    )
    .chain(over_time)
    .chain([
        folded(
            ("play", "Lengths and endings"),
            &lengths_teaser(material),
            render_lengths_and_endings(material),
        ),
        folded(("thinking", "Clock use"), "time per turn", clocks),
    ])
    .chain(by_worker)
    .chain([folded(("conditions", "Conditions"), "rules, clocks, limits", conditions)])
    .collect()
}

/// A player's place in the ranking, or a dash.
fn page_place(row: &StandingsRow) -> String {
    page_text_or_dash(row.place())
}

/// The text, or a dash if there is none.
fn page_text_or_dash(text: Option<impl Display>) -> String {
    text.map_or_else(|| "–".to_owned(), |text| text.to_string())
}

/// A player's name as safe HTML text.
fn page_player_name(name: &str) -> Markup {
    html! { bdi { (escape_line(name)) } }
}

/// A table that scrolls if it is wider than the page, also with the keyboard.
pub(crate) fn render_scrolling_table(label: &str, table: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// A chart with its caption, and its table, which opens on demand.
pub(super) fn render_page_figure(chart: &str, caption: &str, table: &Markup) -> Markup {
    html! {
        figure {
            (maud::PreEscaped(chart))
            figcaption { (caption) }
            details.table { summary { "Show as table" } (render_scrolling_table(caption, table)) }
        }
    }
}
