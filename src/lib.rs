//! A referee and match runner for programs that play games against each other.
//!
//! docs/architecture.md has a map of the crates, and of how data flows between them. Everything
//! after the log is a function of the log: `rank`, `verify` and `replay` never need a rerun, and
//! anyone who has the folder of a finished tournament can audit it.
//!
//! # Invariants
//!
//! 1. The `games` crate does not depend on processes, time, files, or the protocol.
//! 2. Pure modules do not touch the operating system: `model`, `seeds` (but for random bytes),
//!    `referee` (it waits for players only through `player`), `replay`, `schedule`, and the crates
//!    of games, protocol and ratings. Data that must survive a crash is written through `disk`.
//! 3. Dice and player seeds are functions of the tournament's secret, the unordered pair of names
//!    and the pair's number; the choices in openings are functions of the secret and the pair's
//!    number alone. So adding a player or resuming does not change other games. A player never
//!    plays both games of a pair in the same process.
//! 4. The unit of play is the pair: two games, seats swapped, the same luck, the same opening.
//! 5. The log is the truth: a game is done when its line is in the log. A torn last line is
//!    dropped and that game played again. Resuming with a changed configuration writes a new header
//!    and moves the games of replaced players to another file, in one step; `verify --repair` moves
//!    bad lines to another file. Nothing else rewrites the log.
//! 6. Result and ending are different things: who won, and why.
//! 7. Every wait has an absolute deadline: start, greeting, write, reply, exit. Every buffer has
//!    a bound.
//! 8. One thread per worker: one game, its referee and its two players on one core. A panic there
//!    costs that game one attempt, and nothing else.
//! 9. Only `main` ends the program, except that `stop_signals` may end it at once; only `printer`
//!    prints.

#[cfg(not(unix))]
compile_error!("the referee runs on Linux and macOS; this system is not supported");

mod cli;
mod command_failure;
mod commands;
mod entry_point;
mod printer;
mod progress;
mod starter_kits;
mod stop_signals;

pub use entry_point::main;
