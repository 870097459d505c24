//! How to start a player's process.

use std::path::{Path, PathBuf};

use referee_games::{AnyGame, RulesProgram};
use referee_protocol::{LONG_NOTE_LIMIT, NOTE_LIMIT};
use referee_record::model::player_spec::{BRIDGE, EngineSettings, PlayerKind, PlayerSpec};
use referee_sandbox::{Command, DirView, Helper, THIS_PROGRAM};

/// How to start a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerLaunch {
    /// The command line, and the files that it may see. The helper is this program, whose rules a
    /// player can use to look ahead.
    pub command: Command,
    /// Whether it is the embedded bridge. On `SIGUSR1` the bridge writes to stderr what it is doing,
    /// and exits.
    pub bridged: bool,
    /// Whether it is a built-in player that has a rules program of its own, and says so if that
    /// fails.
    pub asks_rules: bool,
    /// How it is asked, if it is an engine.
    pub engine: Option<EngineSettings>,
    /// Whether it may ask for guesses of what a game hides from it.
    pub guesses: GuessRight,
    /// Whether it may say that it cannot reach its service.
    pub outages: OutageRight,
    /// How many bytes each of its notes may have.
    pub note_limit: usize,
}

/// Whether a player gets guesses of what a game hides from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuessRight {
    /// It is a built-in player, or the organiser allows it.
    Granted,
    /// It gets none.
    Denied,
}

/// Whether a player may say that it cannot reach its service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutageRight {
    /// The organiser allows it.
    Granted,
    /// It would be a wrong reply.
    Denied,
}

/// The variable that gives players the path of this program.
const REFEREE: &str = "REFEREE";

/// The source of the embedded bridge.
const BRIDGE_SOURCE: &str = include_str!("../../../../players/comp30024.py");

/// The environment of the bridge: its own imports ignore the player's folder, sets have the same
/// order in every game, and tracebacks omit the marks below a line.
const OF_BRIDGE: &[(&str, &str)] =
    &[("PYTHONSAFEPATH", "1"), ("PYTHONHASHSEED", "0"), ("PYTHONNODEBUGRANGES", "1")];

impl PlayerLaunch {
    /// How to start the player `spec` in this game. Built-in players run in this same program; if
    /// the rules are a program, they start a process of it for themselves.
    pub fn for_player(spec: &PlayerSpec, game: &dyn AnyGame) -> Self {
        let mut launch = Self::for_player_of_any_game(spec);
        if let (PlayerKind::Bot(_), Some(rules)) = (&spec.kind, game.program()) {
            launch.asks_rules = true;
            let command = &mut launch.command;
            command.args.extend(["--rules-program".to_owned(), rules_program_json(rules)]);
            let dir = PathBuf::from(&rules.dir);
            command.starts.push(PathBuf::from(&rules.program));
            command.readable.extend(launch_files(&rules.command, &rules.files, &dir));
            command.readable.push(dir);
        }
        launch
    }

    fn for_player_of_any_game(spec: &PlayerSpec) -> Self {
        let (program, args) = match &spec.kind {
            PlayerKind::Command { program, args } => (program.clone(), expand_launch_args(args)),
            PlayerKind::Bot(name) => (this_program_path(), vec!["bot".to_owned(), name.clone()]),
        };
        let helper = match &spec.kind {
            PlayerKind::Bot(_) => None,
            PlayerKind::Command { .. } => std::env::current_exe().ok(),
        };
        let command = Command {
            program,
            args,
            dir: spec.dir.clone(),
            view: DirView::Whole,
            env: spec.env.clone(),
            readable: [&*spec.readable, &*spec.folders].concat(),
            places: spec.places.clone(),
            root: spec.root.clone(),
            devices: spec.devices.clone(),
            network: spec.network.clone(),
            hidden: spec.hidden.clone(),
            starts: Vec::new(),
            helper: helper.map(|program| Helper { program, variable: REFEREE.to_owned() }),
        };
        let is_trusted = spec.guesses || matches!(spec.kind, PlayerKind::Bot(_));
        let guesses = if is_trusted { GuessRight::Granted } else { GuessRight::Denied };
        let bridged = spec.is_bridged();
        let engine = spec.engine.clone();
        let outages = if spec.outages > 0 { OutageRight::Granted } else { OutageRight::Denied };
        let note_limit = if spec.long_notes { LONG_NOTE_LIMIT } else { NOTE_LIMIT };
        let mut launch =
            Self { command, bridged, asks_rules: false, engine, guesses, outages, note_limit };
        if bridged {
            launch.set_default_variables(OF_BRIDGE);
        }
        launch
    }

    /// Sets those variables that the configuration does not set.
    fn set_default_variables(&mut self, variables: &[(&str, &str)]) {
        for (name, value) in variables {
            self.command.env.entry((*name).to_owned()).or_insert_with(|| (*value).to_owned());
        }
    }
}

/// The arguments with the source of the bridge in the place of its name.
fn expand_launch_args(args: &[String]) -> Vec<String> {
    let expanded = |arg: &String| match arg.as_str() {
        BRIDGE => vec!["-c".to_owned(), BRIDGE_SOURCE.to_owned()],
        _ => vec![arg.clone()],
    };
    args.iter().flat_map(expanded).collect()
}

/// The running program, even if its file was replaced meanwhile.
pub fn this_program_path() -> PathBuf {
    let link = PathBuf::from(THIS_PROGRAM);
    if link.exists() { link } else { std::env::current_exe().unwrap_or(link) }
}

/// The files of a command that may lie anywhere: those in its arguments, and further ones.
pub fn launch_files(words: &[String], files: &[String], dir: &Path) -> Vec<PathBuf> {
    let named = words.iter().skip(1).chain(files);
    named.map(|name| dir.join(name)).filter(|path| path.exists()).collect()
}

fn rules_program_json(rules: &RulesProgram) -> String {
    serde_json::to_string(rules).unwrap_or_default()
}

#[cfg(test)]
mod tests;
