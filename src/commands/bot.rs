//! `bot NAME`: a built-in player as a separate program.

use super::{Failure, Status};
use crate::printer::Printer;
use referee_bots::BotSession;
use referee_games::{GameError, RulesProgram};
use referee_match::game_program::open_uncontained_game_program;

/// Arguments of `bot`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  referee bot greedy
  referee bot search-2000      the same moves on every machine")]
pub(crate) struct BotArgs {
    /// `random`, `greedy`, `steady` (prolongs the game), `search`, or `search-N` (at most N
    /// positions per move, without a clock)
    pub(crate) name: String,

    /// The program that knows the rules of the game, as a log's header describes it
    #[arg(long, value_name = "JSON", hide = true)]
    rules_program: Option<String>,
}

/// Plays until `quit` or the end of the input.
pub(crate) fn run(args: &BotArgs, printer: Printer) -> Result<Status, Failure> {
    let failed = |error: &std::io::Error| Failure::system(format!("bot {}: {error}", args.name));
    let kind = referee_bots::parse_bot_name(&args.name)
        .map_err(|error| Failure::input(error.to_string()))?;
    let session = match &args.rules_program {
        None => BotSession::new(kind),
        Some(json) => match open_uncontained_game_program(&parse_bot_rules_program(json)?) {
            Ok(game) => BotSession::with_game(kind, game),
            Err(GameError::Program(failure)) => {
                referee_bots::serve_bot_failure(&failure, printer.json_stream())
                    .map_err(|error| failed(&error))?;
                return Ok(Status::Done);
            }
            Err(error) => return Err(error.into()),
        },
    };
    referee_bots::serve_bot(session, printer.json_stream()).map_err(|error| failed(&error))?;
    Ok(Status::Done)
}

fn parse_bot_rules_program(json: &str) -> Result<RulesProgram, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::input(format!("--rules-program: {error}")))
}
