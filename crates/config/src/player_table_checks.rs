//! A table `[[players]]`: the player that it describes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::clock_limits::{check_tc_key, check_whole_number};
use super::given_options::GivenOption;
use super::player_keys::{PlayerKeys, RunMethod};
use super::player_spec::{
    LookupPaths, PlayerAccess, PlayerTerms, RootFolder, UnresolvedCommand, env_hash_words,
    is_same_spec_folder, only_player_start, spec_env_with_libraries, spec_from_bot,
    spec_from_build, spec_from_command, spec_from_decision, spec_from_engine,
};
use super::problem::{ByteSpan, InvalidValue, Problem, Problems};
use super::toml_keys::{Field, Given};
use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_entrants::start_decision::{BuildState, decide_start};
use referee_protocol::{MOST_COST, ReportedCost};
use referee_record::model::player_spec::{
    EngineProtocol, EngineSettings, LONGEST_NAME, MOST_OUTAGES, PlayerSpec, player_name_problem,
};
use referee_record::model::seat_usage::{MOST_TOKENS, UsageLimit};
use referee_sandbox::InvalidEndpoint;

/// The most positions that an engine may be told to search for a move.
const MOST_NODES: u64 = 1_000_000_000_000;
/// The greatest depth that it may be told to search to.
const DEEPEST: u32 = 1000;

/// Takes those without a player out of `players`. Returns their names and the reasons.
pub(super) fn take_absent_players(
    players: &mut Vec<PlayerKeys>,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let is_absent = |keys: &PlayerKeys| matches!(keys.run, RunMethod::Absent(_));
    let (absent, present) = std::mem::take(players).into_iter().partition(is_absent);
    *players = present;
    let reason = |keys: PlayerKeys| {
        let name = check_player_table_name(keys.name.as_ref(), problems);
        check_useless_player_keys(&keys, problems);
        let RunMethod::Absent(reason) = keys.run else { return None };
        Some((name?, reason?.into_inner()))
    };
    Vec::into_iter(absent).filter_map(reason).collect()
}

/// Checks the player that `keys` describe; `None` if a problem was noted.
pub(super) fn check_player_table(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let name = check_player_table_name(keys.name.as_ref(), problems);
    check_useless_player_keys(&keys, problems);
    let is_set = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|it| *it.get_ref());
    let guesses = is_set(&keys.guesses);
    let restart = keys.restart.as_ref().map(|it| *it.get_ref());
    let tc = check_tc_key(keys.tc.as_ref(), problems);
    let outages =
        check_whole_number("outages", keys.outages.as_ref(), &(0..=MOST_OUTAGES), problems);
    let (usage, long_notes) = (check_player_table_usage(&keys, problems), is_set(&keys.long_notes));
    let disqualified = keys.disqualified.as_ref().map(|it| it.get_ref().clone());
    let spec = match &keys.run {
        RunMethod::Command(Some(_)) => check_command_player(keys, place, builds, problems),
        RunMethod::Bot(Some(bot)) => check_bot_player(bot, place, problems),
        RunMethod::Engine(_, Some(_)) => check_engine_player(keys, place, problems),
        RunMethod::Command(None)
        | RunMethod::Engine(_, None)
        | RunMethod::Bot(None)
        | RunMethod::Absent(_) => None,
        RunMethod::Several(given) => {
            problems.add(conflicting_table_keys(given));
            None
        }
        RunMethod::Neither if builds.is_some() && keys.dir.is_some() => {
            check_detected_player(&keys, place, builds, problems)
        }
        RunMethod::Neither => {
            let title = "this player has no `command`, `uci`, `gtp` or `bot`";
            let problem = Problem::new(keys.at, title);
            let help = "add `command = [\"python3\", \"player.py\"]`, `uci = \"./engine\"` or \
                        `bot = \"greedy\"`";
            problems.add(problem.help(help));
            None
        }
    };
    let spec = spec?;
    Some(PlayerSpec {
        name: name?,
        tc,
        restart: restart.unwrap_or(spec.restart),
        guesses,
        outages: outages.unwrap_or(0),
        usage,
        long_notes,
        disqualified,
        ..spec
    })
}

