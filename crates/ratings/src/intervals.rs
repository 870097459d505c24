//! How certain an order is: rank intervals, the likelihood of superiority (LOS), and the number of
//! games needed to separate two players.
//!
//! Rank intervals come from a pair bootstrap. Each round multiplies the contribution of every pair
//! of games to the fit by a random number, moves the strengths as one step of the fit would, and
//! ranks the players again. With normal multipliers, the strengths move by a normal vector whose
//! covariance is the one behind the rating intervals. So each round draws directly from that
//! distribution, and its cost does not depend on the number of pairs. Rounds come in twos: the
//! second moves every strength by as much in the other direction, which is as likely.

use ndarray::Array2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::covariance::draw_from_covariance_root;
use crate::estimate::Estimate;
use crate::fit::Fit;
use crate::fitted_model::FittedSum;
use crate::rating_model::RatingChances;
use crate::significance::{Z95, count_as_f64, normal_below, to_single_precision};

/// The number of bootstrap rounds: two for each deviation that is drawn.
const ROUNDS: usize = 2 * BATCH * BATCHES;
/// Rank intervals leave out at most this share of the rounds on each side: 1/40.
const TAIL: usize = ROUNDS / 40;
/// The number of deviations that are drawn at once.
const BATCH: usize = 400;
const BATCHES: usize = 5;
/// The bootstrap's seed: the same results always have the same intervals.
const SEED: u64 = 0x7265_6665_7265_6521;
/// The largest number of games shown.
const MOST_GAMES: f64 = 1e6;

/// The ranks that a player may have, at 95%: from the better one, `low`, to `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RankInterval {
    /// The best rank of the interval, from 1.
    pub low: usize,
    /// The worst rank of the interval.
    pub high: usize,
}

impl std::fmt::Display for RankInterval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.low == self.high {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{}–{}", self.low, self.high)
        }
    }
}

/// How clearly the games separate two players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// The likelihood of superiority: the probability that the first player is better, 0 … 1.
    pub los: f64,
    /// How many more games between the two would raise it to 97.5% if the ratings are true. A whole
    /// number of pairs or deals; 0 if it is that high already; `None` if a million games would
    /// not be enough.
    pub games: Option<u32>,
}

impl Fit {
    /// The difference of two players' ratings; `None` if no chain of games connects them.
    pub fn rating_difference(&self, one: usize, other: usize) -> Option<Estimate> {
        if self.groups[one] != self.groups[other] {
            return None;
        }
        let layout = &self.fitted.model.layout;
        let shift = self.fitted.unit * (layout.shifts[one] - layout.shifts[other]);
        Some(self.fitted.estimate_in_elo(shift, &self.lead_in_strength(one, other)))
    }

    /// The lead of one player over the other, without their shifts.
    fn lead_in_strength(&self, one: usize, other: usize) -> FittedSum {
        let slots = &self.fitted.model.layout.slots;
        self.fitted.sum_parameters(&[(slots[one], 1.0), (slots[other], -1.0)])
    }

    /// How clearly two players are separated; `None` if no chain of games connects them.
    pub fn separation(&self, one: usize, other: usize) -> Option<Separation> {
        let is_connected = self.groups[one] == self.groups[other];
        is_connected.then(|| {
            self.separation_at_variance(one, other, self.lead_in_strength(one, other).variance())
        })
    }

    /// The separation of two players whose difference has this variance.
    fn separation_at_variance(&self, one: usize, other: usize, variance: f64) -> Separation {
        let lead = self.fitted.strength(one) - self.fitted.strength(other);
        let los = match variance.sqrt() {
            error if error > 0.0 => normal_below(lead / error),
            _ => 0.5 + 0.5 * lead.signum() * f64::from(u8::from(lead != 0.0)),
        };
        Separation { los, games: self.games_to_separate(one, other, lead, variance) }
    }

    fn games_to_separate(&self, one: usize, other: usize, lead: f64, variance: f64) -> Option<u32> {
        let wanted = (lead / Z95).powi(2);
        if variance <= wanted {
            return Some(0);
        }
        let (size, information) = self.information_on_difference(one, other);
        let games = size * ((1.0 / wanted - 1.0 / variance) / information).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        (games <= MOST_GAMES).then_some(games as u32)
    }

    /// The number of games of a pair or deal, and its information about the difference of two
    /// players.
    fn information_on_difference(&self, one: usize, other: usize) -> (f64, f64) {
        let variance = |lead| RatingChances::from_lead(lead, self.draw).covariance[0][0];
        if let Some(table) = self.fitted.table {
            let lead = self.fitted.strength(one) - self.fitted.strength(other);
            let by_game = table.game_information() * variance(lead);
            let size = count_as_f64(table.seats);
            return (size, size * by_game / self.fitted.covariance.dispersion.overall);
        }
        let leads = self.fitted.model.layout.pair_predictor(one, other).leads(&self.fitted.point);
        let [a, b] = leads.map(variance);
        let by_pair = a + b + 2.0 * self.pair_correlation * (a * b).sqrt();
        (2.0, (a + b).powi(2) / by_pair)
    }

