//! Results: who met whom, and the outcomes of the games.

pub(crate) mod deals;
pub(crate) mod game_outcome;
pub(crate) mod pairs;
pub(crate) mod points;
pub(crate) mod rated_games;
pub(crate) mod seated_games;

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use foldhash::{HashMap, HashSet};

use crate::parameters::SeatEffect;
use crate::results::deals::{DealTable, Seating};
use crate::results::game_outcome::{GameOutcome, Outcomes};
use crate::results::pairs::{PairCounts, Side};
use crate::results::rated_games::RatedGames;
use crate::results::seated_games::{SeatedGame, SeatedScores};

/// A game as [`Results`] counts it. Players are numbers, from 0.
///
/// Games come in *pairs*: two games between the same players with the seats swapped, perhaps with
/// the same luck or opening. The two games of a pair may depend on each other; different pairs are
/// assumed to be independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedGame {
    /// The player at the first seat, the one that moves first.
    pub first: usize,
    /// The player at the second seat.
    pub second: usize,
    /// The number of the pair among all pairs of these two players.
    pub pair: u32,
    /// The result. `None` if both players forfeited: neither scores, and the game does not show who
    /// is better.
    pub outcome: Option<GameOutcome>,
    /// Whether the first seat and the second seat forfeited the game by a fault.
    pub forfeits: [bool; 2],
    /// Games with the same fingerprint are copies of each other. All of them score, but only the
    /// first one counts for ratings. `None` excludes the game from this comparison.
    pub fingerprint: Option<NonZeroU64>,
}

impl PlayedGame {
    /// A game that ended by the rules and is not a copy.
    pub fn by_rules(first: usize, second: usize, pair: u32, outcome: GameOutcome) -> Self {
        let (outcome, forfeits, fingerprint) = (Some(outcome), [false; 2], None);
        Self { first, second, pair, outcome, forfeits, fingerprint }
    }

    /// The scores of the first and the second seat, in half points.
    pub(crate) fn halves(self) -> [usize; 2] {
        self.outcome.map_or([0, 0], |outcome| {
            [outcome.halves(), GameOutcome::Win.halves() - outcome.halves()]
        })
    }
}

/// How a player's games ended: by the rules, or by a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Completion {
    /// Games that ended by the rules.
    pub finished: u32,
    /// Games that the player forfeited.
    pub forfeited: u32,
    /// Games that the opponent alone forfeited.
    pub spared: u32,
}

impl Completion {
    /// The number of games.
    pub fn games(self) -> u32 {
        self.finished + self.forfeited + self.spared
    }

    /// Counts a game that the player, an opponent, both or neither forfeited.
    pub fn add(&mut self, own_forfeit: bool, opponents_forfeit: bool) {
        let count = match (own_forfeit, opponents_forfeit) {
            (true, _) => &mut self.forfeited,
            (false, true) => &mut self.spared,
            (false, false) => &mut self.finished,
        };
        *count += 1;
    }

    /// Whether the player forfeited games, and none of its games ended by the rules.
    ///
    /// Games that the opponent forfeited prove nothing: the player might have failed as well.
    pub fn fails(self) -> bool {
        self.finished == 0 && self.forfeited > 0
    }

    /// Whether the player has a game that ended by the rules or by the opponent's fault, and does
    /// not [fail](Self::fails).
    pub fn plays(self) -> bool {
        !self.fails() && self.finished + self.spared > 0
    }
}

