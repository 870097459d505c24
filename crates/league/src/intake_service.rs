//! The intake of a league: takes in what authors hand in, checks it, and lets it enter.
//!
//! It works beside the games in a thread of its own. Checks have threads of theirs.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc as std_mpsc};
use std::thread::{self, JoinHandle};
use std::{fs, io};

use tokio::sync::{mpsc, watch};

use super::check_queue::{MOST_CHECKS, QueuedAuthors};
use super::hand_in_watch::{HandInNotifier, HandInWatch};
pub use super::intake_worker::{IntakeEvent, IntakePlan};
use super::intake_worker::{IntakeWorker, WORK, remove_intake_tree};
use super::running_checks::CheckContext;
use super::{LeagueError, PlannedLeague};
use referee_protocol::path_shortener::PathShortener;
use referee_record::disk::{self, FolderAccess};
use referee_record::model::record::Header;
use referee_tournament::run::instruction::Instruction;

/// The intake, at work.
#[derive(Debug)]
pub struct IntakeService {
    bell: HandInNotifier,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl IntakeService {
    /// Starts the intake of `league`, whose log has this header now. It tells the run what is to change.
    ///
    /// # Errors
    /// The folders of the league cannot be made, or no thread can be started.
    pub fn open(
        league: PlannedLeague<'_>,
        plan: IntakePlan,
        header: &Header,
        tell: mpsc::UnboundedSender<Instruction>,
    ) -> Result<Self, LeagueError> {
        let settings = league.settings;
        prepare_intake_folders(league)?;
        let watch = HandInWatch::begin(&settings.hand_in, league.dir);
        let bell = watch.bell();
        let (stop, stopped) = watch::channel(false);
        let IntakePlan { exam, builds, control, hear } = plan;
        let room = CheckContext {
            exam,
            builds,
            template: league.tournament.clone(),
            largest: settings.largest,
            disk: settings.disk,
            tell: tell.clone(),
            stop: stopped,
        };
        let mut worker = IntakeWorker {
            league: settings.clone(),
            dir: league.dir.to_owned(),
            hidden: league.hidden_folders(),
            room: Arc::new(room),
            jobs: league.jobs,
            control,
            hear,
            places: intake_folder_places(league),
            authors: BTreeMap::new(),
            identity: header.identity.clone(),
            names: header.players.iter().map(|player| player.name.clone()).collect(),
            watch,
            unopened: BTreeMap::new(),
            waiting: QueuedAuthors::default(),
            challengers: VecDeque::new(),
            challenge: None,
            ended_challenges: std_mpsc::channel(),
            running: Vec::new(),
            most_checks: league.jobs.map_or(MOST_CHECKS, |jobs| jobs.clamp(1, MOST_CHECKS)),
            checked: std_mpsc::channel(),
            is_closing: false,
            tell,
        };
        header.players.iter().for_each(|player| worker.remember(player));
        worker.remember_checks();
        let thread = thread::Builder::new()
            .name("intake".to_owned())
            .spawn(move || worker.work())
            .map_err(LeagueError::NoThread)?;
        Ok(Self { bell, stop, thread })
    }

    /// Stops the intake, and breaks off a check. Nobody may answer it any more: the run is over.
    pub fn close(self) {
        self.stop.send_replace(true);
        self.bell.close();
        // A panic was reported already.
        let _ = self.thread.join();
    }
}

/// Makes the folders that a league needs, and removes what an earlier run left of its checks.
fn prepare_intake_folders(league: PlannedLeague<'_>) -> Result<(), LeagueError> {
    let (hand_in, entrants) = (&league.settings.hand_in, &league.settings.entrants);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| LeagueError::Unwritable { path, source }
    };
    for folder in [hand_in, entrants] {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    // Other accounts of the machine must not read what was handed in, as far as players can do
    // without.
    let needs_passage = league.containment.policy().needs_passage();
    let access = if needs_passage { FolderAccess::Passage } else { FolderAccess::Owner };
    disk::restrict_folder_access(entrants, access).map_err(failed(entrants))?;
    let work = entrants.join(WORK);
    remove_intake_tree(&work).map_err(failed(&work))
}

/// The folders of a league, and those around them, as given and without links.
fn intake_folder_places(league: PlannedLeague<'_>) -> PathShortener {
    let folders = [league.settings.hand_in.as_path(), &league.settings.entrants, league.dir];
    let around = folders.into_iter().flat_map(|folder| [Some(folder), folder.parent()]).flatten();
    let both = around.flat_map(|path| [std::path::absolute(path).ok(), path.canonicalize().ok()]);
    PathShortener::new(both.flatten().map(|path: PathBuf| path.display().to_string()))
}
