//! `games-per-day` and `quiet`: tells the run of a league how many games may begin, and tells it
//! again whenever that changes. The run itself knows no clock.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use tokio::sync::mpsc;

use crate::commands::Failure;
use referee_record::log::WriteError;
use referee_record::model::league::{GameBounds, QuietHours};
use referee_record::wording::counted;
use referee_tournament::folder;
use referee_tournament::run::deadline::EndTime;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::run::instruction::Instruction;
use referee_tournament::schedule::state::TournamentState;

/// Tells a run how many games may begin. It counts those that do.
#[derive(Debug, Clone)]
pub(super) struct OpeningHours {
    today: Arc<Mutex<Today>>,
    tell: mpsc::UnboundedSender<Instruction>,
}

impl OpeningHours {
    /// Begins to tell a run with these `bounds`, whose results are in `dir`.
    pub(super) fn begin(
        bounds: GameBounds,
        dir: &Path,
        tell: mpsc::UnboundedSender<Instruction>,
    ) -> Result<Self, Failure> {
        let now = Zoned::now();
        let mut today = Today { bounds, date: now.date(), begun: 0, told: None };
        if bounds.per_day.is_some() {
            let midnight = now.start_of_day().map_err(|error| no_time(&error))?;
            let since = u64::try_from(midnight.timestamp().as_second()).unwrap_or_default();
            today.begun = folder::begun_since(dir, since)?;
        }
        let hours = Self { today: Arc::new(Mutex::new(today)), tell };
        if bounds.are_none() {
            return Ok(hours);
        }
        let next = hours.tell_now(&now).map_err(|error| no_time(&error))?;
        tokio::spawn(hours.clone().keep_telling(next));
        Ok(hours)
    }

    async fn keep_telling(self, mut next: Zoned) {
        loop {
            EndTime::At(SystemTime::from(next.timestamp())).comes().await;
            match self.tell_now(&Zoned::now()) {
                Ok(then) => next = then,
                Err(error) => {
                    let warning = format!("`quiet` and `games-per-day` no longer apply: {error}");
                    // A run that is over needs no warning.
                    let _ = self.tell.send(Instruction::Warning(warning));
                    return;
                }
            }
        }
    }

    fn today(&self) -> MutexGuard<'_, Today> {
        self.today.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how many games may begin, and returns when that changes by itself.
    fn tell_now(&self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut today = self.today();
        today.is_now(now);
        let most = Instruction::BeginAtMost(today.may_begin(now));
        for instruction in today.notice(now)?.map(Instruction::Notice).into_iter().chain([most]) {
            // A run that is over needs no instruction.
            let _ = self.tell.send(instruction);
        }
        // The clock may be set, and at the end of summer an hour comes twice.
        Ok(today.bounds.next_change(now)?.min(now.checked_add(1.hour())?))
    }
}

impl Listener for OpeningHours {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        let RunEvent::GameBegun { .. } = event else { return Ok(()) };
        let (now, mut today) = (Zoned::now(), self.today());
        today.is_now(&now);
        today.begun += 1;
        // Without a time to name, the timer says what is wrong.
        if today.bounds.per_day == Some(today.begun)
            && let Ok(Some(notice)) = today.notice(&now)
        {
            // A run that is over needs no notice.
            let _ = self.tell.send(Instruction::Notice(notice));
        }
        Ok(())
    }
}

/// A time that cannot be reckoned with: the machine's clock or time zone is wrong.
fn no_time(error: &jiff::Error) -> Failure {
    Failure::system(format!("`quiet` and `games-per-day` need the local time: {error}"))
}

/// The games of a day.
#[derive(Debug)]
struct Today {
    bounds: GameBounds,
    date: Date,
    /// How many games have begun on it.
    begun: usize,
    /// What was last said.
    told: Option<String>,
}

impl Today {
    /// Begins a new day, if it is one.
    fn is_now(&mut self, now: &Zoned) {
        if self.date != now.date() {
            (self.date, self.begun) = (now.date(), 0);
        }
    }

    /// How many more games may begin, until the bounds change by themselves.
    fn may_begin(&self, now: &Zoned) -> usize {
        match self.bounds.per_day {
            _ if self.bounds.is_quiet(now) => 0,
            Some(most) => most.saturating_sub(self.begun),
            None => usize::MAX,
        }
    }

    /// What is to be said, if no game may begin now: that, and until when. Once only.
    fn notice(&mut self, now: &Zoned) -> Result<Option<String>, jiff::Error> {
        let told = if self.may_begin(now) > 0 {
            None
        } else {
            let until = self.opens(now)?.strftime("%Y-%m-%d %H:%M %:z").to_string();
            Some(if self.bounds.is_quiet(now) {
                format!("no games begin until {until} (`quiet`)")
            } else {
                let begun = counted(self.begun, "game");
                format!("{begun} began today: no more until {until} (`games-per-day`)")
            })
        };
        let is_news = told != self.told;
        self.told.clone_from(&told);
        Ok(told.filter(|_| is_news))
    }

    /// When games may begin again.
    fn opens(&self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut then = Self { told: None, ..*self };
        let mut at = now.clone();
        // A day has three changes, so this ends in the day after.
        while then.may_begin(&at) == 0 {
            at = then.bounds.next_change(&at)?;
            then.is_now(&at);
        }
        Ok(at)
    }
}

