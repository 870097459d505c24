//! A position as its rules program described it: checked once, then kept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use referee_games::{
    BySeat, DrawnBoard, Legal, OtherEvent, Outcome, Places, PlacesTell, Seat, SeatSet, Stream,
    Turn, WholeNumber, is_unsafe_to_show,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::boards::{check_board_text, check_drawn_board};
use crate::contract::{
    ContractTurn, LONGEST_STATE, LONGEST_TEXT, LegalWords, MOST_OUTCOMES, PositionAnswer,
};
use crate::error::Violation;
use crate::game_description::GameDescription;

/// A position as its rules program described it.
#[derive(Debug)]
pub(crate) struct CheckedPosition {
    pub(crate) state: Box<RawValue>,
    pub(crate) turn: Turn,
    /// The chance outcomes with their weights.
    pub(crate) outcomes: Vec<(String, u32)>,
    /// The legal actions, sorted, of the seats that are asked; `None` if there are too many to
    /// list.
    pub(crate) legal: Option<BySeat<Vec<String>>>,
    /// The data that players get as `legal` instead.
    pub(crate) show: Option<BySeat<Value>>,
    /// The state as each seat sees it, in a game with hidden information.
    pub(crate) views: Option<BySeat<Box<RawValue>>>,
    pub(crate) rows: Vec<String>,
    pub(crate) board: Option<DrawnBoard>,
    /// The drawing, which is checked when a page shows it: a bad one breaks no game.
    pub(crate) svg: Option<Box<str>>,
    pub(crate) caption: String,
    pub(crate) values: Option<BySeat<f64>>,
    /// The scores, if the higher one decided the game.
    pub(crate) scores: Option<BySeat<Number>>,
    /// The seats that can no longer win.
    pub(crate) cannot_win: Vec<Seat>,
    /// The seats that are out of the game, and have no turns.
    pub(crate) eliminated: SeatSet,
}

/// A rules program's description of the step that led to a position.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    pub(crate) events: Vec<OtherEvent>,
    /// Whether only its own seat receives the action.
    pub(crate) secret: bool,
    pub(crate) on_behalf_of: Option<Seat>,
}

impl CheckedPosition {
    /// Checks a position, and the description of the step that led to it.
    pub(crate) fn new(
        game: &GameDescription,
        answer: PositionAnswer,
    ) -> Result<(Self, StepReport), Violation> {
        check_position_views(game, &answer)?;
        let state = answer.state.ok_or(Violation::Missing("state"))?;
        if state.get().len() > LONGEST_STATE {
            return Err(Violation::State(state.get().len()));
        }
        let mut words = answer.turn.ok_or(Violation::Missing("turn"))?;
        let outcomes = words.chance.take();
        let scores = words
            .over
            .as_ref()
            .map(|over| check_position_scores(game, over))
            .transpose()?
            .flatten();
        let turn = check_position_turn(game, words, outcomes.is_some())?;
        let outcomes = outcomes.unwrap_or_default();
        if let Turn::Chance(_) = turn {
            check_position_outcomes(&outcomes)?;
        }
        let legal =
            answer.legal.map(|legal| check_position_actions(game, &turn, legal)).transpose()?;
        let show =
            answer.show.map(|show| check_every_seat_value(game, show, "show")).transpose()?;
        let views =
            answer.views.map(|views| check_every_seat_value(game, views, "views")).transpose()?;
        let values = answer
            .values
            .map(|values| check_every_seat_value(game, values, "values"))
            .transpose()?;
        check_position_values(values.as_ref())?;
        check_board_text(&answer.rows, &answer.caption)?;
        let board = answer
            .board
            .map(|board| check_drawn_board(board, game.board.as_ref(), &game.seats))
            .transpose()?;
        let events = answer.events.into_iter().map(|event| check_position_event(game, event));
        let report = StepReport {
            events: events.collect::<Result<_, _>>()?,
            secret: answer.secret,
            on_behalf_of: answer
                .on_behalf_of
                .map(|name| check_position_seat(game, &name))
                .transpose()?,
        };
        let cannot_win = answer.cannot_win.iter().map(|name| check_position_seat(game, name));
        let eliminated = answer.eliminated.iter().map(|name| check_position_seat(game, name));
        let eliminated: SeatSet = eliminated.collect::<Result<_, _>>()?;
        if let Some(asked) = eliminated.iter().find(|&seat| turn.asks(seat)) {
            return Err(Violation::Eliminated(game.seats[asked].to_string()));
        }
        let checked = Self {
            state,
            turn,
            outcomes,
            legal,
            show,
            views,
            rows: answer.rows,
            board,
            svg: answer.svg,
            caption: answer.caption,
            values,
            scores,
            cannot_win: cannot_win.collect::<Result<_, _>>()?,
            eliminated,
        };
        Ok((checked, report))
    }

