//! What the ratings of a league are worth, when versions come and go and results decide who meets
//! whom (`cargo test -p referee-tournament --test simulations -- --ignored --nocapture league`).

use std::num::NonZeroU64;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{Estimate, RankInterval};
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::league_entry::{LeagueEntry, Leaving, LeavingReason};
use referee_record::model::record::{Anchor, Header, HeaderPlayer, examples};
use referee_record::model::roster_change::RosterChange;
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::forecast::simulate_outcome;
use referee_tournament::schedule::tournament_state::TournamentState;

use crate::cases;
use crate::seats::{count, places, seat_names};

/// The players whose ratings are given.
const ANCHORS: [f64; 2] = [0.0, 300.0];

/// How much weaker a broken version is, in Elo.
const BROKEN: f64 = 500.0;

/// How strong the authors of a league are, and when they hand in.
#[derive(Debug, Clone, Copy)]
struct Term {
    name: &'static str,
    leagues: u64,
    authors: usize,
    versions: u32,
    /// The mean strengths of first versions, one for each camp of authors, in Elo.
    camps: &'static [f64],
    /// How they scatter in a camp.
    deviation: f64,
    /// How much stronger the next version is on average …
    step: f64,
    /// … and how that scatters.
    uneven: f64,
    /// Every so many versions one is broken: 500 Elo weaker, until the next one.
    broken: usize,
    /// How many authors hand in at the same time.
    at_once: usize,
    /// The games of each version on average.
    games_each: usize,
    /// The least share of ratings, and of ranks, that their intervals hold on average.
    least: f64,
    /// The number of seats of a game.
    seats: usize,
}

const USUAL: Term = Term {
    name: "60 authors, 3 versions",
    leagues: cases(30, 17),
    authors: 60,
    versions: 3,
    camps: &[150.0],
    deviation: 250.0,
    step: 40.0,
    uneven: 60.0,
    broken: usize::MAX,
    at_once: 1,
    games_each: 100,
    least: 0.93,
    seats: 2,
};

const TERMS: &[Term] = &[
    USUAL,
    Term { name: "above the anchors", camps: &[700.0], ..USUAL },
    Term { name: "a close field", deviation: 100.0, uneven: 30.0, ..USUAL },
    Term {
        name: "a close field, everyone before the same deadline",
        authors: 20,
        deviation: 100.0,
        uneven: 30.0,
        at_once: 20,
        ..USUAL
    },
    Term {
        name: "a close field, a quarter of it at a time",
        authors: 20,
        deviation: 100.0,
        uneven: 30.0,
        at_once: 5,
        ..USUAL
    },
    Term {
        name: "three camps",
        authors: 90,
        versions: 2,
        camps: &[0.0, 600.0, 1200.0],
        deviation: 60.0,
        ..USUAL
    },
    Term { name: "a tenth of the versions broken", broken: 10, authors: 30, versions: 6, ..USUAL },
    Term { name: "20 small steps", authors: 8, versions: 20, step: 15.0, uneven: 15.0, ..USUAL },
    Term { name: "three seats", seats: 3, authors: 30, ..USUAL },
    Term { name: "four seats", seats: 4, authors: 30, ..USUAL },
    Term { name: "six seats", seats: 6, authors: 30, ..USUAL },
    Term { name: "four seats, a close field", seats: 4, authors: 30, deviation: 100.0, ..USUAL },
];

/// A league whose players have known strengths.
struct TrueLeague {
    state: TournamentState,
    random: ChaCha8Rng,
    /// By player number, in Elo.
    strengths: Vec<f64>,
    games: Vec<usize>,
}

impl TrueLeague {
    fn new(seed: u64, seats: usize) -> Self {
        let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
        let names = ["house 0", "house 1"];
        let anchor =
            |(player, rating): (&&str, f64)| Anchor { player: (*player).to_owned(), rating };
        let anchors = names.iter().zip(ANCHORS).map(anchor).collect();
        let plain = examples::header(&names);
        let header = match seats {
            2 => Header { stages, anchors, ..plain },
            _ => Header { stages, anchors, seats: seat_names(seats), ..plain },
        };
        let state = TournamentState::new(&header);
        let random = ChaCha8Rng::seed_from_u64(seed);
        Self { state, random, strengths: ANCHORS.to_vec(), games: vec![0; 2] }
    }

