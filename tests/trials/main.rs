//! Tests of the program from outside that may not be able to run on this machine, or that are made
//! from a list. The name of a test begins with its module: `cargo test --test trials containment`.

mod harness;
#[path = "../support/mod.rs"]
mod support;

mod browser;
mod containment;
mod cost_of_a_move;
mod course;
mod crashes;
mod fairness;
mod game_kits;
mod hidden_games;
mod lag;
#[cfg(target_os = "linux")]
mod languages;
mod league;
mod lying_games;
mod machines;
#[cfg(feature = "nats")]
mod many_machines;
mod packages;
mod readme;
mod real_games;
mod starter_kits;
mod terminal;
mod test_game;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if cost_of_a_move::serve(&args) {
        return ExitCode::SUCCESS;
    }
    harness::run([
        // The longest two first, so that nothing is left to run beside them at the end.
        ("machines", machines::tests()),
        ("starter_kits", starter_kits::tests()),
        ("browser", browser::tests()),
        ("containment", containment::tests()),
        ("cost_of_a_move", cost_of_a_move::tests()),
        ("course", course::tests()),
        ("crashes", crashes::tests()),
        ("fairness", fairness::tests()),
        ("game_kits", game_kits::tests()),
        ("hidden_games", hidden_games::tests()),
        #[cfg(target_os = "linux")]
        ("languages", languages::tests()),
        ("lag", lag::tests()),
        ("league", league::tests()),
        ("lying_games", lying_games::tests()),
        #[cfg(feature = "nats")]
        ("many_machines", many_machines::tests()),
        ("packages", packages::tests()),
        ("readme", readme::tests()),
        ("real_games", real_games::tests()),
        ("terminal", terminal::tests()),
        ("test_game", test_game::tests()),
    ])
}
