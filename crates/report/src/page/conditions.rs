//! The exact conditions of the tournament.

use std::time::{Duration, UNIX_EPOCH};

use indicatif::HumanBytes;
use maud::{Markup, html};

use super::{PageData, page_player_name, render_scrolling_table};
use referee_protocol::escape::escape_line;
use referee_record::model::clock::{Measure, TimeControl, format_clock_seconds};
use referee_record::model::containment::{Containment, PlayerLimits};
use referee_record::model::record::{FaultPolicy, Header};
use referee_record::model::stage::Stage;
use referee_record::wording::pluralize;

pub(super) fn render_conditions(material: &PageData<'_>) -> Markup {
    let header = material.header;
    html! {
        dl {
            dt { "Game" } dd { (escape_line(&header.game)) }
            dt { "Options" } dd { (render_option_conditions(header)) }
            dt { "Time" } dd {
                (describe_clock_conditions(&header.clock))
                @for player in &header.players { @if let Some(tc) = player.tc {
                    p { (page_player_name(&player.name)) " has its own clock: " (tc) }
                } }
            }
            dt { "Faults" } dd { (describe_fault_conditions(header)) }
            @if let Some(rules) = &header.adjudication { dt { "Adjudication" } dd { (rules) } }
            dt { "Format" } dd { @for stage in &header.stages { p { (describe_stage_conditions(stage, header)) } } }
            dt { "Openings" } dd {
                @match header.describe_openings(material.found.pairs) {
                    Some(openings) => { (escape_line(&openings)) ", by pair number" }
                    None => { "none: games begin from the start position" }
                }
            }
            dt { "Containment" } dd { (describe_containment_conditions(&header.containment)) }
            dt { "Limits" } dd { (describe_limit_conditions(&header.containment.limits)) }
            dt { "Seed" } dd {
                @match header.seed {
                    _ if !material.names_players() => { "not shown: the dice would reveal the \
                                                         players" }
                    Some(seed) => { (seed) ", configured: dice and openings were predictable" }
                    None => { "kept secret" }
                }
            }
            @if !header.anchors.is_empty() {
                dt { "Anchors" } dd { @for anchor in &header.anchors { p { (page_player_name(&anchor.player)) " at " (anchor.rating) } } }
            }
            dt { "Started" } dd { (format_conditions_start(header.created)) }
            dt { "Referee" } dd { (escape_line(&header.version)) }
            dt { "Log" } dd {
                (escape_line(&header.schema))
                @if material.names_players() { ", " code { (escape_line(&header.identity)) } }
            }
            @if !header.changes.is_empty() {
                dt { "Changes" } dd { ul { @for change in &header.changes { li { (escape_line(change)) } } } }
            }
        }
        @if material.names_players() { (render_conditions_players(header)) } @else {
            p { "The players have pseudonyms. Moves and times are unchanged; texts from players \
                 are left out." }
        }
    }
}

fn render_conditions_players(header: &Header) -> Markup {
    html! {
        details.table { summary { "Players and their hashes" } (render_scrolling_table("Players", &html! { table {
            thead { tr { th scope="col" { "Player" } th scope="col" { "Command" } th scope="col" { "Hash" } } }
            tbody { @for player in &header.players { tr {
                th scope="row" { (page_player_name(&player.name)) }
                td { code { (escape_line(&player.command)) } }
                td { code { (escape_line(&player.hash)) } }
            } } }
        } })) }
    }
}

fn describe_containment_conditions(containment: &Containment) -> String {
    let names: Vec<_> = containment.in_force.iter().map(|mechanism| mechanism.name()).collect();
    format!("{}: {}", containment.level, names.join(", "))
}

fn describe_limit_conditions(limits: &PlayerLimits) -> String {
    let size = |bytes: u64| HumanBytes(bytes).to_string();
    let mut parts = vec![
        format!("{} of memory", size(limits.sandbox.memory)),
        format!("{} processes", limits.sandbox.processes),
        format!("{} open files", limits.sandbox.open_files),
        format!("{} a file", size(limits.sandbox.file_size)),
        format!("{} of scratch", size(limits.sandbox.scratch)),
        format!("{} of output", size(limits.output)),
        format!("{} of stderr kept", size(limits.stderr)),
    ];
    let times = [(limits.cpu_move, "a move"), (limits.cpu_game, "a game")];
    for (time, what) in times {
        parts.extend(time.map(|time| format!("{} of CPU time {what}", format_clock_seconds(time))));
    }
    parts.join(", ")
}

fn render_option_conditions(header: &Header) -> Markup {
    html! {
        @for (option, value) in &header.options {
            code { (escape_line(option)) " = " (escape_line(&value.to_string())) } " "
        }
    }
}

fn describe_clock_conditions(control: &TimeControl) -> String {
    let TimeControl {
        startup,
        budget,
        moves,
        increment,
        per_move,
        margin,
        overruns,
        measure,
        count_startup,
        ponder,
    } = control;
    let show = |time: &Duration| humantime::format_duration(*time).to_string();
    let mut parts = Vec::new();
    if let Some(budget) = budget {
        let what = moves.map_or("game".to_owned(), |moves| pluralize(moves as usize, "move"));
        parts.push(format!("{} per {what}", show(budget)));
    }
    if !increment.is_zero() {
        parts.push(format!("{} more per move", show(increment)));
    }
    if let Some(limit) = per_move {
        parts.push(format!("at most {} per move", show(limit)));
    }
    if !margin.is_zero() {
        parts.push(format!("a margin of {}", show(margin)));
    }
    if *overruns > 0 {
        parts.push(format!("{} forgiven per game", pluralize(*overruns as usize, "overrun")));
    }
    let charged = if *count_startup { ", charged to the budget" } else { "" };
    parts.push(format!("{} to start{charged}", show(startup)));
    parts.push(match measure {
        Measure::Wall => "wall time".to_owned(),
        Measure::Cpu => "CPU time".to_owned(),
    });
    if *ponder {
        parts.push("players may think on the opponent's turn".to_owned());
    }
    parts.join(", ")
}

fn describe_fault_conditions(header: &Header) -> String {
    let refused = match header.fault_policy {
        FaultPolicy::Lose => "a fault loses the game".to_owned(),
        FaultPolicy::Retry(times) => {
            format!(
                "after a refused action the player may try again, up to {}",
                pluralize(times as usize, "time")
            )
        }
    };
    match header.quarantine {
        0 => refused,
        faults => {
            format!("{refused}; {} in a row remove a player", pluralize(faults as usize, "fault"))
        }
    }
}

fn describe_stage_conditions(stage: &Stage, header: &Header) -> String {
    let players = stage.taking_part(header.players.len());
    escape_line(&stage.describe(players, header.seats.len()))
}

/// The time at which the log was started, in UTC, to the second.
fn format_conditions_start(seconds: u64) -> String {
    UNIX_EPOCH
        .checked_add(Duration::from_secs(seconds))
        .map_or_else(|| seconds.to_string(), |at| humantime::format_rfc3339_seconds(at).to_string())
}