/// How much of its service a player may use.
fn check_player_table_usage(keys: &PlayerKeys, problems: &mut Problems) -> UsageLimit {
    let tokens = check_whole_number("tokens", keys.tokens.as_ref(), &(1..=MOST_TOKENS), problems);
    UsageLimit { tokens, cost: check_player_table_cost(keys.cost.as_ref(), problems) }
}

fn check_player_table_cost(field: Given<'_, f64>, problems: &mut Problems) -> Option<ReportedCost> {
    let field = field?;
    let cost = ReportedCost::from_units(*field.get_ref()).filter(|cost| !cost.is_zero());
    if cost.is_none() {
        let expected = format!("expected a number from 0.000001 to {MOST_COST}");
        let problem = Problem::new(field.span(), "`cost` is out of range");
        problems.add(problem.label(expected));
    }
    cost
}

fn conflicting_table_keys([one, other]: &[(&str, ByteSpan); 2]) -> Problem {
    let title = format!("this player has both `{}` and `{}`", one.0, other.0);
    Problem::new(other.1.clone(), title)
        .earlier(one.1.clone(), format!("`{}` is here", one.0))
        .help("remove one of them")
}

/// Notes the keys that have no effect: for a built-in player, for someone without a player, and
/// those of UCI engines for any other player.
fn check_useless_player_keys(keys: &PlayerKeys, problems: &mut Problems) {
    let of_engines = [
        ("options", keys.options.0.first().map(|option| option.name.span())),
        ("nodes", keys.nodes.as_ref().map(Spanned::span)),
        ("depth", keys.depth.as_ref().map(Spanned::span)),
    ];
    for (key, at) in of_engines {
        if let (Some(at), false) =
            (at, matches!(keys.run, RunMethod::Engine(EngineProtocol::Uci, _)))
        {
            let problem = Problem::new(at, format!("`{key}` is only for UCI engines"));
            problems
                .add(problem.help(format!("remove `{key}`, or run it as `uci = \"./engine\"`")));
        }
    }
    check_useless_engine_keys(keys, problems);
    let who = match keys.run {
        RunMethod::Bot(_) => "a built-in player",
        RunMethod::Absent(_) => "an `absent` player",
        _ => return,
    };
    let useless = [
        ("dir", keys.dir.as_ref().map(Spanned::span)),
        ("env", keys.env.as_ref().map(Spanned::span)),
        ("files", keys.files.as_ref().map(Spanned::span)),
        ("guesses", keys.guesses.as_ref().map(Spanned::span)),
        ("root", keys.root.as_ref().map(Spanned::span)),
        ("devices", keys.devices.as_ref().map(Spanned::span)),
        ("network", keys.network.as_ref().map(Spanned::span)),
    ];
    let of_absent = [
        ("tc", keys.tc.as_ref().map(Spanned::span)),
        ("disqualified", keys.disqualified.as_ref().map(Spanned::span)),
    ];
    let is_absent = matches!(keys.run, RunMethod::Absent(_));
    let of_absent = of_absent.into_iter().filter(|_| is_absent);
    for (key, at) in useless.into_iter().chain(table_service_keys(keys)).chain(of_absent) {
        if let Some(at) = at {
            let problem = Problem::new(at, format!("{who} cannot have `{key}`"));
            problems.add(problem.help(format!("remove `{key}`, or run the player in another way")));
        }
    }
}

/// Notes the keys of what only the protocol of this program has words for.
fn check_useless_engine_keys(keys: &PlayerKeys, problems: &mut Problems) {
    let RunMethod::Engine(..) = keys.run else { return };
    for (key, at) in table_service_keys(keys) {
        if let Some(at) = at {
            let problem = Problem::new(at, format!("an engine cannot have `{key}`"));
            problems.add(problem.help("remove it; engine protocols do not support it"));
        }
    }
}

