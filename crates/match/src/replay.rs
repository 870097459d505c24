//! Plays games step by step from a script: a record, a list of actions, or chance.
//!
//! Besides the referee's own loop, only [`next_replay_step`] decides who acts and how many texts a
//! turn takes. [`Replay`] replays a record.

pub mod event_descriptions;
pub mod frames;
mod record_script;
pub mod turning_points;

use std::time::Duration;

use self::record_script::RecordScript;
use referee_games::{
    AnyPosition, BySeat, Event, GameError, Position, Refusal, Seat, Step, StepText, Stream,
    TextStep, Turn, safe_one_line,
};
use referee_record::model::clock::{Clock, TimeControl};
use referee_record::model::game_rules::GameRules;
use referee_record::model::plies::Plies;
use referee_record::model::record::GameRecord;
use referee_record::model::short_clock::with_own_short_clock;
use referee_record::seeds::SeededLuck;

/// Supplies the answers to turns.
pub trait ReplayScript {
    /// The texts of actions and outcomes.
    type Text: AsRef<str>;

    /// The reason why the script cannot continue.
    type Error;

    /// The action of `seat`, which is to act; `None` if the script ends. If several seats
    /// are asked, they come in order.
    fn action(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
    ) -> Result<Option<Self::Text>, Self::Error>;

    /// The outcome drawn from `stream`; `None` if the script ends.
    fn outcome(
        &mut self,
        position: &dyn AnyPosition,
        stream: Stream,
    ) -> Result<Option<Self::Text>, Self::Error>;

    /// Called when `seat` is forced to pass. Returns false to end the script.
    fn pass(&mut self, _position: &dyn AnyPosition, _seat: Seat) -> Result<bool, Self::Error> {
        Ok(true)
    }

    /// Called when the game is over.
    fn over(&mut self, _position: &dyn AnyPosition) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// A script whose actions are chosen turn by turn, and whose outcomes are drawn.
#[derive(Debug)]
pub struct DrawnScript<'l, C> {
    /// The luck that outcomes are drawn from.
    pub luck: &'l mut SeededLuck,
    /// Chooses the action of a seat; see [`ReplayScript::action`].
    pub choose: C,
}

impl<C> ReplayScript for DrawnScript<'_, C>
where
    C: FnMut(&dyn AnyPosition, Seat) -> Result<Option<String>, GameError>,
{
    type Text = String;
    type Error = GameError;

    fn action(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
    ) -> Result<Option<String>, GameError> {
        (self.choose)(position, seat)
    }

    fn outcome(
        &mut self,
        position: &dyn AnyPosition,
        stream: Stream,
    ) -> Result<Option<String>, GameError> {
        Ok(Some(self.luck.draw(stream, &position.outcomes())))
    }
}

pub(crate) type ScriptStep<S> = Step<<S as ReplayScript>::Text>;

/// The next step of a game according to a script; `None` if the game or the script ends.
///
/// # Errors
/// Those of the script.
pub fn next_replay_step<S: ReplayScript>(
    position: &dyn AnyPosition,
    script: &mut S,
) -> Result<Option<ScriptStep<S>>, S::Error> {
    Ok(match position.turn() {
        Turn::Move(seat) => script.action(position, seat)?.map(Step::Move),
        Turn::Together(seats) => {
            let mut actions = Vec::with_capacity(seats.len());
            for seat in seats.iter() {
                let Some(action) = script.action(position, seat)? else { return Ok(None) };
                actions.push(action);
            }
            Some(Step::Together(actions))
        }
        Turn::Pass(seat) => script.pass(position, seat)?.then_some(Step::Pass),
        Turn::Chance(stream) => script.outcome(position, stream)?.map(Step::Chance),
        Turn::Over(_) => {
            script.over(position)?;
            None
        }
    })
}

/// A step of a replayed game.
#[derive(Debug, Clone)]
pub struct ReplayStep<'a> {
    /// The turn that the step answers.
    pub(crate) turn: Turn,
    /// The step itself.
    pub step: StepText<'a>,
    /// The events of the step.
    pub events: Vec<Event>,
    /// The time that each asked seat used.
    pub used: BySeat<Option<Duration>>,
    /// Whether it belongs to the opening, in which players are not asked.
    pub is_opening: bool,
}

