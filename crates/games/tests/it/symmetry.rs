//! Compares games with their mirror images, under rules that have the same symmetry.

use std::ops::Range;
use std::sync::Arc;

use rand::{SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::backdraughts::Backdraughts;
use referee_games::two_player::{GameResult, Side, Step, Turn};
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{Game, Options, PASS};

type Given = [(&'static str, &'static str)];

/// A mirror: the image of a square, and whether the sides swap roles.
#[derive(Debug, Clone, Copy)]
struct Mirror {
    square: fn(u8, u8) -> (u8, u8),
    swaps: bool,
}

impl Mirror {
    fn seat(self, seat: Side) -> Side {
        if self.swaps { !seat } else { seat }
    }

    /// An action or an outcome of chance in the mirror.
    fn text(self, text: &str) -> String {
        let rolls: Vec<_> = text.split(' ').collect();
        match rolls[..] {
            ["roll", one, other] if self.swaps => format!("roll {other} {one}"),
            ["capture", square] => format!("capture {}", self.squares(square)),
            _ => self.squares(text),
        }
    }

    /// Squares with `>` between them; anything else is left alone.
    fn squares(self, text: &str) -> String {
        let one = |text: &str| {
            let Some((column, row)) = text.split_once(',') else { return text.to_owned() };
            let number = |text: &str| text.parse().expect("a number");
            let (column, row) = (self.square)(number(column), number(row));
            format!("{column},{row}")
        };
        text.split('>').map(one).collect::<Vec<_>>().join(">")
    }

    fn rows(self, rows: &[String]) -> Vec<String> {
        let mut image = vec![vec![' '; 8]; 8];
        for (row, text) in (0..).zip(rows) {
            for (column, cell) in (0..).zip(text.chars()) {
                let (column, row) = (self.square)(column, row);
                image[usize::from(row)][usize::from(column)] = self.cell(cell);
            }
        }
        image.into_iter().map(String::from_iter).collect()
    }

    fn cell(self, cell: char) -> char {
        match cell {
            'W' if self.swaps => 'B',
            'B' if self.swaps => 'W',
            other => other,
        }
    }
}

fn rules<G: Game>(given: &Given) -> Arc<G::Rules> {
    let options =
        Options::resolve(&G::sheet().options, given.iter().copied()).expect("values that fit");
    Arc::new(G::rules(&options).expect("rules that make sense"))
}

/// The texts that answer the turn: of actions, of a forced pass, or of chance.
fn answers<G: Game>(game: &G) -> Vec<String> {
    match game.turn() {
        Turn::Move(seat) => game.legal_actions(seat).iter().map(ToString::to_string).collect(),
        Turn::Pass(_) => vec![PASS.to_owned()],
        Turn::Chance(_) => game.outcomes().iter().map(|(it, _)| it.to_string()).collect(),
        Turn::Both | Turn::Over(_) => Vec::new(),
    }
}

fn play<G: Game>(game: &mut G, text: &str) {
    let step = match game.turn() {
        Turn::Move(seat) => Step::Move(game.parse_action(seat, text).expect("a legal action")),
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => {
            let drawn =
                game.outcomes().into_iter().find(|(outcome, _)| outcome.to_string() == text);
            Step::Chance(drawn.expect("an outcome").0)
        }
        turn => panic!("{turn:?}"),
    };
    game.play_silently(step);
}

/// The acting seat, or the ending of the game.
fn asked<G: Game>(game: &G, mirror: Mirror) -> (Option<Side>, Option<(GameResult, &'static str)>) {
    match game.turn() {
        Turn::Move(seat) | Turn::Pass(seat) => (Some(mirror.seat(seat)), None),
        Turn::Over(outcome) => {
            let result = match outcome.result {
                GameResult::Win(seat) => GameResult::Win(mirror.seat(seat)),
                GameResult::Draw => GameResult::Draw,
            };
            (None, Some((result, outcome.reason)))
        }
        Turn::Chance(..) | Turn::Both => (None, None),
    }
}

const STRAIGHT: Mirror = Mirror { square: |column, row| (column, row), swaps: false };

/// Plays a random game and its mirror image, up to a maximum number of steps.
fn mirrors<G: Game>(mirror: Mirror, given: [&Given; 2], seed: u64, limit: usize) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut game = G::start(&rules::<G>(given[0]));
    let mut image = G::start(&rules::<G>(given[1]));
    for _ in 0..limit {
        let mut expected: Vec<_> = answers(&game).iter().map(|text| mirror.text(text)).collect();
        let mut found = answers(&image);
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "seed {seed}, {given:?}, {:?}", game.rows());
        assert_eq!(image.rows(), mirror.rows(&game.rows()));
        assert_eq!(asked(&image, STRAIGHT), asked(&game, mirror));
        let answers = answers(&game);
        let Some(text) = answers.choose(&mut rng) else { return };
        play(&mut game, text);
        play(&mut image, &mirror.text(text));
    }
}

#[test]
fn backdraughts_looks_the_same_from_both_sides() {
    backdraughts(0..4);
}

#[test]
#[ignore = "slow: 1,800 games"]
fn backdraughts_looks_the_same_from_both_sides_in_very_many_games() {
    backdraughts(4..44);
}

fn backdraughts(seeds: Range<u64>) {
    let along = Mirror { square: |column, row| (row, column), swaps: true };
    let turned = Mirror { square: |column, row| (7 - column, 7 - row), swaps: true };
    let across = Mirror { square: |column, row| (7 - row, 7 - column), swaps: false };
    let more: [&Given; 5] = [
        &[],
        &[("turning", "on"), ("capture", "six-or-ring")],
        &[("overlooked", "opponent"), ("capture", "ring")],
        &[("move", "no-dice"), ("overlooked", "opponent")],
        &[("move", "no-dice"), ("turning", "on")],
    ];
    let firsts = [("white", "black"), ("black", "white"), ("roll", "roll")];
    for (mirror, (first, swapped)) in
        [along, turned, across].iter().flat_map(|mirror| firsts.map(|first| (*mirror, first)))
    {
        let image = if mirror.swaps { swapped } else { first };
        for given in more {
            let with = |first| [given, &[("first", first)]].concat();
            for seed in seeds.clone() {
                mirrors::<Backdraughts>(mirror, [&with(first), &with(image)], seed, usize::MAX);
            }
        }
    }
}

/// Only until the first shrink, because its corners come one after the other (W8).
#[test]
fn watch_your_back_looks_the_same_from_left_and_right() {
    let mirror = Mirror { square: |column, row| (7 - column, row), swaps: false };
    for seed in 0..100 {
        mirrors::<WatchYourBack>(mirror, [&[], &[]], seed, 24 + 127);
    }
}
