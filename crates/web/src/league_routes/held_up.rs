//! What holds up the games of a league that is open.

use jiff::Zoned;

use super::entrance::Entrance;
use crate::live_tournament::LivePage;
use referee_league::game_hours::GameHours;
use referee_report::page::league_pages::IDLE;

/// Why no games are being played now, in sentences; empty if nothing holds them up.
pub(super) fn held_up(entrance: &Entrance, live: &LivePage) -> String {
    held_up_by_hours(entrance, live, &Zoned::now())
        .or_else(|| live.is_idle.then(|| IDLE.to_owned()))
        .unwrap_or_default()
}

/// The same where only the hours of games matter. The games in play are not counted, nor any
/// under pseudonyms, whose times the page does not know.
fn held_up_by_hours(entrance: &Entrance, live: &LivePage, now: &Zoned) -> Option<String> {
    // With a clock that cannot be reckoned with, the run says so.
    let midnight = GameHours::midnight(now).ok()?;
    let begun = live.games.iter().rev().filter(|game| game.began >= midnight).count();
    format_held_up_sentence(&GameHours::new(entrance.league.settings.bounds, now, begun), now)
}

/// What the run prints, without the name of the setting.
fn format_held_up_sentence(hours: &GameHours, now: &Zoned) -> Option<String> {
    let closed = hours.closed(now).ok()??;
    let (why, _setting) = closed.rsplit_once(" (").unwrap_or((&closed, ""));
    let mut letters = why.chars();
    let first = letters.next()?.to_uppercase();
    Some(format!("{first}{}.", letters.as_str()))
}

#[cfg(test)]
mod tests {
    use referee_record::model::league_settings::{LeagueGameBounds, LeagueQuietHours};

    use super::*;

    #[test]
    fn quiet_hours_and_the_games_of_a_day_hold_games_up() {
        let now: Zoned = "2026-11-29T23:00:00+11:00[+11:00]".parse().expect("a time");
        let quiet = Some(LeagueQuietHours { from: 22 * 60, to: 7 * 60 });
        let said =
            |bounds, begun| format_held_up_sentence(&GameHours::new(bounds, &now, begun), &now);
        let of_day = LeagueGameBounds { per_day: Some(2), quiet: None };
        assert_eq!(said(of_day, 1), None);
        let told = "2 games began today: no more until 2026-11-30 00:00 +11:00.";
        assert_eq!(said(of_day, 2).as_deref(), Some(told));
        let told = "No games begin until 2026-11-30 07:00 +11:00.";
        assert_eq!(said(LeagueGameBounds { per_day: None, quiet }, 0).as_deref(), Some(told));
    }
}
