//! How a program is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use referee_record::model::player_spec::BRIDGE;

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StartCommand {
    /// The folder that it runs in.
    pub dir: PathBuf,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The variables added to its environment.
    pub env: BTreeMap<String, String>,
}

impl StartCommand {
    pub(super) fn new(dir: &Path, words: &[&str]) -> Self {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Self { dir: dir.to_owned(), words, env: BTreeMap::new() }
    }

    /// Whether it is a class of 2018, which the embedded bridge runs.
    pub fn is_class(&self) -> bool {
        self.words.iter().any(|word| word == BRIDGE)
    }

    /// The player's main file, if the command names it.
    pub fn file(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    /// The same in a copy of the folder `from` at `to`.
    #[must_use]
    pub fn moved(self, from: &Path, to: &Path) -> Self {
        let dir = to.join(self.dir.strip_prefix(from).unwrap_or(Path::new("")));
        Self { dir, ..self }
    }
}
