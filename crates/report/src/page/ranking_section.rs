//! The ranking table and the rating chart.

use maud::{Markup, html};

use super::{
    PageData, format_elo, format_percent, page_place, page_player_name, page_text_or_dash,
    render_page_figure, render_scrolling_table,
};
use crate::charts::{IntervalRow, IntervalScale, interval_chart};
use crate::number_format::format_points;
use crate::standings_columns::people_standings_columns;
use crate::standings_notes::{
    note_games_to_separate, seat_points_standings_note, several_seats_standings_note,
};
use crate::text_columns::{Align, TextColumn};
use crate::unranked::describe_unranked;
use crate::{Standings, StandingsRow};
use referee_protocol::escape::escape_line;
use referee_ratings::Estimate;
use referee_record::wording::pluralize;

/// Tables with more rows can be searched, and their later rows are shown on demand.
const MANY: usize = 30;

/// The ranking table.
pub(super) fn render_ranking_section(material: &PageData<'_>) -> Markup {
    let standings = material.standings;
    let table = RankingTable {
        material,
        columns: people_standings_columns(standings),
        scale: ranking_strength_span(&standings.rows),
    };
    let rows = || standings.rows.iter().enumerate();
    let is_listed = |row: &StandingsRow| row.rank.is_err() && !row.has_left;
    let has_unranked = rows().any(|(_, row)| is_listed(row));
    let present = rows().filter(|(_, row)| !row.has_left).count();
    let ranked = rows().filter(|(_, row)| row.rank.is_ok()).count();
    let width = table.columns.len() + 1;
    html! {
        (render_ranking_search(material))
        div.scroll tabindex="0" role="region" aria-label="Ranking" {
            table.ranking {
                (table.headings())
                tbody .long[present > MANY] {
                    @for (number, row) in rows().filter(|(_, row)| row.rank.is_ok()) {
                        (table.row(number, row))
                    }
                }
                @if let Some(more @ 1..) = ranked.checked_sub(MANY) {
                    tbody.gap { tr.line { td colspan=(width) { "… " (pluralize(more, "more player")) } } }
                }
                @if has_unranked {
                    tbody.unranked .long[present > MANY] {
                        tr.line { td colspan=(width) { "Without a rank" } }
                        @for (number, row) in rows().filter(|(_, row)| is_listed(row)) {
                            (table.row(number, row))
                        }
                    }
                }
            }
        }
        @if present > MANY {
            p { button #all-players type="button" { "All " (present) " players" } }
        }
        (render_ranking_retired(standings))
        p {
            "Each rank interval contains the true rank with 95% confidence. Players with "
            "overlapping intervals may really be in a different order."
        }
        p { (render_ranking_seats(material)) }
        (render_ranking_separation(material))
    }
}

/// The versions that play no longer, on demand.
fn render_ranking_retired(standings: &Standings) -> Markup {
    let rows: Vec<&StandingsRow> = standings.rows.iter().filter(|row| row.has_left).collect();
    let table = html! { table {
        thead { tr {
            th scope="col" { "Version" } th.n scope="col" { "Rating" } th.n scope="col" { "±95%" }
            th.n scope="col" { "Games" }
        } }
        tbody { @for row in &rows { tr {
            th scope="row" { (link_ranking_player(row)) }
            td.n { (page_text_or_dash(row.shown_rating().map(|rating| format_elo(rating.value)))) }
            td.n { (page_text_or_dash(row.shown_rating().map(|rating| format_elo(rating.margin())))) }
            td.n { (row.outcomes.games()) }
        } } }
    } };
    html! {
        @if !rows.is_empty() {
            details.table {
                summary { (pluralize(rows.len(), "earlier version")) }
                p { "They no longer play and have no rank. Their games still count." }
                (render_scrolling_table("Earlier versions", &table))
            }
        }
    }
}

/// Finds players by name or kind.
fn render_ranking_search(material: &PageData<'_>) -> Markup {
    html! {
        @if material.standings.rows.len() > 8 {
            p.filter {
                label { "Find " input #who type="search"; } " "
                label { "Show " select #kind {
                    option value="" { "all players" }
                    @if material.names_players() {
                        option value="own" { "submitted players" }
                        option value="built-in" { "built-in players" }
                    }
                    option value="anchor" { "anchors" }
                    option value="faulty" { "players with faults" }
                } }
                output #who-found {}
            }
        }
    }
}

/// What sets a player apart: built in, an anchor, or neither.
pub(super) fn ranking_marks(material: &PageData<'_>, player: &str) -> Vec<String> {
    let header = material.header;
    let is_built_in = material.names_players()
        && header.players.iter().any(|info| info.name == player && info.is_built_in());
    let anchor = header.anchors.iter().find(|anchor| anchor.player == player);
    let anchor = anchor.map(|anchor| format!("anchor at {}", format_elo(anchor.rating)));
    is_built_in.then(|| "built in".to_owned()).into_iter().chain(anchor).collect()
}

/// The ranking as a table.
struct RankingTable<'a> {
    material: &'a PageData<'a>,
    columns: Vec<TextColumn>,
    /// The lowest and the highest end of all rating intervals.
    scale: (f64, f64),
}

