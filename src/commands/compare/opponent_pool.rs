//! The pool of `compare --against` or `--others`: the opponents of both players.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::Failure;
use super::super::settings::Settings;
use crate::printer::Printer;
use referee_config::{Configuration, PlayerArgument};
use referee_entrants::detection::find_unbuilt_folder;
use referee_league::present_players::PresentPlayers;
use referee_protocol::escape::escape_line;
use referee_record::log::LOG;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::wording::join_with_and;
use referee_tournament::folder::read_folder_log;

/// What `--against` or `--others` names, once or several times.
#[derive(Debug)]
pub(super) struct OpponentPool {
    option: &'static str,
    parts: Vec<PoolPart>,
}

#[derive(Debug)]
enum PoolPart {
    /// The players of a configuration; of a league, those of today.
    Configured(PathBuf),
    /// A player, by the word that names it.
    Player(String),
    /// The contents of a folder of players, as words.
    Folder(PathBuf, Vec<String>),
}

impl OpponentPool {
    /// Looks up what these words stand for: a configuration, a player, or a folder of players.
    pub(super) fn read(option: &'static str, words: &[String]) -> Result<Self, Failure> {
        let part = |word: &String| {
            let path = Path::new(word);
            Ok(if path.extension().is_some_and(|it| it == "toml") && path.is_file() {
                PoolPart::Configured(path.to_owned())
            } else if path.is_dir() && PlayerArgument::parse(word, &[], None).is_err() {
                let entries = list_opponent_folder(path)?;
                let is_ready = |entry: &String| PlayerArgument::parse(entry, &[], None).is_ok();
                if is_opponent_source(path) && !entries.iter().any(is_ready) {
                    PoolPart::Player(word.clone())
                } else {
                    PoolPart::Folder(path.to_owned(), entries)
                }
            } else {
                PoolPart::Player(word.clone())
            })
        };
        Ok(Self { option, parts: words.iter().map(part).collect::<Result<_, Failure>>()? })
    }

