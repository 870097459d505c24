//! The decisions of a turn: asks the seats on turn, and keeps their clocks, warnings and remarks.

use std::pin::pin;
use std::time::Duration;

use super::shared_core::{OpponentCpu, undisturbed};
use super::{Answered, Decided, DecidedStep, Ending, GameLoop, PendingTurn};
use crate::player::diagnosis;
use referee_games::{BySeat, GameError, Seat, Step};
use referee_protocol::Reply;
use referee_record::model::clock::{Clock, ClockVerdict, TimeControl};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::record::Note;
use referee_record::model::warning::{GameWarning, PlayerWarning};

impl GameLoop<'_, '_> {
    /// Asks the one seat on turn.
    pub(super) async fn decide_alone(&mut self, seat: Seat) -> Result<DecidedStep, GameError> {
        let clocks = self.clocks;
        let decided = self.decide(seat, &clocks).await?;
        Ok(decided.map(Step::Move).map_err(|fault| Ending::by_fault(seat, fault, &*self.position)))
    }

    /// Asks both seats. Neither is told the other's action or time. (On a shared core, the seat asked
    /// second can estimate the first one's time by its own clock.) Both replies are awaited before
    /// either is judged.
    pub(super) async fn decide_together(&mut self) -> Result<DecidedStep, GameError> {
        let decided = if self.setup.control.ponder {
            self.ask_at_once().await?
        } else {
            self.ask_in_order().await?
        };
        let ending = |seat, fault| Ending::by_fault(seat, fault, &*self.position);
        Ok(match (decided.first, decided.second) {
            (Ok(first), Ok(second)) => Ok(Step::Both(BySeat::new(first, second))),
            (Err(fault), Ok(_)) => Err(ending(Seat::First, fault)),
            (Ok(_), Err(fault)) => Err(ending(Seat::Second, fault)),
            (Err(first), Err(second)) => Err(Ending::DoubleFault(BySeat::new(first, second))),
        })
    }

    /// Asks the seats one after the other, because they share a core. The order alternates by ply.
    async fn ask_in_order(&mut self) -> Result<BySeat<Decided>, GameError> {
        let clocks = self.clocks;
        Ok(if self.position.ply().is_multiple_of(2) {
            let first = self.decide(Seat::First, &clocks).await?;
            BySeat::new(first, self.decide(Seat::Second, &clocks).await?)
        } else {
            let second = self.decide(Seat::Second, &clocks).await?;
            BySeat::new(self.decide(Seat::First, &clocks).await?, second)
        })
    }

    /// Asks both seats at the same time, because each has its own core.
    async fn ask_at_once(&mut self) -> Result<BySeat<Decided>, GameError> {
        let [first, second] = Seat::BOTH.map(|seat| {
            let events = &self.events[self.sent[seat]..];
            PendingTurn::new(seat, self.setup, &*self.position, events, &self.clocks).at_once()
        });
        let BySeat { first: one, second: other } = self.players.as_mut();
        let (first, second) = tokio::join!(first.ask(one), second.ask(other));
        let first = self.settle(Seat::First, first?);
        Ok(BySeat::new(first, self.settle(Seat::Second, second?)))
    }

    /// Asks one seat for this turn's action. The turn began with these clocks.
    async fn decide(&mut self, seat: Seat, clocks: &BySeat<Clock>) -> Result<Decided, GameError> {
        let events = &self.events[self.sent[seat]..];
        let question = PendingTurn::new(seat, self.setup, &*self.position, events, clocks);
        let (player, opponent) = self.players.pick_mut(seat);
        let control = self.setup.control;
        // Pinned, because moving the whole turn into another future would copy kilobytes.
        let mut answered = undisturbed(pin!(question.ask(player)), opponent, control).await?;
        let taken = self.watch_pondering(!seat);
        match (&mut answered.time, &answered.decided) {
            (Some(time), Ok(_)) => time.charged = taken.refunded(*time, control),
            (Some(_), Err(fault))
                if fault.code == FaultCode::Timeout && taken.may_have_cost_the_reply(control) =>
            {
                self.trace.disturber = Some(!seat);
            }
            _ => {}
        }
        Ok(self.settle(seat, answered))
    }

    /// Saves the outcome of a turn: the time, rejected replies, and comments on the action.
    fn settle(&mut self, seat: Seat, answered: Answered) -> Decided {
        let Answered { decided, time, refusals } = answered;
        let (ply, is_retried) = (self.position.ply(), !refusals.is_empty());
        self.sent[seat] = self.events.len();
        for Fault { code, message, .. } in refusals {
            self.warn(seat, PlayerWarning::AskedAgain { ply, code, message });
        }
        let decided = decided.map(|(action, reply)| {
            self.keep_remarks(seat, reply);
            action
        });
        match time {
            Some(time) => self.settle_clock(seat, (time.charged, is_retried), decided),
            None => decided,
        }
    }

    fn settle_clock(
        &mut self,
        seat: Seat,
        (used, is_retried): (Duration, bool),
        decided: Decided,
    ) -> Decided {
        let TimeControl { margin, overruns, .. } = *self.setup.control;
        let allowance = self.clocks[seat].allowance().unwrap_or_default();
        let verdict = self.clocks[seat].spend(used);
        self.trace.used[seat].push(used);
        let action = decided?;
        match verdict {
            ClockVerdict::InTime => Ok(action),
            ClockVerdict::Forgiven => {
                let (ply, by) = (self.position.ply(), used.saturating_sub(allowance));
                let of = [self.clocks[seat].overruns(), overruns];
                self.warn(seat, PlayerWarning::Overran { ply, by, of });
                Ok(action)
            }
            ClockVerdict::Late => {
                let tries = if is_retried { ", retries included" } else { "" };
                let how = diagnosis::beyond(used, allowance, margin);
                Err(Fault::new(FaultCode::Timeout, format!("{how}{tries}")))
            }
        }
    }

    /// Returns the CPU time that a player used on the opponent's turn that just ended. A player
    /// that ponders is frozen now, and after each of its replies from now on.
    fn watch_pondering(&mut self, seat: Seat) -> OpponentCpu {
        let player = &mut self.players[seat];
        let used = OpponentCpu(player.end_off_turn());
        if !self.setup.control.ponder && self.frozen[seat].is_none() && player.ponders() {
            player.freeze_off_turn();
            player.freeze();
            self.frozen[seat] = Some(self.position.ply());
        }
        used
    }

    fn warn(&mut self, seat: Seat, warning: PlayerWarning) {
        self.trace.warnings.push(GameWarning { seat, warning });
    }

    fn keep_remarks(&mut self, seat: Seat, reply: Reply) {
        let (ply, by) = (self.position.ply(), self.seats[seat].clone());
        for dropped in reply.warnings {
            self.warn(seat, PlayerWarning::Dropped { ply, why: dropped });
        }
        let Reply { note, eval, search, .. } = reply;
        if note.is_some() || eval.is_some() || !search.is_empty() {
            self.trace.notes.push(Note { ply, by: by.into_owned(), note, eval, search });
        }
    }
}
