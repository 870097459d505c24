//! One order of all players: their ranks, or why they have none.
//!
//! Only players that play have a rank. Players known only by forfeits come below them, regardless
//! of their results: otherwise two players that never start would draw with each other. A rank is a
//! comparison, so a chain of games must connect the player with most other ranked players.

use std::cmp::Reverse;

use crate::error::RatingError;
use crate::estimate::FixedRating;
use crate::fit::{Fit, fit};
use crate::intervals::{IntervalClasses, RankInterval, Separation};
use crate::results::Results;
use crate::score_fit::ScoreFit;

/// Why a player has no rank. `E` is the type of reasons for excluding a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unranked<E> {
    /// It plays, but no chain of games connects it with most of the players that do.
    Unconnected,
    /// None of its games counts.
    NoGame,
    /// It forfeited games, and none of its games ended by the rules.
    Forfeits,
    /// It no longer plays. Others are ranked without it, as [`Ranking::ranks_among`] does.
    Retired,
    /// It was excluded.
    Excluded(E),
}

impl<E> Unranked<E> {
    /// Whether the player lacks a rank because it failed, not by someone else's decision.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Forfeits | Self::Excluded(_))
    }
}

/// A rank and its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The place, from 1; no two players share one.
    pub place: usize,
    /// The ranks the player may have, at 95%.
    pub interval: RankInterval,
}

/// All players in order.
#[derive(Debug, Clone)]
pub struct Ranking<E> {
    /// The ratings.
    pub fit: Fit,
    /// The strengths in points, if these decide the order instead of the ratings.
    pub points: Option<ScoreFit>,
    /// The players' numbers, best first. Players without a rank come last.
    pub order: Vec<usize>,
    /// The place of each player, from 1, or why it has no rank; indexed by player.
    places: Vec<Result<usize, Unranked<E>>>,
    /// The group of each player, from 1, indexed by player. Group 1 has the most players that play.
    pub groups: Vec<usize>,
    /// The class of each player, which comes before ratings in the order; indexed by player.
    classes: Vec<RankClass<E>>,
}

/// The class of a player. Players of a lower class come before all players of a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RankClass<E> {
    /// Some of its games ended by the rules.
    Seen,
    /// All its games were forfeited by opponents: it might have failed as well.
    Spared,
    /// It has no rank.
    Unranked(Unranked<E>),
}

impl<E: Copy + Ord> Ranking<E> {
    /// Ranks all players. `excluded` gives the reason for each excluded player, indexed by player.
    /// Ratings decide, then scores, then `names`.
    ///
    /// # Errors
    ///
    /// As [`fit()`].
    ///
    /// # Panics
    ///
    /// When `excluded` or `names` has fewer entries than there are players.
    pub fn new<N: Ord>(
        results: &Results,
        fixed: &[FixedRating],
        excluded: &[Option<E>],
        names: &[N],
    ) -> Result<Self, RatingError> {
        Ok(Self::from_fit(fit(results, fixed)?, results, excluded, names))
    }

    /// The same with ratings that were fitted to these results before.
    ///
    /// # Panics
    ///
    /// As [`Self::new`].
    pub fn from_fit<N: Ord>(
        fit: Fit,
        results: &Results,
        excluded: &[Option<E>],
        names: &[N],
    ) -> Self {
        Self::from_fit_and_points(fit, None, results, excluded, names)
    }

    /// The same, if strengths in points decide instead of ratings.
    ///
    /// # Panics
    ///
    /// As [`Self::new`].
    pub fn from_fit_and_points<N: Ord>(
        fit: Fit,
        points: Option<ScoreFit>,
        results: &Results,
        excluded: &[Option<E>],
        names: &[N],
    ) -> Self {
        let has_game = |player: usize| match &points {
            None => results.outcomes_of(player).games() > 0,
            Some(points) => points.has_game[player],
        };
        let groups = points.as_ref().map_or(&fit.groups, |points| &points.groups);
        let values = points.as_ref().map_or(&fit.ratings, |points| &points.ratings);
        let classes = classify_for_ranking(results, groups, excluded, has_game);
        let mut order: Vec<usize> = (0..classes.len()).collect();
        let key = |player: usize| (classes[player], Reverse(results.outcomes_of(player).score()));
        let shown = |player: usize| match classes[player] {
            RankClass::Unranked(why) if why.is_failure() => 0.0,
            _ => round_for_ranking(values[player].value),
        };
        order.sort_by(|&one, &other| {
            let (above, below) = (key(one), key(other));
            let rating = || shown(other).total_cmp(&shown(one));
            let name = || names[one].cmp(&names[other]);
            above.0.cmp(&below.0).then_with(rating).then(above.1.cmp(&below.1)).then_with(name)
        });
        let mut places = vec![Err(Unranked::NoGame); classes.len()];
        // Players without a rank come last.
        for (&player, place) in order.iter().zip(1..) {
            places[player] = match classes[player] {
                RankClass::Seen | RankClass::Spared => Ok(place),
                RankClass::Unranked(why) => Err(why),
            };
        }
        let groups = number_ranking_groups(groups, &classes);
        Self { fit, points, order, places, groups, classes }
    }

