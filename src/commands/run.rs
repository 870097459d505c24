//! `run`: plays a tournament from its configuration, or resumes it.

mod hooks;
mod league;
mod live_boards;
mod live_tables;
mod live_workers;
mod overtakes;
mod pgn_file;
mod plan;
pub(super) mod remote_args;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use tokio::sync::{mpsc, watch};

use self::hooks::{HookBell, Hooks};
use self::live_boards::LiveBoards;
use self::live_tables::LiveTables;
use self::live_workers::WorkersFile;
use self::overtakes::Overtakes;
use self::pgn_file::PgnFile;
use self::remote_args::{RemoteArgs, RemoteWorkers};
use super::builds::{BuildSandbox, build_configured};
use super::containment_args::{level_named, mechanism_named};
use super::highlight::WatchReason;
use super::report::{self, command_options};
use super::results_folder;
use super::runtime::{finish_asked, interrupted, new_runtime};
use super::settings::{GivenSettings, Settings};
use super::until::Until;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use crate::progress::{Progress, match_so_far};
use referee_config::{CONFIG, Configuration};
use referee_games::{AnyPosition, Event};
use referee_match::openings::OpeningBook;
use referee_match::player::Sandbox;
use referee_match::replay::frames::Frame;
use referee_ratings::{MOST_PLAYERS, RatingError};
use referee_record::log::LogWriter;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::player::PlayerSpec;
use referee_record::model::rules::GameRules;
use referee_record::model::stage::Stage;
use referee_record::model::tournament::{MOST_JOBS, Tournament};
use referee_record::shell;
use referee_report::json::StandingsJson;
use referee_report::results::Tables;
use referee_report::{Standings, ci, terminal};
use referee_sandbox::{Level, Mechanism, descriptor_limit};
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::results::Faulted;
use referee_tournament::folder::{self, LockedFolder, LogContents, SECRET};
use referee_tournament::run::cores::Cores;
use referee_tournament::run::deadline::RunDeadline;
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::event::{Listener, Listeners, RunEvent};
use referee_tournament::run::instruction::{Instruction, Instructions};
use referee_tournament::run::job::Conditions;
use referee_tournament::run::resume::{self, Prepared, ReplaceRequest};
use referee_tournament::run::spectators::Spectators;
use referee_tournament::run::venue::ThisMachine;
use referee_tournament::run::worker;
use referee_tournament::run::{Recorder, RunEnd, Runner};
use referee_tournament::schedule::state::TournamentState;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee run                          play tournament.toml
  referee run autumn.toml --jobs 8     eight games at once
  referee run --replace greedy         greedy has changed: play its games again
  referee run --until 18:30            get the best possible ranking by 18:30
  referee run --on nats://host:4222    let the workers of a server play
  referee run --quiet --strict --junit referee.xml --summary summary.md

Ctrl-C stops the run: it finishes the games in play and writes the tables. A second one drops these
games; a third one exits at once.

Exit codes: 0 done, or the time is up; 1 a player made a fault (--strict); 2 invalid configuration;
3 cannot run, play or write something; 4 in use by another run, or the configuration differs from
the results; 130 interrupted, run again to continue.")]
pub(crate) struct RunArgs {
    /// The configuration file
    #[arg(default_value = "tournament.toml")]
    pub(crate) config: PathBuf,
    /// Number of games played at the same time (default: as configured, or one per core)
    #[arg(long, value_name = "N", value_parser = games_at_once)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// The folder to put the results folder into
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,
    /// Accept a changed player: set its games aside and play them again (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) replace: Vec<String>,
    /// Stop at this time: a local time (18:30, "2026-11-23 08:00"), RFC 3339, or a duration (90m,
    /// 36h). If all games finish earlier, play more pairs, the most informative first
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// Show what would be played, or why it cannot be, without playing
    #[arg(long, conflicts_with = "on")]
    pub(crate) plan: bool,
    /// Sandbox level (default: as configured, or the strongest that works)
    #[arg(long, value_name = "LEVEL", value_parser = level_named())]
    pub(crate) containment: Option<Level>,
    /// Leave out one mechanism, to see which other one holds (for tests)
    #[arg(long, hide = true, value_name = "MECHANISM", value_parser = mechanism_named())]
    pub(crate) without: Vec<Mechanism>,
    /// Output format of the ranking
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
    /// Also write a test report for CI (`JUnit` XML), in which a player with a fault is a failed
    /// test
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also append the ranking to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Exit with code 1 if a player made a fault
    #[arg(long)]
    pub(crate) strict: bool,
}