/// Replays a recorded game, step by step.
///
/// Each item is a step. Between two items, [`current_position`](Self::current_position) is the
/// position after the last step.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a GameRecord,
    script: RecordScript<'a>,
    position: Position,
    /// How many of the recorded times were consumed, by seat.
    timed: BySeat<usize>,
}

impl<'a> Replay<'a> {
    /// Replays a game under these rules, from its own start position if it has one.
    ///
    /// # Errors
    /// The game's options or its number of seats differ from the record's.
    pub fn with_rules(rules: &GameRules, record: &'a GameRecord) -> Result<Self, ReplayError> {
        Self::new(&rules.with_own_options(&record.options)?.start, record)
    }

    /// A recorded game at its start.
    ///
    /// # Errors
    /// The game's number of seats differs from the record's.
    pub fn new(start: &Position, record: &'a GameRecord) -> Result<Self, ReplayError> {
        let seats = record.players.len();
        if start.seats().len() != seats {
            return Err(ReplayError::OtherSeats(seats));
        }
        Ok(Self {
            record,
            script: RecordScript::new(record),
            position: start.clone(),
            timed: BySeat::default_for(seats),
        })
    }

    /// The current position.
    pub fn current_position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    /// Whether the next action belongs to the opening.
    pub fn is_in_opening(&self) -> bool {
        self.script.played() < self.record.opening.len()
    }

    /// The next recorded answer of `seat`, which is to act.
    pub fn recorded_answer(&self, seat: Seat) -> Option<&'a str> {
        let asked = self.position.turn().asked();
        self.script.peek(asked.iter().take_while(|&other| other < seat).count())
    }

    /// Plays the opening and the chance that follows it. Returns the events.
    ///
    /// # Errors
    /// The record is inconsistent.
    pub(crate) fn play_opening(&mut self) -> Result<Vec<Event>, ReplayError> {
        let has_opening = !self.record.opening.is_empty();
        let mut events = Vec::new();
        while self.is_in_opening() || has_opening && matches!(self.position.turn(), Turn::Chance(_))
        {
            let Some(played) = self.next().transpose()? else { break };
            events.extend(played.events);
        }
        Ok(events)
    }

    /// The times of seats that are asked now but have no recorded answer, because the game ended
    /// here by a fault.
    pub(crate) fn unanswered_times(&mut self) -> BySeat<Option<Duration>> {
        self.next_times(&self.position.turn())
    }

    /// The next times of the seats asked in a turn.
    fn next_times(&mut self, turn: &Turn) -> BySeat<Option<Duration>> {
        let mut all = BySeat::default_for(self.timed.len());
        for seat in turn.asked().iter() {
            let times = &self.record.clock.used_ns[seat];
            all[seat] = times.get(self.timed[seat]).copied().map(Duration::from_nanos);
            self.timed[seat] += 1;
        }
        all
    }

    fn step(&mut self) -> Result<Option<ReplayStep<'a>>, ReplayError> {
        let turn = self.position.turn();
        let given = self.record.opening.len().saturating_sub(self.script.played());
        let mut events = Vec::new();
        let played = self.play(|position, step| position.play(step, &mut events))?;
        let Some(step) = played else { return Ok(None) };
        mark_opening_events(&mut events, given);
        let is_opening = given > 0;
        let used =
            if is_opening { BySeat::default_for(self.timed.len()) } else { self.next_times(&turn) };
        Ok(Some(ReplayStep { turn, step, events, used, is_opening }))
    }

    /// Plays the next step without its events, and returns it; `None` at the end of the record.
    ///
    /// # Errors
    /// The record is inconsistent.
    pub fn skip_step(&mut self) -> Result<Option<StepText<'a>>, ReplayError> {
        self.play(|position, step| position.play_silently(step))
    }

    /// Plays the next step as `how` says, and returns it.
    fn play(
        &mut self,
        how: impl FnOnce(&mut dyn AnyPosition, StepText<'_>) -> Result<(), GameError>,
    ) -> Result<Option<StepText<'a>>, ReplayError> {
        let ply = self.position.ply();
        let Some(step) = next_replay_step(&*self.position, &mut self.script)? else {
            return Ok(None);
        };
        let played = how(&mut *self.position, step.clone());
        played.map_err(|error| self.refused_step_error(ply, &step, error))?;
        Ok(Some(step))
    }

    /// The rejected text of a step, and the reason.
    fn refused_step_error(&self, ply: u32, step: &StepText<'_>, error: GameError) -> ReplayError {
        // If a rules program failed, it said nothing about the step.
        if matches!(error, GameError::Program(_)) {
            return ReplayError::Game(error);
        }
        if let Step::Chance(outcome) = step {
            return ReplayError::Impossible((*outcome).to_owned());
        }
        for (seat, text) in self.position.turn().asked().iter().zip(step.actions()) {
            if let Err(GameError::Refused(refusal)) = self.position.judge(seat, text) {
                return ReplayError::Illegal { ply, text: text.to_owned(), refusal };
            }
        }
        ReplayError::Game(error)
    }
}

