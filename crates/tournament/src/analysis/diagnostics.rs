//! Findings from the games besides the ranking: how they ended, how clocks were used, results that
//! the ratings do not explain, and players that decide alike. Pure functions of the log.

pub mod clock_use;
pub mod copies;
pub mod decision_hashes;
pub mod known_decisions;
pub mod look_alikes;
pub mod search_use;
pub mod warning_counts;
pub mod worker_results;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use serde::Serialize;

use self::clock_use::{ClockUse, ClockUseCollector};
use self::copies::group_copies;
use self::decision_hashes::{DecisionHash, hash_decisions};
use self::known_decisions::KnownDecisions;
use self::look_alikes::{FirstLegal, Habits, LookAlikes};
use self::search_use::{SearchUse, SearchUseCollector};
use self::warning_counts::{WarningCollector, WarningCount};
use self::worker_results::{WorkerCollector, WorkerResults};
use crate::analysis::logged_game::{LoggedGame, PassError};
use crate::analysis::seen_games::SeenGames;
use crate::analysis::tournament_analysis::TournamentAnalysis;
use crate::analysis::tournament_evaluation::TournamentEvaluation;
use crate::folder::FolderError;
use referee_match::replay::ReplayError;
use referee_ratings::{Cycle, Estimate, Unexplained, cycles, unexplained};
use referee_record::log::{LogError, LogProblem};
use referee_record::model::fault::FaultCode;
use referee_record::model::game_rules::GameRules;

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
    /// What players report about their searches, in order; those that report nothing are absent.
    pub searches: Vec<SearchUse>,
    /// The warnings in the records.
    pub warnings: Vec<WarningCount>,
    /// The highest number of a pair: how many openings were used, if there are that many.
    pub pairs: u32,
    /// Players whose results the ratings do not explain, the most unusual first.
    pub unexplained: Vec<UnexplainedPlayer>,
    /// Significant three-cycles, the clearest first.
    pub cycles: Vec<PlayerCycle>,
    /// Players that are the same by the hash of their command and files: groups of names.
    pub copies: Vec<Vec<String>>,
    /// Clusters of players that decide alike, the most similar first: a reason to look closer, not
    /// a verdict.
    pub look_alikes: Vec<LookAlikes>,
    /// Players that play the first legal action.
    pub first_legal: Vec<FirstLegal>,
    /// The results by worker, if workers played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<WorkerResults>,
}

impl Diagnostics {
    /// Whether two players are the same program, or decide alike.
    pub fn are_alike(&self, one: &str, other: &str) -> bool {
        let clusters = self.look_alikes.iter().map(|cluster| &cluster.players);
        let has = |names: &[String], name: &str| names.iter().any(|of| of == name);
        self.copies.iter().chain(clusters).any(|names| has(names, one) && has(names, other))
    }
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

/// Examines every game that counts, and its decisions. Its size grows with the number of players,
/// not of games.
pub struct Diagnoser {
    dir: PathBuf,
    rules: GameRules,
    /// The players' numbers, by name.
    numbers: HashMap<String, usize>,
    endings: BTreeMap<(String, bool), u32>,
    clocks: ClockUseCollector,
    searches: SearchUseCollector,
    warnings: WarningCollector,
    pairs: u32,
    decisions: KnownDecisions,
    /// The games visited so far.
    seen: SeenGames,
    workers: WorkerCollector,
}

impl Diagnoser {
    /// Creates a diagnoser for the games of this tournament, which have these rules. What an earlier
    /// one knows of their decisions is not looked for again.
    pub fn new(analysis: &TournamentAnalysis, rules: GameRules, known: KnownDecisions) -> Self {
        let names = analysis.evaluation.results.names();
        Self {
            dir: analysis.dir().to_owned(),
            rules,
            numbers: names.iter().cloned().zip(0..).collect(),
            endings: BTreeMap::new(),
            clocks: ClockUseCollector::new(names.len()),
            searches: SearchUseCollector::new(names.len(), analysis.header.clock.measure),
            warnings: WarningCollector::default(),
            pairs: 0,
            decisions: known,
            seen: SeenGames::default(),
            workers: WorkerCollector::default(),
        }
    }

