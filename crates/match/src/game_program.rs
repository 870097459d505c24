//! Finds, identifies and starts the programs that know the rules of games.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::player::player_sandbox::describe_unresolved_sandbox;
use crate::player::{ContainedRules, PlayerSandbox, launch_files};
use referee_games::{GameError, RulesProgram, SharedGame};
use referee_record::fingerprint::{Fingerprint, HashedPlayer, Unreadable, hash_rules};
use referee_record::model::containment::ContainmentRequest;
use referee_rules_program::{ChildLauncher, ProgramGame};
use referee_sandbox::{Command, DirView, ResolveError};

/// The time for an answer, unless the configuration sets another.
pub const DEFAULT_REPLY: Duration = Duration::from_secs(10);

/// A rules program that was found but not started. Its hashes are not those of its files yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundGameProgram {
    /// The program.
    pub program: RulesProgram,
    /// What it sees of its folder.
    view: DirView,
}

/// The reason why a rules program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// One of its files cannot be read.
    #[error("cannot read `{}`, one of the game's files: {}", .0.name.escape_debug(), .0.error)]
    Unreadable(Unreadable),
    /// The requested containment is impossible.
    #[error("{}", describe_unresolved_sandbox(.0))]
    Containment(#[source] ResolveError),
    /// It failed.
    #[error(transparent)]
    Game(GameError),
}

impl FoundGameProgram {
    /// A program that the organiser or a reader named. It sees all of its folder.
    pub fn from_named(program: RulesProgram) -> Self {
        Self { program, view: DirView::Whole }
    }

    /// The program that the log in the folder `results` names, if it came with the results: in the
    /// folder around `results/`, or below that folder but not in `results/`. It and its files may
    /// not lie anywhere else. It sees only the files that its hash covers: a stranger chose its
    /// folder, which may be the reader's home.
    pub fn find_beside_results(program: &RulesProgram, results: &Path) -> Option<Self> {
        let results = fs::canonicalize(results).ok()?.parent()?.to_owned();
        let around = results.parent()?;
        let dir = fs::canonicalize(around.join(&program.configured)).ok()?;
        let mut named = program.command.iter().chain(&program.files);
        let is_here = dir.starts_with(around) && !dir.starts_with(&results);
        if !is_here || !named.all(|name| is_inside_game_program_dir(Path::new(name))) {
            return None;
        }
        let has_file = |name: &String| dir.join(name).is_file();
        program.command.iter().skip(1).chain(&program.files).find(|name| has_file(name))?;
        let program = RulesProgram {
            program: find_game_program_file(program.command.first()?, &dir)?.display().to_string(),
            dir: dir.display().to_string(),
            ..program.clone()
        };
        Some(Self { program, view: DirView::Listed })
    }

    /// The same program, with its folder relative to that of the configuration.
    #[must_use]
    pub fn configured_in(self, folder: &str) -> Self {
        let program = RulesProgram { configured: folder.to_owned(), ..self.program };
        Self { program, ..self }
    }

    /// A hash of the command and the contents of its files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn code_hash(&self) -> Result<String, OpenError> {
        self.fingerprint().map(|(_, code)| code)
    }

    fn fingerprint(&self) -> Result<(Fingerprint, String), OpenError> {
        let RulesProgram { command: words, program, dir, files, .. } = &self.program;
        let (dir, program) = (Path::new(dir), Path::new(program));
        let parts = HashedPlayer { dir, program, words, env: &BTreeMap::new(), files };
        Fingerprint::read(parts).map_err(OpenError::Unreadable)
    }

    /// Starts the program, contained as `request` asks, and asks what the game is.
    ///
    /// # Errors
    /// Its files cannot be read, it cannot be contained, or it failed.
    pub fn open(self, request: &ContainmentRequest) -> Result<SharedGame, OpenError> {
        let sandbox = PlayerSandbox::resolve(request).map_err(OpenError::Containment)?;
        self.open_in_sandbox(Arc::new(sandbox))
    }

    /// Starts the program in a sandbox, and asks what the game is.
    ///
    /// # Errors
    /// Its files cannot be read, or it failed.
    pub fn open_in_sandbox(self, sandbox: Arc<PlayerSandbox>) -> Result<SharedGame, OpenError> {
        let (fingerprint, code) = self.fingerprint()?;
        let launcher = Arc::new(ContainedRules { command: self.command(&fingerprint), sandbox });
        let reply = Duration::from_millis(self.program.reply_ms);
        let identify = |answer: &str| {
            let hash = hash_rules(answer, &code);
            RulesProgram { hash, code, hidden: false, ..self.program }
        };
        let game = ProgramGame::open(launcher, reply, identify).map_err(OpenError::Game)?;
        Ok(Arc::new(game))
    }

    fn command(&self, fingerprint: &Fingerprint) -> Command {
        let RulesProgram { command: words, program, dir, files, .. } = &self.program;
        let dir = PathBuf::from(dir);
        Command {
            program: program.into(),
            args: words[1..].to_vec(),
            readable: match self.view {
                DirView::Whole => launch_files(words, files, &dir),
                DirView::Listed => fingerprint.files().map(Path::to_owned).collect(),
            },
            view: self.view,
            dir,
            ..Command::default()
        }
    }
}