/// The summed results of a tournament. No game is stored: the size grows with the number of
/// pairings, plus one fingerprint per game.
///
/// All games count for the scores. Ratings leave out copies of earlier games and games that both
/// players forfeited, because they carry no information.
#[derive(Debug, Clone)]
pub struct Results {
    players: usize,
    /// The games of each two players that met, the lower number first.
    meetings: HashMap<(usize, usize), HeadToHead>,
    /// All games of each player at each seat, from its side.
    by_seat: Vec<TwoSeatResults>,
    completion: Vec<Completion>,
    /// Games whose partner has not been added yet, by players and pair.
    open: HashMap<(usize, usize, u32), (Side, GameOutcome)>,
    seen: HashSet<NonZeroU64>,
    /// The games, if they are not of two seats.
    seated: Option<SeatedScores>,
    /// The version before each player, if the player is a later version of another one.
    before: Vec<Option<usize>>,
    matched_elsewhere: bool,
}

/// The games of two players.
#[derive(Debug, Clone, Default)]
struct HeadToHead {
    /// The games with the upper player at the first seat, and the others.
    games: [TwoSeatResults; 2],
    /// The games that count for ratings, except those whose partner has not been added yet. `None`
    /// if no game counts.
    pairs: Option<PairCounts>,
    /// Copies of earlier games, with the upper player at the first seat and with the other.
    copies: [u32; 2],
    /// How many of the latest games, in a row, were copies.
    repeats: u32,
}

/// Games, counted from the side of the first seat and of the second.
#[derive(Debug, Clone, Copy, Default)]
struct TwoSeatResults {
    first: Outcomes,
    second: Outcomes,
}

impl TwoSeatResults {
    /// Counts a game.
    fn add(&mut self, game: PlayedGame) {
        let [first, second] = game.halves().map(Outcomes::from_halves);
        *self = Self { first: self.first + first, second: self.second + second };
    }
}

impl Results {
    /// No games yet of two seats, between this many players.
    pub fn new(players: usize) -> Self {
        Self {
            players,
            meetings: HashMap::default(),
            by_seat: vec![TwoSeatResults::default(); players],
            completion: vec![Completion::default(); players],
            open: HashMap::default(),
            seen: HashSet::default(),
            seated: None,
            before: vec![None; players],
            matched_elsewhere: false,
        }
    }

    /// Says that opponents may have been chosen by strengths that are known from elsewhere, as in
    /// divisions or by the ratings of another year. A fit then takes care not to take close games
    /// for a close field.
    pub fn set_matched_elsewhere(&mut self) {
        self.matched_elsewhere = true;
    }

    /// Whether opponents may have been chosen by strengths that are known from elsewhere.
    pub(crate) fn are_matched_elsewhere(&self) -> bool {
        self.matched_elsewhere
    }

    /// Says that a player is the next version of another one, by the same author: their strengths
    /// are likely to be alike. Each version has at most one before it, and none follows itself.
    ///
    /// # Panics
    ///
    /// If the player's number is too large.
    pub fn set_previous_version(&mut self, player: usize, before: usize) {
        self.before[player] = Some(before);
    }

    /// The version before each player.
    pub(crate) fn previous_versions(&self) -> &[Option<usize>] {
        &self.before
    }

    /// An empty list of games with the seats of `table`, between this many players.
    pub fn at_table(players: usize, table: DealTable) -> Self {
        Self { seated: Some(SeatedScores::new(players, table)), ..Self::new(players) }
    }

    /// Counts a game with the seats of the table.
    ///
    /// # Panics
    ///
    /// If these are results of another number of seats, a player's number is too large, or a list of
    /// the game has another length.
    pub fn add_seated(&mut self, game: &SeatedGame<'_>) {
        self.add_seated_completion(game);
        let is_copy = game.fingerprint.is_some_and(|fingerprint| !self.seen.insert(fingerprint));
        let Some(seated) = &mut self.seated else { panic!("results of two seats") };
        assert_eq!(game.players.len(), seated.table.seats, "a player for each seat");
        seated.add(game, is_copy);
    }

    /// Counts only how a game of several seats ended for its players. It neither scores nor affects
    /// ratings.
    ///
    /// # Panics
    ///
    /// If a player's number is too large.
    pub fn add_seated_completion(&mut self, game: &SeatedGame<'_>) {
        for (seat, &player) in game.players.iter().enumerate() {
            self.completion[player].add(game.forfeits[seat], game.is_spared(seat));
        }
    }

