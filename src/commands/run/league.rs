//! A league: games without end, between players that come and go.
//!
//! Games are played in sessions between the same players. When somebody comes or goes, the games in
//! play finish, the change is written to the log, and the next session begins.

mod author_watches;
mod door;
mod door_watch;
mod intake;
mod letter;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::{mpsc, watch};

use self::door::{Door, DoorNews};
use super::hooks::{HookBell, HookEvent};
use super::{Failure, GameSession, Listening, PlannedRun, RunOutcome};
use crate::commands::runtime::{finish_asked, interrupted, new_runtime};
use crate::commands::settings::Settings;
use crate::config::{player_folders, program_of};
use crate::league::control::Control;
use crate::league::{version_dir, version_start};
use crate::printer::Printer;
use crate::progress::Progress;
use referee_record::log::WriteError;
use referee_record::model::entry::{Leaving, LeavingReason};
use referee_record::model::league::LeagueSettings;
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::PlayerInfo;
use referee_record::model::roster::RosterChange;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::run::resume::Prepared;
use referee_tournament::run::{RunEnd, RunError};
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
    let exam = Door::exam(run, settings, printer)?;
    let builds = Door::builds(&settings.config, settings)?;
    let state = &mut contents.state;
    let listening = Listening::new(run, (log, bell.clone()), run.limits.jobs, state, progress)?;
    let end = listening.with(progress, |listeners, heard| {
        new_runtime()?.block_on(async {
            let (stop, finish) = (interrupted()?, finish_asked()?);
            let (tell, news) = mpsc::unbounded_channel();
            let control = Control::read(run.folder.dir())?;
            let mut play = LeaguePlay {
                run,
                league,
                roster: BTreeMap::new(),
                control,
                is_busy: false,
                news,
                waiting: Vec::new(),
                bell: bell.clone(),
            };
            play.find_players(state, listeners)?;
            let door = Door::open(run, league, (exam, builds), state.header(), (tell, bell))?;
            let asked = Arc::new(AtomicBool::new(false));
            let mut once = Once { listeners, has_begun: false, asked: Arc::clone(&asked) };
            let end = play.play(state, &mut once, heard, (finish, stop, asked)).await;
            // Nobody answers the door any more.
            play.news.close();
            door.close();
            let over = once.listeners.on(RunEvent::Over, state);
            let end = end?;
            over?;
            Ok::<RunEnd, Failure>(end)
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
    program_of(name, &start)
}

/// A league that is being played.
struct LeaguePlay<'r, 't> {
    run: &'r PlannedRun<'t>,
    league: &'r LeagueSettings,
    /// The players that are there, by number.
    roster: BTreeMap<usize, PlayerSpec>,
    control: Control,
    /// Whether a submission is being checked. Then games leave one place to it.
    is_busy: bool,
    news: mpsc::UnboundedReceiver<DoorNews>,
    /// The news that came while games were played.
    waiting: Vec<DoorNews>,
    bell: HookBell,
}

/// What keeps a session going, or ends it.
type Signals = (watch::Receiver<bool>, watch::Receiver<bool>, Arc<AtomicBool>);

impl LeaguePlay<'_, '_> {
    /// Finds the programs of the players that are there. Those whose files are not the ones that
    /// entered leave.
    fn find_players(
        &mut self,
        state: &mut TournamentState,
        listeners: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let players: Vec<PlayerInfo> = state.header().players.clone();
        for (number, info) in players.iter().enumerate().filter(|(_, info)| info.left.is_none()) {
            let found = match &info.entry {
                None => self.run.tournament.players.iter().find(|it| it.name == info.name).cloned(),
                Some(entry) => player_in(&version_dir(self.league, entry), &info.name)
                    .ok()
                    .map(|spec| self.hidden(spec))
                    .filter(|spec| spec.hash == info.hash),
            };
            if let Some(spec) = found {
                self.roster.insert(number, spec);
            } else {
                let warning = format!(
                    "{}: its files in {} are not those that entered; it plays no more",
                    referee_protocol::escape::terminal(&info.name),
                    self.league.entrants.display()
                );
                listeners.on(RunEvent::Warning(&warning), state)?;
                let leaving = Leaving { at: now(), why: LeavingReason::Lost };
                let change = RosterChange::Left { player: info.name.clone(), leaving };
                self.change(&change, None, state, listeners)?.map_err(Failure::input)?;
            }
        }
        Ok(())
    }

    /// A player that came, without sight of what others hand in.
    fn hidden(&self, mut spec: PlayerSpec) -> PlayerSpec {
        let configured = self.run.tournament.players.iter().map(|player| player.dir.as_path());
        spec.hidden.extend(player_folders(configured, &self.league.entrants));
        spec
    }

    /// Plays session after session.
    async fn play(
        &mut self,
        state: &mut TournamentState,
        listeners: &mut Once<'_, '_>,
        heard: &super::Heard,
        (mut finish, mut stop, asked): Signals,
    ) -> Result<RunEnd, Failure> {
        let mut is_dry = false;
        loop {
            for news in std::mem::take(&mut self.waiting) {
                self.follow(news, state, listeners)?;
            }
            if self.control.closed {
                listeners.on(RunEvent::Notice("the league is closed"), state)?;
                return Ok(RunEnd::Complete);
            }
            if *finish.borrow() || *stop.borrow() {
                return Ok(RunEnd::Stopped);
            }
            let jobs = self.run.limits.jobs - usize::from(self.is_busy);
            if self.control.paused || jobs == 0 || is_dry {
                tokio::select! {
                    Some(news) = self.news.recv() => self.waiting.push(news),
                    _ = finish.wait_for(|asked| *asked) => {}
                    _ = stop.wait_for(|asked| *asked) => {}
                }
                is_dry = false;
                continue;
            }
            let players: Vec<(usize, &PlayerSpec)> =
                self.roster.iter().map(|(&number, spec)| (number, spec)).collect();
            let session = GameSession { run: self.run, players: &players, jobs, heard };
            let (tell_end, end) = watch::channel(false);
            let mut playing = Box::pin(session.play(state, listeners, end, stop.clone()));
            let mut is_asked = false;
            let end = loop {
                tokio::select! {
                    biased;
                    end = &mut playing => break end?,
                    _ = finish.wait_for(|asked| *asked), if !is_asked => {
                        is_asked = true;
                        asked.store(true, Ordering::Relaxed);
                        tell_end.send_replace(true);
                    }
                    Some(news) = self.news.recv() => {
                        self.waiting.push(news);
                        tell_end.send_replace(true);
                    }
                }
            };
            drop(playing);
            match end {
                RunEnd::Stopped => {}
                // No two players can meet that would not repeat games.
                RunEnd::Complete => is_dry = self.waiting.is_empty(),
                RunEnd::TimeUp => return Ok(RunEnd::TimeUp),
                // They are played in the next session.
                RunEnd::Failed(RunError::Unplayed(why)) => {
                    listeners.on(RunEvent::Warning(&why), state)?;
                }
                RunEnd::Failed(why) => return Ok(RunEnd::Failed(why)),
            }
        }
    }

    /// Follows the news of the door.
    fn follow(
        &mut self,
        news: DoorNews,
        state: &mut TournamentState,
        listeners: &mut dyn Listener,
    ) -> Result<(), Failure> {
        match news {
            // Elsewhere, games are not disturbed.
            DoorNews::Busy(is_busy) => {
                self.is_busy = is_busy && self.run.limits.workers.is_none();
            }
            DoorNews::Notice(text) => listeners.on(RunEvent::Notice(&text), state)?,
            DoorNews::Warning(warning) => listeners.on(RunEvent::Warning(&warning), state)?,
            DoorNews::Control(control) => {
                let before = std::mem::replace(&mut self.control, control);
                if before.paused != self.control.paused {
                    let paused = self.control.paused;
                    let text = if paused { "the league pauses" } else { "the league goes on" };
                    listeners.on(RunEvent::Notice(text), state)?;
                }
            }
            DoorNews::Change { change, spec, done } => {
                let spec = spec.map(|spec| self.hidden(*spec));
                let changed = self.change(&change, spec, state, listeners)?;
                // If the door is closed, it finds the change in the log next time.
                let _ = done.send(changed);
            }
        }
        Ok(())
    }

    /// Lets a player come or go: in the state and in the log. Returns why this is impossible, if it
    /// is.
    fn change(
        &mut self,
        change: &RosterChange,
        spec: Option<PlayerSpec>,
        state: &mut TournamentState,
        listeners: &mut dyn Listener,
    ) -> Result<Result<(), String>, Failure> {
        if let Err(error) = state.change(change) {
            return Ok(Err(error.to_string()));
        }
        listeners.on(RunEvent::PlayersChanged(change), state)?;
        if let RosterChange::Entered { player, .. } = change
            && let Some(entry) = &player.entry
        {
            let (player, author) = (player.name.clone(), entry.author.clone());
            self.bell.tell(&HookEvent::Entered { player, author });
        }
        if let Some(number) = state.number(change.player()) {
            match spec {
                Some(spec) => self.roster.insert(number, spec),
                None => self.roster.remove(&number),
            };
        }
        Ok(Ok(()))
    }
}

/// Passes on the events of all sessions as those of one run.
struct Once<'o, 'l> {
    listeners: &'o mut referee_tournament::run::event::Listeners<'l>,
    has_begun: bool,
    /// Whether somebody interrupts the run, and not only a session ends.
    asked: Arc<AtomicBool>,
}

impl Listener for Once<'_, '_> {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::Over => Ok(()),
            RunEvent::Finishing { .. } if !self.asked.load(Ordering::Relaxed) => Ok(()),
            RunEvent::Begun { .. } if std::mem::replace(&mut self.has_begun, true) => Ok(()),
            event => self.listeners.on(event, state),
        }
    }
}
