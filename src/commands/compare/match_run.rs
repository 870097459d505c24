//! Plays a comparison until its test has a verdict.

use std::collections::HashMap;

use tokio::sync::watch;

use super::super::Failure;
use super::super::report::command_options;
use super::super::run::{PlannedRun, refuse_run_with_changed_players};
use super::super::runtime::watch_interruption;
use super::contest::Contest;
use crate::printer::Printer;
use crate::progress::ProgressDisplay;
use crate::stop_signals::watch_event;
use referee_games::Seat;
use referee_protocol::escape::escape_line;
use referee_record::log::WriteError;
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::GameRecord;
use referee_tournament::analysis::named_results::FaultCounts;
use referee_tournament::run::resume::PreparedRun;
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::run::{RunEnd, RunError, describe_unplayed_for_budget};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The games of a match so far.
pub(super) struct MatchRunGames<C> {
    pub(super) contest: C,
    /// The faults of each player that is compared.
    pub(super) faults: Vec<FaultCounts>,
    /// A game worth a look: one that the first player lost, or else the first one.
    pub(super) to_watch: Option<String>,
}

impl<C: Contest> MatchRunGames<C> {
    /// Adds the games in `state` to a contest with `nothing` in it.
    fn from_state(state: &TournamentState, nothing: C) -> Self {
        let (mut contest, mut lost, mut any) = (nothing, None, None);
        let mut faults = vec![FaultCounts::new(); contest.names().len()];
        for (fixture, summary) in state.counted_games() {
            let names: Vec<&str> =
                fixture.players.players().map(|player| state.name(player)).collect();
            contest.add(fixture.pair, &names, summary);
            any = any.or(Some(fixture));
            let own = contest.names().first().and_then(|own| find_seat_in_match(own, &names));
            if own.is_some_and(|seat| summary.halves()[seat] == 0) {
                lost = lost.or(Some(fixture));
            }
        }
        // Games that were in play at the verdict do not count.
        let judged = contest.judged();
        for (fixture, summary) in
            state.counted_games().filter(|(fixture, _)| fixture.pair <= judged)
        {
            let names: Vec<&str> =
                fixture.players.players().map(|player| state.name(player)).collect();
            for (name, of_player) in contest.names().iter().zip(&mut faults) {
                let code =
                    find_seat_in_match(name, &names).and_then(|seat| summary.faults.of(seat));
                if let Some(code) = code {
                    *of_player.entry(code).or_default() += 1;
                }
            }
        }
        let to_watch = lost.or(any).and_then(|fixture| state.index(fixture));
        Self { contest, faults, to_watch: to_watch.map(|index| state.id(index)) }
    }
}

/// Plays until the result is clear or the run is interrupted. Returns all games, given a contest
/// with
/// `nothing` in it.
pub(super) fn play_match<C: Contest>(
    planned: &PlannedRun<'_>,
    prepared: PreparedRun,
    nothing: C,
    printer: Printer,
) -> Result<MatchRunGames<C>, Failure> {
    let before = MatchRunGames::from_state(&prepared.contents.state, nothing.clone());
    if before.contest.stop().is_some() {
        return Ok(before);
    }
    if prepared.contents.state.played() == 0 {
        nothing.outlook().iter().for_each(|line| printer.note(line));
    }
    let (tell, told) = watch::channel(false);
    let are_named = !planned.tournament.players.iter().any(|it| it.fingerprint.is_variant());
    let called =
        are_named.then(|| command_options::ask_command_options(planned.folder.dir(), None));
    let progress = ProgressDisplay::new(printer).with_command_options(called);
    let mut judge = MatchListener {
        contest: before.contest,
        progress,
        tell,
        before: 0,
        unstarted: HashMap::new(),
    };
    let stop = async { Ok(first_to_stop(watch_interruption()?, told)) };
    let mut outcome = planned.play(prepared, &mut judge, stop)?;
    let tables = outcome.tables(planned.folder.dir())?;
    let played = MatchRunGames::from_state(&tables.analysis.state, nothing);
    tables.write()?;
    if let (RunEnd::Failed(failure), None) = (outcome.end, played.contest.stop()) {
        return Err(failure.into());
    }
    if let (Some(waiting), None) =
        (describe_unplayed_for_budget(&tables.analysis.state), played.contest.stop())
    {
        return Err(RunError::Unplayed(waiting).into());
    }
    if let Some((name, Unstarted { games, why })) = judge.find_hopeless_player() {
        let (name, why) = (escape_line(name), escape_line(why));
        return Err(Failure::input(format!(
            "{name} did not play in {games} games in a row, so nothing was compared: {why}"
        )));
    }
    refuse_run_with_changed_players(&planned.tournament.players, |_| {
        "Run the same command again: it starts a new comparison with the changed player".to_owned()
    })?;
    Ok(played)
}

/// Becomes true when one of the two does.
fn first_to_stop(
    mut one: watch::Receiver<bool>,
    mut other: watch::Receiver<bool>,
) -> watch::Receiver<bool> {
    watch_event(async move {
        tokio::select! {
            _ = one.wait_for(|stop| *stop) => {}
            _ = other.wait_for(|stop| *stop) => {}
        }
    })
}

