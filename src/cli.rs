//! The command line.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    ask, bot, check, compare, completions_and_man, export, help, league, new, play, probe, rank,
    replay, report, rules, run, serve, test_game, trace, tune, verify, worker,
};
use crate::printer::{ColouredText, Printer};
use referee_config::find_similar_word;

/// Runs tournaments between programs that play board games
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version,
    disable_help_subcommand = true,
    after_help = "\
Start here:
  referee run                       play tournament.toml and show the ranking
  referee play human bot:greedy     play against a built-in player
  referee compare new old           test whether new is better than old
  referee check my_player.py        test a player
  referee rules watch-your-back     show the rules of a game and their options
  referee help                      list the topics of the documentation"
)]
pub(crate) struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: CliCommand,
    /// Print only data and errors: no progress, no notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print more details to stderr (-vv for everything)
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Write the details of -v to a file instead
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

impl Cli {
    /// Parses the command line. Exits if it asks for help or is invalid.
    pub(crate) fn read(printer: Printer) -> Self {
        let matches = Self::grouped().try_get_matches();
        let cli = matches.and_then(|matches| Self::from_arg_matches(&matches));
        cli.unwrap_or_else(|error| {
            let error = suggest_cli_word(error);
            // It repeats words of the command line, which may be names of files of others. Text
            // that is safe is shown with its colours.
            let text = error.render().to_string();
            let shown = ColouredText::plain(text.trim_end());
            if *shown == *text.trim_end() {
                error.exit();
            }
            printer.bare_error(&shown);
            std::process::exit(error.exit_code())
        })
    }

    /// The command line, whose help lists the commands in groups.
    pub(crate) fn grouped() -> clap::Command {
        group_cli_commands(Self::command())
    }
}

/// The groups in which the help lists the commands. The others are hidden.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Play", &["run", "play", "compare", "tune"]),
    ("Players", &["new", "check", "ask"]),
    ("Results", &["rank", "report", "serve", "league", "replay", "verify", "export"]),
    ("Games", &["rules", "test-game", "trace"]),
    ("System", &["probe", "worker"]),
];

/// Lists the commands in groups in the help.
fn group_cli_commands(command: clap::Command) -> clap::Command {
    let (heading, name_style) =
        (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let group = |(group, names): (&str, &[&str])| {
        let line = |name: &&str| {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            format!("  {name_style}{name:<9}{name_style:#}  {about}\n")
        };
        format!("{heading}{group}:{heading:#}\n{}\n", names.iter().map(line).collect::<String>())
    };
    let groups: String = GROUPS.map(group).concat();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {heading}Options:{heading:#}\n{{options}}{{after-help}}"
    ))
}

/// Replaces a suggestion that only begins alike with the command or value most likely meant.
fn suggest_cli_word(error: clap::Error) -> clap::Error {
    match error.kind() {
        ErrorKind::InvalidSubcommand => suggest_cli_command(error),
        ErrorKind::InvalidValue => suggest_cli_value(error),
        _ => error,
    }
}

/// The values that are not listed can be given in another way.
const OTHER_VALUES: [(&str, &str); 2] = [
    ("--game", "any other game needs a rules program: pass its file, such as `./game.toml`"),
    (
        "--language",
        "any other language will do, too: see `referee help players` and `referee help games`",
    ),
];

fn suggest_cli_value(mut error: clap::Error) -> clap::Error {
    let nearest = match (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue)) {
        (Some(ContextValue::String(given)), Some(ContextValue::Strings(known))) => {
            find_similar_word(given, known.iter().map(String::as_str)).map(str::to_owned)
        }
        _ => return error,
    };
    error.remove(ContextKind::SuggestedValue);
    if let Some(nearest) = nearest {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(nearest));
        return error;
    }
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.clone(),
        _ => return error,
    };
    let other = OTHER_VALUES.iter().find(|(option, _)| argument.starts_with(option));
    if let Some((_, tip)) = other {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*tip).into()]));
    }
    error
}

