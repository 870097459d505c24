//! Strengths in points, from the final scores of games: a linear model.
//!
//! A score is the sum of a value of the game, the strength of the player, the value of its seat, and
//! luck. All are taken as differences from the mean of the game, so its value drops out: with the
//! projection `R = I − J/N`, a game of N seats gives `R (player + seat + luck)`.
//!
//! Strengths have a normal prior whose variance is learned from the same games, as ratings have (see
//! `learning.rs`). The covariance is `φ σ² (H + φ σ²/τ²)⁻¹`: σ² is the variance of luck in a game,
//! and φ what a deal has, compared with as many games by themselves. It is below 1 if the luck
//! belongs to seats, because in a deal everyone sits everywhere, and above 1 if it belongs to
//! players. (A plain sandwich estimate is too narrow: each player has few deals.)
//!
//! A game that ended by a fault has no scores. There, those at fault lose to the mean of the others
//! by as much as anyone ever lost by, so a fault is never worth it, and the others are not compared.

use ndarray::{Array1, Array2};

use crate::estimate::Estimate;
use crate::intervals::{IntervalBootstrap, IntervalClasses, RankInterval, Separation};
use crate::matrices::cholesky::CholeskyFactor;
use crate::player_groups::find_player_groups;
use crate::results::deals::Seating;
use crate::scored_games::{RatedEnding, RatedScores, ScoredGames};
use crate::significance::{Z95, count_as_f64, normal_below, to_single_precision};

/// The prior of the strengths' variance: a gamma distribution of shape 2, which keeps it away from 0,
/// with the mode at this multiple of the luck's.
const MODE: f64 = 9.0;
/// The prior variance of a seat's value, as a multiple of the luck's.
const SEAT_VARIANCE: f64 = 10.0;
/// φ is drawn towards 1, as much as by this many degrees of freedom.
const FIRST_FREEDOM: f64 = 5.0;
/// Steps in the logarithm of the strengths' variance are at most this large.
const LONGEST: f64 = 1.5;
/// A step below this is the last one.
const SHORT: f64 = 0.01;
/// About ten steps are needed; this bound only guards against rounding.
const MOST_STEPS: usize = 50;
/// The smallest variance of luck, if the largest difference in a game is the unit.
const SMALLEST: f64 = 1e-12;
/// The largest number of games shown.
const MOST_GAMES: f64 = 1e6;

/// The strengths of players in points.
#[derive(Debug, Clone)]
pub struct ScoreFit {
    /// The strengths, indexed by player: how many points more than the mean of its group a player is
    /// worth.
    pub ratings: Vec<Estimate>,
    /// The value of each seat in points, compared with their mean; empty if it is not known who had
    /// which seat.
    pub seat_values: Vec<Estimate>,
    /// The variance of a player's luck in a deal, as a multiple of what games by themselves would
    /// have: below 1 if luck belongs to seats.
    pub deal_dispersion: f64,
    /// The group of each player. Only strengths within a group can be compared.
    pub(crate) groups: Vec<usize>,
    /// Whether each player has a game that counts.
    pub(crate) has_game: Vec<bool>,
    /// The strengths, with the largest difference in a game as the unit.
    strengths: Vec<f64>,
    /// Their covariance; how far all are moved together is arbitrary.
    covariance: Array2<f64>,
    /// The variance of the difference of two in a game, as far as it adds up over deals.
    by_game: f64,
    seats: usize,
}

/// What all games say together.
struct ScoreFitEquations {
    players: usize,
    /// By player, then by seat.
    matrix: Array2<f64>,
    right: Array1<f64>,
    /// The number of independent differences in all games, and in all deals.
    rows: f64,
    deal_rows: f64,
    /// The sum of their squares.
    squares: f64,
}

/// The solution for one prior of the strengths.
struct ScoreFitSolution {
    point: Array1<f64>,
    /// The inverse of `H + P`.
    inverse: Array2<f64>,
    /// σ².
    variance: f64,
    /// φ for players and for seats.
    dispersion: [f64; 2],
    /// The degrees of freedom of the first.
    freedom: f64,
    /// φσ²/τ².
    shrinkage: f64,
}

