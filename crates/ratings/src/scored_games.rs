//! Games that end with final scores: their means, and what a fit of them needs.

use std::collections::HashMap;
use std::num::NonZeroU64;

use foldhash::HashSet;

use crate::results::deals::Seating;
use crate::results::seated_games::SeatedGame;
use crate::significance::count_as_f64;

/// A game as [`ScoredGames`] counts it. Players are numbers, from 0.
#[derive(Debug, Clone, Copy)]
pub struct ScoredGame<'a> {
    /// The players by seat, all different.
    pub players: &'a [usize],
    /// How it ended.
    pub ending: ScoredEnding<'a>,
    /// The number of the pair or deal among all of these players. `None` for a game by itself.
    pub deal: Option<u32>,
    /// Of games with the same fingerprint, only the first one counts for the fit.
    pub fingerprint: Option<NonZeroU64>,
}

impl<'a> ScoredGame<'a> {
    /// A game with its final scores by seat, if it has some.
    pub fn from_seated(game: &SeatedGame<'a>, scores: Option<&'a [f64]>) -> Self {
        let SeatedGame { players, forfeits, deal, fingerprint, .. } = *game;
        let ending = match scores {
            _ if forfeits.contains(&true) => ScoredEnding::Fault(forfeits),
            Some(scores) => ScoredEnding::Scores(scores),
            None => ScoredEnding::NoScores,
        };
        Self { players, ending, deal, fingerprint }
    }
}

/// How a game ended, as far as points go.
#[derive(Debug, Clone, Copy)]
pub enum ScoredEnding<'a> {
    /// With final scores, by seat.
    Scores(&'a [f64]),
    /// By the faults of players at these seats, without scores.
    Fault(&'a [bool]),
    /// By the rules, but without scores.
    NoScores,
}

/// A player's games with final scores.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreMeans {
    /// The mean of its own scores.
    pub score: f64,
    /// The mean of its own scores less the mean of the others' in the same game.
    pub margin: f64,
}

/// The games of a tournament in which points may count.
#[derive(Debug, Clone)]
pub struct ScoredGames {
    pub(crate) players: usize,
    pub(crate) seats: usize,
    pub(crate) seating: Seating,
    /// The games that count for a fit.
    pub(crate) rated: Vec<RatedScores>,
    /// The number of deals, and the number of each by its players, in the order of their numbers.
    pub(crate) deals: usize,
    deal_numbers: HashMap<(Box<[usize]>, u32), usize>,
    seen: HashSet<NonZeroU64>,
    /// By player: the number of games with scores, and the sums of scores and margins.
    sums: Vec<(u32, ScoreMeans)>,
    scored: u32,
    without: u32,
}

/// A game that counts for a fit.
#[derive(Debug, Clone)]
pub(crate) struct RatedScores {
    pub(crate) players: Box<[usize]>,
    pub(crate) deal: usize,
    pub(crate) ending: RatedEnding,
}

/// How a game that counts for a fit ended.
#[derive(Debug, Clone)]
pub(crate) enum RatedEnding {
    /// The scores by seat, less their mean.
    Scores(Box<[f64]>),
    /// Who failed, by seat; some did, but not all.
    Fault(Box<[bool]>),
}

impl ScoredGames {
    /// No games yet of this many seats, between this many players.
    pub fn new(players: usize, seats: usize, seating: Seating) -> Self {
        Self {
            players,
            seats,
            seating,
            rated: Vec::new(),
            deals: 0,
            deal_numbers: HashMap::new(),
            seen: HashSet::default(),
            sums: vec![(0, ScoreMeans::default()); players],
            scored: 0,
            without: 0,
        }
    }

    /// Counts a game.
    ///
    /// # Panics
    ///
    /// If a player's number is too large, or a list of the game has another length than its seats.
    pub fn add(&mut self, game: &ScoredGame<'_>) {
        assert_eq!(game.players.len(), self.seats, "a player for each seat");
        let ending = match game.ending {
            ScoredEnding::Scores(scores) => RatedEnding::Scores(self.add_scores(game, scores)),
            ScoredEnding::Fault(failed) => RatedEnding::Fault(failed.into()),
            ScoredEnding::NoScores => {
                self.without += 1;
                return;
            }
        };
        let is_copy = game.fingerprint.is_some_and(|fingerprint| !self.seen.insert(fingerprint));
        let compares_nobody =
            matches!(&ending, RatedEnding::Fault(failed) if failed.iter().all(|&failed| failed));
        if is_copy || compares_nobody {
            return;
        }
        let deal = self.find_deal_number(game);
        self.rated.push(RatedScores { players: game.players.into(), deal, ending });
    }

    /// Adds the scores of a game to those of its players. Returns them less their mean.
    fn add_scores(&mut self, game: &ScoredGame<'_>, scores: &[f64]) -> Box<[f64]> {
        assert_eq!(scores.len(), self.seats, "a score for each seat");
        self.scored += 1;
        let seats = count_as_f64(self.seats);
        // Divided first: sums of very large numbers are infinite.
        let mean = scores.iter().map(|score| score / seats).sum::<f64>();
        let centred: Box<[f64]> = scores.iter().map(|score| score - mean).collect();
        for ((&player, score), above) in game.players.iter().zip(scores).zip(&centred) {
            let (games, sums) = &mut self.sums[player];
            *games += 1;
            sums.score += score;
            sums.margin += above * (seats / (seats - 1.0));
        }
        centred
    }

    /// The number of the deal that a game belongs to.
    fn find_deal_number(&mut self, game: &ScoredGame<'_>) -> usize {
        let new = self.deals;
        let deal = game.deal.map_or(new, |number| {
            let mut players: Box<[usize]> = game.players.into();
            players.sort_unstable();
            *self.deal_numbers.entry((players, number)).or_insert(new)
        });
        self.deals = self.deals.max(deal + 1);
        deal
    }

    /// Whether a game has final scores.
    pub fn has_scores(&self) -> bool {
        self.scored > 0
    }

    /// The number of games that ended by the rules, but without final scores.
    pub fn games_without_scores(&self) -> u32 {
        self.without
    }

    /// The means of the player's games with final scores; `None` if it has none. Copies count.
    ///
    /// # Panics
    ///
    /// If its number is too large.
    pub fn score_means(&self, player: usize) -> Option<ScoreMeans> {
        let (games, ScoreMeans { score, margin }) = self.sums[player];
        let all = f64::from(games);
        (games > 0).then(|| ScoreMeans { score: score / all, margin: margin / all })
    }
}
