//! A forecast: what the ratings of a tournament will be worth, from simulated tournaments between
//! players with made-up strengths.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::analysis::TournamentEvaluation;
use crate::analysis::named_results::Faulted;
use crate::schedule::tournament_state::TournamentState;
use referee_games::Places;
use referee_ratings::{GameOutcome, Rank, RankInterval};
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::grades::{Grades, RankMark};
use referee_record::model::record::{Header, HeaderPlayer};
use referee_record::model::stage::{Format, MOST_MEETINGS_EACH, RankedBy};

/// The standard deviation of made-up strengths, in Elo.
pub const SCATTER: f64 = 200.0;

/// With this parameter of the model, a fifth of the games between equals is drawn.
const DRAWS: f64 = 0.5;
/// Elo points of a unit of the logistic distribution.
const LOGISTIC: f64 = 400.0 / std::f64::consts::LN_10;
/// Elo points of a natural unit.
const ELO: f64 = 400.0 / std::f64::consts::LN_10 * 2.0 / (2.0 + DRAWS);

/// What the ratings of a tournament are worth: means over simulated tournaments.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The number of games.
    pub games: f64,
    /// The number of ranks in a 95% interval.
    pub width: f64,
    /// The error of ratings (root mean square), in Elo.
    pub error: f64,
    /// The share of pairs of players in the right order.
    pub ordered: f64,
    /// The share of the best three that are ranked among the first three.
    pub top: f64,
    /// The share of marked players in the band of their true rank.
    pub right: f64,
    /// The last ranks of the bands that any player reaches, at least in every second tournament.
    pub reached: Vec<u32>,
}

impl Forecast {
    /// Plays it this many `times`, each of `most` games if there are further ones. None if the given
    /// ratings cannot be used, or no player has a rank.
    pub fn new(header: &Header, grades: &Grades, most: Option<usize>, times: u64) -> Option<Self> {
        let all = (0..times).map(|seed| Self::simulate_one(header, grades, most, seed));
        let all: Vec<Self> = all.collect::<Option<_>>()?;
        let average = |value: fn(&Self) -> f64| forecast_mean(all.iter().map(value));
        let in_half =
            |last: &u32| forecast_mean(all.iter().map(|one| one.reached.contains(last))) >= 0.5;
        Some(Self {
            games: average(|one| one.games),
            width: average(|one| one.width),
            error: average(|one| one.error.powi(2)).sqrt(),
            ordered: average(|one| one.ordered),
            top: average(|one| one.top),
            right: average(|one| one.right),
            reached: grades.ranks.iter().map(|line| line.rank).filter(in_half).collect(),
        })
    }

    /// Plays one tournament.
    fn simulate_one(
        header: &Header,
        grades: &Grades,
        most: Option<usize>,
        seed: u64,
    ) -> Option<Self> {
        // Its games have no scores.
        let rank = RankedBy::Ratings;
        let header = Header { identity: seed.to_string(), drawn: true, rank, ..header.clone() };
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        let truth = draw_forecast_strengths(&header, &mut luck);
        let state = simulate_tournament(&header, most, |players| {
            simulate_places(players, &truth, &mut luck)
        });
        let ranking = TournamentEvaluation::from_state(&state, Faulted::Count).ok()?.ranking;
        let name = |player: usize| &header.players[player].name;
        let takes_rank = |player: usize| grades.takes_rank(name(player));
        let ranks = ranking.ranks_among(takes_rank);
        let mut order: Vec<usize> = (0..truth.len()).collect();
        order.sort_by(|&one, &other| truth[other].total_cmp(&truth[one]));
        order.sort_by_key(|&player| !takes_rank(player));
        // The players with a rank and what is shown of it, in the true order.
        let shown = |player: usize| Some((player, ranks[player].ok()?));
        let shown: Vec<(usize, Rank)> = order.into_iter().filter_map(shown).collect();
        let error = |player: usize| ranking.fit.ratings[player].value - truth[player];
        let pairs = shown.iter().zip(1..).flat_map(|((_, above), next)| {
            shown[next..].iter().map(|(_, below)| above.place < below.place)
        });
        let exact = |place| Rank { place, interval: RankInterval { low: place, high: place } };
        let bands = |((player, rank), place): (&(usize, Rank), usize)| {
            let is_marked = !grades.exempt.contains(name(*player));
            is_marked.then(|| [*rank, exact(place)].map(|rank| grades.band(rank)))
        };
        let bands: Vec<[Option<RankMark>; 2]> = shown.iter().zip(1..).filter_map(bands).collect();
        (!shown.is_empty()).then(|| Self {
            games: count_as_f64(state.played()),
            width: forecast_mean(
                shown.iter().map(|(_, it)| count_as_f64(it.interval.high - it.interval.low + 1)),
            ),
            error: forecast_mean(shown.iter().map(|it| error(it.0).powi(2))).sqrt(),
            ordered: forecast_mean(pairs),
            top: forecast_mean(shown.iter().take(3).map(|(_, rank)| rank.place <= 3)),
            right: forecast_mean(bands.iter().map(|[shown, truth]| shown == truth)),
            reached: bands.iter().filter_map(|[shown, _]| Some(shown.as_ref()?.rank)).collect(),
        })
    }
}