/// [`GameBounds`] at a time.
trait AtTime {
    /// Whether no game begins at this time of day.
    fn is_quiet(&self, now: &Zoned) -> bool;

    /// When the bounds change next: at midnight, and where quiet hours begin and end.
    fn next_change(&self, now: &Zoned) -> Result<Zoned, jiff::Error>;
}

impl AtTime for GameBounds {
    fn is_quiet(&self, now: &Zoned) -> bool {
        let minute =
            u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
        self.quiet.is_some_and(|quiet| quiet.contains(minute))
    }

    fn next_change(&self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut next = now.tomorrow()?.start_of_day()?;
        let minutes = self.quiet.map(|QuietHours { from, to }| [from, to]);
        for minute in minutes.into_iter().flatten() {
            for date in [now.date(), now.date().tomorrow()?] {
                let at = date.at(0, 0, 0, 0).checked_add(i64::from(minute).minutes())?;
                let at = at.to_zoned(now.time_zone().clone())?;
                if at > *now && at < next {
                    next = at;
                }
            }
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn at(text: &str) -> Zoned {
        format!("{text}+11:00[+11:00]").parse().expect("a time")
    }

    /// A day on which this many games have begun.
    fn day(
        per_day: Option<usize>,
        quiet: Option<(u16, u16)>,
        (now, begun): (&str, usize),
    ) -> Today {
        let quiet = quiet.map(|(from, to)| QuietHours { from: from * 60, to: to * 60 });
        let bounds = GameBounds { per_day, quiet };
        Today { bounds, date: at(now).date(), begun, told: None }
    }

    #[test]
    fn games_wait_for_the_end_of_quiet_hours_and_of_the_day() {
        let night = Some((22, 7));
        for (per_day, quiet, now, begun, may, opens) in [
            (None, night, "2026-11-29T21:59:59", 0, usize::MAX, "2026-11-29T21:59:59"),
            (None, night, "2026-11-29T22:00:00", 0, 0, "2026-11-30T07:00:00"),
            (None, night, "2026-11-30T06:59:59", 0, 0, "2026-11-30T07:00:00"),
            (None, night, "2026-11-30T07:00:00", 0, usize::MAX, "2026-11-30T07:00:00"),
            (None, Some((12, 13)), "2026-11-30T12:30:00", 0, 0, "2026-11-30T13:00:00"),
            (Some(9), None, "2026-11-29T00:00:00", 4, 5, "2026-11-29T00:00:00"),
            (Some(9), None, "2026-11-29T10:00:00", 9, 0, "2026-11-30T00:00:00"),
            // Midnight is in the quiet hours.
            (Some(9), night, "2026-11-29T21:00:00", 12, 0, "2026-11-30T07:00:00"),
            // The quiet hours end, but the day has had its games.
            (Some(9), Some((12, 13)), "2026-11-29T12:00:00", 9, 0, "2026-11-30T00:00:00"),
        ] {
            let day = day(per_day, quiet, (now, begun));
            assert_eq!(day.may_begin(&at(now)), may, "{now}");
            assert_eq!(day.opens(&at(now)).expect("a time"), at(opens), "{now}");
        }
    }

    #[test]
    fn what_holds_games_up_is_said_once() {
        let mut day = day(Some(2), Some((22, 7)), ("2026-11-29T20:00:00", 1));
        let notice = |day: &mut Today, now| day.notice(&at(now)).expect("a time");
        assert_eq!(notice(&mut day, "2026-11-29T20:00:00"), None);
        day.begun += 1;
        let told = "2 games began today: no more until 2026-11-30 07:00 +11:00 \
                    (`games-per-day`)";
        assert_eq!(notice(&mut day, "2026-11-29T20:00:01").as_deref(), Some(told));
        assert_eq!(notice(&mut day, "2026-11-29T20:00:02"), None);
        let told = "no games begin until 2026-11-30 07:00 +11:00 (`quiet`)";
        assert_eq!(notice(&mut day, "2026-11-29T22:00:00").as_deref(), Some(told));
        day.is_now(&at("2026-11-30T00:00:00"));
        assert_eq!((day.begun, notice(&mut day, "2026-11-30T00:00:00")), (0, None));
        assert_eq!(notice(&mut day, "2026-11-30T07:00:00"), None);
        assert_eq!(day.may_begin(&at("2026-11-30T07:00:00")), 2);
    }

    #[test]
    fn the_bounds_change_at_midnight_and_around_quiet_hours() {
        let bounds = day(None, Some((22, 7)), ("2026-11-29T20:00:00", 0)).bounds;
        let mut now = at("2026-11-29T20:00:00");
        for next in ["2026-11-29T22:00:00", "2026-11-30T00:00:00", "2026-11-30T07:00:00"] {
            now = bounds.next_change(&now).expect("a time");
            assert_eq!(now, at(next));
        }
        // An hour is skipped in the night in which summer begins.
        let quiet = Some(QuietHours { from: 90, to: 150 });
        let bounds = GameBounds { per_day: None, quiet };
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a time zone");
        let spring = jiff::civil::date(2026, 3, 29).at(1, 45, 0, 0).to_zoned(zone);
        let next = bounds.next_change(&spring.expect("a time")).expect("a time");
        assert_eq!(next.datetime().to_string(), "2026-03-29T03:30:00");
        assert!(!bounds.is_quiet(&next));
    }
}