    /// The rank interval of each player within its group, by rating.
    pub fn rank_intervals(&self) -> Vec<RankInterval> {
        self.rank_intervals_by(&IntervalClasses::new(&self.groups, &vec![(); self.ratings.len()]))
    }

    /// The rank interval of each player within its group and class, where ratings decide.
    pub(crate) fn rank_intervals_by(&self, order: &IntervalClasses) -> Vec<RankInterval> {
        let layout = &self.fitted.model.layout;
        let values = (0..self.groups.len())
            .map(|player| to_single_precision(self.fitted.strength(player)))
            .collect();
        let strengths = &self.fitted.point[..layout.strengths];
        let root = |sorted: &[usize]| self.fitted.covariance.single_precision_root(sorted);
        IntervalBootstrap::new(order, values, &layout.slots, strengths, root).rank_intervals()
    }
}

/// The strengths of players, and the distribution of their deviations.
pub(crate) struct IntervalBootstrap<'a> {
    /// The players that are drawn.
    order: &'a IntervalClasses,
    /// By player.
    values: Vec<f32>,
    /// The index of each player's deviation in `places`.
    slots: &'a [usize],
    /// The place of each deviation among those that are drawn.
    places: Vec<usize>,
    /// A root of the covariance of the deviations.
    root: Array2<f32>,
}

impl<'a> IntervalBootstrap<'a> {
    /// The players' `values`; each moves as the strength in its slot does. `root` gives a root of the
    /// covariance of the strengths with these indices.
    pub(crate) fn new(
        order: &'a IntervalClasses,
        values: Vec<f32>,
        slots: &'a [usize],
        strengths: &[f64],
        root: impl FnOnce(&[usize]) -> Array2<f32>,
    ) -> Self {
        let is_drawn = order.mark_slots(slots, strengths.len());
        // The best player first, so that the order of the players does not matter.
        let mut sorted: Vec<usize> = (0..strengths.len()).filter(|&slot| is_drawn[slot]).collect();
        sorted.sort_by(|&one, &other| strengths[other].total_cmp(&strengths[one]));
        let mut places = vec![0; strengths.len()];
        sorted.iter().zip(0..).for_each(|(&slot, place)| places[slot] = place);
        Self { order, values, slots, places, root: root(&sorted) }
    }

    pub(crate) fn rank_intervals(&self) -> Vec<RankInterval> {
        let Self { order, values, slots, places, root } = self;
        // The places of the first player in all rounds, then those of the next one.
        let mut all_places = vec![0; values.len() * ROUNDS];
        let mut round = 0;
        let mut luck = ChaCha8Rng::seed_from_u64(SEED);
        for _ in 0..BATCHES {
            for deviation in draw_from_covariance_root(root, BATCH, &mut luck).rows() {
                for sign in [1.0, -1.0] {
                    let by = |player: usize| deviation[places[slots[player]]];
                    let moved = |player: usize| values[player] + sign * by(player);
                    order.rank_within_classes(moved, |player, place| {
                        all_places[player * ROUNDS + round] = place;
                    });
                    round += 1;
                }
            }
        }
        let mut intervals = vec![RankInterval { low: 1, high: 1 }; values.len()];
        order.rank_within_classes(
            |player| values[player],
            |player, place| {
                let drawn = &mut all_places[player * ROUNDS..(player + 1) * ROUNDS];
                intervals[player] = rank_interval_around(place, drawn);
            },
        );
        intervals
    }
}

/// The players by group and class: within these, strengths decide.
pub(crate) struct IntervalClasses {
    /// The players of each group and class, and the first place in the group that they may have,
    /// from 0.
    runs: Vec<(usize, Vec<usize>)>,
}

impl IntervalClasses {
    pub(crate) fn new<C: Ord>(groups: &[usize], classes: &[C]) -> Self {
        let key = |player: usize| (groups[player], &classes[player]);
        let mut players: Vec<usize> = (0..groups.len()).collect();
        players.sort_by_key(|&player| key(player));
        let mut runs: Vec<(usize, Vec<usize>)> = Vec::new();
        for run in players.chunk_by(|&one, &other| key(one) == key(other)) {
            let after = runs.last().filter(|(_, last)| groups[last[0]] == groups[run[0]]);
            let first = after.map_or(0, |(first, last)| first + last.len());
            runs.push((first, run.to_vec()));
        }
        Self { runs }
    }

