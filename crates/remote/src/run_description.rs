//! The description of a run: everything that a worker needs to play its games.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bundle::{BundleContents, BundleError, is_never_bundled};
use referee_games::RulesProgram;
use referee_match::player::launch_files;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::player_spec::{PlayerKind, PlayerSpec};
use referee_record::model::record::Header;

/// The description of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDescription {
    /// The header of the log: the rules, the clock, the openings.
    pub header: Header,
    /// The tournament's secret, in hexadecimal digits.
    pub secret: String,
    /// The containment that players must have, and their limits.
    pub containment: ContainmentRequest,
    /// The rules program, unless the game is built in.
    pub rules: Option<DescribedRules>,
    /// The current players.
    pub players: Vec<DescribedPlayer>,
    /// For how many seconds a job belongs to a worker that gives no sign of life.
    pub lease_s: u64,
}

/// A rules program. Its paths are relative if they lead into its bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedRules {
    /// The hash of its bundle.
    pub(crate) bundle: String,
    program: RulesProgram,
}

/// A player. Its paths are relative if they lead into its bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedPlayer {
    /// The number in the tournament.
    pub(crate) number: usize,
    /// The hash of its bundle; none for a built-in player.
    pub(crate) bundle: Option<String>,
    pub(crate) spec: PlayerSpec,
    /// The indices of its arguments that are files of the bundle.
    pub(crate) bundled_args: Vec<usize>,
    /// The indices of its options as an engine whose values are files of the bundle.
    #[serde(default)]
    pub(crate) bundled_options: Vec<usize>,
}

/// Packs players and the rules program, and writes their bundles.
#[derive(Debug, Clone)]
pub struct RunDescriber {
    /// Where bundles are written.
    pub folder: PathBuf,
    /// Files that are not sent.
    pub hidden: Vec<PathBuf>,
}

impl RunDescriber {
    /// Packs the player with this number.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn player(&self, number: usize, spec: &PlayerSpec) -> Result<DescribedPlayer, BundleError> {
        if matches!(spec.kind, PlayerKind::Bot(_)) {
            let spec = player_with_paths(spec, |_| PathBuf::new());
            let (bundled_args, bundled_options) = (Vec::new(), Vec::new());
            return Ok(DescribedPlayer {
                number,
                bundle: None,
                spec,
                bundled_args,
                bundled_options,
            });
        }
        let hidden = [&spec.hidden, &*self.hidden].concat();
        // A program outside them is an interpreter, which works only where it is installed.
        let own = std::iter::once(&spec.dir).chain(&spec.readable);
        let contents = BundleContents::new(own.map(PathBuf::as_path), &hidden).at(&spec.places);
        let mut spec = player_with_paths(spec, |path| path_in_description(&contents, path));
        let bundled_args = replace_bundled_paths(described_args(&mut spec), &contents);
        let bundled_options = replace_bundled_paths(described_options(&mut spec), &contents);
        let bundle = Some(self.write(&contents)?);
        Ok(DescribedPlayer { number, bundle, spec, bundled_args, bundled_options })
    }

    /// Packs the rules program.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn rules(&self, rules: &RulesProgram) -> Result<DescribedRules, BundleError> {
        let dir = PathBuf::from(&rules.dir);
        let named = launch_files(&rules.command, &rules.files, &dir);
        let own = std::iter::once(&dir).chain(&named);
        let contents = BundleContents::new(own.map(PathBuf::as_path), &self.hidden);
        let program = rules_with_paths(rules, |path| path_in_description(&contents, path));
        Ok(DescribedRules { bundle: self.write(&contents)?, program })
    }

    /// Writes a bundle to a new file, named by its hash. Returns the hash.
    fn write(&self, contents: &BundleContents) -> Result<String, BundleError> {
        let failed = |path: &Path, source| BundleError::File { path: path.to_owned(), source };
        let temporary = self.folder.join("bundle.tmp");
        let out = fs::File::create(&temporary).map_err(|error| failed(&temporary, error))?;
        let hash = contents.write(BufWriter::new(out))?;
        let file = self.folder.join(format!("{hash}.tar"));
        fs::rename(&temporary, &file).map_err(|error| failed(&file, error))?;
        Ok(hash)
    }
}

/// The arguments of a player.
fn described_args(spec: &mut PlayerSpec) -> Vec<&mut String> {
    match &mut spec.kind {
        PlayerKind::Command { args, .. } => args.iter_mut().collect(),
        PlayerKind::Bot(_) => Vec::new(),
    }
}

/// The values of the options of a player that is an engine.
fn described_options(spec: &mut PlayerSpec) -> Vec<&mut String> {
    let options = spec.engine.iter_mut().flat_map(|engine| &mut engine.options);
    options.map(|(_, value)| value).collect()
}

/// Replaces the absolute paths of bundled files by their names in the bundle. Returns which.
fn replace_bundled_paths(texts: Vec<&mut String>, contents: &BundleContents) -> Vec<usize> {
    let mut bundled = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        let path = Path::new(&*text);
        let is_file = path.is_absolute() && !is_never_bundled(path) && path.exists();
        if let Some(name) = contents.name_of(path).filter(|_| is_file) {
            *text = name.display().to_string();
            bundled.push(index);
        }
    }
    bundled
}

