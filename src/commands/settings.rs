//! Resolves the settings of a command: the command line decides first, then the configuration, then
//! the defaults.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::Failure;
use super::containment_args::containment_level_parser;
use super::game_args::{GameArgument, GameOptionArgs, game_argument_parser};
use super::parallel_builds::{BuildSandbox, build_configured_players};
use super::recorded_rules::RecordedRulesArgs;
use crate::command_failure::FailureKind;
use crate::printer::Printer;
use referee_config::{CONFIG, Configuration, ConfiguredBuilds, PlayerArgument};
use referee_games::{GameKind, Options, SharedGame};
use referee_match::player::PlayerSandbox;
use referee_protocol::escape::escape_line;
use referee_record::model::clock::TimeControl;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::{EngineProtocol, PlayerKind, PlayerSpec};
use referee_record::model::record::{FaultPolicy, Header};
use referee_record::model::short_clock::{ClockArgument, ShortClock};
use referee_record::model::stage::{RankedBy, Stage};
use referee_record::model::tournament::{DEFAULT_RESULTS, Tournament};
use referee_sandbox::{Level, Mechanism};
use referee_tournament::run::cores::count_games_for_cores;

#[cfg(test)]
mod tests;

/// The game and its terms, as the command line gives them.
#[derive(Debug, Clone, Args)]
pub(crate) struct GameSettingsArgs {
    /// The game (default: the one in the configuration; without one, chess for UCI engines, or
    /// watch-your-back)
    #[arg(long, value_parser = game_argument_parser())]
    pub(crate) game: Option<GameArgument>,
    #[command(flatten)]
    pub(crate) options: GameOptionArgs,
    /// The configuration with players and limits (default: tournament.toml, if it exists)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The clock: seconds and increment, such as 10+0.1, 5:00+2 or 40/60+0.6, or a limit per move,
    /// such as 500ms or 5s (default: as configured; without a configuration, 2+0.02 for engines, or
    /// 5s)
    #[arg(long, value_name = "TC")]
    pub(crate) tc: Option<ClockArgument>,
    /// Sandbox level (default: as configured, or the strongest that works)
    #[arg(long, value_name = "LEVEL", value_parser = containment_level_parser())]
    pub(crate) containment: Option<Level>,
}

impl GameSettingsArgs {
    /// The settings for these players. Without a configuration, an engine plays quickly, and one that
    /// speaks UCI plays chess.
    fn for_players(&self, words: &[String]) -> Self {
        let mut settings = self.clone();
        let engine = words.iter().find_map(|word| EngineProtocol::split(word));
        if let Some((protocol, _)) = engine
            && self.config.is_none()
            && !Path::new(CONFIG).exists()
        {
            let built_in = GameKind::named(protocol.game()).map(GameArgument::BuiltIn);
            settings.game = settings.game.or(built_in);
            settings.tc = settings.tc.or(Some(ClockArgument::Short(ShortClock::QUICK)));
        }
        settings
    }

    /// Reads the configuration, if there is one, and builds these players, if they need it and the
    /// configuration says how. `None` if that was interrupted. A configuration that may be a player's
    /// own is refused.
    pub(super) fn open(
        &self,
        words: &[String],
        printer: Printer,
    ) -> Result<Option<OpenedSettings>, Failure> {
        let config = self.read_config(printer)?;
        let read = config.as_ref();
        if let Some(configuration) = read {
            self.refuse_players_own(words, configuration)?;
        }
        // Its problems are among those of the tournament, which is read next.
        let builds = read.and_then(|configuration| configuration.builds().ok().flatten());
        let sandbox = BuildSandbox { level: self.containment, without: Vec::new() };
        if let Some(builds) = &builds
            && !build_configured_players(builds.clone(), words, sandbox, printer)?
        {
            return Ok(None);
        }
        Ok(Some(OpenedSettings { args: self.for_players(words), config, builds }))
    }

