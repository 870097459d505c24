//! `run --plan`: what would be played, and how far it would come.

use std::path::Path;
use std::time::Duration;

use super::super::results::Tables;
use super::super::until::Until;
use super::super::{Failure, Status};
use super::{RunArgs, jobs};
use crate::config::Tournament;
use crate::printer::Printer;
use crate::rating::tally::Faulted;
use crate::record::log::LOG;
use crate::tournament::folder;
use crate::tournament::format::Stage;
use crate::tournament::ledger::Ledger;

/// Says what is due, and what can be expected of the time until `until`.
pub(super) fn plan(
    args: &RunArgs,
    until: Option<&Until>,
    tournament: &Tournament,
    dir: &Path,
    printer: Printer,
) -> Result<Status, Failure> {
    // What is due is counted by the configuration, which may have more pairs and players.
    let names = tournament.players.iter().map(|player| player.name.clone()).collect();
    let mut ledger = Ledger::new(names, &tournament.stages, tournament.quarantine);
    let games = ledger.expected();
    printer.line(&format!(
        "{}: {} players, {}, {games} games of {}",
        tournament.name,
        tournament.players.len(),
        stages_in_words(tournament),
        tournament.game.name(),
    ))?;
    if let Some(openings) = &tournament.openings {
        printer.line(&format!("openings: {}", openings.in_words()))?;
    }
    if !dir.join(LOG).exists() {
        printer.line(&format!("to play: {games}"))?;
        if let Some(until) = until {
            printer.line(&unknown(until))?;
        }
        return Ok(Status::Done);
    }
    let mut used = 0_u64;
    let contents = folder::read(dir, |_, entry| {
        // A game of a player that is no longer configured has no place; `run` says so.
        let _ = ledger.add(&entry.record);
        used = used.saturating_add(entry.record.clock.wall_ns);
    })?;
    let (played, due) = (contents.ledger.played(), ledger.due());
    printer.line(&format!("in the log: {played}, to play: {due}"))?;
    let jobs = jobs(args.jobs, tournament);
    let each = used.checked_div(played as u64).map(|each| each / jobs as u64);
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

fn unknown(until: &Until) -> String {
    format!("until {}: how many games that gives is known once some are in the log", until.said)
}

/// What can be expected of the time left where a game takes `each`, and so many are due.
fn outlook(until: &Until, each: Duration, due: usize, tables: &Tables) -> String {
    let games = until.left.as_secs_f64() / each.as_secs_f64();
    let share = match due {
        0 => "all of them further ones".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "counts of games")]
        due if games < due as f64 => format!("of {due} that are due"),
        due => format!("the {due} that are due, then further ones"),
    };
    let margins: Vec<f64> = tables.fit.ratings.iter().map(|rating| rating.margin()).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of games and players")]
    let (played, players) = (tables.ledger.played() as f64, margins.len() as f64);
    let now = margins.iter().sum::<f64>() / players;
    // Errors fall with the root of the number of games.
    let then = now * (played / (played + games)).sqrt();
    format!(
        "until {}: about {games:.0} games, {share}; a rating is then known to about ±{then:.0} \
         Elo (±{now:.0} now)",
        until.said
    )
}

/// The stages in words, with how many players each has.
fn stages_in_words(tournament: &Tournament) -> String {
    let mut players = tournament.players.len();
    let in_words = |stage: &Stage| {
        players = stage.players.map_or(players, |most| most.min(players));
        let pairs = format!("{} {}", stage.pairs, if stage.pairs == 1 { "pair" } else { "pairs" });
        let what = stage.format.in_words(players, &pairs);
        stage.players.map_or(what.clone(), |_| format!("the best {players}: {what}"))
    };
    tournament.stages.iter().map(in_words).collect::<Vec<_>>().join("; then ")
}
