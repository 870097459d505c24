//! Lengths and endings of games, and clock use.

use maud::{Markup, html};

use super::{PageData, figure, name, percent, time};
use crate::charts::{AxisScale, Bin, IntervalRow, bins, histogram, interval_chart};
use referee_protocol::escape;
use referee_record::wording::counted;
use referee_tournament::analysis::diagnostics::EndingCount;
use referee_tournament::analysis::diagnostics::clock_use::ClockUse;

/// What the section has, in a few words.
pub(super) fn teaser(material: &PageData<'_>) -> String {
    median(material)
        .map_or("no games yet".to_owned(), |median| format!("half had {median} plies or fewer"))
}

pub(super) fn section(material: &PageData<'_>) -> Markup {
    let summary = material.summary;
    let bars = bins(&summary.lengths);
    let total: u32 = summary.lengths.values().sum();
    let chart = histogram(&bars, "plies", "Games by length");
    let table = html! {
        table {
            thead { tr { th.n scope="col" { "Plies" } th.n scope="col" { "Games" } } }
            tbody { @for bin in bars.iter().filter(|bin| bin.count > 0) {
                tr { td.n { (range(*bin)) } td.n { (bin.count) } }
            } }
        }
    };
    let caption = median(material).map_or("No games yet.".to_owned(), |median| {
        format!(
            "The lengths of {}, in plies; half of them had {median} or fewer.",
            counted(total as usize, "game")
        )
    });
    html! {
        h3 { "Lengths" } (figure(&chart, &caption, &table))
        h3 { "Endings" } (endings(material, total))
    }
}

fn range(bin: Bin) -> String {
    if bin.from == bin.to { bin.from.to_string() } else { format!("{}–{}", bin.from, bin.to) }
}

fn median(material: &PageData<'_>) -> Option<u32> {
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
fn endings(material: &PageData<'_>, total: u32) -> Markup {
    let endings = &material.found.endings;
    html! {
        table.endings {
            thead { tr { th scope="col" { "Decided by" } th.n scope="col" { "Games" } th scope="col" { "Share" } } }
            tbody { @for EndingCount { reason, fault, games } in endings { tr {
                th scope="row" { (escape::terminal(reason)) @if *fault { " " span.bad { "fault" } } }
                td.n { (games) }
                td.bar { span style=(format!("width:{:.1}%", 100.0 * f64::from(*games) / f64::from(total.max(1)))) .warm[*fault] {} small { (percent(f64::from(*games), f64::from(total))) } }
            } } }
        }
    }
}

/// Clock use by player, in ranking order.
pub(super) fn clock_section(material: &PageData<'_>) -> Markup {
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
        label: escape::terminal(&clock.player),
        low: ms(clock.median_ns),
        middle: ms(clock.median_ns),
        high: ms(clock.p95_ns),
        most: Some(ms(clock.max_ns)),
    };
    let rows: Vec<IntervalRow> = ranked.iter().map(span).collect();
    let chart = interval_chart(&rows, AxisScale::Time, "Time used per turn, one row per player");
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "Player" } th.n scope="col" { "Turns" } th.n scope="col" { "Median" }
                th.n scope="col" { "95%" } th.n scope="col" { "Most" }
            } }
            tbody { @for (_, clock) in &ranked { tr {
                th scope="row" { (name(&clock.player)) } td.n { (clock.turns) }
                td.n { (time(clock.median_ns)) } td.n { (time(clock.p95_ns)) } td.n { (time(clock.max_ns)) }
            } } }
        }
    };
    figure(
        &chart,
        "Time used per turn, by rank. The dot is the median, the bar covers 95% of the turns, and \
         the ring is the longest turn.",
        &table,
    )
}