    /// The answer that describes the position, without the board.
    pub(crate) fn answer(&self, game: &GameDescription) -> PositionAnswer {
        let turn = ContractTurn::from_turn(&self.turn, &game.seats, self.outcomes.clone());
        let legal = self.legal.as_ref().and_then(|legal| match &self.turn {
            Turn::Move(seat) => Some(LegalWords::List(legal[*seat].clone())),
            Turn::Together(asked) => {
                Some(LegalWords::BySeat(name_position_values(game, legal, *asked)))
            }
            _ => None,
        });
        PositionAnswer {
            state: Some(self.state.clone()),
            turn: Some(turn),
            legal,
            views: self
                .views
                .as_ref()
                .map(|views| name_position_values(game, views, every_seat(game))),
            values: self
                .values
                .as_ref()
                .map(|values| name_position_values(game, values, every_seat(game))),
            cannot_win: self.cannot_win.iter().map(|&it| game.seats[it].to_string()).collect(),
            eliminated: self.eliminated.iter().map(|it| game.seats[it].to_string()).collect(),
            ..PositionAnswer::default()
        }
    }

    /// The legal actions in the form sent to players.
    pub(crate) fn legal_for_players(&self, seat: Seat) -> Legal {
        match (&self.show, &self.legal) {
            _ if !self.turn.asks(seat) => Legal::List(Vec::new()),
            (Some(show), _) => Legal::Shown(show[seat].clone()),
            (None, Some(legal)) => Legal::List(legal[seat].clone()),
            (None, None) => Legal::Shown(Value::Null),
        }
    }

    /// Whether `action` is in the list of legal actions of `seat`.
    pub(crate) fn is_listed_action(&self, seat: Seat, action: &str) -> bool {
        self.legal.as_ref().is_some_and(|legal| {
            legal[seat].binary_search_by(|listed| listed.as_str().cmp(action)).is_ok()
        })
    }
}

/// Checks that games with hidden information have views, and that other games have neither views
/// nor `secret`.
fn check_position_views(game: &GameDescription, answer: &PositionAnswer) -> Result<(), Violation> {
    if game.hidden {
        return answer.views.as_ref().map(|_| ()).ok_or(Violation::Missing("views"));
    }
    let why = "the game has no hidden information";
    let told = answer.events.iter().any(|event| event.get("to").is_some_and(Value::is_array));
    let found = [("views", answer.views.is_some()), ("secret", answer.secret), ("to", told)];
    match found.into_iter().find(|(_, found)| *found) {
        Some((field, _)) => Err(Violation::Unexpected { field, why }),
        None => Ok(()),
    }
}

fn check_position_turn(
    game: &GameDescription,
    words: ContractTurn,
    chance: bool,
) -> Result<Turn, Violation> {
    let ContractTurn { moves, both, together, pass, whose, over, reason, .. } = words;
    let seats = game.seats.len();
    let is_together = if seats == 2 { both.is_some() } else { together.is_some() };
    let foreign = if seats == 2 { together.is_some() } else { both.is_some() };
    let is_foreign = foreign || both == Some(false);
    let forms = [moves.is_some(), is_together, pass.is_some(), chance, over.is_some()];
    if is_foreign || forms.into_iter().filter(|form| *form).count() != 1 {
        return Err(Violation::Turn { seats });
    }
    if let Some(name) = moves {
        return Ok(Turn::Move(check_position_seat(game, &name)?));
    }
    if let Some(name) = pass {
        return Ok(Turn::Pass(check_position_seat(game, &name)?));
    }
    if let Some(over) = over {
        let by_scores = || over.get("scores").map(|_| "scores".to_owned());
        let places = check_position_places(game, &over)?;
        let reason = reason.or_else(by_scores).ok_or(Violation::Missing("reason"))?;
        check_position_text(&reason)?;
        return Ok(Turn::Over(Outcome { places, reason: reason.into() }));
    }
    if is_together {
        return Ok(Turn::Together(match together {
            None => every_seat(game),
            Some(names) => check_position_together_seats(game, &names)?,
        }));
    }
    let stream = match whose {
        Some(name) => Stream::Seat(check_position_seat(game, &name)?),
        None => Stream::Shared,
    };
    Ok(Turn::Chance(stream))
}

