//! `run --plan`: shows which games are due, and what to expect of the time available.

use std::path::Path;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount};

use super::super::until::Until;
use super::super::{Failure, Status};
use super::RunRequest;
use referee_protocol::escape::escape_line;
use referee_ratings::Estimate;
use referee_record::log::GameLine;
use referee_record::model::fixture::Fixture;
use referee_record::model::grades::RankMark;
use referee_record::model::league_settings::{LeagueGameBounds, LeagueQuietHours};
use referee_record::model::record::{Header, HeaderPlayer};
use referee_record::model::stage::describe_stages;
use referee_record::model::tournament::Tournament;
use referee_record::wording::pluralize;
use referee_report::StandingsRow;
use referee_report::graded_players::describe_unreached_grade_bands;
use referee_report::page::league_pages::IDLE;
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::{check_folder_usable, read_folder_log};
use referee_tournament::forecast::{Forecast, SCATTER, double_forecast_meetings};
use referee_tournament::run::describe_unplayed_for_budget;
use referee_tournament::run::resume::{self, Resumption, examine_resume};
use referee_tournament::schedule::tournament_state::TournamentState;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The most players and games of a tournament that is simulated: it takes about two seconds.
const MOST_SIMULATED: usize = 200;
const MOST_GAMES: usize = 5_000;

/// Says what a run would refuse or note before its first game. Then prints the games that are due,
/// and what to expect until its end time.
pub(super) fn print_run_plan(request: &RunRequest<'_>) -> Result<Status, Failure> {
    let RunRequest { tournament, settings, limits, until, printer, .. } = request;
    let dir = request.dir();
    check_folder_usable(&dir)?;
    let containment = settings.sandbox(None)?;
    printer.note(&containment.summary());
    let record = containment.record();
    let note = |text: &str| printer.note(text);
    let found = examine_resume(&dir, tournament, &record, request.replacements(), &note)?;
    let wanted = found.as_ref().map(|found| found.wanted.clone());
    let header = match wanted {
        Some(wanted) => wanted,
        None => resume::header_with_openings(tournament, &record, "", None, &note)?,
    };
    let games = match &found {
        Some(found) => PlannedGames::read(&dir, found)?,
        None => PlannedGames::all(&header),
    };
    let at_once = limits.at_once(games.state.count_due());
    limits.refuse_too_many(at_once, tournament.players.iter(), header.seats.len())?;
    let due = games.state.summary().due;
    for line in describe_run_plan(tournament, &header, &games) {
        printer.line(&line)?;
    }
    let each = games.time_per_game(limits.jobs);
    let pace = match each {
        Some(each) if header.is_league() => {
            games.describe_daily_load(each, planned_game_bounds(tournament))
        }
        Some(each) if due > 0 => {
            let left = each.saturating_mul(u32::try_from(due).unwrap_or(u32::MAX));
            let (left, jobs) = (indicatif::HumanDuration(left), limits.jobs);
            format!("about {left} left, estimated from the log, {jobs} games at a time")
        }
        _ if games.kept == 0 && until.is_none() => "no estimate before the first game".to_owned(),
        _ => String::new(),
    };
    if !pace.is_empty() {
        printer.line(&pace)?;
    }
    if let Some(until) = until {
        printer.line(&match each {
            Some(each) => describe_plan_outlook(
                until,
                each,
                due,
                &TournamentTables::read(&dir, Faulted::Count)?,
            ),
            None => describe_unknown_plan(until),
        })?;
    }
    Ok(Status::Done)
}

/// The tournament, its games, and what to expect of them, in lines.
fn describe_run_plan(
    tournament: &Tournament,
    header: &Header,
    games: &PlannedGames,
) -> Vec<String> {
    let (state, configured) = (&games.state, tournament.players.len());
    let summary = state.summary();
    let mut lines = vec![format!(
        "{}: {}, {} players, {}",
        tournament.name,
        tournament.game.name(),
        if header.is_league() { count_planned_players(state) } else { configured },
        describe_stages(&tournament.stages, configured, header.seats.len()),
    )];
    let openings = header.describe_openings(header.most_pairs());
    lines.extend(openings.map(|openings| format!("openings: {}", escape_line(&openings))));
    lines.push(summary.to_string());
    let forecast =
        if games.kept == 0 { forecast_run_plan(tournament, header, summary.due) } else { None };
    let bands = describe_unreached_in_plan(
        tournament,
        header,
        forecast.as_ref().map(|(forecast, _)| forecast),
    );
    lines.extend(forecast.map(|(_, text)| text));
    lines.extend(bands);
    lines.extend(describe_unplayed_for_budget(state));
    lines.extend(
        Some(planned_game_bounds(tournament)).filter(|it| !it.are_none()).map(|it| it.to_string()),
    );
    if state.is_league_idle() {
        lines.push(IDLE.to_owned());
    }
    lines
}

/// When games of a league may begin.
fn planned_game_bounds(tournament: &Tournament) -> LeagueGameBounds {
    tournament.league.as_ref().map_or(LeagueGameBounds::default(), |league| league.bounds)
}

/// How many players take part in a league now.
fn count_planned_players(state: &TournamentState) -> usize {
    (0..state.header().players.len()).filter(|&player| state.is_taking_part(player)).count()
}

/// Says which bands of the grades nobody is expected to reach.
fn describe_unreached_in_plan(
    tournament: &Tournament,
    header: &Header,
    forecast: Option<&Forecast>,
) -> Vec<String> {
    let Some(grades) = &tournament.grades else { return Vec::new() };
    let players = header.players.iter().filter(|it| grades.takes_rank(&it.name)).count();
    describe_unreached_grade_bands(grades, |first: u32, line: RankMark| match forecast {
        Some(forecast) => forecast.reached.contains(&line.rank),
        None => first as usize <= players,
    })
}