    /// The first configuration, whose game and terms hold unless another one is named.
    pub(super) fn configuration(&self) -> Option<&Path> {
        self.parts.iter().find_map(|part| match part {
            PoolPart::Configured(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// The words that may name something to build under the configuration at `config`.
    pub(super) fn words(&self, config: &Path, printer: Printer) -> Result<Vec<String>, Failure> {
        let mut words = Vec::new();
        for part in &self.parts {
            match part {
                PoolPart::Configured(path) if path == config => {
                    let builds = Configuration::read(path, printer.colour_err)?.builds()?;
                    let plans = builds.into_iter().flat_map(|builds| builds.plans);
                    words.extend(plans.map(|(name, _)| name));
                }
                PoolPart::Configured(_) => {}
                PoolPart::Player(word) => words.push(word.clone()),
                PoolPart::Folder(_, entries) => words.extend_from_slice(entries),
            }
        }
        Ok(words)
    }

    /// The opponents of the `rivals`, in the order of the command line, with unique names. The
    /// rivals' own programs are left out.
    pub(super) fn opponents(
        &self,
        rivals: &[PlayerSpec],
        settings: &Settings,
        printer: Printer,
    ) -> Result<Vec<PlayerSpec>, Failure> {
        let mut found = Vec::new();
        for part in &self.parts {
            found.extend(part.players(settings, printer)?);
        }
        let (mut out, mut opponents) = (Vec::new(), Vec::new());
        for player in found {
            match rivals.iter().find(|rival| is_same_opponent(rival, &player)) {
                Some(rival) if rival.name == player.name => out.push(player.name),
                Some(rival) => {
                    out.push(format!("{} (the same program as {})", player.name, rival.name));
                }
                None => opponents.push(rename_opponent(player, rivals, printer)),
            }
        }
        if !out.is_empty() {
            let out = escape_line(&join_with_and(&out));
            printer.note(&format!("not opponents, as they are being compared: {out}"));
        }
        let mut names = HashSet::new();
        if let Some(twice) = opponents.iter().find(|player| !names.insert(&player.name)) {
            return Err(Failure::input(format!(
                "{} has two players called {}; rename one of them",
                self.option,
                escape_line(&twice.name)
            )));
        }
        if opponents.is_empty() {
            return Err(Failure::input(format!("{} has no other player", self.option)));
        }
        Ok(opponents)
    }
}

/// Whether both are the same player.
fn is_same_opponent(one: &PlayerSpec, other: &PlayerSpec) -> bool {
    one.hash == other.hash || one.fingerprint.is_same_program(&other.fingerprint)
}

/// The opponent, under another name if a rival that is another program has the same one.
fn rename_opponent(opponent: PlayerSpec, rivals: &[PlayerSpec], printer: Printer) -> PlayerSpec {
    if rivals.iter().all(|rival| rival.name != opponent.name) {
        return opponent;
    }
    let name = format!("{} (pool)", opponent.name);
    let [old, new] = [&opponent.name, &name].map(|name| escape_line(name));
    printer.note(&format!("the opponent {old} is a different program: its games are under {new}"));
    PlayerSpec { name, ..opponent }
}

impl PoolPart {
    fn players(&self, settings: &Settings, printer: Printer) -> Result<Vec<PlayerSpec>, Failure> {
        let refusal = "--against takes programs; a person cannot be an opponent here";
        match self {
            Self::Player(word) => {
                let player = settings.program(word, refusal);
                Ok(vec![player.map_err(|why| missing_opponent_path(word).unwrap_or(why))?])
            }
            Self::Configured(path) if *path == settings.config => match settings.problems() {
                Some(problems) => Err(problems.clone()),
                None => with_league_opponents(path, settings.base.players.clone(), printer),
            },
            Self::Configured(path) => {
                let other =
                    Configuration::read(path, printer.colour_err)?.tournament().into_result()?;
                if !other.game.is_same_as(&*settings.base.game) {
                    return Err(Failure::input(format!(
                        "--against {}: its game is {}, not {}",
                        path.display(),
                        other.game.name(),
                        settings.base.game.name()
                    )));
                }
                with_league_opponents(path, other.players, printer)
            }
            Self::Folder(path, words) => {
                let (mut players, mut others) = (Vec::new(), Vec::new());
                for word in words {
                    match settings.program(word, refusal) {
                        Ok(player) => players.push(player),
                        Err(_) => others.push(word.clone()),
                    }
                }
                let others = escape_line(&join_with_and(&others));
                if players.is_empty() {
                    let path = path.display();
                    return Err(Failure::input(format!("no player found in `{path}`")));
                }
                if !others.is_empty() {
                    printer.note(&format!("no player found in {others}"));
                }
                Ok(players)
            }
        }
    }
}

/// The players `own` of the configuration at `path`; if it describes a league that has begun, those
/// that are in it today.
fn with_league_opponents(
    path: &Path,
    own: Vec<PlayerSpec>,
    printer: Printer,
) -> Result<Vec<PlayerSpec>, Failure> {
    let league = Configuration::read(path, printer.colour_err)?.league()?;
    let Some(league) = league.filter(|league| league.dir.join(LOG).is_file()) else {
        return Ok(own);
    };
    let state = read_folder_log(&league.dir, |_, _| {})?.state;
    let found = PresentPlayers::find(&league.settings, &own, &state);
    for missing in found.missing {
        printer.note(&format!("not among the opponents: {missing}"));
    }
    Ok(found.ready)
}

/// The error for a word that looks like a path and leads nowhere.
fn missing_opponent_path(word: &str) -> Option<Failure> {
    let path = Path::new(word);
    let is_path = word.contains('/') || path.extension().is_some();
    let is_missing = is_path && !word.contains([' ', ':']) && !path.exists();
    is_missing.then(|| {
        Failure::input(format!(
            "--against `{}`: no such file or folder; expected a folder of players, a configuration \
             (`cup.toml`), or a player (a name from the configuration, `bot:NAME`, a file or a \
             command)",
            escape_line(word)
        ))
    })
}

/// Whether a folder holds the source code of a player.
fn is_opponent_source(folder: &Path) -> bool {
    find_unbuilt_folder(folder).is_some_and(|(dir, _)| dir == folder)
}

/// The entries of a folder as words, in order, without hidden ones.
fn list_opponent_folder(folder: &Path) -> Result<Vec<String>, Failure> {
    let failed = |error| Failure::system(format!("cannot read `{}`: {error}", folder.display()));
    let mut words = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_hidden = path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."));
        words.extend(path.to_str().filter(|_| !is_hidden).map(str::to_owned));
    }
    words.sort_unstable();
    Ok(words)
}
