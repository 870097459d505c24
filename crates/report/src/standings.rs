//! The ranking: one row per player, in order.

use referee_protocol::Usage;
use referee_ratings::{
    Compared, Estimate, Outcomes, Points, Rank, RankInterval, ScoreMeans, SeatRatings, Separation,
    Unranked,
};
use referee_record::model::player_spec::Out;
use referee_record::model::record::Header;
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::{FaultCounts, NamedResults};
use referee_tournament::schedule::progress_summary::ProgressSummary;

/// A player's place, with everything the tables show about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingsRow {
    /// The rank, or why the player has none.
    pub(crate) rank: Result<Rank, Unranked<Out>>,
    /// Whether it has a rank although all its games ended by faults of opponents.
    pub(crate) is_spared: bool,
    /// The group, from 1, the largest first. Only players of the same group can be compared.
    pub(crate) group: usize,
    /// The player's number in the results.
    pub(crate) number: usize,
    /// The player's name, as configured.
    pub player: String,
    /// The rating in Elo with its 95% interval, even if it is not meaningful.
    rating: Estimate,
    /// How clearly the player is separated from the next one, if there is one to compare it with.
    pub(crate) next: Option<Separation>,
    /// How clearly the first player is separated from this one, if the two are compared.
    pub(crate) below_first: Option<Separation>,
    /// Whether it is a version of an author's player in a league.
    pub(crate) is_version: bool,
    /// Whether it is a version that no longer plays.
    pub(crate) has_left: bool,
    /// In a league: the version before it, by the same author, with how much better this one is in
    /// Elo and how likely it is better, if the two can be compared.
    pub(crate) before: Option<VersionBefore>,
    /// The ratings at each seat, if the seat's value differs between players.
    pub(crate) seat_ratings: Option<SeatRatings>,
    /// Wins, draws and losses; with more than two seats, how often it was ahead of another player,
    /// level with it and behind it.
    pub(crate) outcomes: Outcomes,
    /// The number of games.
    pub(crate) games: u32,
    /// The number of games in each place, the best first; empty for games of two seats.
    pub(crate) places: Vec<u32>,
    /// The scores at each seat.
    pub(crate) by_seat: Vec<Points>,
    /// The faults, by code.
    pub(crate) faults: FaultCounts,
    /// How often games were void because it could not reach its service; none if no player may be the
    /// cause of that.
    pub(crate) outages: Option<u32>,
    /// What it used of its service; none if no player has a budget or reported usage.
    pub(crate) usage: Option<Usage>,
    /// Its final scores, if there are any in the tournament, or if they put the players in order.
    pub(crate) points: Option<RowPoints>,
}

/// A player's final scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowPoints {
    /// How many decimals are shown.
    pub(crate) decimals: usize,
    /// The means over its games, if it has games with scores.
    pub(crate) means: Option<ScoreMeans>,
    /// The strength in points, even if it is not meaningful, if that puts the players in order.
    pub(crate) strength: Option<Estimate>,
}

/// The version of a player before another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VersionBefore {
    /// The player's number in the results.
    pub(crate) number: usize,
    /// How much better the later one is, in Elo, and the likelihood that it is better.
    pub(crate) gain: Option<(Estimate, f64)>,
    /// Whether one of the two has so few games that the likelihood says more of the model than of
    /// the versions: six lost games make identical programs differ "for sure".
    pub(crate) has_few_games: bool,
}

/// Fewer games than this are few.
const FEW_GAMES: u32 = 20;

impl StandingsRow {
    /// The total score of all games; with more than two seats, of all comparisons.
    pub(crate) fn score(&self) -> Points {
        self.outcomes.score()
    }

