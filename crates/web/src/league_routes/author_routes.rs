//! The page of an author: handing in, the report on it, and the versions.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::watch;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use super::challenge_routes::build_challenge_section;
use super::entrance::{AuthorVisit, Entrance, entrance_page_with_forms};
use super::held_up::held_up;
use super::own_games::{OwnGame, OwnGames};
use super::turned_games::begin_turned_games_search;
use crate::WebError;
use crate::live_tournament::{LivePage, latest_live_page, watch_files};
use crate::shared_copy::Freshness;
use referee_league::author_folder::AuthorFolder;
use referee_league::check_queue::CheckQueue;
use referee_league::control::LeagueControl;
use referee_league::hand_in_history::{PastOutcome, read_hand_in_history};
use referee_league::invitations::InvitedVisitor;
use referee_league::version::league_version_dir;
use referee_league::{REPORT_FILE, entered_name_in_report};
use referee_protocol::escape::escape_lines;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::wording::pluralize;
use referee_report::page::PlayedGame;
use referee_report::page::league_pages::{AuthorPage, AuthorVersion, GameFilter, ListedHandIn};
use referee_sandbox::resource_limits;
use referee_tournament::folder::is_folder_in_use;

/// The most bytes of a report that are shown.
const LONGEST_REPORT: u64 = 64 << 10;
/// The shortest time between two events.
const PAUSE: Duration = Duration::from_millis(200);
/// The most submissions of the past that are listed.
const MOST_HAND_INS: usize = 100;
/// The most names of files that are listed.
const MOST_LISTED: usize = 10;

/// Shows an author what there is.
pub(super) async fn serve_author_page(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    RawQuery(query): RawQuery,
) -> Response {
    let filter = match query.as_deref() {
        Some("games=lost") => GameFilter::Lost,
        _ => GameFilter::All,
    };
    match render_author_page(&entrance, &visit, filter).await {
        Ok(html) => entrance_page_with_forms(html),
        Err(failure) => entrance.failure_response(&failure),
    }
}

async fn render_author_page(
    entrance: &Arc<Entrance>,
    visit: &AuthorVisit,
    filter: GameFilter,
) -> Result<String, WebError> {
    let control = entrance.control()?;
    let folder = AuthorFolder::open(&entrance.hand_in_folder(&visit.name)).ok();
    let report = folder.as_ref().map(read_author_report).unwrap_or_default();
    let mut live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    // Who reads that a version entered sees it in the table too.
    let is_there = |name: &str| live.entrants.iter().any(|player| player.name == name);
    if entered_name_in_report(&report).is_some_and(|name| !is_there(name)) {
        live = latest_live_page(&entrance.live, Freshness::Current).await?;
    }
    let is_removed = control.removed.contains(&visit.name);
    let held_up = held_up(entrance, &live);
    let notices = list_author_notices(entrance, &visit.name, &control, &held_up)?;
    let settings = &entrance.league.settings;
    let bounds = format!(
        "At most {}, and once every {}. A new hand-in replaces your previous one.",
        resource_limits::format_bytes(settings.largest),
        humantime::format_duration(settings.every)
    );
    let games = OwnGames::new(&live, &visit.name);
    let shown = games.last_games(filter);
    let lost: Vec<&PlayedGame> =
        shown.iter().filter(|own| own.was_lost_in_play()).map(|own| own.game).collect();
    let is_looking = begin_turned_games_search(entrance, &visit.name, &live, &lost);
    let listed_game = |own: &OwnGame<'_>| {
        let turned =
            own.was_lost_in_play().then(|| entrance.turned.find_worst_turn(own.game, own.seat));
        games.shown_game(own, turned.flatten())
    };
    let page = AuthorPage {
        league: &entrance.name,
        author: &visit.name,
        token: &visit.secret.form_token(),
        message: &control.message,
        notices: &notices.iter().map(|text| &**text).collect::<Vec<_>>(),
        bounds: (!control.closed && !is_removed).then_some(&bounds),
        handed_in: &folder.as_ref().map(list_author_files).unwrap_or_default(),
        report: &report,
        history: &list_author_hand_ins(entrance, &visit.name)?,
        versions: &list_author_versions(settings, &live, &visit.name),
        step: games.last_step(),
        ratings: &games.ratings(),
        games: &shown.iter().filter_map(listed_game).collect::<Vec<_>>(),
        filter,
        is_looking,
        challenges: build_challenge_section(entrance, &visit.name, &live, &control)?,
        opponents: &games.opponents(),
        standings: &live.tables.standings,
    };
    Ok(page.html())
}

/// What holds up the author's hand-ins and games, and when its next check is expected.
fn list_author_notices(
    entrance: &Entrance,
    author: &str,
    control: &LeagueControl,
    held_up: &str,
) -> Result<Vec<String>, WebError> {
    let is_removed = control.removed.contains(author);
    let is_running = is_folder_in_use(&entrance.league.dir);
    let notices = [
        (control.closed, "The league is closed."),
        (is_removed, "The organiser has removed you: your versions have stopped playing."),
        (control.paused, "All games are paused."),
        (!is_running, "No games are being played: your hand-ins wait until the league resumes."),
        (is_running && !control.paused && !control.closed && !held_up.is_empty(), held_up),
    ];
    let notices = notices.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text.to_owned());
    let queue = CheckQueue::read(&entrance.league.dir)?;
    let changed = fs::metadata(entrance.hand_in_folder(author)).map_or(0, |found| found.ctime());
    let before = queue.before(author, u64::try_from(changed).unwrap_or_default());
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
    let waits = before.map(|before| describe_author_wait(before, queue.wait(before, now)));
    let waits = waits.filter(|_| is_running && !control.closed && !is_removed);
    Ok(notices.chain(waits).collect())
}

