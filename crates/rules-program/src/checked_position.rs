//! A position as its rules program described it: checked once, then kept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use referee_games::{
    BySeat, DrawnBoard, GameResult, Legal, OtherEvent, Outcome, Seat, Stream, Turn,
    is_unsafe_to_show,
};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::boards;
use crate::contract::{
    LONGEST_STATE, LONGEST_TEXT, LegalWords, MOST_OUTCOMES, PositionAnswer, TurnWords,
};
use crate::description::Description;
use crate::error::Violation;

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
    pub(crate) caption: String,
    pub(crate) values: Option<BySeat<f64>>,
    /// The scores, if the higher one decided the game.
    pub(crate) scores: Option<BySeat<Number>>,
    /// The seats that can no longer win.
    pub(crate) cannot_win: Vec<Seat>,
}

/// A rules program's description of the step that led to a position.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    pub(crate) events: Vec<OtherEvent>,
    /// Whether the action is told to its own seat alone.
    pub(crate) secret: bool,
    pub(crate) on_behalf_of: Option<Seat>,
}

impl CheckedPosition {
    /// Checks a position, and the description of the step that led to it.
    pub(crate) fn new(
        game: &Description,
        answer: PositionAnswer,
    ) -> Result<(Self, StepReport), Violation> {
        check_visibility(game, &answer)?;
        let state = answer.state.ok_or(Violation::Missing("state"))?;
        if state.get().len() > LONGEST_STATE {
            return Err(Violation::State(state.get().len()));
        }
        let mut words = answer.turn.ok_or(Violation::Missing("turn"))?;
        let outcomes = words.chance.take();
        let scores = words.over.as_ref().map(scores).transpose()?.flatten();
        let turn = turn(game, words, outcomes.is_some())?;
        let outcomes = outcomes.unwrap_or_default();
        if let Turn::Chance(_) = turn {
            check_outcomes(&outcomes)?;
        }
        let legal = answer.legal.map(|legal| listed(game, &turn, legal)).transpose()?;
        let show = answer.show.map(|show| by_seat(game, show, "show")).transpose()?;
        let views = answer.views.map(|views| by_seat(game, views, "views")).transpose()?;
        let values = answer.values.map(|values| by_seat(game, values, "values")).transpose()?;
        check_values(values.as_ref())?;
        boards::check_text(&answer.rows, &answer.caption)?;
        let board = answer
            .board
            .map(|board| boards::checked(board, game.board.as_ref(), &game.seats))
            .transpose()?;
        let events = answer.events.into_iter().map(|event| event_of(game, event));
        let report = StepReport {
            events: events.collect::<Result<_, _>>()?,
            secret: answer.secret,
            on_behalf_of: answer.on_behalf_of.map(|name| seat(game, &name)).transpose()?,
        };
        let cannot_win = answer.cannot_win.iter().map(|name| seat(game, name));
        let checked = Self {
            state,
            turn,
            outcomes,
            legal,
            show,
            views,
            rows: answer.rows,
            board,
            caption: answer.caption,
            values,
            scores,
            cannot_win: cannot_win.collect::<Result<_, _>>()?,
        };
        Ok((checked, report))
    }

    /// The answer that describes the position, without the board.
    pub(crate) fn answer(&self, game: &Description) -> PositionAnswer {
        let turn = TurnWords::of(&self.turn, &game.seats, self.outcomes.clone());
        let legal = self.legal.as_ref().and_then(|legal| match &self.turn {
            Turn::Move(seat) => Some(LegalWords::List(legal[*seat].clone())),
            Turn::Both => Some(LegalWords::BySeat(named(game, legal))),
            _ => None,
        });
        PositionAnswer {
            state: Some(self.state.clone()),
            turn: Some(turn),
            legal,
            views: self.views.as_ref().map(|views| named(game, views)),
            values: self.values.as_ref().map(|values| named(game, values)),
            cannot_win: self.cannot_win.iter().map(|&it| game.seats[it].to_string()).collect(),
            ..PositionAnswer::default()
        }
    }

    /// The legal actions in the form sent to players.
    pub(crate) fn shown(&self, seat: Seat) -> Legal {
        match (&self.show, &self.legal) {
            _ if !self.turn.asks(seat) => Legal::List(Vec::new()),
            (Some(show), _) => Legal::Shown(show[seat].clone()),
            (None, Some(legal)) => Legal::List(legal[seat].clone()),
            (None, None) => Legal::Shown(Value::Null),
        }
    }

    /// Whether `action` is in the list of legal actions of `seat`.
    pub(crate) fn lists(&self, seat: Seat, action: &str) -> bool {
        self.legal.as_ref().is_some_and(|legal| {
            legal[seat].binary_search_by(|listed| listed.as_str().cmp(action)).is_ok()
        })
    }
}

