//! One turn of one seat: ask, check the reply, and ask again if the policy allows.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::value::RawValue;

use super::GameSetup;
use crate::player::reply_limit::ReplyLimit;
use crate::player::{Player, TurnTime, TurnView, fault_messages};
use referee_games::{
    AnyPosition, BySeat, Event, GameError, Legal, Refusal, Seat, SeatMap, draw_guesses,
};
use referee_protocol::{Reply, TurnClock, reply_error_excerpt};
use referee_record::model::clock::{Clock, TimeControl, format_clock_seconds, whole_millis};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::record::FaultPolicy;

/// What is shown in place of the action of a player that resigns.
const RESIGN: &str = "resign";

/// A turn request. It is complete before the turn begins: it cannot reveal another seat's answer
/// in the same turn, or the time that took.
pub(crate) struct PendingTurn<'t> {
    seat: Seat,
    position: &'t dyn AnyPosition,
    /// The events since the seat's last turn.
    events: &'t [Event],
    /// The seat's clock when the turn begins.
    clock: Clock,
    /// What the others have left of their budgets.
    others: OthersLeft,
    /// The time limits.
    control: TimeControl,
    /// The policy after a rejected action.
    policy: FaultPolicy,
    /// Whether no other seat acts at the same time.
    alone: bool,
    /// Whether the game hides something from the seat.
    is_hidden: bool,
    /// The player's seed.
    seed: u64,
}

/// What the others have left of their budgets, in milliseconds.
struct OthersLeft {
    /// Of the other one, in a game for two.
    opponent_ms: Option<u64>,
    /// Of each, in a game with more seats. It would show who was asked, so games that hide something
    /// do not say it.
    by_name_ms: Option<Box<SeatMap<u64>>>,
}

impl OthersLeft {
    fn at_turn(seat: Seat, setup: &GameSetup<'_>, clocks: &BySeat<Clock>) -> Self {
        let left = |other: Seat| clocks[other].left().map(whole_millis);
        if clocks.len() == 2 {
            let opponent_ms = clocks.others(seat).next().and_then(left);
            return Self { opponent_ms, by_name_ms: None };
        }
        let is_open = !setup.rules.game.is_hidden();
        let values: Option<BySeat<u64>> = clocks.others(seat).map(left).collect();
        let by_name_ms = values.filter(|_| is_open).map(|values| {
            let seats = setup.rules.seats();
            let names = clocks.others(seat).map(|other| seats[other].clone()).collect();
            Box::new(SeatMap { names, values })
        });
        Self { opponent_ms: None, by_name_ms }
    }
}

/// The outcome of a turn request.
pub(crate) struct Answered {
    /// The text of a legal action, or [`RESIGN`], with the player's comment; or the fault.
    pub(crate) decided: Result<(String, Reply), Fault>,
    /// The time of all tries; none if no time was left to ask.
    pub(crate) time: Option<TurnTime>,
    /// The reason for each retry.
    pub(crate) refusals: Vec<Fault>,
}

impl<'t> PendingTurn<'t> {
    pub(crate) fn new(
        seat: Seat,
        setup: &'t GameSetup<'_>,
        position: &'t dyn AnyPosition,
        events: &'t [Event],
        clocks: &BySeat<Clock>,
    ) -> Self {
        Self {
            seat,
            position,
            events,
            clock: clocks[seat],
            others: OthersLeft::at_turn(seat, setup, clocks),
            control: setup.control_of(seat),
            policy: setup.policy,
            alone: true,
            is_hidden: setup.rules.game.is_hidden(),
            seed: setup.seeds[seat],
        }
    }

    /// The same request, put while other seats are asked too.
    pub(crate) fn at_once(self) -> Self {
        Self { alone: false, ..self }
    }

    /// Asks the seat's player.
    ///
    /// # Errors
    /// The game's implementation failed, here or in a built-in player.
    pub(crate) async fn ask(self, player: &mut Player) -> Result<Answered, GameError> {
        if self.clock.is_out() {
            let decided = Err(out_of_time_fault(&self.control, &self.clock));
            return Ok(Answered { decided, time: None, refusals: Vec::new() });
        }
        let wanted = player.guesses(self.is_hidden);
        // A player that wants one guess draws an action from it, unless the actions are listed.
        let is_listed = || matches!(self.position.legal(self.seat), Legal::List(_));
        let is_needed = wanted > 1 || !self.is_hidden || !is_listed();
        let guesses = self.guesses(if is_needed { wanted } else { 0 })?;
        let (mut time, mut refusals) = (TurnTime::ZERO, Vec::new());
        let mut tries = 0;
        let decided = loop {
            let answer = player.ask(&self.turn_view(&guesses, time.charged, tries)).await?;
            if tries == 0 {
                time = answer.time;
            } else {
                time += answer.time;
            }
            let checked = match answer.reply {
                Ok(reply) => self.check_action(reply, player)?,
                Err(fault) => Err(fault),
            };
            let fault = match checked {
                Ok(decided) => break Ok(decided),
                Err(fault) => fault,
            };
            if !self.may_retry(fault.code, tries) {
                break Err(fault);
            }
            player.refuse(&fault).await;
            refusals.push(fault);
            tries += 1;
        };
        Ok(Answered { decided, time: Some(time), refusals })
    }