/// The keys of players that call a service, and where they are.
fn table_service_keys(keys: &PlayerKeys) -> [(&'static str, Option<ByteSpan>); 4] {
    [
        ("outages", keys.outages.as_ref().map(Spanned::span)),
        ("tokens", keys.tokens.as_ref().map(Spanned::span)),
        ("cost", keys.cost.as_ref().map(Spanned::span)),
        ("long-notes", keys.long_notes.as_ref().map(Spanned::span)),
    ]
}

fn check_bot_player(
    bot: &Spanned<String>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    note_player_problem(
        spec_from_bot(String::new(), bot.get_ref(), place.base),
        bot.span(),
        problems,
    )
}

/// UCI has a line for each command, so a second line would be a command of its own.
fn note_options_of_several_lines(options: &[GivenOption], problems: &mut Problems) {
    for text in options.iter().flat_map(|option| [&option.name, &option.value]) {
        if text.get_ref().contains(char::is_control) {
            let title =
                "an engine's option cannot contain a line break or another control character";
            problems.add(Problem::new(text.span(), title).help("write it on one line"));
        }
    }
}

fn check_engine_player(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    note_options_of_several_lines(&keys.options.0, problems);
    let room = check_player_table_access(&keys, place.base, problems)?;
    let RunMethod::Engine(protocol, Some(words)) = keys.run else { return None };
    let at = words.span();
    let settings = EngineSettings {
        protocol,
        options: keys.options.0.iter().map(GivenOption::owned).collect(),
        nodes: check_whole_number("nodes", keys.nodes.as_ref(), &(1..=MOST_NODES), problems),
        depth: check_whole_number("depth", keys.depth.as_ref(), &(1..=DEEPEST), problems),
    };
    let env = check_player_table_env(keys.env, problems);
    let dir = check_player_table_dir(keys.dir.as_ref(), place.base, problems)?;
    let files = check_player_table_files(keys.files, &dir, problems)?;
    let command = UnresolvedCommand { words: words.into_inner().0, env, files, room };
    let place = LookupPaths { base: &dir, ..place };
    note_player_problem(spec_from_engine(String::new(), command, settings, place), at, problems)
}

fn check_command_player(
    keys: PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let plan = builds.and_then(|rules| plan_player_build(&keys, place.base, rules));
    let room = check_player_table_access(&keys, place.base, problems)?;
    let RunMethod::Command(Some(words)) = keys.run else { return None };
    let at = words.span();
    let env = check_player_table_env(keys.env, problems);
    let dir = check_player_table_dir(keys.dir.as_ref(), place.base, problems)?;
    let built = builds.zip(plan).map(|(rules, plan)| (rules, BuildState::find(rules, plan)));
    let result = built.as_ref().and_then(|(_, built)| Some((&built.plan, built.dir.as_deref()?)));
    let libraries = result.and_then(|(plan, dir)| plan.library_path(dir, dir));
    let own_env = env_hash_words(&env);
    let env = spec_env_with_libraries(env, libraries);
    let dir = result.map_or(&*dir, |(_, dir)| dir);
    let files = check_player_table_files(keys.files, dir, problems)?;
    let words: Vec<String> = words.into_inner().into_iter().map(Spanned::into_inner).collect();
    let place = LookupPaths { base: dir, ..place };
    let hashed = [room.hash_words(), words.clone(), own_env].concat();
    let command = UnresolvedCommand { words, env, files, room };
    let spec = spec_from_command(String::new(), command, place);
    let spec = match built {
        Some((rules, built)) => spec_from_build(rules, &built, spec, &hashed),
        None => spec,
    };
    note_player_problem(spec, at, problems)
}

/// The player that is detected in a folder, after its build if it needs one.
fn check_detected_player(
    keys: &PlayerKeys,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Option<PlayerSpec> {
    let at = keys.dir.as_ref()?.span();
    let room = check_player_table_access(keys, place.base, problems)?;
    let env = check_player_table_env(keys.env.clone(), problems);
    let dir = check_player_table_dir(keys.dir.as_ref(), place.base, problems)?;
    // The folder of the configuration belongs to no player.
    let rules = builds.filter(|_| !is_same_spec_folder(&dir, place.base));
    let decision = decide_start(&dir, rules);
    let missing = || {
        let title = match &decision.found[..] {
            [] => "no player found in this folder",
            _ => "several files in this folder could be the player",
        };
        InvalidValue::new(title, "say how to start it with `command = [\"./player\"]`")
    };
    let start = only_player_start(&decision).ok_or_else(missing);
    let given = PlayerTerms { files: vec![".".to_owned()], env, room };
    let spec = spec_from_decision(&decision, start, rules, given, place);
    note_player_problem(spec, at, problems)
}

/// What a player may use of the machine; `None` if a problem was noted.
fn check_player_table_access(
    keys: &PlayerKeys,
    base: &Path,
    problems: &mut Problems,
) -> Option<PlayerAccess> {
    let mut complete = true;
    let root = keys.root.as_ref().map(|name| {
        let path = base.join(name.get_ref());
        if !path.is_dir() {
            let title = format!("cannot find the folder `{}`", name.get_ref().escape_debug());
            let help = "`root` is the folder of an unpacked image, relative to the \
                        configuration file's folder";
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
    let mut network = Vec::new();
    for text in keys.network.iter().flat_map(|list| &list.get_ref().0) {
        match text.get_ref().parse() {
            Ok(endpoint) => network.push(endpoint),
            Err(error) => {
                let title = format!("invalid host `{}`", text.get_ref().escape_debug());
                let error: InvalidEndpoint = error;
                problems.add(Problem::new(text.span(), title).help(error.to_string()));
                complete = false;
            }
        }
    }
    complete.then_some(PlayerAccess { root, devices, network })
}

/// The build that a player needs, if any. The folder of the configuration belongs to no player.
pub(super) fn plan_player_build(
    keys: &PlayerKeys,
    base: &Path,
    rules: &BuildRules,
) -> Option<BuildPlan> {
    let dir = base.join(keys.dir.as_ref()?.get_ref());
    if is_same_spec_folder(&dir, base) {
        return None;
    }
    match keys.run {
        RunMethod::Command(Some(_)) => rules.plan_at(&dir),
        RunMethod::Neither => rules.plan(&dir),
        _ => None,
    }
}

fn note_player_problem<T>(
    result: Result<T, InvalidValue>,
    at: ByteSpan,
    problems: &mut Problems,
) -> Option<T> {
    result.map_err(|complaint| problems.add(complaint.into_problem(at))).ok()
}

fn check_player_table_name(field: Given<'_, String>, problems: &mut Problems) -> Option<String> {
    let field = field?;
    note_player_problem(check_shown_name(field.get_ref()), field.span(), problems)?;
    Some(field.get_ref().clone())
}

/// Checks a name that is shown to people and written in tables.
pub(super) fn check_shown_name(name: &str) -> Result<(), InvalidValue> {
    let help = format!("a name has 1 to {LONGEST_NAME} characters and no control characters");
    player_name_problem(name).map_or(Ok(()), |problem| Err(InvalidValue::new(problem, help)))
}

fn check_player_table_dir(
    field: Given<'_, String>,
    base: &Path,
    problems: &mut Problems,
) -> Option<PathBuf> {
    let Some(field) = field else { return Some(base.to_owned()) };
    let dir = base.join(field.get_ref());
    if dir.is_dir() {
        return Some(dir);
    }
    let title = format!("cannot find the folder `{}`", field.get_ref().escape_debug());
    let help = "a player's `dir` is relative to the configuration file's folder";
    problems.add(Problem::new(field.span(), title).help(help));
    None
}

fn check_player_table_env(
    field: Field<BTreeMap<String, String>>,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let Some(field) = field else { return BTreeMap::new() };
    let unfit = |(name, value): (&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if field.get_ref().iter().any(unfit) {
        let problem = Problem::new(field.span(), "invalid environment variable");
        let help = "a variable's name must not be empty or contain `=`; neither name nor value may \
                    contain a NUL character";
        problems.add(problem.help(help));
    }
    field.into_inner()
}

/// The player's further files, which must exist.
fn check_player_table_files(
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
