//! The exact conditions of the tournament.

use std::time::{Duration, UNIX_EPOCH};

use indicatif::HumanBytes;
use maud::{Markup, html};

use super::{PageData, name, scrolling};
use referee_protocol::escape;
use referee_record::model::clock::seconds;
use referee_record::model::clock::{Measure, TimeControl};
use referee_record::model::containment::{Containment, PlayerLimits};
use referee_record::model::record::{FaultPolicy, Header};
use referee_record::model::stage::Stage;
use referee_record::wording::counted;

pub(super) fn section(material: &PageData<'_>) -> Markup {
    let header = material.header;
    html! {
        dl {
            dt { "Game" } dd { (escape::terminal(&header.game)) }
            dt { "Options" } dd { (options(header)) }
            dt { "Time" } dd {
                (clock(&header.clock))
                @for player in &header.players { @if let Some(tc) = player.tc {
                    p { (name(&player.name)) " has its own clock: " (tc) }
                } }
            }
            dt { "Faults" } dd { (policy(header)) }
            @if let Some(rules) = &header.adjudication { dt { "Adjudication" } dd { (rules) } }
            dt { "Format" } dd { @for stage in &header.stages { p { (describe_stage(stage, header)) } } }
            dt { "Openings" } dd {
                @match header.describe_openings(material.found.pairs) {
                    Some(openings) => { (escape::terminal(&openings)) ", by pair number" }
                    None => { "none: games begin from the start position" }
                }
            }
            dt { "Containment" } dd { (containment(&header.containment)) }
            dt { "Limits" } dd { (limits(&header.containment.limits)) }
            dt { "Seed" } dd {
                @match header.seed {
                    _ if !material.names_players() => { "not shown: the dice would reveal the \
                                                         players" }
                    Some(seed) => { (seed) ", configured: dice and openings were predictable" }
                    None => { "kept secret" }
                }
            }
            @if !header.anchors.is_empty() {
                dt { "Anchors" } dd { @for anchor in &header.anchors { p { (name(&anchor.player)) " at " (anchor.rating) } } }
            }
            dt { "Started" } dd { (begun(header.created)) }
            dt { "Referee" } dd { (escape::terminal(&header.version)) }
            dt { "Log" } dd {
                (escape::terminal(&header.schema))
                @if material.names_players() { ", " code { (escape::terminal(&header.identity)) } }
            }
            @if !header.changes.is_empty() {
                dt { "Changes" } dd { ul { @for change in &header.changes { li { (escape::terminal(change)) } } } }
            }
        }
        @if material.names_players() { (players(header)) } @else {
            p { "The players have pseudonyms. Moves and times are unchanged; texts from players \
                 are left out." }
        }
    }
}

fn players(header: &Header) -> Markup {
    html! {
        details.table { summary { "Players and their hashes" } (scrolling("Players", &html! { table {
            thead { tr { th scope="col" { "Player" } th scope="col" { "Command" } th scope="col" { "Hash" } } }
            tbody { @for player in &header.players { tr {
                th scope="row" { (name(&player.name)) }
                td { code { (escape::terminal(&player.command)) } }
                td { code { (escape::terminal(&player.hash)) } }
            } } }
        } })) }
    }
}

fn containment(containment: &Containment) -> String {
    let names: Vec<_> = containment.in_force.iter().map(|mechanism| mechanism.name()).collect();
    format!("{}: {}", containment.level, names.join(", "))
}

fn limits(limits: &PlayerLimits) -> String {
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
        parts.extend(time.map(|time| format!("{} of CPU time {what}", seconds(time))));
    }
    parts.join(", ")
}

fn options(header: &Header) -> Markup {
    html! {
        @for (option, value) in &header.options {
            code { (escape::terminal(option)) " = " (escape::terminal(&value.to_string())) } " "
        }
    }
}

fn clock(control: &TimeControl) -> String {
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
        let what = moves.map_or("game".to_owned(), |moves| counted(moves as usize, "move"));
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
        parts.push(format!("{} forgiven per game", counted(*overruns as usize, "overrun")));
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

fn policy(header: &Header) -> String {
    let refused = match header.fault_policy {
        FaultPolicy::Lose => "a fault loses the game".to_owned(),
        FaultPolicy::Retry(times) => {
            format!(
                "after a refused action the player may try again, up to {}",
                counted(times as usize, "time")
            )
        }
    };
    match header.quarantine {
        0 => refused,
        faults => {
            format!("{refused}; {} in a row remove a player", counted(faults as usize, "fault"))
        }
    }
}

fn describe_stage(stage: &Stage, header: &Header) -> String {
    let players = stage.taking_part(header.players.len());
    escape::terminal(&stage.describe(players, header.seats.len()))
}

/// The time at which the log was started, in UTC, to the second.
fn begun(seconds: u64) -> String {
    UNIX_EPOCH
        .checked_add(Duration::from_secs(seconds))
        .map_or_else(|| seconds.to_string(), |at| humantime::format_rfc3339_seconds(at).to_string())
}