    /// The number of other players in each of its games.
    pub(crate) fn others(&self) -> u32 {
        u32::try_from(self.by_seat.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The number of faults of all kinds.
    pub fn fault_total(&self) -> u32 {
        self.faults.values().sum()
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The rating, if it says how well the player plays. `None` if the player only made faults or
    /// has no game.
    pub fn shown_rating(&self) -> Option<Estimate> {
        let is_meant = matches!(self.rank, Ok(_) | Err(Unranked::Unconnected | Unranked::Retired));
        is_meant.then_some(self.rating)
    }

    /// What its rank follows from, if that says how well the player plays: its strength in points, or
    /// its rating.
    pub(crate) fn shown_strength(&self) -> Option<Estimate> {
        let points = self.points.and_then(|points| points.strength);
        self.shown_rating().map(|rating| points.unwrap_or(rating))
    }

    /// How much better it is than the version before, in Elo, if that is known from enough games.
    pub(crate) fn gain(&self) -> Option<Estimate> {
        let before = self.before.filter(|before| !before.has_few_games)?;
        before.gain.map(|(gain, _)| gain)
    }

    /// The place, if the player has a rank.
    pub(crate) fn place(&self) -> Option<usize> {
        self.rank.ok().map(|rank| rank.place)
    }

    /// The 95% rank interval, if the player has a rank.
    pub(crate) fn rank_interval(&self) -> Option<RankInterval> {
        self.rank.ok().map(|rank| rank.interval)
    }
}

/// The ranking of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The players, best first; those without a rank at the end.
    pub rows: Vec<StandingsRow>,
    /// The outcomes of all games, from the side of the first seat; with more than two seats, of all
    /// comparisons.
    pub total: Outcomes,
    /// The number of games.
    pub games: u32,
    /// The tournament's progress.
    pub summary: ProgressSummary,
    /// The first seat's advantage in Elo.
    pub first_advantage: Estimate,
    /// What the seats are worth if there are more than two, or if it is not known who had which.
    pub seats: Option<SeatStandings>,
    /// The fitted chance of a draw between equals, 0 … 1.
    pub draw_rate: f64,
    /// The number of groups of players that play but that no chain of games connects.
    pub groups: usize,
    /// The correlation between a player's scores in the two games of a pair, or in two of a deal,
    /// −1 … 1.
    pub pair_correlation: f64,
    /// Whether the spread of the strengths was learned from the results.
    pub is_learned: bool,
    /// The p-value of the players' seat effects: how likely they differ this much by chance, 0 … 1.
    pub seat_effects_p: f64,
    /// Games that are copies of earlier ones, with the names of the first and second player.
    pub copies: Vec<(String, String, u32)>,
    /// A way to reduce the number of copies; [`new`](Self::new) only considers openings.
    pub remedy: StandingsRemedy,
    /// Two anchors whose results contradict their given ratings.
    pub contradiction: Option<ContradictedAnchors>,
    /// What final scores show beside the ranks, if they put the players in order.
    pub points: Option<PointStandings>,
}

/// What final scores show beside the ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct PointStandings {
    /// How many decimals are shown.
    pub(crate) decimals: usize,
    /// The name of each seat with its value in points, compared with their mean.
    pub(crate) seats: Vec<(String, Estimate)>,
    /// The variance of a player's luck in a deal, as a multiple of that in as many single games.
    pub(crate) deal_dispersion: f64,
    /// Whether a game has final scores.
    pub(crate) has_scores: bool,
    /// The number of games that ended by the rules without final scores.
    pub(crate) without_scores: u32,
}

impl PointStandings {
    fn from_evaluation(evaluation: &TournamentEvaluation) -> Option<Self> {
        let TournamentEvaluation { results, ranking, .. } = evaluation;
        let points = ranking.points.as_ref()?;
        let of_two = ["first seat", "second seat"].map(str::to_owned);
        let names = if results.seats().is_empty() { &of_two } else { results.seats() };
        Some(Self {
            decimals: standings_score_decimals(results),
            seats: names.iter().cloned().zip(points.seat_values.iter().copied()).collect(),
            deal_dispersion: points.deal_dispersion,
            has_scores: results.scored.has_scores(),
            without_scores: results.scored.games_without_scores(),
        })
    }
}

/// As many decimals as show three digits of the largest mean.
fn standings_score_decimals(results: &NamedResults) -> usize {
    let means = (0..results.names().len()).filter_map(|player| results.scored.score_means(player));
    let largest = means.flat_map(|it| [it.score.abs(), it.margin.abs()]).fold(0.0, f64::max);
    // One decimal for each power of ten below a hundred.
    (0..6).take_while(|&at| largest > 0.0 && largest * 10_f64.powi(at) < 100.0).count()
}

/// What the seats of a game of several are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatStandings {
    /// The number of seats.
    pub(crate) count: usize,
    /// The name of each seat with its value in Elo, compared with their mean; empty if it is not known
    /// who had which seat.
    pub(crate) values: Vec<(String, Estimate)>,
    /// The p-value of these values, 0 … 1: how likely they differ this much by chance. `None` if
    /// there are too few deals.
    pub(crate) values_p: Option<f64>,
    /// The variance of the scores in a game, as a multiple of what is expected between equals.
    pub(crate) game_dispersion: f64,
    /// Whether nearly all games have one winner and level others, although these are compared.
    pub(crate) may_be_winners: bool,
}

/// Places add nothing to the winner if at least this share of the others is in second place.
const SECOND: f64 = 0.95;