impl RunArgs {
    /// The command that goes on with these results.
    fn command(&self) -> String {
        let mut command = "referee run".to_owned();
        let mut add = |words: &str| command.extend([" ", words]);
        if self.config != Path::new(CONFIG) {
            add(&shell::quoted(&self.config.to_string_lossy()));
        }
        if let Some(results) = &self.results {
            add("--results");
            add(&shell::quoted(&results.to_string_lossy()));
        }
        command
    }

    /// The players to replace in a tournament that `command` goes on with.
    fn replace_request<'a>(&'a self, command: &'a str) -> ReplaceRequest<'a> {
        ReplaceRequest { players: &self.replace, command }
    }
}

/// Parses a number of games at once, within the limits of a configuration.
pub(super) fn games_at_once(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS);
    jobs.ok_or_else(|| format!("expected a whole number from 1 to {MOST_JOBS}"))
}

/// Plays the missing games.
pub(crate) fn run(args: &RunArgs, printer: Printer) -> Result<Status, Failure> {
    if let Some(refusal) = args.remote.refusal() {
        return Err(refusal);
    }
    let configuration = Configuration::read(&args.config, printer.colour_err)?;
    let builds = configuration.builds()?;
    let sandbox = BuildSandbox { level: args.containment, without: args.without.clone() };
    if let Some(builds) = &builds
        && !build_configured(builds.clone(), &[], sandbox, printer)?
    {
        return Ok(Status::Interrupted);
    }
    let mut tournament = configuration.tournament().whole()?;
    if tournament.players.len() > MOST_PLAYERS {
        let error = RatingError::TooManyPlayers(tournament.players.len());
        return Err(Failure::input(error.to_string()));
    }
    let until = args.until.as_deref().map(Until::read).transpose()?;
    let mut settings = settings(args, &tournament);
    settings.builds = builds;
    for remark in &tournament.remarks {
        printer.note(remark);
    }
    if tournament.league.is_none() {
        tournament.stages.extend(until.as_ref().map(|_| Stage::further()));
    }
    let limits = RunLimits {
        jobs: settings.jobs(),
        deadline: until.as_ref().map(|until| RunDeadline::new(until.at)),
        workers: args.remote.workers(&settings),
    };
    if args.plan {
        return plan::plan(args, &tournament, &settings, &limits, until.as_ref(), printer);
    }
    let dir = settings.base.results.join(&tournament.name);
    let folder = LockedFolder::open(&dir)?;
    if let Some(until) = &until {
        printer.note(&format!("new games only start if they should end before {}", until.text));
    }
    let containment = settings.sandbox(Some(folder.dir()))?;
    printer.note(&containment.summary());
    let record = containment.record();
    let command = args.command();
    let request = args.replace_request(&command);
    let prepared =
        resume::prepare(&folder, &tournament, &record, request, &|text| printer.note(text))?;
    let state = &prepared.contents.state;
    if tournament.seed.is_none() && state.played() == 0 {
        announce_secret(&folder, printer)?;
    }
    let called = command_options::options(folder.dir(), Some(&args.config));
    let mut progress =
        Progress::new(printer).until(until.as_ref().map(|until| until.at)).tell_faults(called);
    let planned = PlannedRun {
        tournament: &tournament,
        limits: &limits,
        folder: &folder,
        containment: &containment,
    };
    let hooks = Hooks::begin(tournament.hook.as_ref(), &tournament.name)?;
    let mut outcome = match &tournament.league {
        None => planned.play(prepared, &mut progress, async { interrupted() })?,
        Some(league) => {
            let bell = hooks.bell();
            league::play(&planned, (league, bell), &settings, prepared, &mut progress, printer)?
        }
    };
    if let Some(failed) = hooks.end(outcome.games, &dir) {
        printer.note(&failed);
    }
    let is_idle = outcome.unchanged.is_some();
    let tables = outcome.tables(&dir)?;
    let out = if is_idle && report::is_up_to_date(&dir, &args.config, outcome.games) {
        report::lines_about_out(&tables)?
    } else {
        write_results(args, &tournament, &tables)?
    };
    write_marks(&tournament, &tables, printer)?;
    if let (RunEnd::TimeUp, Some(until)) = (&outcome.end, &until) {
        printer.note(&until.time_up(&tables));
    }
    let status = match outcome.end {
        RunEnd::Failed(failure) => return Err(failure.into()),
        RunEnd::Stopped => stopped(&tables, printer),
        RunEnd::TimeUp | RunEnd::Complete => {
            conclude(args, &tournament.name, (&tables, &out), printer)?
        }
    };
    refuse_replaced(&tournament.players, &command)?;
    Ok(status)
}