/// The seat of the player called `name` in a game of these players, if it is one of them.
pub(super) fn find_seat_in_match(name: &str, players: &[&str]) -> Option<Seat> {
    players.iter().position(|&player| player == name).map(Seat::new)
}

/// Judges games as they finish, and stops the runner at the verdict.
struct MatchListener<C> {
    contest: C,
    progress: ProgressDisplay,
    tell: watch::Sender<bool>,
    /// The number of games in the log before this run.
    before: usize,
    /// The players that did not start in their last game, or could not reach their service.
    unstarted: HashMap<String, Unstarted>,
}

/// A comparison with a player that does not play in this many games in a row says nothing.
const UNSTARTED: u32 = 4;

/// The last games of a player, which did not begin because of it.
struct Unstarted {
    games: u32,
    /// The reason in the last of them.
    why: String,
}

impl<C: Contest> RunListener for MatchListener<C> {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::Begun { .. } => {
                self.before = state.played();
                self.progress.headline(self.contest.headline());
                self.expect();
                self.progress.on(event, state)?;
                self.stop_if_useless(state);
            }
            RunEvent::GameFinished { record, .. } => {
                // A record without a result is refused when the tables are made at the end.
                if let Ok(summary) = GameSummary::from_record(record) {
                    let names: Vec<&str> =
                        record.players.values.values().iter().map(String::as_str).collect();
                    self.contest.add(record.pair, &names, summary);
                }
                self.progress.headline(self.contest.headline());
                self.expect();
                self.progress.on(event, state)?;
                self.count_unstarted(record);
                if self.contest.stop().is_some() || self.find_hopeless_player().is_some() {
                    self.tell.send_replace(true);
                }
                self.stop_if_useless(state);
            }
            RunEvent::Over { .. } => {
                if self.contest.stop().is_some() {
                    self.progress.expect_no_more();
                }
                self.progress.on(event, state)?;
            }
            event => self.progress.on(event, state)?,
        }
        Ok(())
    }
}

impl<C: Contest> MatchListener<C> {
    /// Tells the progress display how many games to expect in this run.
    fn expect(&mut self) {
        let games = self.contest.expected_games();
        self.progress.expect(games.saturating_sub(self.before) as u64);
    }

    /// Adds a game, which may not have begun because of a player.
    fn count_unstarted(&mut self, record: &GameRecord) {
        let failed = record.players.seats().find_map(|seat| {
            let fault = record
                .fault_of(seat)
                .filter(|fault| matches!(fault.code, FaultCode::NoStart | FaultCode::Outage))?;
            Some((seat, fault.reason()))
        });
        for seat in record.players.seats() {
            let before = self.unstarted.remove(&record.players[seat]);
            if let Some((_, why)) = failed.as_ref().filter(|(failed, _)| *failed == seat) {
                let games = before.map_or(0, |before| before.games) + 1;
                let why = why.clone();
                self.unstarted.insert(record.players[seat].clone(), Unstarted { games, why });
            }
        }
    }

    /// Stops the runner if a player has used up its budget: the games of the others say nothing.
    fn stop_if_useless(&self, state: &TournamentState) {
        if describe_unplayed_for_budget(state).is_some() {
            self.tell.send_replace(true);
        }
    }

    /// A player that seems never to start.
    fn find_hopeless_player(&self) -> Option<(&String, &Unstarted)> {
        self.unstarted.iter().find(|(_, unstarted)| unstarted.games >= UNSTARTED)
    }
}

#[cfg(test)]
mod tests {
    use super::super::contest::DirectContest;
    use super::*;
    use referee_ratings::{Sprt, SprtMatch, Unit};
    use referee_record::model::record::Header;
    use referee_record::model::record::examples::{faulty, game, header};
    use referee_record::model::stage::Stage;

    #[test]
    fn faults_after_the_verdict_do_not_count() {
        let names = ["new", "old"];
        let stages = vec![Stage::round_robin(5)];
        let mut state = TournamentState::new(&Header { stages, quarantine: 0, ..header(&names) });
        for index in 0..state.len() {
            let fixture = state.fixture(index);
            let [white, black] = fixture.players.two().map(|player| names[player]);
            // The new one crashes in each game.
            let (seat, winner) =
                if white == "new" { ("white", "black") } else { ("black", "white") };
            let record = GameRecord {
                id: state.id(index),
                pair: fixture.pair,
                game: fixture.game,
                reason: "crash".into(),
                ..game(white, black, winner)
            };
            let record = faulty(record, &[(seat, FaultCode::Crash)]);
            state.add(&record).expect("it belongs");
        }
        let test = Sprt::new(Unit::Logistic, (0.0, 20.0), (0.05, 0.05)).expect("a test");
        let names = names.map(str::to_owned);
        let nothing = DirectContest { names, played: SprtMatch::new(test, 2) };
        let played = MatchRunGames::from_state(&state, nothing);
        assert_eq!(played.contest.judged(), 2);
        let crashes = played.faults.iter().map(|faults| faults.values().sum::<u32>());
        assert_eq!(crashes.collect::<Vec<_>>(), [4, 0], "those of two pairs");
    }
}