impl SeatStandings {
    fn from_evaluation(evaluation: &TournamentEvaluation) -> Option<Self> {
        let TournamentEvaluation { results, ranking, seats, .. } = evaluation;
        let table = results.counts.table()?;
        let second = |player| f64::from(results.counts.places(player)[1]);
        let seconds: f64 = (0..results.names().len()).map(second).sum();
        let others = f64::from(results.counts.games())
            * f64::from(u32::try_from(table.seats - 1).unwrap_or(u32::MAX));
        let values = results.seats().iter().cloned().zip(ranking.fit.seat_values.iter().copied());
        Some(Self {
            count: table.seats,
            values: values.collect(),
            values_p: seats.values_p,
            game_dispersion: ranking.fit.game_dispersion,
            may_be_winners: table.seats > 2
                && table.compared == Compared::All
                && seconds >= SECOND * others,
        })
    }
}

/// Two anchors whose results contradict their given ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct ContradictedAnchors {
    /// The anchor with the higher given rating.
    pub(crate) upper: String,
    /// The other one.
    pub(crate) lower: String,
    /// The difference between the given ratings, in Elo.
    pub(crate) given: f64,
    /// The difference that the results alone show, in Elo.
    pub(crate) found: Estimate,
}

/// A way to make players play different games instead of repeating some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StandingsRemedy {
    /// Use openings; the tournament has none.
    #[default]
    Openings,
    /// Use more openings.
    MoreOpenings,
    /// No setting helps: some players cannot start from an opening.
    NoOpenings,
    /// The settings are unknown.
    Unknown,
}

impl StandingsRemedy {
    /// The remedy for the tournament with this header.
    pub fn from_header(header: &Header) -> Self {
        match &header.openings {
            Some(_) => Self::MoreOpenings,
            None if header.players.iter().all(|player| player.takes_openings) => Self::Openings,
            None => Self::NoOpenings,
        }
    }
}

impl Standings {
    /// Builds the rows in ranking order.
    pub fn new(evaluation: &TournamentEvaluation) -> Self {
        let TournamentEvaluation { results, ranking, seats, .. } = evaluation;
        let has_left = |player: usize| evaluation.versions[player].has_left;
        let ranks = ranking.ranks_of_remaining(|player| !has_left(player));
        let mut order = ranking.order.clone();
        let has_none = |player: usize| !matches!(ranks[player], Ok(_) | Err(Unranked::Retired));
        order.sort_by_key(|&player| (has_none(player), has_left(player)));
        let compared = |one: usize, other: usize| {
            let are_compared = ranking.are_compared(one, other) && has_left(one) == has_left(other);
            ranking.separation(one, other).filter(|_| are_compared)
        };
        let name = |player: usize| results.names()[player].clone();
        let copies = results.counts.copies().into_iter();
        Self {
            rows: (0..order.len())
                .map(|at| StandingsRow {
                    next: order.get(at + 1).and_then(|&next| compared(order[at], next)),
                    below_first: compared(order[0], order[at]).filter(|_| at > 0),
                    ..build_standings_row(evaluation, &ranks, order[at])
                })
                .collect(),
            total: results.counts.total_outcomes(),
            games: results.counts.games(),
            seats: SeatStandings::from_evaluation(evaluation),
            summary: evaluation.summary,
            first_advantage: ranking.fit.first_advantage,
            draw_rate: ranking.fit.draw_rate(),
            groups: ranking.group_count(),
            pair_correlation: ranking.fit.pair_correlation,
            is_learned: ranking.fit.is_learned,
            seat_effects_p: seats.p_value,
            copies: copies.map(|((one, two), count)| (name(one), name(two), count)).collect(),
            remedy: StandingsRemedy::default(),
            points: PointStandings::from_evaluation(evaluation),
            contradiction: evaluation.contradiction.map(|found| ContradictedAnchors {
                upper: name(found.upper),
                lower: name(found.lower),
                given: found.given,
                found: found.found,
            }),
        }
    }

    /// The number of faults of all players.
    pub fn fault_total(&self) -> u32 {
        self.rows.iter().map(StandingsRow::fault_total).sum()
    }

    /// The rank of the player in `row`, which level players share.
    pub(crate) fn shared_rank(&self, row: &StandingsRow) -> Result<Rank, Unranked<Out>> {
        shared_standings_rank(row, self.rows.iter(), |row| row.rank)
    }

    /// How many players have a rank.
    pub(crate) fn count_ranked(&self) -> usize {
        self.rows.iter().filter(|row| row.rank.is_ok()).count()
    }
}

