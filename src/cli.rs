//! The command line.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    ask, bot, check, compare, manual, new, packets, perft, play, probe, rank, replay, report,
    rules, run, serve, trace, verify,
};
use crate::config::similar;

/// A tournament referee for programs that play games against each other
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version,
    after_help = "\
Start here:
  referee run                       play tournament.toml and show the ranking
  referee play human bot:greedy     play yourself
  referee compare new old           whether one player is better than another
  referee check my_player.py        is it fit to play?
  referee rules watch-your-back     the rules and their options"
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Only data and errors: no progress, no notes
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say more about what goes on, on stderr (-vv for everything)
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Write what -v would say to a file instead
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
}

impl Cli {
    /// What the command line says. Ends the program where it asks for help or cannot be understood.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| with_nearest_command(error).exit())
    }
}

/// The error with the command that was most likely meant, in place of one that only begins alike.
fn with_nearest_command(mut error: clap::Error) -> clap::Error {
    let command = Cli::command();
    let nearest = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given))) => {
            similar(given, command.get_subcommands().map(clap::Command::get_name))
        }
        _ => None,
    };
    let is_of_a_command = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(name) = nearest.filter(|_| is_of_a_command) {
        let nearest = ContextValue::Strings(vec![name.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, nearest);
    }
    error
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a tournament, or go on with it
    Run(run::RunArgs),
    /// Play one game on the terminal
    Play(play::PlayArgs),
    /// Say whether player A is better than player B, in as few games as possible
    Compare(compare::CompareArgs),
    /// Check whether a player is fit to play
    Check(check::CheckArgs),
    /// Put one recorded decision to a player again
    Ask(ask::AskArgs),
    /// Begin a player or a tournament
    New(new::NewArgs),
    /// Show the ranking of a tournament, finished or running
    Rank(rank::RankArgs),
    /// Write the page about a tournament, report.html
    Report(report::ReportArgs),
    /// Write a folder a player, with nothing of anyone else's in it
    Packets(packets::PacketsArgs),
    /// Show the page about a tournament in a browser, live while it runs
    Serve(serve::ServeArgs),
    /// Replay every record through the rules, and compute the tables again
    Verify(verify::VerifyArgs),
    /// Step through a recorded game
    Replay(replay::ReplayArgs),
    /// Show the clauses and options of a game
    Rules(rules::RulesArgs),
    /// Run the rules in a pipe: actions in, states out
    Trace(trace::TraceArgs),
    /// Count the positions of a game
    Perft(perft::PerftArgs),
    /// Find out how far players can be contained on this machine
    Probe(probe::ProbeArgs),
    /// Play as a house player, speaking the protocol
    Bot(bot::BotArgs),
    /// Print the completions of a shell
    Completions(manual::CompletionsArgs),
    /// Print the manual page
    Man(manual::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_taken_for_the_nearest_command() {
        for (given, meant) in [("rnu", "run"), ("chekc", "check"), ("rnak", "rank")] {
            let error = Cli::try_parse_from(["referee", given]).expect_err("no command");
            let error = with_nearest_command(error).to_string();
            assert!(
                error.contains(&format!("tip: a similar subcommand exists: '{meant}'")),
                "{error}"
            );
        }
    }
}
