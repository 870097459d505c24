//! Who of a league can play: when its run begins, or against a player that is not in it.

use std::path::PathBuf;

use super::version::{KeptVersion, league_version_dir};
use super::{
    LeagueError, PlannedLeague, hidden_league_folders, unix_seconds_now, with_hand_ins_hidden,
};
use referee_protocol::escape::escape_line;
use referee_record::model::league_entry::{LeagueEntry, Leaving, LeavingReason};
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::HeaderPlayer;
use referee_record::model::roster_change::RosterChange;
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::schedule::tournament_state::TournamentState;

/// Finds the programs of the players that are there. Those whose files have changed leave; those
/// that cannot be started now only pause, because a machine in disorder is not their fault.
///
/// # Errors
/// No version at all can be started, or the log cannot be written.
pub fn find_present_players(
    league: PlannedLeague<'_>,
    state: &mut TournamentState,
    listeners: &mut dyn RunListener,
) -> Result<Vec<(usize, PlayerSpec)>, LeagueError> {
    let mut roster = Vec::new();
    let players: Vec<HeaderPlayer> = state.header().players.clone();
    let mut lost = Vec::new();
    let mut unavailable = Vec::new();
    let mut came = 0;
    for KeptPlayer { number, info, version } in
        find_kept_players(league.settings, &league.tournament.players, &players)
    {
        came += usize::from(info.entry.is_some());
        match version {
            KeptVersion::Ready(spec) => roster.push((number, *spec)),
            KeptVersion::Unavailable(why) => unavailable.push((number, why)),
            KeptVersion::Changed => lost.push(&info.name),
        }
    }
    if let (true, Some((number, why))) = (unavailable.len() == came, unavailable.first()) {
        return Err(LeagueError::NoneStarts {
            entrants: league.settings.entrants.clone(),
            player: players[*number].name.clone(),
            why: why.clone(),
        });
    }
    for (number, why) in unavailable {
        let name = escape_line(&players[number].name);
        let warning = format!("{name} is paused until the run is started again: {why}");
        listeners.on(RunEvent::Warning(&warning), state)?;
        state.rest_league_player(number);
    }
    for name in lost {
        let warning = format!(
            "{}: its files in {} have changed since it entered; it has been withdrawn",
            escape_line(name),
            league.settings.entrants.display()
        );
        listeners.on(RunEvent::Warning(&warning), state)?;
        let leaving = Leaving { at: unix_seconds_now(), why: LeavingReason::Lost };
        let change = RosterChange::Left { player: name.clone(), leaving };
        state.apply_league_roster_change(&change)?;
        listeners.on(RunEvent::PlayersChanged(&change), state)?;
    }
    Ok(roster)
}

/// The players that are in a league now.
#[derive(Debug, Default)]
pub struct PresentPlayers {
    /// Those that can play.
    pub ready: Vec<PlayerSpec>,
    /// The others, each with the reason, for people.
    pub missing: Vec<String>,
}

impl PresentPlayers {
    /// Finds the programs of those who are there, by the log of a league with these `settings` and
    /// these players of its `own`.
    pub fn find(settings: &LeagueSettings, own: &[PlayerSpec], state: &TournamentState) -> Self {
        let mut found = Self::default();
        let all = find_kept_players(settings, own, &state.header().players);
        for KeptPlayer { info, version, .. } in all.filter(|kept| state.is_taking_part(kept.number))
        {
            let name = escape_line(&info.name);
            match version {
                KeptVersion::Ready(spec) => found.ready.push(*spec),
                KeptVersion::Unavailable(why) => found.missing.push(format!("{name}: {why}")),
                KeptVersion::Changed => {
                    found.missing.push(format!("{name}: its files have changed since it entered"));
                }
            }
        }
        found
    }
}

/// A player that is in a league now.
struct KeptPlayer<'a> {
    number: usize,
    info: &'a HeaderPlayer,
    version: KeptVersion,
}

/// What became of the files of those of these players that are still there.
fn find_kept_players<'a>(
    settings: &'a LeagueSettings,
    own: &'a [PlayerSpec],
    players: &'a [HeaderPlayer],
) -> impl Iterator<Item = KeptPlayer<'a>> {
    let hidden = hidden_league_folders(settings, own);
    let present = players.iter().enumerate().filter(|(_, info)| info.left.is_none());
    present.map(move |(number, info)| {
        let version = match &info.entry {
            None => {
                let own = own.iter().find(|player| player.name == info.name);
                own.map_or(KeptVersion::Changed, |own| KeptVersion::Ready(Box::new(own.clone())))
            }
            Some(entry) => kept_version(settings, info, entry, &hidden),
        };
        KeptPlayer { number, info, version }
    })
}

/// What became of the files of a version, which must not see what is in the folders `hidden`.
pub(crate) fn kept_version(
    settings: &LeagueSettings,
    info: &HeaderPlayer,
    entry: &LeagueEntry,
    hidden: &[PathBuf],
) -> KeptVersion {
    match KeptVersion::of(info, entry, &league_version_dir(settings, entry)) {
        KeptVersion::Ready(spec) => {
            KeptVersion::Ready(Box::new(with_hand_ins_hidden(*spec, hidden)))
        }
        other => other,
    }
}
