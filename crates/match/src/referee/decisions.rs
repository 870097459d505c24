//! The decisions of a turn: asks the seats on turn, and keeps their clocks, warnings and remarks.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;

use super::shared_core::{SharedCoreCpu, await_with_others_frozen, split_player_from_others};
use super::{Answered, Decided, DecidedStep, Decision, PendingTurn, RefereeEnding, RefereedGame};
use crate::player::fault_messages;
use referee_games::{BySeat, GameError, Seat, SeatSet, Step};
use referee_protocol::{Reply, ReplyWarning};
use referee_record::model::bounds::LONGEST_NOTES;
use referee_record::model::clock::{Clock, ClockVerdict, TimeControl};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::record::RecordedNote;
use referee_record::model::warning::{GameWarning, PlayerWarning};

impl RefereedGame<'_, '_> {
    /// Asks the seats on turn. None learns another's action or time. (On a shared core, a seat
    /// asked later can estimate the time of those before it by its own clock.) All replies are
    /// awaited before any is judged.
    pub(super) async fn decide(&mut self, asked: SeatSet) -> Result<DecidedStep, GameError> {
        let decided = if self.setup.control.ponder && asked.len() > 1 {
            self.decide_at_once(asked).await?
        } else {
            self.decide_in_order(asked).await?
        };
        let count = self.players.len();
        let mut actions = Vec::with_capacity(decided.len());
        let (mut resigned, mut faults) = (SeatSet::EMPTY, BySeat::default_for(count));
        for (seat, decided) in decided {
            match decided {
                Ok(Decision::Action(action)) => actions.push(action),
                Ok(Decision::Resignation) => resigned.insert(seat),
                Err(fault) => faults[seat] = Some(fault),
            }
        }
        // A fault counts before a resignation.
        Ok(match RefereeEnding::by_faults_at(faults, &*self.position) {
            Some(ending) => Err(ending),
            None if resigned.is_empty() => Ok(Step::Together(actions)),
            None => Err(RefereeEnding::by_resignation(resigned, count)),
        })
    }

    /// Asks the one seat on turn.
    pub(super) async fn decide_alone(&mut self, seat: Seat) -> Result<DecidedStep, GameError> {
        let count = self.players.len();
        Ok(match self.decide_for_seat(seat, None).await? {
            Ok(Decision::Action(action)) => Ok(Step::Move(action)),
            Ok(Decision::Resignation) => Err(RefereeEnding::by_resignation(seat.into(), count)),
            Err(fault) => {
                let mut faults = BySeat::default_for(count);
                faults[seat] = Some(fault);
                Err(RefereeEnding::by_faults_at(faults, &*self.position).expect("a fault"))
            }
        })
    }

    /// Asks the seats one after the other, because they share a core. Each is the first one equally
    /// often: the order rotates by ply.
    async fn decide_in_order(&mut self, asked: SeatSet) -> Result<Vec<(Seat, Decided)>, GameError> {
        let clocks = self.clocks.clone();
        let first = self.position.ply() as usize % asked.len();
        let mut decided = Vec::with_capacity(asked.len());
        for seat in asked.iter().skip(first).chain(asked.iter().take(first)) {
            decided.push((seat, self.decide_for_seat(seat, Some(&clocks)).await?));
        }
        decided.sort_by_key(|(seat, _)| *seat);
        Ok(decided)
    }

    /// Asks the seats at the same time, because each has its own core.
    async fn decide_at_once(&mut self, asked: SeatSet) -> Result<Vec<(Seat, Decided)>, GameError> {
        let questions = self.players.iter_mut().filter(|(seat, _)| asked.contains(*seat));
        let answers = questions.map(|(seat, player)| {
            let events = &self.events[self.sent[seat]..];
            let question =
                PendingTurn::new(seat, self.setup, &*self.position, events, &self.clocks);
            let answer = question.at_once().ask(player);
            async move { (seat, answer.await) }
        });
        let answered = join_all(answers).await;
        let settle = |(seat, answered): (Seat, Result<_, _>)| {
            Ok((seat, self.settle_decision(seat, answered?)))
        };
        answered.into_iter().map(settle).collect()
    }

