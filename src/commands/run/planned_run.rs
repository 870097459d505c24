//! A run whose configuration is read and whose folder is open: how many games are played at once,
//! where, and who listens.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, watch};

use super::hook_runner::HookSender;
use super::live_boards::LiveBoards;
use super::live_tables::LiveTables;
use super::overtakes::Overtakes;
use super::pgn_file::PgnFile;
use super::remote_args::{self, RemoteWorkers};
use super::workers_file::WorkersFile;
use crate::commands::runtime::{new_runtime, watch_finish_request};
use crate::commands::{Failure, report};
use referee_games::{AnyPosition, Event};
use referee_match::openings::OpeningBook;
use referee_match::player::PlayerSandbox;
use referee_match::replay::frames::Frame;
use referee_record::log::LogWriter;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::tournament::Tournament;
use referee_report::tournament_tables::TournamentTables;
use referee_sandbox::descriptor_limit;
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::{
    LockedFolder, LogContents, check_folder_game_count, read_folder_log,
};
use referee_tournament::run::cores::Cores;
use referee_tournament::run::deadline::RunDeadline;
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::instruction::{Instruction, Instructions};
use referee_tournament::run::job::JobConditions;
use referee_tournament::run::resume::PreparedRun;
use referee_tournament::run::run_event::{RunEvent, RunListener, RunListeners};
use referee_tournament::run::spectators::Spectators;
use referee_tournament::run::venue::ThisMachine;
use referee_tournament::run::worker_thread::max_worker_open_files;
use referee_tournament::run::{Recorder, RunEnd, TournamentRunner};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The number of games at once, the end time, and where games are played.
#[derive(Debug)]
pub(in crate::commands) struct RunLimits {
    pub(in crate::commands) jobs: usize,
    pub(in crate::commands) deadline: Option<RunDeadline>,
    pub(in crate::commands) workers: Option<RemoteWorkers>,
}

impl RunLimits {
    /// The number of games played at once while this many are due.
    pub(super) fn at_once(&self, due: usize) -> usize {
        match self.deadline {
            // Even if fewer games are due: further games follow.
            Some(_) => self.jobs,
            None => self.jobs.min(due),
        }
    }

    /// Fails if the limit of open files is too low for this many games of these players at once.
    pub(super) fn refuse_too_many<'p>(
        &self,
        at_once: usize,
        players: impl Iterator<Item = &'p PlayerSpec> + Clone,
        seats: usize,
    ) -> Result<(), Failure> {
        if self.workers.is_none() {
            refuse_too_many_run_files(at_once, max_worker_open_files(players, seats))?;
        }
        Ok(())
    }
}

/// A tournament that is about to be played.
pub(in crate::commands) struct PlannedRun<'r> {
    pub(in crate::commands) tournament: &'r Tournament,
    pub(in crate::commands) limits: &'r RunLimits,
    pub(in crate::commands) folder: &'r LockedFolder,
    pub(in crate::commands) containment: &'r Arc<PlayerSandbox>,
    /// Rings when the ranking of a league changes.
    pub(in crate::commands) bell: HookSender,
}

impl PlannedRun<'_> {
    /// The parts that all games between these players share.
    fn conditions(
        &self,
        players: &[(usize, &PlayerSpec)],
        spectators: &Arc<Spectators>,
        closes: watch::Receiver<Option<Instant>>,
    ) -> Result<JobConditions, Failure> {
        let Self { tournament, folder, containment, .. } = *self;
        let entrant = |&(number, player): &(usize, &PlayerSpec)| {
            (number, Entrant::from_spec(player, &*tournament.game, containment))
        };
        Ok(JobConditions {
            control: tournament.clock,
            policy: tournament.fault_policy,
            adjudication: tournament.adjudication,
            players: players.iter().map(entrant).collect(),
            secret: folder.load_or_create_secret(tournament.seed)?.for_stages(&tournament.stages),
            reads_memory: false,
            spectators: Arc::clone(spectators),
            closes,
        })
    }

    /// Plays the missing games, until the receiver from `stop` is true.
    pub(in crate::commands) fn play(
        &self,
        prepared: PreparedRun,
        listener: &mut dyn RunListener,
        stop: impl Future<Output = Result<watch::Receiver<bool>, Failure>>,
    ) -> Result<RunOutcome, Failure> {
        let PreparedRun { mut contents, log } = prepared;
        if self.limits.deadline.is_some() {
            contents.state.allow_further();
        }
        let names = contents.state.names().to_vec();
        let players: Vec<(usize, &PlayerSpec)> =
            players_in_log_order(&names, &self.tournament.players).enumerate().collect();
        let at_once = self.limits.at_once(contents.state.count_due());
        let listening = RunOutputs::new(self, log, at_once, &contents.state, listener)?;
        let state = &mut contents.state;
        let end = listening.with(listener, |listeners, heard| {
            new_runtime()?.block_on(async {
                let stop = stop.await?;
                let (tell, instructions) = mpsc::unbounded_channel();
                // Workers finish the games on a server anyway.
                if self.limits.workers.is_none() {
                    finish_run_on_interrupt(tell)?;
                }
                let starters = Starters { players: &players, instructions };
                self.play_between(starters, state, heard, listeners, stop).await
            })
        })?;
        let games = contents.state.played();
        Ok(RunOutcome { end, games, unchanged: Some(contents).filter(|_| at_once == 0) })
    }
}

