//! Beginnings of games: the actions and rolls up to a decision, stored like a record.

use std::time::Duration;

use referee_games::{
    AnyPosition, BySeat, GameError, Outcome, Places, Seat, Step, StepText, Text, Turn,
};
use referee_match::player::PlayerStatistics;
use referee_match::referee::{GameReport, GameTrace, RefereeEnding};
use referee_record::model::fault::Fault;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;
use referee_record::seeds::{SeededLuck, derive_game_id};
use referee_tournament::run::game_record::{GameRecordBuilder, VoidAttempts};

/// The beginning of a game, up to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beginning {
    /// The actions, including forced passes.
    pub actions: Vec<String>,
    /// The chance outcomes.
    pub rolls: Vec<String>,
    /// The number of plies.
    pub plies: u32,
}

impl Beginning {
    /// Starts a game and plays the chance events before its first decision.
    ///
    /// # Errors
    /// The game failed.
    pub fn start(rules: &GameRules, luck: &mut SeededLuck) -> Result<Self, GameError> {
        let rolls = Self::play_chance(&mut *rules.start.clone(), luck)?;
        Ok(Self { rolls, ..Self::default() })
    }

    /// Plays the chance events due in `position`, and returns their outcomes.
    ///
    /// # Errors
    /// The game failed.
    pub fn play_chance(
        position: &mut dyn AnyPosition,
        luck: &mut SeededLuck,
    ) -> Result<Vec<String>, GameError> {
        let mut rolls = Vec::new();
        while let Turn::Chance(stream) = position.turn() {
            let drawn = luck.draw(stream, &position.outcomes());
            position.play(Step::Chance(&drawn), &mut Vec::new())?;
            rolls.push(drawn);
        }
        Ok(rolls)
    }

    /// Adds the next step.
    pub fn push(&mut self, step: &StepText<'_>) {
        if let Step::Chance(drawn) = step {
            self.rolls.push((*drawn).to_owned());
            return;
        }
        self.actions.extend(step.actions().map(str::to_owned));
        self.plies += 1;
    }

    /// Makes a record whose opening is this beginning. It ends with a fault of `seat`, which took
    /// `startup` to start, or, without a fault, at the decision of `seat`.
    pub fn record(
        &self,
        seats: BySeat<Text>,
        names: &BySeat<String>,
        seeds: BySeat<u64>,
        number: u32,
        (seat, startup, fault): (Seat, Duration, Option<Fault>),
    ) -> GameRecord {
        let count = seats.len();
        let mut faults = BySeat::default_for(count);
        faults[seat] = fault;
        let unplayed = || {
            RefereeEnding::Rules(Outcome {
                places: Places::level(count),
                reason: "unplayed".into(),
            })
        };
        let ending = RefereeEnding::by_faults(faults).unwrap_or_else(unplayed);
        let mut trace = GameTrace {
            opening: self.actions.clone(),
            rolls: self.rolls.clone(),
            plies: self.plies,
            ..GameTrace::new(count)
        };
        trace.startup[seat] = startup;
        let builder = GameRecordBuilder {
            seats,
            names: names.clone(),
            seeds,
            report: GameReport { ending, trace },
            statistics: BySeat::from_fn(count, |_| PlayerStatistics::default()),
            wall: startup,
        };
        let fixture = Fixture { players: (0..count).collect(), pair: number, game: 1 };
        let names: Vec<&str> = names.values().iter().map(String::as_str).collect();
        builder.build(derive_game_id(&names, number, 1), fixture, VoidAttempts::default())
    }
}