/// The seats that choose at the same time.
fn check_position_together_seats(
    game: &GameDescription,
    names: &[String],
) -> Result<SeatSet, Violation> {
    let seats: SeatSet =
        names.iter().map(|name| check_position_seat(game, name)).collect::<Result<_, _>>()?;
    if seats.len() == names.len() && seats.len() > 1 { Ok(seats) } else { Err(Violation::Together) }
}

fn check_position_places(game: &GameDescription, over: &Value) -> Result<Places, Violation> {
    let count = game.seats.len();
    let bad = if count == 2 { Violation::Over } else { Violation::OverPlaces };
    if let Some(scores) = check_position_scores(game, over)? {
        // Large whole numbers differ by less than the next fraction.
        let whole = scores.as_ref().map(whole_position_score);
        let are_whole = whole.values().iter().all(Option::is_some);
        return Ok(Places::ordered(count, |one, other| {
            if are_whole {
                return whole[other].cmp(&whole[one]);
            }
            let order = scores[other].as_f64().partial_cmp(&scores[one].as_f64());
            order.unwrap_or(Ordering::Equal)
        }));
    }
    match over {
        Value::String(name) if name == "draw" => Ok(Places::level(count)),
        Value::String(name) if count == 2 || game.ranking == PlacesTell::Winner => {
            Ok(Places::won_by(check_position_seat(game, name)?, count))
        }
        Value::Object(fields) if count > 2 => {
            let places = fields.get("places").ok_or(bad)?;
            let places = BTreeMap::<String, WholeNumber<u8>>::deserialize(places)
                .map_err(|_| Violation::Places)?;
            let places = check_every_seat_value(game, places, "places")?;
            let from_zero = places.map(|place| place.0.wrapping_sub(1));
            Places::from_listed(&from_zero).ok_or(Violation::Places)
        }
        _ => Err(bad),
    }
}

/// A score that is a whole number.
fn whole_position_score(score: &Number) -> Option<i128> {
    score.as_i64().map(i128::from).or_else(|| score.as_u64().map(i128::from))
}

/// The scores by which a game is over; `None` if it gives none.
fn check_position_scores(
    game: &GameDescription,
    over: &Value,
) -> Result<Option<BySeat<Number>>, Violation> {
    let Some(list) = over.get("scores").and_then(Value::as_array) else { return Ok(None) };
    let (scores, seats) = (list.len(), game.seats.len());
    if scores != seats {
        return Err(Violation::Scores { scores, seats });
    }
    let number = |value: &Value| {
        value.as_number().cloned().ok_or_else(|| Violation::Score(value.to_string()))
    };
    list.iter().map(number).collect::<Result<_, _>>().map(Some)
}

fn every_seat(game: &GameDescription) -> SeatSet {
    game.seats.seats().collect()
}

fn check_position_outcomes(outcomes: &[(String, u32)]) -> Result<(), Violation> {
    outcomes.iter().try_for_each(|(text, _)| check_position_text(text))?;
    let different: HashSet<&str> = outcomes.iter().map(|(text, _)| text.as_str()).collect();
    let count = outcomes.len();
    if !(1..=MOST_OUTCOMES).contains(&count) || different.len() < count {
        return Err(Violation::Outcomes(count));
    }
    if outcomes.iter().any(|(_, weight)| *weight > 0) { Ok(()) } else { Err(Violation::Weights) }
}

