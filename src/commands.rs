//! The commands, one file each: what the user asked for becomes a [`Status`] or a [`Failure`].

pub mod ask;
pub mod bot;
pub mod check;
pub mod compare;
mod containment_args;
pub mod export;
mod find_game;
pub mod game_args;
mod highlight;
pub mod manual;
pub mod new;
pub mod play;
pub mod probe;
pub mod rank;
mod recorded_rules;
pub mod replay;
pub mod report;
pub mod results;
pub mod rules;
pub mod run;
mod runtime;
pub mod serve;
mod settings;
pub mod test_game;
pub mod trace;
mod until;
pub mod verify;
mod web;
pub mod worker;

use crate::error::Failure;

/// The output format of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// The exit status of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Done (exit code 0).
    Done,
    /// Done, but something was found: a difference, a fault under `--strict` (exit code 1).
    Found,
    /// `compare`: the first player is not better (exit code 10).
    NotBetter,
    /// `compare`: undecided (exit code 11).
    Undecided,
    /// Interrupted; what was played is kept and can be resumed (exit code 130).
    Interrupted,
}