/// Opens a rules program without a sandbox of its own, for a process that is contained itself.
///
/// # Errors
/// The program failed.
pub fn open_uncontained_game_program(program: &RulesProgram) -> Result<SharedGame, GameError> {
    let launcher = Arc::new(ChildLauncher {
        program: PathBuf::from(&program.program),
        args: program.command[1..].to_vec(),
        dir: PathBuf::from(&program.dir),
    });
    let reply = Duration::from_millis(program.reply_ms);
    let game = ProgramGame::open(launcher, reply, |_| program.clone())?;
    Ok(Arc::new(game))
}

/// Whether a path is relative and leads nowhere but down.
fn is_inside_game_program_dir(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The program that the first word of a command names.
fn find_game_program_file(word: &str, dir: &Path) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(dir.join(word)).filter(|path| path.is_file());
    }
    let search = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&search).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(word)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::examples::program;

    #[test]
    fn a_program_that_came_with_results_is_found_beside_them() {
        let root = tempfile::tempdir().expect("a folder");
        let cup = root.path().canonicalize().expect("a path").join("cup");
        let results = cup.join("results/spring");
        for folder in ["results/spring", "game/spring", "results/game"] {
            fs::create_dir_all(cup.join(folder)).expect("a folder");
        }
        for file in ["game/rules.sh", "results/game/rules.sh", "../rules.sh"] {
            fs::write(cup.join(file), "").expect("a file");
        }
        let at = |words: &[&str], configured: &str| {
            let program = RulesProgram { configured: configured.to_owned(), ..program(words) };
            FoundGameProgram::find_beside_results(&program, &results)
                .map(|found| PathBuf::from(found.program.dir))
        };
        assert_eq!(at(&["sh", "rules.sh"], "game"), Some(cup.join("game")));
        assert_eq!(at(&["sh", "spring", "rules.sh"], "./game"), Some(cup.join("game")));
        let elsewhere = cup.join("..").display().to_string();
        for folder in ["", "no/such/game", "results/game", "results", "..", &elsewhere] {
            assert_eq!(at(&["sh", "rules.sh"], folder), None, "{folder}");
        }
        let absolute = cup.join("game/rules.sh").display().to_string();
        for words in [&["sh", "spring"][..], &["sh", "../../rules.sh"], &["sh", &absolute], &["sh"]]
        {
            assert_eq!(at(words, "game"), None, "{words:?}");
        }
    }

    #[test]
    fn an_offered_program_sees_only_what_its_hash_covers() {
        let root = tempfile::tempdir().expect("a folder");
        let home = root.path().canonicalize().expect("a path");
        for folder in ["cup/results/spring", "cup/lib", ".ssh"] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
        }
        for file in ["cup/x.sh", "cup/lib/y.sh", ".ssh/id_rsa"] {
            fs::write(home.join(file), "").expect("a file");
        }
        let command = ["sh", "cup/x.sh", ".ssh"];
        let files = vec!["cup/lib".to_owned()];
        let program = RulesProgram { configured: "../..".to_owned(), files, ..program(&command) };
        assert_eq!(
            FoundGameProgram::find_beside_results(&program, &home.join("cup/results/spring")),
            None
        );
        let program = RulesProgram { configured: ".".to_owned(), ..program };
        fs::rename(home.join("cup/results"), home.join("results")).expect("renamed");
        let found = FoundGameProgram::find_beside_results(&program, &home.join("results/spring"))
            .expect("found");
        let shown = |found: &FoundGameProgram| {
            let (fingerprint, _) = found.fingerprint().expect("readable");
            let command = found.command(&fingerprint);
            (command.view, command.readable)
        };
        let expected = ["cup/x.sh", "cup/lib/y.sh"].map(|name| home.join(name));
        assert_eq!(shown(&found), (DirView::Listed, expected.to_vec()));
        assert_eq!(shown(&FoundGameProgram::from_named(found.program)).0, DirView::Whole);
    }

    #[test]
    fn a_log_names_the_configured_folder_and_not_its_place() {
        let here = RulesProgram {
            dir: "/somewhere/game".to_owned(),
            configured: "game".to_owned(),
            ..program(&["sh", "rules.sh"])
        };
        let logged = serde_json::to_value(here.without_local_paths()).expect("plain data");
        assert_eq!((&logged["dir"], logged.get("place")), (&"game".into(), None));
    }
}
