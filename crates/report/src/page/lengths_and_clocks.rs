//! Lengths and endings of games, and clock use.

use maud::{Markup, html};

use super::{PageData, format_nanoseconds, format_percent, page_player_name, render_page_figure};
use crate::charts::{Bin, IntervalRow, IntervalScale, group_into_bins, histogram, interval_chart};
use referee_protocol::escape::escape_line;
use referee_record::wording::pluralize;
use referee_tournament::analysis::diagnostics::EndingCount;
use referee_tournament::analysis::diagnostics::clock_use::ClockUse;

/// What the section has, in a few words.
pub(super) fn lengths_teaser(material: &PageData<'_>) -> String {
    median_game_length(material)
        .map_or("no games yet".to_owned(), |median| format!("half had {median} plies or fewer"))
}

pub(super) fn render_lengths_and_endings(material: &PageData<'_>) -> Markup {
    let summary = material.summary;
    let bars = group_into_bins(&summary.lengths);
    let total: u32 = summary.lengths.values().sum();
    let chart = histogram(&bars, "plies", "Games by length");
    let table = html! {
        table {
            thead { tr { th.n scope="col" { "Plies" } th.n scope="col" { "Games" } } }
            tbody { @for bin in bars.iter().filter(|bin| bin.count > 0) {
                tr { td.n { (format_length_range(*bin)) } td.n { (bin.count) } }
            } }
        }
    };
    let caption = median_game_length(material).map_or("No games yet.".to_owned(), |median| {
        format!(
            "The lengths of {}, in plies; half of them had {median} or fewer.",
            pluralize(total as usize, "game")
        )
    });
    html! {
        h3 { "Lengths" } (render_page_figure(&chart, &caption, &table))
        h3 { "Endings" } (render_endings_table(material, total))
    }
}

fn format_length_range(bin: Bin) -> String {
    if bin.from == bin.to { bin.from.to_string() } else { format!("{}–{}", bin.from, bin.to) }
}

fn median_game_length(material: &PageData<'_>) -> Option<u32> {
    let lengths = &material.summary.lengths;
    let half = lengths.values().sum::<u32>().div_ceil(2);
    let mut below = 0;
    lengths
        .iter()
        .find(|(_, games)| {
            below += *games;
            below >= half
        })
        .map(|(plies, _)| *plies)
}

/// A table of endings whose rows also draw the bars of a chart.
fn render_endings_table(material: &PageData<'_>, total: u32) -> Markup {
    let endings = &material.found.endings;
    html! {
        table.endings {
            thead { tr { th scope="col" { "Decided by" } th.n scope="col" { "Games" } th scope="col" { "Share" } } }
            tbody { @for EndingCount { reason, fault, games } in endings { tr {
                th scope="row" { (escape_line(reason)) @if *fault { " " span.bad { "fault" } } }
                td.n { (games) }
                td.bar { span style=(format!("width:{:.1}%", 100.0 * f64::from(*games) / f64::from(total.max(1)))) .warm[*fault] {} small { (format_percent(f64::from(*games), f64::from(total))) } }
            } } }
        }
    }
}

/// Clock use by player, in ranking order.
pub(super) fn render_clocks_section(material: &PageData<'_>) -> Markup {
    let uses = &material.found.clocks;
    let ranked: Vec<_> = material
        .standings
        .rows
        .iter()
        .filter_map(|row| {
            Some((row.place(), uses.iter().find(|clock| clock.player == row.player)?))
        })
        .collect();
    if ranked.is_empty() {
        return html! { p { "No player has been asked for a move yet." } };
    }
    #[expect(clippy::cast_precision_loss, reason = "drawn to a pixel")]
    let ms = |ns: u64| ns as f64 / 1e6;
    let span = |&(rank, clock): &(Option<usize>, &ClockUse)| IntervalRow {
        rank,
        label: escape_line(&clock.player),
        low: ms(clock.median_ns),
        middle: ms(clock.median_ns),
        high: ms(clock.p95_ns),
        most: Some(ms(clock.max_ns)),
    };
    let rows: Vec<IntervalRow> = ranked.iter().map(span).collect();
    let chart =
        interval_chart(&rows, IntervalScale::Time, "Time used per turn, one row per player");
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "Player" } th.n scope="col" { "Turns" } th.n scope="col" { "Median" }
                th.n scope="col" { "95%" } th.n scope="col" { "Most" }
            } }
            tbody { @for (_, clock) in &ranked { tr {
                th scope="row" { (page_player_name(&clock.player)) } td.n { (clock.turns) }
                td.n { (format_nanoseconds(clock.median_ns)) } td.n { (format_nanoseconds(clock.p95_ns)) } td.n { (format_nanoseconds(clock.max_ns)) }
            } } }
        }
    };
    render_page_figure(
        &chart,
        "Time used per turn, by rank. The dot is the median, the bar covers 95% of the turns, and \
         the ring is the longest turn.",
        &table,
    )
}
