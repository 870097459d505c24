//! A tournament as read from its log: progress, ranking and access to all games.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::logged_game::{LoggedGame, PassError};
use super::named_results::Faulted;
use super::published_games::PublishedGames;
use super::sealed_games::SealedGames;
use super::tournament_evaluation::TournamentEvaluation;
use crate::folder::{
    FolderError, LineProblems, LogContents, for_each_folder_game, read_folder_log,
};
use crate::schedule::tournament_state::TournamentState;
use referee_record::log::{InvalidLine, LogError, LogProblem};
use referee_record::model::record::Header;

/// The result of reading the log once: which games are done and count, and the ranking.
#[derive(Debug)]
pub struct TournamentAnalysis {
    /// The results folder.
    dir: PathBuf,
    /// The header; under pseudonyms, as anyone may see it.
    pub header: Header,
    /// Which games are done and which players are out; never under pseudonyms.
    pub state: TournamentState,
    /// The results and the ranking.
    pub evaluation: TournamentEvaluation,
    /// The lines of the log that do not count or were edited.
    pub problems: LineProblems,
    /// The games that are not shown yet.
    pub(crate) sealed: SealedGames,
    /// The published games, if this analysis is under pseudonyms.
    pub published: Option<PublishedGames>,
}

impl TournamentAnalysis {
    /// Reads the log in `dir` and ranks the players.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the given ratings cannot be used.
    pub fn read(dir: &Path, faulted: Faulted) -> Result<Self, PassError> {
        Self::from_contents(dir, read_folder_log(dir, |_, _| {})?, faulted)
    }

    /// Ranks the players of the log in `dir`, which is already read.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn from_contents(
        dir: &Path,
        contents: LogContents,
        faulted: Faulted,
    ) -> Result<Self, PassError> {
        let evaluation = TournamentEvaluation::from_state(&contents.state, faulted)?;
        Ok(Self::assemble(dir, contents, evaluation, None))
    }

    fn assemble(
        dir: &Path,
        contents: LogContents,
        evaluation: TournamentEvaluation,
        published: Option<PublishedGames>,
    ) -> Self {
        let LogContents { header, state, problems, .. } = contents;
        Self {
            dir: dir.to_owned(),
            sealed: SealedGames::from_state(&header, &state),
            header,
            state,
            evaluation,
            problems,
            published,
        }
    }

    /// Reads the log in `dir` and ranks the players under pseudonyms.
    ///
    /// # Errors
    ///
    /// The same as for [`read`](Self::read).
    pub fn under_pseudonyms(dir: &Path) -> Result<Self, PassError> {
        let (published, contents) = PublishedGames::read(dir)?;
        let names = &published.names;
        let evaluation =
            TournamentEvaluation::under_names(&contents.state, &names.list_all(), |name| {
                names.shown_name(name).to_owned()
            })?;
        let header = names.public_header(&contents.header);
        let contents = LogContents { header, ..contents };
        Ok(Self::assemble(dir, contents, evaluation, Some(published)))
    }

    /// The results folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A player's name as shown: its pseudonym, if there are any.
    pub fn shown_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.published.as_ref().map_or(name, |published| published.names.shown_name(name))
    }

    /// Reads the log once and passes every game to `each`: under pseudonyms in the order of
    /// publication, otherwise in the order of the log.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or `each` fails.
    pub fn each_game<E: From<PassError> + From<FolderError>>(
        &self,
        mut each: impl FnMut(&LoggedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(published) = &self.published {
            return published.for_each_public_game(&self.dir, each);
        }
        for_each_folder_game(&self.dir, &self.state, |index, game, line| {
            let record = serde_json::from_slice(line).map_err(|error| {
                let problem = LogProblem::Line(InvalidLine::NotARecord(Arc::new(error)));
                FolderError::of_log(&self.dir)(LogError { line: game.place.line, problem })
            })?;
            each(&LoggedGame {
                record: Arc::new(record),
                summary: game.summary,
                counts: !self.state.is_void(index),
                in_check: self.state.is_check(index),
                line: game.place.line,
                is_sealed: self.sealed.contains(index),
            })
        })
    }
}
