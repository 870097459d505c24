//! How a game ended, in words.

use crate::command_failure::Failure;
use crate::commands::Status;
use crate::printer::Printer;
use referee_games::{BySeat, Places, Seat, SeatSet, Text};
use referee_match::referee::{GameReport, RefereeEnding};
use referee_protocol::escape::escape_line;

/// The seat of the person who gave up, if one did. `people` says which seats people had.
pub(super) fn seat_that_gave_up(ending: &RefereeEnding, people: SeatSet) -> Option<Seat> {
    people.iter().find(|&seat| ending.fault(seat).is_some())
}

/// A game that has ended, and who played it.
#[derive(Debug)]
pub(super) struct GameEnding<'a> {
    pub(super) report: &'a GameReport,
    pub(super) seats: &'a BySeat<Text>,
    pub(super) names: &'a BySeat<String>,
    /// Which seats people had.
    pub(super) people: SeatSet,
}

impl GameEnding<'_> {
    /// Who won, and why.
    pub(super) fn sentence(&self) -> String {
        let ending = &self.report.ending;
        let result = self.result(ending.places());
        if let Some(seat) = self.given_up() {
            let fault = ending.fault(seat).map_or("", |fault| &fault.message);
            return format!("{fault}: {result}");
        }
        format!("{result}: {}", ending.reason())
    }

    fn result(&self, places: Places) -> String {
        let player = |seat| format!("{} ({})", self.name(seat), self.seats[seat]);
        match places.winner() {
            _ if places.seats() > 2 && self.report.ending.faults().count() == places.seats() => {
                "nobody wins".to_owned()
            }
            _ if places.seats() > 2 => places.in_words(player),
            Some(seat) => format!("{} wins", player(seat)),
            None => "draw".to_owned(),
        }
    }

    /// Prints the faults, the warnings and the result.
    pub(super) fn print(&self, printer: Printer) -> Result<Status, Failure> {
        if self.given_up().is_some() {
            printer.line(&self.sentence())?;
            return Ok(Status::Done);
        }
        for seat in self.seats.seats() {
            self.print_fault(seat, printer)?;
        }
        for warning in &self.report.trace.warnings {
            let warning = escape_line(&warning.text(self.seats));
            printer.line(&format!("warning: {warning}"))?;
        }
        printer.line(&self.sentence())?;
        Ok(match self.report.ending {
            RefereeEnding::Rules(_) => Status::Done,
            RefereeEnding::Faults { .. } => Status::Found,
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
        seat_that_gave_up(&self.report.ending, self.people)
    }

    fn name(&self, seat: Seat) -> String {
        escape_line(&self.names[seat])
    }
}
