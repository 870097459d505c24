//! Players as the program needs them: found, named and hashed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::command_programs;
use super::command_programs::{find_command_in_root, find_command_program, format_player_command};
use super::imports::find_imported_modules;
use super::option_files::{OptionFiles, find_missing_option_file};
use super::problem::InvalidValue;
use referee_entrants::build_commands::build_command;
use referee_entrants::build_rules::BuildRules;
use referee_entrants::start_command::StartCommand;
use referee_entrants::start_decision::{BuildState, StartDecision};
use referee_match::player::launch_files;
use referee_record::fingerprint::{self, Fingerprint, HashedPlayer, Unreadable};
use referee_record::model::player_spec::{EngineSettings, PlayerKind, PlayerSpec};
use referee_sandbox::{Endpoint, IMAGE_PATH, PinnedPath};

/// The option of engines for the castling of Chess960.
const CHESS_960: &str = "UCI_Chess960";
/// Where engines are installed besides the `PATH`.
const ENGINE_FOLDERS: [&str; 2] = ["/usr/local/games", "/usr/games"];

/// The places to search for players and their programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookupPaths<'a> {
    /// The absolute path of the folder that paths are relative to.
    pub(super) base: &'a Path,
    /// The folders of programs, in the format of the `PATH` variable.
    pub path: Option<&'a OsStr>,
}

/// A command before its program is found.
#[derive(Debug, Default)]
pub(super) struct UnresolvedCommand {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The variables added to the environment.
    pub(super) env: BTreeMap<String, String>,
    /// Further files and folders that belong to the player.
    pub(super) files: Vec<String>,
    pub(super) room: PlayerAccess,
}

/// What a player may use of the machine besides its files.
#[derive(Debug, Clone, Default)]
pub(super) struct PlayerAccess {
    /// The folder with a system of its own, if it has one.
    pub(super) root: Option<RootFolder>,
    pub(super) devices: Vec<PathBuf>,
    /// What it may reach over the network.
    pub(super) network: Vec<Endpoint>,
}

impl PlayerAccess {
    /// What it adds to the hash of a player: of a system of its own its name, because an image can be
    /// huge, and what it may reach.
    pub(super) fn hash_words(&self) -> Vec<String> {
        let root = self.root.iter().flat_map(|root| ["root".to_owned(), root.name.clone()]);
        let network = self.network.iter();
        root.chain(network.flat_map(|it| ["network".to_owned(), it.to_string()])).collect()
    }

    /// What it adds to the player's command as people see it.
    fn format_network(&self) -> String {
        let listed: Vec<String> = self.network.iter().map(Endpoint::to_string).collect();
        if listed.is_empty() { String::new() } else { format!(" (reaches {})", listed.join(", ")) }
    }
}

