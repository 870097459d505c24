//! Finds the players to check, and gives each a distinct name.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::CheckArgs;
use crate::command_failure::Failure;
use crate::commands::settings::Settings;
use referee_check::{Candidate, Exam};
use referee_config::remarks_on_player;
use referee_record::model::player_spec::{PlayerSpec, to_player_name};
use referee_record::model::stage::Stage;
use referee_record::model::tournament::Tournament;
use referee_record::seeds::draw_random_identity;
use referee_tournament::analysis::diagnostics::copies::group_copies;
use referee_tournament::run::header_from_config::header_from_config;

/// An argument or someone that names no player, with the reason.
#[derive(Debug)]
pub(super) struct UnknownCandidate {
    pub(super) word: String,
    pub(super) why: Failure,
}

impl UnknownCandidate {
    /// Someone without a player.
    pub(super) fn absent((name, reason): (&String, &String)) -> Self {
        Self { word: name.clone(), why: Failure::input(reason) }
    }

    /// The players of the configuration that have problems there.
    pub(super) fn others(settings: &Settings) -> Self {
        let word = settings.config.display().to_string();
        let why = "some of its players have problems; `referee run --plan` shows them";
        Self { word, why: Failure::input(why) }
    }
}

/// The candidate for each argument, in order.
pub(super) fn read_candidates(
    args: &CheckArgs,
    players: &[String],
    settings: &Settings,
    exam: &Exam,
) -> Result<Vec<Result<Candidate, UnknownCandidate>>, Failure> {
    let mut found: Vec<Result<PlayerSpec, UnknownCandidate>> = players
        .iter()
        .map(|word| {
            let refused = |why| UnknownCandidate { word: word.clone(), why };
            let spec = settings.program(word, "player `human`: only programs can be checked");
            let suits = |spec| Ok(exam.rules.refuse_engines([&spec]).map(|()| spec)?);
            spec.and_then(suits).map_err(refused)
        })
        .collect();
    make_candidate_names_unique(&mut found, players);
    let mut folders = BTreeSet::new();
    found
        .into_iter()
        .zip(players)
        .map(|(found, word)| match found {
            Ok(spec) => {
                let folder = args
                    .records
                    .join(free_candidate_name(&candidate_file_name(&spec.name), &mut folders));
                prepare_candidate(spec, word, folder, (args, settings, exam)).map(Ok)
            }
            Err(refused) => Ok(Err(refused)),
        })
        .collect()
}

/// The arguments that name the same player, in groups.
pub(super) fn group_same_candidates(
    entries: &[Result<Candidate, UnknownCandidate>],
    words: &[String],
) -> Vec<Vec<String>> {
    let found = entries
        .iter()
        .zip(words)
        .filter_map(|(entry, word)| Some((word.as_str(), entry.as_ref().ok()?.spec.hash.as_str())));
    group_copies(found)
}

/// Renames players with the same name, such as `a/player.py` and `b/player.py`, to their arguments.
fn make_candidate_names_unique(
    found: &mut [Result<PlayerSpec, UnknownCandidate>],
    words: &[String],
) {
    let mut seen = BTreeSet::new();
    let mut doubled = BTreeSet::new();
    for spec in found.iter().flatten() {
        if !seen.insert(spec.name.clone()) {
            doubled.insert(spec.name.clone());
        }
    }
    for (spec, word) in found.iter_mut().zip(words) {
        if let Some(spec) = spec.as_mut().ok().filter(|spec| doubled.contains(&spec.name)) {
            spec.name = to_player_name(word);
        }
    }
}

fn prepare_candidate(
    spec: PlayerSpec,
    word: &str,
    records: PathBuf,
    (args, settings, exam): (&CheckArgs, &Settings, &Exam),
) -> Result<Candidate, Failure> {
    let players = [spec.clone()].into_iter().chain(exam.opponents(&spec.name)).collect();
    let options = exam.rules.options.clone();
    let tournament = Tournament {
        seed: Some(exam.seed),
        openings: None,
        results: args.records.clone(),
        ..settings.tournament("check".to_owned(), options, vec![Stage::round_robin(1)], players)
    };
    Ok(Candidate {
        header: header_from_config(&tournament, exam.containment.record(), draw_random_identity()?),
        words: candidate_ask_args(word, args, settings)?,
        elsewhere: None,
        remarks: remarks_on_player(&spec),
        spec,
        records,
    })
}

/// The arguments with which `referee ask` finds the player.
fn candidate_ask_args(
    word: &str,
    args: &CheckArgs,
    settings: &Settings,
) -> Result<String, Failure> {
    let mut words = vec![word];
    let config = settings.config.to_string_lossy();
    if settings.base.players.iter().any(|player| player.name == word) {
        words.extend(["--config", &config]);
    }
    if let Some(level) = args.settings.containment {
        words.extend(["--containment", level.name()]);
    }
    shlex::try_join(words).map_err(|_| Failure::input(format!("player `{}`", word.escape_debug())))
}

/// `name`, with a number added if it is taken.
pub(super) fn free_candidate_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut number = 1;
    let mut free = name.to_owned();
    while !taken.insert(free.clone()) {
        number += 1;
        free = format!("{name}-{number}");
    }
    free
}

/// Turns a player's name into the name of a file or folder.
pub(super) fn candidate_file_name(name: &str) -> String {
    let plain = |character: char| match character {
        '-' | '_' | '.' => character,
        other if other.is_alphanumeric() => other,
        _ => '-',
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "player".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_plain_folder() {
        assert_eq!(candidate_file_name("python3 ../my player.py"), "python3-..-my-player.py");
        assert_eq!(candidate_file_name("../.."), "player");
    }

    #[test]
    fn no_two_players_share_a_folder() {
        let mut taken = BTreeSet::new();
        let folders = ["ant", "ant", "ant-2"].map(|name| free_candidate_name(name, &mut taken));
        assert_eq!(folders, ["ant", "ant-2", "ant-2-2"]);
    }
}
