//! Shared by commands that seat players: the game, its options, the time limits, and the configured
//! players.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::Failure;
use super::containment_args::level_named;
use super::game_args::{OptionArgs, game_named};
use crate::config::{self, LoadedConfig, PlayerArgument};
use crate::model::clock::{Measure, TimeControl};
use crate::model::containment::ContainmentRequest;
use crate::model::player::PlayerSpec;
use crate::model::record::FaultPolicy;
use crate::model::rules::GameRules;
use crate::model::tournament::Tournament;
use crate::player::Sandbox;
use crate::printer::Printer;
use referee_games::{GameKind, SharedGame, Text};
use referee_sandbox::Level;

/// The game and its terms, as the command line gives them.
#[derive(Debug, Clone, Args)]
pub struct GameSettingsArgs {
    /// The game (default: that of the configuration, or watch-your-back)
    #[arg(long, value_parser = game_named())]
    pub game: Option<GameKind>,
    #[command(flatten)]
    pub options: OptionArgs,
    /// The configuration with players and limits (default: tournament.toml, if it exists)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sandbox level (default: as configured, or the strongest that works)
    #[arg(long, value_name = "LEVEL", value_parser = level_named())]
    pub containment: Option<Level>,
}

/// The game and its terms, after reading the configuration.
#[derive(Debug)]
pub(super) struct GameSettings {
    /// The game.
    pub(super) game: SharedGame,
    /// The time limits: the configured ones, or else five seconds per move.
    pub(super) control: TimeControl,
    /// The requested containment of the players.
    pub(super) request: ContainmentRequest,
    /// What happens after an illegal action.
    pub(super) policy: FaultPolicy,
    /// The players in the configuration.
    pub(super) players: Vec<PlayerSpec>,
    /// The path of the configuration that was read.
    pub(super) config: PathBuf,
    /// Its problems, if any. It may name players that could not be read.
    problems: Option<Failure>,
    /// The options of the configuration, if it is for this game.
    configured: Vec<(Text, String)>,
    /// The command line's options, which override them.
    options: OptionArgs,
}

/// The configuration that is read if none is named.
const CONFIG: &str = "tournament.toml";

/// Reads the configuration. A named one must be valid. Otherwise reads `tournament.toml`, if it
/// exists, and returns its problems.
pub(super) fn read_config(
    named: Option<&Path>,
    printer: Printer,
) -> Result<Option<LoadedConfig>, Failure> {
    let colour = printer.colour_err;
    if let Some(path) = named {
        let tournament = config::load(path, colour)?;
        return Ok(Some(LoadedConfig { tournament: Some(tournament), problems: None }));
    }
    let path = Path::new(CONFIG);
    Ok(path.exists().then(|| config::read(path, colour)))
}

impl GameSettingsArgs {
    /// Reads the configuration, if there is one. If it was not named, it may have problems. Then a
    /// note says what is used of it, and [`GameSettings::player`] fails if the missing part may be
    /// needed.
    pub(super) fn read(&self, printer: Printer) -> Result<GameSettings, Failure> {
        let reading = read_config(self.config.as_deref(), printer)?;
        let (configured, problems) =
            reading.map_or((None, None), |reading| (reading.tournament, reading.problems));
        let is_left_out = problems.is_some() && configured.is_none();
        let setting = self.with(configured, problems);
        if is_left_out {
            printer.note(&format!(
                "{CONFIG} has problems, which `referee run --plan` shows, and is left out: this is \
                 {}, with the default options and limits",
                setting.game.name()
            ));
        } else if setting.problems.is_some() {
            printer.note(&format!(
                "{CONFIG} has problems in its players, which `referee run --plan` shows; the rest \
                 of it holds"
            ));
        }
        Ok(setting)
    }

    fn with(&self, configured: Option<Tournament>, problems: Option<Failure>) -> GameSettings {
        let named = configured.as_ref().map(|tournament| tournament.game.clone());
        let game = self.game.map(GameKind::shared).or(named);
        let game = game.unwrap_or_else(|| GameKind::WatchYourBack.shared());
        // Options and limits of a configuration are for its own game only.
        let request =
            configured.as_ref().map(|known| known.containment.clone()).unwrap_or_default();
        let same = configured.as_ref().filter(|tournament| tournament.game.is_same_as(&*game));
        let given = same.map(|same| same.options.given()).unwrap_or_default();
        GameSettings {
            game,
            policy: configured
                .as_ref()
                .map_or(FaultPolicy::Lose, |configured| configured.fault_policy),
            request: ContainmentRequest { level: self.containment.or(request.level), ..request },
            control: configured.as_ref().map_or(default_control(), |configured| configured.clock),
            configured: given,
            options: self.options.clone(),
            players: configured.map(|configured| configured.players).unwrap_or_default(),
            config: self.config.clone().unwrap_or_else(|| PathBuf::from(CONFIG)),
            problems,
        }
    }
}

impl GameSettings {
    /// The rules in force, which guarantee that every game ends.
    pub(super) fn rules(&self, printer: Printer) -> Result<GameRules, Failure> {
        self.options.of_whole_games(&self.game, &self.configured, printer)
    }

    /// The sandbox for the players, tested on this machine now.
    pub(super) fn contain(&self) -> Result<Arc<Sandbox>, Failure> {
        Ok(Arc::new(Sandbox::resolve(&self.request)?))
    }

    /// The player that `word` names. If there is none and the configuration has problems, it may be
    /// missing because of them, so they are returned as the failure.
    pub(super) fn player(&self, word: &str) -> Result<PlayerArgument, Failure> {
        PlayerArgument::parse(word, &self.players).map_err(|unknown| match &self.problems {
            Some(problems) => problems.clone(),
            None => unknown,
        })
    }

    /// The program that `word` names. `why_none` says why a person is not allowed.
    pub(super) fn program(&self, word: &str, why_none: &str) -> Result<PlayerSpec, Failure> {
        match self.player(word)? {
            PlayerArgument::Program(spec) => Ok(*spec),
            PlayerArgument::Human => Err(Failure::input(format!("player `human`: {why_none}"))),
        }
    }
}

/// The default time limits, without a configuration.
pub(super) fn default_control() -> TimeControl {
    TimeControl {
        startup: config::DEFAULT_STARTUP,
        budget: None,
        increment: Duration::ZERO,
        per_move: Some(config::DEFAULT_MOVE),
        measure: Measure::Wall,
        count_startup: false,
        ponder: false,
    }
}
