//! `tune`: finds better values of a player's parameters by playing.

mod tune_file;

use std::path::{Path, PathBuf};

use clap::Args;

use self::tune_file::TuneFile;
use super::compare::{
    self, CompareArgs, CompareGamesArgs, EloUnit, compare_args_sprt, compare_directly,
};
use super::results_folder::TUNING;
use super::run::remote_args::RemoteArgs;
use super::run::{HookSender, PlannedRun, RunLimits, refuse_run_with_changed_players};
use super::runtime::watch_interruption;
use super::settings::Settings;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_games::Seat;
use referee_ratings::SpsaParameter;
use referee_record::disk;
use referee_record::log::WriteError;
use referee_record::model::fault::FaultCode;
use referee_record::model::opening_source::OpeningSource;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::stage::{MOST_PAIRS, Stage};
use referee_record::seeds::step_seed;
use referee_record::wording::pluralize;
use referee_report::page::tuning_page::{TuningStep, render_tuning_page, tuning_csv};
use referee_tournament::folder::{LockedFolder, read_folder_log};
use referee_tournament::run::RunEnd;
use referee_tournament::run::resume::{ReplaceRequest, prepare_resume};
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::schedule::tournament_state::TournamentState;

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example of FILE:
  player = \"engine\"
  steps = 200
  pairs = 4
  [[parameters]]
  option = \"Contempt\"            or env = \"NAME\", or argument = \"--contempt={}\"
  start = 0
  min = -100
  max = 100
  step = 20
  whole = true

Examples:
  referee tune tune.toml --tc 1+0.01      tune, or resume, and compare the result with the start
  referee tune tune.toml --max-pairs 0    only tune

Exit codes: those of `compare`, run on the result and the start.")]
pub(crate) struct TuneArgs {
    /// The player and its parameters, as TOML
    pub(crate) file: PathBuf,
    /// At the end, test whether the result is stronger than the start by this many Elo, or not at all
    #[arg(long, default_value_t = 50.0)]
    pub(crate) elo1: f64,
    /// Maximum number of pairs in that comparison; 0 skips it
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_PAIRS)))]
    pub(crate) max_pairs: u32,
    /// Seed for all random numbers (default: the one in the configuration, or 1)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) games: CompareGamesArgs,
}

/// The tables of a tuning: its steps, and a page with a chart of them.
const STEPS: &str = "steps.csv";
const PAGE: &str = "tuning.html";

/// Tunes the player, and compares the result with the start.
pub(crate) fn run(args: &TuneArgs, printer: Printer) -> Result<Status, Failure> {
    if let Some(refusal) = args.games.remote.refusal() {
        return Err(refusal);
    }
    // Not after all steps.
    if args.max_pairs > 0 {
        compare_args_sprt(&tuned_comparison_args(args))?;
    }
    let file = TuneFile::read(&args.file)?;
    let words = [file.player.clone()];
    let Some(opened) = args.games.settings.open(&words, printer)? else {
        return Ok(Status::Interrupted);
    };
    let mut settings = opened.resolve(args.games.given(args.seed), printer)?;
    let seed = *settings.base.seed.get_or_insert(1);
    let player = settings.program(&file.player, "a person cannot be tuned; pass a program")?;
    if !player.usage.is_none() {
        return Err(Failure::input(
            "a player with a budget cannot be tuned, because each step would have the whole budget; \
             remove `tokens` and `cost`",
        ));
    }
    let tuning = TuneRun { file: &file, player, settings, seed, remote: &args.games.remote };
    let at_start = tuning.player_with_values("start", &file.starts())?;
    let dir = tuning.folder(&at_start, printer)?;
    let Some(values) = tuning.run(&dir, printer)? else {
        printer.note("stopped; run the same command again to continue");
        return Ok(Status::Interrupted);
    };
    printer.note(&format!("Steps: {}", dir.join(STEPS).display()));
    let tuned = tuning.player_with_values("tuned", &values)?;
    if args.max_pairs == 0 || tuned.hash == at_start.hash {
        match args.games.format {
            OutputFormat::Text => printer.line(&file.format_values(&values))?,
            OutputFormat::Json => printer.json(&file.json(&values, &dir))?,
        }
        // The values at the start are the best ones found.
        return Ok(if args.max_pairs == 0 { Status::Done } else { Status::NotBetter });
    }
    printer.note(&format!("Tuned: {}", file.format_values(&values)));
    let TuneRun { mut settings, .. } = tuning;
    settings.base.results = dir;
    compare_directly(&tuned_comparison_args(args), vec![tuned, at_start], &settings, printer)
}

