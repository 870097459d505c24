//! Results by worker, for tournaments on many machines.

use maud::{Markup, html};

use super::{PageData, format_percent, page_player_name, render_scrolling_table};
use referee_protocol::escape::escape_line;
use referee_record::wording::pluralize;
use referee_tournament::analysis::diagnostics::worker_results::{
    FEWEST_PAIRS, PlayerByWorker, WorkerDifference, WorkerResults,
};

/// What the section has, in a few words.
pub(super) fn workers_teaser(found: &WorkerResults) -> String {
    let players = match found.different.len() {
        0 => "no player's results differ between them".to_owned(),
        different => pluralize(different, "difference"),
    };
    format!("{}, {players}", pluralize(found.workers.len(), "worker"))
}

/// The section, if workers played.
pub(super) fn render_workers_section(material: &PageData<'_>) -> Option<(String, Markup)> {
    let found = material.found.workers.as_ref().filter(|_| material.names_players())?;
    let content = html! {
        p { (describe_workers_verdict(found)) }
        @if !found.different.is_empty() {
            ul { @for it in &found.different { li { (render_worker_difference(it)) } } }
        }
        (render_scrolling_table("Games by worker", &render_games_by_worker(found)))
        details.table {
            summary { "The players' scores by worker" }
            (render_scrolling_table("Scores by worker", &render_scores_by_worker(found)))
        }
    };
    Some((workers_teaser(found), content))
}

/// What the tests say, in plain words.
fn describe_workers_verdict(found: &WorkerResults) -> String {
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

fn render_worker_difference(it: &WorkerDifference) -> Markup {
    let direction = if it.difference < 0.0 { "worse" } else { "better" };
    let points = 100.0 * it.difference.abs();
    html! {
        (page_player_name(&it.player)) " scored " (format!("{points:.1}")) " percentage points " (direction)
        " on " (render_worker_name(it.worker.as_deref())) " (p = " (format_worker_p_value(it.p_value)) ")"
    }
}

fn format_worker_p_value(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

fn render_worker_name(name: Option<&str>) -> Markup {
    html! {
        @if let Some(name) = name { code { (escape_line(name)) } } @else { "no worker" }
    }
}

fn render_games_by_worker(found: &WorkerResults) -> Markup {
    html! { table {
        thead { tr {
            th scope="col" { "Worker" } th scope="col" { "Games" } th scope="col" { "With a fault" }
        } }
        tbody { @for it in &found.workers { tr {
            th scope="row" { (render_worker_name(it.worker.as_deref())) }
            td { (it.games) }
            td { (it.faults) }
        } } }
    } }
}

fn render_scores_by_worker(found: &WorkerResults) -> Markup {
    html! { table {
        thead { tr {
            th scope="col" { "Player" }
            @for it in &found.workers { th scope="col" { (render_worker_name(it.worker.as_deref())) } }
        } }
        tbody { @for player in &found.players { (render_player_by_worker(player)) } }
    } }
}

fn render_player_by_worker(player: &PlayerByWorker) -> Markup {
    html! { tr {
        th scope="row" { (page_player_name(&player.player)) }
        @for (games, halves) in &player.results { td {
            (format_percent(f64::from(*halves), 2.0 * f64::from(*games)))
            @if *games > 0 { " of " (games) }
        } }
    } }
}
