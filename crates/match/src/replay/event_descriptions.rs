//! Describes the events of a game, for the terminal and the page.

use std::fmt::Write as _;

use referee_games::board::Square;
use referee_games::event::{NotPlaced, OtherEvent};
use referee_games::{BoardLook, BySeat, DrawnBoard, Event, Places, Seat, SeatMap, Text};
use referee_protocol::escape::escape_line;

/// Whether a step was a ply. A chance event is not a ply, and leaves the board as it was.
pub fn events_are_ply(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Action { .. }))
}

/// Describes a step, with the number of its ply.
pub fn describe_step(events: &[Event], ply: u32) -> String {
    if events_are_ply(events) {
        format!("{ply}. {}", describe_events(events))
    } else {
        describe_events(events)
    }
}

/// Describes the events in one line.
pub fn describe_events<'e>(events: impl IntoIterator<Item = &'e Event>) -> String {
    let mut text = String::new();
    for event in events {
        text.push_str(if text.is_empty() { "" } else { "; " });
        text.push_str(&describe_event(event));
    }
    text
}

/// Describes one event in a few words.
fn describe_event(event: &Event) -> String {
    match event {
        Event::Action { by, action, forced, opening, on_behalf_of, to: _ } => {
            let owner = on_behalf_of.as_ref().map(|owner| format!(" for {owner}"));
            let forced = if *forced { " (forced)" } else { "" };
            let opening = if *opening { " (opening)" } else { "" };
            format!("{by} {action}{}{forced}{opening}", owner.unwrap_or_default())
        }
        Event::Roll { seat, value } => format!("{seat} rolls {value}"),
        Event::First { rolls: [first, second] } => format!("{first} to {second} to see who begins"),
        Event::Captured { squares } => format!("captured {}", join_event_squares(squares)),
        Event::Removed { squares, .. } => format!("removed {}", join_event_squares(squares)),
        Event::Shrink { size, removed } => {
            let shrinks = format!("the board shrinks to {size}×{size}");
            if removed.is_empty() {
                shrinks
            } else {
                format!("{shrinks}, taking {}", join_event_squares(removed))
            }
        }
        Event::Walls { placed, not_placed } => describe_walls_event(placed, not_placed),
        Event::Redirected { by, piece, from, to } => {
            format!("{by}'s {piece} cannot go {from}, so goes {to}")
        }
        Event::Moved { by, piece, path, contested } => match path.last() {
            Some(last) if contested.is_empty() => format!("{by}'s {piece} to {last}"),
            Some(last) => {
                format!("{by}'s {piece} to {last}, contested {}", join_event_squares(contested))
            }
            None => format!("{by}'s {piece} stays"),
        },
        Event::RoundEnd { board, winner, reason, squares } => {
            let (first, second) = (squares[Seat::FIRST], squares[Seat::SECOND]);
            format!("{board} ends by {reason}, {first} to {second} squares: {winner}")
        }
        Event::RoundStart { board, .. } => format!("next board: {board}"),
        Event::Played { san } => escape_line(san),
        Event::Over { result, places, reason, scores } => {
            let how = match (result.as_deref(), places) {
                (Some("draw"), _) => "draw".to_owned(),
                (Some(seat), _) => format!("{seat} wins"),
                (None, places) => {
                    places.as_ref().and_then(describe_event_places).unwrap_or_default()
                }
            };
            let scores = scores.as_ref().map(|scores| {
                let scores = scores.values.values().iter().map(ToString::to_string);
                format!(", {},", scores.collect::<Vec<_>>().join(" to "))
            });
            format!("{how}{} by {reason}", scores.unwrap_or_default())
        }
        Event::Other(event) => describe_other_event(event),
    }
}

fn describe_event_places(places: &SeatMap<u8>) -> Option<String> {
    let from_zero = places.values.as_ref().map(|place| place.saturating_sub(1));
    Some(Places::from_listed(&from_zero)?.in_words(|seat| places.names[seat].to_string()))
}