    /// Counts a game.
    ///
    /// # Panics
    ///
    /// If a player's number is too large.
    pub fn add(&mut self, game: PlayedGame) {
        let is_copy = game.outcome.is_some()
            && game.fingerprint.is_some_and(|fingerprint| !self.seen.insert(fingerprint));
        let counted = game.outcome.filter(|_| !is_copy);
        let other = counted.and_then(|outcome| self.pair_up(game, outcome));
        let (side, meeting) = (result_side(game), self.add_score(game));
        if is_copy {
            meeting.repeats += 1;
            meeting.copies[side as usize] += 1;
        }
        let Some(outcome) = counted else { return };
        meeting.repeats = 0;
        let counts = meeting.pairs.get_or_insert_default();
        match (other, side) {
            (None, _) => {}
            (Some((other, earlier)), _) if other == side => counts.add_single(side, earlier),
            (Some((_, earlier)), Side::Upper) => counts.add(outcome, earlier),
            (Some((_, earlier)), Side::Lower) => counts.add(earlier, outcome),
        }
    }

    /// Returns the other game of the pair if it exists, with the side that has the first seat.
    /// Otherwise stores this game until it comes; it also replaces an earlier game of the same side.
    fn pair_up(&mut self, game: PlayedGame, outcome: GameOutcome) -> Option<(Side, GameOutcome)> {
        let (side, (upper, lower)) = (result_side(game), results_key(game.first, game.second));
        let earlier = self.open.remove(&(upper, lower, game.pair));
        if earlier.is_none_or(|(other, _)| other == side) {
            self.open.insert((upper, lower, game.pair), (side, outcome));
        }
        earlier
    }

    /// Counts a game that belongs to no pair and is not a copy; its pair and its fingerprint are
    /// ignored. Nothing is stored for it, so results of any length fit into memory.
    ///
    /// # Panics
    ///
    /// If a player's number is too large.
    pub fn add_unpaired(&mut self, game: PlayedGame) {
        let meeting = self.add_score(game);
        if let Some(outcome) = game.outcome {
            meeting.pairs.get_or_insert_default().add_single(result_side(game), outcome);
        }
    }

    /// Counts a game for the scores. Returns the games of its two players.
    fn add_score(&mut self, game: PlayedGame) -> &mut HeadToHead {
        let PlayedGame { first, second, .. } = game;
        self.add_completion(game);
        let [at_first, at_second] = game.halves().map(Outcomes::from_halves);
        self.by_seat[first].first = self.by_seat[first].first + at_first;
        self.by_seat[second].second = self.by_seat[second].second + at_second;
        let meeting = self.meetings.entry(results_key(first, second)).or_default();
        meeting.games[result_side(game) as usize].add(game);
        meeting
    }

    /// Counts only how a game ended for its players. It neither scores nor affects ratings.
    ///
    /// # Panics
    ///
    /// If a player's number is too large, or these are results of games of several seats.
    pub fn add_completion(&mut self, game: PlayedGame) {
        assert!(self.seated.is_none(), "results of games of several seats");
        let [first, second] = game.forfeits;
        self.completion[game.first].add(first, second);
        self.completion[game.second].add(second, first);
    }

    /// The number of players.
    pub(crate) fn players(&self) -> usize {
        self.players
    }

    /// What the seats are worth in these games.
    pub(crate) fn seat_effect(&self) -> SeatEffect {
        match &self.seated {
            None => SeatEffect::Common,
            Some(SeatedScores { table, .. }) if table.seating == Seating::Known => {
                SeatEffect::Each(table.seats)
            }
            Some(_) => SeatEffect::Unknown,
        }
    }

