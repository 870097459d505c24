//! `run`: plays a tournament from its configuration, or resumes it.

mod conclusion;
mod game_gate;
mod hook_runner;
mod live_boards;
mod live_tables;
mod overtakes;
mod pgn_file;
mod plan;
mod planned_run;
mod play_league;
pub(super) mod remote_args;
mod workers_file;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use self::hook_runner::HookRunner;
pub(super) use self::hook_runner::HookSender;
use self::plan::print_run_plan;
pub(super) use self::planned_run::{PlannedRun, RunLimits};
use self::play_league::play_league;
use self::remote_args::RemoteArgs;
use super::containment_args::{containment_level_parser, containment_mechanism_parser};
use super::league::take_over_previous_league;
use super::parallel_builds::{BuildSandbox, build_configured_players};
use super::report::command_options;
use super::runtime::watch_interruption;
use super::settings::{GivenSettings, Settings};
use super::until::Until;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use crate::progress::ProgressDisplay;
use referee_config::{CONFIG, Configuration};
use referee_ratings::{MOST_PLAYERS, RatingError};
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::stage::Stage;
use referee_record::model::tournament::{MOST_JOBS, Tournament};
use referee_record::shell::quote_for_shell;
use referee_sandbox::{Level, Mechanism};
use referee_tournament::folder::{LockedFolder, SECRET};
use referee_tournament::run::deadline::RunDeadline;
use referee_tournament::run::resume::{ReplaceRequest, prepare_resume};

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee run                          play tournament.toml
  referee run autumn.toml --jobs 8     eight games at once
  referee run --replace greedy         greedy has changed: play its games again
  referee run --until 18:30            get the best possible ranking by 18:30
  referee run --on nats://host:4222    let a server's workers play
  referee run --quiet --strict --junit referee.xml --summary summary.md

Ctrl-C stops the run: it finishes the games in progress and writes the tables. A second one drops
these games; a third one exits immediately.

Exit codes: 0 done, or the time is up; 1 a player committed a fault (--strict); 2 invalid
configuration; 3 cannot run, play or write something; 4 in use by another run, or the configuration
differs from the results; 130 interrupted, run again to continue.")]
pub(crate) struct RunArgs {
    /// The configuration file
    #[arg(default_value = "tournament.toml")]
    pub(crate) config: PathBuf,
    /// Number of games played at the same time (default: as configured, or one per core)
    #[arg(long, value_name = "N", value_parser = parse_run_jobs)]
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
    #[arg(long, value_name = "LEVEL", value_parser = containment_level_parser())]
    pub(crate) containment: Option<Level>,
    /// Leave out one mechanism, to see which other one holds (for tests)
    #[arg(long, hide = true, value_name = "MECHANISM", value_parser = containment_mechanism_parser())]
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
    /// Exit with code 1 if a player committed a fault
    #[arg(long)]
    pub(crate) strict: bool,
}

impl RunArgs {
    /// The command that continues with these results.
    fn command(&self) -> String {
        let mut command = "referee run".to_owned();
        let mut add = |words: &str| command.extend([" ", words]);
        if self.config != Path::new(CONFIG) {
            add(&quote_for_shell(&self.config.to_string_lossy()));
        }
        if let Some(results) = &self.results {
            add("--results");
            add(&quote_for_shell(&results.to_string_lossy()));
        }
        command
    }
}

/// Parses a number of games at once, within the limits of a configuration.
pub(super) fn parse_run_jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS);
    jobs.ok_or_else(|| format!("expected a whole number from 1 to {MOST_JOBS}"))
}

/// Plays the missing games.
pub(crate) fn run(args: &RunArgs, printer: Printer) -> Result<Status, Failure> {
    if let Some(refusal) = args.remote.refusal() {
        return Err(refusal);
    }
    match RunRequest::read(args, printer)? {
        None => Ok(Status::Interrupted),
        Some(request) if args.plan => print_run_plan(&request),
        Some(request) => request.execute(),
    }
}

/// What a run is asked for, by its configuration and its arguments.
struct RunRequest<'a> {
    args: &'a RunArgs,
    tournament: Tournament,
    settings: Settings,
    limits: RunLimits,
    until: Option<Until>,
    /// The command that continues with the results.
    command: String,
    printer: Printer,
}

