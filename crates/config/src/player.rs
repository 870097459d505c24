//! Players as the program needs them: found, named and hashed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::given_options::GivenOption;
use super::keys::{Field, Given};
use super::launch;
use super::limits::{tc, whole};
use super::option_files::{self, OptionFiles};
use super::player_keys::{PlayerKeys, RunMethod};
use super::problem::{ByteSpan, InvalidValue, Problem, Problems};
use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_entrants::recipes::build_command;
use referee_entrants::start::{BuildState, StartDecision, decide};
use referee_entrants::start_command::StartCommand;
use referee_match::player::own_files;
use referee_record::fingerprint::{self, Fingerprint, Parts, Unreadable};
use referee_record::model::player::{
    EngineSettings, LONGEST_NAME, PlayerKind, PlayerSpec, name_problem,
};
use referee_sandbox::{IMAGE_PATH, Place};

/// The option of engines for the castling of Chess960.
const CHESS_960: &str = "UCI_Chess960";
/// Where engines are installed besides the `PATH`.
const ENGINE_FOLDERS: [&str; 2] = ["/usr/local/games", "/usr/games"];
/// The most positions that an engine may be told to search for a move.
const MOST_NODES: u64 = 1_000_000_000_000;
/// The greatest depth that it may be told to search to.
const DEEPEST: u32 = 1000;

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
    /// The folder with a system of its own, if it has one.
    pub(super) root: Option<RootFolder>,
    /// The devices that it may use.
    pub(super) devices: Vec<PathBuf>,
}

/// A folder with a system of its own, such as an unpacked image.
#[derive(Debug, Clone)]
pub(super) struct RootFolder {
    /// The name in the configuration.
    name: String,
    path: PathBuf,
}

/// Remarks for its author about how it is run.
pub fn remarks(spec: &PlayerSpec) -> Vec<String> {
    let Some(settings) = &spec.engine else { return compiled(spec).into_iter().collect() };
    let is_set = |(name, _): &(String, String)| name.eq_ignore_ascii_case(CHESS_960);
    let castling = settings.options.iter().any(is_set).then(|| {
        format!(
            "remove the option `{CHESS_960}`: it is set when the game has `chess960 = true`, and \
             castling is refused otherwise"
        )
    });
    option_files::missing(settings, &spec.dir).into_iter().chain(castling).collect()
}