/// A game as the equations see it.
struct ScoreFitGame<'a> {
    game: &'a RatedScores,
    /// The observed differences from the game's mean, by seat.
    values: Vec<f64>,
    /// The projection on what is observed, by seats; `None` for all differences from the mean.
    contrast: Option<Vec<f64>>,
}

impl ScoreFitGame<'_> {
    /// The projection of values by seat on what the game shows.
    fn project_on_shown(&self, values: &[f64]) -> Vec<f64> {
        match &self.contrast {
            None => {
                let mean = values.iter().sum::<f64>() / count_as_f64(values.len());
                values.iter().map(|value| value - mean).collect()
            }
            Some(contrast) => {
                let along: f64 = contrast.iter().zip(values).map(|(a, b)| a * b).sum();
                contrast.iter().map(|part| part * along).collect()
            }
        }
    }

    fn independent_differences(&self) -> f64 {
        if self.contrast.is_some() { 1.0 } else { count_as_f64(self.values.len() - 1) }
    }
}

/// The games, with the largest difference from a game's mean as the unit, which is returned.
fn collect_score_fit_games(games: &ScoredGames) -> (Vec<ScoreFitGame<'_>>, f64) {
    let all = || {
        games.rated.iter().flat_map(|game| match &game.ending {
            RatedEnding::Scores(scores) => &scores[..],
            RatedEnding::Fault(_) => &[],
        })
    };
    let unit = all().fold(0.0, |most: f64, score| most.max(score.abs()));
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let worst = all().fold(0.0, |least: f64, score| least.min(score / unit));
    // Where nobody has ever lost by points, a fault must still cost something.
    let worst = if worst < 0.0 { worst } else { -1.0 };
    // From the mean of the game to the mean of the others.
    let lost = -worst * count_as_f64(games.seats) / count_as_f64(games.seats - 1);
    let observe = |game| {
        let game: &RatedScores = game;
        match &game.ending {
            RatedEnding::Scores(scores) => {
                let values = scores.iter().map(|score| score / unit).collect();
                ScoreFitGame { game, values, contrast: None }
            }
            RatedEnding::Fault(failed) => {
                let guilty = count_as_f64(failed.iter().filter(|&&failed| failed).count());
                let innocent = count_as_f64(failed.len()) - guilty;
                let size = (1.0 / guilty + 1.0 / innocent).sqrt();
                let part = |&failed: &bool| {
                    if failed { 1.0 / guilty / size } else { -1.0 / innocent / size }
                };
                let contrast: Vec<f64> = failed.iter().map(part).collect();
                let values = contrast.iter().map(|part| -lost / size * part).collect();
                ScoreFitGame { game, values, contrast: Some(contrast) }
            }
        }
    };
    (games.rated.iter().map(observe).collect(), unit)
}

