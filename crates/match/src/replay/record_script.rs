//! A record as a script.

use super::{ReplayError, ReplayScript};
use referee_games::{AnyPosition, PASS, Seat, Stream};
use referee_record::model::record::GameRecord;

/// The actions of a record, those of its opening first, and its outcomes of chance.
#[derive(Debug)]
pub(super) struct RecordScript<'a> {
    record: &'a GameRecord,
    /// Actions played, those of the opening included.
    played: usize,
    /// Outcomes drawn.
    drawn: usize,
}

impl<'a> RecordScript<'a> {
    pub(super) fn new(record: &'a GameRecord) -> Self {
        Self { record, played: 0, drawn: 0 }
    }

    /// How many actions were played, those of the opening included.
    pub(super) fn played(&self) -> usize {
        self.played
    }

    /// The action that comes after this many others.
    pub(super) fn peek(&self, behind: usize) -> Option<&'a str> {
        self.at(self.played + behind)
    }

    /// The action at this index, the opening's first.
    fn at(&self, index: usize) -> Option<&'a str> {
        let GameRecord { opening, actions, .. } = self.record;
        let text = match index.checked_sub(opening.len()) {
            None => opening.get(index),
            Some(index) => actions.get(index),
        };
        text.map(String::as_str)
    }

    fn take_action(&mut self) -> Option<&'a str> {
        let text = self.peek(0)?;
        self.played += 1;
        Some(text)
    }

    /// The end of the actions: no outcome may be left.
    fn check_no_outcome_left(&self) -> Result<(), ReplayError> {
        match self.record.rolls.get(self.drawn) {
            None => Ok(()),
            Some(roll) => Err(ReplayError::NoChance(roll.clone())),
        }
    }
}

impl<'a> ReplayScript for RecordScript<'a> {
    type Text = &'a str;
    type Error = ReplayError;

    fn action(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
    ) -> Result<Option<&'a str>, ReplayError> {
        if let Some(text) = self.take_action() {
            return Ok(Some(text));
        }
        let before = position.turn().asked().iter().take_while(|&other| other < seat).count();
        if before > 0
            && let Some(first) = self.played.checked_sub(before).and_then(|at| self.at(at))
        {
            return Err(ReplayError::Alone(first.to_owned()));
        }
        self.check_no_outcome_left().map(|()| None)
    }

    fn outcome(&mut self, _: &dyn AnyPosition, _: Stream) -> Result<Option<&'a str>, ReplayError> {
        match (self.record.rolls.get(self.drawn), self.peek(0)) {
            (Some(roll), _) => {
                self.drawn += 1;
                Ok(Some(roll))
            }
            (None, Some(text)) => Err(ReplayError::NoOutcome(text.to_owned())),
            (None, None) => Ok(None),
        }
    }

    fn pass(&mut self, _: &dyn AnyPosition, _: Seat) -> Result<bool, ReplayError> {
        match self.take_action() {
            Some(PASS) => Ok(true),
            Some(text) => Err(ReplayError::NotPassed(text.to_owned())),
            None => self.check_no_outcome_left().map(|()| false),
        }
    }

    fn over(&mut self, _: &dyn AnyPosition) -> Result<(), ReplayError> {
        match self.peek(0) {
            Some(text) => Err(ReplayError::AfterEnd(text.to_owned())),
            None => self.check_no_outcome_left(),
        }
    }
}
