//! Games of two seats keep their ratings to the last bit, whatever is added for games of more seats:
//! a tournament is rated again years later, and its tables must not change.
//!
//! The expected figures are in `two_seats.txt`. Where they differ on purpose, the test names the
//! file with the new ones.

#![expect(clippy::expect_used, reason = "a test")]

use std::fmt::Write as _;

use referee_ratings::{
    Estimate, FixedRating, GameOutcome, PlayedGame, Results, contradiction, fit, seat_effects,
};

/// How far figures may be from the expected ones where bits differ for another reason.
const ROUNDING: f64 = 1e-6;

/// A number generator of whole numbers only, so that no library changes what it gives.
struct Dice(u64);

impl Dice {
    /// A number from 0 to `below` − 1.
    fn below(&mut self, below: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from((self.0 >> 33) % below).expect("small")
    }
}

/// Which games are played, and how.
struct Tournament {
    name: &'static str,
    players: usize,
    games: usize,
    /// The strength of a player, in points of a hundred.
    strength: fn(usize) -> usize,
    /// Draws in a hundred games.
    draws: usize,
    /// Whether games have a partner with the seats swapped.
    pairs: bool,
    /// Whether every tenth game ends in a fault.
    faults: bool,
    /// How much better the first two players are at the first seat, in the same points.
    own_seat: usize,
    /// The given ratings.
    fixed: &'static [(usize, f64)],
}

const USUAL: Tournament = Tournament {
    name: "pairs",
    players: 8,
    games: 160,
    strength: |player| 6 * player,
    draws: 20,
    pairs: true,
    faults: false,
    own_seat: 0,
    fixed: &[],
};

const TOURNAMENTS: &[Tournament] = &[
    USUAL,
    Tournament { name: "single games", players: 20, games: 120, pairs: false, ..USUAL },
    Tournament { name: "draws", draws: 60, ..USUAL },
    Tournament { name: "faults", faults: true, ..USUAL },
    Tournament { name: "faults in single games", faults: true, pairs: false, ..USUAL },
    Tournament {
        name: "camps",
        players: 20,
        games: 400,
        strength: |player| 2 * player + 60 * (player / 10),
        ..USUAL
    },
    Tournament {
        name: "one far above",
        players: 12,
        games: 300,
        strength: |player| 2 * player + 70 * (player / 11),
        ..USUAL
    },
    Tournament { name: "anchors apart", fixed: &[(1, 1000.0), (6, 1250.0)], ..USUAL },
    Tournament { name: "anchors alike", fixed: &[(0, 0.0), (3, 0.0)], ..USUAL },
    Tournament { name: "an anchor", fixed: &[(5, 1500.0)], pairs: false, ..USUAL },
    Tournament { name: "seats of their own", games: 400, own_seat: 60, ..USUAL },
    Tournament { name: "few games", players: 9, games: 6, ..USUAL },
    Tournament { name: "many players", players: 70, games: 300, strength: |it| it, ..USUAL },
];

impl Tournament {
    fn play(&self) -> Results {
        let mut dice = Dice(self.players as u64 + 1000 * self.games as u64);
        let mut results = Results::new(self.players);
        for pair in 0..self.games / 2 {
            let one = dice.below(self.players as u64);
            let other = (one + 1 + dice.below(self.players as u64 - 1)) % self.players;
            for (first, second) in [(one, other), (other, one)] {
                let pair = u32::try_from(pair).expect("small");
                let game = self.game(&mut dice, (first, second), pair);
                if self.pairs { results.add(game) } else { results.add_unpaired(game) }
            }
        }
        results
    }

    fn game(&self, dice: &mut Dice, (first, second): (usize, usize), pair: u32) -> PlayedGame {
        let own = if first < 2 { self.own_seat } else { 0 };
        let lead = 50 + (self.strength)(first) / 2 + 4 + own;
        let wins = lead.saturating_sub((self.strength)(second) / 2);
        let outcome = match (dice.below(100), dice.below(100)) {
            (drawn, _) if drawn < self.draws => GameOutcome::Draw,
            (_, quantile) if quantile < wins => GameOutcome::Win,
            _ => GameOutcome::Loss,
        };
        let game = PlayedGame::by_rules(first, second, pair, outcome);
        match dice.below(30) {
            0 if self.faults => PlayedGame { outcome: None, forfeits: [true; 2], ..game },
            1 if self.faults => {
                let outcome = Some(GameOutcome::Loss);
                PlayedGame { outcome, forfeits: [true, false], ..game }
            }
            2 if self.faults => {
                PlayedGame { outcome: Some(GameOutcome::Win), forfeits: [false, true], ..game }
            }
            _ => game,
        }
    }

