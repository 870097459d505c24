//! The ranking table and the rating chart.

use maud::{Markup, html};

use super::{PageData, count, elo, figure, name, percent, place};
use crate::escape;
use crate::report::Row;
use crate::report::charts::{AxisScale, IntervalRow, interval_chart};
use crate::report::columns::{Align, Column};
use crate::report::notes;
use crate::report::standings_columns::people_columns;
use crate::report::unranked::describe;
use referee_ratings::Estimate;

/// The ranking table.
pub(super) fn section(material: &PageData<'_>) -> Markup {
    let standings = material.standings;
    let columns = people_columns(standings);
    let scale = span_of_ratings(&standings.rows);
    html! {
        @if let Some(groups) = notes::groups(standings) { p.warning { (groups) } }
        @if let Some(copies) = notes::copies(standings, 200) { p.warning { (copies) } }
        div.scroll {
            table.ranking {
                thead { tr { @for column in &columns {
                    th.n[column.align == Align::Right].wide[column.is_minor()] scope="col" {
                        (column.heading)
                    }
                } th.wide scope="col" { "95% interval" } } }
                tbody {
                    @for (number, row) in standings.rows.iter().enumerate() {
                        tr {
                            @for column in &columns { (cell(column, number, row)) }
                            td.wide { @if let Some(bar) = bar(row, scale) { (bar) } }
                        }
                    }
                }
            }
        }
        p {
            "Each rank interval contains the true rank with 95% confidence. Players with "
            "overlapping intervals may really be in a different order."
        }
        p { (seats(material)) }
        (next_table(material))
        (unexplained(material))
    }
}

/// A cell of the ranking table. The column of names also says why a player has no rank.
fn cell(column: &Column, number: usize, row: &Row) -> Markup {
    html! {
        @if column.align == Align::Left {
            th scope="row" {
                (name(&row.player))
                @if let Err(why) = row.rank { span.faint { " " (describe(why)) } }
            }
        } @else {
            td.n.wide[column.is_minor()].bad[column.is_bad(number)] {
                (column.text(number).replace('-', "−"))
            }
        }
    }
}

/// The lowest and the highest end of all rating intervals, in Elo.
fn span_of_ratings(rows: &[Row]) -> (f64, f64) {
    rows.iter().filter_map(Row::shown_rating).fold((0.0, 0.0), |(low, high), rating| {
        (f64::min(low, rating.low), f64::max(high, rating.high))
    })
}

/// A rating interval as a bar on the scale that all rows share.
fn bar(row: &Row, (low, high): (f64, f64)) -> Option<Markup> {
    let rating = row.shown_rating()?;
    let at = |value: f64| 100.0 * (value - low) / (high - low).max(1.0);
    let style = format!(
        "--low:{:.1}%;--width:{:.1}%;--middle:{:.1}%",
        at(rating.low),
        at(rating.high) - at(rating.low),
        at(rating.value)
    );
    Some(html! { span.interval style=(style) aria-hidden="true" {} })
}

/// The value of the first seat, and the number of draws.
fn seats(material: &PageData<'_>) -> Markup {
    let standings = material.standings;
    let (games, draws) = (standings.total.games(), standings.total.draws);
    let advantage = standings.first_advantage;
    html! {
        "The first seat is worth " (elo(advantage.value)) " ±" (elo(advantage.margin()))
        " Elo. Drawn: " (draws) " of " (count(games as usize, "game"))
        " (" (percent(f64::from(draws), f64::from(games))) ")."
    }
}

/// How clearly each player is separated from the next.
fn next_table(material: &PageData<'_>) -> Markup {
    let rows = &material.standings.rows;
    html! {
        details.table { summary { "Separation of neighbours" } div.scroll { table {
            thead { tr {
                th.n scope="col" { "#" } th scope="col" { "Player" }
                th.n scope="col" { "Better than the next" } th.n scope="col" { "More games to 97.5%" }
            } }
            tbody { @for row in rows { @if let Some(next) = row.next { tr {
                td.n { (place(row)) } th scope="row" { (name(&row.player)) }
                td.n { (percent(next.los, 1.0)) }
                td.n { (next.games.map_or("over a million".to_owned(), |games| games.to_string())) }
            } } } }
        } } }
    }
}

/// Results that the ratings do not explain and that deserve a look.
fn unexplained(material: &PageData<'_>) -> Markup {
    let found = material.found;
    html! {
        @for player in &found.unexplained {
            p.warning {
                "The ratings do not explain the results of " (name(&player.player))
                ": best against " (name(&player.best_against))
                ", worst against " (name(&player.worst_against)) "."
            }
        }
        @for cycle in &found.cycles {
            p.warning {
                @let [one, two, three] = &cycle.players;
                (name(one)) " beats " (name(two)) ", who beats " (name(three)) ", who beats "
                (name(one)) ": no ranking of the three shows that."
            }
        }
        @for alike in &found.look_alikes {
            p.warning {
                @let [one, other] = &alike.players;
                (name(one)) " and " (name(other)) " decided alike in "
                (percent(alike.share, 1.0)) " of " (alike.positions)
                " positions that both met. Worth a look, but not proof."
            }
        }
    }
}

/// The rating chart with its intervals.
pub(super) fn chart_section(material: &PageData<'_>) -> Markup {
    let rows = || {
        let rows = material.standings.rows.iter();
        rows.filter_map(|row| row.shown_rating().map(|rating| (row, rating)))
    };
    if rows().next().is_none() {
        return html! { p { "Nobody has a rating yet." } };
    }
    let span = |(row, rating): (&Row, Estimate)| IntervalRow {
        rank: row.place(),
        label: escape::terminal(&row.player),
        low: rating.low,
        middle: rating.value,
        high: rating.high,
        most: None,
    };
    let chart = interval_chart(
        &rows().map(span).collect::<Vec<_>>(),
        AxisScale::Elo,
        "Ratings with their 95% intervals, one row per player",
    );
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "#" } th scope="col" { "Player" }
                th.n scope="col" { "Low" } th.n scope="col" { "Rating" } th.n scope="col" { "High" }
            } }
            tbody { @for (row, rating) in rows() { tr {
                td.n { (place(row)) } th scope="row" { (name(&row.player)) }
                td.n { (elo(rating.low)) } td.n { (elo(rating.value)) } td.n { (elo(rating.high)) }
            } } }
        }
    };
    figure(&chart, "Elo, with 95% intervals. The dot is the rating, the bar its interval.", &table)
}
