//! The description of a run: everything that a worker needs to play its games.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bundle::{BundleError, Contents, is_of_system};
use crate::fingerprint::Fingerprint;
use crate::model::containment::{ContainmentRequest, PlayerLimits};
use crate::model::player::{PlayerKind, PlayerSpec};
use crate::model::record::Header;
use referee_games::RulesProgram;
use referee_sandbox::{Level, Requirement};

/// The description of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDescription {
    /// The header of the log: the rules, the clock, the openings.
    pub header: Header,
    /// The tournament's secret, in hexadecimal digits.
    pub secret: String,
    /// The level of containment; absent for the strongest that works.
    pub level: Option<Level>,
    /// What must be in force where games are played, by name.
    pub require: Vec<String>,
    /// The limits of a player.
    pub limits: PlayerLimits,
    /// The rules program, unless the game is built in.
    pub rules: Option<PackedRules>,
    /// The players, by number.
    pub players: Vec<PackedPlayer>,
    /// For how many seconds a job belongs to a worker that gives no sign of life.
    pub lease_s: u64,
}

/// A path on the machine of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackedPath {
    /// In the bundle.
    Bundled(PathBuf),
    /// The same as on the machine of the coordinator.
    Same(PathBuf),
}

/// A rules program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedRules {
    /// The hash of its bundle.
    pub bundle: String,
    /// Its identity where the coordinator runs.
    pub identity: RulesProgram,
    /// The program.
    pub program: PackedPath,
    /// The folder it runs in.
    pub dir: PackedPath,
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedPlayer {
    /// Its name.
    pub name: String,
    /// The hash of its bundle; none for a built-in player.
    pub bundle: Option<String>,
    /// How it is run.
    pub kind: PackedKind,
    /// The folder it runs in.
    pub dir: PackedPath,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// Files and folders that belong to it outside its folder.
    pub readable: Vec<PackedPath>,
    /// Whether one process may play several games.
    pub reusable: bool,
    /// Whether it may ask for guesses of what is hidden from it.
    #[serde(default)]
    pub guesses: bool,
}

/// The way in which a player is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackedKind {
    /// As a program.
    Command {
        /// The program.
        program: PackedPath,
        /// Its arguments; those that are files of the bundle as paths.
        args: Vec<PackedArgument>,
    },
    /// As a class of the interface of 2018.
    Class {
        /// The interpreter.
        python: PackedPath,
        /// The class.
        class: String,
        /// Whether its return values are converted when they are unambiguous.
        lenient: bool,
    },
    /// As the built-in player of this name.
    Bot(String),
}

/// An argument of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackedArgument {
    /// As it is.
    Text(String),
    /// The absolute path of a file in the bundle.
    Bundled(PathBuf),
}

/// A player or a rules program whose files are to be sent: what is said of it, and its files.
#[derive(Debug)]
pub struct Packing<T> {
    /// What the description says of it, once the hash of the files is known.
    pub item: T,
    /// Its files, unless it has none.
    pub contents: Option<Contents>,
}

/// The player with its files, of which `hidden` ones are not sent.
pub fn pack_player(spec: &PlayerSpec, hidden: &[PathBuf]) -> Packing<PackedPlayer> {
    let hidden = [&spec.hidden, hidden].concat();
    let has_files = !matches!(spec.kind, PlayerKind::Bot(_));
    // A program outside them is an interpreter, which works only where it is installed.
    let contents = has_files.then(|| {
        let own = std::iter::once(&spec.dir).chain(&spec.readable);
        Contents::new(own.map(PathBuf::as_path), &hidden)
    });
    let place = |path: &PathBuf| place(contents.as_ref(), path);
    let kind = match &spec.kind {
        PlayerKind::Command { program, args } => PackedKind::Command {
            program: place(program),
            args: args.iter().map(|text| argument(contents.as_ref(), text)).collect(),
        },
        PlayerKind::Class { python, class, lenient } => {
            PackedKind::Class { python: place(python), class: class.clone(), lenient: *lenient }
        }
        PlayerKind::Bot(name) => PackedKind::Bot(name.clone()),
    };
    let item = PackedPlayer {
        name: spec.name.clone(),
        bundle: None,
        kind,
        dir: place(&spec.dir),
        env: spec.env.clone(),
        readable: spec.readable.iter().map(place).collect(),
        reusable: spec.reusable,
        guesses: spec.guesses,
    };
    Packing { item, contents }
}

/// The rules program with its files, of which `hidden` ones are not sent.
pub fn pack_rules(rules: &RulesProgram, hidden: &[PathBuf]) -> Packing<PackedRules> {
    let (program, dir) = (PathBuf::from(&rules.program), PathBuf::from(&rules.dir));
    let named = crate::player::own_files(&rules.command, &rules.files, &dir);
    let own = std::iter::once(&dir).chain(&named);
    let contents = Some(Contents::new(own.map(PathBuf::as_path), hidden));
    let place = |path: &PathBuf| place(contents.as_ref(), path);
    let item = PackedRules {
        bundle: String::new(),
        identity: rules.clone(),
        program: place(&program),
        dir: place(&dir),
    };
    Packing { item, contents }
}

