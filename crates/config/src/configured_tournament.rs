//! Turns a configuration file into a tournament in which everything is set, valid and found.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use toml::Spanned;

use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_games::AnyGame;
use referee_protocol::escape;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::GameRules;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::{FaultPolicy, MOST_RETRIES};
use referee_record::model::tournament::{
    DEFAULT_QUARANTINE, DEFAULT_RESULTS, MOST_JOBS, Tournament,
};
use referee_report::pgn;
use referee_sandbox::Level;

use super::adjudication_keys;
use super::build_keys;
use super::clock_limits::{LimitPreset, time_control, whole};
use super::config_file::{ConfigFile, FaultPolicyValue};
use super::configured_game::{self, ConfiguredGame};
use super::configured_players::{
    self, anchors, refuse_roots, require_for_rooms, with_players_hidden,
};
use super::containment_keys::{self, ContainmentKeys};
use super::grades_keys;
use super::hook_keys;
use super::league_keys;
use super::opening_books;
use super::player_keys::PlayerKeys;
use super::player_spec::{self, LookupPaths};
use super::player_table_checks::{self, check_name};
use super::problem::{InvalidValue, Problem, Problems};
use super::rank_key;
use super::stages;
use super::toml_keys::Given;

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
    let preset = containment_keys::preset(file.preset.as_ref(), problems);
    let keys = file.players.as_deref().unwrap_or_default();
    let league = league_keys::check(&file, place.base, problems);
    let containment = file.containment.unwrap_or_default();
    let mut containment = containment_keys::check(&containment, &preset, problems);
    containment.hidden.push(results.clone());
    let builds =
        file.build.as_ref().map(|keys| build_keys::check(keys, place.base, &results, problems));
    hide_files(&mut containment, builds.as_ref(), league.as_ref());
    refuse_roots(keys, place.base, &results, problems);
    let request = with_players_hidden(&containment, keys, place.base);
    let game =
        configured_game::read(file.game.as_ref(), &file.options.0, (place, &request), problems);
    let seats = game.as_ref().map(|found| found.game.seats().len());
    let stages = stages::check(&file.stages, file.players.as_deref(), seats, problems);
    let of = game.as_ref().map(|found| &*found.game as &dyn AnyGame);
    let rank = rank_key::check(file.rank.as_ref(), &stages, of, problems);
    let seed = whole("seed", file.seed.as_ref(), &(0..=u64::MAX), problems);
    let opening_rules = game
        .as_ref()
        .filter(|_| file.openings.is_some() || file.adjudication.is_some())
        .and_then(|found| GameRules::new(found.game.clone(), found.options.clone()).ok());
    let start = opening_rules.as_ref().map(|rules| &*rules.start);
    let adjudication = adjudication_keys::check(
        file.adjudication.as_ref(),
        start,
        file.openings.as_ref(),
        problems,
    );
    let pgn = pgn_file(file.pgn.as_ref(), game.as_ref(), problems);
    let length = file.adjudication.as_ref().and_then(|keys| keys.length.as_ref());
    let openings =
        opening_books::check(file.openings.as_ref(), length, opening_rules, place, problems);
    opening_books::refuse_bridge(file.openings.as_ref(), file.players.as_deref(), problems);
    if let Some(game) = &game {
        game.refuse_unsuited(keys, problems);
    }
    let anchors = anchors(keys, problems);
    let jobs = whole("jobs", file.jobs.as_ref(), &(1..=MOST_JOBS), problems);
    let quarantine = whole("quarantine", file.quarantine.as_ref(), &(0..=u32::MAX), problems);
    let fault_policy = fault_policy(file.fault_policy.as_ref(), problems);
    let clock = time_control(&file.clock.unwrap_or_default(), &preset, problems);
    let people = (file.players.as_deref(), &absent);
    let hook = hook_keys::check(file.hooks.as_ref(), place, problems);
    let grades = grades_keys::check(file.grades.as_ref(), people, &stages, problems);
    require_for_rooms(keys, &mut containment, problems);
    let players = configured_players::check(file.players?, place, builds.as_ref(), problems);
    let ConfiguredGame { game, options, mut remarks } = game?;
    remarks.extend(remarks_on(&players));
    Some(Tournament {
        name: name?,
        game,
        options,
        remarks,
        stages,
        rank,
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

/// Remarks about how players are run, with their names.
fn remarks_on(players: &[PlayerSpec]) -> impl Iterator<Item = String> {
    players.iter().flat_map(|player| {
        let name = escape::terminal(&player.name);
        player_spec::remarks(player).into_iter().map(move |remark| format!("{name}: {remark}"))
    })
}

/// The folders of players, and those of a league with what others handed in.
fn of_authors(file: &ConfigFile, base: &Path) -> Vec<PathBuf> {
    // Its problems are found when the file is loaded.
    let mut unsaid = Problems::default();
    let league = league_keys::check(file, base, &mut unsaid);
    let mut request = ContainmentRequest::default();
    hide_files(&mut request, None, league.as_ref());
    with_players_hidden(&request, file.players.as_deref().unwrap_or_default(), base).hidden
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

/// The name of a tournament, which is also that of its results folder.
pub(super) fn name(field: Given<'_, String>, problems: &mut Problems) -> Option<String> {
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

/// The longest name of a file or folder, in bytes.
const LONGEST_FOLDER_NAME: usize = 255;

fn check_folder_name(name: &str) -> Result<(), InvalidValue> {
    let is_plain = !name.contains(['/', '\\']) && !name.starts_with('.') && name.trim() == name;
    if is_plain && name.len() <= LONGEST_FOLDER_NAME {
        return Ok(());
    }
    let title = format!("`{name}` cannot be a folder's name");
    let help = "the results folder has the tournament's name, which must not contain `/` or `\\`, \
                begin with a dot, have spaces at either end, or take more than 255 bytes";
    Err(InvalidValue::new(title, help))
}

fn fault_policy(field: Given<'_, FaultPolicyValue>, problems: &mut Problems) -> FaultPolicy {
    let Some(field) = field else { return FaultPolicy::Lose };
    let FaultPolicyValue::Retry(times) = *field.get_ref() else { return FaultPolicy::Lose };
    let times = Some(Spanned::new(field.span(), times));
    whole("retry", times.as_ref(), &(1..=MOST_RETRIES), problems)
        .map_or(FaultPolicy::Lose, FaultPolicy::Retry)
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
    let mut rules = build_keys::check(keys, base, &results, problems);
    rules.hidden.extend(of_authors(file, base));
    let none = ContainmentKeys::default();
    let keys = file.containment.as_ref().unwrap_or(&none);
    let level = containment_keys::check(keys, &LimitPreset::default(), problems).level;
    let plan = |keys: &PlayerKeys| {
        let name = keys.name.as_ref()?.get_ref().clone();
        Some((name, player_table_checks::build_plan(keys, base, &rules)?))
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
        let problem = Problem::new(field.span(), "`pgn` needs built-in chess");
        problems.add(problem.label("no other game can be written as PGN; remove this line"));
    }
    Some(name.clone())
}