    /// How clearly two players are separated; `None` if no chain of games connects them.
    pub fn separation(&self, one: usize, other: usize) -> Option<Separation> {
        match &self.points {
            None => self.fit.separation(one, other),
            Some(points) => points.separation(one, other),
        }
    }

    /// The number of groups among the players that play.
    pub fn group_count(&self) -> usize {
        let plays = self.classes.iter().map(|class| class.plays());
        let groups = self.groups.iter().zip(plays).filter(|(_, plays)| *plays);
        groups.map(|(&group, _)| group).max().unwrap_or(0)
    }

    /// The rank of each player with its interval, or why it has none; indexed by player.
    pub fn ranks(&self) -> Vec<Result<Rank, Unranked<E>>> {
        self.ranks_among(|_| true)
    }

    /// The same, if all players that `counts` refuses came after the others that have a rank.
    pub fn ranks_among(&self, counts: impl Fn(usize) -> bool) -> Vec<Result<Rank, Unranked<E>>> {
        self.ranks_with_intervals(counts, |_| true)
    }

    /// The same, if all players that `remains` refuses have retired. In a long league, these are
    /// nearly all, and most of the time would go into their intervals.
    pub fn ranks_of_remaining(
        &self,
        remains: impl Fn(usize) -> bool,
    ) -> Vec<Result<Rank, Unranked<E>>> {
        let ranks = self.ranks_with_intervals(&remains, &remains).into_iter().enumerate();
        let retired = |rank: Result<Rank, _>| rank.and(Err(Unranked::Retired));
        ranks.map(|(player, rank)| if remains(player) { rank } else { retired(rank) }).collect()
    }

    /// The same as [`Self::ranks_among`], with intervals for those that `is_shown` accepts.
    fn ranks_with_intervals(
        &self,
        counts: impl Fn(usize) -> bool,
        is_shown: impl Fn(usize) -> bool,
    ) -> Vec<Result<Rank, Unranked<E>>> {
        let key = |player: usize| (self.places[player].is_err(), !counts(player));
        let keys: Vec<_> =
            self.classes.iter().enumerate().map(|(player, class)| (key(player), class)).collect();
        let groups = self.points.as_ref().map_or(&self.fit.groups, |points| &points.groups);
        // Players without a rank are drawn, too: without them, the others would get other random
        // numbers than they always had.
        let within = IntervalClasses::new(groups, &keys).keep_needed(is_shown);
        let intervals = match &self.points {
            None => self.fit.rank_intervals_by(&within),
            Some(points) => points.rank_intervals_by(&within),
        };
        let mut order = self.order.clone();
        order.sort_by_key(|&player| key(player));
        let mut places = self.places.clone();
        for (&player, place) in order.iter().zip(1..) {
            places[player] = places[player].map(|_| place);
        }
        let rank = |(place, interval): (Result<usize, Unranked<E>>, RankInterval)| {
            // Rounding may have swapped equal players after the interval was made.
            let within = |place| RankInterval {
                low: interval.low.min(place),
                high: interval.high.max(place),
            };
            place.map(|place| Rank { place, interval: within(place) })
        };
        places.into_iter().zip(intervals).map(rank).collect()
    }

    /// Whether a player has a rank although all its games were forfeited by opponents.
    pub fn is_spared(&self, player: usize) -> bool {
        self.classes[player] == RankClass::Spared
    }

    /// Whether two players both have ranks that are decided by ratings alone.
    pub fn are_compared(&self, one: usize, other: usize) -> bool {
        self.places[one].is_ok() && self.classes[one] == self.classes[other]
    }
}

impl<E: Copy + Ord> RankClass<E> {
    fn plays(self) -> bool {
        matches!(self, Self::Seen | Self::Spared | Self::Unranked(Unranked::Unconnected))
    }
}

/// The class of each player, indexed by player.
fn classify_for_ranking<E: Copy + Ord>(
    results: &Results,
    groups: &[usize],
    excluded: &[Option<E>],
    has_game: impl Fn(usize) -> bool,
) -> Vec<RankClass<E>> {
    let alone = |player: usize| {
        let completion = results.completion(player);
        match excluded[player] {
            Some(why) => RankClass::Unranked(Unranked::Excluded(why)),
            None if completion.fails() => RankClass::Unranked(Unranked::Forfeits),
            None if !has_game(player) => RankClass::Unranked(Unranked::NoGame),
            None if completion.finished == 0 => RankClass::Spared,
            None => RankClass::Seen,
        }
    };
    let mut classes: Vec<RankClass<E>> = (0..results.players()).map(alone).collect();
    let main = find_main_ranking_group(groups, &classes);
    for (class, &group) in classes.iter_mut().zip(groups) {
        if class.plays() && Some(group) != main {
            *class = RankClass::Unranked(Unranked::Unconnected);
        }
    }
    classes
}