/// The comparison of the result with the start.
fn tuned_comparison_args(args: &TuneArgs) -> CompareArgs {
    CompareArgs {
        a: "tuned".to_owned(),
        b: Some("start".to_owned()),
        against: Vec::new(),
        others: Vec::new(),
        elo0: 0.0,
        elo1: args.elo1,
        alpha: 0.05,
        beta: 0.05,
        unit: EloUnit::Logistic,
        within: 0.0,
        max_pairs: args.max_pairs,
        seed: args.seed,
        games: args.games.clone(),
    }
}

/// What is tuned, and how its games are played.
struct TuneRun<'a> {
    file: &'a TuneFile,
    player: PlayerSpec,
    settings: Settings,
    seed: u64,
    remote: &'a RemoteArgs,
}

impl TuneRun<'_> {
    /// The player with these values, under another name.
    fn player_with_values(&self, name: &str, values: &[f64]) -> Result<PlayerSpec, Failure> {
        self.file.with_values(PlayerSpec { name: name.to_owned(), ..self.player.clone() }, values)
    }

    /// The results folder. What affects the steps is part of its name, so another tuning has another.
    fn folder(&self, start: &PlayerSpec, printer: Printer) -> Result<PathBuf, Failure> {
        let named = PlayerSpec { name: self.player.name.clone(), ..start.clone() };
        let stage = Stage::round_robin(self.file.pairs);
        let whole = compare::comparison_tournament(
            TUNING,
            stage,
            (vec![named], Vec::new()),
            &self.settings,
            printer,
        )?;
        // Each step goes on in the book where the one before it ended.
        let is_by_step = matches!(whole.openings, Some(OpeningSource::Book(_)));
        let openings = if is_by_step { " openings by step" } else { "" };
        let conditions = format!("{} {}{openings}", whole.name, self.file.conditions());
        let conditions = blake3::hash(conditions.as_bytes());
        let name = format!("{}-{}", whole.name, &conditions.to_hex()[..8]);
        Ok(whole.results.join(name))
    }

    /// Plays all steps that were not played before. Returns the values at the end, or none if it was
    /// interrupted.
    fn run(&self, dir: &Path, printer: Printer) -> Result<Option<Vec<f64>>, Failure> {
        let (schedule, tunables) = (self.file.schedule(), self.file.tunables());
        let mut values = self.file.starts();
        let mut steps = vec![TuningStep { lead: None, values: values.clone() }];
        for step in 1..=schedule.steps {
            let seed = step_seed(self.seed, step);
            let up: Vec<bool> =
                (0..).zip(&tunables).map(|(at, _)| step_seed(seed, at) & 1 == 1).collect();
            let probe = schedule.probe(step, &tunables, &values, &up);
            let players = [
                self.player_with_values("plus", &probe.plus)?,
                self.player_with_values("minus", &probe.minus)?,
            ];
            let Some(games) = self.play(dir, step, seed, &players, printer)? else {
                return Ok(None);
            };
            let lead = games.lead;
            values = schedule.values_after_step(step, &tunables, &values, &up, lead);
            steps.push(TuningStep { lead: Some(lead), values: values.clone() });
            self.write(dir, &tunables, &steps)?;
            if !games.is_new {
                // It was told when it was played.
                continue;
            }
            let shown = self.file.format_values(&values);
            let faulty = match games.faulty {
                0 => String::new(),
                faulty => format!(" ({} with a fault)", pluralize(faulty, "game")),
            };
            printer.note(&format!("step {step} of {}: {lead:+}{faulty}; {shown}", schedule.steps));
        }
        Ok(Some(self.file.played_values(&values)))
    }

    /// Writes the log of the steps, and the page.
    fn write(
        &self,
        dir: &Path,
        tunables: &[SpsaParameter],
        steps: &[TuningStep],
    ) -> Result<(), Failure> {
        let names = self.file.names();
        let page = render_tuning_page(&self.player.name, &names, tunables, steps);
        for (name, content) in [(STEPS, tuning_csv(&names, steps)), (PAGE, page)] {
            let path = dir.join(name);
            disk::write_atomically_unsynced(&path, content.as_bytes()).map_err(|error| {
                Failure::system(format!("cannot write `{}`: {error}", path.display()))
            })?;
        }
        Ok(())
    }

    /// Plays a step, or what is missing of it. Returns none if the run was interrupted.
    fn play(
        &self,
        dir: &Path,
        step: u32,
        seed: u64,
        players: &[PlayerSpec; 2],
        printer: Printer,
    ) -> Result<Option<TuneStepGames>, Failure> {
        if players[0].hash == players[1].hash {
            return Ok(Some(TuneStepGames::default()));
        }
        let stage = Stage::round_robin(self.file.pairs);
        let given = (players.to_vec(), Vec::new());
        let mut tournament =
            compare::comparison_tournament(TUNING, stage, given, &self.settings, printer)?;
        // All games of a step have the luck of their step, and its openings.
        tournament.seed = Some(seed);
        let before = u64::from(step - 1) * u64::from(self.file.pairs);
        tournament.openings = tournament.openings.map(|source| source.after_pairs(before));
        dir.clone_into(&mut tournament.results);
        tournament.name = format!("step-{step:04}");
        let folder = LockedFolder::open(&tournament.results.join(&tournament.name))?;
        let containment = self.settings.sandbox(Some(folder.dir()))?;
        let request = ReplaceRequest { players: &[], command: "referee tune" };
        let record = containment.record();
        let prepared = prepare_resume(&folder, &tournament, &record, request, &|text| {
            printer.note(text);
        })?;
        let workers = self.remote.workers(&self.settings);
        let limits = RunLimits { jobs: self.settings.jobs(), deadline: None, workers };
        let is_new = prepared.contents.state.count_due() > 0;
        let planned = PlannedRun {
            tournament: &tournament,
            limits: &limits,
            folder: &folder,
            containment: &containment,
            bell: HookSender::default(),
        };
        let outcome = planned.play(prepared, &mut Silent, async { watch_interruption() })?;
        if let RunEnd::Failed(failure) = outcome.end {
            return Err(failure.into());
        }
        refuse_run_with_changed_players(&tournament.players, |_| {
            "Start a new tuning run with it".to_owned()
        })?;
        let played = read_folder_log(folder.dir(), |_, _| {})?.state;
        if played.count_due() > 0 {
            return Ok(None);
        }
        Ok(Some(TuneStepGames { is_new, ..TuneStepGames::from_state(&played)? }))
    }
}

