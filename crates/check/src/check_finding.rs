//! A fault with what its author needs: the expected behaviour, the clause, and how to reproduce it.

use std::fmt::Write as _;

use serde::Serialize;

use super::fault_transcript::FaultTranscriptLine;
use referee_games::{AnyGame, Seat, Text};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::plies::Plies;
use referee_report::colour::ColouredText;

/// A problem found with a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckFinding {
    /// The kind of fault.
    pub code: FaultCode,
    /// The diagnosis.
    pub message: String,
    /// The same in one line, with the end of the program's stderr.
    pub reason: String,
    /// The player's seat.
    pub seat: Text,
    /// The plies played before it; absent if the game had not started.
    pub ply: Option<u32>,
    /// The expected behaviour.
    pub expected: &'static str,
    /// The text of the violated clause, from the rules or else from the protocol.
    pub clause: String,
    /// The transcript lines that led to it.
    pub exchange: Vec<FaultTranscriptLine>,
    /// The board before the decision, with colours; for people.
    #[serde(skip)]
    pub board: Option<ColouredText>,
    /// What to change in the player's code, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The last lines of the player's stderr.
    pub stderr: Vec<String>,
    /// A command that asks the player for the same decision again.
    pub reproduce: Option<String>,
}

impl CheckFinding {
    /// Makes a finding from a `fault` of the player in `seat` after `ply` plies; `lines` led to it.
    pub fn new(
        game: &dyn AnyGame,
        fault: &Fault,
        seat: Seat,
        ply: Option<u32>,
        exchange: Vec<FaultTranscriptLine>,
    ) -> Self {
        let cited = fault.clause.as_deref();
        let clause = game.clauses().iter().find(|clause| Some(&*clause.id) == cited);
        Self {
            code: fault.code,
            message: fault.message.clone(),
            reason: fault.reason(),
            seat: game.seats()[seat].clone(),
            ply,
            expected: fault.code.expected(),
            clause: clause.map_or_else(
                || format!("`{}` in `referee help faults`", fault.code),
                |clause| format!("{}, {}: {}", clause.id, clause.title, clause.text),
            ),
            exchange,
            board: None,
            advice: None,
            stderr: fault.stderr.clone(),
            reproduce: None,
        }
    }

    /// The transcript lines to show. The board stands for the turn, if there is one.
    pub(crate) fn shown_exchange(&self) -> impl Iterator<Item = &FaultTranscriptLine> {
        self.exchange.iter().filter(|line| self.board.is_none() || !line.is_turn())
    }

    /// Describes the finding in a few lines, without the transcript.
    pub fn describe(&self) -> String {
        let when = match self.ply {
            Some(ply) => format!("as {}, after {}", self.seat, Plies(ply)),
            None => format!("as {}, before the game", self.seat),
        };
        let mut text = format!("{}: {} ({when})", self.code, self.message);
        for line in &self.stderr {
            // Writing to a string does not fail.
            let _ = write!(text, "\n    {line}");
        }
        let _ = write!(text, "\nexpected: {}\nclause: {}", self.expected, self.clause);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::GameKind;
    use referee_match::player::LineDirection;

    fn finding(fault: &Fault, ply: Option<u32>) -> CheckFinding {
        let lines =
            vec![FaultTranscriptLine { way: LineDirection::ToPlayer, text: "a turn".to_owned() }];
        let game = GameKind::WatchYourBack.game();
        CheckFinding::new(game, fault, Seat::SECOND, ply, lines)
    }

    #[test]
    fn a_fault_cites_the_clause_of_the_rules_that_it_breaks() {
        let clause = &GameKind::WatchYourBack.game().clauses()[0];
        let mut fault = Fault::new(FaultCode::Illegal, "0,0 is a corner");
        fault.clause = Some(clause.id.to_string());
        let finding = finding(&fault, Some(3));
        assert_eq!(finding.clause, format!("{}, {}: {}", clause.id, clause.title, clause.text));
        assert_eq!((&*finding.seat, finding.exchange.len()), ("black", 1));
        assert!(
            finding.describe().starts_with("illegal: 0,0 is a corner (as black, after 3 plies)")
        );
    }

    #[test]
    fn any_other_fault_cites_the_page_of_the_protocol() {
        let mut fault = Fault::new(FaultCode::NoStart, "it cannot be run");
        fault.stderr = vec!["No such file".to_owned()];
        assert_eq!(
            finding(&fault, None).describe(),
            "no-start: it cannot be run (as black, before the game)\n    No such file\n\
             expected: a program that runs and, within the start-up limit, answers `init` with the \
             line `ok` or `{\"id\":0}`\nclause: `no-start` in `referee help faults`"
        );
    }
}