/// Plays a tournament, with further games until there are `most` games if the header has such a
/// stage. `result` plays the game of these players.
pub fn simulate_tournament(
    header: &Header,
    most: Option<usize>,
    mut result: impl FnMut(Lineup) -> Places,
) -> TournamentState {
    let (mut state, mut next) = (TournamentState::new(header), 0);
    if most.is_some() {
        state.allow_further();
    }
    while most.is_none_or(|most| state.played() < most) {
        let Some(index) = state.next_due(next) else { break };
        let fixture = state.fixture(index);
        let places = result(fixture.players);
        let game = GameSummary::from_places(places);
        if state.add_fixture(fixture, game).is_err() {
            break;
        }
        next = index + 1;
    }
    state
}

/// The places of a game between players of these strengths, in Elo. With more than two, any two are
/// in their order as often as they would be in a game of two without draws.
fn simulate_places(players: Lineup, truth: &[f64], luck: &mut impl Rng) -> Places {
    let strengths: Vec<f64> = players.players().map(|player| truth[player]).collect();
    if let [first, second] = strengths[..] {
        return GameSummary::from_outcome(simulate_outcome(first - second, luck)).places;
    }
    let perform = |strength: &f64| strength - LOGISTIC * (-(1.0 - luck.random::<f64>()).ln()).ln();
    let performed: Vec<f64> = strengths.iter().map(perform).collect();
    Places::ordered(performed.len(), |one, other| {
        performed[other.index()].total_cmp(&performed[one.index()])
    })
}

/// The outcome of a game in which the first seat is ahead by `lead` Elo, its advantage included.
pub fn simulate_outcome(lead: f64, luck: &mut impl Rng) -> GameOutcome {
    let half = lead / ELO / 2.0;
    let [win, loss] = [half.exp(), (-half).exp()];
    match luck.random::<f64>() * (win + DRAWS + loss) {
        drawn if drawn < win => GameOutcome::Win,
        drawn if drawn < win + DRAWS => GameOutcome::Draw,
        _ => GameOutcome::Loss,
    }
}

/// The same tournament with twice as many opponents or Swiss rounds, where players can have more,
/// and what it has in place of what.
pub fn double_forecast_meetings(header: &Header) -> Option<(Header, String)> {
    let mut header = header.clone();
    let (all, seats) = (header.players.len(), header.seats.len());
    let change = header.stages.iter_mut().find_map(|stage| {
        let players = stage.taking_part(all);
        match &mut stage.format {
            Format::PartialRoundRobin { opponents: number, .. } => {
                let (most, what) = match seats {
                    2 => (players.saturating_sub(1), "opponents"),
                    _ => (MOST_MEETINGS_EACH, "meetings"),
                };
                let before = std::mem::replace(number, (2 * *number).min(most));
                (*number > before).then(|| format!("{number} {what} instead of {before}"))
            }
            Format::Swiss { rounds: number } => {
                let most = u32::try_from(players / 2).ok()?;
                let before = std::mem::replace(number, (2 * *number).min(most));
                (*number > before).then(|| format!("{number} rounds instead of {before}"))
            }
            _ => None,
        }
    })?;
    Some((header, change))
}

/// Made-up strengths of all players: those given, and the others around their average.
fn draw_forecast_strengths(header: &Header, luck: &mut impl Rng) -> Vec<f64> {
    let drawn: Vec<f64> =
        header.players.iter().map(|_| SCATTER * draw_standard_normal(luck)).collect();
    // Ratings are relative to those given, or to the average.
    let shift = forecast_mean(header.anchors.iter().map(|it| it.rating))
        - forecast_mean(drawn.iter().copied());
    let strength = |(player, drawn): (&HeaderPlayer, f64)| {
        let given = header.anchors.iter().find(|it| it.player == player.name);
        given.map_or(drawn + shift, |anchor| anchor.rating)
    };
    header.players.iter().zip(drawn).map(strength).collect()
}

