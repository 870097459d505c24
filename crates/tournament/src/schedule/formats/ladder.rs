//! The ladder: each round plays the most informative games for the ranking so far.

use super::{FormatInput, FormatSection};
use crate::schedule::pairings::all_pairings;
use referee_ratings::{Estimate, Fit};

/// The maximum distance in the ranking between two players that may meet.
const REACH: usize = 12;
/// The number of initial rounds, before results can guide the pairings.
const OPENING: usize = 3;
/// The minimum number of games in a round of further games.
const FURTHER_LEAST: usize = 32;
/// Such a round also has at least one game per this many played, so that ratings are fitted rarely.
const FURTHER_SHARE: usize = 20;
/// After this many copies of earlier games in a row, two players do not meet again.
const REPEATS: u32 = 4;

/// The condition that ends a ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LadderGoal {
    /// This many games were played, or will have been after the next round.
    pub(crate) games: u32,
    /// Every rating's 95% interval extends at most this far each way, in Elo.
    pub(crate) margin: Option<f64>,
}

/// The pairings of the next round; none when the goal is reached, or when all possible meetings
/// would only repeat games.
pub(crate) fn next_ladder_round(
    course: &FormatInput<'_>,
    goal: LadderGoal,
) -> Option<Vec<(usize, usize)>> {
    let players: Vec<usize> = course.remaining_entrants().collect();
    let played: usize = course.sections.iter().map(Vec::len).sum();
    let a_meeting = 2 * course.deals as usize;
    let left = (goal.games as usize).saturating_sub(played * a_meeting) / a_meeting;
    if left == 0 || players.len() < 2 {
        return None;
    }
    let round = course.sections.len();
    let mut pairings = if round < OPENING {
        ladder_pairings_by_seed(&players, round)
    } else {
        let fit = course.fit_ratings()?;
        if goal
            .margin
            .is_some_and(|margin| is_ladder_margin_reached(course, &players, &fit, margin))
        {
            return None;
        }
        Some(ladder_pairings_by_worth(course, &players, &fit))
            .filter(|pairings| !pairings.is_empty())?
    };
    pairings.truncate(left);
    Some(pairings)
}

/// The next round of the most informative games, after all other stages; none when all possible
/// meetings would only repeat games.
pub(crate) fn further_ladder_round(course: &FormatInput<'_>) -> Option<FormatSection> {
    let players: Vec<usize> = course.remaining_entrants().collect();
    let pairings = ladder_pairings_by_worth(course, &players, &course.fit_ratings()?);
    let meetings = pairings.len();
    let games = FURTHER_LEAST.max(course.results.total_outcomes().games() as usize / FURTHER_SHARE);
    // A single pair first, if it is unknown whether these two play different games at all.
    let is_known = |&(one, other): &(usize, usize)| ladder_games_vary(course, one, other);
    let games = if pairings.iter().all(is_known) { games } else { 2 };
    let pairs = u32::try_from(games.div_ceil(2 * meetings.max(1))).unwrap_or(u32::MAX);
    (meetings > 0).then(|| FormatSection::from_pairings(pairings, pairs))
}

/// Whether the last game of the two was new, and so was an earlier one with the same seats.
fn ladder_games_vary(course: &FormatInput<'_>, one: usize, other: usize) -> bool {
    let results = course.results;
    let new = |first: usize, second: usize| {
        results.pairing(first, second).games() - results.copies_between(first, second)
    };
    results.repeats(one, other) == 0 && (new(one, other) > 1 || new(other, one) > 1)
}

/// Whether further games of the two would probably only repeat earlier ones.
fn is_ladder_pairing_exhausted(course: &FormatInput<'_>, one: usize, other: usize) -> bool {
    course.results.repeats(one, other) >= REPEATS
}

/// The first rounds of the circle method, in the order of the seeds.
fn ladder_pairings_by_seed(players: &[usize], round: usize) -> Vec<(usize, usize)> {
    let tables = players.len() / 2;
    all_pairings(players).into_iter().skip(round * tables).take(tables).collect()
}

/// Whether every published rating is known within `margin`.
fn is_ladder_margin_reached(
    course: &FormatInput<'_>,
    players: &[usize],
    fit: &Fit,
    margin: f64,
) -> bool {
    let shown = players.iter().filter(|&&player| !course.results.completion(player).fails());
    shown.into_iter().all(|&player| fit.ratings[player].margin() <= margin)
}

/// The best meetings in which no player appears twice, chosen greedily.
fn ladder_pairings_by_worth(
    course: &FormatInput<'_>,
    players: &[usize],
    fit: &Fit,
) -> Vec<(usize, usize)> {
    let mut ranking = players.to_vec();
    ranking.sort_by(|&one, &other| {
        fit.ratings[other].value.total_cmp(&fit.ratings[one].value).then(one.cmp(&other))
    });
    let mut meetings = Vec::new();
    for (at, &one) in ranking.iter().enumerate() {
        let others = ranking[at + 1..]
            .iter()
            .filter(|&&other| !is_ladder_pairing_exhausted(course, one, other));
        for &other in others.take(REACH) {
            let fails = |player: usize| course.results.completion(player).fails();
            let worth = match fit.rating_difference(one, other) {
                // A player that only fails says nothing about who is better.
                _ if fails(one) || fails(other) => 0.0,
                // Nothing is known between unconnected groups, so such a meeting is the most
                // informative.
                None => f64::INFINITY,
                Some(difference) => {
                    ladder_game_worth(difference)
                        / f64::from(1 + course.results.repeats(one, other))
                }
            };
            meetings.push((worth, one, other));
        }
    }
    meetings.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut busy = vec![false; fit.ratings.len()];
    let mut pairings = Vec::new();
    for (_, one, other) in meetings {
        if !busy[one] && !busy[other] {
            (busy[one], busy[other]) = (true, true);
            pairings.push((one, other));
        }
    }
    pairings
}

/// How informative a game between two players is: the information of a result about their
/// difference, times the uncertainty of that difference, times how open their order is.
fn ladder_game_worth(difference: Estimate) -> f64 {
    let error = difference.margin().max(1e-9);
    let expected = 1.0 / (1.0 + 10_f64.powf(-difference.value / 400.0));
    let deviation = difference.value / error;
    expected * (1.0 - expected) * error * error * (-deviation * deviation / 2.0).exp()
}
