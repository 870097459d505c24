//! A player: its name, its command, and its files.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::record::is_none;
use super::seat_usage::UsageLimit;
use super::short_clock::ShortClock;
use crate::fingerprint::Fingerprint;
use referee_containment::{Endpoint, PinnedPath};

/// The maximum length of a player's name, in characters.
pub const LONGEST_NAME: usize = 64;

/// The number of hexadecimal digits of the hash in a shortened name.
const HASH_DIGITS: usize = 6;

/// The argument of a command that stands for the embedded bridge: a Python program that speaks the
/// protocol for a player class of COMP30024 of 2018.
pub const BRIDGE: &str = "bridge:comp30024";

/// The most often that one game may be void because a player cannot reach its service.
pub const MOST_OUTAGES: u8 = 15;

/// What makes a text impossible as a name that is shown to people and written in tables.
pub fn player_name_problem(name: &str) -> Option<String> {
    let length = name.chars().count();
    if name.trim().is_empty() {
        Some("the name is empty".to_owned())
    } else if length > LONGEST_NAME {
        Some(format!("the name has {length} characters"))
    } else if name.chars().any(char::is_control) {
        Some("the name contains a control character".to_owned())
    } else {
        None
    }
}

/// Makes `text` a player's name: each run of blanks and control characters becomes one blank. A
/// name that is too long is cut and ends in a hash of the whole, so that two long texts give two
/// names.
pub fn to_player_name(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let name = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() <= LONGEST_NAME {
        return name;
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let end = format!("~{}", &hash[..HASH_DIGITS]);
    let start: String = name.chars().take(LONGEST_NAME - end.len()).collect();
    start + &end
}

/// A player. What only its own machine needs is not sent to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerSpec {
    /// Its name: 1 to [`LONGEST_NAME`] characters without control characters, unique in the
    /// tournament.
    pub name: String,
    /// How it is run.
    pub kind: PlayerKind,
    /// The folder it runs in, as an absolute path.
    pub dir: PathBuf,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// Files and folders that belong to it outside its folder, as absolute paths.
    pub readable: Vec<PathBuf>,
    /// Further folders that it may read, as absolute paths: those that the options of an engine
    /// name. They can be huge, so every machine has its own.
    #[serde(default)]
    pub folders: Vec<PathBuf>,
    /// Where its folder and what it may read lay when the configuration was read.
    #[serde(skip)]
    pub places: Vec<PinnedPath>,
    /// Files of other players that are hidden from it, although they lie in a folder that it may
    /// read.
    #[serde(skip)]
    pub hidden: Vec<PathBuf>,
    /// The folder with a system of its own that it sees instead of the machine's, such as an
    /// unpacked image.
    #[serde(skip)]
    pub root: Option<PathBuf>,
    /// The devices that it may use.
    #[serde(skip)]
    pub devices: Vec<PathBuf>,
    /// What it may reach over the network, because the organiser allows it.
    #[serde(skip)]
    pub network: Vec<Endpoint>,
    /// How it is used, if it is an engine that speaks a protocol of its field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineSettings>,
    /// Its own clock, instead of that of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<ShortClock>,
    /// Whether each game is played by a process of its own.
    pub restart: bool,
    /// Whether it may ask the game for guesses of what is hidden from it, as built-in players do.
    pub guesses: bool,
    /// How often a game may be void and played again because it cannot reach its service.
    #[serde(default, skip_serializing_if = "is_none")]
    pub outages: u8,
    /// How much of a service it may use in a tournament.
    #[serde(skip)]
    pub usage: UsageLimit,
    /// Whether its notes may be long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub long_notes: bool,
    /// Why none of its games counts, if it is disqualified.
    #[serde(skip)]
    pub disqualified: Option<String>,
    /// A hash of its command and files, as 16 hexadecimal digits.
    #[serde(skip)]
    pub hash: String,
    /// Its command and files, to detect changes.
    #[serde(skip)]
    pub fingerprint: Fingerprint,
    /// How it is run, as text for people.
    #[serde(skip)]
    pub command: String,
}

/// A protocol that engines speak in their field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineProtocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Go Text Protocol, version 2.
    Gtp,
}