/// The legal actions by seat, sorted by bytes.
fn check_position_actions(
    game: &GameDescription,
    turn: &Turn,
    words: LegalWords,
) -> Result<BySeat<Vec<String>>, Violation> {
    let mut legal = match (turn, words) {
        (Turn::Move(mover), LegalWords::List(actions)) => {
            let mut legal = BySeat::default_for(game.seats.len());
            legal[*mover] = actions;
            legal
        }
        (Turn::Together(asked), LegalWords::BySeat(actions)) => {
            let mut legal = BySeat::default_for(game.seats.len());
            for (seat, actions) in check_seat_values(game, *asked, actions, "legal")? {
                legal[seat] = actions;
            }
            legal
        }
        (Turn::Move(_) | Turn::Together(_), _) => {
            let why = "expected a list if one seat moves, an object of lists if several do";
            return Err(Violation::Unexpected { field: "legal", why });
        }
        // No seat acts, so the value does not matter.
        _ => return Ok(BySeat::default_for(game.seats.len())),
    };
    for seat in turn.asked().iter() {
        sort_position_actions(&mut legal[seat])?;
        if legal[seat].is_empty() {
            return Err(Violation::NoAction(game.seats[seat].to_string()));
        }
    }
    Ok(legal)
}

fn sort_position_actions(actions: &mut [String]) -> Result<(), Violation> {
    actions.sort_unstable();
    actions.iter().try_for_each(|action| check_position_text(action))?;
    match actions.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(Violation::ListedTwice(two[0].clone())),
        None => Ok(()),
    }
}

/// Checks the text of an action, an outcome or a reason.
pub(crate) fn check_position_text(text: &str) -> Result<(), Violation> {
    let fits = (1..=LONGEST_TEXT).contains(&text.len())
        && !text.chars().any(is_unsafe_to_show)
        && text.trim() == text
        && !text.starts_with('{');
    if fits { Ok(()) } else { Err(Violation::Text(text.to_owned())) }
}

fn check_position_values(values: Option<&BySeat<f64>>) -> Result<(), Violation> {
    let all = values.into_iter().flat_map(BySeat::values);
    match all.into_iter().find(|value| !(-1.0..=1.0).contains(*value)) {
        Some(value) => Err(Violation::Value(*value)),
        None => Ok(()),
    }
}

/// An event. With hidden information, `to` must be a list of seats; otherwise, it is an ordinary
/// field.
fn check_position_event(
    game: &GameDescription,
    fields: serde_json::Map<String, Value>,
) -> Result<OtherEvent, Violation> {
    if let Some(to) = fields.get("to").filter(|_| game.hidden) {
        let seats = to.as_array().ok_or(Violation::Addressees)?;
        for name in seats {
            check_position_seat(game, name.as_str().ok_or(Violation::Addressees)?)?;
        }
    }
    OtherEvent::try_from(fields).map_err(Violation::Event)
}

/// The seat called `name`.
pub(crate) fn check_position_seat(game: &GameDescription, name: &str) -> Result<Seat, Violation> {
    game.seats.seat(name).ok_or_else(|| Violation::Seat(name.to_owned()))
}

fn name_position_values<T: Clone>(
    game: &GameDescription,
    values: &BySeat<T>,
    seats: SeatSet,
) -> BTreeMap<String, T> {
    seats.iter().map(|seat| (game.seats[seat].to_string(), values[seat].clone())).collect()
}

/// The value of every seat, and of nothing else.
fn check_every_seat_value<T>(
    game: &GameDescription,
    values: BTreeMap<String, T>,
    field: &'static str,
) -> Result<BySeat<T>, Violation> {
    let values = check_seat_values(game, every_seat(game), values, field)?;
    Ok(values.into_iter().map(|(_, value)| value).collect())
}

/// The values of these seats, and of nothing else, in seat order.
fn check_seat_values<T>(
    game: &GameDescription,
    seats: SeatSet,
    mut values: BTreeMap<String, T>,
    field: &'static str,
) -> Result<Vec<(Seat, T)>, Violation> {
    let mut found = Vec::new();
    for seat in seats.iter() {
        found.extend(values.remove(&*game.seats[seat]).map(|value| (seat, value)));
    }
    match values.keys().next() {
        Some(name) => Err(Violation::Seat(name.clone())),
        None => match seats.iter().find(|&seat| !found.iter().any(|&(with, _)| with == seat)) {
            Some(seat) => Err(Violation::NoValue { field, seat: game.seats[seat].to_string() }),
            None => Ok(found),
        },
    }
}

#[cfg(test)]
mod tests;
