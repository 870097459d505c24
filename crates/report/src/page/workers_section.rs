//! Results by worker, for tournaments on many machines.

use maud::{Markup, html};

use super::{PageData, name, percent, scrolling};
use referee_protocol::escape;
use referee_record::wording::counted;
use referee_tournament::analysis::diagnostics::worker_results::{
    FEWEST_PAIRS, PlayerByWorker, WorkerDifference, WorkerResults,
};

/// What the section has, in a few words.
pub(super) fn teaser(found: &WorkerResults) -> String {
    let players = match found.different.len() {
        0 => "no player's results differ between them".to_owned(),
        different => counted(different, "difference"),
    };
    format!("{}, {players}", counted(found.workers.len(), "worker"))
}

/// The section, if workers played.
pub(super) fn section(material: &PageData<'_>) -> Option<(String, Markup)> {
    let found = material.found.workers.as_ref().filter(|_| material.names_players())?;
    let content = html! {
        p { (verdict(found)) }
        @if !found.different.is_empty() {
            ul { @for it in &found.different { li { (difference(it)) } } }
        }
        (scrolling("Games by worker", &games(found)))
        details.table {
            summary { "The players' scores by worker" }
            (scrolling("Scores by worker", &scores(found)))
        }
    };
    Some((teaser(found), content))
}

/// What the tests say, in plain words.
fn verdict(found: &WorkerResults) -> String {
    let Some(smallest) = found.smallest_p else {
        return format!(
            "There are too few games to test whether a player's results differ between the workers: \
             that needs {FEWEST_PAIRS} pairs of games on one and as many elsewhere, with results \
             that vary."
        );
    };
    let tests = match found.tests {
        1 => "one test".to_owned(),
        tests => format!("{tests} tests, corrected for their number"),
    };
    if found.different.is_empty() {
        format!(
            "No player's results against the same opponents differ clearly between the workers \
             ({tests}; the smallest p-value is {smallest:.2}). Small differences may remain hidden."
        )
    } else {
        format!(
            "These results differ from those elsewhere against the same opponents by more than \
             chance explains ({tests}). If a machine is slow, count CPU time with measure = \"cpu\", \
             or play these games elsewhere."
        )
    }
}

fn difference(it: &WorkerDifference) -> Markup {
    let direction = if it.difference < 0.0 { "worse" } else { "better" };
    let points = 100.0 * it.difference.abs();
    html! {
        (name(&it.player)) " scored " (format!("{points:.1}")) " percentage points " (direction)
        " on " (worker(it.worker.as_deref())) " (p = " (p_value(it.p_value)) ")"
    }
}

fn p_value(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

fn worker(name: Option<&str>) -> Markup {
    html! {
        @if let Some(name) = name { code { (escape::terminal(name)) } } @else { "no worker" }
    }
}

fn games(found: &WorkerResults) -> Markup {
    html! { table {
        thead { tr {
            th scope="col" { "Worker" } th scope="col" { "Games" } th scope="col" { "With a fault" }
        } }
        tbody { @for it in &found.workers { tr {
            th scope="row" { (worker(it.worker.as_deref())) }
            td { (it.games) }
            td { (it.faults) }
        } } }
    } }
}

fn scores(found: &WorkerResults) -> Markup {
    html! { table {
        thead { tr {
            th scope="col" { "Player" }
            @for it in &found.workers { th scope="col" { (worker(it.worker.as_deref())) } }
        } }
        tbody { @for player in &found.players { (row(player)) } }
    } }
}

fn row(player: &PlayerByWorker) -> Markup {
    html! { tr {
        th scope="row" { (name(&player.player)) }
        @for (games, halves) in &player.results { td {
            (percent(f64::from(*halves), 2.0 * f64::from(*games)))
            @if *games > 0 { " of " (games) }
        } }
    } }
}