impl EngineProtocol {
    /// Every protocol.
    pub const ALL: [Self; 2] = [Self::Uci, Self::Gtp];

    /// Its key in the configuration, and its prefix on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Gtp => "gtp",
        }
    }

    /// The name of the game that its engines play.
    pub fn game(self) -> &'static str {
        match self {
            Self::Uci => "chess",
            Self::Gtp => "go",
        }
    }

    /// The protocol and the engine of an argument such as `uci:stockfish`.
    pub fn split(argument: &str) -> Option<(Self, &str)> {
        let (prefix, engine) = argument.split_once(':')?;
        Some((Self::ALL.into_iter().find(|it| it.name() == prefix)?, engine))
    }
}

/// How an engine is used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EngineSettings {
    /// The protocol that it speaks.
    #[serde(default)]
    pub protocol: EngineProtocol,
    /// The options that are set at its start, by name.
    pub options: Vec<(String, String)>,
    /// The positions that it searches for each move, instead of using its clock.
    pub nodes: Option<u64>,
    /// The depth that it searches to for each move, in plies, instead of using its clock.
    pub depth: Option<u32>,
}

impl EngineSettings {
    /// The limits of a search besides the clock, as words of `go`.
    pub fn limits(&self) -> Vec<String> {
        let nodes = self.nodes.map(|nodes| format!("nodes {nodes}"));
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        nodes.into_iter().chain(depth).collect()
    }
}

/// The settings in a few words, such as `Hash=64, nodes 10000`.
impl fmt::Display for EngineSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.options.iter().map(|(name, value)| format!("{name}={value}"));
        f.write_str(&options.chain(self.limits()).collect::<Vec<_>>().join(", "))
    }
}

/// The reason why a player was taken out of the tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Out {
    /// It made too many faults in a row.
    Quarantined,
    /// It made a fault in a check.
    Unchecked,
    /// The organiser disqualified it.
    Disqualified,
}

/// The way in which a player is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerKind {
    /// As a program.
    Command {
        /// The program, as an absolute path.
        program: PathBuf,
        /// Arguments.
        args: Vec<String>,
    },
    /// As the built-in player with this name, which `referee_bots::parse_bot_name` knows.
    Bot(String),
}

impl PlayerSpec {
    /// A player without a hash that has the defaults of a configuration.
    pub fn new(name: String, kind: PlayerKind, dir: PathBuf) -> Self {
        Self {
            name,
            kind,
            dir,
            env: BTreeMap::new(),
            readable: Vec::new(),
            folders: Vec::new(),
            places: Vec::new(),
            hidden: Vec::new(),
            root: None,
            devices: Vec::new(),
            network: Vec::new(),
            engine: None,
            tc: None,
            restart: true,
            guesses: false,
            outages: 0,
            usage: UsageLimit::default(),
            long_notes: false,
            disqualified: None,
            hash: String::new(),
            fingerprint: Fingerprint::default(),
            command: String::new(),
        }
    }

    /// Whether its command starts the embedded bridge.
    pub fn is_bridged(&self) -> bool {
        matches!(&self.kind, PlayerKind::Command { args, .. } if args.iter().any(|arg| arg == BRIDGE))
    }

    /// Whether it can start after an opening. The bridge cannot tell a class its own first
    /// actions.
    pub fn takes_openings(&self) -> bool {
        !self.is_bridged()
    }
}

/// Players for tests.
#[cfg(any(test, feature = "examples"))]
pub mod examples {
    use super::{PathBuf, PlayerKind, PlayerSpec};

    /// The built-in player `bot`, under its own name.
    pub fn bot(bot: &str) -> PlayerSpec {
        let kind = PlayerKind::Bot(bot.to_owned());
        let spec = PlayerSpec::new(bot.to_owned(), kind, PathBuf::from("/"));
        PlayerSpec { command: bot.to_owned(), ..spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_with_the_same_beginning_get_different_names() {
        assert_eq!(to_player_name(" an \t ant "), "an ant");
        let long = "a".repeat(LONGEST_NAME);
        assert_eq!(to_player_name(&long), long);
        let names = ["b", "c"].map(|end| to_player_name(&format!("{long}{end}")));
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.chars().count() == LONGEST_NAME), "{names:?}");
    }
}
