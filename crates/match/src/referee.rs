//! Plays one game, from the greetings to its end: turn → ask → check → play.
//!
//! The loop is one exhaustive `match` over the turns of a position. It does not depend on the game.

mod ask;
#[cfg(any(test, feature = "examples"))]
pub mod plan;
mod report;
mod shared_core;

use std::pin::pin;
use std::time::Duration;

pub(crate) use ask::{Answered, PendingTurn};
pub use report::{Ending, GameReport, GameTrace};

use self::shared_core::{OpponentCpu, undisturbed};
use crate::player::{EndView, InitView, NotStarted, Player};
use referee_games::{
    AnyPosition, BySeat, Event, GameError, PASS, Position, Seat, Step, Stream, Text, TextStep, Turn,
};
use referee_protocol::{Reply, Score};
use referee_record::model::clock::{Clock, ClockVerdict, TimeControl, seconds};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::record::FaultPolicy;
use referee_record::model::rules::GameRules;
use referee_record::model::warning::{GameWarning, PlayerWarning};
use referee_record::seeds::Luck;
use referee_sandbox::Shortage;

/// The conditions of a game, besides its players.
#[derive(Debug)]
pub struct GameSetup<'a> {
    /// The rules in force.
    pub rules: &'a GameRules,
    /// The time limits.
    pub control: &'a TimeControl,
    /// The policy after a rejected action.
    pub policy: FaultPolicy,
    /// The steps before the first turn, legal from the start position, including chance.
    pub opening: &'a [TextStep],
    /// The seeds given to the players.
    pub seeds: BySeat<u64>,
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
pub async fn play(
    setup: &GameSetup<'_>,
    luck: &mut Luck,
    players: &mut BySeat<Player>,
    observe: StepObserver<'_>,
) -> Result<GameReport, Unplayable> {
    let mut table = GameLoop::new(setup, luck, players, observe)?;
    let ending = match Ending::by_faults(table.begin().await?) {
        Some(ending) => ending,
        None => table.run().await?,
    };
    Ok(table.end(ending).await)
}

/// A game in progress.
struct GameLoop<'a, 'o> {
    setup: &'a GameSetup<'a>,
    seats: BySeat<Text>,
    luck: &'a mut Luck,
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
}

/// An action, or the fault in its place.
type Decided = Result<String, Fault>;

/// The step that the players decided on, or how their faults end the game.
type DecidedStep = Result<TextStep, Ending>;

