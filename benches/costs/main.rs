//! Measures what the referee itself costs.
//!
//! `cargo bench` prints one table, with the goal beside each figure. Most figures are ratios to
//! something else in the same run, and medians of several rounds, so that they hardly depend on the
//! machine. `cargo bench -- PART` prints the details of one part:
//!
//! - `moves`: the CPU time and the wall time of a move, as multiples of a bare ping-pong
//! - `engines`: the same between chess engines, in short and in long games
//! - `levels`: the cost of containment, per start and per move
//! - `log GAMES`: the commands that read a log of so many games
//! - `log make DIR PLAYERS GAMES`: only makes such a log
//! - `growth GAMES`, `growth players`, `growth jobs`, `growth plies`: how costs grow, in decades,
//!   those of games up to so many
//! - `league ENTRANTS GAMES`: choosing the next games of a long league
//! - `league make DIR AUTHORS VERSIONS GAMES`: only makes the log of a league
//! - `local WANTS`, `play WANTS`: only play games with players in this process or in processes of
//!   their own, for counting instructions and system calls
//!
//! Instant players replay a recorded game from a file, so they cost almost nothing. They are this
//! same program, started with `--instant`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod engines;
mod game;
mod growth;
mod instant;
mod league;
mod levels;
mod log;
mod made;
mod measure;
mod moves;
mod program;
#[path = "../../crates/games/benches/rates/mod.rs"]
mod rates;
mod runs;
mod table;
#[path = "../../crates/ratings/benches/tournaments/mod.rs"]
mod tournaments;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use game::GameCost;
use instant::{Script, on_core};
use log::LogCosts;
use measure::Outcome;
use referee_match::player::PlayerSandbox;
use referee_sandbox::serve_as_supervisor;

use self::game::local_games;

fn main() -> Outcome<()> {
    if serve_as_supervisor().is_some() {
        return Ok(());
    }
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if instant::serve(&args)? || engines::serve(&args)? || growth::serve(&args)? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    // If the bench runs as root, contained players have another user.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let script = Script::write(folder.path())?;
    match args[..] {
        [] => table::print(&script, folder.path()),
        ["moves"] => moves::print(&script),
        ["engines"] => engines::print(folder.path()),
        ["levels"] => levels::print(&script),
        ["log", "make", dir, players, games] => {
            made::make(Path::new(dir), players.parse()?, games.parse()?).map(drop)
        }
        ["log", games] => {
            LogCosts::measure(games.parse()?)?.print();
            Ok(())
        }
        ["league", "make", dir, authors, versions, games] => {
            let dir = Path::new(dir);
            made::make_league(dir, authors.parse()?, versions.parse()?, games.parse()?)
        }
        ["league", entrants, games] => league::print(entrants.parse()?, games.parse()?),
        ["growth", with] => growth::print(&script, with),
        ["local", wants] => local_games(&script, wants),
        ["play", wants] => on_core(0, || {
            GameCost::measure(&script, wants, &Arc::new(PlayerSandbox::off())).map(drop)
        }),
        _ => Err("unknown arguments".into()),
    }
}
