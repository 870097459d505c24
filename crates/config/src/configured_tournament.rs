//! Turns a configuration file into a tournament in which everything is set, valid and found.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use toml::Spanned;

use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_games::AnyGame;
use referee_protocol::escape::escape_line;
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

use super::adjudication_keys::check_adjudication_keys;
use super::build_keys::check_build_keys;
use super::clock_limits::{LimitPreset, check_clock_keys, check_whole_number};
use super::config_file::{ConfigFile, FaultPolicyValue};
use super::configured_game::{ConfiguredGame, read_configured_game};
use super::configured_players::{
    check_configured_players, check_player_ratings, refuse_player_roots, require_for_player_access,
    with_players_hidden,
};
use super::containment_keys::{ContainmentKeys, check_containment_keys, check_containment_preset};
use super::grades_keys::check_grades_keys;
use super::hook_keys::check_hook_keys;
use super::league_keys::check_league_keys;
use super::opening_books::{check_openings_keys, refuse_bridge_with_openings};
use super::player_keys::PlayerKeys;
use super::player_spec::{LookupPaths, remarks_on_player};
use super::player_table_checks::{check_shown_name, plan_player_build};
use super::problem::{InvalidValue, Problem, Problems};
use super::rank_key::check_rank_key;
use super::stages::check_stages;
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
pub(super) fn check_tournament(
    file: ConfigFile,
    absent: BTreeMap<String, String>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Tournament> {
    let name = check_tournament_name(file.name.as_ref(), problems);
    let results = check_tournament_results_key(file.results.as_ref(), place.base, problems);
    let preset = check_containment_preset(file.preset.as_ref(), problems);
    let keys = file.players.as_deref().unwrap_or_default();
    let league = check_league_keys(&file, place.base, problems);
    let containment = file.containment.unwrap_or_default();
    let mut containment = check_containment_keys(&containment, &preset, problems);
    containment.hidden.push(results.clone());
    let builds =
        file.build.as_ref().map(|keys| check_build_keys(keys, place.base, &results, problems));
    hide_tournament_folders(&mut containment, builds.as_ref(), league.as_ref());
    refuse_player_roots(keys, place.base, &results, problems);
    let request = with_players_hidden(&containment, keys, place.base);
    let game =
        read_configured_game(file.game.as_ref(), &file.options.0, (place, &request), problems);
    let seats = game.as_ref().map(|found| found.game.seats().len());
    let stages = check_stages(&file.stages, file.players.as_deref(), seats, problems);
    let of = game.as_ref().map(|found| &*found.game as &dyn AnyGame);
    let rank = check_rank_key(file.rank.as_ref(), &stages, of, problems);
    let seed = check_whole_number("seed", file.seed.as_ref(), &(0..=u64::MAX), problems);
    let opening_rules = game
        .as_ref()
        .filter(|_| file.openings.is_some() || file.adjudication.is_some())
        .and_then(|found| GameRules::new(found.game.clone(), found.options.clone()).ok());
    let start = opening_rules.as_ref().map(|rules| &*rules.start);
    let adjudication = check_adjudication_keys(
        file.adjudication.as_ref(),
        start,
        file.openings.as_ref(),
        problems,
    );
    let pgn = check_tournament_pgn_key(file.pgn.as_ref(), game.as_ref(), problems);
    let length = file.adjudication.as_ref().and_then(|keys| keys.length.as_ref());
    let openings =
        check_openings_keys(file.openings.as_ref(), length, opening_rules, place, problems);
    refuse_bridge_with_openings(file.openings.as_ref(), file.players.as_deref(), problems);
    if let Some(game) = &game {
        game.refuse_unsuited(keys, problems);
    }
    let anchors = check_player_ratings(keys, problems);
    let jobs = check_whole_number("jobs", file.jobs.as_ref(), &(1..=MOST_JOBS), problems);
    let quarantine =
        check_whole_number("quarantine", file.quarantine.as_ref(), &(0..=u32::MAX), problems);
    let fault_policy = check_tournament_fault_policy(file.fault_policy.as_ref(), problems);
    let clock = check_clock_keys(&file.clock.unwrap_or_default(), &preset, problems);
    let people = (file.players.as_deref(), &absent);
    let hook = check_hook_keys(file.hooks.as_ref(), place, problems);
    let grades = check_grades_keys(file.grades.as_ref(), people, &stages, problems);
    require_for_player_access(keys, &mut containment, problems);
    let players = check_configured_players(file.players?, place, builds.as_ref(), problems);
    let ConfiguredGame { game, options, mut remarks } = game?;
    remarks.extend(remarks_on_tournament_players(&players));
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
fn remarks_on_tournament_players(players: &[PlayerSpec]) -> impl Iterator<Item = String> {
    players.iter().flat_map(|player| {
        let name = escape_line(&player.name);
        remarks_on_player(player).into_iter().map(move |remark| format!("{name}: {remark}"))
    })
}

/// The folders of players, and those of a league with what others handed in.
fn tournament_author_folders(file: &ConfigFile, base: &Path) -> Vec<PathBuf> {
    // Its problems are found when the file is loaded.
    let mut unsaid = Problems::default();
    let league = check_league_keys(file, base, &mut unsaid);
    let mut request = ContainmentRequest::default();
    hide_tournament_folders(&mut request, None, league.as_ref());
    with_players_hidden(&request, file.players.as_deref().unwrap_or_default(), base).hidden
}

/// Hides from every player what others built or handed in. Each still sees its own folder there.
fn hide_tournament_folders(
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
pub(super) fn check_tournament_name(
    field: Given<'_, String>,
    problems: &mut Problems,
) -> Option<String> {
    let field = field?;
    let name = field.get_ref();
    match check_shown_name(name).and_then(|()| check_results_folder_name(name)) {
        Ok(()) => Some(name.clone()),
        Err(complaint) => {
            problems.add(complaint.into_problem(field.span()));
            None
        }
    }
}

/// The longest name of a file or folder, in bytes.
const LONGEST_FOLDER_NAME: usize = 255;

fn check_results_folder_name(name: &str) -> Result<(), InvalidValue> {
    let is_plain = !name.contains(['/', '\\']) && !name.starts_with('.') && name.trim() == name;
    if is_plain && name.len() <= LONGEST_FOLDER_NAME {
        return Ok(());
    }
    let title = format!("`{name}` cannot be a folder's name");
    let help = "the results folder has the tournament's name, which must not contain `/` or `\\`, \
                begin with a dot, have spaces at either end, or take more than 255 bytes";
    Err(InvalidValue::new(title, help))
}

fn check_tournament_fault_policy(
    field: Given<'_, FaultPolicyValue>,
    problems: &mut Problems,
) -> FaultPolicy {
    let Some(field) = field else { return FaultPolicy::Lose };
    let FaultPolicyValue::Retry(times) = *field.get_ref() else { return FaultPolicy::Lose };
    let times = Some(Spanned::new(field.span(), times));
    check_whole_number("retry", times.as_ref(), &(1..=MOST_RETRIES), problems)
        .map_or(FaultPolicy::Lose, FaultPolicy::Retry)
}

/// How the submissions of the tournament are built, the level of their sandbox, and what has to be
/// built for each player. `None` if the file has no table `[build]`.
pub(super) fn check_tournament_builds(
    file: &ConfigFile,
    base: &Path,
    problems: &mut Problems,
) -> Option<ConfiguredBuilds> {
    let keys = file.build.as_ref()?;
    let results = check_tournament_results_key(file.results.as_ref(), base, problems);
    let mut rules = check_build_keys(keys, base, &results, problems);
    rules.hidden.extend(tournament_author_folders(file, base));
    let none = ContainmentKeys::default();
    let keys = file.containment.as_ref().unwrap_or(&none);
    let level = check_containment_keys(keys, &LimitPreset::default(), problems).level;
    let plan = |keys: &PlayerKeys| {
        let name = keys.name.as_ref()?.get_ref().clone();
        Some((name, plan_player_build(keys, base, &rules)?))
    };
    let plans = file.players.iter().flatten().filter_map(plan).collect();
    Some(ConfiguredBuilds { rules, level, plans })
}

/// The results folder of the tournament that `file` describes.
pub(super) fn tournament_results_folder(
    file: &ConfigFile,
    base: &Path,
    problems: &mut Problems,
) -> Option<PathBuf> {
    let name = check_tournament_name(file.name.as_ref(), problems)?;
    Some(check_tournament_results_key(file.results.as_ref(), base, problems).join(name))
}

/// The folder of the results folders.
fn check_tournament_results_key(
    field: Given<'_, String>,
    base: &Path,
    problems: &mut Problems,
) -> PathBuf {
    let Some(field) = field else { return base.join(DEFAULT_RESULTS) };
    if field.get_ref().is_empty() || field.get_ref().contains('\0') {
        let problem = Problem::new(field.span(), "invalid value for `results`");
        problems.add(problem.label("expected the name of a folder"));
    }
    base.join(field.get_ref())
}

/// The name of the file that gets the games in PGN. No other file of a results folder ends in `.pgn`.
fn check_tournament_pgn_key(
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
        && !pgn::can_write_pgn(&**game)
    {
        let problem = Problem::new(field.span(), "`pgn` needs built-in chess");
        problems.add(problem.label("no other game can be written as PGN; remove this line"));
    }
    Some(name.clone())
}
