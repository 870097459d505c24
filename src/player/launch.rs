//! How to start a player's process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::{self, PlayerSpec};
use crate::containment;

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
    /// What it may read besides its folder and its program, where it is contained.
    pub readable: Vec<PathBuf>,
    /// What it may not read although it lies there; real paths.
    pub hidden: Vec<PathBuf>,
}

/// The program that hosts a class of the COMP30024 interface of 2018.
const HOST: &str = include_str!("hosts/comp30024.py");

impl Launch {
    /// How the player `spec` is started. House players are this same program.
    pub fn of(spec: &PlayerSpec) -> Self {
        let (program, args) = match &spec.launch {
            config::Launch::Command { program, args } => (program.clone(), args.clone()),
            config::Launch::Class { python, class, lenient } => {
                let lenient = lenient.then_some("--lenient");
                let args = ["-c", HOST, class].into_iter().chain(lenient);
                (python.clone(), args.map(str::to_owned).collect())
            }
            config::Launch::Bot(name) => (this_program(), vec!["bot".to_owned(), name.clone()]),
        };
        Self {
            program,
            args,
            dir: spec.dir.clone(),
            env: spec.env.clone(),
            readable: spec.readable.clone(),
            hidden: spec.hidden.clone(),
        }
    }
}

/// The program that runs now, even when its file was replaced since.
fn this_program() -> PathBuf {
    let link = PathBuf::from(containment::THIS_PROGRAM);
    if link.exists() { link } else { std::env::current_exe().unwrap_or(link) }
}
