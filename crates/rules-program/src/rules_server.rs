//! The program's side of the contract: any game behind a pipe.

mod describe;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::{
    AnyGame, AnyPosition, Drawing, Event, GameError, Options, Position, Refusal, Seat, Step, Text,
    TextStep,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use self::describe::describe_game;
use crate::contract::{
    ActionAnswer, ContractStep, ContractTurn, LegalWords, MOST_PLIES, PositionAnswer, RequestType,
    RulesRequest,
};

/// The field of a state that holds the snapshot of the position.
const SNAPSHOT: &str = "snapshot";

/// Answers requests about `game` until `quit` or the end of the input.
///
/// The state is that of the game with a field `snapshot`: everything that the position holds
/// besides the rules.
///
/// # Errors
/// The pipes fail, or a request violates the protocol.
pub fn serve_rules(
    game: &dyn AnyGame,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ServeError> {
    let mut server = RulesServer { game, started: None };
    let (mut line, mut answer) = (String::new(), Vec::new());
    while input.read_line(&mut line)? > 0 {
        let request: RulesRequest<'_> = serde_json::from_str(&line)?;
        if request.kind == RequestType::Quit {
            break;
        }
        answer.clear();
        server.answer(&request, &mut answer)?;
        answer.push(b'\n');
        output.write_all(&answer)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

/// The reason why serving ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The pipes fail.
    #[error("{0}")]
    Pipe(#[from] io::Error),
    /// A request violates the protocol.
    #[error("a request violates the protocol: {0}")]
    Request(#[from] serde_json::Error),
    /// This field of a request is missing, or invalid for this game.
    #[error("`{0}` is missing from a request, or is invalid for this game")]
    Field(&'static str),
    /// The state of a request does not come from an answer: players see another one.
    #[error(
        "the `state` of a request does not come from this program's answers: the `state` that a \
         player gets is different; play the actions of its `events`, beginning with `start`"
    )]
    ForeignState,
    /// The rules refuse a step.
    #[error("a request is refused: {0}")]
    Game(#[from] GameError),
}

/// An answer with the id of its request.
#[derive(Serialize)]
struct Identified<'a, T> {
    id: u64,
    #[serde(flatten)]
    answer: &'a T,
}

/// A game, and its last start: most requests are about the same options.
struct RulesServer<'g> {
    game: &'g dyn AnyGame,
    started: Option<StartedGame>,
}

/// The start of a game under some options.
struct StartedGame {
    /// The options, as JSON.
    words: Box<str>,
    position: Position,
}

impl RulesServer<'_> {
    fn answer(&mut self, request: &RulesRequest<'_>, out: &mut Vec<u8>) -> Result<(), ServeError> {
        let id = request.id;
        match request.kind {
            RequestType::Game => write_rules_answer(id, &describe_game(self.game), out),
            RequestType::Start => write_rules_answer(id, &self.start(request)?, out),
            RequestType::Play => self.play(request, out),
            RequestType::Judge => {
                let (position, seat) = self.position_and_seat(request)?;
                let text = request.text.as_deref().ok_or(ServeError::Field("text"))?;
                write_rules_answer(id, &answer_judge_request(&*position, seat, text)?, out)
            }
            RequestType::Sample => {
                let (position, seat) = self.position_and_seat(request)?;
                let draw = request.draw.ok_or(ServeError::Field("draw"))?;
                let action = position.sample(seat, &mut ChaCha8Rng::seed_from_u64(draw))?;
                write_rules_answer(id, &ActionAnswer { action, ..ActionAnswer::default() }, out)
            }
            RequestType::Guess | RequestType::Quit => Err(ServeError::Field("type")),
        }
    }

    fn start(&mut self, request: &RulesRequest<'_>) -> Result<PositionAnswer, ServeError> {
        let words = request.options.ok_or(ServeError::Field("options"))?;
        let refused = |error: String| PositionAnswer { error: Some(error), ..Default::default() };
        let options = match parse_request_options(self.game, words) {
            Ok(options) => options,
            Err(error) => return Ok(refused(error.to_string())),
        };
        if let Ok(Some(reason)) = self.game.endless(&options) {
            return Ok(refused(reason));
        }
        match self.game.start(&options) {
            Ok(position) => Ok(PositionAnswer {
                max_plies: Some(MOST_PLIES),
                ..answer_with_position(&*position)?
            }),
            Err(error) => Ok(refused(error.to_string())),
        }
    }

    fn play(&mut self, request: &RulesRequest<'_>, out: &mut Vec<u8>) -> Result<(), ServeError> {
        let mut position = self.position(request)?;
        let step = parse_request_step(request.step.as_ref().ok_or(ServeError::Field("step"))?)?;
        let mut events = Vec::new();
        position.play(step.as_text(), &mut events)?;
        let mut answer = answer_with_position(&*position)?;
        add_events_to_answer(events, &mut answer)?;
        write_rules_answer(request.id, &answer, out)
    }

    fn position_and_seat(
        &mut self,
        request: &RulesRequest<'_>,
    ) -> Result<(Position, Seat), ServeError> {
        let name = request.seat.as_deref().ok_or(ServeError::Field("seat"))?;
        let seat = self.game.seats().seat(name).ok_or(ServeError::Field("seat"))?;
        Ok((self.position(request)?, seat))
    }

    /// The position that a request is about.
    fn position(&mut self, request: &RulesRequest<'_>) -> Result<Position, ServeError> {
        let words = request.options.ok_or(ServeError::Field("options"))?;
        let state = request.state.ok_or(ServeError::Field("state"))?;
        let Restorable { snapshot } =
            serde_json::from_str(state.get()).map_err(|_| ServeError::ForeignState)?;
        let start = self.started(words)?;
        start.restored(snapshot).ok_or(ServeError::Field(SNAPSHOT))
    }

    /// The start under these options.
    fn started(&mut self, words: &RawValue) -> Result<&dyn AnyPosition, GameError> {
        let known = self.started.take().filter(|known| *known.words == *words.get());
        let started = match known {
            Some(known) => known,
            None => StartedGame {
                words: words.get().into(),
                position: self.game.start(&parse_request_options(self.game, words)?)?,
            },
        };
        Ok(&*self.started.insert(started).position)
    }
}

/// The part of a state that identifies its position.
#[derive(Deserialize)]
struct Restorable<'a> {
    #[serde(borrow)]
    snapshot: &'a RawValue,
}

fn write_rules_answer(
    id: u64,
    answer: &impl Serialize,
    out: &mut Vec<u8>,
) -> Result<(), ServeError> {
    Ok(serde_json::to_writer(out, &Identified { id, answer })?)
}

/// The options in force, from the JSON of a request.
fn parse_request_options(game: &dyn AnyGame, words: &RawValue) -> Result<Options, GameError> {
    let given: Map<String, Value> = serde_json::from_str(words.get()).unwrap_or_default();
    Ok(Options::from_json(game.options(), &given)?)
}

fn parse_request_step(words: &ContractStep<'_>) -> Result<TextStep, ServeError> {
    Ok(match words {
        ContractStep::Move(action) => Step::Move(action.to_string()),
        ContractStep::Both(first, second) => {
            Step::Together(vec![first.to_string(), second.to_string()])
        }
        ContractStep::Together(_) => return Err(ServeError::Field("step")),
        ContractStep::Pass(_) => Step::Pass,
        ContractStep::Chance(outcome) => Step::Chance(outcome.to_string()),
    })
}

fn answer_with_position(position: &dyn AnyPosition) -> Result<PositionAnswer, ServeError> {
    let seats = position.seats();
    let turn = ContractTurn::from_turn(&position.turn(), &seats, position.outcomes());
    let name = |seat: Seat| seats[seat].to_string();
    let values = position.values();
    let lost = seats.seats().filter(|&seat| !position.can_win(seat));
    let (rows, board) = match position.draw() {
        Drawing::Text(rows) => (rows, None),
        Drawing::Board(board, _) => (Vec::new(), Some(board)),
    };
    Ok(PositionAnswer {
        state: Some(state_with_snapshot(position)?),
        turn: Some(turn),
        rows,
        board,
        caption: position.caption(),
        values: values.map(|it| it.iter().map(|(seat, value)| (name(seat), *value)).collect()),
        cannot_win: lost.map(name).collect(),
        ..answer_with_actions(position)?
    })
}

/// An answer with the legal actions, or the data shown instead if there are too many to list.
fn answer_with_actions(position: &dyn AnyPosition) -> Result<PositionAnswer, ServeError> {
    let seats = position.seats();
    let asked = position.turn().asked();
    let listed = |seat| Some((seats[seat].to_string(), position.legal_list(seat)?));
    let lists: Option<BTreeMap<_, _>> = asked.iter().map(listed).collect();
    let (legal, show) = match (asked.len(), lists) {
        (0, _) => (None, None),
        (1, Some(lists)) => (lists.into_values().next().map(LegalWords::List), None),
        (_, Some(lists)) => (Some(LegalWords::BySeat(lists)), None),
        (_, None) => {
            let shown = |(seat, name): (Seat, &Text)| {
                Ok((name.to_string(), serde_json::to_value(position.legal(seat))?))
            };
            (None, Some(seats.iter().map(shown).collect::<serde_json::Result<_>>()?))
        }
    };
    Ok(PositionAnswer { legal, show, ..PositionAnswer::default() })
}

/// The game's own state with the snapshot.
fn state_with_snapshot(position: &dyn AnyPosition) -> Result<Box<RawValue>, ServeError> {
    let own = position.state();
    let fields = own.get().strip_suffix('}').ok_or(ServeError::Field("state"))?;
    let snapshot = position.snapshot().ok_or(ServeError::Field(SNAPSHOT))?;
    let comma = if fields.ends_with('{') { "" } else { "," };
    Ok(RawValue::from_string(format!("{fields}{comma}\"{SNAPSHOT}\":{snapshot}}}"))?)
}

/// Adds the events of a step, except actions and the end, which the referee adds itself.
fn add_events_to_answer(events: Vec<Event>, answer: &mut PositionAnswer) -> Result<(), ServeError> {
    for event in events {
        match event {
            Event::Action { on_behalf_of, .. } => {
                answer.on_behalf_of = on_behalf_of.map(Text::into_owned);
            }
            Event::Over { .. } => {}
            event => {
                if let Value::Object(fields) = serde_json::to_value(event)? {
                    answer.events.push(fields);
                }
            }
        }
    }
    Ok(())
}

/// The action that a text means, or the reason why it is refused.
fn answer_judge_request(
    position: &dyn AnyPosition,
    seat: Seat,
    text: &str,
) -> Result<ActionAnswer, ServeError> {
    let (refused, clause, malformed) = match position.judge(seat, text) {
        Ok(action) => {
            return Ok(ActionAnswer { action: Some(action), ..ActionAnswer::default() });
        }
        Err(GameError::Refused(Refusal::Malformed(reason))) => (reason, None, true),
        Err(GameError::Refused(Refusal::Illegal { clause, reason })) => {
            (reason, Some(clause.into_owned()), false)
        }
        Err(error) => return Err(error.into()),
    };
    Ok(ActionAnswer { action: None, refused: Some(refused), clause, malformed })
}

#[cfg(test)]
mod tests;
