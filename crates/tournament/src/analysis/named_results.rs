//! Results by player name, with faults.

#[cfg(any(test, feature = "examples"))]
pub mod examples;

use referee_record::model::fixture::Lineup;
use std::collections::{BTreeMap, HashMap};

use referee_games::SeatMap;
use referee_protocol::Usage;
use referee_ratings::{
    DealTable, FixedRating, RatingError, Results, ScoredGame, ScoredGames, SeatedGame, Seating,
};
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::{GameSummary, UnknownResult};
use referee_record::model::record::{Anchor, GameRecord, Header, fixed_anchor_ratings};
use referee_record::model::stage::RankedBy;

/// How often a player made each fault; codes that did not occur are absent.
pub type FaultCounts = BTreeMap<FaultCode, u32>;

/// Whether games that ended in a fault count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Faulted {
    /// They count like any other game.
    #[default]
    Count,
    /// They are left out as if they had not been played; the faults themselves are still counted.
    LeaveOut,
}

/// An error in games that are to be counted or rated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// A game or an anchor names a player that is not in the tournament.
    #[error("no player is called {0:?}")]
    UnknownPlayer(String),
    /// A game has the same player at both seats.
    #[error("{0:?} cannot play against itself")]
    SelfPlay(String),
    /// A game has an invalid result.
    #[error(transparent)]
    Result(#[from] UnknownResult),
    /// The given ratings cannot be used.
    #[error(transparent)]
    Rating(#[from] RatingError),
}

/// The results of a tournament. Players are numbered from 0, in the order of the given names.
#[derive(Debug, Clone)]
pub struct NamedResults {
    /// The scores, to which ratings are fitted.
    pub counts: Results,
    /// The games with final scores; if points put the players in order, all games.
    pub scored: ScoredGames,
    /// What puts the players in order.
    pub(crate) rank: RankedBy,
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    faulted: Faulted,
    faults: Vec<FaultCounts>,
    /// How often games were void because a player could not reach its service, by player; none if no
    /// player may be the cause of that.
    outages: Option<Vec<u32>>,
    /// What the players used of their services; none if no player reported anything or has a limit.
    usage: Option<Vec<Usage>>,
    /// The names of the seats, if these are not two; empty if it is not known who had which.
    seats: Vec<String>,
}

impl NamedResults {
    /// Empty results for players with these (distinct) names.
    pub(crate) fn new(names: &[String]) -> Self {
        Self {
            counts: Results::new(names.len()),
            scored: ScoredGames::new(names.len(), 2, Seating::Known),
            rank: RankedBy::Ratings,
            names: names.to_vec(),
            numbers: names.iter().cloned().enumerate().map(|(n, name)| (name, n)).collect(),
            faulted: Faulted::Count,
            faults: vec![FaultCounts::new(); names.len()],
            outages: None,
            usage: None,
            seats: Vec::new(),
        }
    }

    /// Empty results of games such as the header's, for players with these (distinct) names.
    pub(crate) fn for_header(header: &Header, names: &[String]) -> Self {
        let counts = header.empty_results(names.len());
        let seats = if counts.table().is_some() { header.seats.values() } else { &[] };
        let DealTable { seats: number, seating, .. } = header.table();
        let scored = ScoredGames::new(names.len(), number, seating);
        let seats = seats.to_vec();
        let mut results = Self { counts, scored, rank: header.rank, seats, ..Self::new(names) };
        results.count_outages(header);
        results
    }

    /// Counts void games from now on, if a tournament with this header can have any.
    pub(super) fn count_outages(&mut self, header: &Header) {
        if header.players.iter().any(|player| player.outages > 0) {
            self.outages.get_or_insert_with(|| vec![0; self.names.len()]);
        }
    }

    /// Adds what a player used.
    pub(super) fn add_usage(&mut self, player: usize, usage: Usage) {
        let players = self.names.len();
        self.usage.get_or_insert_with(|| vec![Usage::default(); players])[player] += usage;
    }

    /// Empty results of games that are not of two known seats, for players with these (distinct)
    /// names.
    pub(crate) fn at_table(names: &[String], table: DealTable, seats: Vec<String>) -> Self {
        let counts = Results::at_table(names.len(), table);
        let scored = ScoredGames::new(names.len(), table.seats, table.seating);
        Self { counts, scored, seats, ..Self::new(names) }
    }

    /// The same results with or without games that ended in a fault.
    #[must_use]
    pub(crate) fn with_faulted(self, faulted: Faulted) -> Self {
        Self { faulted, ..self }
    }

    /// The same results with what puts the players in order.
    #[must_use]
    pub(crate) fn ranked_by(self, rank: RankedBy) -> Self {
        Self { rank, ..self }
    }

    /// Counts a game.
    ///
    /// # Errors
    ///
    /// When the record names an unknown player, names the same player twice, or has an unknown
    /// result. The game is then not counted.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), AnalysisError> {
        let players = self.player_numbers(&game.players)?;
        let scores = game.final_scores();
        self.add_summary(
            players,
            Some(game.pair),
            GameSummary::from_record(game)?,
            scores.as_deref(),
        );
        Ok(())
    }

    /// The numbers of different players.
    fn player_numbers(&self, names: &SeatMap<String>) -> Result<Lineup, AnalysisError> {
        let names = names.values.values();
        let is_again = |&(at, name): &(usize, &String)| names[..at].contains(name);
        if let Some((_, twice)) = names.iter().enumerate().find(is_again) {
            return Err(AnalysisError::SelfPlay(twice.clone()));
        }
        names.iter().map(|name| self.number(name)).collect()
    }

    /// Counts a game between the players with these numbers, with its final scores by seat if it has
    /// some; without a deal, by itself.
    ///
    /// # Panics
    ///
    /// When a number is out of range, or these are results of another number of seats.
    pub(crate) fn add_summary(
        &mut self,
        players: Lineup,
        deal: Option<u32>,
        game: GameSummary,
        scores: Option<&[f64]>,
    ) {
        for seat in players.seats() {
            if let Some(code) = game.faults.of(seat) {
                *self.faults[players.at(seat)].entry(code).or_default() += 1;
            }
            if let Some(outages) = &mut self.outages {
                outages[players.at(seat)] += u32::from(game.outages.of(seat));
            }
        }
        if game.is_faulted() && self.faulted == Faulted::LeaveOut {
            game.add_completion_to(&mut self.counts, players);
        } else {
            game.add_to(&mut self.counts, players, deal);
            if scores.is_some() || self.rank == RankedBy::Scores {
                game.add_scores_to(&mut self.scored, players, deal, scores);
            }
        }
    }

    /// Counts a game of several seats with its final scores, if it has some, in which the players at
    /// these seats made these faults.
    ///
    /// # Panics
    ///
    /// When a number is out of range, or these are results of another number of seats.
    pub(crate) fn add_seated(
        &mut self,
        game: &SeatedGame<'_>,
        faults: &[Option<FaultCode>],
        scores: Option<&[f64]>,
    ) {
        for (&player, code) in game.players.iter().zip(faults) {
            if let Some(code) = code {
                *self.faults[player].entry(*code).or_default() += 1;
            }
        }
        if game.forfeits.contains(&true) && self.faulted == Faulted::LeaveOut {
            self.counts.add_seated_completion(game);
        } else {
            self.counts.add_seated(game);
            if scores.is_some() || self.rank == RankedBy::Scores {
                self.scored.add(&ScoredGame::from_seated(game, scores));
            }
        }
    }

    /// The names of the seats, if these are not two; empty if it is not known who had which.
    pub fn seats(&self) -> &[String] {
        &self.seats
    }

    /// The players' names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the player called `name`.
    ///
    /// # Errors
    ///
    /// When no player has this name.
    pub fn number(&self, name: &str) -> Result<usize, AnalysisError> {
        let number = self.numbers.get(name).copied();
        number.ok_or_else(|| AnalysisError::UnknownPlayer(name.to_owned()))
    }

    /// The given ratings by player number.
    ///
    /// # Errors
    ///
    /// When a rating names an unknown player.
    pub(crate) fn given_ratings(
        &self,
        anchors: &[Anchor],
    ) -> Result<Vec<FixedRating>, AnalysisError> {
        fixed_anchor_ratings(anchors, &self.names)
            .map_err(|anchor| AnalysisError::UnknownPlayer(anchor.player.clone()))
    }

    /// The faults of a player, by code.
    pub fn faults(&self, player: usize) -> &FaultCounts {
        &self.faults[player]
    }

    /// How often games were void because this player could not reach its service; none if no player
    /// may be the cause of that.
    pub fn outages(&self, player: usize) -> Option<u32> {
        self.outages.as_ref().map(|outages| outages[player])
    }

    /// What this player used of its service, in all games that were played; none if no player
    /// reported anything or has a limit.
    pub fn usage(&self, player: usize) -> Option<Usage> {
        self.usage.as_ref().map(|usage| usage[player])
    }
}