/// Writes the tables and the page. Returns one line per player that is out.
fn write_results(
    args: &RunArgs,
    tournament: &Tournament,
    tables: &Tables,
) -> Result<Vec<String>, Failure> {
    let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
    report::write_all(tables, &args.config, rules)
}

/// Writes the marks, and who has no player.
fn write_marks(tournament: &Tournament, tables: &Tables, printer: Printer) -> Result<(), Failure> {
    report::write_absent(&tournament.absent, tables.analysis.dir())?;
    let Some(grades) = &tournament.grades else { return Ok(()) };
    report::write_final_grades(grades, tables, printer)
}

/// Creates the secret of a tournament and says where it is. It is not shown: a terminal, a projector
/// or a log of CI may be public.
fn announce_secret(folder: &LockedFolder, printer: Printer) -> Result<(), Failure> {
    folder.secret(None)?;
    printer.note(&format!(
        "All seeds are drawn from a secret, {}; keep it private while games are played.",
        folder.dir().join(SECRET).display()
    ));
    Ok(())
}

/// Says how to go on after an interruption.
fn stopped(tables: &Tables, printer: Printer) -> Status {
    printer.note(&format!(
        "stopped: {}, in {}; run the same command again to continue",
        tables.standings.summary,
        tables.analysis.dir().display()
    ));
    Status::Interrupted
}

/// Fails if a player's program has changed while games were played, and says what to do; `command`
/// goes on with the results.
fn refuse_replaced(players: &[PlayerSpec], command: &str) -> Result<(), Failure> {
    refuse_changed(players, |changed| {
        let names = changed.iter().map(|name| format!(" --replace {}", shell::quoted(name)));
        let replace: String = names.collect();
        format!("Put the old one back, or play all its games again with `{command}{replace}`")
    })
}

/// Resolves the settings. The game, its options and the players are those of the configuration.
fn settings(args: &RunArgs, tournament: &Tournament) -> Settings {
    let given = GivenSettings {
        containment: args.containment,
        without: args.without.clone(),
        jobs: args.jobs,
        results: args.results.clone(),
        ..GivenSettings::default()
    };
    Settings::resolve(given, Some(tournament.clone()), &args.config)
}

/// Fails if a player's program has changed since it was read: nobody would know which version
/// played. `what_now` turns the names into advice.
pub(super) fn refuse_changed(
    players: &[PlayerSpec],
    what_now: impl FnOnce(&[&str]) -> String,
) -> Result<(), Failure> {
    let is_another = |player: &&PlayerSpec| player.fingerprint.is_another(&player.hash);
    let changed: Vec<&str> =
        players.iter().filter(is_another).map(|player| player.name.as_str()).collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failure::conflict(referee_protocol::escape::terminal(&format!(
        "changed while games were played: {}. Games that a new program may have played have a \
         warning in the log. {}",
        changed.join(", "),
        what_now(&changed)
    ))))
}

/// The number of games at once, the end time, and where games are played.
#[derive(Debug)]
pub(super) struct RunLimits {
    pub(super) jobs: usize,
    pub(super) deadline: Option<RunDeadline>,
    pub(super) workers: Option<RemoteWorkers>,
}