fn place(contents: Option<&Contents>, path: &Path) -> PackedPath {
    match contents.and_then(|contents| contents.name_of(path)) {
        Some(name) => PackedPath::Bundled(name),
        None => PackedPath::Same(path.to_owned()),
    }
}

fn argument(contents: Option<&Contents>, text: &str) -> PackedArgument {
    let path = Path::new(text);
    let is_file = path.is_absolute() && !is_of_system(path) && path.exists();
    match contents.filter(|_| is_file).and_then(|contents| contents.name_of(path)) {
        Some(name) => PackedArgument::Bundled(name),
        None => PackedArgument::Text(text.to_owned()),
    }
}

impl RunDescription {
    /// The identity of the run: that of the log, and a hash of everything else.
    pub fn run_id(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        let hash = blake3::hash(&text).to_hex();
        format!("{}-{}", self.header.identity, &hash[..16])
    }

    /// The hashes of all bundles.
    pub fn bundles(&self) -> impl Iterator<Item = &str> {
        let rules = self.rules.iter().map(|rules| rules.bundle.as_str());
        rules.chain(self.players.iter().filter_map(|player| player.bundle.as_deref()))
    }

    /// The containment that it asks for. `None` if this version does not know a requirement.
    pub fn containment(&self) -> Option<ContainmentRequest> {
        let require: Option<Vec<Requirement>> =
            self.require.iter().map(|name| Requirement::named(name)).collect();
        Some(ContainmentRequest {
            level: self.level,
            require: require?,
            limits: self.limits,
            ..ContainmentRequest::default()
        })
    }
}

impl PackedPath {
    fn unpacked(&self, root: &Path) -> PathBuf {
        match self {
            Self::Bundled(name) => root.join(name),
            Self::Same(path) => path.clone(),
        }
    }
}

impl PackedPlayer {
    /// The player as it is run here. `root` is the folder of its bundle, or any folder for a
    /// built-in player.
    pub fn unpacked(&self, root: &Path) -> PlayerSpec {
        let kind = match &self.kind {
            PackedKind::Command { program, args } => PlayerKind::Command {
                program: program.unpacked(root),
                args: args.iter().map(|arg| arg.unpacked(root)).collect(),
            },
            PackedKind::Class { python, class, lenient } => PlayerKind::Class {
                python: python.unpacked(root),
                class: class.clone(),
                lenient: *lenient,
            },
            PackedKind::Bot(name) => PlayerKind::Bot(name.clone()),
        };
        let dir = match &self.bundle {
            Some(_) => self.dir.unpacked(root),
            None => root.to_owned(),
        };
        PlayerSpec {
            name: self.name.clone(),
            kind,
            dir,
            env: self.env.clone(),
            readable: self.readable.iter().map(|path| path.unpacked(root)).collect(),
            hidden: Vec::new(),
            reusable: self.reusable,
            guesses: self.guesses,
            hash: String::new(),
            fingerprint: Fingerprint::default(),
            command: String::new(),
        }
    }

    /// A program that it needs on the machine itself, outside its bundle.
    pub fn needs(&self) -> Option<&Path> {
        match &self.kind {
            PackedKind::Command { program: PackedPath::Same(path), .. }
            | PackedKind::Class { python: PackedPath::Same(path), .. } => Some(path),
            _ => None,
        }
    }
}

impl PackedArgument {
    fn unpacked(&self, root: &Path) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Bundled(name) => root.join(name).display().to_string(),
        }
    }
}

impl PackedRules {
    /// The identity of the program as it is run here, from the bundle in `root`.
    pub fn unpacked(&self, root: &Path) -> RulesProgram {
        RulesProgram {
            program: self.program.unpacked(root).display().to_string(),
            dir: self.dir.unpacked(root).display().to_string(),
            ..self.identity.clone()
        }
    }
}

/// A bundle that was written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBundle {
    /// The hash of its content.
    pub hash: String,
    /// The file.
    pub file: PathBuf,
}

/// Writes the files of an item to a new file in `folder`.
///
/// # Errors
/// A file cannot be read or written.
pub fn write_bundle(contents: &Contents, folder: &Path) -> Result<WrittenBundle, BundleError> {
    let failed = |path: &Path, source| BundleError::File { path: path.to_owned(), source };
    let file = folder.join("bundle.tmp");
    let out = std::fs::File::create(&file).map_err(|error| failed(&file, error))?;
    let hash = contents.write(std::io::BufWriter::new(out))?;
    let named = folder.join(format!("{hash}.tar"));
    std::fs::rename(&file, &named).map_err(|error| failed(&named, error))?;
    Ok(WrittenBundle { hash, file: named })
}