    /// Asks one seat for this turn's action. The turn began with these clocks, or with those of now.
    async fn decide_for_seat(
        &mut self,
        seat: Seat,
        clocks: Option<&BySeat<Clock>>,
    ) -> Result<Decided, GameError> {
        let events = &self.events[self.sent[seat]..];
        let clocks = clocks.unwrap_or(&self.clocks);
        let question = PendingTurn::new(seat, self.setup, &*self.position, events, clocks);
        let (player, others) = split_player_from_others(self.players, seat);
        let control = self.setup.control;
        // Pinned, because moving the whole turn into another future would copy kilobytes.
        let mut answered =
            await_with_others_frozen(pin!(question.ask(player)), others, control).await?;
        let mut taken = Duration::ZERO;
        let mut disturbers = SeatSet::EMPTY;
        for other in self.players.others(seat) {
            let used = self.watch_pondering(other);
            if SharedCoreCpu(used).may_have_cost_the_reply(control) {
                disturbers.insert(other);
            }
            taken += used;
        }
        match (&mut answered.time, &answered.decided) {
            (Some(time), Ok(_)) => time.charged = SharedCoreCpu(taken).refunded(*time, control),
            (Some(_), Err(fault)) if fault.code == FaultCode::Timeout => {
                self.trace.disturbers = self.trace.disturbers.union(disturbers);
            }
            _ => {}
        }
        Ok(self.settle_decision(seat, answered))
    }

    /// Saves the outcome of a turn: the time, rejected replies, and comments on the action.
    fn settle_decision(&mut self, seat: Seat, answered: Answered) -> Decided {
        let Answered { decided, time, refusals } = answered;
        let (ply, is_retried) = (self.position.ply(), !refusals.is_empty());
        self.sent[seat] = self.events.len();
        for Fault { code, message, .. } in refusals {
            self.add_decision_warning(seat, PlayerWarning::AskedAgain { ply, code, message });
        }
        let decided = decided.map(|(action, reply)| {
            let resigns = reply.resigns;
            self.keep_decision_remarks(seat, reply);
            if resigns { Decision::Resignation } else { Decision::Action(action) }
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
                self.add_decision_warning(seat, PlayerWarning::Overran { ply, by, of });
                Ok(action)
            }
            ClockVerdict::Late => {
                let tries = if is_retried { ", retries included" } else { "" };
                let how = fault_messages::describe_time_beyond_limit(used, allowance, margin);
                Err(Fault::new(FaultCode::Timeout, format!("{how}{tries}")))
            }
        }
    }

    /// Returns the CPU time that a player used on another's turn that just ended. A player that
    /// ponders is frozen now, and after each of its replies from now on.
    fn watch_pondering(&mut self, seat: Seat) -> Duration {
        let player = &mut self.players[seat];
        let used = player.end_off_turn();
        if !self.setup.control.ponder && self.frozen[seat].is_none() && player.ponders() {
            player.freeze_off_turn();
            player.freeze();
            self.frozen[seat] = Some(self.position.ply());
        }
        used
    }

    fn add_decision_warning(&mut self, seat: Seat, warning: PlayerWarning) {
        self.trace.warnings.push(GameWarning { seat, warning });
    }

    fn keep_decision_remarks(&mut self, seat: Seat, reply: Reply) {
        let (ply, by) = (self.position.ply(), self.seats[seat].clone());
        for dropped in reply.warnings {
            self.add_decision_warning(seat, PlayerWarning::Dropped { ply, why: dropped });
        }
        let Reply { note, eval, search, .. } = reply;
        let note = note.filter(|note| self.has_room_for(seat, note));
        if note.is_some() || eval.is_some() || !search.is_empty() {
            self.trace.notes.push(RecordedNote { ply, by: by.into_owned(), note, eval, search });
        }
    }

    /// Whether a note is kept. The first that does not fit draws a warning.
    fn has_room_for(&mut self, seat: Seat, note: &str) -> bool {
        let Some(room) = self.room_for_notes[seat] else { return false };
        let rest = room.checked_sub(note.len());
        self.room_for_notes[seat] = rest;
        if rest.is_none() {
            let most = LONGEST_NOTES / self.room_for_notes.len();
            let (ply, why) = (self.position.ply(), ReplyWarning::TooManyNotes(most));
            self.add_decision_warning(seat, PlayerWarning::Dropped { ply, why });
        }
        rest.is_some()
    }
}