    /// A line for each figure: what it is, its bits, and the figure for people.
    fn figures(&self) -> String {
        let (results, mut text) = (self.play(), String::new());
        let fixed: Vec<FixedRating> =
            self.fixed.iter().map(|&(player, rating)| FixedRating { player, rating }).collect();
        let fit = fit(&results, &fixed).expect("known anchors");
        let mut figure = |what: String, value: f64| {
            writeln!(text, "{}, {what}: {:016x} {value:.3}", self.name, value.to_bits())
                .expect("memory");
        };
        let mut estimate = |what: String, estimate: Estimate| {
            figure(format!("{what} value"), estimate.value);
            figure(format!("{what} low"), estimate.low);
            figure(format!("{what} high"), estimate.high);
        };
        for (player, &rating) in fit.ratings.iter().enumerate() {
            estimate(format!("rating of {player}"), rating);
        }
        estimate("first seat".to_owned(), fit.first_advantage);
        let seats = seat_effects(&results, &fixed, &fit).expect("known anchors");
        for (player, at) in seats.by_seat.iter().flatten().enumerate() {
            estimate(format!("{player} at the first seat"), at.first);
            estimate(format!("{player} at the second seat"), at.second);
        }
        if let Some(found) = contradiction(&results, &fixed).expect("known anchors") {
            estimate("contradiction".to_owned(), found.found);
        }
        figure("seat effects".to_owned(), seats.p_value);
        figure("draw rate".to_owned(), fit.draw_rate());
        figure("correlation".to_owned(), fit.pair_correlation);
        for other in 1..self.players {
            let Some(separation) = fit.separation(0, other) else { continue };
            figure(format!("superiority over {other}"), separation.los);
            let games = separation.games.map_or(f64::NAN, f64::from);
            figure(format!("games to separate from {other}"), games);
        }
        for (player, ranks) in fit.rank_intervals().iter().enumerate() {
            writeln!(text, "{}, ranks of {player}: {ranks}", self.name).expect("memory");
        }
        text
    }
}

/// The name of a figure, its bits, and itself.
fn parts(line: &str) -> (&str, &str, Option<f64>) {
    let (name, rest) = line.split_once(": ").unwrap_or((line, ""));
    let bits = u64::from_str_radix(rest.split(' ').next().unwrap_or(""), 16);
    (name, rest, bits.ok().filter(|_| rest.len() > 16).map(f64::from_bits))
}

/// Whether two lines have the same figure but for rounding.
fn agree(one: &str, other: &str) -> bool {
    let ((name, rest, value), (other_name, other_rest, other)) = (parts(one), parts(other));
    match (value, other) {
        (Some(a), Some(b)) => {
            name == other_name
                && (a.to_bits() == b.to_bits() || (a - b).abs() <= ROUNDING * (1.0 + a.abs()))
        }
        _ => (name, rest) == (other_name, other_rest),
    }
}

/// Whether this machine computes as the one that wrote the expected figures: sums of products are
/// rounded once there, and other systems have other exponentials.
fn has_the_same_bits() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
    return false;
}

#[test]
fn two_seats_keep_their_bits() {
    let found: String = TOURNAMENTS.iter().map(Tournament::figures).collect();
    let expected = include_str!("two_seats.txt");
    let same = |(one, other): &(&str, &str)| {
        if has_the_same_bits() { one == other } else { agree(one, other) }
    };
    let is_equal = found.lines().count() == expected.lines().count()
        && found.lines().zip(expected.lines()).all(|pair| same(&pair));
    if !is_equal {
        let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/two_seats.txt");
        std::fs::write(file, &found).expect("a writable folder");
        let differ = found.lines().zip(expected.lines()).find(|pair| !same(pair));
        panic!("figures differ, first {differ:?}; the new ones are in {file}");
    }
}
