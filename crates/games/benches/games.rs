//! Measures the typed games: random games to their end, and perft compared with `cozy-chess`, a
//! chess library known for its speed, on its start position in the same run.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use referee_games::back_to_the_wall::BackToTheWall;
use referee_games::backdraughts::Backdraughts;
use referee_games::perft::perft;
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{BySeat, Game, Options, Step, StepOf, Turn};

/// The number of runs of each measurement. Their median is printed.
const RUNS: usize = 9;

fn main() {
    println!("random games on one core, median of {RUNS} runs");
    random_games::<WatchYourBack>(1000);
    random_games::<Backdraughts>(3000);
    random_games::<BackToTheWall>(100);
    println!("perft, every position played, against cozy-chess");
    compare("watch-your-back, placing", || chess(4, false), || walk(&start::<WatchYourBack>(), 4));
    compare("watch-your-back, moving", || chess(4, false), || walk(&moving(), 4));
    compare("backdraughts", || chess(4, false), || walk(&start::<Backdraughts>(), 4));
    println!("perft, last ply counted in bulk, against cozy-chess counting in bulk");
    compare("watch-your-back, placing", || chess(5, true), || perft(&start::<WatchYourBack>(), 5));
    compare("watch-your-back, moving", || chess(5, true), || perft(&moving(), 5));
    compare("backdraughts", || chess(5, true), || perft(&start::<Backdraughts>(), 4));
}

/// The start position under the default options.
fn start<G: Game>() -> G {
    let rules = Options::resolve(G::OPTIONS, []).and_then(|options| G::rules(&options));
    G::start(&Arc::new(rules.expect("the defaults make sense")))
}

/// A position of the moving phase, after some random actions.
fn moving() -> WatchYourBack {
    let mut rng = SmallRng::seed_from_u64(3);
    let mut game: WatchYourBack = start();
    for _ in 0..30 {
        let step = random_step(&game, &mut rng).expect("the game goes on");
        game.play_silently(step);
    }
    game
}

/// A random step that answers the turn; `None` when the game is over.
fn random_step<G: Game>(game: &G, rng: &mut SmallRng) -> Option<StepOf<G>> {
    let mut action = |seat| game.random_action(seat, &mut *rng).expect("an action");
    Some(match game.turn() {
        Turn::Over(_) => return None,
        Turn::Pass(_) => Step::Pass,
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Both => Step::Both(BySeat::from_fn(action)),
        Turn::Chance(_) => Step::Chance(game.random_outcome(rng).expect("an outcome")),
    })
}

/// Prints how many random games are played per second.
fn random_games<G: Game>(games: u32) {
    let start = start::<G>();
    let mut rng = SmallRng::seed_from_u64(1);
    let mut plies = 0;
    let mut one_game = || {
        let mut game = start.clone();
        while let Some(step) = random_step(&game, &mut rng) {
            game.play_silently(step);
        }
        plies += u64::from(game.ply());
    };
    let rates = (0..RUNS).map(|_| {
        let began = cpu();
        (0..games).for_each(|_| one_game());
        f64::from(games) / (cpu() - began)
    });
    let rate = median(rates.collect());
    #[expect(clippy::cast_precision_loss, reason = "a few million plies")]
    let length = plies as f64 / (f64::from(games) * RUNS as f64);
    println!(
        "  {:28} {rate:9.0} games per second, {length:5.1} plies per game, {:6.0} ns per ply",
        G::NAME,
        1e9 / (rate * length)
    );
}

/// Prints the rates of two counts in nodes per second, and the ratio of the second to the first.
fn compare(name: &str, chess: impl Fn() -> u64, ours: impl Fn() -> u64) {
    let runs: Vec<_> = (0..RUNS).map(|_| (rate(&chess), rate(&ours))).collect();
    let ratio = median(runs.iter().map(|(chess, ours)| ours / chess).collect());
    let chess = median(runs.iter().map(|(chess, _)| *chess).collect());
    let ours = median(runs.iter().map(|(_, ours)| *ours).collect());
    println!(
        "  {name:28} {ratio:5.2} × ({:.0} and {:.0} million nodes a second)",
        ours / 1e6,
        chess / 1e6
    );
}

/// The CPU time of this thread in seconds, which other programs on the machine hardly change.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    Duration::from(now).as_secs_f64()
}

fn rate(count: impl Fn() -> u64) -> f64 {
    let began = cpu();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 nodes")]
    let nodes = black_box(count()) as f64;
    nodes / (cpu() - began)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Counts the positions `depth` plies later, and plays every one of them.
fn walk<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let below = |step, depth| {
        let mut next = game.clone();
        next.play_silently(step);
        walk(&next, depth)
    };
    match game.turn() {
        Turn::Move(seat) => {
            let actions = game.legal_actions(seat).into_iter();
            actions.map(|action| below(Step::Move(action), depth - 1)).sum()
        }
        Turn::Pass(_) => below(Step::Pass, depth - 1),
        Turn::Chance(_) => {
            let outcomes = game.different_outcomes().into_iter();
            outcomes.map(|outcome| below(Step::Chance(outcome), depth)).sum()
        }
        Turn::Both | Turn::Over(_) => 0,
    }
}

/// Perft of chess from its start position.
fn chess(depth: u32, in_bulk: bool) -> u64 {
    chess_below(&cozy_chess::Board::default(), depth, in_bulk)
}

fn chess_below(board: &cozy_chess::Board, depth: u32, in_bulk: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if in_bulk && depth == 1 {
            nodes += moves.len() as u64;
            return false;
        }
        for action in moves {
            let mut next = board.clone();
            next.play_unchecked(action);
            nodes += chess_below(&next, depth - 1, in_bulk);
        }
        false
    });
    nodes
}
