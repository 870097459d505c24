//! Two players on one core: only the one on turn runs, and time taken by the other is refunded.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::model::clock::{Measure, TimeControl};
use crate::player::Player;

/// How long the opponent may keep running after a turn has begun. A normal player is asleep by
/// then; freezing it earlier would cost short turns more than it saves.
const GRACE: Duration = Duration::from_millis(2);
/// An opponent has disturbed a turn if it used at least one part in this many of it.
const DISTURBING_PART: u32 = 50;

/// Waits for a player on its turn. Unless pondering is allowed, freezes the opponent once the turn
/// is longer than two milliseconds.
pub(super) async fn undisturbed<T>(
    turn: impl Future<Output = T>,
    opponent: &mut Player,
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
    opponent.freeze();
    turn.await
}

/// The opponent's CPU time on a seat's turns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stolen {
    last: Taken,
    all: Taken,
}

/// The opponent's CPU time, and the seat's time in which it was used.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    cpu: Duration,
    of: Duration,
}

impl Taken {
    fn disturbs(self) -> bool {
        !self.cpu.is_zero() && self.cpu * DISTURBING_PART >= self.of
    }
}

impl Stolen {
    /// Adds a turn of this length, in which the opponent used this much CPU time.
    pub(super) fn note(&mut self, cpu: Duration, of: Duration) {
        self.last = Taken { cpu, of };
        self.all = Taken { cpu: self.all.cpu + cpu, of: self.all.of + of };
    }

    /// The time charged for the last turn: without the time that the opponent took of the core. CPU
    /// time needs no such correction, and neither do players on separate cores.
    pub(super) fn charged(&self, control: &TimeControl) -> Duration {
        let Taken { cpu, of } = self.last;
        match control.measure {
            Measure::Wall if !control.ponder => of.saturating_sub(cpu),
            Measure::Wall | Measure::Cpu => of,
        }
    }

    /// Whether the opponent used 2% or more of the last turn, or of all turns together. If so, it
    /// may have caused a loss on time.
    pub(super) fn disturbs(&self) -> bool {
        self.last.disturbs() || self.all.disturbs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn control(measure: Measure, ponder: bool) -> TimeControl {
        TimeControl { measure, ponder, ..TimeControl::unlimited(MS) }
    }

    fn stolen(turns: &[(u32, u32)]) -> Stolen {
        let mut stolen = Stolen::default();
        for &(cpu, of) in turns {
            stolen.note(cpu * MS, of * MS);
        }
        stolen
    }

    #[test]
    fn time_stolen_by_the_opponent_is_not_charged() {
        let taken = stolen(&[(7, 30)]);
        assert_eq!(taken.charged(&control(Measure::Wall, false)), 23 * MS);
        assert_eq!(taken.charged(&control(Measure::Wall, true)), 30 * MS, "a core each");
        assert_eq!(taken.charged(&control(Measure::Cpu, false)), 30 * MS, "its own CPU time");
        let more = stolen(&[(40, 30)]);
        assert_eq!(more.charged(&control(Measure::Wall, false)), Duration::ZERO);
    }

    #[test]
    fn two_percent_of_a_turn_or_of_all_turns_is_a_disturbance() {
        assert!(!stolen(&[]).disturbs() && !stolen(&[(0, 0)]).disturbs());
        assert!(!stolen(&[(1, 51)]).disturbs() && stolen(&[(1, 50)]).disturbs());
        assert!(stolen(&[(2, 50), (0, 50)]).disturbs(), "an earlier turn counts");
        assert!(!stolen(&[(2, 50), (0, 51)]).disturbs());
    }
}