    /// Refuses a `tournament.toml` that the command does not name if it lies in the folder of one
    /// of these players and decides what programs may do: it may be the player's own.
    fn refuse_players_own(
        &self,
        words: &[String],
        configuration: &Configuration,
    ) -> Result<(), Failure> {
        let (None, Ok(here)) = (&self.config, std::env::current_dir()) else { return Ok(()) };
        let folder = |word: &String| {
            let place = fs::canonicalize(word).ok()?;
            let folder = if place.is_dir() { place } else { place.parent()?.to_owned() };
            here.starts_with(&folder).then_some(folder)
        };
        let around: Vec<&String> = words.iter().filter(|word| folder(word).is_some()).collect();
        // Each is a folder around this one, so the shortest holds the others.
        let place = around.iter().filter_map(|word| folder(word)).min();
        let ([word, ..], Some(place)) = (&around[..], place) else { return Ok(()) };
        let Some(key) = configuration.find_unsafe_key(&around, &place) else {
            return Ok(());
        };
        Err(Failure::input(format!(
            "{CONFIG} is in the folder of the player `{}`, and has {key}, which decides what \
             programs may do; if it is yours, add `--config {CONFIG}`",
            word.escape_debug()
        )))
    }

    /// The same settings as words for another command in the same folder.
    pub(super) fn words(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.display().to_string();
        let mut words = Vec::new();
        let mut put = |option: &str, value: String| words.extend([option.to_owned(), value]);
        match &self.game {
            Some(GameArgument::BuiltIn(kind)) => put("--game", kind.name().to_owned()),
            Some(GameArgument::File(file)) => put("--game", path(file)),
            None => {}
        }
        for (name, value) in &self.options.options {
            put("--option", format!("{name}={value}"));
        }
        self.options.boards.iter().for_each(|board| put("--board", board.clone()));
        self.config.iter().for_each(|config| put("--config", path(config)));
        self.tc.iter().for_each(|tc| put("--tc", tc.to_string()));
        self.containment.iter().for_each(|level| put("--containment", level.name().to_owned()));
        words
    }
}

/// The settings from the command line. Settings that a command does not offer stay empty.
#[derive(Debug, Clone, Default)]
pub(super) struct GivenSettings {
    pub(super) game: Option<SharedGame>,
    /// The options of the rules.
    pub(super) options: GameOptionArgs,
    /// The level of the sandbox.
    pub(super) containment: Option<Level>,
    /// The mechanisms that the sandbox leaves out.
    pub(super) without: Vec<Mechanism>,
    /// The seed of everything random.
    pub(super) seed: Option<u64>,
    /// The number of games at once.
    pub(super) jobs: Option<NonZeroUsize>,
    /// The folder of the results folders.
    pub(super) results: Option<PathBuf>,
}

/// The settings of a command.
#[derive(Debug)]
pub(super) struct Settings {
    /// The tournament of the configuration, or one without players, with what the command line
    /// changes. Its options and openings are for its game.
    pub(super) base: Tournament,
    pub(super) config: PathBuf,
    /// The command line's options, which override those of the configuration.
    options: GameOptionArgs,
    /// The problems of the configuration, if any. It may name players that could not be read.
    problems: Option<Failure>,
    /// The names of all its players, also of those that could not be read.
    names: Vec<String>,
    /// How submissions are built, if they are.
    pub(super) builds: Option<ConfiguredBuilds>,
}

impl Settings {
    /// Resolves the settings from the command line, the tournament in the file `path` if there is
    /// one, and the defaults. The options, openings and adjudication of a configuration hold for
    /// its own game only.
    pub(super) fn resolve(
        given: GivenSettings,
        configured: Option<Tournament>,
        path: &Path,
    ) -> Self {
        let mut base = configured.unwrap_or_else(settings_without_config);
        if let Some(game) = given.game {
            if !base.game.is_same_as(&*game) {
                (base.options, base.openings) = (Options::default(), None);
                base.adjudication = None;
            }
            base.game = game;
        }
        base.containment.level = given.containment.or(base.containment.level);
        base.containment.without = given.without;
        base.seed = given.seed.or(base.seed);
        base.jobs = given.jobs.or(base.jobs);
        base.results = given.results.unwrap_or(base.results);
        let settings = Self {
            base,
            config: path.to_owned(),
            options: given.options,
            problems: None,
            names: Vec::new(),
            builds: None,
        };
        tracing::debug!(?settings, "the settings in force");
        settings
    }

    /// The number of games at once; by default, one per core.
    pub(super) fn jobs(&self) -> usize {
        let one_per_core =
            || count_games_for_cores(self.base.clock.cores_per_game(self.base.game.seats().len()));
        self.base.jobs.unwrap_or_else(one_per_core).get()
    }

    /// The rules in force, which guarantee that every game ends.
    pub(super) fn rules(&self, printer: Printer) -> Result<GameRules, Failure> {
        self.options.finite_rules(&self.base.game, &self.base.options.given(), printer)
    }

