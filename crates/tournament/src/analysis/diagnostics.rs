//! Findings from the games besides the ranking: how they ended, how clocks were used, results that
//! the ratings do not explain, and players that decide alike. Pure functions of the log.

pub mod clocks;
pub mod copies;
pub mod decisions;
pub mod look_alikes;
mod visitor;
pub mod workers;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use self::clocks::{ClockUse, Clocks};
use self::decisions::DecisionHash;
use self::look_alikes::{LookAlike, LookAlikes};
pub use self::visitor::Diagnoser;
use self::workers::{WorkerCollector, WorkerResults};
use crate::analysis::results::NamedResults;
use referee_games::Seat;
use referee_ratings::{Cycle, Unexplained, cycles, unexplained};
use referee_ratings::{Estimate, Fit, SeatEffects};
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::GameOutline;

/// All findings; players are listed by name, as configured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnostics {
    /// How much stronger, in Elo, a player is at the first seat than at the second.
    pub first_advantage: Estimate,
    /// The p-value of the players' seat effects: how likely they differ this much by chance, 0 … 1.
    pub seat_effects_p: f64,
    /// The share of drawn games, 0 … 1; 0 if there are no games.
    pub draw_share: f64,
    /// The fitted chance of a draw between equals, 0 … 1.
    pub draw_rate: f64,
    /// The correlation between a player's scores in the two games of a pair, −1 … 1.
    pub pair_correlation: f64,
    /// The number of games that ended for each reason, the most first; faults are included.
    pub endings: Vec<EndingCount>,
    /// The number of faults by code; codes that did not occur are absent.
    pub faults: BTreeMap<FaultCode, u32>,
    /// The clock use of each player that was asked for a move, in order.
    pub clocks: Vec<ClockUse>,
    /// Players whose results the ratings do not explain, the most unusual first.
    pub unexplained: Vec<UnexplainedPlayer>,
    /// Significant three-cycles, the clearest first.
    pub cycles: Vec<PlayerCycle>,
    /// Players that are the same by the hash of their command and files: groups of names.
    pub copies: Vec<Vec<String>>,
    /// Players that decide alike, the most similar first: a reason to look closer, not a verdict.
    pub look_alikes: Vec<LookAlike>,
    /// The results by worker, if workers played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<WorkerResults>,
}

/// A player whose results differ from opponent to opponent more than chance explains.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnexplainedPlayer {
    /// The player's name.
    pub player: String,
    /// How likely results are at least as uneven by chance, corrected for the number of players.
    pub p_value: f64,
    /// The opponent against whom it did best, compared with the expectation.
    pub best_against: String,
    /// The deviation from the expectation, in standard errors.
    pub best_deviation: f64,
    /// The opponent against whom it did worst, compared with the expectation.
    pub worst_against: String,
    /// The deviation from the expectation, in standard errors; negative.
    pub worst_deviation: f64,
}

/// Three players: each beats the next, and the last beats the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerCycle {
    /// Their names.
    pub players: [String; 3],
    /// The p-value: the largest chance of one of the three results between equal players, corrected
    /// for the number of pairings.
    pub p_value: f64,
}

/// A reason for which games ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndingCount {
    /// A reason of the rules, or a fault's code.
    pub reason: String,
    /// Whether it was a fault.
    pub fault: bool,
    /// The number of games.
    pub games: u32,
}

/// Collects the data for diagnostics, one game at a time. Its size grows with the number of
/// players, not of games.
#[derive(Debug)]
pub(crate) struct DiagnosticsCollector {
    /// The players' numbers, by name.
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    endings: BTreeMap<(String, bool), u32>,
    clocks: Clocks,
    look_alikes: LookAlikes,
    workers: WorkerCollector,
}

impl DiagnosticsCollector {
    /// Creates an observer for players with these names.
    pub(crate) fn new(names: &[String]) -> Self {
        Self {
            numbers: names.iter().cloned().zip(0..).collect(),
            names: names.to_vec(),
            endings: BTreeMap::new(),
            clocks: Clocks::new(names.len()),
            look_alikes: LookAlikes::default(),
            workers: WorkerCollector::default(),
        }
    }

