//! Describes the events of a game, for the terminal and the page.

use crate::escape;
use referee_games::board::Square;
use referee_games::event::{NotPlaced, OtherEvent};
use referee_games::{BySeat, Event};

/// Whether a step was a ply. A chance event is not a ply, and leaves the board as it was.
pub fn is_ply(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Action { .. }))
}

/// Describes a step, with the number of its ply.
pub fn describe_step(events: &[Event], ply: u32) -> String {
    if is_ply(events) {
        format!("{ply}. {}", describe_events(events))
    } else {
        describe_events(events)
    }
}

/// Describes the events in one line.
pub fn describe_events(events: &[Event]) -> String {
    events.iter().map(describe).collect::<Vec<_>>().join("; ")
}

/// Describes one event in a few words.
fn describe(event: &Event) -> String {
    match event {
        Event::Action { by, action, forced, opening, on_behalf_of, to: _ } => {
            let owner =
                on_behalf_of.as_ref().map_or(String::new(), |owner| format!(" for {owner}"));
            let forced = if *forced { " (forced)" } else { "" };
            format!("{by} {action}{owner}{forced}{}", if *opening { " (opening)" } else { "" })
        }
        Event::Roll { seat, value } => format!("{seat} rolls {value}"),
        Event::First { rolls: [first, second] } => format!("{first} to {second} for who begins"),
        Event::Captured { squares } => format!("captured {}", list(squares)),
        Event::Removed { squares, .. } => format!("removed {}", list(squares)),
        Event::Shrink { size, removed } if removed.is_empty() => {
            format!("the board shrinks to {size}×{size}")
        }
        Event::Shrink { size, removed } => {
            format!("the board shrinks to {size}×{size}, taking {}", list(removed))
        }
        Event::Walls { placed, not_placed } => describe_walls(placed, not_placed),
        Event::Redirected { by, piece, from, to } => {
            format!("{by}'s {piece} cannot go {from} and goes {to}")
        }
        Event::Moved { by, piece, path, contested } => match path.last() {
            Some(last) if contested.is_empty() => format!("{by}'s {piece} to {last}"),
            Some(last) => format!("{by}'s {piece} to {last}, contested {}", list(contested)),
            None => format!("{by}'s {piece} stays"),
        },
        Event::RoundEnd { board, winner, reason, squares } => {
            let BySeat { first, second } = squares.values;
            format!("{board} ends by {reason}, {first} to {second} squares: {winner}")
        }
        Event::RoundStart { board, .. } => format!("next board: {board}"),
        Event::Over { result, reason } if result == "draw" => format!("draw by {reason}"),
        Event::Over { result, reason } => format!("{result} wins by {reason}"),
        Event::Other(event) => describe_other(event),
    }
}

fn list<'a>(squares: impl IntoIterator<Item = &'a Square>) -> String {
    squares.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The name of an event that only its game knows, and its fields.
fn describe_other(event: &OtherEvent) -> String {
    let fields = event.fields().iter().filter(|(name, _)| !matches!(name.as_str(), "event" | "to"));
    let shown = fields.map(|(name, value)| match value.as_str() {
        Some(text) => format!(" {name} {text}"),
        None => format!(" {name} {value}"),
    });
    escape::terminal(&format!("{}{}", event.name(), shown.collect::<String>()))
}

fn describe_walls(placed: &[Square], not_placed: &[NotPlaced]) -> String {
    let placed =
        if placed.is_empty() { "no walls".to_owned() } else { format!("walls {}", list(placed)) };
    let refused: Vec<_> = not_placed
        .iter()
        .map(|NotPlaced { square, clauses }| format!("{square} ({})", clauses.join(" ")))
        .collect();
    if refused.is_empty() { placed } else { format!("{placed}, not {}", refused.join(" ")) }
}

/// The squares named in the actions of the last step; empty for a board that has just been set up.
pub fn named_squares(events: &[Event]) -> Vec<Square> {
    if events.iter().any(|event| matches!(event, Event::RoundStart { .. })) {
        return Vec::new();
    }
    let actions = events.iter().filter_map(|event| match event {
        Event::Action { action, .. } => Some(action.as_str()),
        _ => None,
    });
    let square = |text: &str| {
        let (column, row) = text.split_once(',')?;
        Some(Square::new(column.parse().ok()?, row.parse().ok()?))
    };
    actions.flat_map(|action| action.split(['>', ' '])).filter_map(square).collect()
}