    /// A number around 0 with this deviation, nearly normal.
    fn around(&mut self, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.random.random::<f64>()).sum();
        deviation * (sum - 6.0)
    }

    /// An author's next version comes in place of the one before.
    fn enter(&mut self, author: usize, version: u32, term: &Term) {
        let name = format!("author {author}");
        let before = self.state.player_number(&LeagueEntry::version_name(&name, version - 1));
        let strength = match before {
            Some(before) => {
                let mended =
                    if version > 2 && before.is_multiple_of(term.broken) { BROKEN } else { 0.0 };
                self.strengths[before] + mended + term.step + self.around(term.uneven)
            }
            None => term.camps[author % term.camps.len()] + self.around(term.deviation),
        };
        if before.is_some() {
            let leaving = Leaving { at: 0, why: LeavingReason::Replaced };
            let player = LeagueEntry::version_name(&name, version - 1);
            self.state
                .apply_league_roster_change(&RosterChange::Left { player, leaving })
                .expect("it is there");
        }
        let entry = LeagueEntry {
            author: name.clone(),
            version,
            at: 0,
            source: String::new(),
            kept: String::new(),
        };
        let player = HeaderPlayer {
            name: LeagueEntry::version_name(&name, version),
            entry: Some(entry),
            ..self.state.header().players[0].clone()
        };
        let change = RosterChange::Entered { player: Box::new(player), files: [].into() };
        self.state.apply_league_roster_change(&change).expect("it comes");
        let is_broken = version > 1 && self.strengths.len().is_multiple_of(term.broken);
        self.strengths.push(strength - if is_broken { BROKEN } else { 0.0 });
        self.games.push(0);
    }

    fn ending(&mut self, players: Lineup) -> GameSummary {
        if players.seats().len() == 2 {
            let [first, second] = players.two();
            let lead = self.strengths[first] - self.strengths[second];
            return GameSummary::from_outcome(simulate_outcome(lead, &mut self.random));
        }
        let strengths: Vec<f64> = players.players().map(|player| self.strengths[player]).collect();
        let places = places(&strengths, 1.0, &mut self.random);
        GameSummary::from_places(places)
    }

    /// Plays the next deal, if the league does not rest.
    fn play(&mut self) {
        self.state.choose_league_deal();
        while let Some(index) = self.state.next_due(0) {
            let fixture = self.state.fixture(index);
            let fingerprint = NonZeroU64::new(index as u64 + 1);
            let summary = GameSummary { fingerprint, ..self.ending(fixture.players) };
            self.state.add_fixture(fixture, summary).expect("it was chosen");
            for player in fixture.players.players() {
                self.games[player] += 1;
            }
        }
    }

    /// Lets everyone hand in and play.
    fn play_term(&mut self, term: &Term) {
        for version in 1..=term.versions {
            for author in 0..term.authors {
                self.enter(author, version, term);
                if (author + 1) % term.at_once == 0 || author + 1 == term.authors {
                    // Each deal is as many games of as many versions.
                    let deals = term.at_once * term.games_each / term.seats.pow(2);
                    (0..deals).for_each(|_| self.play());
                }
            }
        }
    }

    fn evaluation(&self) -> TournamentEvaluation {
        TournamentEvaluation::from_state(&self.state, Faulted::Count).expect("two anchors")
    }
}

/// What the ratings of a league were worth.
#[derive(Debug, Clone, Copy)]
struct Worth {
    /// The share of ratings that their intervals hold.
    held: f64,
    /// The share of ranks among all players that their intervals hold.
    ranked: f64,
    /// The mean error, in Elo.
    error: f64,
    /// The mean half of an interval, in Elo.
    half: f64,
    /// The slope of the ratings on the strengths.
    slope: f64,
    /// The fewest games of a version.
    fewest: usize,
}

impl Worth {
    #[expect(clippy::cast_precision_loss, reason = "counts of players")]
    fn of(league: &TrueLeague) -> Self {
        let fit = league.evaluation().ranking.fit;
        let (ratings, ranks): (Vec<Estimate>, _) = (fit.ratings.clone(), fit.rank_intervals());
        let own: Vec<(Estimate, f64)> =
            ratings.into_iter().zip(league.strengths.iter().copied()).skip(ANCHORS.len()).collect();
        let count = own.len() as f64;
        let mean =
            |value: &dyn Fn(&(Estimate, f64)) -> f64| own.iter().map(value).sum::<f64>() / count;
        let (middle, truth) = (mean(&|it| it.0.value), mean(&|it| it.1));
        let stronger = |than: f64| league.strengths.iter().filter(|it| **it > than).count();
        let is_ranked = |(rank, &strength): (&RankInterval, &f64)| {
            (rank.low..=rank.high).contains(&(stronger(strength) + 1))
        };
        let ranked =
            ranks.iter().zip(&league.strengths).skip(ANCHORS.len()).filter(|it| is_ranked(*it));
        let common = mean(&|it| (it.0.value - middle) * (it.1 - truth));
        Self {
            held: mean(&|it| f64::from((it.0.low..=it.0.high).contains(&it.1))),
            ranked: ranked.count() as f64 / count,
            error: mean(&|it| (it.0.value - it.1).abs()),
            half: mean(&|it| (it.0.high - it.0.low) / 2.0),
            slope: common / mean(&|it| (it.1 - truth).powi(2)),
            fewest: league.games[ANCHORS.len()..].iter().copied().min().unwrap_or(0),
        }
    }
}