/// A folder with a system of its own, such as an unpacked image.
#[derive(Debug, Clone)]
pub(super) struct RootFolder {
    /// The name in the configuration.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// Remarks for its author about how it is run.
pub fn remarks_on_player(spec: &PlayerSpec) -> Vec<String> {
    let Some(settings) = &spec.engine else {
        return remark_compiled_at_start(spec).into_iter().collect();
    };
    let is_set = |(name, _): &(String, String)| name.eq_ignore_ascii_case(CHESS_960);
    let castling = settings.options.iter().any(is_set).then(|| {
        format!(
            "remove the option `{CHESS_960}`: it is set when the game has `chess960 = true`, and \
             castling is refused otherwise"
        )
    });
    find_missing_option_file(settings, &spec.dir).into_iter().chain(castling).collect()
}

/// A remark about a program that is compiled at every start.
fn remark_compiled_at_start(spec: &PlayerSpec) -> Option<String> {
    let PlayerKind::Command { program, args } = &spec.kind else { return None };
    let source = args.iter().find(|arg| !arg.starts_with('-'))?;
    let is_source = Path::new(source).extension() == Some(OsStr::new("java"))
        && program.file_stem() == Some(OsStr::new("java"));
    let build = build_command(&spec.dir.join(source)).filter(|_| is_source)?;
    Some(format!(
        "`{source}` is compiled at every start, which takes time; build it with `{build}` and \
         run the class instead"
    ))
}

/// Creates the built-in player `bot` under the name `name`.
pub(super) fn spec_from_bot(
    name: String,
    bot: &str,
    dir: &Path,
) -> Result<PlayerSpec, InvalidValue> {
    let kind = command_programs::built_in_player_kind(bot)?;
    Ok(PlayerSpec {
        command: format_player_command(&kind, &[]),
        hash: fingerprint::hash_bot(bot),
        ..PlayerSpec::new(name, kind, dir.to_owned())
    })
}

/// Creates the player that `command` runs in `place`.
pub(super) fn spec_from_command(
    name: String,
    command: UnresolvedCommand,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let path = command.env.get("PATH").map(OsStr::new).or(place.path);
    let program = find_program_for_spec(&command, place.base, path)?;
    spec_from_program(name, command, (program, &[]), place.base)
}

/// Creates the player that is the engine which `command` runs in `place`. A program may also be
/// where games are installed, which is often not in the `PATH`.
pub(super) fn spec_from_engine(
    name: String,
    command: UnresolvedCommand,
    settings: EngineSettings,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let path = command.env.get("PATH").map(OsStr::new).or(place.path).unwrap_or_default();
    let folders = std::env::split_paths(path).chain(ENGINE_FOLDERS.map(PathBuf::from));
    let path = std::env::join_paths(folders).unwrap_or_default();
    let program = find_program_for_spec(&command, place.base, Some(&path))?;
    let OptionFiles { files, folders } = OptionFiles::find(&settings, place.base)?;
    let mut command = command;
    command.files.extend(files);
    let mut hashed = vec![engine_hash_word(&settings)];
    for folder in &folders {
        let names = fingerprint::hash_file_names(folder, &place.base.join(folder));
        hashed.extend([folder.clone(), names.map_err(|bad| unreadable_spec_file(&bad))?]);
    }
    let mut spec = spec_from_program(name, command, (program, &hashed), place.base)?;
    // It sees its own folder anyway.
    spec.folders =
        folders.iter().filter_map(|it| place.base.join(it).canonicalize().ok()).collect();
    let own = place.base.canonicalize().unwrap_or_default();
    spec.folders.retain(|folder| !folder.starts_with(&own));
    spec.places.extend(spec.folders.iter().map(|folder| PinnedPath::find(folder)));
    let shown = settings.to_string();
    let shown = if shown.is_empty() { shown } else { format!(" ({shown})") };
    let command = format!("{}:{}{shown}", settings.protocol.name(), spec.command);
    // Engines are told to forget earlier games.
    Ok(PlayerSpec { command, engine: Some(settings), restart: false, ..spec })
}

/// The program of a command that runs in `dir`: in its own system, or found in `path`.
fn find_program_for_spec(
    command: &UnresolvedCommand,
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, InvalidValue> {
    let Some(root) = &command.room.root else {
        return find_command_program(&command.words, dir, path);
    };
    let path = command.env.get("PATH").map_or(IMAGE_PATH, String::as_str);
    find_command_in_root(&root.path, &command.words, dir, OsStr::new(path))
}

/// The settings of an engine as a word of its command, for the hash.
fn engine_hash_word(settings: &EngineSettings) -> String {
    format!("{} {settings}", settings.protocol.name())
}

fn spec_from_program(
    name: String,
    command: UnresolvedCommand,
    (program, settings): (PathBuf, &[String]),
    dir: &Path,
) -> Result<PlayerSpec, InvalidValue> {
    let mut command = command;
    command.files.extend(spec_class_path(&command.words, dir));
    let (fingerprint, hash) = fingerprint_for_spec(&program, &command, settings, dir)?;
    let args = command.words.iter().skip(1).cloned().collect();
    let kind = PlayerKind::Command { program, args };
    let readable = launch_files(&command.words, &command.files, dir);
    let places = std::iter::once(dir).chain(readable.iter().map(PathBuf::as_path));
    Ok(PlayerSpec {
        places: places.map(PinnedPath::find).collect(),
        readable,
        command: format_player_command(&kind, &command.words) + &command.room.format_network(),
        hash,
        fingerprint,
        root: command.room.root.map(|root| root.path),
        devices: command.room.devices,
        network: command.room.network,
        env: command.env,
        ..PlayerSpec::new(name, kind, dir.to_owned())
    })
}

/// The files and folders in the class path of a Java command, which belong to the player. All of
/// the folder `lib` counts for `lib/*`.
fn spec_class_path(words: &[String], dir: &Path) -> Vec<String> {
    let options = ["-cp", "-classpath", "--class-path"];
    let lists = words.windows(2).filter(|pair| options.contains(&&*pair[0]));
    let joined = words.iter().filter_map(|word| word.strip_prefix("--class-path="));
    let lists = lists.map(|pair| &*pair[1]).chain(joined);
    let parts = lists.flat_map(|list| list.split(':'));
    let parts = parts.map(|part| part.strip_suffix("/*").unwrap_or(part));
    let is_part = |part: &&str| !["", ".", "./", "*"].contains(part) && dir.join(part).exists();
    parts.filter(is_part).map(str::to_owned).collect()
}

/// The fingerprint and the hash of a player that `program` runs.
fn fingerprint_for_spec(
    program: &Path,
    command: &UnresolvedCommand,
    settings: &[String],
    dir: &Path,
) -> Result<(Fingerprint, String), InvalidValue> {
    let UnresolvedCommand { words, env, files, room } = command;
    // Modules are not among the files that it may read elsewhere: whoever imports the program of
    // another player must not see it.
    let modules = words.iter().flat_map(|word| find_imported_modules(word, dir));
    let modules: Vec<String> = modules.filter(|name| !is_among_spec_files(files, name)).collect();
    let files = &[&files[..], &modules].concat();
    // A program in an image counts by its name, like the image.
    let program = if room.root.is_some() { Path::new("/") } else { program };
    let words = &[&room.hash_words(), words, settings].concat();
    Fingerprint::read(HashedPlayer { dir, program, words, env, files })
        .map_err(|bad| unreadable_spec_file(&bad))
}

/// Whether the file or folder `name` is one of `files`, or in one of them.
fn is_among_spec_files(files: &[String], name: &str) -> bool {
    let plain = |text: &str| {
        let parts = Path::new(text).components();
        parts.filter(|part| *part != Component::CurDir).collect::<PathBuf>()
    };
    let name = plain(name);
    let holds = |listed: &String| name.starts_with(plain(listed)) && !name.starts_with("..");
    files.iter().any(holds)
}

fn unreadable_spec_file(unreadable: &Unreadable) -> InvalidValue {
    let name = unreadable.name.escape_debug();
    let title = format!("cannot read `{name}`: {}", unreadable.error);
    InvalidValue::new(title, "the player's files are read to notice when the player changes")
}

/// The variables that the configuration sets, as words of what a built player's hash covers: the
/// build has others.
pub(super) fn env_hash_words(env: &BTreeMap<String, String>) -> Vec<String> {
    env.iter().map(|(name, value)| format!("env {name}={value}")).collect()
}

/// The variables with the path to libraries that a build installed, before what is searched anyway.
pub(super) fn spec_env_with_libraries(
    mut env: BTreeMap<String, String>,
    libraries: Option<(String, String)>,
) -> BTreeMap<String, String> {
    if let Some((name, path)) = libraries {
        let given = env.get(&name).map_or(String::new(), |given| format!(":{given}"));
        env.insert(name, path + &given);
    }
    env
}

/// The decided start, if it is decided.
pub(super) fn only_player_start(decision: &StartDecision) -> Option<&StartCommand> {
    match &decision.found[..] {
        [start] => Some(start),
        _ => None,
    }
}

pub(super) fn is_same_spec_folder(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// What the organiser says of a player whose command is found.
#[derive(Debug, Default)]
pub(super) struct PlayerTerms {
    /// Further files that belong to the player; for a class, which cannot name its modules, all.
    pub(super) files: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) room: PlayerAccess,
}

/// The player that `start` starts, as `decision` found it under `rules`; otherwise the reason, with
/// what became of its build.
pub(super) fn spec_from_decision(
    decision: &StartDecision,
    start: Result<&StartCommand, InvalidValue>,
    rules: Option<&BuildRules>,
    terms: PlayerTerms,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let PlayerTerms { files, env, room } = terms;
    let hashed = |start: &StartCommand| {
        [room.hash_words(), start.words.clone(), env_hash_words(&env)].concat()
    };
    let words = start.as_ref().map(|start| hashed(start)).unwrap_or_default();
    let spec = start.and_then(|start| {
        let env = spec_env_with_libraries(env, start.env.clone().into_iter().next());
        let files = if start.is_class() { vec![".".to_owned()] } else { files };
        let command = UnresolvedCommand { words: start.words.clone(), env, files, room };
        spec_from_command(String::new(), command, LookupPaths { base: &start.dir, ..place })
    });
    match rules.zip(decision.build.as_ref()) {
        Some((rules, build)) => spec_from_build(rules, build, spec, &words),
        None => spec,
    }
}

/// The player in the result of a build with the hash of its sources. If there is no result, the
/// player as submitted; if that cannot run, says what became of its build.
pub(super) fn spec_from_build(
    rules: &BuildRules,
    build: &BuildState,
    found: Result<PlayerSpec, InvalidValue>,
    words: &[String],
) -> Result<PlayerSpec, InvalidValue> {
    if build.dir.is_none() {
        return found.map_err(|why| explain_unbuilt_player(build, why));
    }
    let mut spec = found?;
    let read = rules.fingerprint_result(&build.plan, words);
    (spec.fingerprint, spec.hash) = read.map_err(|bad| unreadable_spec_file(&bad))?;
    // Its own, so others do not see it.
    spec.readable.push(build.plan.source.clone());
    Ok(spec)
}

fn explain_unbuilt_player(build: &BuildState, why: InvalidValue) -> InvalidValue {
    let command = build.plan.command.escape_debug();
    why.with_help(match &build.log {
        Some(log) => format!("building it with `{command}` failed; see {}", log.display()),
        None => format!("`referee run` and `referee check` build it with `{command}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use referee_entrants::test_folder::make_test_folder;

    #[test]
    fn what_a_class_path_lists_belongs_to_the_player() {
        let dir = make_test_folder(&[("x.jar", ""), ("lib/y.jar", ""), ("build/Player.class", "")]);
        let found = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            spec_class_path(&words, dir.path()).join(" ")
        };
        assert_eq!(found("java -cp .:x.jar Player"), "x.jar");
        assert_eq!(found("java -classpath build:lib/*:gone.jar Player"), "build lib");
        assert_eq!(found("java --class-path=x.jar Player"), "x.jar");
        assert_eq!(found("java -jar x.jar -cp"), "");
        let hash = || {
            let words = ["java", "-cp", ".:x.jar", "Player"].map(str::to_owned).to_vec();
            let env = BTreeMap::from([("PATH".to_owned(), dir.path().display().to_string())]);
            let command = UnresolvedCommand { words, env, ..UnresolvedCommand::default() };
            let program = (dir.path().join("lib/y.jar"), &[][..]);
            spec_from_program("ant".to_owned(), command, program, dir.path())
                .expect("a player")
                .hash
        };
        let before = hash();
        fs::write(dir.path().join("x.jar"), "other").expect("written");
        assert_ne!(before, hash(), "a library of another content makes another player");
    }
}
