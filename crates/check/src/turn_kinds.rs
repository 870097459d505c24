//! The kinds of turn of a decision: the forms of its legal actions, and the events before it.

use std::collections::BTreeMap;

use serde_json::Value;

use referee_games::{AnyPosition, Event, Legal, Position, Seat};
use referee_match::replay::Replay;
use referee_record::model::record::GameRecord;

/// The kinds of turn of `seat`'s decision in `position`, after `events`, with these actions.
pub(super) fn turn_kinds_at(
    position: &dyn AnyPosition,
    seat: Seat,
    events: &[Event],
    legal: &Legal,
) -> BTreeMap<String, String> {
    let you = &position.seats()[seat];
    let happened = events.iter().filter_map(|event| turn_kind_of_event(event, you));
    let mut kinds = turn_kinds_of_actions(legal);
    kinds.extend(happened.map(|event| (event.clone(), event)));
    kinds
}

/// Describes the kinds of turn that `seat` met in recorded games, as far as they can be replayed.
pub(super) fn turn_kinds_met<'r>(
    start: &Position,
    records: impl IntoIterator<Item = (&'r GameRecord, Seat)>,
) -> Vec<String> {
    let mut kinds = BTreeMap::new();
    for (record, seat) in records {
        let mut replay = Replay::new(start, record).expect("a record of the game");
        let mut events = Vec::new();
        loop {
            let position = replay.current_position();
            if position.turn().asks(seat) {
                for (kind, words) in turn_kinds_at(position, seat, &events, &position.legal(seat)) {
                    kinds.entry(kind).or_insert(words);
                }
                events.clear();
            }
            let Some(Ok(played)) = replay.next() else { break };
            events.extend(played.events);
        }
    }
    kinds.into_values().collect()
}

/// The form of each action, with the first action that has it as an example.
fn turn_kinds_of_actions(legal: &Legal) -> BTreeMap<String, String> {
    let mut kinds = BTreeMap::new();
    match legal {
        Legal::List(texts) => {
            for text in texts {
                kinds
                    .entry(turn_kind_form(text))
                    .or_insert_with(|| format!("actions like `{text}`"));
            }
        }
        Legal::Factored { .. } => {
            let words = "a direction for each piece, and walls";
            kinds.insert("directions and walls".to_owned(), words.to_owned());
        }
        Legal::Shown(_) => {
            kinds.insert("unlisted".to_owned(), "actions that are not listed".to_owned());
        }
    }
    kinds
}

/// The text of an action with `#` for every number and every square such as `b7`.
fn turn_kind_form(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_ascii_digit() {
            form.push(character);
            continue;
        }
        let before = form.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        let is_square = form.len() - before.len() == 1 || form.ends_with('#');
        if is_square {
            form.pop();
        }
        form.push('#');
    }
    form
}

/// An event by its protocol name, with details that distinguish its kinds. Plain actions and rolls
/// are not kinds, because every game consists of them.
fn turn_kind_of_event(event: &Event, you: &str) -> Option<String> {
    if let Event::Action { forced: false, on_behalf_of: None, .. } = event {
        return None;
    }
    let value = serde_json::to_value(event).ok()?;
    let word = |key: &str| value.get(key).and_then(Value::as_str);
    let owner = if word("by") == Some(you) { "its own" } else { "the opponent's" };
    let name = word("event")?;
    match name {
        "action" if value.get("forced").is_some() => Some(format!("{owner} forced pass")),
        "action" if value.get("for").is_some() => {
            let of = if word("by") == Some(you) { "the opponent's" } else { "its" };
            Some(format!("{owner} action on {of} behalf"))
        }
        "action" | "roll" | "over" => None,
        _ => {
            let why = word("why").map_or_else(String::new, |why| format!(" ({why})"));
            Some(format!("the event `{name}`{why}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_of_one_form_differ_in_numbers_and_squares() {
        for (text, its) in
            [("a2a3", "##"), ("b7a8q", "##q"), ("10,2>3,4", "#,#>#,#"), ("O-O", "O-O")]
        {
            assert_eq!(turn_kind_form(text), its);
        }
    }
}
