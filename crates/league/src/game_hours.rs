//! When games may begin, by `games-per-day` and `quiet`. Days and hours are those of the machine's
//! local time.

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};

use referee_record::model::league_settings::{LeagueGameBounds, LeagueQuietHours};
use referee_record::wording::pluralize;

/// The games of a day.
#[derive(Debug, Clone, Copy)]
pub struct GameHours {
    bounds: LeagueGameBounds,
    date: Date,
    /// How many games have begun on it.
    begun: usize,
}

impl GameHours {
    /// The day at this time, on which so many games have begun so far.
    pub fn new(bounds: LeagueGameBounds, now: &Zoned, begun: usize) -> Self {
        Self { bounds, date: now.date(), begun }
    }

    /// When this day began, in seconds since 1970.
    ///
    /// # Errors
    /// The time cannot be represented.
    pub fn midnight(now: &Zoned) -> Result<u64, jiff::Error> {
        Ok(u64::try_from(now.start_of_day()?.timestamp().as_second()).unwrap_or_default())
    }

    /// Counts a game that begins now.
    pub fn begin(&mut self, now: &Zoned) {
        self.begin_day(now);
        self.begun += 1;
    }

    /// Begins a new day, if it is one.
    pub fn begin_day(&mut self, now: &Zoned) {
        if self.date != now.date() {
            (self.date, self.begun) = (now.date(), 0);
        }
    }

    /// How many more games may begin, until the bounds change by themselves.
    pub fn may_begin(&self, now: &Zoned) -> usize {
        match self.bounds.per_day {
            _ if self.is_quiet(now) => 0,
            Some(most) => most.saturating_sub(self.begun),
            None => usize::MAX,
        }
    }

    /// What to say if no game may begin now: that, and until when, as a sentence without its full
    /// stop.
    ///
    /// # Errors
    /// The time at which games may begin again cannot be represented.
    pub fn closed(&self, now: &Zoned) -> Result<Option<String>, jiff::Error> {
        if self.may_begin(now) > 0 {
            return Ok(None);
        }
        let until = self.opens(now)?.strftime("%Y-%m-%d %H:%M %:z").to_string();
        Ok(Some(if self.is_quiet(now) {
            format!("no games begin until {until} (`quiet`)")
        } else {
            let begun = pluralize(self.begun, "game");
            format!("{begun} began today: no more until {until} (`games-per-day`)")
        }))
    }

    /// When games may begin again.
    fn opens(mut self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut at = now.clone();
        // A day has three changes, so this ends in the day after.
        while self.may_begin(&at) == 0 {
            at = self.next_change(&at)?;
            self.begin_day(&at);
        }
        Ok(at)
    }

    /// Whether no game begins at this time of day.
    fn is_quiet(&self, now: &Zoned) -> bool {
        let minute =
            u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
        self.bounds.quiet.is_some_and(|quiet| quiet.contains(minute))
    }

    /// When the bounds change next: at midnight, and where quiet hours begin and end.
    ///
    /// # Errors
    /// That time cannot be represented.
    pub fn next_change(&self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut next = now.tomorrow()?.start_of_day()?;
        let minutes = self.bounds.quiet.map(|LeagueQuietHours { from, to }| [from, to]);
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
    ) -> GameHours {
        let quiet = quiet.map(|(from, to)| LeagueQuietHours { from: from * 60, to: to * 60 });
        let bounds = LeagueGameBounds { per_day, quiet };
        GameHours::new(bounds, &at(now), begun)
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
    fn what_holds_games_up_is_said_with_its_end() {
        let mut day = day(Some(2), Some((22, 7)), ("2026-11-29T20:00:00", 1));
        let closed = |day: GameHours, now| day.closed(&at(now)).expect("a time");
        assert_eq!(closed(day, "2026-11-29T20:00:00"), None);
        day.begin(&at("2026-11-29T20:00:01"));
        let told = "2 games began today: no more until 2026-11-30 07:00 +11:00 \
                    (`games-per-day`)";
        assert_eq!(closed(day, "2026-11-29T20:00:01").as_deref(), Some(told));
        let told = "no games begin until 2026-11-30 07:00 +11:00 (`quiet`)";
        assert_eq!(closed(day, "2026-11-29T22:00:00").as_deref(), Some(told));
        day.begin_day(&at("2026-11-30T00:00:00"));
        assert_eq!(closed(day, "2026-11-30T00:00:00").as_deref(), Some(told));
        assert_eq!(closed(day, "2026-11-30T07:00:00"), None);
        assert_eq!(day.may_begin(&at("2026-11-30T07:00:00")), 2);
    }

    #[test]
    fn the_bounds_change_at_midnight_and_around_quiet_hours() {
        let night = day(None, Some((22, 7)), ("2026-11-29T20:00:00", 0));
        let mut now = at("2026-11-29T20:00:00");
        for next in ["2026-11-29T22:00:00", "2026-11-30T00:00:00", "2026-11-30T07:00:00"] {
            now = night.next_change(&now).expect("a time");
            assert_eq!(now, at(next));
        }
        // An hour is skipped in the night in which summer begins.
        let quiet = Some(LeagueQuietHours { from: 90, to: 150 });
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a time zone");
        let spring = jiff::civil::date(2026, 3, 29).at(1, 45, 0, 0).to_zoned(zone);
        let spring = spring.expect("a time");
        let hours = GameHours::new(LeagueGameBounds { per_day: None, quiet }, &spring, 0);
        let next = hours.next_change(&spring).expect("a time");
        assert_eq!(next.datetime().to_string(), "2026-03-29T03:30:00");
        assert!(!hours.is_quiet(&next));
    }
}