/// Squares with blanks between them.
fn join_event_squares(squares: &[Square]) -> String {
    squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The name of an event that only its game knows, and its fields.
fn describe_other_event(event: &OtherEvent) -> String {
    let fields = event.fields().iter().filter(|(name, _)| !matches!(name.as_str(), "event" | "to"));
    let shown = fields.map(|(name, value)| match value.as_str() {
        Some(text) => format!(" {name} {text}"),
        None => format!(" {name} {value}"),
    });
    escape_line(&format!("{}{}", event.name(), shown.collect::<String>()))
}

fn describe_walls_event(placed: &[Square], not_placed: &[NotPlaced]) -> String {
    let mut text = if placed.is_empty() {
        "no walls".to_owned()
    } else {
        format!("walls {}", join_event_squares(placed))
    };
    for (at, NotPlaced { square, clauses }) in not_placed.iter().enumerate() {
        let not = if at == 0 { ", not" } else { "" };
        text = format!("{text}{not} {square} ({})", clauses.join(" "));
    }
    text
}

/// The actions of a step in the notation of people, each with the number of its seat; with what was
/// taken, and the new size of a board that shrinks.
pub(crate) fn describe_events_as_moves(
    events: &[Event],
    seats: &BySeat<Text>,
) -> Vec<(u8, String)> {
    let mut effects = String::new();
    let mut short = None;
    for event in events {
        match event {
            Event::Captured { squares } | Event::Removed { squares, .. } => {
                let _ = write!(effects, " ×{}", squares.len());
            }
            Event::Shrink { size, .. } => {
                let _ = write!(effects, " → {size}×{size}");
            }
            Event::Played { san } => short = Some(san),
            _ => {}
        }
    }
    let moved = |event: &Event| match event {
        Event::Action { by, action, .. } => {
            let seat = seats.seat(by)?;
            let text = short.unwrap_or(action);
            Some((seat.number(), escape_line(&format!("{text}{effects}"))))
        }
        _ => None,
    };
    events.iter().filter_map(moved).collect()
}

/// The squares of a board that the last actions name, numbered row by row; none on a board that has
/// just been set up.
pub fn squares_of_described_events(
    events: &[Event],
    board: &DrawnBoard,
    look: &BoardLook,
) -> Vec<usize> {
    if events.iter().any(|event| matches!(event, Event::RoundStart { .. })) {
        return Vec::new();
    }
    let actions = events.iter().filter_map(|event| match event {
        Event::Action { action, .. } => Some(action.as_str()),
        _ => None,
    });
    let named = actions.flat_map(|action| board.squares_named_in(action, look));
    named.filter_map(|squares| <[usize; 1]>::try_from(squares).ok()).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{DrawnRow, Labels};

    /// The events as a log or a player has them.
    fn events(lines: &[&str]) -> Vec<Event> {
        lines.iter().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    #[test]
    fn every_event_has_a_short_description() {
        let cases = [
            (r#"{"event":"action","by":"white","action":"3,4"}"#, "white 3,4"),
            (
                r#"{"event":"action","by":"white","action":"pass","forced":true}"#,
                "white pass (forced)",
            ),
            (
                r#"{"event":"action","by":"white","action":"3,3","opening":true}"#,
                "white 3,3 (opening)",
            ),
            (
                r#"{"event":"action","by":"white","action":"1,1>2,2","for":"black"}"#,
                "white 1,1>2,2 for black",
            ),
            (r#"{"event":"roll","seat":"white","value":6}"#, "white rolls 6"),
            (r#"{"event":"first","rolls":[3,5]}"#, "3 to 5 to see who begins"),
            (r#"{"event":"removed","squares":["3,4","1,0"],"why":"corner"}"#, "removed 3,4 1,0"),
            (r#"{"event":"walls","placed":["1,2"],"not_placed":[]}"#, "walls 1,2"),
            (
                r#"{"event":"walls","placed":[],"not_placed":[{"square":"0,0","clauses":["B4","B5"]}]}"#,
                "no walls, not 0,0 (B4 B5)",
            ),
            (r#"{"event":"over","result":"draw","reason":"repetition"}"#, "draw by repetition"),
            (
                r#"{"event":"over","result":"white","reason":"elimination"}"#,
                "white wins by elimination",
            ),
            (
                r#"{"event":"over","result":"two","reason":"returns","scores":{"one":-1,"two":0.5}}"#,
                "two wins, -1 to 0.5, by returns",
            ),
            (
                r#"{"event":"round-end","board":"lake","winner":"draw","reason":"full","squares":{"one":3,"two":4}}"#,
                "lake ends by full, 3 to 4 squares: draw",
            ),
            (r#"{"event":"drop","to":["red"],"column":3,"by":"red"}"#, "drop column 3 by red"),
        ];
        for (line, told) in cases {
            assert_eq!(describe_events(&events(&[line])), told);
        }
    }

    #[test]
    fn an_event_of_a_games_own_cannot_command_the_terminal() {
        let told = describe_events(&events(&["{\"event\":\"x\\u001b[2J\",\"y\":\"\\u202e\"}"]));
        assert_eq!(told, r"x\u{1b}[2J y \u{202e}");
    }

    #[test]
    fn only_plies_are_numbered() {
        let action = r#"{"event":"action","by":"white","action":"3,4"}"#;
        let removed = r#"{"event":"removed","squares":["3,3"],"why":"surrounded"}"#;
        assert_eq!(describe_step(&events(&[action, removed]), 7), "7. white 3,4; removed 3,3");
        let roll = events(&[r#"{"event":"roll","seat":"white","value":6}"#]);
        assert!(!events_are_ply(&roll));
        assert_eq!(describe_step(&roll, 7), "white rolls 6");
    }

    #[test]
    fn the_squares_of_the_last_actions_are_named() {
        let look = BoardLook { separator: ",".into(), ..BoardLook::default() };
        let labels = || Labels((0..8).map(|number| number.to_string()).collect());
        let cells = vec![DrawnRow::from_text("........"); 8];
        let board = DrawnBoard { cells, columns: labels(), rows: labels(), dice: Vec::new() };
        let named = |lines: &[&str]| squares_of_described_events(&events(lines), &board, &look);
        assert_eq!(named(&[r#"{"event":"action","by":"white","action":"3,4>5,6"}"#]), [35, 53]);
        let both = [
            r#"{"event":"action","by":"one","action":"CU 1,2 0,0"}"#,
            r#"{"event":"action","by":"two","action":"pass"}"#,
        ];
        assert_eq!(named(&both), [17, 0]);
        let next = r#"{"event":"round-start","board":"lake","map":[],"pieces":{"one":{"circle":"0,0","square":"1,1"},"two":{"circle":"2,2","square":"3,3"}}}"#;
        assert_eq!(named(&[both[0], next]), [0; 0], "the board is another one");
    }
}