impl<'a> Iterator for Replay<'a> {
    type Item = Result<ReplayStep<'a>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// Marks the first `given` actions as the opening.
fn mark_opening_events(events: &mut [Event], mut given: usize) {
    for event in events {
        if let Event::Action { opening, .. } = event {
            *opening = given > 0;
            given = given.saturating_sub(1);
        }
    }
}

/// The clocks of a recorded game when its first turn begins; `control` has the time limits of players
/// without a clock of their own.
pub fn start_replay_clocks(control: &TimeControl, record: &GameRecord) -> BySeat<Clock> {
    record
        .own_clocks()
        .iter()
        .map(|(seat, tc)| {
            let mut clock = Clock::new(with_own_short_clock(control, *tc));
            clock.charge_startup(Duration::from_nanos(record.clock.startup_ns[seat]));
            clock
        })
        .collect()
}

/// The steps of a recorded game up to its decision after `ply` plies, including the chance before
/// that decision.
///
/// # Errors
/// The record is inconsistent, or has fewer plies.
pub fn replay_steps_to(
    start: &Position,
    record: &GameRecord,
    ply: u32,
) -> Result<Vec<TextStep>, ReplayError> {
    let mut replay = Replay::new(start, record)?;
    let mut steps = Vec::new();
    loop {
        let reached = replay.current_position().ply();
        let is_chance = matches!(replay.current_position().turn(), Turn::Chance(_));
        if reached >= ply && !is_chance {
            return Ok(steps);
        }
        match replay.next().transpose()? {
            Some(played) => steps.push(played.step.to_owned()),
            None if reached == ply => return Ok(steps),
            None => return Err(ReplayError::Short { plies: reached, wanted: ply }),
        }
    }
}

/// The reason why a record is inconsistent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// This action comes after the end of the game.
    #[error("`{}` is recorded after the end of the game", safe_one_line(.0))]
    AfterEnd(String),
    /// The outcome of chance before this action is missing.
    #[error("`{}` is recorded where a roll is missing", safe_one_line(.0))]
    NoOutcome(String),
    /// This outcome is recorded at a turn without chance.
    #[error("`{}` is a roll, but nothing is rolled here", safe_one_line(.0))]
    NoChance(String),
    /// This action is recorded instead of a forced pass.
    #[error("`{}` is recorded instead of a forced pass", safe_one_line(.0))]
    NotPassed(String),
    /// Several seats are asked here, but only this action is recorded.
    #[error("`{}` is one action, but several seats move at once", safe_one_line(.0))]
    Alone(String),
    /// This outcome is impossible here.
    #[error("`{}` cannot come up here", safe_one_line(.0))]
    Impossible(String),
    /// The rules reject an action.
    #[error("ply {ply}: `{}` was not legal: {}", safe_one_line(text), safe_one_line(&refusal.to_string()))]
    Illegal {
        /// The plies before it.
        ply: u32,
        /// The action.
        text: String,
        /// The reason.
        #[source]
        refusal: Refusal,
    },
    /// The record has this many seats, and the game another number.
    #[error("the record has {0} seats, unlike the game")]
    OtherSeats(usize),
    /// The game has fewer plies than requested.
    #[error("the game has only {}; there is no ply {wanted}", Plies(*plies))]
    Short {
        /// The plies of the game.
        plies: u32,
        /// The requested plies.
        wanted: u32,
    },
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
}

#[cfg(test)]
mod tests;