/// Replaces the names of bundled files by their paths in the unpacked bundle.
fn restore_bundled_paths(mut texts: Vec<&mut String>, bundled: &[usize], root: &Path) {
    for &index in bundled {
        if let Some(text) = texts.get_mut(index) {
            **text = root.join(&**text).display().to_string();
        }
    }
}

/// The path in the bundle, if it is part of it.
fn path_in_description(contents: &BundleContents, path: &Path) -> PathBuf {
    contents.name_of(path).unwrap_or_else(|| path.to_owned())
}

/// The player with its paths changed by `at`.
fn player_with_paths(spec: &PlayerSpec, at: impl Fn(&Path) -> PathBuf) -> PlayerSpec {
    let mut spec = spec.clone();
    match &mut spec.kind {
        PlayerKind::Command { program: path, .. } => {
            *path = at(path);
        }
        PlayerKind::Bot(_) => {}
    }
    spec.dir = at(&spec.dir);
    spec.readable = spec.readable.iter().map(|path| at(path)).collect();
    spec
}

fn rules_with_paths(rules: &RulesProgram, at: impl Fn(&Path) -> PathBuf) -> RulesProgram {
    let at = |path: &str| at(Path::new(path)).display().to_string();
    RulesProgram { program: at(&rules.program), dir: at(&rules.dir), ..rules.clone() }
}

impl RunDescription {
    /// The identity of the run: that of the log, and a hash of everything else.
    pub(crate) fn run_id(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        let hash = blake3::hash(&text).to_hex();
        format!("{}-{}", self.header.identity, &hash[..16])
    }

    /// The hashes of all bundles.
    pub(crate) fn bundles(&self) -> impl Iterator<Item = &str> {
        let rules = self.rules.iter().map(|rules| rules.bundle.as_str());
        rules.chain(self.players.iter().filter_map(|player| player.bundle.as_deref()))
    }
}

impl DescribedPlayer {
    /// The player as run here. `root` is the folder of its bundle, or any folder for a
    /// built-in player.
    pub(crate) fn unpacked(&self, root: &Path) -> PlayerSpec {
        let mut spec = player_with_paths(&self.spec, |path| root.join(path));
        restore_bundled_paths(described_args(&mut spec), &self.bundled_args, root);
        restore_bundled_paths(described_options(&mut spec), &self.bundled_options, root);
        spec
    }

    /// The name on the server of the player with this number, if it comes while others play.
    pub(crate) fn object_name(number: usize) -> String {
        format!("player-{number}")
    }

    /// The program and the folders that it needs on the machine itself, outside its bundle.
    pub(crate) fn needed_paths(&self) -> impl Iterator<Item = &Path> {
        let program = match &self.spec.kind {
            PlayerKind::Command { program, .. } => Some(program),
            PlayerKind::Bot(_) => None,
        };
        let outside = program.into_iter().chain(&self.spec.folders);
        outside.map(PathBuf::as_path).filter(|path| path.is_absolute())
    }
}

impl DescribedRules {
    /// The program as run here, from the bundle in `root`.
    pub(crate) fn unpacked(&self, root: &Path) -> RulesProgram {
        rules_with_paths(&self.program, |path| root.join(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::unpack_bundle;
    use referee_record::model::player_spec::EngineSettings;
    use referee_record::model::player_spec::examples::bot;

    /// A net is sent; tablebases can be huge, so a worker has its own.
    #[test]
    fn files_that_options_name_are_sent_and_folders_are_needed() {
        let scene = tempfile::tempdir().expect("a folder");
        let path = |name: &str| scene.path().join(name);
        for name in ["engine/run", "nets/a.nnue", "tables/kqk.rtbw"] {
            fs::create_dir_all(path(name).parent().expect("a folder")).expect("created");
            fs::write(path(name), name).expect("written");
        }
        let text = |name: &str| path(name).display().to_string();
        let options = [("EvalFile", text("nets/a.nnue")), ("SyzygyPath", text("tables"))];
        let options = options.map(|(name, value)| (name.to_owned(), value)).into();
        let spec = PlayerSpec {
            kind: PlayerKind::Command { program: path("engine/run"), args: Vec::new() },
            dir: path("engine"),
            readable: vec![path("nets/a.nnue")],
            folders: vec![path("tables")],
            engine: Some(EngineSettings { options, ..EngineSettings::default() }),
            ..bot("engine")
        };
        let packer = RunDescriber { folder: path(""), hidden: Vec::new() };
        let sent = packer.player(0, &spec).expect("a bundle");
        assert_eq!(sent.needed_paths().collect::<Vec<_>>(), [path("tables")]);
        let hash = sent.bundle.as_ref().expect("a bundle");
        unpack_bundle(&path(&format!("{hash}.tar")), hash, &path("worker")).expect("unpacked");
        let there = sent.unpacked(&path("worker"));
        let options = there.engine.expect("an engine").options;
        assert_eq!(options[1].1, text("tables"));
        assert!(Path::new(&options[0].1).starts_with(path("worker")), "{options:?}");
        assert_eq!(fs::read_to_string(&options[0].1).expect("a net"), "nets/a.nnue");
    }
}
