//! Re-asking: replays a recorded game to one of its players, line by line, up to one of its
//! decisions.
//!
//! Whatever the player replies now, it is sent the recorded actions. So a player that decides by
//! its seed reaches the decision as it did in the game, and any other player reaches the same
//! position.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::player::{InitView, NotStarted, Player, Wire};
use crate::referee::{Answered, GameSetup, PendingTurn, Unplayable};
use crate::replay::{Replay, ReplayError, start_replay_clocks};
use referee_games::{AnyPosition, BySeat, Event, GameError, Position, Seat, SeatSet, Text, Turn};
use referee_protocol::Greeting;
use referee_record::model::clock::{Clock, TimeControl};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::game_rules::GameRules;
use referee_record::model::plies::Plies;
use referee_record::model::record::{FaultPolicy, GameRecord};
use referee_record::model::short_clock::with_own_short_clock;

/// A recorded game, and the conditions it was played under.
#[derive(Debug)]
pub struct RecordedGame<'a> {
    /// The rules in force.
    pub rules: &'a GameRules,
    /// The time limits of players without a clock of their own.
    pub control: &'a TimeControl,
    /// The policy after a rejected action.
    pub policy: FaultPolicy,
    /// The record.
    pub record: &'a GameRecord,
}

/// A decision of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionPoint {
    /// The seat that decides.
    pub seat: Seat,
    /// The number of plies before it.
    pub ply: u32,
}

/// The outcome of re-asking a player.
#[derive(Debug)]
pub struct Asked {
    /// The position of the last request.
    pub position: Position,
    /// The events since the turn before that.
    pub events: Vec<Event>,
    /// The player's report about itself, and its start-up time. Absent if it did not start.
    pub greeted: Option<(Greeting, Duration)>,
    /// The legal action that it replied, or its fault.
    pub outcome: Result<String, Fault>,
    /// Whether it resigned instead of replying an action.
    pub resigned: bool,
    /// The time of the reply.
    pub used: Duration,
    /// The first of its earlier replies that differs from the record.
    pub divergence: Option<Divergence>,
}

/// A reply that differs from the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The number of plies before it.
    pub ply: u32,
    /// The reply, or the diagnosis of a rejected reply.
    pub reply: String,
    /// The recorded action.
    pub recorded: String,
}

/// The number of plies before the first decision of a recorded game, or of one `seat` in it.
///
/// # Errors
/// The record is inconsistent.
pub fn first_decision_to_reask(
    source: &RecordedGame<'_>,
    seat: Option<Seat>,
) -> Result<u32, ReplayError> {
    let mut cursor = ReaskCursor::new(source)?;
    let decides = |asked: SeatSet| match seat {
        Some(seat) => asked.contains(seat),
        None => !asked.is_empty(),
    };
    let is_over = |turn: &Turn| matches!(turn, Turn::Over(_));
    while !decides(cursor.position().turn().asked())
        && !is_over(&cursor.position().turn())
        && cursor.step()?
    {}
    Ok(cursor.position().ply())
}

/// The seat that decides after `ply` plies of a recorded game. If both do, returns the `wanted`
/// one, or else the player's `own`.
///
/// # Errors
/// No seat decides after that ply, or another seat does.
pub fn seat_to_reask(
    source: &RecordedGame<'_>,
    ply: u32,
    wanted: Option<Seat>,
    own: Option<Seat>,
) -> Result<Seat, NoDecision> {
    let mut cursor = ReaskCursor::new(source)?;
    while cursor.position().ply() < ply || matches!(cursor.position().turn(), Turn::Chance(_)) {
        if !cursor.step()? {
            break;
        }
    }
    let reached = cursor.position().ply();
    if reached > ply {
        return Err(NoDecision::InOpening { first: reached });
    }
    if reached < ply {
        return Err(ReplayError::Short { plies: reached, wanted: ply }.into());
    }
    let turn = cursor.position().turn();
    let wanted = if turn.asked().len() > 1 { wanted.or(own) } else { wanted };
    let name = |seat: Seat| source.rules.seats()[seat].clone();
    match (turn, wanted) {
        (Turn::Move(seat), None) => Ok(seat),
        (Turn::Move(seat), Some(wanted)) if seat == wanted => Ok(seat),
        (Turn::Together(asked), Some(wanted)) if asked.contains(wanted) => Ok(wanted),
        (Turn::Together(_), Some(wanted)) => Err(NoDecision::NotAsked(name(wanted))),
        (Turn::Together(_), None) => Err(NoDecision::SeveralSeats),
        (Turn::Move(seat), Some(_)) => Err(NoDecision::OtherSeat(name(seat))),
        (Turn::Pass(seat), _) => Err(NoDecision::ForcedPass(name(seat))),
        (Turn::Chance(_), _) => Err(NoDecision::Chance),
        (Turn::Over(_), _) => Err(NoDecision::Over),
    }
}

