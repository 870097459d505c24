//! `new`: a player to begin with, or the configuration of a tournament from a folder of players.

mod tournament;

use super::game_args::game_named;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::{Failure, Status};
use crate::check::Beginning;
use crate::printer::Printer;
use crate::seeds::Secret;
use crate::templates::{Language, Shape, files};
use referee_games::with_game;
use referee_games::{Game, GameKind, Legal, Options, Seat, Step};

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new player --language python my-player
  referee new tournament submissions")]
pub struct NewArgs {
    /// What to create
    #[command(subcommand)]
    pub what: What,
}

/// What can be created.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Write a small working player, with its build file and a README
    Player(PlayerArgs),
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
    pub game: GameKind,
}

/// Begins it.
pub fn run(args: &NewArgs, printer: Printer) -> Result<Status, Failure> {
    match &args.what {
        What::Player(args) => player(args, printer),
        What::Tournament(args) => tournament::run(args, printer),
    }
}

fn player(args: &PlayerArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = &args.dir;
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!("{} is not empty; name another folder", dir.display())));
    }
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or("my-player");
    let plain = |character: &char| character.is_alphanumeric() || "-_. ".contains(*character);
    let name: String = name.chars().filter(plain).collect();
    let shape = with_game!(args.game, G => shape::<G>())?;
    for file in files(args.language, &name, args.game.name(), shape) {
        write(&dir.join(file.path), &file.text)?;
    }
    printer.note(&format!("created {}; its README.md describes the next steps", dir.display()));
    Ok(Status::Done)
}

/// How the game shows its legal actions at its first decision.
fn shape<G: Game>() -> Result<Shape, Failure> {
    let options = Options::resolve(G::OPTIONS, []).map_err(|bad| Failure::input(bad.message))?;
    let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
    let start = Beginning::start::<G>(&rules, &mut Secret::from_seed(1).luck("one", "other", 1));
    let mut position = G::start(&rules);
    for roll in start.rolls {
        let drawn = position.different_outcomes().into_iter().find(|it| it.to_string() == roll);
        if let Some(drawn) = drawn {
            position.play_silently(Step::Chance(drawn));
        }
    }
    Ok(match position.legal(Seat::First) {
        Legal::List(_) => Shape::List,
        Legal::Factored { .. } => Shape::Factored,
    })
}

/// Writes a file and the folders that it lies in.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Failure::system(format!("cannot write {}: {error}", path.display())))
}