/// A remark about a program that is compiled at every start.
fn compiled(spec: &PlayerSpec) -> Option<String> {
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
pub(super) fn from_bot(name: String, bot: &str, dir: &Path) -> Result<PlayerSpec, InvalidValue> {
    let kind = launch::bot(bot)?;
    Ok(PlayerSpec {
        name,
        command: launch::shown_command(&kind, &[]),
        kind,
        dir: dir.to_owned(),
        env: BTreeMap::new(),
        readable: Vec::new(),
        folders: Vec::new(),
        places: Vec::new(),
        root: None,
        devices: Vec::new(),
        hidden: Vec::new(),
        engine: None,
        tc: None,
        restart: true,
        guesses: false,
        disqualified: None,
        hash: fingerprint::of_bot(bot),
        fingerprint: Fingerprint::default(),
    })
}

/// Creates the player that `command` runs in `place`.
pub(super) fn from_command(
    name: String,
    command: UnresolvedCommand,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let path = command.env.get("PATH").map(OsStr::new).or(place.path);
    let program = program(&command, place.base, path)?;
    from_program(name, command, (program, &[]), place.base)
}

/// Creates the player that is the engine which `command` runs in `place`. A program may also be
/// where games are installed, which is often not in the `PATH`.
pub(super) fn from_engine(
    name: String,
    command: UnresolvedCommand,
    settings: EngineSettings,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let path = command.env.get("PATH").map(OsStr::new).or(place.path).unwrap_or_default();
    let folders = std::env::split_paths(path).chain(ENGINE_FOLDERS.map(PathBuf::from));
    let path = std::env::join_paths(folders).unwrap_or_default();
    let program = program(&command, place.base, Some(&path))?;
    let OptionFiles { files, folders } = OptionFiles::find(&settings, place.base)?;
    let mut command = command;
    command.files.extend(files);
    let mut hashed = vec![engine_text(&settings)];
    for folder in &folders {
        let names = fingerprint::of_names(folder, &place.base.join(folder));
        hashed.extend([folder.clone(), names.map_err(|bad| unreadable(&bad))?]);
    }
    let mut spec = from_program(name, command, (program, &hashed), place.base)?;
    // It sees its own folder anyway.
    spec.folders =
        folders.iter().filter_map(|it| place.base.join(it).canonicalize().ok()).collect();
    let own = place.base.canonicalize().unwrap_or_default();
    spec.folders.retain(|folder| !folder.starts_with(&own));
    spec.places.extend(spec.folders.iter().map(|folder| Place::find(folder)));
    let shown = settings.to_string();
    let shown = if shown.is_empty() { shown } else { format!(" ({shown})") };
    let command = format!("uci:{}{shown}", spec.command);
    // `ucinewgame` tells an engine to forget earlier games.
    Ok(PlayerSpec { command, engine: Some(settings), restart: false, ..spec })
}

/// The program of a command that runs in `dir`: in its own system, or found in `path`.
fn program(
    command: &UnresolvedCommand,
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, InvalidValue> {
    let Some(root) = &command.root else { return launch::command(&command.words, dir, path) };
    let path = command.env.get("PATH").map_or(IMAGE_PATH, String::as_str);
    launch::command_in(&root.path, &command.words, dir, OsStr::new(path))
}

/// The settings of an engine as a word of its command, for the hash.
fn engine_text(settings: &EngineSettings) -> String {
    format!("uci {settings}")
}

fn from_program(
    name: String,
    command: UnresolvedCommand,
    (program, settings): (PathBuf, &[String]),
    dir: &Path,
) -> Result<PlayerSpec, InvalidValue> {
    let mut command = command;
    command.files.extend(class_path(&command.words, dir));
    let (fingerprint, hash) = made(&program, &command, settings, dir)?;
    let args = command.words.iter().skip(1).cloned().collect();
    let kind = PlayerKind::Command { program, args };
    let readable = own_files(&command.words, &command.files, dir);
    let places = std::iter::once(dir).chain(readable.iter().map(PathBuf::as_path));
    Ok(PlayerSpec {
        places: places.map(Place::find).collect(),
        readable,
        name,
        command: launch::shown_command(&kind, &command.words),
        hash,
        fingerprint,
        folders: Vec::new(),
        root: command.root.map(|root| root.path),
        devices: command.devices,
        hidden: Vec::new(),
        kind,
        dir: dir.to_owned(),
        env: command.env,
        engine: None,
        tc: None,
        restart: true,
        guesses: false,
        disqualified: None,
    })
}

/// The files and folders in the class path of a Java command, which belong to the player. All of
/// the folder `lib` counts for `lib/*`.
fn class_path(words: &[String], dir: &Path) -> Vec<String> {
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
fn made(
    program: &Path,
    command: &UnresolvedCommand,
    settings: &[String],
    dir: &Path,
) -> Result<(Fingerprint, String), InvalidValue> {
    let UnresolvedCommand { words, env, files, root, .. } = command;
    // A program in an image counts by its name, like the image.
    let program = if root.is_some() { Path::new("/") } else { program };
    let words = &[&root_words(root.as_ref()), words, settings].concat();
    Fingerprint::read(Parts { dir, program, words, env, files }).map_err(|bad| unreadable(&bad))
}

/// What a system of its own adds to the hash of a player: its name, because an image can be huge.
fn root_words(root: Option<&RootFolder>) -> Vec<String> {
    root.map(|root| vec!["root".to_owned(), root.name.clone()]).unwrap_or_default()
}

fn unreadable(unreadable: &Unreadable) -> InvalidValue {
    let name = unreadable.name.escape_debug();
    let title = format!("cannot read `{name}`: {}", unreadable.error);
    InvalidValue::new(title, "the player's files are read to notice when the player changes")
}

/// Takes those without a player out of `players`. Returns their names and the reasons.
pub(super) fn take_absent(
    players: &mut Vec<PlayerKeys>,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let is_absent = |keys: &PlayerKeys| matches!(keys.run, RunMethod::Absent(_));
    let (absent, present) = std::mem::take(players).into_iter().partition(is_absent);
    *players = present;
    let reason = |keys: PlayerKeys| {
        let name = name(keys.name.as_ref(), problems);
        note_useless(&keys, problems);
        let RunMethod::Absent(reason) = keys.run else { return None };
        Some((name?, reason?.into_inner()))
    };
    Vec::into_iter(absent).filter_map(reason).collect()
}

/// Checks the player that `keys` describe; `None` if a problem was noted.
pub(super) fn check(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let name = name(keys.name.as_ref(), problems);
    note_useless(&keys, problems);
    let is_set = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|it| *it.get_ref());
    let guesses = is_set(&keys.guesses);
    let restart = keys.restart.as_ref().map(|it| *it.get_ref());
    let tc = tc(keys.tc.as_ref(), problems);
    let disqualified = keys.disqualified.as_ref().map(|it| it.get_ref().clone());
    let spec = match &keys.run {
        RunMethod::Command(Some(_)) => by_command(keys, place, builds, problems),
        RunMethod::Bot(Some(bot)) => by_bot(bot, place, problems),
        RunMethod::Engine(Some(_)) => by_engine(keys, place, problems),
        RunMethod::Command(None)
        | RunMethod::Engine(None)
        | RunMethod::Bot(None)
        | RunMethod::Absent(_) => None,
        RunMethod::Several(given) => {
            problems.add(several(given));
            None
        }
        RunMethod::Neither if builds.is_some() && keys.dir.is_some() => {
            by_detection(&keys, place, builds, problems)
        }
        RunMethod::Neither => {
            let title = "this player has no `command`, `uci` or `bot`";
            let problem = Problem::new(keys.at, title);
            let help = "add `command = [\"python3\", \"player.py\"]`, `uci = \"./engine\"` or \
                        `bot = \"greedy\"`";
            problems.add(problem.help(help));
            None
        }
    };
    let spec = spec?;
    let restart = restart.unwrap_or(spec.restart);
    Some(PlayerSpec { name: name?, tc, restart, guesses, disqualified, ..spec })
}

fn several([one, other]: &[(&str, ByteSpan); 2]) -> Problem {
    let title = format!("this player has both `{}` and `{}`", one.0, other.0);
    Problem::new(other.1.clone(), title)
        .earlier(one.1.clone(), format!("`{}` is here", one.0))
        .help("remove one of them")
}

/// Notes the keys that have no effect: for a built-in player, for someone without a player, and
/// those of engines for any other player.
fn note_useless(keys: &PlayerKeys, problems: &mut Problems) {
    let of_engines = [
        ("options", keys.options.0.first().map(|option| option.name.span())),
        ("nodes", keys.nodes.as_ref().map(Spanned::span)),
        ("depth", keys.depth.as_ref().map(Spanned::span)),
    ];
    for (key, at) in of_engines {
        if let (Some(at), false) = (at, matches!(keys.run, RunMethod::Engine(_))) {
            let problem = Problem::new(at, format!("`{key}` is only for UCI engines"));
            problems
                .add(problem.help(format!("remove `{key}`, or run it as `uci = \"./engine\"`")));
        }
    }
    let who = match keys.run {
        RunMethod::Bot(_) => "a built-in player",
        RunMethod::Absent(_) => "someone who is `absent`",
        _ => return,
    };
    let useless = [
        ("dir", keys.dir.as_ref().map(Spanned::span)),
        ("env", keys.env.as_ref().map(Spanned::span)),
        ("files", keys.files.as_ref().map(Spanned::span)),
        ("guesses", keys.guesses.as_ref().map(Spanned::span)),
        ("root", keys.root.as_ref().map(Spanned::span)),
        ("devices", keys.devices.as_ref().map(Spanned::span)),
    ];
    let of_absent = [
        ("tc", keys.tc.as_ref().map(Spanned::span)),
        ("disqualified", keys.disqualified.as_ref().map(Spanned::span)),
    ];
    let is_absent = matches!(keys.run, RunMethod::Absent(_));
    for (key, at) in useless.into_iter().chain(of_absent.into_iter().filter(|_| is_absent)) {
        if let Some(at) = at {
            let problem = Problem::new(at, format!("{who} cannot have `{key}`"));
            problems.add(problem.help(format!("remove `{key}`, or run the player in another way")));
        }
    }
}

fn by_bot(
    bot: &Spanned<String>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    noted(from_bot(String::new(), bot.get_ref(), place.base), bot.span(), problems)
}

/// UCI has a line for each command, so a second line would be a command of its own.
fn note_options_of_several_lines(options: &[GivenOption], problems: &mut Problems) {
    for text in options.iter().flat_map(|option| [&option.name, &option.value]) {
        if text.get_ref().contains(char::is_control) {
            let title =
                "an engine's option cannot contain a line break or another control character";
            problems.add(Problem::new(text.span(), title).help("write it in one line"));
        }
    }
}

fn by_engine(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    note_options_of_several_lines(&keys.options.0, problems);
    let (root, devices) = room(&keys, place.base, problems)?;
    let RunMethod::Engine(Some(words)) = keys.run else { return None };
    let at = words.span();
    let settings = EngineSettings {
        options: keys.options.0.iter().map(GivenOption::owned).collect(),
        nodes: whole("nodes", keys.nodes.as_ref(), &(1..=MOST_NODES), problems),
        depth: whole("depth", keys.depth.as_ref(), &(1..=DEEPEST), problems),
    };
    let env = env(keys.env, problems);
    let dir = dir(keys.dir.as_ref(), place.base, problems)?;
    let files = files(keys.files, &dir, problems)?;
    let command = UnresolvedCommand { words: words.into_inner().0, env, files, root, devices };
    let place = LookupPaths { base: &dir, ..place };
    noted(from_engine(String::new(), command, settings, place), at, problems)
}

fn by_command(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let plan = builds.and_then(|rules| build_plan(&keys, place.base, rules));
    let (root, devices) = room(&keys, place.base, problems)?;
    let RunMethod::Command(Some(words)) = keys.run else { return None };
    let at = words.span();
    let env = env(keys.env, problems);
    let dir = dir(keys.dir.as_ref(), place.base, problems)?;
    let built = builds.zip(plan).map(|(rules, plan)| (rules, BuildState::of(rules, plan)));
    let result = built.as_ref().and_then(|(_, built)| Some((&built.plan, built.dir.as_deref()?)));
    let libraries = result.and_then(|(plan, dir)| plan.library_path(dir, dir));
    let env = with_libraries(env, libraries);
    let dir = result.map_or(&*dir, |(_, dir)| dir);
    let files = files(keys.files, dir, problems)?;
    let words: Vec<String> = words.into_inner().into_iter().map(Spanned::into_inner).collect();
    let place = LookupPaths { base: dir, ..place };
    let hashed = [root_words(root.as_ref()), words.clone()].concat();
    let command = UnresolvedCommand { words, env, files, root, devices };
    let spec = from_command(String::new(), command, place);
    let spec = match built {
        Some((rules, built)) => player_of_build(rules, &built, spec, &hashed),
        None => spec,
    };
    noted(spec, at, problems)
}

/// The variables with the path to libraries that a build installed, before what is searched anyway.
fn with_libraries(
    mut env: BTreeMap<String, String>,
    libraries: Option<(String, String)>,
) -> BTreeMap<String, String> {
    if let Some((name, path)) = libraries {
        let given = env.get(&name).map_or(String::new(), |given| format!(":{given}"));
        env.insert(name, path + &given);
    }
    env
}

/// The player that is detected in a folder, after its build if it needs one.
fn by_detection(
    keys: &PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let at = keys.dir.as_ref()?.span();
    let (root, devices) = room(keys, place.base, problems)?;
    let env = env(keys.env.clone(), problems);
    let dir = dir(keys.dir.as_ref(), place.base, problems)?;
    // The folder of the configuration belongs to no player.
    let rules = builds.filter(|_| !is_same(&dir, place.base));
    let decision = decide(&dir, rules);
    let missing = || {
        let title = match &decision.found[..] {
            [] => "no player found in this folder",
            _ => "several files in this folder could be the player",
        };
        InvalidValue::new(title, "say how to start it with `command = [\"./player\"]`")
    };
    let start = only(&decision).ok_or_else(missing);
    let given = PlayerRoom { files: vec![".".to_owned()], env, root, devices };
    let spec = from_decision(&decision, start, rules, given, place);
    noted(spec, at, problems)
}

/// The decided start, if it is decided.
pub(super) fn only(decision: &StartDecision) -> Option<&StartCommand> {
    match &decision.found[..] {
        [start] => Some(start),
        _ => None,
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// What the organiser gives a player besides its files.
#[derive(Debug, Default)]
pub(super) struct PlayerRoom {
    /// Further files that belong to the player; for a class, which cannot name its modules, all.
    pub(super) files: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) root: Option<RootFolder>,
    pub(super) devices: Vec<PathBuf>,
}

/// The player that `start` starts, as `decision` found it under `rules`; otherwise the reason, with
/// what became of its build.
pub(super) fn from_decision(
    decision: &StartDecision,
    start: Result<&StartCommand, InvalidValue>,
    rules: Option<&BuildRules>,
    room: PlayerRoom,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let PlayerRoom { files, env, root, devices } = room;
    let hashed = |start: &StartCommand| [root_words(root.as_ref()), start.words.clone()].concat();
    let words = start.as_ref().map(|start| hashed(start)).unwrap_or_default();
    let spec = start.and_then(|start| {
        let env = with_libraries(env, start.env.clone().into_iter().next());
        let files = if start.is_class() { vec![".".to_owned()] } else { files };
        let command = UnresolvedCommand { words: start.words.clone(), env, files, root, devices };
        from_command(String::new(), command, LookupPaths { base: &start.dir, ..place })
    });
    match rules.zip(decision.build.as_ref()) {
        Some((rules, build)) => player_of_build(rules, build, spec, &words),
        None => spec,
    }
}

/// The system and the devices of a player; `None` if a problem was noted.
fn room(
    keys: &PlayerKeys,
    base: &Path,
    problems: &mut Problems,
) -> Option<(Option<RootFolder>, Vec<PathBuf>)> {
    let mut complete = true;
    let root = keys.root.as_ref().map(|name| {
        let path = base.join(name.get_ref());
        if !path.is_dir() {
            let title = format!("cannot find the folder `{}`", name.get_ref().escape_debug());
            let help = "`root` is the folder of an unpacked image, relative to that of the \
                        configuration file";
            problems.add(Problem::new(name.span(), title).help(help));
            complete = false;
        }
        RootFolder { name: name.get_ref().clone(), path }
    });
    let mut devices = Vec::new();
    for name in keys.devices.iter().flat_map(Spanned::get_ref) {
        let path = PathBuf::from(name.get_ref());
        let is_device = fs::metadata(&path).is_ok_and(|found| found.file_type().is_char_device());
        if !path.is_absolute() || !is_device {
            let title = format!("`{}` is not a device", name.get_ref().escape_debug());
            let help = "give the full path of a character device, such as /dev/dri/renderD128";
            problems.add(Problem::new(name.span(), title).help(help));
            complete = false;
        }
        devices.push(path);
    }
    complete.then_some((root, devices))
}

/// The build that a player needs, if any. The folder of the configuration belongs to no player.
pub(super) fn build_plan(keys: &PlayerKeys, base: &Path, rules: &BuildRules) -> Option<BuildPlan> {
    let dir = base.join(keys.dir.as_ref()?.get_ref());
    if is_same(&dir, base) {
        return None;
    }
    match keys.run {
        RunMethod::Command(Some(_)) => rules.plan_at(&dir),
        RunMethod::Neither => rules.plan(&dir),
        _ => None,
    }
}

/// The player in the result of a build with the hash of its sources. If there is no result, the
/// player as submitted; if that cannot run, says what became of its build.
fn player_of_build(
    rules: &BuildRules,
    build: &BuildState,
    found: Result<PlayerSpec, InvalidValue>,
    words: &[String],
) -> Result<PlayerSpec, InvalidValue> {
    if build.dir.is_none() {
        return found.map_err(|why| without_result(build, why));
    }
    let mut spec = found?;
    let read = rules.fingerprint(&build.plan, words);
    (spec.fingerprint, spec.hash) = read.map_err(|bad| unreadable(&bad))?;
    // Its own, so others do not see it.
    spec.readable.push(build.plan.source.clone());
    Ok(spec)
}

fn without_result(build: &BuildState, why: InvalidValue) -> InvalidValue {
    let command = build.plan.command.escape_debug();
    why.with_help(match &build.log {
        Some(log) => format!("building it with `{command}` failed; see {}", log.display()),
        None => format!("`referee run` and `referee check` build it with `{command}`"),
    })
}

fn noted<T>(result: Result<T, InvalidValue>, at: ByteSpan, problems: &mut Problems) -> Option<T> {
    result.map_err(|complaint| problems.add(complaint.at(at))).ok()
}

fn name(field: Given<'_, String>, problems: &mut Problems) -> Option<String> {
    let field = field?;
    noted(check_name(field.get_ref()), field.span(), problems)?;
    Some(field.get_ref().clone())
}

/// Checks a name that is shown to people and written in tables.
pub(super) fn check_name(name: &str) -> Result<(), InvalidValue> {
    let help =
        format!("a name has 1 to {LONGEST_NAME} characters, none of them a control character");
    name_problem(name).map_or(Ok(()), |problem| Err(InvalidValue::new(problem, help)))
}

fn dir(field: Given<'_, String>, base: &Path, problems: &mut Problems) -> Option<PathBuf> {
    let Some(field) = field else { return Some(base.to_owned()) };
    let dir = base.join(field.get_ref());
    if dir.is_dir() {
        return Some(dir);
    }
    let title = format!("cannot find the folder `{}`", field.get_ref().escape_debug());
    let help = "a player's `dir` is relative to the folder of the configuration file";
    problems.add(Problem::new(field.span(), title).help(help));
    None
}

fn env(
    field: Field<BTreeMap<String, String>>,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let Some(field) = field else { return BTreeMap::new() };
    let unfit = |(name, value): (&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if field.get_ref().iter().any(unfit) {
        let problem = Problem::new(field.span(), "invalid environment variable");
        let help = "a variable's name is not empty and has no `=`; neither name nor value has a \
                    NUL character";
        problems.add(problem.help(help));
    }
    field.into_inner()
}

/// The player's further files, which must exist.
fn files(
    field: Field<Vec<Spanned<String>>>,
    dir: &Path,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let given = field.map(Spanned::into_inner).unwrap_or_default();
    let mut complete = true;
    for file in &given {
        if let Err(error) = fs::metadata(dir.join(file.get_ref())) {
            let title = format!("cannot read `{}`: {error}", file.get_ref().escape_debug());
            let help = "`files` are relative to the player's `dir`";
            problems.add(Problem::new(file.span(), title).help(help));
            complete = false;
        }
    }
    complete.then(|| given.into_iter().map(Spanned::into_inner).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::folder;

    #[test]
    fn what_a_class_path_lists_belongs_to_the_player() {
        let dir = folder(&[("x.jar", ""), ("lib/y.jar", ""), ("build/Player.class", "")]);
        let found = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            class_path(&words, dir.path()).join(" ")
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
            from_program("ant".to_owned(), command, program, dir.path()).expect("a player").hash
        };
        let before = hash();
        fs::write(dir.path().join("x.jar"), "other").expect("written");
        assert_ne!(before, hash(), "a library of another content makes another player");
    }
}