/// The group with more than half of the players that play, if there is one.
fn find_main_ranking_group<E: Copy + Ord>(
    groups: &[usize],
    classes: &[RankClass<E>],
) -> Option<usize> {
    let sizes = ranking_group_sizes(groups, classes);
    let all: usize = sizes.iter().sum();
    sizes.iter().position(|&size| 2 * size > all)
}

/// How many players of each group play.
fn ranking_group_sizes<E: Copy + Ord>(groups: &[usize], classes: &[RankClass<E>]) -> Vec<usize> {
    let mut sizes = vec![0_usize; groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    for (&group, class) in groups.iter().zip(classes) {
        sizes[group] += usize::from(class.plays());
    }
    sizes
}

/// The group of each player, numbered from 1: the largest first, then by the first player listed.
fn number_ranking_groups<E: Copy + Ord>(groups: &[usize], classes: &[RankClass<E>]) -> Vec<usize> {
    let sizes = ranking_group_sizes(groups, classes);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&group| Reverse(sizes[group]));
    let mut numbers = vec![0; sizes.len()];
    for (number, group) in (1..).zip(order) {
        numbers[group] = number;
    }
    groups.iter().map(|&group| numbers[group]).collect()
}

/// A rating rounded to millionths, so that differences from rounding do not count.
fn round_for_ranking(rating: f64) -> f64 {
    (rating * 1e6).round() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::deals::Seating;
    use crate::results::game_outcome::GameOutcome::{self, Draw, Loss, Win};
    use crate::results::tests::{double_forfeit, forfeit, results};
    use crate::scored_games::{ScoredEnding, ScoredGame, ScoredGames};

    const NAMES: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
    type Row = (&'static str, Result<usize, Unranked<u8>>);

    /// The players' names in order, with their ranks.
    fn ranked(results: &Results, excluded: &[Option<u8>]) -> Vec<Row> {
        let ranking = Ranking::new(results, &[], excluded, &NAMES).expect("no fixed rating");
        ranking.order.iter().map(|&player| (NAMES[player], ranking.places[player])).collect()
    }

    /// Cat loses to ant and bee, which draw. Then each loser in `forfeits` forfeits to the winner.
    fn with_forfeits(forfeits: &[(usize, usize)]) -> Results {
        let mut results = results(5, &[(0, 2, Win), (1, 2, Win), (0, 1, Draw)]);
        for (&(loser, winner), pair) in forfeits.iter().zip(10..) {
            results.add(forfeit(loser, winner, pair));
        }
        results
    }

    #[test]
    fn players_that_only_forfeit_rank_below_the_others() {
        // Dog beats eel, because eel fails earlier. Cat loses everything, but plays.
        let results = with_forfeits(&[(4, 3), (4, 3), (4, 3), (4, 3), (3, 2)]);
        let failed = Err(Unranked::Forfeits);
        let rows =
            [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", failed), ("eel", failed)];
        assert_eq!(ranked(&results, &[None; 5]), rows);
    }

    #[test]
    fn players_that_finished_no_game_rank_last() {
        // Dog might have failed, too: it only met eel.
        let results = with_forfeits(&[(4, 3), (4, 3), (4, 3), (4, 2)]);
        let rows = [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", Ok(4))];
        assert_eq!(ranked(&results, &[None; 5])[..4], rows);
        let ranking = Ranking::<u8>::new(&results, &[], &[None; 5], &NAMES).expect("no rating");
        let spared: Vec<usize> = (0..5).filter(|&player| ranking.is_spared(player)).collect();
        assert_eq!(spared, [3]);
        // Ant's only opponent failed, so ant is the best of the players that play.
        let mut two = Results::new(2);
        two.add(forfeit(1, 0, 1));
        let rows = [("ant", Ok(1)), ("bee", Err(Unranked::Forfeits))];
        assert_eq!(ranked(&two, &[None; 2]), rows);
    }

    #[test]
    fn excluded_players_have_no_rank() {
        let games = [(0, 1, Win), (0, 2, Win), (1, 2, Win)];
        let excluded = [Some(1), None, None, Some(2), None];
        let rows = [
            ("bee", Ok(1)),
            ("cat", Ok(2)),
            ("eel", Err(Unranked::NoGame)),
            ("ant", Err(Unranked::Excluded(1))),
            ("dog", Err(Unranked::Excluded(2))),
        ];
        assert_eq!(ranked(&results(5, &games), &excluded), rows);
    }

    #[test]
    fn points_may_decide_instead_of_ratings() {
        // Ant beats everyone, but by little; bee loses to ant and wins by much.
        let results = results(3, &[(0, 1, Win), (0, 2, Win), (1, 2, Win)].repeat(20));
        let mut games = ScoredGames::new(3, 2, Seating::Known);
        for deal in 0..20 {
            let luck = f64::from(deal % 3);
            for (players, scores) in
                [([0, 1], [1.0 + luck, 0.0]), ([0, 2], [2.0, luck]), ([1, 2], [90.0, luck])]
            {
                for is_swapped in [false, true] {
                    let (mut players, mut scores): ([usize; 2], [f64; 2]) = (players, scores);
                    if is_swapped {
                        players.reverse();
                        scores.reverse();
                    }
                    let (ending, players) = (ScoredEnding::Scores(&scores), &players);
                    games.add(&ScoredGame { players, ending, deal: Some(deal), fingerprint: None });
                }
            }
        }
        let fit = fit(&results, &[]).expect("no fixed rating");
        let by = |points| {
            Ranking::<u8>::from_fit_and_points(
                fit.clone(),
                points,
                &results,
                &[None; 3],
                &NAMES[..3],
            )
        };
        assert_eq!(by(None).order, [0, 1, 2]);
        let ranking = by(Some(games.fit()));
        assert_eq!(ranking.order, [1, 0, 2]);
        assert_eq!(ranking.ranks()[1].map(|rank| rank.place), Ok(1));
        let los = |ranking: &Ranking<u8>| ranking.separation(1, 0).map(|it| it.los);
        assert!(los(&ranking) > Some(0.9) && los(&by(None)) < Some(0.1));
        // Without a game that has scores, nobody has a rank.
        let none = by(Some(ScoredGames::new(3, 2, Seating::Known).fit()));
        assert_eq!(none.ranks(), [Err(Unranked::NoGame); 3]);
    }

    #[test]
    fn a_double_forfeit_does_not_connect_players() {
        let mut results = results(5, &[(0, 1, Win), (1, 2, Win)]);
        results.add(double_forfeit(3, 4, 1));
        let failed = Err(Unranked::Forfeits);
        let rows =
            [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", failed), ("eel", failed)];
        assert_eq!(ranked(&results, &[None; 5]), rows);
        let ranking = Ranking::<u8>::new(&results, &[], &[None; 5], &NAMES).expect("no rating");
        assert_eq!(ranking.group_count(), 1);
        let ranks = ranking.ranks();
        let highest = ranks[..3].iter().flatten().map(|rank| rank.interval.high).max();
        assert!(highest <= Some(3) && ranks[3].is_err());
    }

    #[test]
    fn players_that_do_not_count_take_no_ranks() {
        let order = [(0, 1, Win), (1, 0, Loss), (1, 2, Win), (2, 1, Loss)];
        let results = results(4, &order.repeat(60));
        let ranking = Ranking::<u8>::new(&results, &[], &[None; 4], &NAMES).expect("no rating");
        let ranks = |counts: fn(usize) -> bool| {
            let rank = |rank: Rank| (rank.place, rank.interval.low, rank.interval.high);
            ranking.ranks_among(counts).into_iter().map(|it| it.ok().map(rank)).collect::<Vec<_>>()
        };
        let [first, second, third] = [1, 2, 3].map(|rank| Some((rank, rank, rank)));
        assert_eq!(ranks(|_| true), [first, second, third, None]);
        assert_eq!(ranks(|player| player != 1), [first, third, second, None]);
        let among = ranking.ranks_among(|player| player != 1);
        let remaining = ranking.ranks_of_remaining(|player| player != 1);
        assert_eq!((remaining[0], remaining[2]), (among[0], among[2]));
        assert_eq!(remaining[1], Err(Unranked::Retired));
    }

    #[test]
    fn ranked_players_are_connected_to_most_others() {
        let apart = Err(Unranked::Unconnected);
        let games: [(usize, usize, GameOutcome); 3] = [(0, 4, Win), (2, 1, Win), (1, 3, Win)];
        let rows = [("cat", Ok(1)), ("bee", Ok(2)), ("dog", Ok(3)), ("ant", apart), ("eel", apart)];
        assert_eq!(ranked(&results(5, &games), &[None; 5]), rows);
        // Two groups of the same size: neither holds most players.
        let even = ranked(&results(5, &[(0, 1, Win), (2, 3, Win)]), &[None; 5]);
        assert!(even[..4].iter().all(|row| row.1 == apart), "{even:?}");
    }
}
