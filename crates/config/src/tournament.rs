//! Turns a configuration file into a tournament in which everything is set, valid and found.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use toml::Spanned;

use referee_games::options::OptionKind;
use referee_games::{AnyGame, GameError, OptionSpec, Options, SharedGame};
use referee_record::bounded;
use referee_record::model::containment::{ContainmentRequest, PlayerLimits};
use referee_record::model::league::LeagueSettings;
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::{Anchor, FaultPolicy, MOST_RETRIES};
use referee_record::model::rules::{CHESS, ChessOnly, GameRules, UnsuitedBot};
use referee_record::model::tournament::{
    DEFAULT_QUARANTINE, DEFAULT_RESULTS, MOST_JOBS, Tournament,
};
use referee_report::pgn;
use referee_sandbox::{Level, Requirement};

use super::LARGEST;
use super::adjudication;
use super::build;
use super::containment::{self, ContainmentKeys};
use super::file::{ConfigFile, FaultPolicyValue};
use super::game_file::GameValue;
use super::given_options::GivenOption;
use super::grades;
use super::hooks;
use super::isolation::{isolate, player_folders};
use super::keys::Given;
use super::league;
use super::limits::{LimitPreset, time_control, whole};
use super::openings;
use super::player::{self, LookupPaths, check_name};
use super::player_keys::{PlayerKeys, RunMethod};
use super::problem::{ByteSpan, InvalidValue, Problem, Problems, instead};
use super::stages;
use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;

/// The builds that a configuration asks for.
#[derive(Debug, Clone)]
pub struct ConfiguredBuilds {
    /// How submissions are built.
    pub rules: BuildRules,
    /// The level of the sandbox; `None` for the strongest that works.
    pub level: Option<Level>,
    /// The players that have to be built, by name.
    pub plans: Vec<(String, BuildPlan)>,
}