impl RunLimits {
    /// The number of games played at once while this many are due.
    fn at_once(&self, due: usize) -> usize {
        match self.deadline {
            // Even if fewer games are due: further games follow.
            Some(_) => self.jobs,
            None => self.jobs.min(due),
        }
    }

    /// Fails if the limit of open files is too low for this many games of these players at once.
    fn refuse_too_many<'p>(
        &self,
        at_once: usize,
        players: impl IntoIterator<Item = &'p PlayerSpec>,
        seats: usize,
    ) -> Result<(), Failure> {
        if self.workers.is_none() {
            let kept = players.into_iter().filter(|player| !player.restart).count();
            refuse_too_many(at_once, worker::open_files(kept, seats))?;
        }
        Ok(())
    }
}

/// A tournament that is about to be played.
pub(super) struct PlannedRun<'r> {
    pub(super) tournament: &'r Tournament,
    pub(super) limits: &'r RunLimits,
    pub(super) folder: &'r LockedFolder,
    pub(super) containment: &'r Arc<Sandbox>,
}

impl PlannedRun<'_> {
    /// What is the same in all games between these players.
    fn conditions(
        &self,
        players: &[(usize, &PlayerSpec)],
        spectators: &Arc<Spectators>,
    ) -> Result<Conditions, Failure> {
        let Self { tournament, folder, containment, .. } = *self;
        let entrant = |&(number, player): &(usize, &PlayerSpec)| {
            (number, Entrant::of(player, &*tournament.game, containment))
        };
        Ok(Conditions {
            control: tournament.clock,
            policy: tournament.fault_policy,
            adjudication: tournament.adjudication,
            players: players.iter().map(entrant).collect(),
            secret: folder.secret(tournament.seed)?.for_stages(&tournament.stages),
            reads_memory: false,
            spectators: Arc::clone(spectators),
            closes: watch::Sender::default().subscribe(),
        })
    }

    /// Plays the missing games, until the receiver from `stop` is true.
    pub(super) fn play(
        &self,
        prepared: Prepared,
        listener: &mut dyn Listener,
        stop: impl Future<Output = Result<watch::Receiver<bool>, Failure>>,
    ) -> Result<RunOutcome, Failure> {
        let Prepared { mut contents, log } = prepared;
        if self.limits.deadline.is_some() {
            contents.state.allow_further();
        }
        let names = contents.state.names().to_vec();
        let players: Vec<(usize, &PlayerSpec)> =
            in_order_of(&names, &self.tournament.players).enumerate().collect();
        let at_once = self.limits.at_once(contents.state.due());
        let bell = HookBell::default();
        let listening = Listening::new(self, (log, bell), at_once, &contents.state, listener)?;
        let state = &mut contents.state;
        let end = listening.with(listener, |listeners, heard| {
            new_runtime()?.block_on(async {
                let stop = stop.await?;
                let (tell, instructions) = mpsc::unbounded_channel();
                // Workers finish the games on a server anyway.
                if self.limits.workers.is_none() {
                    finish_when_asked(tell)?;
                }
                let lineup = Lineup { players: &players, instructions };
                self.play_between(lineup, state, heard, listeners, stop).await
            })
        })?;
        let games = contents.state.played();
        Ok(RunOutcome { end, games, unchanged: Some(contents).filter(|_| at_once == 0) })
    }
}

/// Everything that listens to a run besides its progress.
struct Listening<'r> {
    recorder: Recorder<'r>,
    live_tables: LiveTables,
    workers: WorkersFile,
    pgn: Option<PgnFile>,
    heard: Heard,
    _live_boards: Option<LiveBoards>,
}

/// What games need of those that listen.
struct Heard {
    spectators: Arc<Spectators>,
    /// How many games of this run are on disk.
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "workers need it"))]
    synced: watch::Receiver<u64>,
}