/// The author's versions, the newest first.
fn list_author_versions<'a>(
    settings: &LeagueSettings,
    live: &'a LivePage,
    author: &str,
) -> Vec<AuthorVersion<'a>> {
    let own = live.entrants.iter().filter_map(|player| {
        let entry = player.entry.as_ref().filter(|entry| entry.author == author)?;
        Some((player, entry))
    });
    let mut versions: Vec<AuthorVersion<'_>> = own
        .map(|(player, entry)| AuthorVersion {
            number: entry.version,
            shown: live.tables.analysis.shown_name(&player.name),
            entered: format_author_date(entry.at),
            left: player.left.map(|leaving| leaving.why),
            out: live.outs.get(&player.name).copied(),
            is_kept: league_version_dir(settings, entry).is_dir(),
        })
        .collect();
    versions.sort_by_key(|version| std::cmp::Reverse(version.number));
    versions
}

/// When the check of a submission is expected, with `before` others ahead of it; `wait` is how long
/// that may take, if it is known.
fn describe_author_wait(before: usize, wait: Option<Duration>) -> String {
    let first = match before {
        ..=1 => "One hand-in is ahead of yours".to_owned(),
        _ => format!("{before} hand-ins are ahead of yours"),
    };
    match wait.map(|wait| wait.as_secs()) {
        Some(seconds) if seconds >= 60 => {
            format!("{first}: about {} to wait.", pluralize(seconds.div_ceil(60), "minute"))
        }
        Some(_) => format!("{first}: less than a minute to wait."),
        None => format!("{first}."),
    }
}

/// What an author handed in so far, the newest first.
fn list_author_hand_ins(entrance: &Entrance, author: &str) -> Result<Vec<ListedHandIn>, WebError> {
    let past = read_hand_in_history(&entrance.league.settings.entrants, author)?;
    let listed = past.into_iter().rev().take(MOST_HAND_INS).map(|one| ListedHandIn {
        when: format_author_date(one.at),
        files: one.files.join(", "),
        comment: one.comment,
        outcome: match one.outcome {
            PastOutcome::Entered { version } => Ok(version),
            PastOutcome::Refused { why } => Err(why),
        },
    });
    Ok(listed.collect())
}

/// A time for people: the machine's local time, as that of quiet hours, with its offset.
pub(super) fn format_author_date(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|at| Timestamp::from_second(at).ok());
    let local = at.map(|at| at.to_zoned(TimeZone::system()));
    local.map_or_else(String::new, |at| at.strftime("%Y-%m-%d %H:%M %:z").to_string())
}

/// What was handed in, for people.
fn list_author_files(folder: &AuthorFolder) -> Vec<String> {
    let mut names = folder.listed();
    let more = names.len().saturating_sub(MOST_LISTED);
    names.truncate(MOST_LISTED);
    let one = |(name, size): (String, Option<u64>)| match size {
        Some(size) => format!("{name} ({size} bytes)"),
        None => name,
    };
    let rest = (more > 0).then(|| format!("and {}", pluralize(more as u64, "more entry")));
    names.into_iter().map(one).chain(rest).collect()
}

/// What became of it, as the run wrote it; empty if it wrote nothing yet.
fn read_author_report(folder: &AuthorFolder) -> String {
    let bytes = folder.report(LONGEST_REPORT).unwrap_or_default();
    escape_lines(String::from_utf8_lossy(&bytes).trim_end())
}

/// Sends the report whenever it changes, as JSON, until the link ends.
pub(super) async fn report_events(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
) -> Response {
    let bounds = entrance.author_bounds(&visit.name);
    let own = Arc::clone(&bounds.following).try_acquire_owned();
    let shared = Arc::clone(&entrance.followers).try_acquire_owned();
    let (Ok(own), Ok(shared)) = (own, shared) else {
        let why = "too many pages are waiting for reports\n";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    let folder = entrance.hand_in_folder(&visit.name);
    let (counted, changed) = watch::channel(0_u64);
    let opened = AuthorFolder::make(&folder)
        .map_err(WebError::unwritable(&folder))
        .and_then(|held| Ok((held, watch_files(&folder, &[REPORT_FILE], counted)?)));
    let (held, watcher) = match opened {
        Ok(opened) => opened,
        Err(failure) => return entrance.failure_response(&failure),
    };
    let mut sent = None;
    let texts = WatchStream::new(changed).throttle(PAUSE).map_while(move |_| {
        let _held_as_long_as_the_stream = (&own, &shared, &watcher);
        let guest = entrance.find_guest(&visit.secret).ok().flatten();
        let is_invited = guest == Some(InvitedVisitor::Author(visit.name.clone()));
        is_invited.then(|| {
            let text = Some(read_author_report(&held));
            let is_news = text != sent;
            sent.clone_from(&text);
            text.filter(|_| is_news)
        })
    });
    let events = texts.filter_map(|text| {
        let json = serde_json::Value::from(text?).to_string();
        Some(Ok::<_, Infallible>(Event::default().data(json)))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_for_how_long() {
        for (before, seconds, told) in [
            (1, None, "One hand-in is ahead of yours."),
            (1, Some(20), "One hand-in is ahead of yours: less than a minute to wait."),
            (4, Some(160), "4 hand-ins are ahead of yours: about 3 minutes to wait."),
        ] {
            assert_eq!(describe_author_wait(before, seconds.map(Duration::from_secs)), told);
        }
    }
}