/// The reason why a recorded game has no decision at this point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoDecision {
    /// The first decision comes later, after the opening.
    #[error("the opening takes {first} plies; choose a later ply")]
    InOpening {
        /// The number of plies in the opening.
        first: u32,
    },
    /// Several seats decide here, and none was named.
    #[error("several seats decide there; choose one with --seat")]
    SeveralSeats,
    /// Several seats decide here, but not this one.
    #[error("{0} has no turn there")]
    NotAsked(Text),
    /// This seat decides here.
    #[error("{0} decides there")]
    OtherSeat(Text),
    /// This seat is forced to pass here.
    #[error("{0} must pass there: there is nothing to decide")]
    ForcedPass(Text),
    /// The record ends before an outcome of chance.
    #[error("the record ends before a roll there")]
    Chance,
    /// The game is over here.
    #[error("the game is over there")]
    Over,
    /// The record is inconsistent.
    #[error(transparent)]
    Record(#[from] ReplayError),
}

/// The reason why a player could not be re-asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// The record is inconsistent.
    #[error(transparent)]
    Record(#[from] ReplayError),
    /// No seat has a turn after this many plies.
    #[error("no seat decides after {}", Plies(*.0))]
    Nobody(u32),
    /// The referee could not start the player, or the game failed.
    #[error(transparent)]
    Unplayable(Unplayable),
}

impl From<GameError> for NotAsked {
    fn from(error: GameError) -> Self {
        Self::Unplayable(error.into())
    }
}

/// Replays the game to `player` and asks it for `decision`. Stops early if the player makes a fault
/// on the way, other than a rejected action.
///
/// # Errors
/// The record has no such decision, or the player could not be started.
pub async fn ask_again(
    source: &RecordedGame<'_>,
    decision: DecisionPoint,
    player: &mut Player,
) -> Result<Asked, NotAsked> {
    let seat = decision.seat;
    let mut cursor = ReaskCursor::new(source)?;
    let control = with_own_short_clock(source.control, source.record.own_clocks()[seat]);
    let begun = player.begin(&cursor.init(seat, &control)).await;
    let mut asked = Asked {
        position: cursor.position().boxed(),
        events: Vec::new(),
        greeted: None,
        outcome: Ok(String::new()),
        resigned: false,
        used: Duration::ZERO,
        divergence: None,
    };
    match begun {
        Ok(greeted) => asked.greeted = Some(greeted),
        Err(NotStarted::Fault(fault)) => return Ok(Asked { outcome: Err(fault), ..asked }),
        Err(NotStarted::Shortage(shortage)) => {
            return Err(NotAsked::Unplayable(shortage.into()));
        }
        Err(NotStarted::Game(error)) => return Err(NotAsked::Unplayable(error.into())),
    }
    let mut delivered = 0;
    loop {
        let ply = cursor.position().ply();
        if cursor.position().turn().asks(seat) {
            asked.position = cursor.position().boxed();
            asked.events = cursor.events[delivered..].to_vec();
            let answer = reask_decision(&cursor, seat, &asked.events, player).await?;
            asked.resigned = answer.decided.as_ref().is_ok_and(|(_, reply)| reply.resigns);
            asked.used = answer.time.map_or(Duration::ZERO, |time| time.charged);
            asked.outcome = answer.decided.map(|(action, _)| action);
            delivered = cursor.events.len();
            if ply == decision.ply && asked.outcome.is_ok() {
                let extra = player.spoke_unasked().await;
                asked.outcome = extra.map_or(asked.outcome, Err);
            }
            if ply == decision.ply || ends_reask(&asked.outcome) {
                return Ok(asked);
            }
            note_reask_straying(&mut asked, ply, cursor.replay.recorded_answer(seat));
        } else if ply > decision.ply {
            return Err(NotAsked::Nobody(decision.ply));
        }
        if !cursor.step()? {
            return Err(ReplayError::Short { plies: ply, wanted: decision.ply }.into());
        }
    }
}