/// The games of a tournament as a run would begin.
struct PlannedGames {
    /// Which games are done.
    state: TournamentState,
    /// The number of games that stay in the log.
    kept: u64,
    /// The time that they took, in nanoseconds.
    used: u64,
    /// The size of the log.
    bytes: u64,
}

impl PlannedGames {
    /// All games of a tournament that has no log yet.
    fn all(header: &Header) -> Self {
        Self { state: TournamentState::new(header), kept: 0, used: 0, bytes: 0 }
    }

    /// The games of the log in `dir`, without those of replaced players.
    fn read(dir: &Path, found: &Resumption) -> Result<Self, Failure> {
        // The players of a league come and go in its log, and none is replaced.
        let is_league = found.wanted.is_league();
        let mut state = if is_league {
            found.contents.state.clone()
        } else {
            TournamentState::new(&found.wanted)
        };
        // A replaced player has no number: its games are played again.
        let number = |player: &HeaderPlayer| {
            state.player_number(&player.name).filter(|_| !found.replaced.contains(&player.name))
        };
        let numbers: Vec<_> = found.contents.header.players.iter().map(number).collect();
        let (mut kept, mut used) = (0, 0_u64);
        read_folder_log(dir, |_, game| {
            let mut is_planned = || {
                let mut game = game.clone();
                game.fixture = fixture_in_run_plan(&game, &numbers)?;
                state.add_line(&game).ok()
            };
            if is_league || is_planned().is_some() {
                kept += 1;
                used = used.saturating_add(game.wall_ns);
            }
        })?;
        let bytes = found.contents.whole;
        Ok(Self { state, kept, used, bytes })
    }

    /// The time from one game to the next, with so many at once; `None` before the first one.
    fn time_per_game(&self, jobs: usize) -> Option<Duration> {
        let each = self.used.checked_div(self.kept)? / jobs as u64;
        Some(Duration::from_nanos(each)).filter(|each| !each.is_zero())
    }

    /// What a league with these bounds plays and writes in a day, a game in the time `each`.
    fn describe_daily_load(&self, each: Duration, bounds: LeagueGameBounds) -> String {
        let quiet = bounds.quiet.map_or(0, LeagueQuietHours::minutes);
        let open = DAY.saturating_sub(Duration::from_secs(60 * u64::from(quiet)));
        let games = u64::try_from(open.as_nanos() / each.as_nanos().max(1)).unwrap_or(u64::MAX);
        let games = bounds.per_day.map_or(games, |most| games.min(most as u64));
        let log = games.saturating_mul(self.bytes / self.kept.max(1));
        format!(
            "at the pace so far, about {} games and {} of log a day",
            HumanCount(games),
            HumanBytes(log)
        )
    }
}

/// The game of a log with the players' numbers in the plan, by their numbers in the log.
fn fixture_in_run_plan(game: &GameLine, numbers: &[Option<usize>]) -> Option<Fixture> {
    let players = game.fixture.players.players().map(|player| numbers[player]);
    Some(Fixture { players: players.collect::<Option<_>>()?, ..game.fixture })
}

/// What to expect of the ranking, from simulated tournaments, and its description. None if there
/// are too few players to rank, or too many or too many games to simulate.
fn forecast_run_plan(
    tournament: &Tournament,
    header: &Header,
    due: usize,
) -> Option<(Forecast, String)> {
    if !(3..=MOST_SIMULATED).contains(&header.players.len()) || due > MOST_GAMES {
        return None;
    }
    let grades = tournament.grades.clone().unwrap_or_default();
    let tournaments = (MOST_GAMES / due.max(1)).clamp(1, 20) as u64;
    let forecast = |header: &Header| Forecast::new(header, &grades, None, tournaments);
    let expected = forecast(header)?;
    let width = expected.width.round();
    let more = double_forecast_meetings(header).filter(|_| 2 * due <= MOST_GAMES).and_then(
        |(header, change)| {
            let less = forecast(&header)?.width.round();
            (less < width).then(|| format!("; {change} would make them about {less} wide"))
        },
    );
    let (ranks, more) = (pluralize(width, "rank"), more.unwrap_or_default());
    let said = format!("rank intervals are about {ranks} wide{more}");
    Some((expected, format!("if strengths scatter by {SCATTER} Elo, {said}")))
}

fn describe_unknown_plan(until: &Until) -> String {
    format!(
        "until {}: the number of games can be estimated once there are games in the log",
        until.text
    )
}

/// Describes what fits into the time left if one game takes `each` and `due` games are missing.
fn describe_plan_outlook(
    until: &Until,
    each: Duration,
    due: usize,
    tables: &TournamentTables,
) -> String {
    let games = until.left.as_secs_f64() / each.as_secs_f64();
    let share = match due {
        0 => "all of them further games".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "counts of games")]
        due if games < due as f64 => format!("of the {due} due"),
        due => format!("the {due} due, then further ones"),
    };
    let ratings = tables.standings.rows.iter().filter_map(StandingsRow::shown_rating);
    let margins: Vec<f64> = ratings.map(Estimate::margin).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of games and players")]
    let (played, players) = (tables.analysis.state.played() as f64, margins.len() as f64);
    let now = margins.iter().sum::<f64>() / players.max(1.0);
    // Errors fall with the square root of the number of games.
    let then = now * (played / (played + games)).sqrt();
    format!(
        "until {}: about {games:.0} games, {share}; expected rating error: ±{then:.0} Elo (now \
         ±{now:.0})",
        until.text
    )
}