    /// The games that ratings are fitted to.
    pub(crate) fn rated_games(&self) -> RatedGames {
        match &self.seated {
            None => RatedGames::Pairs(self.pairings()),
            Some(seated) => RatedGames::Deals(seated.deals.rated_deals(seated.table)),
        }
    }

    /// The pairs of games of two seats that ratings are fitted to, without copies: for each two
    /// players that met, the upper player's number (the lower of the two), the lower player's, and
    /// the counts of their pairs.
    pub fn pairings(&self) -> Vec<(usize, usize, PairCounts)> {
        let closed = |(&two, meeting): (&_, &HeadToHead)| Some((two, meeting.pairs?));
        let mut counts: HashMap<_, _> = self.meetings.iter().filter_map(closed).collect();
        for (&(upper, lower, _), &(side, outcome)) in &self.open {
            counts.entry((upper, lower)).or_default().add_single(side, outcome);
        }
        let mut pairings: Vec<_> =
            counts.into_iter().map(|((upper, lower), counts)| (upper, lower, counts)).collect();
        pairings.sort_unstable_by_key(|&(upper, lower, _)| (upper, lower));
        pairings
    }

    /// The number of copies of earlier games, by first and second player. Pairings without copies
    /// are not in the map.
    pub fn copies(&self) -> BTreeMap<(usize, usize), u32> {
        let both = |(&(upper, lower), meeting): (&(usize, usize), &HeadToHead)| {
            let [of_upper, of_lower] = meeting.copies;
            [((upper, lower), of_upper), ((lower, upper), of_lower)]
        };
        self.meetings.iter().flat_map(both).filter(|&(_, copies)| copies > 0).collect()
    }

    /// The number of copies of earlier games among those of `first` at the first seat against
    /// `second`.
    pub fn copies_between(&self, first: usize, second: usize) -> u32 {
        self.meeting(first, second).map_or(0, |meeting| meeting.copies[usize::from(first > second)])
    }

    /// How many of the latest games of two players, in a row, were copies of earlier ones.
    pub fn repeats(&self, one: usize, other: usize) -> u32 {
        self.meeting(one, other).map_or(0, |meeting| meeting.repeats)
    }

    fn meeting(&self, one: usize, other: usize) -> Option<&HeadToHead> {
        self.meetings.get(&results_key(one, other))
    }

    /// The games of `first` at the first seat against `second`, from the side of `first`.
    ///
    /// # Panics
    ///
    /// If a player's number is too large, as in all methods that take one.
    pub fn pairing(&self, first: usize, second: usize) -> Outcomes {
        self.outcomes_by_seat(first, second).first
    }

    fn outcomes_by_seat(&self, first: usize, second: usize) -> TwoSeatResults {
        let games = |meeting: &HeadToHead| meeting.games[usize::from(first > second)];
        self.meeting(first, second).map_or_else(TwoSeatResults::default, games)
    }

    /// All games of `player` against `opponent`, at either seat, from the side of `player`.
    pub fn outcomes_between(&self, player: usize, opponent: usize) -> Outcomes {
        match &self.seated {
            None => {
                self.outcomes_by_seat(player, opponent).first
                    + self.outcomes_by_seat(opponent, player).second
            }
            Some(seated) => seated.outcomes_between(player, opponent),
        }
    }

    /// All games of `player` at the first seat, from its side.
    pub fn outcomes_at_first(&self, player: usize) -> Outcomes {
        self.outcomes_at_seat(player, 0)
    }

    /// All games of `player` at the second seat, from its side.
    pub fn outcomes_at_second(&self, player: usize) -> Outcomes {
        self.outcomes_at_seat(player, 1)
    }

    /// All games of `player` at a seat, from its side. With more than two seats, a game has an
    /// outcome against each of the others.
    pub fn outcomes_at_seat(&self, player: usize, seat: usize) -> Outcomes {
        match &self.seated {
            None if seat == 0 => self.by_seat[player].first,
            None => self.by_seat[player].second,
            Some(seated) => seated.outcomes_at_seat(player, seat),
        }
    }

