//! The scores of games of several seats.

use std::collections::HashMap;
use std::num::NonZeroU64;

use crate::results::deals::{Compared, DealList, DealTable, DealtGame, SeatComparison};
use crate::results::game_outcome::{GameOutcome, Outcomes};

/// A game of several seats as [`Results`](crate::Results) counts it. Players are numbers, from 0.
///
/// Games come in *deals*: games between the same players, perhaps with the same luck, in which
/// everyone sits once in every seat. The games of a deal may depend on each other; different deals
/// are assumed to be independent.
#[derive(Debug, Clone, Copy)]
pub struct SeatedGame<'a> {
    /// The players by seat, all different.
    pub players: &'a [usize],
    /// The places by seat: a lower number is better, and equal numbers are a tie.
    pub places: &'a [u32],
    /// Whether the player at each seat failed. Two that failed are not compared: both were behind
    /// the others.
    pub forfeits: &'a [bool],
    /// How the game ended.
    pub ending: SeatedEnding,
    /// The number of the deal among all deals of these players. `None` for a game by itself.
    pub deal: Option<u32>,
    /// Games with the same fingerprint are copies of each other. All of them score, but only the
    /// first one counts for ratings. `None` excludes the game from this comparison.
    pub fingerprint: Option<NonZeroU64>,
}

/// How a game of several seats ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatedEnding {
    /// By the rules; players that failed on the way are behind the others.
    Rules,
    /// By a fault: the game does not show which of the others is better.
    Fault,
}

/// What two seats of a game are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SeatOrder {
    /// The first one's outcome. It counts for ratings.
    Counted(GameOutcome),
    /// The same, but it only scores.
    Scored(GameOutcome),
    /// Both failed, and are behind.
    BothBehind,
    /// It is not known.
    Unknown,
}

impl SeatedGame<'_> {
    fn compare_seats(&self, compared: Compared, one: usize, other: usize) -> SeatOrder {
        let outcome = match self.places[one].cmp(&self.places[other]) {
            std::cmp::Ordering::Less => GameOutcome::Win,
            std::cmp::Ordering::Equal => GameOutcome::Draw,
            std::cmp::Ordering::Greater => GameOutcome::Loss,
        };
        let best = self.places.iter().min();
        let is_winner = |seat: usize| Some(&self.places[seat]) == best;
        match (self.forfeits[one], self.forfeits[other], self.ending) {
            (true, true, _) => SeatOrder::BothBehind,
            (true, false, SeatedEnding::Fault) => SeatOrder::Counted(GameOutcome::Loss),
            (false, true, SeatedEnding::Fault) => SeatOrder::Counted(GameOutcome::Win),
            (false, false, SeatedEnding::Fault) => SeatOrder::Scored(GameOutcome::Draw),
            _ if compared == Compared::Winner && !is_winner(one) && !is_winner(other) => {
                SeatOrder::Unknown
            }
            _ => SeatOrder::Counted(outcome),
        }
    }

    /// Every two seats, the lower number first.
    fn seat_pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        (0..self.players.len()).flat_map(|other| (0..other).map(move |one| [one, other]))
    }

    /// The two seats of each comparison that counts for ratings, and the outcome for the first one.
    pub fn comparisons(
        &self,
        compared: Compared,
    ) -> impl Iterator<Item = ([usize; 2], GameOutcome)> {
        self.seat_pairs().filter_map(move |[one, other]| {
            match self.compare_seats(compared, one, other) {
                SeatOrder::Counted(outcome) => Some(([one, other], outcome)),
                _ => None,
            }
        })
    }

    /// Whether other players' faults ended the game.
    pub(crate) fn is_spared(&self, seat: usize) -> bool {
        self.ending == SeatedEnding::Fault && !self.forfeits[seat]
    }
}

/// The scores of all games of several seats.
#[derive(Debug, Clone)]
pub(crate) struct SeatedScores {
    pub(crate) table: DealTable,
    pub(crate) deals: DealList,
    /// The number of games.
    pub(crate) games: u32,
    /// All comparisons, from the side of the seat that comes first.
    pub(crate) total: Outcomes,
    /// By player and seat.
    by_seat: Vec<SeatScore>,
    /// By player and place: the number of games.
    places: Vec<u32>,
    /// The outcomes of each two players, for the one with the lower number.
    between: HashMap<(usize, usize), Outcomes>,
}

