//! The configuration for chess engines.

use std::collections::HashSet;
use std::path::Path;

use super::{Failure, Printer, Status, new_tournament_title, quote_config_string};
use crate::commands::game_args::absolute_game_folder;
use referee_config::PlayerArgument;
use referee_entrants::relative_path::relative_path;
use referee_record::model::player_spec::to_player_name;
use referee_record::shell::quote_for_shell;

/// Options of an engine, to uncomment.
const OPTIONS: &str = "# options = { Hash = 64, Threads = 1 }\n";

/// Writes a tournament of these engines to `file`.
pub(super) fn write_engines_tournament(
    engines: &[String],
    file: &Path,
    printer: Printer,
) -> Result<Status, Failure> {
    if engines.len() < 2 {
        let why = "one engine has no opponent; pass two or more: `--engines ENGINE ENGINE`";
        return Err(Failure::input(why));
    }
    let folder = absolute_game_folder(file.parent().unwrap_or(Path::new(".")))?;
    let here = absolute_game_folder(Path::new("."))?;
    // Paths of engines are relative to this folder, and not to that of the file.
    let dir = match relative_path(&folder, &here).to_str() {
        Some(".") => String::new(),
        Some(way) => format!("dir = {}\n", quote_config_string(way)),
        None => return Err(Failure::input(format!("{} is not valid UTF-8", here.display()))),
    };
    let mut names = HashSet::new();
    let mut text = engines_config_head(&folder);
    for engine in engines {
        PlayerArgument::parse(&format!("uci:{engine}"), &[], None)?;
        let words = shlex::split(engine).unwrap_or_default();
        let name = free_engine_name(&words, &mut names);
        let words: Vec<String> = words.iter().map(|word| quote_config_string(word)).collect();
        let uci = match &words[..] {
            [program] => program.clone(),
            words => format!("[{}]", words.join(", ")),
        };
        text.extend(["\n[[players]]\nname = ", &name, "\nuci = ", &uci, "\n", &dir, OPTIONS]);
    }
    super::super::write_new_file(file, &text)?;
    printer.note(&format!("{}: {} engines", file.display(), engines.len()));
    let run = if folder == here {
        "referee run".to_owned()
    } else {
        format!("referee run {}", quote_for_shell(&file.to_string_lossy()))
    };
    printer.command("next", &run);
    Ok(Status::Done)
}

/// The part before the players.
fn engines_config_head(folder: &Path) -> String {
    format!(
        "\
# A round-robin of chess engines. `referee run` plays it; `referee run --plan` shows how many
# games that is.
name = {}
game = \"chess\"
# Pairs of games between any two engines; the colours are swapped within a pair.
pairs = 10
# Write each finished game to this file in the results folder.
# pgn = \"games.pgn\"
# Without a seed, all random numbers are fresh and unpredictable.
# seed = 7

[clock]
# Seconds for a game, and an increment after each move; see `referee help configuration`.
tc = \"10+0.1\"
# Overtime that is forgiven. A larger margin avoids losses on time on a busy machine.
# margin = \"20ms\"

# Without openings, engines may play the same games again and again. A book is a file in EPD or PGN.
# [openings]
# file = \"book.epd\"
# order = \"random\"
",
        new_tournament_title(folder)
    )
}

/// The name of the engine with these words, with a number if others have the same.
fn free_engine_name(words: &[String], taken: &mut HashSet<String>) -> String {
    let program = words.first().map_or("", String::as_str);
    let file = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program);
    let rest = words.iter().skip(1).map(String::as_str);
    let plain = std::iter::once(file).chain(rest).collect::<Vec<_>>().join(" ");
    let numbered = (2..).map(|number| format!("{plain} {number}"));
    let mut names =
        std::iter::once(plain.clone()).chain(numbered).map(|name| to_player_name(&name));
    let name = names.find(|name| taken.insert(name.clone())).unwrap_or(plain);
    quote_config_string(&name)
}
