//! All tables `[[players]]` together.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use referee_entrants::build_rules::BuildRules;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::Anchor;
use referee_sandbox::{Level, Mechanism, Requirement};

use super::config_file::ConfigFile;
use super::hidden_files::{hide_other_players, player_folders_to_hide};
use super::player_keys::PlayerKeys;
use super::player_spec::LookupPaths;
use super::player_table_checks::{check_player_table, take_absent_players};
use super::problem::{Problem, Problems};

/// Takes those without a player out of `file`. Returns their names and the reasons.
pub(super) fn split_absent_players(
    file: &mut ConfigFile,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let Some(players) = &mut file.players else { return BTreeMap::new() };
    problems.in_players(|problems| {
        note_duplicate_configured_players(players, problems);
        take_absent_players(players, problems)
    })
}

/// Checks all players; those with a problem, which is noted, are left out.
pub(super) fn check_configured_players(
    given: Vec<PlayerKeys>,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
    problems: &mut Problems,
) -> Vec<PlayerSpec> {
    let mut players: Vec<PlayerSpec> = problems.in_players(|problems| {
        note_few_configured_players(&given, problems);
        given
            .into_iter()
            .filter_map(|keys| check_player_table(keys, place, builds, problems))
            .collect()
    });
    hide_other_players(&mut players, place.base);
    players
}

fn note_few_configured_players(given: &[PlayerKeys], problems: &mut Problems) {
    let (title, at) = match given {
        [] => ("no players", 0..0),
        [player] => ("only one player", player.at.clone()),
        _ => return,
    };
    let help = "a tournament needs at least two; add a `[[players]]` table for each";
    problems.add(Problem::new(at, title).help(help));
}

fn note_duplicate_configured_players(given: &[PlayerKeys], problems: &mut Problems) {
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

/// Refuses a folder as a system of a player's own that holds, or belongs to, something else: the
/// configuration, the results or another player.
pub(super) fn refuse_player_roots(
    players: &[PlayerKeys],
    base: &Path,
    results: &Path,
    problems: &mut Problems,
) {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let dir = |keys: &PlayerKeys| Some(real(&base.join(keys.dir.as_ref()?.get_ref())));
    let (base_path, results) = (real(base), real(results));
    for keys in players {
        let Some(name) = &keys.root else { continue };
        let root = real(&base.join(name.get_ref()));
        let own = dir(keys);
        let mut dirs = players.iter().filter_map(dir);
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
        let problem = Problem::new(name.span(), title).label(format!("this exposes {holds}"));
        problems.add(problem.help("unpack the image into a folder of its own, such as `image`"));
    }
}

/// Requires what a player needs for a system or a network of its own, if one of them has that.
pub(super) fn require_for_player_access(
    players: &[PlayerKeys],
    containment: &mut ContainmentRequest,
    problems: &mut Problems,
) {
    let roots = players.iter().filter_map(|player| player.root.as_ref());
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
    // At `off`, players reach everything anyway.
    let is_contained = containment.level != Some(Level::Off);
    let mounts = Requirement::Mechanism(Mechanism::Mounts);
    if is_contained && players.iter().any(|player| player.network.is_some()) {
        containment.require.push(mounts);
    }
}

/// The players whose ratings are fixed, by name.
pub(super) fn check_player_ratings(players: &[PlayerKeys], problems: &mut Problems) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    for keys in players {
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

/// The same containment for a program of the organiser's, which sees no player's folder.
pub(super) fn with_players_hidden(
    containment: &ContainmentRequest,
    players: &[PlayerKeys],
    base: &Path,
) -> ContainmentRequest {
    let dirs = players.iter().filter_map(|keys| keys.dir.as_ref());
    let dirs: Vec<PathBuf> = dirs.map(|dir| base.join(dir.get_ref())).collect();
    let mut request = containment.clone();
    request.hidden.extend(player_folders_to_hide(dirs.iter().map(PathBuf::as_path), base));
    request
}
