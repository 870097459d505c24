//! A league: games without end, between players that come and go.
//!
//! The door looks at what authors hand in, and at what the organiser wants, in a thread of its own.
//! It tells the run by instructions.

mod author_watches;
mod door;
mod door_watch;
mod intake;
mod letter;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;

use self::door::{Door, DoorPlan};
use super::hooks::HookBell;
use super::{Failure, Lineup, Listening, PlannedRun, RunOutcome, finish_when_asked};
use crate::commands::runtime::{interrupted, new_runtime};
use crate::commands::settings::Settings;
use crate::league::control::Control;
use crate::league::{version_digest, version_dir, version_start};
use crate::printer::Printer;
use crate::progress::Progress;
use referee_config::{player_folders, program_of};
use referee_record::model::entry::{Entry, Leaving, LeavingReason};
use referee_record::model::league::LeagueSettings;
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::PlayerInfo;
use referee_record::model::roster::RosterChange;
use referee_record::tree::UnfitTree;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::run::resume::Prepared;
use referee_tournament::schedule::state::TournamentState;

/// Plays until the organiser closes the league, or the run is interrupted.
pub(super) fn play(
    run: &PlannedRun<'_>,
    (league, bell): (&LeagueSettings, HookBell),
    settings: &Settings,
    prepared: Prepared,
    progress: &mut Progress,
    printer: Printer,
) -> Result<RunOutcome, Failure> {
    let Prepared { mut contents, log } = prepared;
    let plan = DoorPlan {
        exam: Door::exam(run, settings, printer)?,
        builds: Door::builds(settings)?,
        hidden: hidden(run, league),
        control: Control::read(run.folder.dir())?,
        bell: bell.clone(),
    };
    let state = &mut contents.state;
    let listening = Listening::new(run, (log, bell), run.limits.jobs, state, progress)?;
    let end = listening.with(progress, |listeners, heard| {
        new_runtime()?.block_on(async {
            let stop = interrupted()?;
            let (tell, instructions) = mpsc::unbounded_channel();
            finish_when_asked(tell.clone())?;
            let roster = find_players(run, league, state, listeners)?;
            let players: Vec<(usize, &PlayerSpec)> =
                roster.iter().map(|(number, spec)| (*number, spec)).collect();
            for instruction in plan.control.instructions_after(&Control::default()) {
                // The run is about to begin.
                let _ = tell.send(instruction);
            }
            let door = Door::open(run, league, plan, state.header(), tell)?;
            let lineup = Lineup { players: &players, instructions };
            let end = run.play_between(lineup, state, heard, listeners, stop).await;
            // Nobody answers the door any more.
            door.close();
            end
        })
    })?;
    let games = contents.state.played();
    Ok(RunOutcome { end, games, unchanged: None })
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The player in the folder of a version, found as an intake finds it, whatever a log says of its
/// command.
fn player_in(dir: &Path, name: &str) -> Result<PlayerSpec, Failure> {
    let start = version_start(dir)
        .ok_or_else(|| Failure::input(format!("no player is recognised in `{}`", dir.display())))?;
    Ok(program_of(name, &start)?)
}

/// What players that came must not see: what others hand in.
fn hidden(run: &PlannedRun<'_>, league: &LeagueSettings) -> Vec<PathBuf> {
    let configured = run.tournament.players.iter().map(|player| player.dir.as_path());
    player_folders(configured, &league.entrants)
}

/// A player that came, without sight of what others hand in.
fn without_sight(mut spec: PlayerSpec, hidden: &[PathBuf]) -> PlayerSpec {
    spec.hidden.extend_from_slice(hidden);
    spec
}

/// What became of the files of a version that entered.
enum KeptVersion {
    /// It can play.
    Ready(Box<PlayerSpec>),
    /// It cannot be started now, for this reason; its files may still be those that entered.
    Unavailable(String),
    /// They were read, and are others.
    Changed,
}

/// Finds the programs of the players that are there. Those whose files have changed leave; those
/// that cannot be started now only pause, because a machine in disorder is not their fault.
fn find_players(
    run: &PlannedRun<'_>,
    league: &LeagueSettings,
    state: &mut TournamentState,
    listeners: &mut dyn Listener,
) -> Result<Vec<(usize, PlayerSpec)>, Failure> {
    let mut roster = Vec::new();
    let hidden = hidden(run, league);
    let players: Vec<PlayerInfo> = state.header().players.clone();
    let present = || players.iter().enumerate().filter(|(_, info)| info.left.is_none());
    let mut lost = Vec::new();
    let mut unavailable = Vec::new();
    for (number, info) in present() {
        let found = match &info.entry {
            None => {
                let own = run.tournament.players.iter().find(|player| player.name == info.name);
                own.map_or(KeptVersion::Changed, |own| KeptVersion::Ready(Box::new(own.clone())))
            }
            Some(entry) => kept(info, entry, &version_dir(league, entry)),
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
        return Err(Failure::system(format!(
            "none of the versions in {} can be started, and none was taken out: {}: {why}",
            league.entrants.display(),
            referee_protocol::escape::terminal(&players[*number].name)
        )));
    }
    for (number, why) in unavailable {
        let name = referee_protocol::escape::terminal(&players[number].name);
        let warning = format!("{name} pauses until the next start of the run: {why}");
        listeners.on(RunEvent::Warning(&warning), state)?;
        state.rest(number);
    }
    for name in lost {
        let warning = format!(
            "{}: its files in {} are not those that entered; it plays no more",
            referee_protocol::escape::terminal(name),
            league.entrants.display()
        );
        listeners.on(RunEvent::Warning(&warning), state)?;
        let leaving = Leaving { at: now(), why: LeavingReason::Lost };
        let change = RosterChange::Left { player: name.clone(), leaving };
        state.change(&change).map_err(|error| Failure::input(error.to_string()))?;
        listeners.on(RunEvent::PlayersChanged(&change), state)?;
    }
    Ok(roster)
}

/// What became of the version in the folder `dir`.
fn kept(info: &PlayerInfo, entry: &Entry, dir: &Path) -> KeptVersion {
    match version_digest(dir) {
        Err(why @ UnfitTree::Failed { .. }) => {
            return KeptVersion::Unavailable(format!("{}: {why}", dir.display()));
        }
        Ok(now) if now == entry.kept => {}
        _ => return KeptVersion::Changed,
    }
    match player_in(dir, &info.name) {
        Ok(spec) => KeptVersion::Ready(Box::new(spec)),
        Err(failure) => KeptVersion::Unavailable(failure.to_string()),
    }
}