/// Checks that games with hidden information have views, and that other games have neither views
/// nor `secret`.
fn check_visibility(game: &Description, answer: &PositionAnswer) -> Result<(), Violation> {
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

fn turn(game: &Description, words: TurnWords, chance: bool) -> Result<Turn, Violation> {
    let TurnWords { moves, both, pass, whose, over, reason, .. } = words;
    let forms = [moves.is_some(), both.is_some(), pass.is_some(), chance, over.is_some()];
    if forms.into_iter().filter(|form| *form).count() != 1 || both == Some(false) {
        return Err(Violation::Turn);
    }
    if let Some(name) = moves {
        return Ok(Turn::Move(seat(game, &name)?));
    }
    if let Some(name) = pass {
        return Ok(Turn::Pass(seat(game, &name)?));
    }
    if let Some(over) = over {
        let result = match (over.as_str(), scores(&over)?) {
            (_, Some(scores)) => winner(&scores),
            (Some("draw"), None) => GameResult::Draw,
            (name, None) => GameResult::Win(seat(game, name.unwrap_or_default())?),
        };
        let by_scores = || over.is_object().then(|| "scores".to_owned());
        let reason = reason.or_else(by_scores).ok_or(Violation::Missing("reason"))?;
        check_text(&reason)?;
        return Ok(Turn::Over(Outcome { result, reason: reason.into() }));
    }
    if both.is_some() {
        return Ok(Turn::Both);
    }
    let stream = match whose {
        Some(name) => Stream::Seat(seat(game, &name)?),
        None => Stream::Shared,
    };
    Ok(Turn::Chance(stream))
}

/// The scores by which a game is over; `None` if `over` is a text.
fn scores(over: &Value) -> Result<Option<BySeat<Number>>, Violation> {
    match (over, over["scores"].as_array().map(Vec::as_slice)) {
        (Value::String(_), _) => Ok(None),
        (_, Some([Value::Number(first), Value::Number(second)])) => {
            Ok(Some(BySeat::new(first.clone(), second.clone())))
        }
        _ => Err(Violation::Over),
    }
}

/// The seat with the higher score wins; equal scores are a draw.
fn winner(scores: &BySeat<Number>) -> GameResult {
    match scores.first.as_f64().partial_cmp(&scores.second.as_f64()) {
        Some(Ordering::Greater) => GameResult::Win(Seat::First),
        Some(Ordering::Less) => GameResult::Win(Seat::Second),
        _ => GameResult::Draw,
    }
}

fn check_outcomes(outcomes: &[(String, u32)]) -> Result<(), Violation> {
    outcomes.iter().try_for_each(|(text, _)| check_text(text))?;
    let different: HashSet<&str> = outcomes.iter().map(|(text, _)| text.as_str()).collect();
    let count = outcomes.len();
    if !(1..=MOST_OUTCOMES).contains(&count) || different.len() < count {
        return Err(Violation::Outcomes(count));
    }
    if outcomes.iter().any(|(_, weight)| *weight > 0) { Ok(()) } else { Err(Violation::Weights) }
}

/// The legal actions by seat, sorted by bytes.
fn listed(
    game: &Description,
    turn: &Turn,
    words: LegalWords,
) -> Result<BySeat<Vec<String>>, Violation> {
    let mut legal = match (turn, words) {
        (Turn::Move(mover), LegalWords::List(actions)) => {
            let mut legal = BySeat::default();
            legal[*mover] = actions;
            legal
        }
        (Turn::Both, LegalWords::BySeat(actions)) => by_seat(game, actions, "legal")?,
        (Turn::Move(_) | Turn::Both, _) => {
            let why = "expected a list if one seat moves, an object of lists if both do";
            return Err(Violation::Unexpected { field: "legal", why });
        }
        // No seat is asked, so the value does not matter.
        _ => return Ok(BySeat::default()),
    };
    for &seat in turn.asked() {
        sort(&mut legal[seat])?;
        if legal[seat].is_empty() {
            return Err(Violation::NoAction(game.seats[seat].to_string()));
        }
    }
    Ok(legal)
}

fn sort(actions: &mut [String]) -> Result<(), Violation> {
    actions.sort_unstable();
    actions.iter().try_for_each(|action| check_text(action))?;
    match actions.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(Violation::ListedTwice(two[0].clone())),
        None => Ok(()),
    }
}

/// Checks the text of an action, an outcome or a reason.
pub(crate) fn check_text(text: &str) -> Result<(), Violation> {
    let fits = (1..=LONGEST_TEXT).contains(&text.len())
        && !text.chars().any(is_unsafe_to_show)
        && text.trim() == text
        && !text.starts_with('{');
    if fits { Ok(()) } else { Err(Violation::Text(text.to_owned())) }
}

fn check_values(values: Option<&BySeat<f64>>) -> Result<(), Violation> {
    let all = values.into_iter().flat_map(|values| [values.first, values.second]);
    match all.into_iter().find(|value| !(-1.0..=1.0).contains(value)) {
        Some(value) => Err(Violation::Value(value)),
        None => Ok(()),
    }
}

/// An event. With hidden information, `to` must be a list of seats; otherwise, it is an ordinary
/// field.
fn event_of(
    game: &Description,
    fields: serde_json::Map<String, Value>,
) -> Result<OtherEvent, Violation> {
    if let Some(to) = fields.get("to").filter(|_| game.hidden) {
        let seats = to.as_array().ok_or(Violation::Addressees)?;
        for name in seats {
            seat(game, name.as_str().ok_or(Violation::Addressees)?)?;
        }
    }
    OtherEvent::try_from(fields).map_err(Violation::Event)
}

/// The seat called `name`.
pub(crate) fn seat(game: &Description, name: &str) -> Result<Seat, Violation> {
    game.seats.seat(name).ok_or_else(|| Violation::Seat(name.to_owned()))
}

/// The values of both seats by their names.
fn named<T: Clone>(game: &Description, values: &BySeat<T>) -> BTreeMap<String, T> {
    values.iter().map(|(seat, value)| (game.seats[seat].to_string(), value.clone())).collect()
}

/// The values of both seats, and of no others.
fn by_seat<T>(
    game: &Description,
    mut values: BTreeMap<String, T>,
    field: &'static str,
) -> Result<BySeat<T>, Violation> {
    let BySeat { first, second } = &game.seats;
    let (one, other) = (values.remove(&**first), values.remove(&**second));
    if let Some(name) = values.keys().next() {
        return Err(Violation::Seat(name.clone()));
    }
    match (one, other) {
        (Some(one), Some(other)) => Ok(BySeat::new(one, other)),
        _ => Err(Violation::Missing(field)),
    }
}

#[cfg(test)]
mod tests;