/// The worth of many leagues, played on all cores.
fn worth_of(term: &Term) -> Vec<Worth> {
    let (next, all) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= term.leagues {
                        return;
                    }
                    let mut league = TrueLeague::new(seed, term.seats);
                    league.play_term(term);
                    let worth = Worth::of(&league);
                    all.lock().expect("no panic").push(worth);
                }
            });
        }
    });
    all.into_inner().expect("no panic")
}

#[test]
#[ignore = "slow: many terms of simulated games"]
fn ratings_of_a_league_are_right_within_their_intervals() {
    let only = std::env::var("REFEREE_TERM").ok();
    println!(
        "| league | ratings hold | lowest | < 93% | ranks hold | error | ± | slope | fewest games |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut too_seldom = Vec::new();
    for term in
        TERMS.iter().filter(|term| only.as_ref().is_none_or(|only| term.name.contains(only)))
    {
        let all = worth_of(term);
        let mean =
            |value: fn(&Worth) -> f64| all.iter().map(&value).sum::<f64>() / count(all.len());
        let (held, ranked) = (mean(|it| it.held), mean(|it| it.ranked));
        let lowest = all.iter().map(|it| it.held).fold(1.0, f64::min);
        let below = mean(|it| f64::from(it.held < 0.93));
        println!(
            "| {} | {:.1}% | {:.1}% | {:.0}% | {:.1}% | {:.1} | {:.0} | {:.2} | {} |",
            term.name,
            100.0 * held,
            100.0 * lowest,
            100.0 * below,
            100.0 * ranked,
            mean(|it| it.error),
            mean(|it| it.half),
            mean(|it| it.slope),
            all.iter().map(|it| it.fewest).min().unwrap_or(0),
        );
        if held.min(ranked) < term.least {
            too_seldom.push(term.name);
        }
    }
    assert!(too_seldom.is_empty(), "intervals of 95% hold too seldom: {too_seldom:?}");
}

/// In a term with these camps of authors, looks at the ratings now and then: games of others make no
/// version that has left less certain.
fn others_make_nobody_less_certain(camps: &'static [f64], deviation: f64, seed: u64) {
    let term = Term { camps, deviation, authors: 30, versions: 4, games_each: 60, ..USUAL };
    let mut league = TrueLeague::new(seed, term.seats);
    let mut least: Vec<f64> = Vec::new();
    for version in 1..=term.versions {
        for author in 0..term.authors {
            league.enter(author, version, &term);
            (0..term.games_each / 4).for_each(|_| league.play());
            if author % 10 != 9 {
                continue;
            }
            let now = league.evaluation().ranking.fit.ratings;
            least.resize(now.len(), f64::INFINITY);
            for (player, rating) in now.iter().enumerate().skip(ANCHORS.len()) {
                let width = rating.high - rating.low;
                let before = least[player];
                assert!(
                    league.state.is_taking_part(player) || width <= 1.2 * before,
                    "{camps:?}, player {player}: {before:.0} became {width:.0}"
                );
                least[player] = before.min(width);
            }
        }
    }
}

#[test]
fn games_of_others_make_nobody_less_certain() {
    others_make_nobody_less_certain(&[1500.0], 250.0, 1);
    others_make_nobody_less_certain(&[2500.0], 400.0, 1);
    others_make_nobody_less_certain(&[1200.0, 1300.0, 2400.0], 60.0, 0);
}

#[test]
fn a_version_is_rated_by_those_before_it() {
    let term = Term { authors: 6, versions: 10, step: 15.0, uneven: 15.0, games_each: 60, ..USUAL };
    let mut league = TrueLeague::new(1, term.seats);
    league.play_term(&term);
    let Worth { error, slope, .. } = Worth::of(&league);
    // If each version counted as another author, the error would be twice as large.
    assert!(error < 30.0 && slope > 0.9, "{error} {slope}");
}
