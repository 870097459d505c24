//! How to start a player's process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::{self, PlayerSpec};

/// How to start a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, as found.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working folder.
    pub dir: PathBuf,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
}

impl Launch {
    /// How the player `spec` is started. House players are this same program.
    pub fn of(spec: &PlayerSpec) -> Self {
        let (program, args) = match &spec.launch {
            config::Launch::Command { program, args } => (program.clone(), args.clone()),
            config::Launch::Bot(name) => (this_program(), vec!["bot".to_owned(), name.clone()]),
        };
        Self { program, args, dir: spec.dir.clone(), env: spec.env.clone() }
    }
}

/// The program that runs now, even when its file was replaced since.
fn this_program() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() { link } else { std::env::current_exe().unwrap_or(link) }
}
