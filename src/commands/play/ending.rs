//! How a game ended, in words.

use crate::commands::Status;
use crate::error::Failure;
use crate::printer::Printer;
use referee_games::{BySeat, GameResult, Seat, Text};
use referee_match::referee::{Ending, GameReport};
use referee_protocol::escape;

/// The seat of the person who gave up, if one did. `people` says which seats people had.
pub(super) fn given_up(ending: &Ending, people: BySeat<bool>) -> Option<Seat> {
    Seat::BOTH.into_iter().find(|&seat| people[seat] && ending.fault(seat).is_some())
}

/// A game that has ended, and who played it.
#[derive(Debug)]
pub(super) struct Conclusion<'a> {
    pub(super) report: &'a GameReport,
    pub(super) seats: &'a BySeat<Text>,
    pub(super) names: &'a BySeat<String>,
    /// Which seats people had.
    pub(super) people: BySeat<bool>,
}

impl Conclusion<'_> {
    /// Who won, and why.
    pub(super) fn sentence(&self) -> String {
        let wins = |seat| format!("{} ({}) wins", self.name(seat), self.seats[seat]);
        if let Some(seat) = self.given_up() {
            let fault = self.report.ending.fault(seat).map_or("", |fault| &fault.message);
            return format!("{fault}: {}", wins(!seat));
        }
        let reason = self.report.ending.reason();
        match self.report.ending.result() {
            GameResult::Win(seat) => format!("{}: {reason}", wins(seat)),
            GameResult::Draw => format!("draw: {reason}"),
        }
    }

    /// Prints the faults, the warnings and the result.
    pub(super) fn print(&self, printer: Printer) -> Result<Status, Failure> {
        if self.given_up().is_some() {
            printer.line(&self.sentence())?;
            return Ok(Status::Done);
        }
        for seat in Seat::BOTH {
            self.print_fault(seat, printer)?;
        }
        for warning in &self.report.trace.warnings {
            let warning = escape::terminal(&warning.text(self.seats));
            printer.line(&format!("warning: {warning}"))?;
        }
        printer.line(&self.sentence())?;
        Ok(match self.report.ending {
            Ending::Rules(_) => Status::Done,
            Ending::Fault(..) | Ending::Drawn(..) | Ending::DoubleFault(_) => Status::Found,
        })
    }

    fn print_fault(&self, seat: Seat, printer: Printer) -> Result<(), Failure> {
        let Some(fault) = self.report.ending.fault(seat) else { return Ok(()) };
        let (name, code, message) = (self.name(seat), fault.code, &fault.message);
        printer.line(&format!("{name} ({}): {code}: {message}", self.seats[seat]))?;
        for line in &fault.stderr {
            printer.line(&format!("    {line}"))?;
        }
        Ok(())
    }

    fn given_up(&self) -> Option<Seat> {
        given_up(&self.report.ending, self.people)
    }

    fn name(&self, seat: Seat) -> String {
        escape::terminal(&self.names[seat])
    }
}
