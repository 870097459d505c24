//! Plays one game, from the greetings to its end: turn → ask → check → play.
//!
//! The loop is one exhaustive `match` over the turns of a position. It does not depend on the game.

mod decisions;
mod pending_turn;
mod referee_ending;
#[cfg(any(test, feature = "examples"))]
pub mod scripted_game;
mod shared_core;

pub(crate) use pending_turn::{Answered, PendingTurn};
pub use referee_ending::{GameReport, GameTrace, RefereeEnding};

use std::time::{Duration, Instant};

use self::shared_core::{await_with_others_frozen, split_player_from_others};
use crate::adjudication::adjudicate_position;
use crate::player::{EndView, InitView, NotStarted, Player};
use referee_games::{
    AnyPosition, BySeat, Event, GameError, Outcome, PASS, Position, Seat, Step, Stream, Text,
    TextStep, Turn,
};
use referee_protocol::Score;
use referee_record::model::adjudication::Adjudication;
use referee_record::model::bounds::LONGEST_NOTES;
use referee_record::model::clock::{Clock, TimeControl};
use referee_record::model::fault::Fault;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::FaultPolicy;
use referee_record::model::short_clock::{ShortClock, with_own_short_clock};
use referee_record::seeds::SeededLuck;
use referee_sandbox::Shortage;

/// The runtime gets its turn at least this often: it reads what players write to stderr and
/// notices an interrupt.
const RUNTIME_TURN: Duration = Duration::from_millis(10);

/// The conditions of a game, besides its players.
#[derive(Debug)]
pub struct GameSetup<'a> {
    /// The rules in force.
    pub rules: &'a GameRules,
    /// The time limits of players without a clock of their own.
    pub control: &'a TimeControl,
    /// The clocks of players that have their own.
    pub tc: BySeat<Option<ShortClock>>,
    /// The policy after a rejected action.
    pub policy: FaultPolicy,
    /// When the game ends before its rules say so; if absent, never.
    pub adjudication: Option<Adjudication>,
    /// The steps before the first turn, legal from the start position, including chance.
    pub opening: &'a [TextStep],
    /// The seeds given to the players.
    pub seeds: BySeat<u64>,
}

impl GameSetup<'_> {
    /// The time limits of a seat.
    pub(crate) fn control_of(&self, seat: Seat) -> TimeControl {
        with_own_short_clock(self.control, self.tc[seat])
    }
}

/// Observes a game: called after each step with the new position and its events.
pub(crate) type StepObserver<'o> = &'o mut (dyn FnMut(&dyn AnyPosition, &[Event]) + Send);

