//! How fast the typed games play random games.

use std::sync::Arc;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use referee_games::back_to_the_wall::BackToTheWall;
use referee_games::backdraughts::Backdraughts;
use referee_games::two_player::{BySide, Step, Turn};
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{Game, Options, StepOf, draw_outcome};

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

/// Random games of each game.
pub(crate) fn random_games() -> [RandomGames; 3] {
    [random::<WatchYourBack>(1000), random::<Backdraughts>(3000), random::<BackToTheWall>(100)]
}

/// The start position under the default options.
fn start<G: Game>() -> G {
    let rules = Options::resolve(&G::sheet().options, []).and_then(|options| G::rules(&options));
    G::start(&Arc::new(rules.expect("the defaults make sense")))
}

/// A random step that answers the turn; `None` when the game is over.
fn random_step<G: Game>(game: &G, rng: &mut SmallRng) -> Option<StepOf<G>> {
    let mut action = |seat| game.random_action(seat, &mut *rng).expect("an action");
    Some(match game.turn() {
        Turn::Over(_) => return None,
        Turn::Pass(_) => Step::Pass,
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Both => Step::Both(BySide::from_fn(action)),
        Turn::Chance(_) => {
            Step::Chance(draw_outcome(&game.outcomes(), rng).expect("an outcome").clone())
        }
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

/// The CPU time of this thread in seconds, which other programs on the machine hardly change.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    Duration::from(now).as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
