//! How often the intervals of strengths in points hold the truth
//! (`cargo test -p referee-ratings --test simulations -- --ignored --nocapture scores`).
//!
//! A score is a value of the game, the player's strength, the value of its seat, and luck.

use rand::seq::SliceRandom as _;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{
    Compared, DealTable, Ranking, Results, ScoreFit, ScoredEnding, ScoredGame, ScoredGames,
    SeatedEnding, SeatedGame, Seating,
};

use super::seats::{Share, normal};

/// The standard deviation of the luck in a game, in points.
const LUCK: f64 = 10.0;
/// The share of its games in which a player crashes.
const CRASHES: f64 = 0.1;

/// How luck is distributed, with the standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    Normal,
    /// Student's t with three degrees of freedom.
    HeavyTails,
}

impl Noise {
    fn draw(self, luck: &mut impl Rng) -> f64 {
        match self {
            Self::Normal => normal(luck),
            Self::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(luck).powi(2)).sum();
                // Its variance is 3.
                normal(luck) / (squares / 3.0).sqrt() / 3.0_f64.sqrt()
            }
        }
    }
}

/// Tournaments with known strengths.
#[derive(Debug, Clone, Copy)]
struct Field {
    name: &'static str,
    tournaments: u64,
    players: usize,
    seats: usize,
    /// The deals of each player.
    deals: usize,
    /// The games of a deal: all seatings of a rotation, or one.
    games: usize,
    /// The standard deviation of the strengths, in points.
    deviation: f64,
    noise: Noise,
    /// This share of the luck belongs to the seat and is the same in all games of a deal.
    seat_luck: f64,
    /// This share belongs to the player instead.
    player_luck: f64,
    /// Whether the first player crashes in a tenth of its games, which ends them.
    crashes: bool,
}

fn field(name: &'static str, seats: usize, players: usize) -> Field {
    Field {
        name,
        tournaments: 100,
        players,
        seats,
        deals: 5,
        games: seats,
        deviation: 9.0,
        noise: Noise::Normal,
        seat_luck: 0.0,
        player_luck: 0.0,
        crashes: false,
    }
}

/// How often intervals hold.
#[derive(Debug, Default)]
struct Held {
    strengths: Share,
    ranks: Share,
    seats: Share,
    /// The squared errors of strengths.
    squares: f64,
}

impl Field {
    /// The value of a seat; the mean is 0.
    fn value(&self, seat: usize) -> f64 {
        5.0 * (0.5 - seat as f64 / (self.seats - 1) as f64)
    }

    fn play(&self, strengths: &[f64], luck: &mut ChaCha8Rng) -> (ScoredGames, Results) {
        let table =
            DealTable { seats: self.seats, seating: Seating::Known, compared: Compared::All };
        let mut games = ScoredGames::new(self.players, self.seats, Seating::Known);
        // Only ranks need them: that a player plays.
        let mut results = Results::at_table(self.players, table);
        let mut order: Vec<usize> = (0..self.players).collect();
        let mut deal = 0;
        for _ in 0..self.deals {
            order.shuffle(luck);
            for meeting in order.chunks_exact(self.seats) {
                deal += 1;
                let mut lots =
                    || (0..self.seats).map(|_| self.noise.draw(luck)).collect::<Vec<f64>>();
                let (of_seats, mut of_players) = (lots(), lots());
                let mut players = meeting.to_vec();
                for _ in 0..self.games {
                    let of_game = LUCK * normal(luck);
                    let score = |(seat, &player): (usize, &usize)| {
                        let own = 1.0 - self.seat_luck - self.player_luck;
                        let chance = own.sqrt() * self.noise.draw(luck)
                            + self.seat_luck.sqrt() * of_seats[seat]
                            + self.player_luck.sqrt() * of_players[seat];
                        of_game + strengths[player] + self.value(seat) + LUCK * chance
                    };
                    let scores: Vec<f64> = players.iter().enumerate().map(score).collect();
                    let crash = self.crashes && luck.random::<f64>() < CRASHES;
                    let failed: Vec<bool> =
                        players.iter().map(|&player| crash && player == 0).collect();
                    let ending = if failed.contains(&true) {
                        ScoredEnding::Fault(&failed)
                    } else {
                        ScoredEnding::Scores(&scores)
                    };
                    let (players_of, fingerprint) = (&players, None);
                    games.add(&ScoredGame {
                        players: players_of,
                        ending,
                        deal: Some(deal),
                        fingerprint,
                    });
                    results.add_seated_completion(&SeatedGame {
                        players: players_of,
                        places: &vec![0; self.seats],
                        forfeits: &vec![false; self.seats],
                        ending: SeatedEnding::Rules,
                        deal: None,
                        fingerprint,
                    });
                    players.rotate_left(1);
                    of_players.rotate_left(1);
                }
            }
        }
        (games, results)
    }