    /// Examines a game.
    ///
    /// # Errors
    /// It counts, but cannot be read or replayed, or what is known is about other games.
    pub fn visit(&mut self, game: &LoggedGame) -> Result<(), PassError> {
        if !game.counts {
            return Ok(());
        }
        let names = game.record.players.values.values().iter();
        self.seen.add(names.filter_map(|name| self.numbers.get(name).copied()), game);
        if !self.decisions.agrees_with(&self.seen) {
            return Err(PassError::OtherGames);
        }
        if self.decisions.has_last_of(&self.seen) {
            return self.add(game, Ok(Vec::new()));
        }
        self.add(game, hash_decisions(&self.rules, &game.record))
    }

    /// Examines a game that was replayed already, with these decisions.
    ///
    /// # Errors
    /// It counts, but could not be replayed.
    pub fn add(
        &mut self,
        game: &LoggedGame,
        decisions: Result<Vec<DecisionHash>, ReplayError>,
    ) -> Result<(), PassError> {
        if !game.counts {
            return Ok(());
        }
        let decisions = decisions.map_err(|error| {
            let problem = LogProblem::Unplayable(error.into());
            FolderError::of_log(&self.dir)(LogError { line: game.line, problem })
        })?;
        let LoggedGame { record, summary, .. } = game;
        self.pairs = self.pairs.max(record.pair);
        let ending = (record.reason.clone(), summary.is_faulted());
        *self.endings.entry(ending).or_default() += 1;
        let players = record.players.values.as_ref().map(|name| self.numbers.get(name).copied());
        if let [Some(first), Some(second)] = players.values() {
            self.workers.add(record, *summary, [*first, *second]);
        }
        for (seat, player) in players.iter() {
            let Some(player) = *player else { continue };
            self.clocks.add(player, &record.clock.used_ns[seat]);
            self.searches.add(player, record, seat);
            self.warnings.add(player, record, seat);
            for decision in decisions.iter().filter(|decision| decision.seat == seat) {
                self.decisions.first.add(player, decision);
            }
        }
        Ok(())
    }

    /// The findings, after all games were visited, and what the next one need not look for.
    ///
    /// # Errors
    /// What is known is about other games.
    pub fn finish(
        self,
        analysis: &TournamentAnalysis,
    ) -> Result<(Diagnostics, KnownDecisions), PassError> {
        if !self.decisions.is_whole_in(&self.seen) {
            return Err(PassError::OtherGames);
        }
        let TournamentEvaluation { results, ranking, seats, .. } = &analysis.evaluation;
        let (fit, names, total) = (&ranking.fit, results.names(), results.counts.total_outcomes());
        let ending = |((reason, fault), games)| EndingCount { reason, fault, games };
        let mut endings: Vec<EndingCount> = self.endings.into_iter().map(ending).collect();
        endings.sort_by_key(|ending| std::cmp::Reverse(ending.games));
        let mut faults = BTreeMap::new();
        for (&code, count) in (0..names.len()).flat_map(|player| results.faults(player)) {
            *faults.entry(code).or_default() += count;
        }
        let name = |player: usize| names[player].clone();
        let odd = |odd: Unexplained| UnexplainedPlayer {
            player: name(odd.player),
            p_value: odd.p_value,
            best_against: name(odd.best_against),
            best_deviation: odd.best_deviation,
            worst_against: name(odd.worst_against),
            worst_deviation: odd.worst_deviation,
        };
        let cycle = |it: Cycle| PlayerCycle { players: it.players.map(name), p_value: it.p_value };
        let players = analysis.header.players.iter();
        let decisions = KnownDecisions::from_seen(self.decisions.first, &self.seen);
        let Habits { look_alikes, first_legal } = decisions.first.find_habits(names);
        let found = Diagnostics {
            first_advantage: fit.first_advantage,
            seat_effects_p: seats.p_value,
            draw_share: f64::from(total.draws) / f64::from(total.games().max(1)),
            draw_rate: fit.draw_rate(),
            pair_correlation: fit.pair_correlation,
            endings,
            faults,
            clocks: self.clocks.conclude(names),
            searches: self.searches.conclude(names),
            warnings: self.warnings.conclude(),
            pairs: self.pairs,
            unexplained: unexplained(&results.counts, fit).into_iter().map(odd).collect(),
            cycles: cycles(&results.counts).into_iter().map(cycle).collect(),
            copies: group_copies(players.map(|player| (&*player.name, &*player.hash))),
            look_alikes,
            first_legal,
            workers: self.workers.conclude(names),
        };
        Ok((found, decisions))
    }
}

#[cfg(test)]
mod tests {
    use super::look_alikes::LookAlikeDecisions;
    use super::*;
    use crate::analysis::named_results::Faulted;
    use crate::folder::{LineProblems, LogContents};
    use crate::schedule::tournament_state::TournamentState;
    use referee_match::referee::scripted_game;
    use referee_record::model::record::examples::{distinct, faulty, game, header};
    use referee_record::model::record::{GameRecord, Header};
    use referee_record::model::stage::Stage;