    /// The same for only those groups and classes whose players `is_needed` accepts.
    pub(crate) fn keep_needed(mut self, is_needed: impl Fn(usize) -> bool) -> Self {
        self.runs.retain(|(_, players)| players.iter().any(|&player| is_needed(player)));
        self
    }

    /// Which of so many slots its players have.
    fn mark_slots(&self, slots: &[usize], all: usize) -> Vec<bool> {
        let mut are_theirs = vec![false; all];
        let players = self.runs.iter().flat_map(|(_, players)| players);
        players.for_each(|&player| are_theirs[slots[player]] = true);
        are_theirs
    }

    /// Passes every player and its place in its group, from 0, to `placed`.
    fn rank_within_classes(
        &self,
        strength: impl Fn(usize) -> f32,
        mut placed: impl FnMut(usize, usize),
    ) {
        for (first, players) in &self.runs {
            let mut order: Vec<_> = players.iter().map(|&one| (strength(one), one)).collect();
            order
                .sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            for (place, (_, player)) in (*first..).zip(order) {
                placed(player, place);
            }
        }
    }
}

/// The smallest interval around `place` (from 0) that leaves out at most [`TAIL`] of the `drawn`
/// places per side.
fn rank_interval_around(place: usize, drawn: &mut [usize]) -> RankInterval {
    let (_, &mut low, above) = drawn.select_nth_unstable(TAIL);
    let last = above.len() - 1 - TAIL;
    let (_, &mut high, _) = above.select_nth_unstable(last);
    RankInterval { low: low.min(place) + 1, high: high.max(place) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;
    use crate::results::game_outcome::GameOutcome::{self, Draw, Loss, Win};
    use crate::results::tests::results;

    fn fitted(games: &[(usize, usize, GameOutcome)]) -> Fit {
        fit(&results(3, games), &[]).expect("no anchor")
    }

    fn series(
        first: usize,
        second: usize,
        outcome: GameOutcome,
        times: usize,
    ) -> Vec<(usize, usize, GameOutcome)> {
        vec![(first, second, outcome); times]
    }

    #[test]
    fn clear_results_have_narrow_rank_intervals() {
        let games = [
            series(0, 1, Win, 90),
            series(1, 0, Loss, 90),
            series(1, 2, Win, 90),
            series(2, 1, Loss, 90),
        ];
        let intervals = fitted(&games.concat()).rank_intervals();
        assert_eq!(intervals, [1, 2, 3].map(|rank| RankInterval { low: rank, high: rank }));
    }

    #[test]
    fn few_results_have_wide_rank_intervals() {
        let games = [series(0, 1, Win, 3), series(1, 0, Win, 2), series(1, 2, Draw, 2)];
        let fit = fitted(&games.concat());
        assert!(
            fit.rank_intervals()
                .iter()
                .all(|interval| *interval == RankInterval { low: 1, high: 3 })
        );
        let [there, back] = [(0, 1), (1, 0)].map(|(a, b)| fit.separation(a, b).expect("they met"));
        assert!((there.los + back.los - 1.0).abs() < 1e-12);
        assert_eq!(there.games, back.games);
        assert!(there.games.is_some_and(|games| games > 0 && games.is_multiple_of(2)));
    }

    #[test]
    fn unconnected_players_are_not_compared() {
        let fit = fitted(&series(0, 1, Win, 3));
        assert_eq!(fit.groups, [0, 0, 1]);
        assert_eq!((fit.separation(0, 2), fit.rating_difference(1, 2)), (None, None));
        assert_eq!(fit.rank_intervals()[2], RankInterval { low: 1, high: 1 });
        assert!(fit.separation(0, 1).is_some());
    }

    #[test]
    fn the_estimated_number_of_games_separates_players() {
        let [first, second] = [(Win, Loss), (Loss, Win)];
        let half =
            |one, other, (won, lost)| [series(one, other, won, 5), series(one, other, lost, 3)];
        let block = [half(0, 1, first).concat(), half(1, 0, second).concat()].concat();
        let fit = fitted(&block);
        let more = fit.separation(0, 1).and_then(|it| it.games).expect("a number");
        let blocks = |games: u32| {
            let times = 1 + usize::try_from(games).expect("small").div_ceil(block.len());
            fitted(&vec![block.clone(); times].concat()).separation(0, 1).expect("they met")
        };
        assert_eq!(blocks(more + 32).games, Some(0), "{more}");
        assert!(blocks(more / 2).games > Some(0), "{more}");
    }

    #[test]
    fn equal_players_are_never_separated() {
        let fit = fitted(&[series(0, 1, Draw, 9), series(1, 0, Draw, 9)].concat());
        let separation = fit.separation(0, 1).expect("they met");
        assert!((separation.los - 0.5).abs() < 1e-6);
        assert_eq!(separation.games, None);
    }
}
