//! Decides which lines of a log count: the first readable line of each game of this tournament.

use std::fmt;

use crate::schedule::tournament_state::{RecordError, TournamentState};
use referee_record::log::{InvalidLine, LOG, ScannedLine};

/// The maximum number of problems to list.
const NAMED: usize = 5;

/// A line of a log that does not count, or that was edited.
#[derive(Debug, Clone)]
pub struct LineProblem {
    /// The line number, from 1.
    pub line: usize,
    /// The game's id, if it could be read.
    pub id: Option<String>,
    /// The problem.
    pub kind: LineProblemKind,
}

/// The problem with a line.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LineProblemKind {
    /// The line is not a record.
    #[error(transparent)]
    Unreadable(InvalidLine),
    /// The game does not belong to this tournament, judging by the other lines.
    #[error("it is not from this tournament")]
    Foreign,
    /// An earlier line already has this game.
    #[error("the game is already in the log")]
    Double,
    /// The line was edited after it was written.
    #[error("the record was edited after it was written")]
    Edited,
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self
            .id
            .as_ref()
            .map(|id| format!(", game {}", referee_protocol::escape::escape_line(id)));
        let what = self.kind.to_string();
        let what = referee_protocol::escape::escape_line(&what);
        write!(f, "{LOG}, line {}{}: {what}", self.line, id.unwrap_or_default())
    }
}

/// The problems of a log: their number, and the first of them.
#[derive(Debug, Clone, Default)]
pub struct LineProblems {
    named: Vec<LineProblem>,
    left_out: usize,
    edited: usize,
    foreign: Option<LineProblem>,
}

impl LineProblems {
    /// Adds a problem.
    pub fn add(&mut self, problem: LineProblem) {
        match problem.kind {
            LineProblemKind::Edited => self.edited += 1,
            _ => self.left_out += 1,
        }
        if matches!(problem.kind, LineProblemKind::Foreign) && self.foreign.is_none() {
            self.foreign = Some(problem.clone());
        }
        if self.named.len() < NAMED {
            self.named.push(problem);
        }
    }

    /// The first line that is not a game of this tournament.
    pub(crate) fn foreign(&self) -> Option<&LineProblem> {
        self.foreign.as_ref()
    }

    /// The problems and their consequences, one sentence each.
    pub fn describe(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.named.iter().map(|problem| format!("warning: {problem}")).collect();
        let total = self.left_out + self.edited;
        if total > self.named.len() {
            words.push(format!("warning: and {} more lines", total - self.named.len()));
        }
        if self.left_out > 0 {
            let lines = if self.left_out == 1 {
                "line is ignored, so its game counts"
            } else {
                "lines are ignored, so their games count"
            };
            words.push(format!(
                "{} {lines} as not played; `referee verify --repair` \
                 moves such lines out of the log",
                self.left_out
            ));
        }
        if self.edited > 0 {
            words.push("edited lines still count; `referee verify` checks everything".to_owned());
        }
        words
    }
}

/// Adds the game of a line to `state` if it counts, and returns its place there. Also returns the
/// problem of the line, if any.
pub fn add_line_or_problem(
    line: &ScannedLine,
    state: &mut TournamentState,
) -> (Option<usize>, Option<LineProblem>) {
    let problem = |kind| Some(LineProblem::new(line, kind));
    let game = match line {
        ScannedLine::Game(game) => game,
        ScannedLine::Other(line) => {
            if let Some(change) = &line.change {
                let kind = match state.apply_logged_roster_change(change) {
                    Ok(()) if line.intact => return (None, None),
                    Ok(()) => LineProblemKind::Edited,
                    Err(RecordError::Foreign) => LineProblemKind::Foreign,
                    Err(RecordError::Double) => LineProblemKind::Double,
                };
                return (None, problem(kind));
            }
            let why = line.record.as_ref().err().cloned();
            let kind = why.map_or(LineProblemKind::Foreign, LineProblemKind::Unreadable);
            return (None, problem(kind));
        }
    };
    match state.add_line(game) {
        Ok(index) if line.is_edited() => (Some(index), problem(LineProblemKind::Edited)),
        Ok(index) => (Some(index), None),
        Err(RecordError::Foreign) => (None, problem(LineProblemKind::Foreign)),
        Err(RecordError::Double) => (None, problem(LineProblemKind::Double)),
    }
}

impl LineProblem {
    /// A problem of `line`.
    pub fn new(line: &ScannedLine, kind: LineProblemKind) -> Self {
        Self { line: line.number(), id: line.id(), kind }
    }
}

#[cfg(test)]
mod tests;