impl<'r> Listening<'r> {
    /// Begins to listen to `run`, in which this many games are played at once. Problems are told to
    /// `listener`.
    fn new(
        run: &PlannedRun<'r>,
        (log, bell): (LogWriter, HookBell),
        at_once: usize,
        state: &TournamentState,
        listener: &mut dyn Listener,
    ) -> Result<Self, Failure> {
        let PlannedRun { tournament, limits, folder, .. } = *run;
        let recorder = Recorder::new(folder, log);
        let synced = recorder.synced();
        let mut live_tables = LiveTables::new(folder.dir(), state.header());
        if state.is_league() {
            live_tables = live_tables.with_overtakes(Overtakes::new(bell));
        }
        if at_once > 0 {
            live_tables.begin();
        }
        let spectators = Arc::new(Spectators::new(drawn));
        // Players must not learn from others what is hidden from them.
        let are_shown = limits.workers.is_none() && !tournament.game.is_hidden() && at_once > 0;
        let live_boards =
            if are_shown { live_boards(folder, &spectators, state, listener)? } else { None };
        let is_needed = |name: &&str| at_once > 0 || !report::follows_the_log(folder.dir(), name);
        let begin = |name| PgnFile::begin(name, tournament, folder.dir());
        Ok(Self {
            recorder,
            live_tables,
            workers: WorkersFile::new(folder.dir()),
            pgn: tournament.pgn.as_deref().filter(is_needed).map(begin).transpose()?,
            heard: Heard { spectators, synced },
            _live_boards: live_boards,
        })
    }

    /// Calls `play` with all listeners, `listener` among them.
    fn with<T>(
        mut self,
        listener: &mut dyn Listener,
        play: impl FnOnce(&mut Listeners<'_>, &Heard) -> T,
    ) -> T {
        let mut listeners =
            Listeners(vec![&mut self.recorder, &mut self.live_tables, &mut self.workers, listener]);
        listeners.0.extend(self.pgn.as_mut().map(|pgn| pgn as &mut dyn Listener));
        play(&mut listeners, &self.heard)
    }
}

/// Who plays.
struct Lineup<'p> {
    /// The players at the start, with their numbers.
    players: &'p [(usize, &'p PlayerSpec)],
    /// What is to change meanwhile.
    instructions: Instructions,
}

/// Instructs the run to finish when somebody interrupts it for the first time.
fn finish_when_asked(tell: mpsc::UnboundedSender<Instruction>) -> Result<(), Failure> {
    let mut asked = finish_asked()?;
    tokio::spawn(async move {
        if asked.wait_for(|asked| *asked).await.is_ok() {
            // A run that is over needs no instruction.
            let _ = tell.send(Instruction::Finish);
        }
    });
    Ok(())
}

impl PlannedRun<'_> {
    /// Plays between the players of `lineup` until all games are played, an instruction ends the run, or
    /// `stop` is true.
    async fn play_between(
        &self,
        lineup: Lineup<'_>,
        state: &mut TournamentState,
        heard: &Heard,
        listeners: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let Lineup { players, instructions } = lineup;
        let Self { tournament, limits, containment, .. } = *self;
        let conditions = Arc::new(self.conditions(players, &heard.spectators)?);
        let at_once = if state.is_league() { limits.jobs } else { limits.at_once(state.due()) };
        let seats = tournament.game.seats().len();
        limits.refuse_too_many(at_once, players.iter().map(|&(_, player)| player), seats)?;
        let header = state.header().clone();
        let deadline = watch::Sender::new(limits.deadline);
        let runner = Runner { state, jobs: limits.jobs, instructions, deadline };
        match &limits.workers {
            None => {
                let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
                let venue = ThisMachine {
                    game: &*tournament.game,
                    conditions,
                    book: OpeningBook::new(rules, header.openings.as_ref())?,
                    cores: Cores::of_this_process(tournament.clock.cores_per_game()),
                    sandbox: Arc::clone(containment),
                };
                if let Some(crowded) = venue.cores.crowded_by(at_once) {
                    listeners.on(RunEvent::Warning(&crowded), runner.state)?;
                }
                Ok(runner.run(&venue, listeners, stop).await?)
            }
            #[cfg(not(feature = "nats"))]
            Some(_) => Err(remote_args::missing_feature()),
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
fn drawn(position: &dyn AnyPosition, events: &[Event]) -> serde_json::Value {
    // Nothing in a frame can fail to become JSON.
    serde_json::to_value(Frame::whole(position, events)).unwrap_or_default()
}

/// Shows the games in play to people who look. If that is impossible, says why; they are played all
/// the same.
fn live_boards(
    folder: &LockedFolder,
    spectators: &Arc<Spectators>,
    state: &TournamentState,
    listener: &mut dyn Listener,
) -> Result<Option<LiveBoards>, Failure> {
    match LiveBoards::open(folder.dir(), Arc::clone(spectators)) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) => {
            let why = referee_protocol::escape::terminal(&error.to_string());
            let warning = format!("the games in play cannot be shown: {why}");
            listener.on(RunEvent::Warning(&warning), state)?;
            Ok(None)
        }
    }
}