/// The rank of the player in `row`, where `rank` gives each its own. It shares the place of those of
/// `rows`, in ranking order, that come before it only by their names: it has several, its own and
/// its pseudonym.
pub(crate) fn shared_standings_rank<'a>(
    row: &StandingsRow,
    mut rows: impl Iterator<Item = &'a StandingsRow>,
    rank: impl Fn(&StandingsRow) -> Result<Rank, Unranked<Out>>,
) -> Result<Rank, Unranked<Out>> {
    let level = rows.find(|other| are_rows_level(other, row));
    rank(row).map(|own| {
        let place = level.and_then(|row| rank(row).ok()).map_or(own.place, |it| it.place);
        let low = own.interval.low.min(place);
        Rank { place, interval: RankInterval { low, ..own.interval } }
    })
}

/// Whether only their names decide which of these two players with a rank comes first.
fn are_rows_level(one: &StandingsRow, other: &StandingsRow) -> bool {
    let key = |row: &StandingsRow| (row.rank.is_ok(), row.is_spared, row.score());
    let strengths = one.shown_strength().zip(other.shown_strength());
    let is_near = strengths.is_some_and(|(one, other)| (one.value - other.value).abs() < 1e-6);
    one.rank.is_ok() && is_near && key(one) == key(other)
}

fn standings_version_before(
    evaluation: &TournamentEvaluation,
    before: usize,
    number: usize,
) -> VersionBefore {
    let ranking = &evaluation.ranking;
    let gain =
        ranking.fit.rating_difference(number, before).zip(ranking.separation(number, before));
    let gain = gain.filter(|_| ranking.are_compared(number, before));
    let counts = &evaluation.results.counts;
    VersionBefore {
        number: before,
        gain: gain.map(|(gain, separation)| (gain, separation.los)),
        has_few_games: [number, before]
            .into_iter()
            .any(|it| counts.outcomes_of(it).games() < FEW_GAMES),
    }
}

/// How much stronger a version is than the one `before`, in Elo; `None` if one of them has played
/// too few games, or no games connect them.
pub fn standings_version_gain(
    evaluation: &TournamentEvaluation,
    before: usize,
    number: usize,
) -> Option<Estimate> {
    let before = standings_version_before(evaluation, before, number);
    before.gain.filter(|_| !before.has_few_games).map(|(gain, _)| gain)
}