/// Everything that listens to a run besides its progress.
pub(super) struct RunOutputs<'r> {
    recorder: Recorder<'r>,
    live_tables: LiveTables,
    workers: WorkersFile,
    pgn: Option<PgnFile>,
    heard: RunFeeds,
    _live_boards: Option<LiveBoards>,
}

/// What games need of those that listen.
pub(super) struct RunFeeds {
    spectators: Arc<Spectators>,
    /// How many games of this run are on disk.
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "workers need it"))]
    synced: watch::Receiver<u64>,
}

impl<'r> RunOutputs<'r> {
    /// Begins to listen to `run`, in which this many games are played at once. Problems are told to
    /// `listener`.
    pub(super) fn new(
        run: &PlannedRun<'r>,
        log: LogWriter,
        at_once: usize,
        state: &TournamentState,
        listener: &mut dyn RunListener,
    ) -> Result<Self, Failure> {
        let PlannedRun { tournament, limits, folder, ref bell, .. } = *run;
        let recorder = Recorder::new(folder, log);
        let synced = recorder.watch_synced_games();
        let mut live_tables = LiveTables::new(folder.dir(), state.header());
        if state.is_league() {
            live_tables = live_tables.with_overtakes(Overtakes::new(bell.clone()));
        }
        if at_once > 0 {
            live_tables.begin();
        }
        let spectators = Arc::new(Spectators::new(run_board_json));
        // Players must not learn from others what is hidden from them.
        let are_shown = limits.workers.is_none() && !tournament.game.is_hidden() && at_once > 0;
        let live_boards =
            if are_shown { open_run_boards(folder, &spectators, state, listener)? } else { None };
        let is_needed =
            |name: &&str| at_once > 0 || !report::file_is_up_to_date(folder.dir(), name);
        let begin = |name| PgnFile::begin(name, tournament, folder.dir());
        Ok(Self {
            recorder,
            live_tables,
            workers: WorkersFile::new(folder.dir()),
            pgn: tournament.pgn.as_deref().filter(is_needed).map(begin).transpose()?,
            heard: RunFeeds { spectators, synced },
            _live_boards: live_boards,
        })
    }

    /// Calls `play` with all listeners, `listener` among them.
    pub(super) fn with<T>(
        mut self,
        listener: &mut dyn RunListener,
        play: impl FnOnce(&mut RunListeners<'_>, &RunFeeds) -> T,
    ) -> T {
        let mut listeners = RunListeners(vec![
            &mut self.recorder,
            &mut self.live_tables,
            &mut self.workers,
            listener,
        ]);
        listeners.0.extend(self.pgn.as_mut().map(|pgn| pgn as &mut dyn RunListener));
        play(&mut listeners, &self.heard)
    }
}

/// Who plays from the start, and how changes arrive.
pub(super) struct Starters<'p> {
    /// With their numbers.
    pub(super) players: &'p [(usize, &'p PlayerSpec)],
    /// What changes while games are played.
    pub(super) instructions: Instructions,
}

/// Instructs the run to finish at the first interruption.
pub(super) fn finish_run_on_interrupt(
    tell: mpsc::UnboundedSender<Instruction>,
) -> Result<(), Failure> {
    let mut asked = watch_finish_request()?;
    tokio::spawn(async move {
        if asked.wait_for(|asked| *asked).await.is_ok() {
            // A run that is over needs no instruction.
            let _ = tell.send(Instruction::Finish);
        }
    });
    Ok(())
}