    /// The game at this index; white wins it by a crash if `crashed`, and it is a draw otherwise.
    fn record(state: &TournamentState, index: usize, crashed: bool) -> GameRecord {
        let fixture = state.fixture(index);
        let names = fixture.players.two().map(|player| state.name(player));
        let plain = GameRecord {
            id: state.id(index),
            pair: fixture.pair,
            game: fixture.game,
            ..game(names[0], names[1], if crashed { "white" } else { "draw" })
        };
        if !crashed {
            return distinct(plain, fixture.pair);
        }
        faulty(GameRecord { reason: "crash".into(), ..plain }, &[("black", FaultCode::Crash)])
    }

    /// Two games and one that ended by a crash, and their analysis.
    fn played() -> ([GameRecord; 3], TournamentAnalysis) {
        let header = Header { stages: vec![Stage::round_robin(2)], ..header(&["ant", "bee"]) };
        let mut state = TournamentState::new(&header);
        let games = [(0, false), (1, false), (2, true)].map(|(at, bad)| record(&state, at, bad));
        for game in &games {
            state.add(game).expect("it belongs");
        }
        let problems = LineProblems::default();
        let contents = LogContents { header, state, whole: 0, torn: false, problems };
        let analysis =
            TournamentAnalysis::from_contents(std::path::Path::new(""), contents, Faulted::Count);
        (games, analysis.expect("a fit"))
    }

    #[test]
    fn endings_and_faults_are_counted() {
        let (games, analysis) = played();
        let mut diagnoser = Diagnoser::new(
            &analysis,
            scripted_game::scripted_game_rules("w"),
            KnownDecisions::default(),
        );
        for record in &games {
            diagnoser.add(&LoggedGame::counted(record), Ok(Vec::new())).expect("it counts");
        }
        let found = diagnoser.finish(&analysis).expect("nothing was known").0;
        let ending =
            |reason: &str, fault, games| EndingCount { reason: reason.into(), fault, games };
        assert_eq!(found.endings, [ending("elimination", false, 2), ending("crash", true, 1)]);
        assert_eq!(found.faults, BTreeMap::from([(FaultCode::Crash, 1)]));
        assert!((found.draw_share - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.clocks.len(), 2);
    }

    #[test]
    fn games_whose_decisions_are_known_are_not_replayed() {
        let (games, analysis) = played();
        let games = games.each_ref().map(LoggedGame::counted);
        let visited = |order: &[usize]| {
            let mut seen = SeenGames::default();
            seen.add([0, 1].into_iter(), &games[0]);
            seen.add([1, 0].into_iter(), &games[1]);
            let known = KnownDecisions::from_seen(LookAlikeDecisions::default(), &seen);
            let mut diagnoser =
                Diagnoser::new(&analysis, scripted_game::scripted_game_rules("w"), known);
            order.iter().try_for_each(|&at| diagnoser.visit(&games[at]))?;
            diagnoser.finish(&analysis).map(drop)
        };
        assert!(visited(&[0, 1]).is_ok());
        // One of them no longer counts.
        assert!(matches!(visited(&[0]), Err(PassError::OtherGames)));
        // These rules do not allow its moves, so it was replayed.
        assert!(matches!(visited(&[0, 1, 2]), Err(PassError::Folder(_))));
        assert!(matches!(visited(&[1, 0]), Err(PassError::OtherGames)));
    }
}