/// Checks the tournament that `file` describes; `None` if a problem was noted. The check continues
/// after a problem to find the others.
pub(super) fn check(
    file: ConfigFile,
    absent: BTreeMap<String, String>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Tournament> {
    let name = name(file.name.as_ref(), problems);
    let results = results(file.results.as_ref(), place.base, problems);
    let preset = preset(file.preset.as_ref(), problems);
    let containment = file.containment.unwrap_or_default();
    let mut containment = containment::check(&containment, &preset, problems);
    containment.hidden.push(results.clone());
    let builds = file.build.as_ref().map(|keys| build::check(keys, place.base, &results, problems));
    let is_league = file.stages.are_a_league();
    let league = league::check(file.league.as_ref(), is_league, place.base, problems);
    hide_files(&mut containment, builds.as_ref(), league.as_ref());
    refuse_roots(file.players.as_deref(), place.base, &results, problems);
    let request = with_players_hidden(&containment, file.players.as_deref(), place.base);
    let rules = rules(file.game.as_ref(), &file.options.0, (place, &request), problems);
    let seats = rules.as_ref().map(|rules| rules.game.seats().len());
    let stages = stages::check(&file.stages, file.players.as_deref(), seats, problems);
    let seed = whole("seed", file.seed.as_ref(), &(0..=u64::MAX), problems);
    let opening_rules = rules
        .as_ref()
        .filter(|_| file.openings.is_some() || file.adjudication.is_some())
        .and_then(|ruling| GameRules::new(ruling.game.clone(), ruling.options.clone()).ok());
    let start = opening_rules.as_ref().map(|rules| &*rules.start);
    let adjudication =
        adjudication::check(file.adjudication.as_ref(), start, file.openings.as_ref(), problems);
    let pgn = pgn_file(file.pgn.as_ref(), rules.as_ref(), problems);
    let openings = openings::check(file.openings.as_ref(), opening_rules, place, problems);
    openings::refuse_bridge(file.openings.as_ref(), file.players.as_deref(), problems);
    if let Some(ConfiguredGame { game, options, .. }) = &rules
        && game.is_hidden()
    {
        refuse_bots(game, options, file.players.as_deref(), problems);
    }
    if let Some(ConfiguredGame { game, .. }) = &rules {
        refuse_engines(game, file.players.as_deref(), problems);
    }
    let anchors = anchors(file.players.as_deref(), problems);
    let jobs = whole("jobs", file.jobs.as_ref(), &(1..=MOST_JOBS), problems);
    let quarantine = whole("quarantine", file.quarantine.as_ref(), &(0..=u32::MAX), problems);
    let fault_policy = fault_policy(file.fault_policy.as_ref(), problems);
    let clock = time_control(&file.clock.unwrap_or_default(), &preset, problems);
    let people = (file.players.as_deref(), &absent);
    let hook = hooks::check(file.hooks.as_ref(), place, problems);
    let grades = grades::check(file.grades.as_ref(), people, &stages, problems);
    require_namespaces(file.players.as_deref(), &mut containment, problems);
    let players = players(file.players?, place, builds.as_ref(), problems);
    let ConfiguredGame { game, options, mut remarks } = rules?;
    remarks.extend(players.iter().flat_map(|player| {
        let name = referee_protocol::escape::terminal(&player.name);
        player::remarks(player).into_iter().map(move |remark| format!("{name}: {remark}"))
    }));
    Some(Tournament {
        name: name?,
        game,
        options,
        remarks,
        stages,
        openings,
        seed,
        jobs: jobs.and_then(NonZeroUsize::new),
        clock,
        containment,
        fault_policy,
        adjudication,
        quarantine: quarantine.unwrap_or(DEFAULT_QUARANTINE),
        anchors,
        league,
        hook,
        grades,
        absent,
        players,
        results,
        pgn,
    })
}

/// The folders of players, and those of a league with what others handed in.
fn of_authors(file: &ConfigFile, base: &Path) -> Vec<PathBuf> {
    // Its problems are found when the file is loaded.
    let mut unsaid = Problems::default();
    let is_league = file.stages.are_a_league();
    let league = league::check(file.league.as_ref(), is_league, base, &mut unsaid);
    let mut request = ContainmentRequest::default();
    hide_files(&mut request, None, league.as_ref());
    with_players_hidden(&request, file.players.as_deref(), base).hidden
}

/// Hides from every player what others built or handed in. Each still sees its own folder there.
fn hide_files(
    containment: &mut ContainmentRequest,
    builds: Option<&BuildRules>,
    league: Option<&LeagueSettings>,
) {
    let hidden = &mut containment.hidden;
    hidden.extend(builds.map(|rules| rules.cache.clone()));
    if let Some(LeagueSettings { hand_in, entrants, .. }) = league {
        hidden.extend([hand_in.clone(), entrants.clone()]);
    }
}

/// The same containment for a program of the organiser's, which sees no player's folder.
fn with_players_hidden(
    containment: &ContainmentRequest,
    players: Option<&[PlayerKeys]>,
    base: &Path,
) -> ContainmentRequest {
    let dirs = players.into_iter().flatten().filter_map(|keys| keys.dir.as_ref());
    let dirs: Vec<PathBuf> = dirs.map(|dir| base.join(dir.get_ref())).collect();
    let mut request = containment.clone();
    request.hidden.extend(player_folders(dirs.iter().map(PathBuf::as_path), base));
    request
}

/// Refuses a folder as a system of a player's own that holds, or belongs to, something else: the
/// configuration, the results or another player.
fn refuse_roots(
    players: Option<&[PlayerKeys]>,
    base: &Path,
    results: &Path,
    problems: &mut Problems,
) {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let dir = |keys: &PlayerKeys| Some(real(&base.join(keys.dir.as_ref()?.get_ref())));
    let (base_path, results) = (real(base), real(results));
    for keys in players.unwrap_or_default() {
        let Some(name) = &keys.root else { continue };
        let root = real(&base.join(name.get_ref()));
        let own = dir(keys);
        let mut dirs = players.into_iter().flatten().filter_map(dir);
        let holds = if base_path.starts_with(&root) {
            "the configuration"
        } else if results.starts_with(&root) || root.starts_with(&results) {
            "the results"
        } else if own.as_ref().is_some_and(|own| own.starts_with(&root)) {
            "the player's own folder"
        } else if dirs.any(|dir| {
            dir.starts_with(&root)
                || own.as_ref() != Some(&dir) && dir != base_path && root.starts_with(&dir)
        }) {
            "another player's folder"
        } else {
            continue;
        };
        let title =
            format!("`{}` must contain only the unpacked image", name.get_ref().escape_debug());
        let problem = Problem::new(name.span(), title).label(format!("this shows {holds}"));
        problems.add(problem.help("unpack the image into a folder of its own, such as `image`"));
    }
}

/// The resource limits that `file` sets.
pub(super) fn limits(file: &ConfigFile, problems: &mut Problems) -> PlayerLimits {
    let preset = preset(file.preset.as_ref(), problems);
    let none = ContainmentKeys::default();
    let keys = file.containment.as_ref().unwrap_or(&none);
    containment::check(keys, &preset, problems).limits
}

fn name(field: Given<'_, String>, problems: &mut Problems) -> Option<String> {
    let field = field?;
    let name = field.get_ref();
    match check_name(name).and_then(|()| check_folder_name(name)) {
        Ok(()) => Some(name.clone()),
        Err(complaint) => {
            problems.add(complaint.at(field.span()));
            None
        }
    }
}

fn check_folder_name(name: &str) -> Result<(), InvalidValue> {
    if !name.contains(['/', '\\']) && !name.starts_with('.') && name.trim() == name {
        return Ok(());
    }
    let title = format!("`{name}` cannot be a folder's name");
    let help = "the results go into a folder with the tournament's name: leave out `/`, `\\`, a \
                dot \
                at the start and outer blanks";
    Err(InvalidValue::new(title, help))
}

/// The game and the options in force.
struct ConfiguredGame {
    game: SharedGame,
    options: Options,
    remarks: Vec<String>,
}

fn rules(
    value: Option<&GameValue>,
    given: &[GivenOption],
    (place, request): (LookupPaths<'_>, &ContainmentRequest),
    problems: &mut Problems,
) -> Option<ConfiguredGame> {
    let value = value?;
    let game = value.open(place, request, problems)?;
    let at = value.span();
    let (options, remarks) = options(&*game, at, (given, place), problems)?;
    Some(ConfiguredGame { game, options, remarks })
}

/// The options in force, each checked alone and then all together, with remarks about the files
/// that they name.
fn options(
    game: &dyn AnyGame,
    game_at: ByteSpan,
    (given, place): (&[GivenOption], LookupPaths<'_>),
    problems: &mut Problems,
) -> Option<(Options, Vec<String>)> {
    let refused: Vec<_> =
        given.iter().filter_map(|option| refused(option, game.name(), game.options())).collect();
    if !refused.is_empty() {
        problems.extend(refused);
        return None;
    }
    let refusal = match Options::resolve(game.options(), given.iter().map(GivenOption::texts)) {
        Ok(mut options) => {
            let remarks = load(&mut options, given, place, problems)?;
            match senseless(game, &options) {
                Ok(None) => return Some((options, remarks)),
                Ok(Some(refusal)) => refusal,
                Err(failed @ GameError::Program(_)) => {
                    problems.fail(failed);
                    return None;
                }
                Err(error) => error.to_string(),
            }
        }
        Err(error) => error.to_string(),
    };
    let first = given.iter().map(|option| option.name.span()).min_by_key(|at| at.start);
    let at = first.unwrap_or(game_at);
    problems.add(Problem::new(at, "these options contradict each other").help(refusal));
    None
}

/// Reads the files that options name, relative to the folder of the configuration.
fn load(
    options: &mut Options,
    given: &[GivenOption],
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let read =
        |name: &str| bounded::text(&place.base.join(name), LARGEST).map_err(|why| why.to_string());
    let error = match options.load(read) {
        Ok(remarks) => return Some(remarks),
        Err(error) => error,
    };
    let name = error.name().unwrap_or_default();
    let option = given.iter().find(|option| *option.name.get_ref() == name);
    let at = option.map_or(0..0, |option| option.value.span());
    let title = format!("invalid value for `{name}`");
    problems.add(Problem::new(at, title).label(error.to_string()));
    None
}

/// Why options that are valid one by one do not make a playable game, if so.
fn senseless(game: &dyn AnyGame, options: &Options) -> Result<Option<String>, GameError> {
    match game.endless(options)? {
        None if game.program().is_some() => game.start(options).map(|_| None),
        reason => Ok(reason),
    }
}

/// The problem with one option, if any.
fn refused(option: &GivenOption, game: &str, specs: &[OptionSpec]) -> Option<Problem> {
    let name = option.name.get_ref();
    let Some(spec) = specs.iter().find(|spec| spec.name == *name) else {
        let title = format!("{game} has no option `{}`", name.escape_debug());
        let label = instead(name, specs.iter().map(|spec| &*spec.name));
        return Some(Problem::new(option.name.span(), title).label(label));
    };
    let unquoted = match spec.kind {
        OptionKind::Number { .. } => "a number",
        OptionKind::Boolean => "true or false",
        OptionKind::Choice { .. } | OptionKind::List(_) | OptionKind::Text => "",
    };
    let expected = match spec.parse(option.value.get_ref()) {
        Ok(_) if option.quoted && !unquoted.is_empty() => {
            format!("expected {unquoted} without quotes")
        }
        Ok(_) => return None,
        Err(expected) => expected.to_string(),
    };
    let problem = Problem::new(option.value.span(), format!("invalid value for `{name}`"));
    let clause = spec.clause.as_ref().map(|id| format!(" (clause {id})")).unwrap_or_default();
    Some(problem.label(expected).help(format!("{}{clause}", spec.help)))
}

/// The limits that a preset stands for.
fn preset(field: Given<'_, String>, problems: &mut Problems) -> LimitPreset {
    let Some(field) = field else { return LimitPreset::default() };
    LimitPreset::named(field.get_ref()).unwrap_or_else(|| {
        let problem = Problem::new(field.span(), "invalid value for `preset`");
        problems.add(problem.label(instead(field.get_ref(), LimitPreset::NAMES)));
        LimitPreset::default()
    })
}

fn fault_policy(field: Given<'_, FaultPolicyValue>, problems: &mut Problems) -> FaultPolicy {
    let Some(field) = field else { return FaultPolicy::Lose };
    let FaultPolicyValue::Retry(times) = *field.get_ref() else { return FaultPolicy::Lose };
    let times = Some(Spanned::new(field.span(), times));
    whole("retry", times.as_ref(), &(1..=MOST_RETRIES), problems)
        .map_or(FaultPolicy::Lose, FaultPolicy::Retry)
}

/// Refuses built-in players that cannot play this game, which hides something.
fn refuse_bots(
    game: &SharedGame,
    options: &Options,
    players: Option<&[PlayerKeys]>,
    problems: &mut Problems,
) {
    let suited = |bot: &str| GameRules::new(game.clone(), options.clone())?.suits(bot);
    for keys in players.unwrap_or_default() {
        let RunMethod::Bot(Some(bot)) = &keys.run else { continue };
        match suited(bot.get_ref()) {
            Ok(true) => {}
            Ok(false) => {
                let problem = Problem::new(bot.span(), "this built-in player cannot play the game");
                let why = UnsuitedBot(bot.get_ref().clone(), game.name().to_owned()).to_string();
                problems.add(problem.help(why));
            }
            Err(error) => problems.fail(error),
        }
    }
}

/// Refuses engines unless the game is chess.
fn refuse_engines(game: &SharedGame, players: Option<&[PlayerKeys]>, problems: &mut Problems) {
    for keys in players.unwrap_or_default() {
        let RunMethod::Engine(Some(engine)) = &keys.run else { continue };
        if game.name() != CHESS {
            let why = ChessOnly(game.name().to_owned()).to_string();
            problems.add(Problem::new(engine.span(), why).label("give this player a `command`"));
        }
    }
}

/// The players whose ratings are fixed, by name.
fn anchors(players: Option<&[PlayerKeys]>, problems: &mut Problems) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    for keys in players.unwrap_or_default() {
        let (Some(name), Some(rating)) = (&keys.name, &keys.rating) else { continue };
        if !rating.get_ref().is_finite() {
            let problem = Problem::new(rating.span(), "invalid value for `rating`");
            problems.add(problem.label("expected a finite number"));
        }
        anchors.push(Anchor { player: name.get_ref().clone(), rating: *rating.get_ref() });
    }
    anchors.sort_by(|one, other| one.player.cmp(&other.player));
    anchors
}

/// How the submissions of the tournament are built, the level of their sandbox, and what has to be
/// built for each player. `None` if the file has no table `[build]`.
pub(super) fn builds(
    file: &ConfigFile,
    base: &Path,
    problems: &mut Problems,
) -> Option<ConfiguredBuilds> {
    let keys = file.build.as_ref()?;
    let results = results(file.results.as_ref(), base, problems);
    let mut rules = build::check(keys, base, &results, problems);
    rules.hidden.extend(of_authors(file, base));
    let none = ContainmentKeys::default();
    let keys = file.containment.as_ref().unwrap_or(&none);
    let level = containment::check(keys, &LimitPreset::default(), problems).level;
    let plan = |keys: &PlayerKeys| {
        let name = keys.name.as_ref()?.get_ref().clone();
        Some((name, player::build_plan(keys, base, &rules)?))
    };
    let plans = file.players.iter().flatten().filter_map(plan).collect();
    Some(ConfiguredBuilds { rules, level, plans })
}

/// The results folder of the tournament that `file` describes.
pub(super) fn results_folder(
    file: &ConfigFile,
    base: &Path,
    problems: &mut Problems,
) -> Option<PathBuf> {
    let name = name(file.name.as_ref(), problems)?;
    Some(results(file.results.as_ref(), base, problems).join(name))
}

/// The folder of the results folders.
fn results(field: Given<'_, String>, base: &Path, problems: &mut Problems) -> PathBuf {
    let Some(field) = field else { return base.join(DEFAULT_RESULTS) };
    if field.get_ref().is_empty() || field.get_ref().contains('\0') {
        let problem = Problem::new(field.span(), "invalid value for `results`");
        problems.add(problem.label("expected the name of a folder"));
    }
    base.join(field.get_ref())
}

/// The name of the file that gets the games in PGN. No other file of a results folder ends in `.pgn`.
fn pgn_file(
    field: Given<'_, String>,
    rules: Option<&ConfiguredGame>,
    problems: &mut Problems,
) -> Option<String> {
    let field = field?;
    let name = field.get_ref();
    let is_plain = !name.contains(|c: char| matches!(c, '/' | '\\') || c.is_control());
    if !is_plain || Path::new(name).extension() != Some("pgn".as_ref()) {
        let problem = Problem::new(field.span(), "invalid value for `pgn`");
        let problem = problem.label("expected a file name that ends in `.pgn`, without a folder");
        problems.add(problem.help("the file is written into the results folder"));
    }
    if let Some(ConfiguredGame { game, .. }) = rules
        && !pgn::is_written(&**game)
    {
        let problem = Problem::new(field.span(), "these games have no PGN");
        problems.add(problem.label("only built-in chess can be written as PGN; remove this line"));
    }
    Some(name.clone())
}

/// Takes those without a player out of `file`. Returns their names and the reasons.
pub(super) fn absent(file: &mut ConfigFile, problems: &mut Problems) -> BTreeMap<String, String> {
    let Some(players) = &mut file.players else { return BTreeMap::new() };
    problems.of_players(|problems| {
        note_doubled_names(players, problems);
        player::take_absent(players, problems)
    })
}

fn players(
    given: Vec<PlayerKeys>,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Vec<PlayerSpec> {
    let mut players: Vec<PlayerSpec> = problems.of_players(|problems| {
        note_too_few(&given, problems);
        given.into_iter().filter_map(|keys| player::check(keys, place, builds, problems)).collect()
    });
    isolate(&mut players, place.base);
    players
}

/// Requires the level at which a player can have a system of its own, if one of them has.
fn require_namespaces(
    players: Option<&[PlayerKeys]>,
    containment: &mut ContainmentRequest,
    problems: &mut Problems,
) {
    let roots = players.into_iter().flatten().filter_map(|player| player.root.as_ref());
    for root in roots {
        if let Some(level) = containment.level.filter(|level| *level < Level::Strict) {
            let title = format!("`root` needs the level `strict`, not `{level}`");
            let help = "write `level = \"strict\"` in `[containment]`, or remove `root`";
            problems.add(Problem::new(root.span(), title).help(help));
        }
        let strict = Requirement::Level(Level::Strict);
        if !containment.require.contains(&strict) {
            containment.require.push(strict);
        }
    }
}

fn note_too_few(given: &[PlayerKeys], problems: &mut Problems) {
    let (title, at) = match given {
        [] => ("no players", 0..0),
        [player] => ("only one player", player.at.clone()),
        _ => return,
    };
    let help = "a tournament needs at least two; add a `[[players]]` table for each";
    problems.add(Problem::new(at, title).help(help));
}

fn note_doubled_names(given: &[PlayerKeys], problems: &mut Problems) {
    let mut seen = HashMap::new();
    for name in given.iter().filter_map(|player| player.name.as_ref()) {
        let first = seen.entry(name.get_ref()).or_insert_with(|| name.span());
        if *first != name.span() {
            let title = format!("two players are called `{}`", name.get_ref().escape_debug());
            let problem = Problem::new(name.span(), title).label("give this one another name");
            problems.add(problem.earlier(first.clone(), "the first is here"));
        }
    }
}
