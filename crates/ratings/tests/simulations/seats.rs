//! How often the intervals of games of several seats hold the truth
//! (`cargo test -p referee-ratings --test simulations -- --ignored --nocapture seats`).
//!
//! A player's score in a game is its strength, the value of its seat, and luck; the higher score is
//! ahead. So no order is drawn from the model that is fitted.

use rand::seq::SliceRandom as _;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{
    Compared, DealTable, Ranking, Results, SeatedEnding, SeatedGame, Seating, seat_effects,
};
use statrs::function::erf::erfc;

use super::ELO;

/// The standard deviation of the strengths, in Elo.
const DEVIATION: f64 = 200.0;
/// The share of its games in which a player crashes.
const CRASHES: f64 = 0.1;

/// Tournaments with known strengths.
struct Field {
    name: &'static str,
    tournaments: u64,
    players: usize,
    table: DealTable,
    /// The deals of each player.
    deals: usize,
    /// The games of a deal: all seatings of a rotation, or one.
    games: usize,
    /// How much better the first seat is than the last one, in Elo; the others lie between.
    first_seat: f64,
    /// This share of the luck belongs to the seat and is the same in all games of a deal.
    seat_luck: f64,
    /// This share belongs to the player instead.
    player_luck: f64,
    /// How far the first half of the players is above the others, in Elo.
    apart: f64,
    /// Scores are whole multiples of this, in natural units, from a random start in each game.
    grid: f64,
    /// Whether the first player crashes in a tenth of its games, which ends them.
    crashes: bool,
    /// The least share of ratings in their intervals.
    least: f64,
}

fn field(name: &'static str, seats: usize, players: usize, least: f64) -> Field {
    let table = DealTable { seats, seating: Seating::Known, compared: Compared::All };
    Field {
        name,
        tournaments: 100,
        players,
        table,
        deals: 5,
        games: seats,
        first_seat: 0.0,
        seat_luck: 0.0,
        player_luck: 0.0,
        apart: 0.0,
        grid: 0.0,
        crashes: false,
        least,
    }
}

/// A grid of scores with which this share of the games of two equals is a tie, in natural units.
fn grid(ties: f64) -> f64 {
    // The mean of what is left of the grid beside a difference by the logistic law.
    let share = |grid: f64| {
        let steps = 2000;
        let cell = |step: u32| {
            let x = (f64::from(step) + 0.5) / f64::from(steps) * grid;
            let density = (-x).exp() / (1.0 + (-x).exp()).powi(2);
            2.0 * density * (1.0 - x / grid) * grid / f64::from(steps)
        };
        (0..steps).map(cell).sum::<f64>()
    };
    let (mut low, mut high) = (1e-3, 50.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if share(middle) < ties { low = middle } else { high = middle }
    }
    low
}

