//! Beginnings of games: the actions and rolls up to a decision, as a record that can be told.

use std::sync::Arc;
use std::time::Duration;

use crate::model::fault::Fault;
use crate::model::record::GameRecord;
use crate::player::PlayerStatistics;
use crate::referee::{Ending, Kept, Report};
use crate::run::record::Account;
use crate::schedule::Fixture;
use crate::seeds::{Luck, game_id};
use referee_games::{BySeat, Game, Seat, Step, StepOf, Turn};

/// The beginning of a game, up to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beginning {
    /// The actions, forced passes included.
    pub actions: Vec<String>,
    /// What was drawn.
    pub rolls: Vec<String>,
    /// Plies.
    pub plies: u32,
}

impl Beginning {
    /// The start of a game, with the rolls before its first decision.
    pub fn start<G: Game>(rules: &Arc<G::Rules>, luck: &mut Luck) -> Self {
        let mut position = G::start(rules);
        let mut start = Self::default();
        while let Turn::Chance(stream, outcomes) = position.turn() {
            let step: StepOf<G> = Step::Chance(luck.draw(stream, &outcomes));
            start.push::<G>(&step);
            position.play_silently(step);
        }
        start
    }

    /// Takes in the next step.
    pub fn push<G: Game>(&mut self, step: &StepOf<G>) {
        match step {
            Step::Move(action) => self.actions.push(action.to_string()),
            Step::Both(BySeat { first, second }) => {
                self.actions.extend([first, second].map(ToString::to_string));
            }
            Step::Chance(drawn) => {
                self.rolls.push(drawn.to_string());
                return;
            }
        }
        self.plies += 1;
    }

    /// A record that has this as its opening and nothing behind it but the fault of `seat`, which
    /// took `startup` to start.
    pub fn record<G: Game>(
        &self,
        names: &BySeat<String>,
        seeds: BySeat<u64>,
        number: u32,
        (seat, startup, fault): (Seat, Duration, Option<Fault>),
    ) -> GameRecord {
        let mut faults = BySeat::default();
        faults[seat] = fault;
        let mut kept = Kept {
            opening: self.actions.clone(),
            rolls: self.rolls.clone(),
            plies: self.plies,
            ..Kept::default()
        };
        kept.startup[seat] = startup;
        let account = Account {
            seats: G::SEATS,
            names: names.clone(),
            seeds,
            report: Report { ending: Ending::Faults(faults), kept },
            statistics: BySeat::from_fn(|_| PlayerStatistics::default()),
            wall: startup,
        };
        let fixture = Fixture { players: BySeat::new(0, 1), pair: number, game: 1 };
        account.record(game_id(&names.first, &names.second, number, 1), fixture, Vec::new())
    }
}