#[cfg(test)]
mod tests {
    use super::examples::results;
    use super::*;
    use referee_ratings::{Completion, Outcomes};
    use referee_record::model::record::examples::{distinct, faulty, game, header};

    #[test]
    fn void_games_are_counted_if_any_of_several_tournaments_can_have_them() {
        let mut results = results(&["ant", "bee"], &[]);
        let mut header = header(&["ant", "bee"]);
        results.count_outages(&header);
        assert_eq!(results.outages(0), None);
        header.players[1].outages = 2;
        results.count_outages(&header);
        let mut played = game("ant", "bee", "white");
        played.outages.0.insert("white".to_owned(), 2);
        results.add(&played).expect("known players");
        assert_eq!([0, 1].map(|player| results.outages(player)), [Some(2), Some(0)]);
        results.count_outages(&header);
        assert_eq!(results.outages(0), Some(2));
    }

    #[test]
    fn usage_is_added_if_it_is_known_of_anyone() {
        let mut results = results(&["ant", "bee"], &[]);
        assert_eq!(results.usage(0), None);
        for tokens in [3, 4] {
            results.add_usage(1, Usage { tokens, ..Usage::default() });
        }
        let total = Usage { tokens: 7, ..Usage::default() };
        assert_eq!([0, 1].map(|it| results.usage(it)), [Some(Usage::default()), Some(total)]);
    }