    /// Up to `most` guesses of the position. They only depend on what the seat may know, and on its
    /// seed.
    fn guesses(&self, most: u32) -> Result<Vec<Box<RawValue>>, GameError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.position.ply().into());
        let guesses = draw_guesses(self.position, self.is_hidden, (self.seat, most), &mut rng)?;
        Ok(guesses.iter().filter_map(|guess| guess.description()).collect())
    }

    /// The message to the player when `used` time has passed and this many tries were rejected. A
    /// retry does not repeat events.
    fn turn_view<'v>(
        &'v self,
        guesses: &'v [Box<RawValue>],
        used: Duration,
        refused: u32,
    ) -> TurnView<'v> {
        let clock = &self.clock;
        let left = clock.allowance().map(|allowance| allowance.saturating_sub(used));
        let budget = self.control.budget.filter(|_| clock.left() == clock.allowance());
        let limit = ReplyLimit::new(self.control.measure, left)
            .rest_of(budget)
            .forgiving(self.control.margin);
        let limit = if clock.may_overrun() { limit.awaiting_late() } else { limit };
        TurnView {
            seat: self.seat,
            position: self.position,
            events: if refused == 0 { self.events } else { &[] },
            guesses,
            clock: TurnClock {
                left_ms: clock.left().map(|left| whole_millis(left.saturating_sub(used))),
                opponent_left_ms: self.others.opponent_ms,
                others_left_ms: self.others.by_name_ms.clone(),
                moves_to_go: clock.moves_to_go(),
                used_ms: whole_millis(clock.used_last()),
            },
            retry: (refused > 0).then_some(refused),
            limit: if self.alone { limit.alone() } else { limit },
        }
    }

    fn check_action(
        &self,
        reply: Reply,
        player: &mut Player,
    ) -> Result<Result<(String, Reply), Fault>, GameError> {
        if reply.resigns {
            return Ok(Ok((RESIGN.to_owned(), reply)));
        }
        match self.position.judge(self.seat, &reply.action) {
            Ok(action) => Ok(Ok((action, reply))),
            Err(GameError::Refused(refusal)) => {
                Ok(Err(refused_action_fault(refusal, &reply, player)))
            }
            Err(error) => Err(error),
        }
    }

    fn may_retry(&self, code: FaultCode, refused: u32) -> bool {
        match self.policy {
            FaultPolicy::Lose => false,
            FaultPolicy::Retry(most) => {
                refused < most && matches!(code, FaultCode::Malformed | FaultCode::Illegal)
            }
        }
    }
}

fn out_of_time_fault(control: &TimeControl, clock: &Clock) -> Fault {
    let budget = control.budget.unwrap_or_default();
    let used_up =
        if clock.startup() >= budget { ": its start-up used it up (`count-startup`)" } else { "" };
    let budget = format_clock_seconds(budget);
    Fault::new(FaultCode::Timeout, format!("nothing was left of its budget of {budget}{used_up}"))
}

/// Converts a rejected action to a fault.
fn refused_action_fault(refusal: Refusal, reply: &Reply, player: &mut Player) -> Fault {
    let text = reply.action.as_str();
    let shown = reply_error_excerpt(text.as_bytes());
    match refusal {
        Refusal::Malformed(expected) => {
            // A debug print comes before the reply.
            let hint = if fault_messages::looks_like_a_log(text) || player.wrote_more() {
                format!("; {}", fault_messages::DEBUG_OUTPUT)
            } else {
                String::new()
            };
            let what =
                if text.is_empty() { "an empty line".to_owned() } else { format!("\"{shown}\"") };
            let message = format!("{what} {}: {expected}{hint}", fault_messages::NOT_AN_ACTION);
            Fault { raw: Some(shown), ..Fault::new(FaultCode::Malformed, message) }
        }
        Refusal::Illegal { clause, reason } => {
            let reason = match (&reply.said, reason.strip_prefix(text)) {
                (Some(said), Some(wrong)) => format!("{said}, which{wrong}"),
                _ => reason,
            };
            Fault {
                clause: Some(clause.clone().into_owned()),
                raw: Some(shown),
                ..Fault::new(FaultCode::Illegal, format!("{clause}: {reason}"))
            }
        }
    }
}
