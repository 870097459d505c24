//! `new`: creates a starter player, a starter game, or a tournament configuration from a folder of
//! players.

mod game;
mod tournament;

use super::game_args::{GameArgument, game_named};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::{Failure, Status};
use crate::check::Beginning;
use crate::model::containment::ContainmentRequest;
use crate::printer::Printer;
use crate::seeds::Secret;
use crate::templates::player::{self, LegalShape};
use crate::templates::{Language, TemplateFile};
use referee_games::{AnyGame, Legal, Options, Seat};

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new player --language python my-player
  referee new game --language python my-game
  referee new tournament submissions")]
pub struct NewArgs {
    /// What to create
    #[command(subcommand)]
    pub what: NewCommand,
}

/// The things that can be created.
#[derive(Debug, Subcommand)]
pub enum NewCommand {
    /// Write a small working player, with its build file and a README
    Player(PlayerArgs),
    /// Write the rules of a small game as a program, with a README
    ///
    /// The files work as they are. Replace the rules by those of your own game; the README
    /// describes how.
    Game(game::NewGameArgs),
    /// Write a tournament.toml for a folder of players or submissions
    ///
    /// Every file, folder and archive (.zip, .tar, .tar.gz, .tgz) in the folder becomes a player.
    /// File names of Moodle, Canvas and Blackboard exports tell the authors; of several uploads by
    /// one author, the latest counts. Archives are unpacked and single files copied into the folder
    /// `players` beside the configuration, each into a folder of its own.
    Tournament(tournament::TournamentArgs),
}

/// Arguments of `new player`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new player --language python
  referee new player --language rust --game backdraughts my-bot")]
pub struct PlayerArgs {
    /// The folder to create
    #[arg(default_value = "my-player")]
    pub dir: PathBuf,
    /// The language
    #[arg(long, value_enum)]
    pub language: Language,
    /// The game
    #[arg(long, value_parser = game_named(), default_value = "watch-your-back")]
    pub game: GameArgument,
}

/// Creates the player, the game or the configuration.
pub fn run(args: &NewArgs, printer: Printer) -> Result<Status, Failure> {
    match &args.what {
        NewCommand::Player(args) => player(args, printer),
        NewCommand::Game(args) => game::run(args, printer),
        NewCommand::Tournament(args) => tournament::run(args, printer),
    }
}

fn player(args: &PlayerArgs, printer: Printer) -> Result<Status, Failure> {
    let name = args.dir.file_name().and_then(|name| name.to_str()).unwrap_or("my-player");
    let plain = |character: &char| character.is_alphanumeric() || "-_. ".contains(*character);
    let name: String = name.chars().filter(plain).collect();
    let game = args.game.open(&ContainmentRequest::default(), printer)?;
    let (shape, word) = (shape(&*game)?, args.game.word());
    let files = player::files(args.language, &name, (game.name(), &word), shape);
    write_all(&args.dir, &files, printer)
}

/// Writes the files of a kit into a folder that is empty or does not exist.
fn write_all(dir: &Path, files: &[TemplateFile], printer: Printer) -> Result<Status, Failure> {
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!("{} is not empty; name another folder", dir.display())));
    }
    for file in files {
        write(&dir.join(file.path), &file.text)?;
    }
    printer.note(&format!("created {}; its README.md describes the next steps", dir.display()));
    Ok(Status::Done)
}

/// How the game shows its legal actions at its first decision.
fn shape(game: &dyn AnyGame) -> Result<LegalShape, Failure> {
    let options = Options::resolve(game.options(), [])?;
    let mut position = game.start(&options)?;
    let mut luck = Secret::from_seed(1).luck("one", "other", 1);
    Beginning::play_chance(&mut *position, &mut luck)?;
    let asked = position.turn().asked().first().copied().unwrap_or(Seat::First);
    Ok(match position.legal(asked) {
        Legal::List(_) => LegalShape::List,
        Legal::Factored { .. } => LegalShape::Factored,
        Legal::Shown(_) => {
            return Err(Failure::input(format!(
                "no starter kit for {}, because it does not list its legal actions",
                game.name()
            )));
        }
    })
}

/// Writes a file, and creates its folders.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Failure::system(format!("cannot write {}: {error}", path.display())))
}
