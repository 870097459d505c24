//! The configuration of a tournament: what the file says becomes what the program needs.
//!
//! A file is read in two steps. First its keys and types are read, unknown keys refused, and the
//! place of everything kept; then names, numbers, rules, programs and folders are checked. Each
//! step notes every problem it finds, and all of them are reported together, with the line they
//! stand in. After that no code asks whether something is set or possible.

mod apart;
mod containment;
mod file;
mod grades;
mod hash;
mod keys;
mod launch;
mod limits;
mod openings;
mod player;
mod problem;
mod recognise;
mod stages;
#[cfg(all(test, unix))]
mod tests;
mod tournament;
mod word;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

pub use grades::{Grades, RankMark, ScoreMark};
pub use launch::Launch;
pub use limits::{DEFAULT_MOVE, DEFAULT_STARTUP, LONGEST};
pub use player::{LONGEST_NAME, PlayerSpec};
pub use problem::Colour;
pub use recognise::{EXPECTED, Found, recognise};
pub use tournament::{
    DEFAULT_QUARANTINE, DEFAULT_RESULTS, MOST_JOBS, MOST_PAIRS, MOST_RETRIES, Tournament,
};
pub use word::PlayerWord;

use crate::commands::Failure;
use file::File;
use player::Place;
use problem::{Problems, Source};

/// Reads and checks the configuration file at `path`.
pub fn load(path: &Path, colour: Colour) -> Result<Tournament, Failure> {
    let name = path.display().to_string();
    let text = text(path, &name)?;
    let folder = path.parent().unwrap_or(path).join(".");
    let base = fs::canonicalize(folder)
        .map_err(|error| Failure::input(format!("cannot find the folder of `{name}`: {error}")))?;
    let search = std::env::var_os("PATH");
    let place = Place { base: &base, path: search.as_deref() };
    check(Source { name: &name, text: &text }, place, colour)
}

/// Checks the text of a configuration whose paths are relative to `place`.
fn check(source: Source<'_>, place: Place<'_>, colour: Colour) -> Result<Tournament, Failure> {
    let mut problems = Problems::default();
    let tournament = File::read(source.text, &mut problems)
        .and_then(|file| tournament::check(file, place, &mut problems));
    match tournament {
        Some(tournament) if problems.is_empty() => Ok(tournament),
        _ => Err(problems.into_failure(source, colour)),
    }
}

/// The text of the file at `path`, called `name`.
fn text(path: &Path, name: &str) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::input(unreadable(name, &error)))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.split(|&byte| byte == b'\n').count().saturating_sub(1);
        Failure::input(format!("`{name}` is not UTF-8 (line {line}); save it as UTF-8"))
    })
}

fn unreadable(name: &str, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!(
            "there is no configuration `{name}`; name the file of the tournament, or write one"
        ),
        ErrorKind::IsADirectory => {
            format!("`{name}` is a folder; name the configuration file in it")
        }
        _ => format!("cannot read the configuration `{name}`: {error}"),
    }
}
