//! `new`: creates a starter player, a starter game, or a tournament configuration from a folder of
//! players.

mod game;
mod tournament_config;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;

use super::game_args::{GameArgument, game_argument_parser};
use super::{Failure, Status};
use crate::printer::Printer;
use crate::starter_kits::player_kit::{
    KitGameFacts, LegalShape, player_kit_build_command, player_kit_files,
};
use crate::starter_kits::{KitLanguage, TemplateFile};
use referee_check::Beginning;
use referee_games::{Legal, Options, Seat, SharedGame};
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::GameRules;
use referee_record::seeds::TournamentSecret;
use referee_record::shell::quote_for_shell;

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new player my-player
  referee new game my-game
  referee new tournament submissions")]
pub(crate) struct NewArgs {
    /// What to create
    #[command(subcommand)]
    pub(crate) what: NewCommand,
}

/// The things that can be created.
#[derive(Debug, Subcommand)]
pub(crate) enum NewCommand {
    /// Write a small working player, with its build file and a README
    Player(PlayerArgs),
    /// Write the rules of a small game as a program, with a README
    ///
    /// The files work as they are. Replace the rules with those of your own game; the README
    /// describes how.
    Game(game::NewGameArgs),
    /// Write a tournament.toml for a folder of players or submissions, or for chess engines
    ///
    /// Every file, folder and archive (.zip, .tar, .tar.gz, .tgz) in the folder becomes a player.
    /// Authors are read from the file names of Moodle, Canvas and Blackboard exports. If an author
    /// uploaded several times, the latest upload counts. Archives are unpacked and single files
    /// copied into the folder `players` beside the configuration, each into a folder of its own.
    ///
    /// Chess engines that speak UCI need no folder: name them with --engines.
    Tournament(tournament_config::TournamentArgs),
}

/// Arguments of `new player`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new player
  referee new player --language rust --game backdraughts my-bot

The folder also gets a tournament.toml, so that commands run in it need no --game.")]
pub(crate) struct PlayerArgs {
    /// The folder to create
    #[arg(default_value = "my-player")]
    pub(crate) dir: PathBuf,
    /// The language
    #[arg(long, value_enum, default_value_t = KitLanguage::Python)]
    pub(crate) language: KitLanguage,
    /// The game
    #[arg(long, value_parser = game_argument_parser(), default_value = "watch-your-back")]
    pub(crate) game: GameArgument,
}

/// Creates the player, the game or the configuration.
pub(crate) fn run(args: &NewArgs, printer: Printer) -> Result<Status, Failure> {
    match &args.what {
        NewCommand::Player(args) => create_new_player(args, printer),
        NewCommand::Game(args) => game::run(args, printer),
        NewCommand::Tournament(args) => tournament_config::run(args, printer),
    }
}

fn create_new_player(args: &PlayerArgs, printer: Printer) -> Result<Status, Failure> {
    let name = args.dir.file_name().and_then(|name| name.to_str()).unwrap_or("my-player");
    let plain = |character: &char| character.is_alphanumeric() || "-_. ".contains(*character);
    let name: String = name.chars().filter(plain).collect();
    let game = args.game.open(&ContainmentRequest::default(), printer)?;
    let facts = find_new_kit_facts(game, args.game.word_in(&args.dir)?)?;
    write_new_kit(&args.dir, &player_kit_files(args.language, &name, &facts), printer)?;
    let dir = quote_for_shell(&args.dir.to_string_lossy());
    let build =
        player_kit_build_command(args.language).map_or(String::new(), |it| format!(" && {it}"));
    printer.command("next", &format!("cd {dir}{build} && referee check ."));
    Ok(Status::Done)
}

/// Writes the files of a kit into a folder that is empty or does not exist.
fn write_new_kit(dir: &Path, files: &[TemplateFile], printer: Printer) -> Result<(), Failure> {
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!("{} is not empty; use another folder", dir.display())));
    }
    for file in files {
        write_new_file(&dir.join(file.path), &file.text)?;
    }
    printer.note(&format!("created {}; its README.md describes the next steps", dir.display()));
    Ok(())
}

/// What a kit must know about a game, from its first decision.
fn find_new_kit_facts(game: SharedGame, word: String) -> Result<KitGameFacts, Failure> {
    let options = Options::resolve(game.options(), [])?;
    let rules = GameRules::new(game, options)?;
    let mut position = rules.start.clone();
    let mut luck = TournamentSecret::from_seed(1).game_luck(&["one", "other"], 1);
    Beginning::play_chance(&mut *position, &mut luck)?;
    let asked = position.turn().asked().iter().next().unwrap_or(Seat::FIRST);
    let legal = match position.legal(asked) {
        Legal::List(_) => LegalShape::List,
        Legal::Factored { .. } => LegalShape::Factored,
        Legal::Shown(_) => {
            return Err(Failure::input(format!(
                "no starter kit for {}, because it does not list its legal actions",
                rules.game.name()
            )));
        }
    };
    let state = position.view(asked);
    let mut bots = Vec::new();
    for bot in ["random", "greedy", "search-100"] {
        if rules.suits(bot)? {
            bots.push(bot);
        }
    }
    let (name, rows) = (rules.game.name().to_owned(), find_kit_rows_key(state.get()));
    let seats = rules.game.seats().len();
    Ok(KitGameFacts { name, word, seats, legal, state: state.get().to_owned(), rows, bots })
}

/// The last key of a state that holds a list of texts of the same length: the rows of a board.
fn find_kit_rows_key(state: &str) -> Option<String> {
    let state: serde_json::Map<String, Value> = serde_json::from_str(state).ok()?;
    let is_board = |value: &Value| {
        let rows: Option<Vec<&str>> =
            value.as_array().and_then(|rows| rows.iter().map(Value::as_str).collect());
        rows.is_some_and(|rows| {
            rows.len() > 1 && rows.iter().all(|row| row.len() > 1 && row.len() == rows[0].len())
        })
    };
    state.into_iter().rev().find(|(_, value)| is_board(value)).map(|(key, _)| key)
}

/// Writes a new file, and creates its folders.
fn write_new_file(path: &Path, text: &str) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)
        .and_then(|()| File::create_new(path)?.write_all(text.as_bytes()))
        .map_err(|error| Failure::cannot_write(path, &error))
}