impl ScoreFitEquations {
    fn new(games: &ScoredGames, observed: &[ScoreFitGame<'_>]) -> Self {
        let seats = if games.seating == Seating::Known { games.seats } else { 0 };
        let size = games.players + seats;
        let mut all = Self {
            players: games.players,
            matrix: Array2::zeros((size, size)),
            right: Array1::zeros(size),
            rows: 0.0,
            deal_rows: 0.0,
            squares: 0.0,
        };
        let mut by_deal = vec![0.0_f64; games.deals];
        for one in observed {
            all.rows += one.independent_differences();
            let most = &mut by_deal[one.game.deal];
            *most = most.max(one.independent_differences());
            let mut unit = vec![0.0; games.seats];
            for (seat, value) in one.values.iter().enumerate() {
                all.squares += value * value;
                unit.fill(0.0);
                unit[seat] = 1.0;
                let column = one.project_on_shown(&unit);
                for row in all.parameters(one.game, seat) {
                    all.right[row] += value;
                    for (other, cell) in column.iter().enumerate() {
                        for at in all.parameters(one.game, other) {
                            all.matrix[[row, at]] += cell;
                        }
                    }
                }
            }
        }
        all.deal_rows = by_deal.iter().sum();
        all
    }

    /// The parameters of a game's seat: the player's strength, and the value of the seat.
    fn parameters(&self, game: &RatedScores, seat: usize) -> impl Iterator<Item = usize> + use<> {
        let of_seat = Some(self.players + seat).filter(|&at| at < self.right.len());
        std::iter::once(game.players[seat]).chain(of_seat)
    }

    fn solve(
        &self,
        observed: &[ScoreFitGame<'_>],
        shrinkage: f64,
        deals: usize,
    ) -> ScoreFitSolution {
        let mut matrix = self.matrix.clone();
        let at_seat = 1.0 / SEAT_VARIANCE;
        let of_prior = |at| if at < self.players { shrinkage } else { at_seat };
        for at in 0..matrix.nrows() {
            matrix[[at, at]] += of_prior(at);
        }
        let inverse = CholeskyFactor::from_dense(&matrix, shrinkage.min(at_seat)).inverse();
        let point = inverse.dot(&self.right);
        let trace = |at: std::ops::Range<usize>| -> f64 {
            let all = count_as_f64(at.len());
            all - at.map(|at| of_prior(at) * inverse[[at, at]]).sum::<f64>()
        };
        let fitted = [trace(0..self.players), trace(self.players..self.right.len())];
        let mut squares = 0.0;
        let mut by_deal = vec![[0.0; 2]; deals];
        let mut sums = vec![Array1::<f64>::zeros(0); deals];
        for one in observed {
            let of = |seat| -> f64 { self.parameters(one.game, seat).map(|at| point[at]).sum() };
            let expected: Vec<f64> = (0..one.values.len()).map(of).collect();
            let expected = one.project_on_shown(&expected);
            let sum = &mut sums[one.game.deal];
            if sum.is_empty() {
                *sum = Array1::zeros(2 * one.values.len());
            }
            for (seat, (value, expected)) in one.values.iter().zip(expected).enumerate() {
                let residual = value - expected;
                squares += residual * residual;
                // The players of a deal are the same, in other seats.
                let rank = one.game.players.iter().filter(|&&it| it < one.game.players[seat]);
                sum[rank.count()] += residual;
                sum[one.values.len() + seat] += residual;
            }
        }
        for (parts, sum) in by_deal.iter_mut().zip(&sums) {
            let half = sum.len() / 2;
            for (at, value) in sum.iter().enumerate() {
                parts[usize::from(at >= half)] += value * value;
            }
        }
        // A game's worth of doubt: with few games, what is left over may be nothing.
        let typical = (self.squares / self.rows).max(SMALLEST);
        let left = (self.rows - fitted[0] - fitted[1]).max(0.0);
        let variance = (squares + typical) / (left + 1.0);
        let freedom = fitted.map(|fitted| (self.deal_rows - fitted).max(0.0));
        let by_row = self.rows / self.deal_rows;
        let dispersion = [0, 1].map(|part| {
            let sum = by_deal.iter().map(|parts| parts[part]).sum::<f64>();
            (sum / (variance * by_row) + FIRST_FREEDOM) / (freedom[part] + FIRST_FREEDOM)
        });
        let freedom = freedom[0] + FIRST_FREEDOM;
        ScoreFitSolution { point, inverse, variance, dispersion, freedom, shrinkage }
    }
}

impl ScoreFitSolution {
    /// φσ².
    fn luck_variance(&self) -> f64 {
        self.dispersion[0] * self.variance
    }
}

/// The members of each group of two or more.
fn score_group_members(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    for (player, &group) in groups.iter().enumerate() {
        members[group].push(player);
    }
    members.retain(|group| group.len() > 1);
    members
}

/// The sums over all groups of what is left beside the mean of the group.
struct ScoreFitScatter {
    /// The number of independent differences.
    freedom: f64,
    /// Of the squared strengths.
    squares: f64,
    /// Of the variances.
    variances: f64,
}

impl ScoreFitScatter {
    fn from_solution(solution: &ScoreFitSolution, members: &[Vec<usize>]) -> Self {
        let mut all = Self { freedom: 0.0, squares: 0.0, variances: 0.0 };
        let inverse = &solution.inverse;
        for group in members {
            let size = count_as_f64(group.len());
            let mean = group.iter().map(|&it| solution.point[it]).sum::<f64>() / size;
            let sum: f64 =
                group.iter().flat_map(|&a| group.iter().map(move |&b| inverse[[a, b]])).sum();
            all.freedom += size - 1.0;
            all.squares += group.iter().map(|&it| (solution.point[it] - mean).powi(2)).sum::<f64>();
            all.variances += group.iter().map(|&it| inverse[[it, it]]).sum::<f64>() - sum / size;
        }
        all.variances *= solution.luck_variance();
        all
    }

    /// The most probable variance of the strengths.
    fn most_probable_variance(&self, mode: f64) -> f64 {
        let (half, sum) = (self.freedom / 2.0 - 1.0, self.squares + self.variances);
        let root = (half * half + 2.0 * sum / mode).sqrt();
        if half > 0.0 { sum / (half + root) } else { mode * (root - half) / 2.0 }
    }
}

/// The solution at the most probable variance of the strengths, and that variance.
fn learn_score_variance(
    equations: &ScoreFitEquations,
    observed: &[ScoreFitGame<'_>],
    deals: usize,
    members: &[Vec<usize>],
) -> (ScoreFitSolution, f64) {
    let mut at = 0.0_f64;
    let mut before: Option<(f64, f64)> = None;
    for round in 0.. {
        let solution = equations.solve(observed, at.exp(), deals);
        let variance = ScoreFitScatter::from_solution(&solution, members)
            .most_probable_variance(MODE * solution.variance);
        let off = (solution.luck_variance() / variance).ln() - at;
        // A secant, as far as it leads the same way.
        let slope = before.map_or(-1.0, |(last, its)| (off - its) / (at - last));
        let step = if slope < -0.01 { -off / slope } else { off };
        let step = step.clamp(-LONGEST, LONGEST);
        if step.abs() < SHORT || round == MOST_STEPS {
            return (solution, variance);
        }
        before = Some((at, off));
        at += step;
    }
    unreachable!("the last round returns")
}

impl ScoredGames {
    /// Rates the players in points.
    pub fn fit(&self) -> ScoreFit {
        ScoreFit::new(self)
    }
}

impl ScoreFit {
    pub(crate) fn new(games: &ScoredGames) -> Self {
        let (observed, unit) = collect_score_fit_games(games);
        let met = games
            .rated
            .iter()
            .flat_map(|game| game.players.iter().map(|&player| (game.players[0], player)).skip(1));
        let groups = find_player_groups(games.players, met);
        let mut has_game = vec![false; games.players];
        games.rated.iter().flat_map(|game| &game.players).for_each(|&it| has_game[it] = true);
        if observed.is_empty() {
            return Self::without_games(groups, games.seats);
        }
        let equations = ScoreFitEquations::new(games, &observed);
        let members = score_group_members(&groups);
        let (solution, variance) =
            learn_score_variance(&equations, &observed, games.deals, &members);
        let widened = t_quantile(solution.freedom) / Z95;
        let scale = widened * widened * solution.luck_variance();
        let players = games.players;
        let mut covariance =
            Array2::from_shape_fn((players, players), |at| scale * solution.inverse[at]);
        let doubt = score_variance_doubt(
            &solution,
            players,
            &ScoreFitScatter::from_solution(&solution, &members),
            variance,
        );
        for (row, one) in doubt.iter().enumerate() {
            for (column, other) in doubt.iter().enumerate() {
                covariance[[row, column]] += one * other;
            }
        }
        let strengths: Vec<f64> = solution.point.iter().take(players).copied().collect();
        let of_seats = solution.dispersion[1] / solution.dispersion[0];
        let values: Vec<f64> = solution.point.iter().skip(players).copied().collect();
        let seats: Vec<usize> = (0..values.len()).collect();
        let seat_covariance = Array2::from_shape_fn((values.len(), values.len()), |(a, b)| {
            of_seats * scale * solution.inverse[[players + a, players + b]]
        });
        let mut ratings = vec![Estimate::with_error(0.0, 0.0); players];
        for group in &members {
            for (player, rating) in centre_score_estimates(group, &strengths, &covariance, unit) {
                ratings[player] = rating;
            }
        }
        let seat_values = centre_score_estimates(&seats, &values, &seat_covariance, unit);
        Self {
            ratings,
            seat_values: seat_values.map(|(_, value)| value).collect(),
            deal_dispersion: solution.dispersion[0],
            groups,
            has_game,
            strengths,
            covariance,
            by_game: 2.0 * solution.luck_variance(),
            seats: games.seats,
        }
    }

    fn without_games(groups: Vec<usize>, seats: usize) -> Self {
        let players = groups.len();
        Self {
            ratings: vec![Estimate::with_error(0.0, 0.0); players],
            seat_values: Vec::new(),
            deal_dispersion: 1.0,
            groups,
            has_game: vec![false; players],
            strengths: vec![0.0; players],
            covariance: Array2::eye(players),
            by_game: 1.0,
            seats,
        }
    }

    /// How clearly two players are separated; `None` if no chain of games connects them.
    pub(crate) fn separation(&self, one: usize, other: usize) -> Option<Separation> {
        if self.groups[one] != self.groups[other] {
            return None;
        }
        let lead = self.strengths[one] - self.strengths[other];
        let at = |row, column| self.covariance[[row, column]];
        let variance = (at(one, one) + at(other, other) - 2.0 * at(one, other)).max(0.0);
        let los = if variance > 0.0 { normal_below(lead / variance.sqrt()) } else { 0.5 };
        let wanted = (lead / Z95).powi(2);
        let by_deal = count_as_f64(self.seats) / self.by_game;
        let deals = ((1.0 / wanted - 1.0 / variance) / by_deal).ceil().max(0.0);
        let games = count_as_f64(self.seats) * deals;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        Some(Separation { los, games: (games <= MOST_GAMES).then_some(games as u32) })
    }

    /// The rank interval of each player within its group and class; see
    /// [`Fit::rank_intervals_by`](crate::Fit).
    pub(crate) fn rank_intervals_by(&self, order: &IntervalClasses) -> Vec<RankInterval> {
        let values = self.strengths.iter().map(|&strength| to_single_precision(strength)).collect();
        let slots: Vec<usize> = (0..self.strengths.len()).collect();
        let drawn = IntervalBootstrap::new(order, values, &slots, &self.strengths, |sorted| {
            let cell = |(row, column)| self.covariance[[sorted[row], sorted[column]]];
            let matrix = Array2::from_shape_fn((sorted.len(), sorted.len()), cell);
            CholeskyFactor::from_dense(&matrix, f64::MIN_POSITIVE).lower().mapv(to_single_precision)
        });
        drawn.rank_intervals()
    }
}

/// How far strengths move with the standard error of the logarithm of their own variance.
fn score_variance_doubt(
    solution: &ScoreFitSolution,
    players: usize,
    scatter: &ScoreFitScatter,
    variance: f64,
) -> Vec<f64> {
    let reliable = 1.0 - scatter.variances / (scatter.freedom * variance);
    let information =
        scatter.freedom / 2.0 * reliable * reliable + variance / (MODE * solution.variance);
    let error = (1.0 / information).min(2.0).sqrt();
    (0..players)
        .map(|row| {
            let moved = (0..players).map(|at| solution.inverse[[row, at]] * solution.point[at]);
            error * solution.shrinkage * moved.sum::<f64>()
        })
        .collect()
}

/// Values less their mean, with their errors, in `unit`s.
fn centre_score_estimates<'a>(
    members: &'a [usize],
    values: &'a [f64],
    covariance: &'a Array2<f64>,
    unit: f64,
) -> impl Iterator<Item = (usize, Estimate)> + 'a {
    let size = count_as_f64(members.len());
    let mean = members.iter().map(|&it| values[it]).sum::<f64>() / size;
    let row = move |at: usize| members.iter().map(|&it| covariance[[at, it]]).sum::<f64>() / size;
    let all = members.iter().map(|&it| row(it)).sum::<f64>() / size;
    members.iter().map(move |&it| {
        let variance = (covariance[[it, it]] - 2.0 * row(it) + all).max(0.0);
        (it, Estimate::with_error(unit * (values[it] - mean), unit * variance.sqrt()))
    })
}

/// The quantile of Student's t beyond which 2.5% lie, for at least five degrees of freedom: the first
/// terms of its expansion around the normal one.
fn t_quantile(freedom: f64) -> f64 {
    let z = Z95;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / freedom + second / freedom.powi(2)
}

#[cfg(test)]
mod tests;
