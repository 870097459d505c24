//! Measures the cost of containment at each level: of a start, and of a move.

use std::sync::Arc;
use std::time::Duration;

use referee_match::player::PlayerSandbox;
use referee_record::model::containment::ContainmentRequest;
use referee_sandbox::{Level, ResolveError};

use crate::game::{GameCost, both, one_game};
use crate::instant::{Script, on_core};
use crate::measure::{Outcome, ROUNDS, median_of};

/// How long a player takes for a move in the test of freezing.
const PAUSE: Duration = Duration::from_millis(5);
/// What the players want.
const WANTS: &str = "[\"events\"]";

/// How much longer a start takes at the level `strict` than at `off`, in milliseconds: the median
/// of several rounds, which measure both in turn.
pub(crate) fn extra_start(script: &Script) -> Outcome<f64> {
    let sandboxes = [sandbox(Level::Off)?, sandbox(Level::Strict)?];
    on_core(0, || {
        median_of(ROUNDS, || {
            let off = GameCost::measure(script, WANTS, &sandboxes[0])?;
            let strict = GameCost::measure(script, WANTS, &sandboxes[1])?;
            Ok(strict.start - off.start)
        })
    })
}

pub(crate) fn sandbox(level: Level) -> Result<Arc<PlayerSandbox>, ResolveError> {
    let request = ContainmentRequest { level: Some(level), ..ContainmentRequest::default() };
    Ok(Arc::new(PlayerSandbox::resolve(&request)?))
}

/// Prints the cost of each level, compared with no containment.
pub(crate) fn print(script: &Script) -> Outcome<()> {
    on_core(0, || {
        let mut least: Option<GameCost> = None;
        for level in Level::ALL {
            let sandbox = match sandbox(level) {
                Ok(sandbox) => sandbox,
                Err(failure) => {
                    println!("{level:7} skipped: {failure}");
                    continue;
                }
            };
            let cost = GameCost::measure(script, WANTS, &sandbox)?;
            print_level(level, cost, *least.get_or_insert(cost), frozen(script, &sandbox)?);
        }
        Ok(())
    })
}

/// Prints the cost of a level, compared with `off`. Freezing players costs `frozen` milliseconds
/// per move.
fn print_level(level: Level, GameCost { start, a_move }: GameCost, off: GameCost, frozen: f64) {
    println!(
        "{level:7} {start:7.2} ms per start, {:+.2} ms; {:6.2} µs of CPU time per move, {:.2} ×; \
         {:6.2} µs of wall time per move, {:.2} ×; {frozen:+.2} ms if players are frozen off turn",
        start - off.start,
        a_move.cpu,
        a_move.cpu / off.a_move.cpu,
        a_move.wall,
        a_move.wall / off.a_move.wall,
    );
}

/// The extra wall time per move, in milliseconds, if each player is frozen outside its turn. The
/// players take [`PAUSE`] per move, because otherwise none would ever be fully frozen.
fn frozen(script: &Script, sandbox: &Arc<PlayerSandbox>) -> Outcome<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut walls = Vec::new();
    for freezes in [false, true] {
        let mut players = both(script, WANTS, PAUSE, sandbox)?;
        if freezes {
            for player in players.values_mut() {
                player.freeze_off_turn();
            }
        }
        let game = runtime.block_on(one_game(players, script))?;
        walls.push(game.wall.as_secs_f64() * 1e3);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred moves")]
    let moves = script.plies as f64;
    Ok((walls[1] - walls[0]) / moves)
}