    /// The sandbox for the players, tested on this machine now. It hides the folder of their games, if
    /// these are recorded.
    pub(super) fn sandbox(&self, games: Option<&Path>) -> Result<Arc<PlayerSandbox>, Failure> {
        let mut request = self.base.containment.clone();
        request.hidden.extend(self.results_to_hide(games));
        Ok(Arc::new(PlayerSandbox::resolve(&request)?))
    }

    /// The real paths of the results that players could see: the configuration hides only the
    /// folder that it names itself.
    fn results_to_hide(&self, games: Option<&Path>) -> Vec<PathBuf> {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        let around = self.config.parent().filter(|folder| *folder != Path::new(""));
        let around = real(around.unwrap_or(Path::new(".")));
        // Elsewhere it may hold what players need: `--results /tmp`.
        let is_inside = |results: &PathBuf| {
            around.as_ref().is_some_and(|around| results != around && results.starts_with(around))
        };
        let results = real(&self.base.results).filter(is_inside);
        games.and_then(real).into_iter().chain(results).collect()
    }

    /// The player that `word` names. If there is none and the configuration has problems, it may be
    /// missing because of them, so they are returned as the failure, unless `word` is the name of a
    /// file or folder.
    pub(super) fn player(&self, word: &str) -> Result<PlayerArgument, Failure> {
        if let Some(reason) = self.base.absent.get(word) {
            return Err(Failure::input(format!("player `{}`: {reason}", word.escape_debug())));
        }
        let is_read = self.base.players.iter().any(|player| player.name == word);
        if let Some(problems) = self.problems.as_ref().filter(|_| !is_read)
            && self.names.iter().any(|name| name == word)
        {
            return Err(problems.clone());
        }
        let builds = self.builds.as_ref().map(|builds| &builds.rules);
        PlayerArgument::parse(word, &self.base.players, builds).map_err(|unknown| {
            match &self.problems {
                Some(problems) if !Path::new(word).exists() => problems.clone(),
                _ => unknown.into(),
            }
        })
    }

    /// The program that `word` names. `refusal` is the whole message if it names a person.
    pub(super) fn program(&self, word: &str, refusal: &str) -> Result<PlayerSpec, Failure> {
        match self.player(word)? {
            PlayerArgument::Program(spec) => Ok(*spec),
            PlayerArgument::Human => Err(Failure::input(refusal)),
        }
    }

    /// The names of the programs among the configuration's players.
    pub(super) fn programs(&self) -> Result<Vec<String>, Failure> {
        let is_program = |player: &&PlayerSpec| !matches!(player.kind, PlayerKind::Bot(_));
        let names = self.base.players.iter().filter(is_program).map(|player| player.name.clone());
        let names: Vec<String> = names.collect();
        if let (true, Some(problems)) = (names.is_empty(), &self.problems) {
            return Err(problems.clone());
        }
        if names.is_empty() {
            let config = self.config.display();
            return Err(Failure::input(format!("--all: {config} has no programs; pass players")));
        }
        Ok(names)
    }

    /// The problems of the configuration, if any.
    pub(super) fn problems(&self) -> Option<&Failure> {
        self.problems.as_ref()
    }

    /// A tournament of these players under these settings, in a folder called `name`. Without
    /// quarantine, ratings that are fixed, and marks.
    pub(super) fn tournament(
        &self,
        name: String,
        options: Options,
        stages: Vec<Stage>,
        players: Vec<PlayerSpec>,
    ) -> Tournament {
        Tournament {
            name,
            options,
            // Notes about files were printed when they were read.
            remarks: Vec::new(),
            stages,
            rank: RankedBy::Ratings,
            quarantine: 0,
            anchors: Vec::new(),
            league: None,
            hook: None,
            grades: None,
            absent: BTreeMap::new(),
            pgn: None,
            players,
            ..self.base.clone()
        }
    }
}

