//! Who of a league can play when its run begins.

use super::version::{KeptVersion, version_dir};
use super::{LeagueError, PlannedLeague, now, without_sight};
use referee_protocol::escape;
use referee_record::model::entry::{Leaving, LeavingReason};
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::PlayerInfo;
use referee_record::model::roster::RosterChange;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::schedule::state::TournamentState;

/// Finds the programs of the players that are there. Those whose files have changed leave; those
/// that cannot be started now only pause, because a machine in disorder is not their fault.
///
/// # Errors
/// No version at all can be started, or the log cannot be written.
pub fn find_players(
    league: PlannedLeague<'_>,
    state: &mut TournamentState,
    listeners: &mut dyn Listener,
) -> Result<Vec<(usize, PlayerSpec)>, LeagueError> {
    let mut roster = Vec::new();
    let hidden = league.hidden();
    let players: Vec<PlayerInfo> = state.header().players.clone();
    let present = || players.iter().enumerate().filter(|(_, info)| info.left.is_none());
    let mut lost = Vec::new();
    let mut unavailable = Vec::new();
    for (number, info) in present() {
        let found = match &info.entry {
            None => {
                let own = league.tournament.players.iter().find(|player| player.name == info.name);
                own.map_or(KeptVersion::Changed, |own| KeptVersion::Ready(Box::new(own.clone())))
            }
            Some(entry) => KeptVersion::of(info, entry, &version_dir(league.settings, entry)),
        };
        match found {
            KeptVersion::Ready(spec) if info.entry.is_some() => {
                roster.push((number, without_sight(*spec, &hidden)));
            }
            KeptVersion::Ready(spec) => roster.push((number, *spec)),
            KeptVersion::Unavailable(why) => unavailable.push((number, why)),
            KeptVersion::Changed => lost.push(&info.name),
        }
    }
    let came = present().filter(|(_, info)| info.entry.is_some()).count();
    if let (true, Some((number, why))) = (unavailable.len() == came, unavailable.first()) {
        return Err(LeagueError::NoneStarts {
            entrants: league.settings.entrants.clone(),
            player: players[*number].name.clone(),
            why: why.clone(),
        });
    }
    for (number, why) in unavailable {
        let name = escape::terminal(&players[number].name);
        let warning = format!("{name} is paused until the run is started again: {why}");
        listeners.on(RunEvent::Warning(&warning), state)?;
        state.rest(number);
    }
    for name in lost {
        let warning = format!(
            "{}: its files in {} have changed since it entered; it has been withdrawn",
            escape::terminal(name),
            league.settings.entrants.display()
        );
        listeners.on(RunEvent::Warning(&warning), state)?;
        let leaving = Leaving { at: now(), why: LeavingReason::Lost };
        let change = RosterChange::Left { player: name.clone(), leaving };
        state.apply(&change)?;
        listeners.on(RunEvent::PlayersChanged(&change), state)?;
    }
    Ok(roster)
}