    /// Adds what a tournament shows.
    fn look(&self, seed: u64, held: &mut Held) {
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        let strengths: Vec<f64> =
            (0..self.players).map(|_| self.deviation * normal(&mut luck)).collect();
        let (games, results) = self.play(&strengths, &mut luck);
        let names: Vec<usize> = (0..self.players).collect();
        let fit = referee_ratings::fit(&results, &[]).expect("no anchor");
        let none = vec![None::<()>; self.players];
        let ranking = Ranking::from_fit_and_points(fit, Some(games.fit()), &results, &none, &names);
        // Nobody knows how strong a player that crashes is.
        let known = usize::from(self.crashes)..self.players;
        let ranks = ranking.ranks_among(|player| known.contains(&player));
        let Some(ScoreFit { ratings, seat_values, .. }) = &ranking.points else { panic!("points") };
        let mean =
            |of: &dyn Fn(usize) -> f64| known.clone().map(of).sum::<f64>() / known.len() as f64;
        let moved = mean(&|player| ratings[player].value) - mean(&|player| strengths[player]);
        for player in known.clone() {
            let (rating, truth) = (ratings[player], strengths[player] + moved);
            let better = known.clone().filter(|&other| strengths[other] > strengths[player]);
            let rank = ranks[player].expect("it plays").interval;
            held.strengths.add((rating.low..=rating.high).contains(&truth));
            held.ranks.add((rank.low..=rank.high).contains(&(better.count() + 1)));
            held.squares += (rating.value - truth).powi(2);
        }
        for (seat, value) in seat_values.iter().enumerate() {
            held.seats.add((value.low..=value.high).contains(&self.value(seat)));
        }
    }

    fn check(&self) {
        let mut held = Held::default();
        for seed in 0..self.tournaments {
            self.look(seed, &mut held);
        }
        let [strengths, ranks] = [&held.strengths, &held.ranks].map(Share::value);
        println!(
            "| {} seats, {} | {:.1}% | {:.1}% | {:.1} | {:.1}% |",
            self.seats,
            self.name,
            100.0 * strengths,
            100.0 * ranks,
            (held.squares / held.strengths.all).sqrt(),
            100.0 * held.seats.value(),
        );
        let Self { name, seats, .. } = self;
        assert!((0.93..=0.97).contains(&strengths), "{seats} seats, {name}: {strengths}");
        assert!(ranks >= 0.93, "{seats} seats, {name}: {ranks}");
    }
}

/// For each number of seats: the usual field, heavy tails, and luck that belongs to seats.
fn fields(tournaments: u64) -> impl Iterator<Item = Field> {
    [(2, 32), (3, 30), (4, 32), (6, 30)].into_iter().flat_map(move |(seats, players)| {
        let usual = Field { tournaments, ..field("the usual field", seats, players) };
        let lucky = Field { seat_luck: 0.6, ..usual };
        [
            usual,
            Field { name: "heavy tails", noise: Noise::HeavyTails, ..usual },
            Field { name: "luck of seats 0.6", ..lucky },
            Field { name: "both", noise: Noise::HeavyTails, ..lucky },
        ]
    })
}

#[test]
fn intervals_of_points_hold_in_a_few_tournaments() {
    fields(40).step_by(5).for_each(|field| field.check());
}

#[test]
#[ignore = "slow: hundreds of simulated tournaments"]
fn intervals_of_points_hold() {
    fields(40).for_each(|field| field.check());
    for field in [
        Field { player_luck: 0.3, ..field("luck of players 0.3", 4, 32) },
        Field { crashes: true, ..field("a player crashes in a tenth of its games", 4, 32) },
        Field { games: 1, ..field("single games", 4, 32) },
        Field { deviation: 2.0, ..field("a close field", 4, 32) },
        Field { deals: 3, ..field("three deals", 4, 32) },
        field("few players", 4, 8),
    ] {
        field.check();
    }
}