impl GameSettingsArgs {
    /// Reads the configuration: a named one, or `tournament.toml` if it exists. That may also be
    /// unusable if the command line names the game.
    fn read_config(&self, printer: Printer) -> Result<Option<Configuration>, Failure> {
        let path = self.config.as_deref().unwrap_or(Path::new(CONFIG));
        if self.config.is_none() && !path.exists() {
            return Ok(None);
        }
        match Configuration::read(path, printer.colour_err) {
            Ok(configuration) => Ok(Some(configuration)),
            Err(_) if self.may_ignore_config() => {
                note_ignored_config(path, printer);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a configuration that cannot be used is ignored.
    fn may_ignore_config(&self) -> bool {
        self.config.is_none() && self.game.is_some()
    }

    /// The rules of a game recorded in the folder `results`. `--game` may only name the game file
    /// of its rules program.
    pub(super) fn recorded_rules(
        &self,
        header: &Header,
        results: &Path,
        printer: Printer,
    ) -> Result<GameRules, Failure> {
        let game_file = match &self.game {
            Some(GameArgument::BuiltIn(kind)) if kind.name() != header.game => {
                let (given, played) = (kind.name(), escape_line(&header.game));
                return Err(Failure::input(format!(
                    "--game {given}: the recorded game is {played}; leave out --game"
                )));
            }
            Some(GameArgument::File(path)) => Some(path.clone()),
            _ => self.config.clone().filter(|_| header.program.is_some()),
        };
        RecordedRulesArgs { game_file, level: self.containment }.open(header, results, printer)
    }
}

/// Says that a configuration is ignored.
fn note_ignored_config(path: &Path, printer: Printer) {
    let path = path.display();
    printer.note(&format!("{path} has problems (see `referee run --plan`) and is ignored"));
}

/// The settings of a command and its configuration, whose players are built.
#[derive(Debug)]
pub(super) struct OpenedSettings {
    args: GameSettingsArgs,
    config: Option<Configuration>,
    builds: Option<ConfiguredBuilds>,
}

impl OpenedSettings {
    /// Resolves the settings, with those of `given` that this command offers. A note says if the
    /// configuration has problems, and then [`Settings::player`] fails for a player that may be
    /// missing because of them.
    pub(super) fn resolve(
        self,
        given: GivenSettings,
        printer: Printer,
    ) -> Result<Settings, Failure> {
        let Self { args, config, builds } = self;
        let path = args.config.as_deref().unwrap_or(Path::new(CONFIG));
        let loaded = config.map(|configuration| configuration.tournament());
        let (configured, problems, names) =
            loaded.map_or_else(Default::default, |it| (it.tournament, it.problems, it.names));
        let problems = problems.map(Failure::from);
        if let Some(problems) = &problems {
            match &configured {
                Some(_) => printer.note(&format!(
                    "some players in {} are invalid (see `referee run --plan`); using the rest",
                    path.display()
                )),
                None if args.may_ignore_config() && problems.kind == FailureKind::Input => {
                    note_ignored_config(path, printer);
                }
                None => return Err(problems.clone()),
            }
        }
        // A rules program is contained as the configuration asks.
        let request = configured.as_ref().map(|known| known.containment.clone());
        let open = |game: &GameArgument| game.open(&request.unwrap_or_default(), printer);
        let given = GivenSettings {
            game: args.game.as_ref().map(open).transpose()?,
            options: args.options.clone(),
            containment: args.containment,
            ..given
        };
        let mut settings = Settings::resolve(given, configured, path);
        if let Some(tc) = args.tc {
            tc.set(&mut settings.base.clock);
        }
        Ok(Settings { problems, names, builds, ..settings })
    }

    /// The settings for a recorded game, whose rules are opened by
    /// [`recorded_rules`](GameSettingsArgs::recorded_rules) alone.
    pub(super) fn resolve_for_record(self, printer: Printer) -> Result<Settings, Failure> {
        let built_in = GameArgument::BuiltIn(GameKind::WatchYourBack);
        let args = GameSettingsArgs { game: Some(built_in), ..self.args };
        Self { args, ..self }.resolve(GivenSettings::default(), printer)
    }
}

fn settings_without_config() -> Tournament {
    Tournament {
        name: String::new(),
        game: GameKind::WatchYourBack.shared(),
        options: Options::default(),
        remarks: Vec::new(),
        stages: Vec::new(),
        openings: None,
        seed: None,
        jobs: None,
        clock: TimeControl {
            per_move: Some(referee_config::DEFAULT_MOVE),
            margin: referee_config::DEFAULT_MARGIN,
            ..TimeControl::unlimited(referee_config::DEFAULT_STARTUP)
        },
        containment: ContainmentRequest::default(),
        fault_policy: FaultPolicy::Lose,
        adjudication: None,
        rank: RankedBy::Ratings,
        quarantine: 0,
        anchors: Vec::new(),
        league: None,
        hook: None,
        grades: None,
        absent: BTreeMap::new(),
        players: Vec::new(),
        results: PathBuf::from(DEFAULT_RESULTS),
        pgn: None,
    }
}