    /// All games of `player`, from its side.
    pub fn outcomes_of(&self, player: usize) -> Outcomes {
        (0..self.seats()).map(|seat| self.outcomes_at_seat(player, seat)).sum()
    }

    /// The number of seats of a game.
    pub fn seats(&self) -> usize {
        self.table().map_or(2, |table| table.seats)
    }

    /// What the games are like, if they are not those of [`new`](Self::new).
    pub fn table(&self) -> Option<DealTable> {
        self.seated.as_ref().map(|seated| seated.table)
    }

    /// The number of games of `player` at a seat.
    pub fn games_at_seat(&self, player: usize, seat: usize) -> u32 {
        match &self.seated {
            None => self.outcomes_at_seat(player, seat).games(),
            Some(seated) => seated.games_at_seat(player, seat),
        }
    }

    /// The number of games of `player` in each place, the best first; empty for games of two seats.
    pub fn places(&self, player: usize) -> &[u32] {
        self.seated.as_ref().map_or(&[], |seated| seated.places(player))
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.seated.as_ref().map_or_else(|| self.total_outcomes().games(), |seated| seated.games)
    }

    /// How the games of `player` ended, including games that do not score.
    pub fn completion(&self, player: usize) -> Completion {
        self.completion[player]
    }

    /// All games, from the first seat's side; of several seats, all comparisons from the side of the
    /// seat that comes first.
    pub fn total_outcomes(&self) -> Outcomes {
        match &self.seated {
            None => self.by_seat.iter().map(|outcomes| outcomes.first).sum(),
            Some(seated) => seated.total,
        }
    }
}