impl RankingTable<'_> {
    fn headings(&self) -> Markup {
        html! {
            thead { tr {
                @for column in &self.columns {
                    th.n[column.align == Align::Right].wide[column.is_minor()] scope="col" {
                        (column.heading)
                    }
                }
                th.intervals scope="col" { "95% interval" }
            } }
        }
    }

    fn row(&self, number: usize, row: &StandingsRow) -> Markup {
        let marks = ranking_marks(self.material, &row.player);
        let kinds = [
            ("built-in", marks.iter().any(|mark| mark == "built in")),
            ("anchor", marks.iter().any(|mark| mark.starts_with("anchor"))),
            ("own", self.material.names_players() && marks.is_empty()),
            ("faulty", row.fault_total() > 0),
        ];
        let kinds = kinds.into_iter().filter(|(_, applies)| *applies).map(|(kind, _)| kind);
        html! {
            tr class=(kinds.collect::<Vec<_>>().join(" ")) {
                @for column in &self.columns {
                    @if column.align == Align::Left {
                        th scope="row" { (render_ranking_player(row, &marks)) }
                    } @else {
                        (render_ranking_cell(column, number))
                    }
                }
                td.intervals { @if let Some(bar) = render_ranking_bar(row, self.scale) { (bar) } }
            }
        }
    }
}

/// A player's name, its marks, and why it has no rank.
fn render_ranking_player(row: &StandingsRow, marks: &[String]) -> Markup {
    html! {
        (link_ranking_player(row))
        @for mark in marks { " " small.mark { (mark) } }
        @if let Err(why) = row.rank { span.faint { " " (describe_unranked(why)) } }
    }
}

/// A player's name, which leads to its own page.
pub(super) fn link_ranking_player(row: &StandingsRow) -> Markup {
    let address = percent_encode_link(&escape_line(&row.player));
    html! { a href={ "#player=" (address) } { (page_player_name(&row.player)) } }
}

