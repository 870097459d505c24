//! The players of a game on one core: only the one on turn runs, and time taken by the others is
//! refunded.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::player::{Player, TurnTime};
use referee_games::{BySeat, Seat};
use referee_record::model::clock::{Measure, OVERTIME, TimeControl};

/// How long the others may keep running after a turn has begun. A normal player is asleep by
/// then; freezing it earlier would cost short turns more than it saves.
const GRACE: Duration = Duration::from_millis(2);

/// The player at `seat`, and the others, who share its core.
pub(super) fn split_player_from_others(
    players: &mut BySeat<Player>,
    seat: Seat,
) -> (&mut Player, Others<'_>) {
    let (before, rest) = players.values_mut().split_at_mut(seat.index());
    let (player, after) = rest.split_first_mut().expect("a player at every seat");
    (player, Others { before, after })
}

/// The players of a game but one.
pub(super) struct Others<'p> {
    before: &'p mut [Player],
    after: &'p mut [Player],
}

/// Waits for a player on its turn. Unless pondering is allowed, freezes the others once the turn is
/// longer than two milliseconds.
pub(super) async fn await_with_others_frozen<T>(
    turn: impl Future<Output = T>,
    others: Others<'_>,
    control: &TimeControl,
) -> T {
    if control.ponder {
        return turn.await;
    }
    let end_of_grace = Instant::now() + GRACE;
    let mut turn = pin!(turn);
    // Most turns of fast players end here, without a timer.
    if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(turn.as_mut().poll(context))).await {
        return done;
    }
    if let Ok(done) = timeout_at(end_of_grace, &mut turn).await {
        return done;
    }
    for other in others.before.iter_mut().chain(others.after) {
        other.freeze();
    }
    turn.await
}

/// The CPU time that the others used during a turn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SharedCoreCpu(pub(super) Duration);

impl SharedCoreCpu {
    /// The time charged for a turn: without the time that the others took of the core. A player
    /// that waits for them also waits for a core, so what is excused for that is not refunded again.
    /// It is charged at least what it computed: the others may have computed on another core, and
    /// must not be able to give time away. CPU time needs no such correction, and
    /// neither do players on separate cores.
    pub(super) fn refunded(self, time: TurnTime, control: &TimeControl) -> Duration {
        let TurnTime { charged, excused, cpu } = time;
        if self.0.is_zero() || !takes_time(control) {
            return charged;
        }
        let taken = self.0.saturating_sub(excused);
        charged.saturating_sub(taken).max(cpu.min(charged))
    }

    /// Whether the others may have caused that no reply came in time, [`OVERTIME`] included: only
    /// if they took at least that. If they took less, more was missing than they took.
    pub(super) fn may_have_cost_the_reply(self, control: &TimeControl) -> bool {
        takes_time(control) && self.0 >= OVERTIME
    }
}

/// Whether CPU time of the others is missing in the time that is limited.
fn takes_time(control: &TimeControl) -> bool {
    control.measure == Measure::Wall && !control.ponder
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn control(measure: Measure, ponder: bool) -> TimeControl {
        TimeControl { measure, ponder, ..TimeControl::unlimited(MS) }
    }

    #[test]
    fn time_taken_by_the_opponent_is_refunded() {
        let taken = SharedCoreCpu(7 * MS);
        let charged =
            |millis: u32, control| taken.refunded(TurnTime::from_charged(millis * MS), &control);
        assert_eq!(charged(30, control(Measure::Wall, false)), 23 * MS);
        assert_eq!(charged(30, control(Measure::Wall, true)), 30 * MS, "a core each");
        assert_eq!(charged(30, control(Measure::Cpu, false)), 30 * MS, "its own time");
        assert_eq!(charged(5, control(Measure::Wall, false)), Duration::ZERO);
    }

    #[test]
    fn an_opponent_cannot_give_time_away() {
        let taken = SharedCoreCpu(45 * MS);
        let charged = |charged: u32, excused: u32, cpu: u32| {
            let time = TurnTime { charged: charged * MS, excused: excused * MS, cpu: cpu * MS };
            taken.refunded(time, &control(Measure::Wall, false))
        };
        // It computed for 100 ms of 145, and waited for the opponent in the rest.
        assert_eq!(charged(145, 0, 100), 100 * MS);
        assert_eq!(charged(100, 45, 100), 100 * MS, "already excused");
        assert_eq!(charged(105, 40, 100), 100 * MS, "excused in part");
        assert_eq!(charged(100, 0, 100), 100 * MS, "the opponent used another core");
        assert_eq!(charged(100, 0, 130), 100 * MS, "with several threads");
    }

    #[test]
    fn an_opponent_that_took_less_than_the_overtime_cost_no_reply() {
        let wall = control(Measure::Wall, false);
        assert!(!SharedCoreCpu(4 * MS).may_have_cost_the_reply(&wall));
        assert!(SharedCoreCpu(OVERTIME).may_have_cost_the_reply(&wall));
        assert!(!SharedCoreCpu(OVERTIME).may_have_cost_the_reply(&control(Measure::Cpu, false)));
        assert!(!SharedCoreCpu(OVERTIME).may_have_cost_the_reply(&control(Measure::Wall, true)));
    }
}