impl<'a> RunRequest<'a> {
    /// Reads the configuration and builds its players. `None` if that was interrupted.
    fn read(args: &'a RunArgs, printer: Printer) -> Result<Option<Self>, Failure> {
        let configuration = Configuration::read(&args.config, printer.colour_err)?;
        let builds = configuration.builds()?;
        let sandbox = BuildSandbox { level: args.containment, without: args.without.clone() };
        if let Some(builds) = &builds
            && !build_configured_players(builds.clone(), &[], sandbox, printer)?
        {
            return Ok(None);
        }
        let mut tournament = configuration.tournament().into_result()?;
        if tournament.players.len() > MOST_PLAYERS {
            let error = RatingError::TooManyPlayers(tournament.players.len());
            return Err(Failure::input(error.to_string()));
        }
        let until = args.until.as_deref().map(Until::read).transpose()?;
        let mut settings = resolve_run_settings(args, &tournament);
        settings.builds = builds;
        for remark in &tournament.remarks {
            printer.note(remark);
        }
        if tournament.league.is_none() {
            tournament.stages.extend(until.as_ref().map(|_| Stage::extra_games()));
        }
        let limits = RunLimits {
            jobs: settings.jobs(),
            deadline: until.as_ref().map(|until| RunDeadline::new(until.at)),
            workers: args.remote.workers(&settings),
        };
        let command = args.command();
        Ok(Some(Self { args, tournament, settings, limits, until, command, printer }))
    }

    /// The results folder.
    fn dir(&self) -> PathBuf {
        self.settings.base.results.join(&self.tournament.name)
    }

    /// The players whose games are to be played again.
    fn replacements(&self) -> ReplaceRequest<'_> {
        ReplaceRequest { players: &self.args.replace, command: &self.command }
    }

    /// Plays the missing games and shows the results.
    fn execute(&self) -> Result<Status, Failure> {
        let Self { tournament, settings, until, printer, .. } = self;
        let dir = self.dir();
        let folder = LockedFolder::open(&dir)?;
        if let Some(league) = &tournament.league {
            take_over_previous_league(league, &dir)?;
        }
        if let Some(until) = until {
            printer.note(&format!("new games only start if they should end before {}", until.text));
        }
        let containment = settings.sandbox(Some(folder.dir()))?;
        printer.note(&containment.summary());
        let note = |text: &str| printer.note(text);
        let record = containment.record();
        let prepared = prepare_resume(&folder, tournament, &record, self.replacements(), &note)?;
        if tournament.seed.is_none() && prepared.contents.state.played() == 0 {
            create_run_secret(&folder, *printer)?;
        }
        let called = command_options::ask_command_options(folder.dir(), Some(&self.args.config));
        let end = until.as_ref().map(|until| until.at);
        let mut progress =
            ProgressDisplay::new(*printer).with_end_time(end).with_command_options(Some(called));
        let hooks = HookRunner::begin(tournament.hook.as_ref(), &tournament.name)?;
        let planned = PlannedRun {
            tournament,
            limits: &self.limits,
            folder: &folder,
            containment: &containment,
            bell: hooks.sender(),
        };
        let outcome = match &tournament.league {
            None => planned.play(prepared, &mut progress, async { watch_interruption() })?,
            Some(league) => {
                play_league(&planned, league, settings, prepared, &mut progress, *printer)?
            }
        };
        if let Some(failed) = hooks.end(outcome.games, &dir) {
            printer.note(&failed);
        }
        let status = conclusion::conclude_run(self, outcome, &dir)?;
        refuse_run_with_replaced_players(&tournament.players, &self.command)?;
        Ok(status)
    }
}

/// Creates the secret of a tournament and says where it is. It is not shown: a terminal, a projector
/// or a log of CI may be public.
fn create_run_secret(folder: &LockedFolder, printer: Printer) -> Result<(), Failure> {
    folder.load_or_create_secret(None)?;
    printer.note(&format!(
        "All seeds are drawn from a secret, {}; keep it private while games are played.",
        folder.dir().join(SECRET).display()
    ));
    Ok(())
}

/// Fails if a player's program has changed while games were played, and says what to do; `command`
/// continues with the results.
fn refuse_run_with_replaced_players(players: &[PlayerSpec], command: &str) -> Result<(), Failure> {
    refuse_run_with_changed_players(players, |changed| {
        let names = changed.iter().map(|name| format!(" --replace {}", quote_for_shell(name)));
        let replace: String = names.collect();
        format!("Put the old one back, or play all its games again with `{command}{replace}`")
    })
}

/// Resolves the settings. The game, its options and the players are those of the configuration.
fn resolve_run_settings(args: &RunArgs, tournament: &Tournament) -> Settings {
    let given = GivenSettings {
        containment: args.containment,
        without: args.without.clone(),
        jobs: args.jobs,
        results: args.results.clone(),
        ..GivenSettings::default()
    };
    Settings::resolve(given, Some(tournament.clone()), &args.config)
}

/// Fails if a player's program has changed since it was read: no one would know which version
/// played. `what_now` turns the names into advice.
pub(super) fn refuse_run_with_changed_players(
    players: &[PlayerSpec],
    what_now: impl FnOnce(&[&str]) -> String,
) -> Result<(), Failure> {
    let is_another = |player: &&PlayerSpec| player.fingerprint.differs_from_hash(&player.hash);
    let changed: Vec<&str> =
        players.iter().filter(is_another).map(|player| player.name.as_str()).collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failure::conflict(referee_protocol::escape::escape_line(&format!(
        "the program changed during play: {}. Games that may be affected have a \
         warning in the log. {}",
        changed.join(", "),
        what_now(&changed)
    ))))
}