impl<'a, 'o> GameLoop<'a, 'o> {
    fn new(
        setup: &'a GameSetup<'a>,
        luck: &'a mut Luck,
        players: &'a mut BySeat<Player>,
        observe: StepObserver<'o>,
    ) -> Result<Self, GameError> {
        let mut table = Self {
            setup,
            seats: setup.rules.seats(),
            luck,
            players,
            observe,
            position: setup.rules.start.clone(),
            events: Vec::new(),
            sent: BySeat::default(),
            clocks: BySeat::from_fn(|_| Clock::new(*setup.control)),
            frozen: BySeat::default(),
            trace: GameTrace::default(),
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

    /// Starts both players, one after the other, even if the first fails. Returns their faults.
    async fn begin(&mut self) -> Result<BySeat<Option<Fault>>, Unplayable> {
        let mut faults = BySeat::default();
        for seat in Seat::BOTH {
            let view = InitView {
                seat,
                rules: self.setup.rules,
                position: &*self.position,
                control: self.setup.control,
                seed: self.setup.seeds[seat],
                opening: &self.trace.opening,
            };
            let (player, opponent) = self.players.pick_mut(seat);
            match undisturbed(player.begin(&view), opponent, self.setup.control).await {
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

    async fn run(&mut self) -> Result<Ending, GameError> {
        loop {
            let step = match self.position.turn() {
                Turn::Over(outcome) => return Ok(Ending::Rules(outcome)),
                Turn::Chance(stream) => Ok(Step::Chance(self.draw(stream))),
                Turn::Pass(_) => Ok(Step::Pass),
                Turn::Move(seat) => self.decide_alone(seat).await?,
                Turn::Both => self.decide_together().await?,
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

    fn draw(&mut self, stream: Stream) -> String {
        self.luck.draw(stream, &self.position.outcomes())
    }

    fn record(&mut self, step: TextStep) {
        match step {
            Step::Move(action) => self.trace.actions.push(action),
            Step::Pass => self.trace.actions.push(PASS.to_owned()),
            Step::Both(BySeat { first, second }) => self.trace.actions.extend([first, second]),
            Step::Chance(drawn) => self.trace.rolls.push(drawn),
        }
    }

    fn advance(&mut self, step: &TextStep) -> Result<(), GameError> {
        let before = self.events.len();
        self.position.play(step.as_text(), &mut self.events)?;
        (self.observe)(&*self.position, &self.events[before..]);
        Ok(())
    }

    async fn decide_alone(&mut self, seat: Seat) -> Result<DecidedStep, GameError> {
        let decided = self.decide(seat, self.clocks).await?;
        Ok(decided.map(Step::Move).map_err(|fault| Ending::Fault(seat, fault)))
    }

    /// Asks both seats. Neither is told the other's action or time. (On a shared core, the seat asked
    /// second can estimate the first one's time by its own clock.) Both replies are awaited before
    /// either is judged.
    async fn decide_together(&mut self) -> Result<DecidedStep, GameError> {
        let decided = if self.setup.control.ponder {
            self.ask_at_once().await?
        } else {
            self.ask_in_order().await?
        };
        Ok(match (decided.first, decided.second) {
            (Ok(first), Ok(second)) => Ok(Step::Both(BySeat::new(first, second))),
            (Err(fault), Ok(_)) => Err(Ending::Fault(Seat::First, fault)),
            (Ok(_), Err(fault)) => Err(Ending::Fault(Seat::Second, fault)),
            (Err(first), Err(second)) => Err(Ending::DoubleFault(BySeat::new(first, second))),
        })
    }

    /// Asks the seats one after the other, because they share a core. The order alternates by ply.
    async fn ask_in_order(&mut self) -> Result<BySeat<Decided>, GameError> {
        let clocks = self.clocks;
        Ok(if self.position.ply().is_multiple_of(2) {
            let first = self.decide(Seat::First, clocks).await?;
            BySeat::new(first, self.decide(Seat::Second, clocks).await?)
        } else {
            let second = self.decide(Seat::Second, clocks).await?;
            BySeat::new(self.decide(Seat::First, clocks).await?, second)
        })
    }

    /// Asks both seats at the same time, because each has its own core.
    async fn ask_at_once(&mut self) -> Result<BySeat<Decided>, GameError> {
        let [first, second] = Seat::BOTH.map(|seat| {
            let events = &self.events[self.sent[seat]..];
            PendingTurn::new(seat, self.setup, &*self.position, events, self.clocks).at_once()
        });
        let BySeat { first: one, second: other } = self.players.as_mut();
        let (first, second) = tokio::join!(first.ask(one), second.ask(other));
        let first = self.settle(Seat::First, first?);
        Ok(BySeat::new(first, self.settle(Seat::Second, second?)))
    }

    /// Asks one seat for this turn's action. The turn began with these clocks.
    async fn decide(&mut self, seat: Seat, clocks: BySeat<Clock>) -> Result<Decided, GameError> {
        let events = &self.events[self.sent[seat]..];
        let question = PendingTurn::new(seat, self.setup, &*self.position, events, clocks);
        let (player, opponent) = self.players.pick_mut(seat);
        let control = self.setup.control;
        // Pinned, because moving the whole turn into another future would copy kilobytes.
        let mut answered = undisturbed(pin!(question.ask(player)), opponent, control).await?;
        let taken = self.watch_pondering(!seat);
        match (&mut answered.used, &answered.decided) {
            (Some(used), Ok(_)) => *used = taken.refunded(*used, control),
            (Some(_), Err(fault))
                if fault.code == FaultCode::Timeout && taken.may_have_cost_the_reply(control) =>
            {
                self.trace.disturber = Some(!seat);
            }
            _ => {}
        }
        Ok(self.settle(seat, answered))
    }

    /// Saves the outcome of a turn: the time, rejected replies, and comments on the action.
    fn settle(&mut self, seat: Seat, answered: Answered) -> Decided {
        let Answered { decided, used, refusals } = answered;
        let ply = self.position.ply();
        self.sent[seat] = self.events.len();
        for Fault { code, message, .. } in refusals {
            self.warn(seat, PlayerWarning::AskedAgain { ply, code, message });
        }
        let decided = decided.map(|(action, reply)| {
            self.keep_remarks(seat, reply);
            action
        });
        match used {
            Some(used) => self.settle_clock(seat, used, decided),
            None => decided,
        }
    }

    fn settle_clock(&mut self, seat: Seat, used: Duration, decided: Decided) -> Decided {
        let allowance = self.clocks[seat].allowance().unwrap_or_default();
        let verdict = self.clocks[seat].spend(used);
        self.trace.used[seat].push(used);
        match decided {
            Ok(_) if verdict == ClockVerdict::Late => Err(Fault::new(
                FaultCode::Timeout,
                format!("{} used of {}, retries included", seconds(used), seconds(allowance)),
            )),
            decided => decided,
        }
    }

    /// Returns the CPU time that a player used on the opponent's turn that just ended. A player
    /// that ponders is frozen now, and after each of its replies from now on.
    fn watch_pondering(&mut self, seat: Seat) -> OpponentCpu {
        let player = &mut self.players[seat];
        let used = OpponentCpu(player.end_off_turn());
        if !self.setup.control.ponder && self.frozen[seat].is_none() && player.ponders() {
            player.freeze_off_turn();
            player.freeze();
            self.frozen[seat] = Some(self.position.ply());
        }
        used
    }

    fn warn(&mut self, seat: Seat, warning: PlayerWarning) {
        self.trace.warnings.push(GameWarning { seat, warning });
    }

    fn keep_remarks(&mut self, seat: Seat, reply: Reply) {
        let (ply, by) = (self.position.ply(), self.seats[seat].clone());
        for dropped in reply.warnings {
            self.warn(seat, PlayerWarning::Dropped { ply, why: dropped });
        }
        if reply.note.is_some() || reply.eval.is_some() {
            self.trace.note(ply, &by, reply.note, reply.eval);
        }
    }

    async fn end(mut self, ending: Ending) -> GameReport {
        let scores = ending.scores();
        let reason = ending.reason().to_owned();
        for seat in Seat::BOTH {
            let view = EndView {
                seat,
                seats: &self.seats,
                position: &*self.position,
                events: &self.events[self.sent[seat]..],
                scores: scores.map(Score),
                reason: &reason,
            };
            self.players[seat].end(&view).await;
        }
        for (seat, since) in self.frozen.iter() {
            self.trace.frozen[seat] = *since;
        }
        self.trace.plies = self.position.ply();
        GameReport { ending, trace: self.trace }
    }
}

#[cfg(test)]
mod tests;