/// The row of the player with this number, without comparisons.
fn build_standings_row(
    evaluation: &TournamentEvaluation,
    ranks: &[Result<Rank, Unranked<Out>>],
    number: usize,
) -> StandingsRow {
    let TournamentEvaluation { results, ranking, seats, .. } = evaluation;
    let at_seats = 0..results.counts.seats();
    StandingsRow {
        rank: ranks[number],
        is_spared: ranking.is_spared(number),
        group: ranking.groups[number],
        number,
        player: results.names()[number].clone(),
        rating: ranking.fit.ratings[number],
        next: None,
        below_first: None,
        is_version: evaluation.versions[number].is_one,
        has_left: evaluation.versions[number].has_left,
        before: evaluation.versions[number]
            .before
            .map(|before| standings_version_before(evaluation, before, number)),
        seat_ratings: seats.by_seat.as_ref().map(|ratings| ratings[number]),
        outcomes: results.counts.outcomes_of(number),
        games: at_seats.clone().map(|seat| results.counts.games_at_seat(number, seat)).sum(),
        places: results.counts.places(number).to_vec(),
        by_seat: at_seats
            .map(|seat| results.counts.outcomes_at_seat(number, seat).score())
            .collect(),
        faults: results.faults(number).clone(),
        outages: results.outages(number),
        usage: results.usage(number),
        points: (results.scored.has_scores() || ranking.points.is_some()).then(|| RowPoints {
            decimals: standings_score_decimals(results),
            means: results.scored.score_means(number),
            strength: ranking.points.as_ref().map(|points| points.ratings[number]),
        }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    use referee_tournament::analysis::named_results::NamedResults;
    use referee_tournament::analysis::named_results::examples::{any_results, results};

    /// The standings of results without an anchor.
    pub(crate) fn standings(results: &NamedResults) -> Standings {
        Standings::new(&evaluation(results))
    }

    /// The evaluation of results without an anchor and without players taken out.
    pub(crate) fn evaluation(results: &NamedResults) -> TournamentEvaluation {
        let played = results.counts.total_outcomes().games() as usize;
        let summary = ProgressSummary { played, counted: played, ..ProgressSummary::default() };
        let out = vec![None; results.names().len()];
        TournamentEvaluation::new(results.clone(), &[], &out, summary).expect("no anchor")
    }

    fn order(standings: &Standings) -> Vec<&str> {
        standings.rows.iter().map(|row| row.player.as_str()).collect()
    }

    #[test]
    fn players_are_ranked_by_rating() {
        let games = [(0, 1, "black"), (1, 2, "draw"), (2, 0, "white"), (1, 2, "white")];
        let standings = standings(&results(&["ant", "bee", "cat"], &games));
        assert_eq!(order(&standings), ["bee", "cat", "ant"]);
        assert_eq!(standings.rows[2].place(), Some(3));
        assert_eq!(
            standings.rows[0].by_seat,
            [Points::from_wins_and_draws(1, 1), Points::from_wins_and_draws(1, 0)]
        );
    }

    #[test]
    fn equal_ratings_are_ranked_by_score_and_then_by_name() {
        // All are balanced and connected; bee and dog have played more.
        let mut games = vec![(3, 1, "draw"), (1, 3, "draw"), (0, 1, "draw"), (1, 0, "draw")];
        games.extend([(3, 2, "draw"), (2, 3, "draw")]);
        games.extend([(2, 0, "white"), (0, 2, "white"), (2, 0, "black"), (0, 2, "black")]);
        let standings = standings(&results(&["dog", "cat", "bee", "ant"], &games));
        assert_eq!(order(&standings), ["bee", "dog", "ant", "cat"]);
    }

    /// In a league of house players, the author of all but the last handed in again and again: each
    /// version beats the one before.
    #[test]
    fn only_versions_that_play_have_ranks() {
        let names = ["ann v1", "ann v2", "ann v3", "house"];
        let games = [(1, 0), (2, 1), (2, 0), (0, 3), (1, 3), (2, 3), (3, 2)];
        let games: Vec<_> = games.iter().map(|&(one, other)| (one, other, "white")).collect();
        let mut evaluation = evaluation(&results(&names, &games));
        for (number, version) in evaluation.versions[..3].iter_mut().enumerate() {
            version.is_one = true;
            version.before = number.checked_sub(1);
            version.has_left = number < 2;
        }
        let standings = Standings::new(&evaluation);
        assert_eq!(order(&standings), ["ann v3", "house", "ann v2", "ann v1"]);
        let [last, house, second, first] = &standings.rows[..] else { panic!("four") };
        assert_eq!((last.place(), house.place()), (Some(1), Some(2)));
        let before = last.before.expect("it replaced one");
        assert!(before.gain.expect("both played").0.value > 0.0);
        assert!(before.has_few_games && last.gain().is_none(), "two games tell nothing");
        assert_eq!(house.rank_interval().expect("a rank").high, 2);
        for retired in [second, first] {
            assert!(retired.has_left);
            assert_eq!(retired.rank, Err(Unranked::Retired));
            assert!(retired.shown_rating().is_some());
        }
        assert!(house.next.is_none(), "nobody who plays comes after it");
        assert_eq!(standings.count_ranked(), 2);
    }

    #[test]
    fn groups_that_never_met_are_not_ranked_together() {
        let games = [(0, 4, "white"), (2, 1, "white"), (1, 3, "white")];
        let standings = standings(&results(&["eel", "cat", "bee", "dog", "ant", "fox"], &games));
        assert_eq!(order(&standings), ["bee", "cat", "dog", "eel", "ant", "fox"]);
        let places: Vec<_> = standings.rows.iter().map(|row| (row.group, row.place())).collect();
        let of_largest = [(1, Some(1)), (1, Some(2)), (1, Some(3))];
        assert_eq!(places[..3], of_largest);
        assert_eq!(places[3..], [(2, None), (2, None), (3, None)]);
        assert!(standings.rows[2].next.is_none() && standings.rows[0].next.is_some());
        assert_eq!((standings.groups, standings.count_ranked()), (2, 3));
        // Fox played no games: its rating is only the prior.
        let shown = standings.rows.iter().map(|row| row.shown_rating().is_some());
        assert_eq!(shown.collect::<Vec<_>>(), [true, true, true, true, true, false]);
    }

    proptest! {
        #[test]
        fn totals_match_the_games(results in any_results()) {
            let standings = standings(&results);
            let total: Points = standings.rows.iter().map(StandingsRow::score).sum();
            prop_assert_eq!(total, Points::from_wins_and_draws(standings.total.games(), 0));
            for row in &standings.rows {
                prop_assert_eq!(row.by_seat.iter().copied().sum::<Points>(), row.score());
            }
        }
    }
}
