//! What the organiser of a league settles: where authors hand in, and the bounds on what they send.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::wording::pluralize;

/// The settings of a league.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeagueSettings {
    /// The folder that authors hand in to, as an absolute path: a folder for each author.
    pub hand_in: PathBuf,
    /// The folder that keeps what was entered, as an absolute path: a folder for each author, and
    /// in it one for each version.
    pub entrants: PathBuf,
    /// The name of the league that it continues under other rules, with its authors and their
    /// versions. The results of both are in folders side by side.
    pub continues: Option<String>,
    /// Whether authors see each other by pseudonyms only.
    pub pseudonyms: bool,
    /// The most bytes of one submission, packed or unpacked.
    pub largest: u64,
    /// The most bytes of all that is kept for an author.
    pub disk: u64,
    /// The least time between two submissions of an author.
    pub every: Duration,
    /// When games may begin.
    pub bounds: LeagueGameBounds,
}

impl LeagueSettings {
    /// The default of [`largest`](Self::largest).
    pub const LARGEST: u64 = 64 << 20;
    /// The default of [`disk`](Self::disk).
    pub const DISK: u64 = 512 << 20;
    /// The default of [`every`](Self::every).
    pub const EVERY: Duration = Duration::from_secs(60);
}

/// When games of a league may begin. Days and hours are those of the machine's local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeagueGameBounds {
    /// The most games that begin in a day.
    pub per_day: Option<usize>,
    /// When no game begins.
    pub quiet: Option<LeagueQuietHours>,
}

/// A part of each day, which may go on over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeagueQuietHours {
    /// Its first minute of the day.
    pub from: u16,
    /// The first minute after it, another one.
    pub to: u16,
}

impl LeagueQuietHours {
    /// The minutes of a day.
    pub const DAY: u16 = 24 * 60;

    /// Whether this minute of the day is in it.
    pub fn contains(self, minute: u16) -> bool {
        let Self { from, to } = self;
        if from < to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    }

    /// How many minutes it has.
    pub fn minutes(self) -> u16 {
        (self.to + Self::DAY - self.from) % Self::DAY
    }
}

impl LeagueGameBounds {
    /// Whether games may begin at any time.
    pub fn are_none(self) -> bool {
        self == Self::default()
    }
}

impl fmt::Display for LeagueGameBounds {
    /// A sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        let hours = self.quiet.map(|LeagueQuietHours { from, to }| {
            format!("from {} to {} (local time)", time(from), time(to))
        });
        match (self.per_day.map(|most| pluralize(most, "game")), hours) {
            (None, None) => write!(f, "games begin at any time"),
            (Some(most), None) => write!(f, "at most {most} a day"),
            (None, Some(hours)) => write!(f, "no games begin {hours}"),
            (Some(most), Some(hours)) => write!(f, "at most {most} a day, and none begin {hours}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_go_on_over_midnight() {
        let (night, noon) = (
            LeagueQuietHours { from: 22 * 60, to: 7 * 60 },
            LeagueQuietHours { from: 720, to: 780 },
        );
        for (minute, is_night, is_noon) in [
            (0, true, false),
            (7 * 60 - 1, true, false),
            (7 * 60, false, false),
            (720, false, true),
            (779, false, true),
            (780, false, false),
            (22 * 60 - 1, false, false),
            (22 * 60, true, false),
        ] {
            assert_eq!(
                (night.contains(minute), noon.contains(minute)),
                (is_night, is_noon),
                "{minute}"
            );
        }
        assert_eq!((night.minutes(), noon.minutes()), (9 * 60, 60));
        let bounds = LeagueGameBounds { per_day: Some(200), quiet: Some(night) };
        let told = "at most 200 games a day, and none begin from 22:00 to 07:00 (local time)";
        assert_eq!(bounds.to_string(), told);
    }
}
