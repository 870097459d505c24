//! `new tournament`: the configuration for a folder of players.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, Printer, Status};
use crate::config::Found;
use crate::intake::{Submission, take_in};
use crate::rules::GameKind;

/// Write a tournament.toml for a folder of players or an export of a learning platform
///
/// Every file, folder and archive (.zip, .tar, .tar.gz, .tgz) in the folder is taken for the player
/// of one author. Archives are unpacked into `players` beside the configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new tournament players
  referee new tournament export --into autumn-cup --game backdraughts

Exit codes: 0 every submission is a player, 1 some are not (they stand in the file as comments, with
the reason), 2 bad command line, 3 something could not be read or written.")]
pub struct TournamentArgs {
    /// The folder of players
    pub dir: PathBuf,
    /// The folder to write tournament.toml into
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub into: PathBuf,
    /// The game
    #[arg(long, value_enum, default_value = "watch-your-back")]
    pub game: GameKind,
}

/// Writes the configuration.
pub(super) fn run(args: &TournamentArgs, printer: Printer) -> Result<Status, Failure> {
    let file = args.into.join("tournament.toml");
    if file.exists() {
        return Err(Failure::input(format!(
            "{} is there already; name another folder with --into",
            file.display()
        )));
    }
    let taken = take_in(&args.dir, &args.into.join("players")).map_err(|error| {
        Failure::input(format!("{} cannot be read: {error}", args.dir.display()))
    })?;
    if taken.is_empty() {
        return Err(Failure::input(format!("{} holds no players", args.dir.display())));
    }
    super::write(&file, &configuration(args, &taken)?)?;
    let good = taken.iter().filter(|submission| submission.player.is_ok()).count();
    for submission in &taken {
        if let Err(why) = &submission.player {
            let entry = crate::escape::terminal(&submission.entry);
            printer.note(&format!("{entry}: {}", crate::escape::terminal(why)));
        }
    }
    printer.note(&format!("{}: {good} of {} are players", file.display(), taken.len()));
    Ok(if good == taken.len() { Status::Done } else { Status::Found })
}

fn configuration(args: &TournamentArgs, taken: &[Submission]) -> Result<String, Failure> {
    let folder = std::fs::canonicalize(&args.into).or_else(|_| std::path::absolute(&args.into));
    let folder = folder.map_err(|error| Failure::system(error.to_string()))?;
    let title = folder.file_name().map_or("cup".into(), |name| name.to_string_lossy());
    let mut text = format!(
        "# A round-robin of everyone in `{}`. `referee run` plays it,\n\
         # `referee run --plan` says how many games that are.\n\
         name = {}\n\
         game = {}\n\
         # Each two players meet in this many pairs of games, the seats swapped within a pair.\n\
         pairs = 1\n\
         # Without a seed everything random is fresh, and nobody can foresee it.\n\
         # seed = 7\n\
         \n[clock]\n\
         # For one turn; `budget = \"60s\"` would be for all turns of a game together.\n\
         move = \"5s\"\n",
        args.dir.display().to_string().replace(char::is_control, " "),
        quoted(title.trim_start_matches('.')),
        quoted(args.game.name()),
    );
    for submission in taken {
        text.push('\n');
        match &submission.player {
            Ok((dir, found)) => player(&mut text, submission, &relative(dir, &folder)?, found),
            Err(why) => {
                let plain = |text: &str| crate::escape::terminal(text);
                // Writing into a string does not fail.
                let _ = writeln!(text, "# {}: {}", plain(&submission.entry), plain(why));
            }
        }
    }
    Ok(text)
}

fn player(text: &mut String, submission: &Submission, dir: &str, found: &Found) {
    // Writing into a string does not fail.
    let _ = writeln!(text, "[[players]]\nname = {}", quoted(&submission.name));
    let _ = match found {
        Found::Command(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            writeln!(text, "command = [{}]", words.join(", "))
        }
        Found::Class(module) => {
            writeln!(
                text,
                "# A class of the 2018 course interface; docs/classes.md says what it is told.\n\
                 comp30024 = {}",
                quoted(module)
            )
        }
    };
    let _ = writeln!(text, "dir = {}", quoted(dir));
}

/// `dir` as the configuration in `folder` names it: relative to it where it lies in it.
fn relative(dir: &Path, folder: &Path) -> Result<String, Failure> {
    let whole = std::fs::canonicalize(dir)
        .map_err(|error| Failure::system(format!("{}: {error}", dir.display())))?;
    let short = whole.strip_prefix(folder).unwrap_or(&whole);
    let text = short
        .to_str()
        .ok_or_else(|| Failure::input(format!("{} is no UTF-8; rename it", short.display())))?;
    Ok(if text.is_empty() { ".".to_owned() } else { text.to_owned() })
}

/// A text as TOML writes it: a JSON string is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text.replace('\u{7f}', " ")).to_string()
}