/// A number of the standard normal distribution (Box and Muller).
fn draw_standard_normal(luck: &mut impl Rng) -> f64 {
    let [radius, angle] = [luck.random::<f64>(), luck.random::<f64>()];
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The average; 0 of nothing.
fn forecast_mean<N: Into<f64>>(values: impl Iterator<Item = N>) -> f64 {
    let (sum, all) = values.fold((0.0, 0.0), |(sum, all), value| (sum + value.into(), all + 1.0));
    sum / f64::max(all, 1.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts of games and players")]
fn count_as_f64(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::grades::RankBy;
    use referee_record::model::record::{Anchor, examples};
    use referee_record::model::stage::Stage;

    const NAMES: [&str; 9] = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis"];

    fn header(format: Format) -> Header {
        let stages = vec![Stage { format, pairs: 1, players: None }];
        Header { stages, ..examples::header(&NAMES) }
    }

    fn opponents(opponents: usize) -> Header {
        let (late, corrected) = (Vec::new(), Vec::new());
        header(Format::PartialRoundRobin { opponents, late, corrected })
    }

    fn forecast(header: &Header, grades: &Grades) -> Forecast {
        Forecast::new(header, grades, None, 10).expect("everyone is ranked")
    }

    #[test]
    fn more_games_make_better_ratings() {
        let few = opponents(2);
        let (more, change) = double_forecast_meetings(&few).expect("more are possible");
        assert_eq!(change, "4 opponents instead of 2");
        let [few, more] = [few, more].map(|header| forecast(&header, &Grades::default()));
        assert_eq!((few.games, more.games), (18.0, 36.0));
        assert!(more.width < few.width && more.error < few.error, "{few:?} {more:?}");
        assert!(more.ordered > few.ordered && few.ordered > 0.5, "{few:?} {more:?}");
    }

    #[test]
    fn only_what_is_possible_is_doubled() {
        let change = |header: &Header| double_forecast_meetings(header).map(|(_, change)| change);
        assert_eq!(change(&opponents(5)).as_deref(), Some("8 opponents instead of 5"));
        assert_eq!(change(&opponents(8)), None);
        let rounds = header(Format::Swiss { rounds: 3 });
        assert_eq!(change(&rounds).as_deref(), Some("4 rounds instead of 3"));
        assert_eq!(change(&header(Format::RoundRobin)), None);
    }

    #[test]
    fn wide_intervals_reach_no_low_band() {
        let line = |rank| RankMark { rank, marks: 1.0 };
        let grades = |by| Grades { by, ranks: [1, 8, 9].map(line).into(), ..Grades::default() };
        let reached = |by| forecast(&opponents(2), &grades(by)).reached;
        assert_eq!(reached(RankBy::Low), [1, 8]);
        assert_eq!(reached(RankBy::Rank), [1, 8, 9]);
        assert_eq!(reached(RankBy::High), [8, 9]);
        // Those without marks reach none, and can leave their ranks to others.
        let exempt = NAMES[2..].iter().map(|&name| name.to_owned()).collect();
        let two = Grades { graded_only: true, exempt, ..grades(RankBy::Rank) };
        assert_eq!(forecast(&opponents(2), &two).reached, [1, 8]);
    }

    #[test]
    fn strengths_follow_given_ratings() {
        let anchor = |player: &str, rating| Anchor { player: player.to_owned(), rating };
        let anchors = vec![anchor("ant", 1400.0), anchor("bee", 1600.0)];
        let header = Header { anchors, ..opponents(4) };
        let strengths = draw_forecast_strengths(&header, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(strengths[..2], [1400.0, 1600.0]);
        assert!(strengths[2..].iter().all(|strength| (800.0..2200.0).contains(strength)));
        assert!(forecast(&header, &Grades::default()).error < 300.0);
        let unknown = Header { anchors: vec![anchor("nobody", 0.0)], ..header };
        assert_eq!(Forecast::new(&unknown, &Grades::default(), None, 1), None);
    }

    #[test]
    fn further_games_are_played_until_there_are_enough() {
        let mut header = opponents(2);
        header.stages.push(Stage::extra_games());
        let draws = |most| simulate_tournament(&header, most, |_| Places::level(2)).played();
        assert_eq!([None, Some(30)].map(draws), [18, 30]);
    }
}