    /// Adds a game and its decisions. Unknown players are ignored.
    pub(crate) fn add(
        &mut self,
        game: &GameOutline,
        summary: GameSummary,
        decisions: &[DecisionHash],
    ) {
        let ending = (game.reason.clone(), summary.is_faulted());
        *self.endings.entry(ending).or_default() += 1;
        let players = Seat::BOTH.map(|seat| self.numbers.get(&game.players[seat]).copied());
        if let [Some(first), Some(second)] = players {
            self.workers.add(game, summary, [first, second]);
        }
        for (seat, player) in Seat::BOTH.into_iter().zip(players) {
            let Some(player) = player else { continue };
            self.clocks.add(player, &game.clock.used_ns[seat]);
            for decision in decisions.iter().filter(|decision| decision.seat == seat) {
                self.look_alikes.add(player, decision);
            }
        }
    }

    /// The findings, with the ratings of the same games. It leaves copied players out, because the
    /// games do not show them.
    pub(crate) fn conclude(
        &self,
        results: &NamedResults,
        fit: &Fit,
        seats: &SeatEffects,
    ) -> Diagnostics {
        let mut endings: Vec<EndingCount> = self
            .endings
            .iter()
            .map(|((reason, fault), &games)| EndingCount {
                reason: reason.clone(),
                fault: *fault,
                games,
            })
            .collect();
        endings.sort_by_key(|ending| std::cmp::Reverse(ending.games));
        let mut faults = BTreeMap::new();
        for player in 0..self.names.len() {
            for (&code, count) in results.faults(player) {
                *faults.entry(code).or_default() += count;
            }
        }
        let total = results.counts.total();
        let name = |player: usize| results.names()[player].clone();
        let named = |odd: Unexplained| UnexplainedPlayer {
            player: name(odd.player),
            p_value: odd.p_value,
            best_against: name(odd.best_against),
            best_deviation: odd.best_deviation,
            worst_against: name(odd.worst_against),
            worst_deviation: odd.worst_deviation,
        };
        let cycle = |it: Cycle| PlayerCycle { players: it.players.map(name), p_value: it.p_value };
        Diagnostics {
            first_advantage: fit.first_advantage,
            seat_effects_p: seats.p_value,
            draw_share: f64::from(total.draws) / f64::from(total.games().max(1)),
            draw_rate: fit.draw_rate(),
            pair_correlation: fit.pair_correlation,
            endings,
            faults,
            clocks: self.clocks.uses(&self.names),
            unexplained: unexplained(&results.counts, fit).into_iter().map(named).collect(),
            cycles: cycles(&results.counts).into_iter().map(cycle).collect(),
            copies: Vec::new(),
            look_alikes: self.look_alikes.found(&self.names),
            workers: self.workers.conclude(&self.names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_ratings::{fit, seat_effects};
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::{distinct, faulty, game};

    #[test]
    fn endings_and_faults_are_counted() {
        let names = ["ant", "bee"].map(str::to_owned);
        let (mut results, mut observer) =
            (NamedResults::new(&names), DiagnosticsCollector::new(&names));
        let crash = [("black", FaultCode::Crash)];
        let lost = GameRecord { reason: "crash".into(), ..game("ant", "bee", "white") };
        let games = [
            distinct(game("ant", "bee", "white"), 1),
            distinct(game("bee", "ant", "draw"), 2),
            distinct(faulty(lost, &crash), 3),
        ];
        for game in &games {
            results.add(game).expect("known players");
            let summary = GameSummary::of(game).expect("a result");
            observer.add(&game.outline(), summary, &[]);
        }
        let (fit, seats) = (fit(&results.counts, &[]), seat_effects(&results.counts, &[]));
        let found = observer.conclude(&results, &fit.expect("a fit"), &seats.expect("a test"));
        let ending =
            |reason: &str, fault, games| EndingCount { reason: reason.into(), fault, games };
        assert_eq!(found.endings, [ending("elimination", false, 2), ending("crash", true, 1)]);
        assert_eq!(found.faults, BTreeMap::from([(FaultCode::Crash, 1)]));
        assert!((found.draw_share - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.clocks.len(), 2);
    }
}
