//! `run --plan`: shows which games are due, and what to expect of the time available.

use std::path::Path;
use std::time::Duration;

use super::super::results::Tables;
use super::super::until::Until;
use super::super::{Failure, Status};
use crate::analysis::results::Faulted;
use crate::folder;
use crate::log::{GameLine, LOG};
use crate::model::record::{Header, PlayerInfo};
use crate::model::stage::Order;
use crate::model::stage::{PairingRules, Stage};
use crate::model::tournament::Tournament;
use crate::printer::Printer;
use crate::report::Row;
use crate::schedule::Fixture;
use crate::schedule::state::{TournamentSetup, TournamentState};
use referee_games::BySeat;
use referee_ratings::Estimate;

/// Prints the games that are due, and what to expect until `until` with `jobs` games at once.
pub(super) fn plan(
    jobs: usize,
    until: Option<&Until>,
    tournament: &Tournament,
    dir: &Path,
    printer: Printer,
) -> Result<Status, Failure> {
    let exists = dir.join(LOG).exists();
    let header = if exists { Some(folder::header(dir)?) } else { None };
    let mut state = TournamentState::new(setup(tournament, header.as_ref()));
    let mut used = 0_u64;
    if exists {
        let number = |player: &PlayerInfo| state.number(&player.name);
        let numbers: Vec<_> = header.iter().flat_map(|it| &it.players).map(number).collect();
        let contents = folder::read(dir, |_, game| {
            // A game of a player that was removed from the configuration has no place; `run`
            // reports that.
            if let Some(fixture) = configured(game, &numbers) {
                let _ = state.add_fixture(fixture, game.summary);
            }
            used = used.saturating_add(game.wall_ns);
        })?;
        contents.problems.lines().iter().for_each(|line| printer.note(line));
    }
    let summary = state.summary();
    printer.line(&format!(
        "{}: {}, {} players, {}",
        tournament.name,
        tournament.game.name(),
        tournament.players.len(),
        describe_stages(tournament),
    ))?;
    if let Some(openings) = &tournament.openings {
        printer.line(&format!("openings: {}", openings.describe()))?;
    }
    printer.line(&summary.to_string())?;
    let (played, due) = (summary.played as u64, summary.due);
    let each = used.checked_div(played).map(|each| each / jobs as u64);
    let each = each.map(Duration::from_nanos).filter(|each| !each.is_zero());
    if let Some(each) = each.filter(|_| due > 0) {
        let left = each.saturating_mul(u32::try_from(due).unwrap_or(u32::MAX));
        let left = indicatif::HumanDuration(left);
        printer.line(&format!("about {left}, by the games in the log, {jobs} at once"))?;
    }
    if let Some(until) = until {
        printer.line(&match each {
            Some(each) => outlook(until, each, due, &Tables::read(dir, Faulted::Count)?),
            None => unknown(until),
        })?;
    }
    Ok(Status::Done)
}

/// The game of a log with the players' configured numbers, by their numbers in the log.
fn configured(game: &GameLine, numbers: &[Option<usize>]) -> Option<Fixture> {
    let players = BySeat::new(numbers[game.players.first]?, numbers[game.players.second]?);
    Some(Fixture { players, pair: game.pair, game: game.game })
}

/// The configured tournament, which may have more pairs and players than the log. A stage of
/// further pairs comes from the log.
fn setup(tournament: &Tournament, header: Option<&Header>) -> TournamentSetup {
    let has_further = header.is_some_and(|header| header.stages.contains(&Stage::further()));
    let further = has_further.then(Stage::further);
    TournamentSetup {
        names: tournament.players.iter().map(|player| player.name.clone()).collect(),
        stages: tournament.stages.iter().cloned().chain(further).collect(),
        quarantine: tournament.quarantine,
        ratings: tournament.anchors.clone(),
        rules: header.map_or(PairingRules::Second, |header| header.pairing_rules),
        order: header.map_or(Order::Listed, Header::order),
    }
}

fn unknown(until: &Until) -> String {
    format!(
        "until {}: the number of games can be estimated once there are games in the log",
        until.text
    )
}

/// Describes what fits into the time left if one game takes `each` and `due` games are missing.
fn outlook(until: &Until, each: Duration, due: usize, tables: &Tables) -> String {
    let games = until.left.as_secs_f64() / each.as_secs_f64();
    let share = match due {
        0 => "all of them further ones".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "counts of games")]
        due if games < due as f64 => format!("of {due} that are due"),
        due => format!("the {due} that are due, then further ones"),
    };
    let ratings = tables.standings.rows.iter().filter_map(Row::shown_rating);
    let margins: Vec<f64> = ratings.map(Estimate::margin).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of games and players")]
    let (played, players) = (tables.analysis.state.played() as f64, margins.len() as f64);
    let now = margins.iter().sum::<f64>() / players.max(1.0);
    // Errors fall with the square root of the number of games.
    let then = now * (played / (played + games)).sqrt();
    format!(
        "until {}: about {games:.0} games, {share}; ratings are then known to about ±{then:.0} \
         Elo (now ±{now:.0})",
        until.text
    )
}

/// The stages as text, with the number of players in each.
fn describe_stages(tournament: &Tournament) -> String {
    let mut players = tournament.players.len();
    let describe = |stage: &Stage| {
        players = stage.players.map_or(players, |most| most.min(players));
        let pairs = format!("{} {}", stage.pairs, if stage.pairs == 1 { "pair" } else { "pairs" });
        let what = stage.format.describe(players, &pairs);
        stage.players.map_or(what.clone(), |_| format!("the best {players}: {what}"))
    };
    tournament.stages.iter().map(describe).collect::<Vec<_>>().join("; then ")
}