fn suggest_cli_command(mut error: clap::Error) -> clap::Error {
    let command = Cli::command();
    let nearest = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given))) => {
            find_similar_word(given, command.get_subcommands().map(clap::Command::get_name))
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
pub(crate) enum CliCommand {
    /// Play a tournament, or resume it
    ///
    /// Players meet in pairs of games with the seats swapped, or in deals: a game for each seat.
    /// Games that are already in the log are not played again; a run that was stopped or killed
    /// resumes where it left off.
    Run(run::RunArgs),
    /// Play one game in the terminal, or in a browser
    ///
    /// A player is `human`, a built-in player (`bot:random`, `bot:greedy`, `bot:steady`,
    /// `bot:search`, `bot:search-N`), a name from the configuration, a file, a folder, or a command.
    /// The first one takes the first seat.
    Play(play::PlayArgs),
    /// Test whether player A is better than player B, in as few games as possible
    ///
    /// Plays pairs of games until a sequential test (SPRT) accepts one of two hypotheses: that A is
    /// stronger by --elo1, or only by --elo0. Repeating a comparison resumes it, unless a player
    /// has changed.
    Compare(compare::CompareArgs),
    /// Find better values for a player's parameters by playing (SPSA)
    ///
    /// In each step, a player with parameters shifted at random plays one with the opposite shifts,
    /// and all parameters move a little towards the winner. Repeating the command
    /// resumes it. At the end, the result is compared with the starting values.
    Tune(tune::TuneArgs),
    /// Test whether a player is ready for a tournament
    ///
    /// Starts the player, gives it every kind of turn, and has it play against itself, in long
    /// games, on a busy core, and against built-in players. For each failure, the report shows the
    /// expected behaviour, the lines that led to it, and a command that repeats the decision.
    Check(check::CheckArgs),
    /// Ask a player to repeat one decision
    ///
    /// Starts the player, replays the recorded game up to the decision, and asks for an action.
    /// Shows the reply and whether it is legal.
    Ask(ask::AskArgs),
    /// Create a player, a game or a tournament
    New(new::NewArgs),
    /// Show the ranking of a tournament, finished or running
    Rank(rank::RankArgs),
    /// Write the HTML report of a tournament
    ///
    /// Writes report.html, and the games into the folder games beside it. The report needs neither
    /// network nor server: open it from disk, or copy it together with the folder.
    Report(report::ReportArgs),
    /// Play games for tournaments that run on many machines
    ///
    /// Connects to a NATS server, looks for a tournament that `referee run --on` announces there,
    /// and plays its games. Players come from the server.
    Worker(worker::WorkerArgs),
    /// Serve the HTML report to a browser, live while a tournament runs
    ///
    /// The page updates itself when a game ends. Only this machine can reach it, unless you use
    /// --listen, which asks for no password. Other sites open in the browser cannot read it. Ctrl-C
    /// stops the server. It changes no results.
    Serve(serve::ServeArgs),
    /// Invite authors to a league, serve its page, and decide who plays
    League(league::LeagueArgs),
    /// Check the log and the tables of a tournament
    ///
    /// Checks every line of the log: its format, its hash, its place in the schedule, its actions,
    /// result, times and seeds. Then it computes the tables again and compares them with the
    /// files. While a run is writing to the folder, it does not check the tables.
    Verify(verify::VerifyArgs),
    /// Print the games of a tournament as data, for programs that learn from them
    ///
    /// One JSON line per game, with all positions, legal actions, choices and the result.
    Export(export::ExportArgs),
    /// Step through a recorded game
    ///
    /// On a terminal, arrow keys step through the game. Elsewhere, all positions are printed.
    Replay(replay::ReplayArgs),
    /// Show the clauses and options of a game
    Rules(rules::RulesArgs),
    /// Read actions from stdin and print every state as JSON
    ///
    /// With --requests, it answers requests about a built-in game, as a rules program does: programs
    /// can ask it for any position instead of implementing the rules.
    Trace(trace::TraceArgs),
    /// Test the rules of a game, and describe its games
    ///
    /// Plays random games to find mistakes in a rules program: answers that break the contract or
    /// depend on earlier requests, refusals without a clause, and leaks of hidden information.
    /// Shows each mistake with the shortest sequence of steps that leads to it. Also shows the
    /// length of games, the number of legal actions, and the advantage of the first seat among
    /// random and among searching players.
    TestGame(test_game::TestGameArgs),
    /// Find out how strong the sandbox is on this machine
    ///
    /// Applies every level and every mechanism to a small process, which then tries to break out.
    /// If one does not hold, shows why and how to fix it.
    Probe(probe::ProbeArgs),
    /// Run a built-in player that speaks the protocol on stdin and stdout
    #[command(hide = true)]
    Bot(bot::BotArgs),
    /// Describe a command, or show a page of the documentation
    #[command(hide = true)]
    Help(help::HelpArgs),
    /// Print shell completions
    #[command(hide = true)]
    Completions(completions_and_man::CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man(completions_and_man::ManArgs),
}

#[cfg(test)]
mod tests;