/// The reason why a game could not be played to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// The referee lacks resources to start a player.
    #[error(transparent)]
    Shortage(#[from] Shortage),
    /// The game's implementation failed. No player is at fault.
    #[error("the game failed: {0}")]
    Game(#[from] GameError),
}

/// Plays one game to its end. The caller then lets the players quit.
///
/// # Errors
/// The referee lacks resources to start a player, or the game's implementation failed.
pub async fn play_refereed_game(
    setup: &GameSetup<'_>,
    luck: &mut SeededLuck,
    players: &mut BySeat<Player>,
    observe: StepObserver<'_>,
) -> Result<GameReport, Unplayable> {
    let mut table = RefereedGame::new(setup, luck, players, observe)?;
    let ending = match RefereeEnding::by_faults(table.begin().await?) {
        Some(ending) => ending,
        None => table.run().await?,
    };
    Ok(table.end(ending).await)
}

/// A game in progress.
struct RefereedGame<'a, 'o> {
    setup: &'a GameSetup<'a>,
    seats: BySeat<Text>,
    luck: &'a mut SeededLuck,
    players: &'a mut BySeat<Player>,
    observe: StepObserver<'o>,
    position: Position,
    events: Vec<Event>,
    /// The number of events that each seat was sent.
    sent: BySeat<usize>,
    clocks: BySeat<Clock>,
    /// The ply since which a player is frozen off turn.
    frozen: BySeat<Option<u32>>,
    trace: GameTrace,
    /// How many more bytes of notes are kept; none if some were dropped.
    room_for_notes: BySeat<Option<usize>>,
    /// When the runtime last had its turn for sure.
    runtime_turn: Instant,
}

/// The decision of a player.
enum Decision {
    /// An action.
    Action(String),
    /// It gives the game up.
    Resignation,
}

/// A decision, or the fault in its place.
type Decided = Result<Decision, Fault>;

/// The step that the players decided on, or how their faults end the game.
type DecidedStep = Result<TextStep, RefereeEnding>;

impl<'a, 'o> RefereedGame<'a, 'o> {
    fn new(
        setup: &'a GameSetup<'a>,
        luck: &'a mut SeededLuck,
        players: &'a mut BySeat<Player>,
        observe: StepObserver<'o>,
    ) -> Result<Self, GameError> {
        let seats = setup.rules.seats();
        let count = seats.len();
        let mut table = Self {
            setup,
            seats,
            luck,
            players,
            observe,
            position: setup.rules.start.clone(),
            events: Vec::new(),
            sent: BySeat::default_for(count),
            clocks: BySeat::from_fn(count, |seat| Clock::new(setup.control_of(seat))),
            frozen: BySeat::default_for(count),
            trace: GameTrace {
                options: setup.rules.own.clone(),
                tc: setup.tc.clone(),
                ..GameTrace::new(count)
            },
            room_for_notes: BySeat::from_fn(count, |_| Some(LONGEST_NOTES / count)),
            runtime_turn: Instant::now(),
        };
        table.play_opening()?;
        Ok(table)
    }

    fn play_opening(&mut self) -> Result<(), GameError> {
        for step in self.setup.opening {
            if let Step::Chance(drawn) = step {
                self.trace.rolls.push(drawn.clone());
            }
            self.trace.opening.extend(step.as_text().actions().map(str::to_owned));
            self.position.play(step.as_text(), &mut self.events)?;
        }
        for event in &mut self.events {
            if let Event::Action { opening, .. } = event {
                *opening = true;
            }
        }
        Ok(())
    }

    /// Starts the players, one after the other, even if one fails. Returns their faults.
    async fn begin(&mut self) -> Result<BySeat<Option<Fault>>, Unplayable> {
        let mut faults = BySeat::default_for(self.seats.len());
        for seat in self.seats.seats() {
            let opponent = self.seats.others(seat).next().unwrap_or(seat);
            let view = InitView {
                seat,
                rules: self.setup.rules,
                position: &*self.position,
                control: &self.setup.control_of(seat),
                opponent_increment: self.setup.control_of(opponent).increment,
                seed: self.setup.seeds[seat],
                opening: &self.trace.opening,
            };
            let (player, others) = split_player_from_others(self.players, seat);
            match await_with_others_frozen(player.begin(&view), others, self.setup.control).await {
                Ok((greeting, took)) => {
                    self.clocks[seat].charge_startup(took);
                    self.trace.startup[seat] = took;
                    self.trace.greetings[seat] = greeting;
                }
                Err(NotStarted::Fault(fault)) => faults[seat] = Some(fault),
                Err(NotStarted::Shortage(shortage)) => return Err(shortage.into()),
                Err(NotStarted::Game(error)) => return Err(error.into()),
            }
        }
        Ok(faults)
    }

    async fn run(&mut self) -> Result<RefereeEnding, GameError> {
        loop {
            if self.runtime_turn.elapsed() > RUNTIME_TURN {
                tokio::task::yield_now().await;
                self.runtime_turn = Instant::now();
            }
            if let Some(outcome) = self.adjudicate() {
                return Ok(RefereeEnding::Rules(outcome));
            }
            let step = match self.position.turn() {
                Turn::Over(outcome) => return Ok(RefereeEnding::Rules(outcome)),
                Turn::Chance(stream) => Ok(Step::Chance(self.draw(stream))),
                Turn::Pass(_) => Ok(Step::Pass),
                Turn::Move(seat) => self.decide_alone(seat).await?,
                Turn::Together(seats) => self.decide(seats).await?,
            };
            match step {
                Ok(step) => {
                    self.advance(&step)?;
                    self.record(step);
                }
                Err(ending) => return Ok(ending),
            }
        }
    }

    /// How the game is adjudicated here, if it is.
    fn adjudicate(&self) -> Option<Outcome> {
        adjudicate_position(self.setup.adjudication.as_ref()?, &*self.position, &self.trace.notes)
    }

    fn draw(&mut self, stream: Stream) -> String {
        self.luck.draw(stream, &self.position.outcomes())
    }

    fn record(&mut self, step: TextStep) {
        match step {
            Step::Move(action) => self.trace.actions.push(action),
            Step::Pass => self.trace.actions.push(PASS.to_owned()),
            Step::Together(actions) => self.trace.actions.extend(actions),
            Step::Chance(drawn) => self.trace.rolls.push(drawn),
        }
    }

    fn advance(&mut self, step: &TextStep) -> Result<(), GameError> {
        let before = self.events.len();
        self.position.play(step.as_text(), &mut self.events)?;
        (self.observe)(&*self.position, &self.events[before..]);
        Ok(())
    }

    async fn end(mut self, ending: RefereeEnding) -> GameReport {
        let scores = ending.scores();
        let reason = ending.reason().to_owned();
        for seat in self.seats.seats() {
            let view = EndView {
                seat,
                seats: &self.seats,
                position: &*self.position,
                events: &self.events[self.sent[seat]..],
                scores: scores.clone().map(Score),
                places: ending.places(),
                reason: &reason,
            };
            self.players[seat].end(&view).await;
        }
        for (seat, since) in self.frozen.iter() {
            self.trace.frozen[seat] = *since;
        }
        self.trace.plies = self.position.ply();
        self.trace.scores = self.position.scores().cloned();
        GameReport { ending, trace: self.trace }
    }
}

#[cfg(test)]
mod tests;