/// The games of a player at a seat.
#[derive(Debug, Clone, Copy, Default)]
struct SeatScore {
    games: u32,
    outcomes: Outcomes,
}

impl SeatedScores {
    pub(crate) fn new(players: usize, table: DealTable) -> Self {
        Self {
            table,
            deals: DealList::default(),
            games: 0,
            total: Outcomes::default(),
            by_seat: vec![SeatScore::default(); players * table.seats],
            places: vec![0; players * table.seats],
            between: HashMap::new(),
        }
    }

    /// Counts a game, for ratings only if it is not a copy.
    pub(crate) fn add(&mut self, game: &SeatedGame<'_>, is_copy: bool) {
        let seats = self.table.seats;
        self.games += 1;
        for (seat, &player) in game.players.iter().enumerate() {
            self.by_seat[player * seats + seat].games += 1;
            let better = game.places.iter().filter(|&&place| place < game.places[seat]).count();
            self.places[player * seats + better] += 1;
        }
        for [one, other] in game.seat_pairs() {
            self.score_comparison(
                game,
                [one, other],
                game.compare_seats(self.table.compared, one, other),
            );
        }
        let number = |seat| u8::try_from(seat).unwrap_or(u8::MAX);
        let comparisons: Box<[_]> = game
            .comparisons(self.table.compared)
            .map(|(seats, outcome)| SeatComparison { seats: seats.map(number), outcome })
            .collect();
        if !is_copy && !comparisons.is_empty() {
            let number = |&player: &usize| u32::try_from(player).unwrap_or(u32::MAX);
            let players = game.players.iter().map(number).collect();
            self.deals.add(game.deal, DealtGame { players, comparisons });
        }
    }

    fn score_comparison(
        &mut self,
        game: &SeatedGame<'_>,
        [one, other]: [usize; 2],
        order: SeatOrder,
    ) {
        let halves = match order {
            SeatOrder::Counted(outcome) | SeatOrder::Scored(outcome) => {
                [outcome.halves(), 2 - outcome.halves()]
            }
            SeatOrder::BothBehind => [0, 0],
            SeatOrder::Unknown => return,
        };
        let scores = halves.map(Outcomes::from_halves);
        self.total = self.total + scores[0];
        let players = [one, other].map(|seat| game.players[seat]);
        for ((seat, player), score) in [one, other].into_iter().zip(players).zip(scores) {
            let sum = &mut self.by_seat[player * self.table.seats + seat].outcomes;
            *sum = *sum + score;
        }
        let [one, other] = players;
        let (two, score) =
            if one < other { ((one, other), scores[0]) } else { ((other, one), scores[1]) };
        let sum = self.between.entry(two).or_default();
        *sum = *sum + score;
    }

    /// The outcomes of a player at a seat: one for each comparison.
    pub(crate) fn outcomes_at_seat(&self, player: usize, seat: usize) -> Outcomes {
        self.by_seat[player * self.table.seats + seat].outcomes
    }

    /// The number of games of a player at a seat.
    pub(crate) fn games_at_seat(&self, player: usize, seat: usize) -> u32 {
        self.by_seat[player * self.table.seats + seat].games
    }

    /// The number of a player's games in each place, the best first.
    pub(crate) fn places(&self, player: usize) -> &[u32] {
        &self.places[player * self.table.seats..(player + 1) * self.table.seats]
    }

    /// The outcomes of a player's comparisons with another.
    pub(crate) fn outcomes_between(&self, player: usize, other: usize) -> Outcomes {
        let two = (player.min(other), player.max(other));
        let Outcomes { wins, draws, losses } = self.between.get(&two).copied().unwrap_or_default();
        if player < other {
            Outcomes { wins, draws, losses }
        } else {
            Outcomes { wins: losses, draws, losses: wins }
        }
    }
}
