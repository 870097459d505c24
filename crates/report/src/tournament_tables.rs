//! The tables of a results folder.

use std::io::{self, Write};
use std::path::Path;

use crate::csv_tables::{GAMES_TABLE, UNFINISHED, csv_table_files};
use crate::games_csv::GamesCsv;
use crate::graded_players::GradedPlayers;
use crate::{ReportError, Standings, StandingsRemedy};
use referee_record::disk;
use referee_record::log::{GameLineNames, write_atomically};
use referee_record::model::grades::Grades;
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::read_folder_log;

/// A tournament with the ranking that its tables show.
#[derive(Debug)]
pub struct TournamentTables {
    /// The analysis of the log.
    pub analysis: TournamentAnalysis,
    /// The ranking.
    pub standings: Standings,
}

impl TournamentTables {
    /// Computes everything from the log in `dir`.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read(dir: &Path, faulted: Faulted) -> Result<Self, PassError> {
        Ok(Self::from_analysis(TournamentAnalysis::read(dir, faulted)?))
    }

    /// The same under pseudonyms, with only what may be published.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read_under_pseudonyms(dir: &Path) -> Result<Self, PassError> {
        Ok(Self::from_analysis(TournamentAnalysis::under_pseudonyms(dir)?))
    }

    /// The tables of a tournament.
    pub fn from_analysis(analysis: TournamentAnalysis) -> Self {
        let remedy = StandingsRemedy::from_header(&analysis.header);
        let standings = Standings { remedy, ..Standings::new(&analysis.evaluation) };
        Self { analysis, standings }
    }

    /// The marks that these rules give.
    pub fn grade_players<'a>(&'a self, grades: &'a Grades) -> GradedPlayers<'a> {
        GradedPlayers::new(grades, &self.standings, &self.analysis.evaluation)
    }

    /// What to know about lines of the log that do not count or were edited.
    pub fn problems(&self) -> Vec<String> {
        self.analysis.problems.describe()
    }

    /// The tables as files: name and content. `games.csv` is separate because of its size.
    ///
    /// # Errors
    /// A table cannot be made.
    pub fn csv_files(&self) -> io::Result<[(&'static str, Vec<u8>); 2]> {
        csv_table_files(&self.standings, &self.analysis.evaluation.results)
    }

    /// Writes the tables beside the log.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn write(&self) -> Result<(), ReportError> {
        let path = |name: &str| self.analysis.dir().join(name);
        let failed = |name: &str| ReportError::unwritable(&path(name));
        for (name, content) in self.csv_files().map_err(failed("the tables"))? {
            write_atomically(&path(name), |out| out.write_all(&content)).map_err(failed(name))?;
        }
        write_atomically(&path(GAMES_TABLE), |out| self.write_games(out))
            .map_err(failed(GAMES_TABLE))?;
        disk::remove_if_there(&path(UNFINISHED)).map_err(failed(UNFINISHED))
    }

    /// Writes `games.csv` to `out`.
    fn write_games(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = GameLineNames::of(&self.analysis.header);
        let mut table = GamesCsv::new(out, names, self.analysis.state.has_scores())?;
        let mut written = Ok(());
        read_folder_log(self.analysis.dir(), |_, game| {
            if written.is_ok() {
                written = table.write_game(game);
            }
        })
        .map_err(io::Error::other)?;
        written.and_then(|()| table.finish()).map(drop)
    }
}