    #[test]
    fn both_lose_a_double_fault() {
        let mut results = results(&["ant", "bee"], &[(0, 1, "draw")]);
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Timeout)];
        results.add(&faulty(game("bee", "ant", "draw"), &both)).expect("known players");
        assert_eq!(results.faults(0), &FaultCounts::from([(FaultCode::Timeout, 1)]));
        assert_eq!(results.faults(1), &FaultCounts::from([(FaultCode::Crash, 1)]));
        let lost = Outcomes { wins: 0, draws: 1, losses: 1 };
        assert_eq!([results.counts.outcomes_of(0), results.counts.total_outcomes()], [lost; 2]);
        let completion = Completion { finished: 1, forfeited: 1, spared: 0 };
        assert_eq!(results.counts.completion(1), completion);
    }

    #[test]
    fn invalid_records_are_not_counted() {
        let mut results = results(&["ant", "bee"], &[]);
        let unknown = results.add(&game("ant", "eel", "white"));
        assert_eq!(unknown, Err(AnalysisError::UnknownPlayer("eel".into())));
        let own = results.add(&game("ant", "ant", "white"));
        assert_eq!(own, Err(AnalysisError::SelfPlay("ant".into())));
        let red = results.add(&game("ant", "bee", "red"));
        assert!(matches!(red, Err(AnalysisError::Result(_))));
        assert_eq!(results.counts.total_outcomes().games(), 0);
    }

    #[test]
    fn the_same_game_again_is_a_copy_unless_it_has_no_action() {
        let mut results = results(&["ant", "bee"], &[]);
        let same = |pair| GameRecord { pair, ..game("ant", "bee", "white") };
        for pair in 1..=3 {
            results.add(&same(pair)).expect("known players");
        }
        assert_eq!(results.counts.copies(), BTreeMap::from([((0, 1), 2)]));
        for pair in 4..=6 {
            let crashed = GameRecord { actions: vec![], ..same(pair) };
            results.add(&crashed).expect("known players");
        }
        assert_eq!(results.counts.copies(), BTreeMap::from([((0, 1), 2)]));
    }

    #[test]
    fn games_with_faults_can_be_left_out() {
        let owned = ["ant", "bee"].map(str::to_owned);
        let mut results = NamedResults::new(&owned).with_faulted(Faulted::LeaveOut);
        let late = faulty(game("ant", "bee", "white"), &[("black", FaultCode::Timeout)]);
        results.add(&late).expect("known players");
        results.add(&distinct(game("ant", "bee", "black"), 2)).expect("known players");
        assert_eq!(results.counts.outcomes_of(1), Outcomes { wins: 1, draws: 0, losses: 0 });
        assert_eq!(results.faults(1), &FaultCounts::from([(FaultCode::Timeout, 1)]));
        assert_eq!(
            results.counts.completion(1).forfeited,
            1,
            "what happened is known all the same"
        );
    }
}
