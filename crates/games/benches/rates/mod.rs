//! How fast the typed games play random games, and count positions compared with `cozy-chess`, a
//! chess library known for its speed, on its start position in the same run.

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

/// The number of runs of each measurement. Their median is given.
const RUNS: usize = 9;

/// How fast random games are played on one core, by CPU time.
#[derive(Debug)]
pub(crate) struct RandomGames {
    pub(crate) game: &'static str,
    pub(crate) per_second: f64,
    /// The mean number of plies in a game.
    pub(crate) plies: f64,
}

/// How fast the positions after some plies are counted.
#[derive(Debug)]
pub(crate) struct Counting {
    /// The game, and the phase or the dice.
    pub(crate) start: &'static str,
    /// Millions of positions per second.
    pub(crate) millions: f64,
    /// The same as a multiple of cozy-chess.
    pub(crate) ratio: f64,
}

/// Random games of each game.
pub(crate) fn random_games() -> [RandomGames; 3] {
    [random::<WatchYourBack>(1000), random::<Backdraughts>(3000), random::<BackToTheWall>(100)]
}

/// Counts every position by playing it.
pub(crate) fn walks() -> [Counting; 3] {
    let chess = || chess(4, false);
    [
        counting("watch-your-back, placing", chess, || walk(&start::<WatchYourBack>(), 4)),
        counting("watch-your-back, moving", chess, || walk(&moving(), 4)),
        counting("backdraughts", chess, || walk(&start::<Backdraughts>(), 4)),
    ]
}

/// Counts the positions of the last ply in bulk.
pub(crate) fn bulk_counts() -> [Counting; 3] {
    let chess = || chess(5, true);
    [
        counting("watch-your-back, placing", chess, || perft(&start::<WatchYourBack>(), 5)),
        counting("watch-your-back, moving", chess, || perft(&moving(), 5)),
        counting("backdraughts", chess, || perft(&start::<Backdraughts>(), 4)),
    ]
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

/// Plays this many random games per run.
fn random<G: Game>(games: u32) -> RandomGames {
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
    let per_second = median(rates.collect());
    #[expect(clippy::cast_precision_loss, reason = "a few million plies")]
    let plies = plies as f64 / (f64::from(games) * RUNS as f64);
    RandomGames { game: G::NAME, per_second, plies }
}

/// Compares our count with that of chess, in turn.
fn counting(start: &'static str, chess: impl Fn() -> u64, ours: impl Fn() -> u64) -> Counting {
    let runs: Vec<_> = (0..RUNS).map(|_| (rate(&chess), rate(&ours))).collect();
    let ratio = median(runs.iter().map(|(chess, ours)| ours / chess).collect());
    let millions = median(runs.iter().map(|(_, ours)| ours / 1e6).collect());
    Counting { start, millions, ratio }
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
    let mut nodes = 0;
    game.each_next_ply(|next| nodes += walk(black_box(next), depth - 1));
    nodes
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