/// The games of a step.
#[derive(Default)]
struct TuneStepGames {
    /// How many games more the player called `plus` won than it lost.
    lead: f64,
    /// The games with a fault.
    faulty: usize,
    /// Whether some were played now.
    is_new: bool,
}

impl TuneStepGames {
    /// Fails if the player started in none of the games.
    fn from_state(state: &TournamentState) -> Result<Self, Failure> {
        let (mut games, mut has_started) = (Self::default(), false);
        for (fixture, summary) in state.counted_games() {
            let names = fixture.players.two().map(|player| state.name(player));
            let seat = if names[0] == "plus" { Seat::FIRST } else { Seat::SECOND };
            games.lead += match summary.outcome().map(|_| summary.halves()[seat]) {
                Some(2) => 1.0,
                Some(0) => -1.0,
                _ => 0.0,
            };
            games.faulty += usize::from(summary.is_faulted());
            let failed = |seat| {
                matches!(summary.faults.of(seat), Some(FaultCode::NoStart | FaultCode::Outage))
            };
            has_started |= !failed(Seat::FIRST) && !failed(Seat::SECOND);
        }
        if !has_started {
            return Err(Failure::input(
                "the player played no games in one step, so nothing can be tuned; `referee check` \
                 shows why",
            ));
        }
        Ok(games)
    }
}

/// The games of a step need no progress of their own.
struct Silent;

impl RunListener for Silent {
    fn on(&mut self, _: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        Ok(())
    }
}
