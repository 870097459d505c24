//! The commands, one file each: what the user asked for becomes a [`Status`] or a [`Failure`].

pub(crate) mod ask;
pub(crate) mod bot;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions_and_man;
mod containment_args;
pub(crate) mod export;
mod find_game;
pub(crate) mod game_args;
pub(crate) mod help;
pub(crate) mod league;
pub(crate) mod new;
mod parallel_builds;
pub(crate) mod play;
pub(crate) mod probe;
pub(crate) mod rank;
mod recorded_rules;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod results_folder;
pub(crate) mod rules;
pub(crate) mod run;
mod runtime;
pub(crate) mod serve;
mod settings;
pub(crate) mod test_game;
pub(crate) mod trace;
pub(crate) mod tune;
mod turning_args;
mod until;
pub(crate) mod verify;
mod watch_reason;
pub(crate) mod worker;

use crate::command_failure::Failure;

/// The output format of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// The exit status of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
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