pub(crate) fn normal(luck: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - luck.random::<f64>(), luck.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// The luck whose quantile is that of a standard normal number: by Gumbel's law, so that differences
/// of two are logistic.
fn gumbel(normal: f64) -> f64 {
    let below = erfc(-normal / std::f64::consts::SQRT_2) / 2.0;
    -(-below.ln()).ln()
}

/// How often something was so.
#[derive(Debug, Default)]
pub(crate) struct Share {
    pub(crate) all: f64,
    counted: f64,
}

impl Share {
    pub(crate) fn add(&mut self, is_so: bool) {
        self.all += 1.0;
        self.counted += f64::from(u8::from(is_so));
    }

    pub(crate) fn value(&self) -> f64 {
        self.counted / self.all
    }
}

/// How often intervals hold.
#[derive(Debug, Default)]
struct Held {
    ratings: Share,
    ranks: Share,
    /// The squared errors of ratings.
    squares: f64,
    seats: Share,
    /// The tests that find a difference between seats.
    differences: Share,
}

impl Field {
    /// How far a player's expected share of the others moves with its strength, compared with games
    /// without a grid.
    fn slope(&self) -> f64 {
        if self.grid > 0.0 { 2.0 / self.grid * (self.grid / 2.0).tanh() } else { 1.0 }
    }

    /// The value of a seat in natural units; the mean is 0.
    fn value(&self, seat: usize) -> f64 {
        let last = (self.table.seats - 1) as f64;
        self.first_seat / ELO * (0.5 - seat as f64 / last)
    }

    fn play(&self, strengths: &[f64], luck: &mut ChaCha8Rng) -> Results {
        let mut results = Results::at_table(self.players, self.table);
        let seats = self.table.seats;
        let mut order: Vec<usize> = (0..self.players).collect();
        let mut deal = 0;
        for _ in 0..self.deals {
            order.shuffle(luck);
            for meeting in order.chunks_exact(seats) {
                deal += 1;
                let mut lots = || (0..seats).map(|_| normal(luck)).collect::<Vec<f64>>();
                let (of_seats, mut of_players) = (lots(), lots());
                let mut players = meeting.to_vec();
                for _ in 0..self.games {
                    let lots = of_seats.iter().zip(&of_players);
                    let lots = lots.map(|(seat, player)| {
                        self.seat_luck.sqrt() * seat + self.player_luck.sqrt() * player
                    });
                    let lots: Vec<f64> = lots.collect();
                    self.play_game(&mut results, (&players, strengths), (deal, &lots), luck);
                    players.rotate_left(1);
                    of_players.rotate_left(1);
                }
            }
        }
        results
    }

    fn play_game(
        &self,
        results: &mut Results,
        (players, strengths): (&[usize], &[f64]),
        (deal, lots): (u32, &[f64]),
        luck: &mut ChaCha8Rng,
    ) {
        let start: f64 = luck.random();
        let score = |(seat, &player): (usize, &usize)| {
            let own = (1.0 - self.seat_luck - self.player_luck).sqrt() * normal(luck);
            let chance = gumbel(lots[seat] + own);
            let score = strengths[player] + self.value(seat) + chance;
            if self.grid > 0.0 { (score / self.grid + start).floor() } else { score }
        };
        let scores: Vec<f64> = players.iter().enumerate().map(score).collect();
        let crash = self.crashes && luck.random::<f64>() < CRASHES;
        let forfeits: Vec<bool> = players.iter().map(|&player| crash && player == 0).collect();
        let is_faulted = forfeits.contains(&true);
        let place = |(seat, own): (usize, &f64)| {
            let ahead = if is_faulted {
                u32::from(forfeits[seat])
            } else {
                scores.iter().map(|score| u32::from(score > own)).sum()
            };
            // Who only knows the winner puts all others in the second place.
            if self.table.compared == Compared::Winner { ahead.min(1) } else { ahead }
        };
        let places: Vec<u32> = scores.iter().enumerate().map(place).collect();
        let ending = if is_faulted { SeatedEnding::Fault } else { SeatedEnding::Rules };
        let forfeits = &forfeits;
        let (places, deal, fingerprint) = (&places, Some(deal), None);
        results.add_seated(&SeatedGame { players, places, forfeits, ending, deal, fingerprint });
    }

    /// Adds what a tournament shows.
    fn look(&self, seed: u64, held: &mut Held) {
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        let strength = |player| {
            let camp = if player < self.players / 2 { self.apart } else { 0.0 };
            (camp + DEVIATION * normal(&mut luck)) / ELO
        };
        let strengths: Vec<f64> = (0..self.players).map(strength).collect();
        let results = self.play(&strengths, &mut luck);
        let none = vec![None::<()>; self.players];
        let names: Vec<usize> = (0..self.players).collect();
        let ranking = Ranking::new(&results, &[], &none, &names).expect("no anchor");
        // Nobody knows how strong a player that crashes is.
        let known = usize::from(self.crashes)..self.players;
        let ranks = ranking.ranks_among(|player| known.contains(&player));
        let mean =
            |of: &dyn Fn(usize) -> f64| known.clone().map(of).sum::<f64>() / known.len() as f64;
        let unit = ELO * self.slope();
        let true_mean = mean(&|player| unit * strengths[player]);
        let shown_mean = mean(&|player| ranking.fit.ratings[player].value);
        for player in known.clone() {
            let rating = ranking.fit.ratings[player];
            let truth = unit * strengths[player] - true_mean + shown_mean;
            let better = known.clone().filter(|&other| strengths[other] > strengths[player]);
            let rank = ranks[player].expect("it plays").interval;
            held.ratings.add((rating.low..=rating.high).contains(&truth));
            held.ranks.add((rank.low..=rank.high).contains(&(better.count() + 1)));
            held.squares += (rating.value - truth).powi(2);
        }
        for (seat, value) in ranking.fit.seat_values.iter().enumerate() {
            held.seats.add((value.low..=value.high).contains(&(unit * self.value(seat))));
        }
        let effects = seat_effects(&results, &[], &ranking.fit).expect("no anchor");
        if let Some(p_value) = effects.values_p {
            held.differences.add(p_value < 0.05);
        }
    }

    fn check(&self) {
        let mut held = Held::default();
        for seed in 0..self.tournaments {
            self.look(seed, &mut held);
        }
        let [ratings, ranks] = [&held.ratings, &held.ranks].map(Share::value);
        println!(
            "| {} | {:.1}% | {:.1}% | {:.0} Elo | {:.1}% | {:.1}% |",
            self.name,
            100.0 * ratings,
            100.0 * ranks,
            (held.squares / held.ratings.all).sqrt(),
            100.0 * held.seats.value(),
            100.0 * held.differences.value(),
        );
        // With three games each, intervals are a little wide.
        assert!((self.least..=0.975).contains(&ratings), "{}: {ratings}", self.name);
        assert!(ranks >= 0.93, "{}: {ranks}", self.name);
    }
}

#[test]
#[ignore = "slow: thousands of simulated tournaments"]
fn intervals_of_seats_hold() {
    [
        field("3 seats, 30 players", 3, 30, 0.948),
        field("4 seats, 32 players", 4, 32, 0.942),
        field("6 seats, 30 players", 6, 30, 0.946),
        Field { deals: 3, ..field("4 seats, 32 players, 3 deals", 4, 32, 0.95) },
        Field { deals: 3, games: 1, ..field("4 seats, 32 players, 3 single games", 4, 32, 0.96) },
    ]
    .iter()
    .for_each(Field::check);
}

#[test]
#[ignore = "slow: thousands of simulated tournaments"]
fn intervals_of_seats_hold_whatever_the_game_is_like() {
    let winner = |field: Field| {
        let table = DealTable { compared: Compared::Winner, ..field.table };
        Field { table, ..field }
    };
    [
        Field { grid: grid(0.2), ..field("4 seats, 20% ties", 4, 32, 0.948) },
        Field { grid: grid(0.6), ..field("3 seats, 60% ties", 3, 30, 0.94) },
        Field { grid: grid(0.6), ..field("6 seats, 60% ties", 6, 30, 0.931) },
        Field { first_seat: 100.0, ..field("4 seats, first seat 100 Elo ahead", 4, 32, 0.947) },
        Field {
            first_seat: 100.0,
            games: 1,
            ..field("4 seats, first seat 100 Elo ahead, single games", 4, 32, 0.942)
        },
        Field { seat_luck: 0.3, ..field("4 seats, luck of seats 0.3", 4, 32, 0.948) },
        Field { seat_luck: 0.6, ..field("4 seats, luck of seats 0.6", 4, 32, 0.956) },
        Field { player_luck: 0.3, ..field("6 seats, luck of players 0.3", 6, 30, 0.929) },
        Field { apart: 600.0, ..field("4 seats, two camps 600 Elo apart", 4, 32, 0.939) },
        winner(field("3 seats, winner only", 3, 30, 0.947)),
        winner(field("4 seats, winner only", 4, 32, 0.95)),
        winner(field("6 seats, winner only", 6, 30, 0.944)),
        Field {
            crashes: true,
            ..field("4 seats, a player crashes in a tenth of its games", 4, 32, 0.944)
        },
    ]
    .iter()
    .for_each(Field::check);
}
