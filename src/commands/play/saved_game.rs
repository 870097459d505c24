//! Keeps a game as a log of its own.

use std::fs;
use std::path::{Path, PathBuf};

use super::PlaySettings;
use crate::command_failure::Failure;
use crate::commands::settings::Settings;
use referee_config::PlayerArgument;
use referee_games::{BySeat, Seat};
use referee_record::disk;
use referee_record::log::LogWriter;
use referee_record::model::record::{GameRecord, Header, HeaderPlayer};
use referee_record::model::stage::Stage;
use referee_record::model::tournament::Tournament;
use referee_record::seeds::draw_random_identity;
use referee_tournament::run::header_from_config::header_from_config;

/// A new folder for the log of a game.
#[derive(Debug)]
pub(super) struct SavedGame {
    dir: PathBuf,
}

impl SavedGame {
    /// Creates the folder before the game begins.
    ///
    /// # Errors
    /// There is something in it already, or it cannot be created.
    pub(super) fn create(dir: &Path) -> Result<Self, Failure> {
        if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            let dir = dir.display();
            return Err(Failure::input(format!("--save: {dir} is not empty; use another folder")));
        }
        fs::create_dir_all(dir).map_err(|error| {
            Failure::system(format!("cannot create {}: {error}", dir.display()))
        })?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Writes the log, and returns the id of the game.
    pub(super) fn write_log(self, header: &Header, record: GameRecord) -> Result<String, Failure> {
        if header.is_hidden() {
            disk::make_new_files_private();
        }
        let written = LogWriter::create(&self.dir, header).and_then(|mut log| log.append(&record));
        written.map_err(|error| Failure::system(error.to_string()))?;
        Ok(record.id)
    }
}

/// The players' names in a log, which must differ: a second `random` is `random-2`.
pub(super) fn unique_saved_names(words: &BySeat<PlayerArgument>) -> BySeat<String> {
    let mut names: Vec<String> = Vec::new();
    for word in words.values() {
        let numbered = (2..).map(|number| format!("{}-{number}", word.name()));
        let mut all = [word.name().to_owned()].into_iter().chain(numbered);
        names.extend(all.find(|name| !names.contains(name)));
    }
    names.into_iter().collect()
}

/// The header for the log of the game: that of a tournament with one pair of games. It has no seed,
/// because the seeds of the game do not depend on the players' names.
pub(super) fn saved_game_header(
    settings: &Settings,
    terms: &PlaySettings,
    (words, names): (&BySeat<PlayerArgument>, &BySeat<String>),
) -> Result<Header, Failure> {
    let stages = vec![Stage::round_robin(1)];
    let options = terms.rules.options.clone();
    let tournament = Tournament {
        game: terms.rules.game.clone(),
        seed: None,
        clock: terms.control,
        openings: None,
        // A game here is played out.
        adjudication: None,
        ..settings.tournament("play".to_owned(), options, stages, Vec::new())
    };
    let info = |seat: Seat| match &words[seat] {
        PlayerArgument::Program(spec) => {
            let name = names[seat].clone();
            HeaderPlayer { name, tc: terms.tc[seat], ..HeaderPlayer::from(&**spec) }
        }
        PlayerArgument::Human => HeaderPlayer::for_person(&names[seat]),
    };
    let header =
        header_from_config(&tournament, terms.containment.record(), draw_random_identity()?);
    let players = words.seats().map(info).collect();
    Ok(Header { players, drawn: false, ..header })
}