/// The outcome of a run.
pub(super) struct RunOutcome {
    /// How it ended.
    pub(super) end: RunEnd,
    /// The number of games that the log must contain now.
    games: usize,
    /// The contents of the log, if nothing was left to play.
    unchanged: Option<LogContents>,
}

impl RunOutcome {
    /// The tables of the log in `dir`, which must contain all games of this run and no others.
    pub(super) fn tables(&mut self, dir: &Path) -> Result<Tables, Failure> {
        let contents = self.unchanged.take().map_or_else(|| folder::read(dir, |_, _| {}), Ok)?;
        let tables = Tables::of(TournamentAnalysis::of(dir, contents, Faulted::Count)?);
        folder::check_count(dir, tables.analysis.state.played(), self.games)?;
        Ok(tables)
    }
}

/// The open files that a run needs besides those of its games.
const APART: u64 = 40;

/// Refuses more games at once than the limit on open files allows, at `each` files per game.
fn refuse_too_many(games: usize, each: u64) -> Result<(), Failure> {
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
fn in_order_of<'a>(
    names: &'a [String],
    players: &'a [PlayerSpec],
) -> impl Iterator<Item = &'a PlayerSpec> {
    names.iter().filter_map(|name| players.iter().find(|player| player.name == *name))
}

/// Prints the ranking and what to do next.
fn conclude(
    args: &RunArgs,
    name: &str,
    (tables, out): (&Tables, &[String]),
    printer: Printer,
) -> Result<Status, Failure> {
    let dir = tables.analysis.dir();
    show(args, name, &tables.standings, printer)?;
    if let (OutputFormat::Text, Some(line)) = (args.format, match_so_far(&tables.analysis.state)) {
        printer.line(&line)?;
    }
    for line in out {
        printer.note(line);
    }
    printer.note(&format!("Results: {}", dir.display()));
    for line in results_folder::outdated(dir, &tables.analysis.header) {
        printer.note(&line);
    }
    let called = command_options::for_replay(dir, &args.config, &tables.analysis.header);
    let replay = to_watch(&tables.analysis)
        .map(|id| format!(", or referee replay {id} {called}"))
        .unwrap_or_default();
    printer.note(&format!("next: open report.html there{replay}"));
    let found = args.strict && tables.standings.fault_total() > 0;
    Ok(if found { Status::Found } else { Status::Done })
}

/// The id of a game that counts and is worth watching.
fn to_watch(analysis: &TournamentAnalysis) -> Option<String> {
    let TournamentAnalysis { header, state, .. } = analysis;
    let reason = |game: &(Fixture, GameSummary)| WatchReason::of(header, game.0.players, game.1);
    let (fixture, _) = state.counted().min_by_key(reason)?;
    state.index(fixture).map(|index| state.id(index))
}

/// Prints the ranking, and writes it to the files that were asked for.
fn show(
    args: &RunArgs,
    name: &str,
    standings: &Standings,
    printer: Printer,
) -> Result<(), Failure> {
    match args.format {
        OutputFormat::Text => {
            printer.styled(&terminal::ranking(standings, printer.width(), printer.colour))?;
        }
        OutputFormat::Json => printer.json(&StandingsJson::from(standings))?,
    }
    let failed = |path: &Path, error: io::Error| Failure::cannot_write(path, &error);
    if let Some(path) = &args.junit {
        fs::write(path, ci::junit(name, standings)).map_err(|error| failed(path, error))?;
    }
    if let Some(path) = &args.summary {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(ci::summary(name, standings).as_bytes()))
            .map_err(|error| failed(path, error))?;
    }
    Ok(())
}