/// A text as part of an address.
fn percent_encode_link(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encode = |byte: u8| match byte {
        _ if plain(byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

fn render_ranking_cell(column: &TextColumn, number: usize) -> Markup {
    html! {
        td.n.wide[column.is_minor()].bad[column.is_bad(number)] {
            (column.cell_text(number).replace('-', "−"))
        }
    }
}

/// The lowest and the highest end of all intervals.
pub(super) fn ranking_strength_span(rows: &[StandingsRow]) -> (f64, f64) {
    let present = rows.iter().filter(|row| !row.has_left);
    present
        .filter_map(StandingsRow::shown_strength)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), rating| {
            (f64::min(low, rating.low), f64::max(high, rating.high))
        })
}

/// A player's interval as a bar on the scale that all rows share.
pub(super) fn render_ranking_bar(row: &StandingsRow, (low, high): (f64, f64)) -> Option<Markup> {
    let rating = row.shown_strength()?;
    let at = |value: f64| 100.0 * (value - low) / (high - low).max(f64::MIN_POSITIVE);
    let style = format!(
        "--low:{:.1}%;--width:{:.1}%;--middle:{:.1}%",
        at(rating.low),
        at(rating.high) - at(rating.low),
        at(rating.value)
    );
    Some(html! { span.interval style=(style) aria-hidden="true" {} })
}

/// The value of the first seat and the number of draws, or what more seats are worth.
fn render_ranking_seats(material: &PageData<'_>) -> Markup {
    let standings = material.standings;
    if let Some(seats) = &standings.seats {
        return html! {
            (several_seats_standings_note(standings, seats))
            @if let Some(points) = &standings.points { " " (seat_points_standings_note(points)) }
        };
    }
    let (games, draws) = (standings.total.games(), standings.total.draws);
    let advantage = standings.first_advantage;
    html! {
        "The first seat is worth " (format_elo(advantage.value)) " ±" (format_elo(advantage.margin()))
        " Elo. Drawn: " (draws) " of " (pluralize(games as usize, "game"))
        " (" (format_percent(f64::from(draws), f64::from(games))) ")."
        @if let Some(points) = &standings.points { " " (seat_points_standings_note(points)) }
    }
}

/// How clearly each player is separated from the next.
fn render_ranking_separation(material: &PageData<'_>) -> Markup {
    let rows = &material.standings.rows;
    html! {
        details.table { summary { "Separation of neighbours" } (render_scrolling_table("Separation", &html! { table {
            thead { tr {
                th.n scope="col" { "#" } th scope="col" { "Player" }
                th.n scope="col" { "Better than the next" } th.n scope="col" { "More games to 97.5%" }
            } }
            tbody { @for row in rows { @if let Some(next) = row.next { tr {
                td.n { (page_place(row)) } th scope="row" { (page_player_name(&row.player)) }
                td.n { (format_percent(next.los, 1.0)) }
                td.n { (note_games_to_separate(next.games)) }
            } } } }
        } })) }
    }
}

/// The rating chart with its intervals.
pub(super) fn render_ranking_chart(material: &PageData<'_>) -> Markup {
    let rows = || {
        let rows = material.standings.rows.iter().filter(|row| !row.has_left);
        rows.filter_map(|row| row.shown_strength().map(|strength| (row, strength)))
    };
    if rows().next().is_none() {
        return html! { p { "Nobody has a rating yet." } };
    }
    let span = |(row, rating): (&StandingsRow, Estimate)| IntervalRow {
        rank: row.place(),
        label: escape_line(&row.player),
        low: rating.low,
        middle: rating.value,
        high: rating.high,
        most: None,
    };
    let points = material.standings.points.as_ref();
    let [unit, what, middle, dot] = match points {
        None => ["Elo", "Ratings", "Rating", "rating"],
        Some(_) => ["Points", "Points", "Points", "estimate"],
    };
    let scale = points.map_or(IntervalScale::Elo, |_| IntervalScale::Points);
    let value = |value: f64| match points {
        None => format_elo(value),
        Some(points) => format_points(value, points.decimals).replace('-', "−"),
    };
    let chart = interval_chart(
        &rows().map(span).collect::<Vec<_>>(),
        scale,
        &format!("{what} with their 95% intervals, one row per player"),
    );
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "#" } th scope="col" { "Player" }
                th.n scope="col" { "Low" } th.n scope="col" { (middle) } th.n scope="col" { "High" }
            } }
            tbody { @for (row, one) in rows() { tr {
                td.n { (page_place(row)) } th scope="row" { (page_player_name(&row.player)) }
                td.n { (value(one.low)) } td.n { (value(one.value)) } td.n { (value(one.high)) }
            } } }
        }
    };
    let caption =
        format!("{unit}, with 95% intervals. The dot is the {dot}, the bar its interval.");
    render_page_figure(&chart, &caption, &table)
}
