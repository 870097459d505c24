//! A player: what it is called, how it is run, and what it is made of.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::fingerprint::Fingerprint;

/// The most characters of a player's name.
pub const LONGEST_NAME: usize = 64;

/// A player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerSpec {
    /// Its name: 1 to [`LONGEST_NAME`] characters, none of them a control character, and unlike
    /// every other player's of the tournament.
    pub name: String,
    /// How it is run.
    pub kind: PlayerKind,
    /// The folder it runs in, as an absolute path.
    pub dir: PathBuf,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
    /// What else makes it and may lie outside of its folder, as absolute paths.
    pub readable: Vec<PathBuf>,
    /// What of the other players lies where this one may read, and is not shown to it.
    pub hidden: Vec<PathBuf>,
    /// One process may play several games, one after the other.
    pub reusable: bool,
    /// The hash of what makes it, as 16 hexadecimal digits.
    pub hash: String,
    /// Its command and files, to notice a change.
    pub fingerprint: Fingerprint,
    /// How it is run, for people.
    pub command: String,
}

/// What the author of a player has written against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// The protocol: lines on stdin and stdout.
    Program,
    /// The Python class of COMP30024 of 2018.
    Class,
}

/// Why a player was taken out of the tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Out {
    /// It made too many faults in a row.
    Quarantined,
    /// It made a fault in a check.
    Unchecked,
}

/// How a player is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerKind {
    /// By a program of its own.
    Command {
        /// The program, as an absolute path.
        program: PathBuf,
        /// Its arguments.
        args: Vec<String>,
    },
    /// By a Python interpreter, which hosts a class of the COMP30024 interface of 2018.
    Class {
        /// The interpreter, as an absolute path.
        python: PathBuf,
        /// The module in the player's folder, with or without the class.
        class: String,
        /// What the class returns is converted where it is unambiguous.
        lenient: bool,
    },
    /// By the house player of this name, one that [`referee_bots::named`] knows.
    Bot(String),
}

impl PlayerSpec {
    /// What it is written against.
    pub fn interface(&self) -> Interface {
        match self.kind {
            PlayerKind::Class { .. } => Interface::Class,
            PlayerKind::Command { .. } | PlayerKind::Bot(_) => Interface::Program,
        }
    }

    /// It can begin after an opening: nothing in the interface of 2018 tells a class its own first
    /// actions.
    pub fn takes_openings(&self) -> bool {
        self.interface() == Interface::Program
    }
}