/// The lines sent to a player in that seat up to the decision, without newlines. `greeting`
/// contains the parts that it wants.
pub async fn reask_lines(
    source: &RecordedGame<'_>,
    decision: DecisionPoint,
    greeting: &Greeting,
) -> Result<Vec<String>, NotAsked> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let greeting = greeting.clone();
    let respond = move |line: &str| {
        let mut heard = sink.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(line.trim_end().to_owned());
        // Its reply to a turn does not matter: the replay follows the record.
        Some(if heard.len() == 1 { greeting.to_line(0) } else { "-".to_owned() })
    };
    let mut player = Player::Wire(Box::new(Wire::local(Box::new(respond))));
    ask_again(source, decision, &mut player).await?;
    drop(player);
    let lines = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(lines)
}

async fn reask_decision(
    cursor: &ReaskCursor<'_, '_>,
    seat: Seat,
    events: &[Event],
    player: &mut Player,
) -> Result<Answered, GameError> {
    let source = cursor.source;
    let setup = GameSetup {
        rules: source.rules,
        control: source.control,
        tc: source.record.own_clocks(),
        policy: source.policy,
        adjudication: None,
        opening: &[],
        seeds: source.record.seed.values.clone(),
    };
    let turn = PendingTurn::new(seat, &setup, cursor.position(), events, &cursor.clocks);
    turn.ask(player).await
}

/// Whether a player with this reply can no longer be asked.
fn ends_reask(outcome: &Result<String, Fault>) -> bool {
    let may_go_on = |fault: &Fault| matches!(fault.code, FaultCode::Malformed | FaultCode::Illegal);
    outcome.as_ref().is_err_and(|fault| !may_go_on(fault))
}

fn note_reask_straying(asked: &mut Asked, ply: u32, recorded: Option<&str>) {
    let reply = match &asked.outcome {
        Ok(action) => action.clone(),
        Err(fault) => fault.message.clone(),
    };
    let Some(recorded) = recorded.filter(|recorded| *recorded != reply) else { return };
    let recorded = recorded.to_owned();
    asked.divergence.get_or_insert(Divergence { ply, reply, recorded });
}

/// A point in a recorded game, with the events so far and the clocks.
struct ReaskCursor<'s, 'a> {
    source: &'s RecordedGame<'a>,
    replay: Replay<'a>,
    events: Vec<Event>,
    clocks: BySeat<Clock>,
}

impl<'s, 'a> ReaskCursor<'s, 'a> {
    /// The game after its opening.
    fn new(source: &'s RecordedGame<'a>) -> Result<Self, ReplayError> {
        let mut replay = Replay::with_rules(source.rules, source.record)?;
        let events = replay.play_opening()?;
        let clocks = start_replay_clocks(source.control, source.record);
        Ok(Self { source, replay, events, clocks })
    }

    fn position(&self) -> &dyn AnyPosition {
        self.replay.current_position()
    }

    /// The first message to `player`, with the time limits `control`.
    fn init<'v>(&'v self, seat: Seat, control: &'v TimeControl) -> InitView<'v> {
        let tc = self.source.record.own_clocks();
        let opponent = tc.others(seat).next().unwrap_or(seat);
        let opponent = with_own_short_clock(self.source.control, tc[opponent]);
        InitView {
            seat,
            rules: self.source.rules,
            position: self.position(),
            control,
            opponent_increment: opponent.increment,
            seed: self.source.record.seed[seat],
            opening: &self.source.record.opening,
        }
    }

    /// Plays the next step, and charges decisions to the clock. Returns `false` at the end of the
    /// record.
    fn step(&mut self) -> Result<bool, ReplayError> {
        let Some(played) = self.replay.next().transpose()? else { return Ok(false) };
        for seat in played.turn.asked().iter() {
            self.clocks[seat].spend(played.used[seat].unwrap_or_default());
        }
        self.events.extend(played.events);
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