/// The numbers of two players, the upper player's first: the lower one.
fn results_key(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// The side that has the first seat.
fn result_side(game: PlayedGame) -> Side {
    if game.first < game.second { Side::Upper } else { Side::Lower }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::results::game_outcome::GameOutcome::{Draw, Loss, Win};
    use crate::results::points::Points;

    /// Games as `(first, second, outcome)`, each in a pair of its own.
    pub(crate) fn results(players: usize, games: &[(usize, usize, GameOutcome)]) -> Results {
        let mut results = Results::new(players);
        for (pair, &(first, second, outcome)) in (1..).zip(games) {
            results.add(PlayedGame::by_rules(first, second, pair, outcome));
        }
        results
    }

    /// Any small tournament of four players.
    pub(crate) fn any_results() -> impl Strategy<Value = Results> {
        let outcome = prop::sample::select(GameOutcome::ALL.to_vec());
        let game = (0..4_usize, 1..4_usize, outcome);
        prop::collection::vec(game, 0..60).prop_map(|games| {
            let games: Vec<_> =
                games.into_iter().map(|(i, step, outcome)| (i, (i + step) % 4, outcome)).collect();
            results(4, &games)
        })
    }

    /// A game that both players forfeited.
    pub(crate) fn double_forfeit(first: usize, second: usize, pair: u32) -> PlayedGame {
        let game = PlayedGame::by_rules(first, second, pair, Draw);
        PlayedGame { outcome: None, forfeits: [true, true], ..game }
    }

    /// A game that the player at the first seat forfeited.
    pub(crate) fn forfeit(loser: usize, winner: usize, pair: u32) -> PlayedGame {
        let game = PlayedGame::by_rules(loser, winner, pair, Loss);
        PlayedGame { forfeits: [true, false], ..game }
    }

    #[test]
    fn results_are_counted_by_seat() {
        let results = results(2, &[(0, 1, Win), (1, 0, Win), (1, 0, Draw)]);
        assert_eq!(results.pairing(1, 0), Outcomes { wins: 1, draws: 1, losses: 0 });
        assert_eq!(results.outcomes_between(0, 1), Outcomes { wins: 1, draws: 1, losses: 1 });
        assert_eq!(results.outcomes_at_first(0).score(), Points::from_wins_and_draws(1, 0));
        assert_eq!(results.outcomes_at_second(0).score(), Points::from_wins_and_draws(0, 1));
    }

    #[test]
    fn a_double_forfeit_scores_zero_and_is_not_rated() {
        let mut results = results(2, &[(0, 1, Draw)]);
        results.add(double_forfeit(1, 0, 1));
        let lost = Outcomes { wins: 0, draws: 1, losses: 1 };
        assert_eq!(
            [results.outcomes_of(0), results.outcomes_between(1, 0), results.total_outcomes()],
            [lost; 3]
        );
        let [(0, 1, counts)] = results.pairings()[..] else { panic!("one pairing") };
        assert_eq!((counts.pairs(), counts.singles(Side::Upper)), (0, 1));
        assert_eq!(results.completion(1), Completion { finished: 1, forfeited: 1, spared: 0 });
    }

    #[test]
    fn the_two_games_of_a_pair_find_each_other() {
        let mut results = Results::new(2);
        for (first, second, outcome, pair) in [(1, 0, Win, 1), (0, 1, Draw, 2), (0, 1, Loss, 1)] {
            results.add(PlayedGame::by_rules(first, second, pair, outcome));
        }
        let [(0, 1, counts)] = results.pairings()[..] else { panic!("one pairing") };
        assert_eq!(counts.by_outcome().collect::<Vec<_>>(), [(Loss, Win, 1)]);
        assert_eq!((counts.singles(Side::Upper), counts.singles(Side::Lower)), (1, 0));
    }

    #[test]
    fn copies_score_but_are_not_rated() {
        let mut results = Results::new(2);
        let print = NonZeroU64::new;
        for pair in 1..=3 {
            let game = PlayedGame::by_rules(0, 1, pair, Win);
            results.add(PlayedGame { fingerprint: print(1), ..game });
            let game = PlayedGame::by_rules(1, 0, pair, Draw);
            results.add(PlayedGame { fingerprint: print(2), ..game });
        }
        assert_eq!(results.outcomes_of(0), Outcomes { wins: 3, draws: 3, losses: 0 });
        assert_eq!(results.copies(), BTreeMap::from([((0, 1), 2), ((1, 0), 2)]));
        let [(0, 1, counts)] = results.pairings()[..] else { panic!("one pairing") };
        assert_eq!((counts.pairs(), counts.games_by_outcome(Side::Upper)), (1, [1, 0, 0]));
        assert_eq!((results.repeats(1, 0), results.repeats(0, 0)), (4, 0));
        results.add(PlayedGame::by_rules(1, 0, 4, Draw));
        assert_eq!(results.repeats(0, 1), 0);
    }

    #[test]
    fn a_player_known_only_by_forfeits_fails() {
        let completion = |finished, forfeited, spared| Completion { finished, forfeited, spared };
        assert!(completion(0, 1, 9).fails() && !completion(0, 1, 9).plays());
        assert!(!completion(1, 9, 0).fails() && completion(1, 9, 0).plays());
        assert!(!completion(0, 0, 1).fails() && completion(0, 0, 1).plays());
        let nothing = completion(0, 0, 0);
        assert!(!nothing.fails() && !nothing.plays(), "nothing is known");
    }

    proptest! {
        #[test]
        fn every_game_gives_one_point(results in any_results()) {
            let points: Points = (0..4).map(|player| results.outcomes_of(player).score()).sum();
            prop_assert_eq!(points, Points::from_wins_and_draws(results.total_outcomes().games(), 0));
        }

        #[test]
        fn a_players_games_are_those_against_its_opponents(results in any_results()) {
            for player in 0..4 {
                let sum: Outcomes = (0..4).map(|other| results.outcomes_between(player, other)).sum();
                prop_assert_eq!(sum, results.outcomes_of(player));
            }
        }
    }
}