impl PlannedRun<'_> {
    /// Plays between the players of `starters` until all games are played, an instruction ends the run, or
    /// `stop` is true.
    pub(super) async fn play_between(
        &self,
        starters: Starters<'_>,
        state: &mut TournamentState,
        heard: &RunFeeds,
        listeners: &mut dyn RunListener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let Starters { players, instructions } = starters;
        let Self { tournament, limits, containment, .. } = *self;
        let (closing, closes) = watch::channel(None);
        let conditions = Arc::new(self.conditions(players, &heard.spectators, closes)?);
        let at_once =
            if state.is_league() { limits.jobs } else { limits.at_once(state.count_due()) };
        let seats = tournament.game.seats().len();
        limits.refuse_too_many(at_once, players.iter().map(|&(_, player)| player), seats)?;
        let header = state.header().clone();
        let deadline = watch::Sender::new(limits.deadline);
        let runner = TournamentRunner { state, jobs: limits.jobs, instructions, deadline };
        match &limits.workers {
            None => {
                let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
                let venue = ThisMachine {
                    game: &*tournament.game,
                    conditions,
                    book: OpeningBook::new(rules, header.openings.as_ref())?,
                    cores: Cores::of_this_process(
                        tournament.clock.cores_per_game(tournament.game.seats().len()),
                    ),
                    sandbox: Arc::clone(containment),
                    closing,
                };
                if let Some(crowded) = venue.cores.crowding_warning(at_once) {
                    listeners.on(RunEvent::Warning(&crowded), runner.state)?;
                }
                Ok(runner.run(&venue, listeners, stop).await?)
            }
            #[cfg(not(feature = "nats"))]
            Some(_) => Err(remote_args::missing_remote_feature()),
            #[cfg(feature = "nats")]
            Some(workers) => {
                let secret = conditions.secret.clone();
                let what = (tournament, &header, &secret, self.folder.dir());
                let synced = heard.synced.clone();
                Box::pin(remote_args::play_remotely(
                    workers, what, players, runner, synced, listeners, stop,
                ))
                .await
            }
        }
    }
}

/// A position as the page shows it.
fn run_board_json(position: &dyn AnyPosition, events: &[Event]) -> serde_json::Value {
    // Nothing in a frame can fail to become JSON.
    serde_json::to_value(Frame::whole(position, events)).unwrap_or_default()
}

/// Shows the games in play to people who look. If that is impossible, says why; they are played all
/// the same.
fn open_run_boards(
    folder: &LockedFolder,
    spectators: &Arc<Spectators>,
    state: &TournamentState,
    listener: &mut dyn RunListener,
) -> Result<Option<LiveBoards>, Failure> {
    match LiveBoards::open(folder.dir(), Arc::clone(spectators)) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) => {
            let why = referee_protocol::escape::escape_line(&error.to_string());
            let warning = format!("the games in progress cannot be shown: {why}");
            listener.on(RunEvent::Warning(&warning), state)?;
            Ok(None)
        }
    }
}

pub(in crate::commands) struct RunOutcome {
    /// How it ended.
    pub(in crate::commands) end: RunEnd,
    /// The number of games that the log must contain now.
    pub(super) games: usize,
    /// The contents of the log, if nothing was left to play.
    pub(super) unchanged: Option<LogContents>,
}

impl RunOutcome {
    /// The tables of the log in `dir`, which must contain all games of this run and no others.
    pub(in crate::commands) fn tables(&mut self, dir: &Path) -> Result<TournamentTables, Failure> {
        let contents = self.unchanged.take().map_or_else(|| read_folder_log(dir, |_, _| {}), Ok)?;
        let tables = TournamentTables::from_analysis(TournamentAnalysis::from_contents(
            dir,
            contents,
            Faulted::Count,
        )?);
        check_folder_game_count(dir, tables.analysis.state.played(), self.games)?;
        Ok(tables)
    }
}

/// The open files that a run needs besides those of its games.
const APART: u64 = 40;

/// Refuses more games at once than the limit on open files allows, at `each` files per game.
fn refuse_too_many_run_files(games: usize, each: u64) -> Result<(), Failure> {
    let limit = descriptor_limit();
    let most = limit.saturating_sub(APART) / each;
    if games as u64 <= most {
        return Ok(());
    }
    let advice = match most {
        0 => "raise the limit".to_owned(),
        _ => format!("play at most {most} (--jobs {most}), or raise the limit"),
    };
    let needed = APART + each * games as u64;
    Err(Failure::system(format!(
        "{games} games at the same time need about {needed} open files, but this process may have \
         only {limit} (`ulimit -n`): {advice}"
    )))
}

/// The players in the order of the log, which may differ from the configuration's.
fn players_in_log_order<'a>(
    names: &'a [String],
    players: &'a [PlayerSpec],
) -> impl Iterator<Item = &'a PlayerSpec> {
    names.iter().filter_map(|name| players.iter().find(|player| player.name == *name))
}
