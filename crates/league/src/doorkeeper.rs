//! Decides what becomes of what authors hand in.
//!
//! Whatever is in an author's folder is the version that the author wants to play; the log says
//! which one plays. So nothing is lost when the program is killed: the next run compares the two.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, UNIX_EPOCH};

use tokio::sync::{mpsc, oneshot, watch};

use super::author_folder::AuthorFolder;
use super::author_report::{AuthorReport, Outcome};
use super::control::Control;
use super::door_watch::{AGAIN, DoorTask, DoorWatch, changed};
use super::hand_in;
use super::history::{self, PastHandIn, PastOutcome};
use super::intake::{LeagueBuilds, NotTaken};
use super::invitations::{Invitations, are_alike, author_problem};
use super::now;
use super::queue::WaitingAuthors;
use referee_check::Exam;
use referee_protocol::escape;
use referee_protocol::places::Places;
use referee_record::model::entry::{Entry, Leaving, LeavingReason};
use referee_record::model::league::LeagueSettings;
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::PlayerInfo;
use referee_record::model::roster::RosterChange;
use referee_record::model::tournament::Tournament;
use referee_record::tree::FoundTree;
use referee_tournament::run::instruction::{Instruction, PlayerChange};

/// The folder of submissions that are being checked, beside those that entered.
pub(crate) const WORK: &str = ".being-checked";

/// Something that happened at the door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoorEvent {
    /// A version entered.
    Entered {
        /// The name.
        player: String,
        /// The author.
        author: String,
    },
    /// A submission was refused.
    Refused {
        /// The author.
        author: String,
        /// Why.
        reason: String,
    },
}

/// What the door works with.
pub struct DoorPlan {
    /// What every submission is tested for.
    pub exam: Exam,
    /// How submissions are built, if they are.
    pub builds: Option<LeagueBuilds>,
    /// What the organiser wanted when the run began.
    pub control: Control,
    /// Hears what happens. Nothing waits for it.
    pub hear: Box<dyn Fn(&DoorEvent) + Send>,
}

/// The most names of files in the history of an author, for each submission.
const MOST_LISTED: usize = 10;

/// Why a submission of an author is refused whom the organiser has removed. It is looked at again
/// when the author is readmitted.
pub(crate) const REMOVED: &str = "the organiser has removed its author";

/// What the door knows about an author.
#[derive(Debug, Clone, Default)]
pub(crate) struct Author {
    /// The number of the last version.
    pub(crate) version: u32,
    /// The digest of what was handed in for it.
    pub(crate) source: String,
    /// Whether it plays, or would if it had not made too many faults.
    pub(crate) is_there: bool,
    /// When a submission was last checked.
    pub(crate) checked: Option<Instant>,
}

/// Works at the door.
pub(crate) struct Doorkeeper {
    pub(crate) league: LeagueSettings,
    /// The results folder.
    pub(crate) dir: PathBuf,
    pub(crate) template: Tournament,
    /// What players that come must not see: what others hand in.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) plan: DoorPlan,
    /// How many games are played at once on this machine; `None` if they are played elsewhere, where
    /// a check disturbs none.
    pub(crate) jobs: Option<usize>,
    /// What authors do not learn.
    pub(crate) places: Places,
    pub(crate) authors: BTreeMap<String, Author>,
    /// The random identity of the league, from which pseudonyms follow.
    pub(crate) identity: String,
    /// The names of all players so far.
    pub(crate) taken: Vec<String>,
    pub(crate) watch: DoorWatch,
    /// Who waits for a check.
    pub(crate) waiting: WaitingAuthors,
    /// The authors who wait for a challenge.
    pub(crate) challengers: VecDeque<String>,
    pub(crate) tell: mpsc::UnboundedSender<Instruction>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// The league is not played any more.
pub(crate) struct RunOver;

impl Doorkeeper {
    pub(crate) fn remember(&mut self, player: &PlayerInfo) {
        let Some(entry) = &player.entry else { return };
        let known = self.authors.entry(entry.author.clone()).or_default();
        if entry.version > known.version {
            known.version = entry.version;
            known.source.clone_from(&entry.source);
            known.is_there = player.left.is_none();
        }
    }

    /// Reads when submissions were checked before this start: who had many checks waits longer.
    pub(crate) fn remember_checks(&mut self) {
        for author in self.authors.keys() {
            // Without a history, everyone is equal.
            for one in history::read(&self.league.entrants, author).unwrap_or_default() {
                self.waiting.began(author, one.at);
            }
        }
    }

    pub(crate) fn work(mut self) {
        // Otherwise nobody listens any more.
        let _ = self.serve();
    }

    fn serve(&mut self) -> Result<(), RunOver> {
        self.follow_control()?;
        loop {
            let is_busy = !(self.waiting.is_empty() && self.challengers.is_empty());
            match self.watch.next(is_busy) {
                DoorTask::Nothing if self.waiting.is_empty() => self.play_challenge()?,
                DoorTask::Nothing => self.check_next()?,
                DoorTask::Close => return Ok(()),
                DoorTask::Control => self.follow_control()?,
                DoorTask::Author(author) => self.look_at(&author)?,
            }
        }
    }

    fn say(&self, instruction: Instruction) -> Result<(), RunOver> {
        self.tell.send(instruction).map_err(|_| RunOver)
    }

    /// Leaves one place to a check while it lasts, but never stops all games.
    pub(crate) fn make_place(&self, is_checking: bool) -> Result<(), RunOver> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        self.say(Instruction::PlayAtOnce((jobs - usize::from(is_checking)).max(1)))
    }

    pub(crate) fn warn(&self, warning: &str) -> Result<(), RunOver> {
        self.say(Instruction::Warning(escape::terminal(warning)))
    }

    /// Asks for a change, and waits for the answer.
    pub(crate) fn ask_for(
        &self,
        change: RosterChange,
        program: Option<PlayerSpec>,
    ) -> Result<Result<(), String>, RunOver> {
        let (done, answer) = oneshot::channel();
        self.say(Instruction::Change(Box::new(PlayerChange { change, program, done })))?;
        // A run that ends drops the instructions that it has not followed.
        answer.blocking_recv().map_err(|_| RunOver)
    }

    /// Follows what the organiser wants.
    fn follow_control(&mut self) -> Result<(), RunOver> {
        let control = match Control::read(&self.dir) {
            Ok(control) => control,
            Err(error) => return self.warn(&error.to_string()),
        };
        let admitted: Vec<String> =
            self.plan.control.removed.difference(&control.removed).cloned().collect();
        for author in &control.removed {
            self.leave(author, LeavingReason::Removed)?;
        }
        for author in admitted {
            self.watch.later(author, Instant::now());
        }
        let before = std::mem::replace(&mut self.plan.control, control);
        self.plan
            .control
            .instructions_after(&before)
            .into_iter()
            .try_for_each(|next| self.say(next))
    }

    /// Lets the present version of an author go, if there is one.
    pub(crate) fn leave(&mut self, author: &str, why: LeavingReason) -> Result<(), RunOver> {
        let Some(known) = self.authors.get_mut(author).filter(|known| known.is_there) else {
            return Ok(());
        };
        known.is_there = false;
        let player = Entry::name(author, known.version);
        let leaving = Leaving { at: now(), why };
        match self.ask_for(RosterChange::Left { player, leaving }, None)? {
            Ok(()) => Ok(()),
            Err(why) => self.warn(&format!("cannot withdraw {author}: {why}")),
        }
    }

    /// Checks the next submission in the queue.
    fn check_next(&mut self) -> Result<(), RunOver> {
        let Some(author) = self.waiting.next(now()) else { return Ok(()) };
        self.publish_queue(Some(&author))?;
        let checked = self.examine(&author);
        self.publish_queue(None)?;
        checked
    }

    fn publish_queue(&self, checking: Option<&str>) -> Result<(), RunOver> {
        match self.waiting.publish(&self.dir, now(), checking) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write the queue of checks: {error}")),
        }
    }

    /// Reads an author's folder. A new submission there is queued for its check, and a challenge for
    /// its games.
    fn look_at(&mut self, author: &str) -> Result<(), RunOver> {
        let folder = self.league.hand_in.join(author);
        if self.plan.control.closed {
            return Ok(());
        }
        let Ok(folder) = AuthorFolder::open(&folder).map(Arc::new) else { return Ok(()) };
        self.note_challenge(author, &folder);
        let Some(found) = self.read(author, &folder)? else { return Ok(()) };
        let mut report = AuthorReport::new(&folder, &found.digest, &self.places);
        let known = self.authors.get(author).cloned().unwrap_or_default();
        if known.is_there && known.source == found.digest {
            let name = Entry::name(author, known.version);
            if report.was_entered(&name) {
                return Ok(());
            }
            report.add(&format!("`{name}` already plays with these files."));
            return self.send(&report, &Outcome::Entered(name));
        }
        let is_removed = self.plan.control.removed.contains(author);
        if report.was_refused() && (is_removed || !report.was_refused_for(REMOVED)) {
            return Ok(());
        }
        if let Some(why) = self.stranger(author) {
            return self.refuse(author, report, &why);
        }
        if let Some(at) = known.checked.map(|checked| checked + self.league.every)
            && at > Instant::now()
        {
            self.watch.later(author.to_owned(), at);
            report.add(
                "Queued: an author's submissions are checked one at a time, with a pause in \
                 between.",
            );
            return self.send(&report, &Outcome::BeingChecked);
        }
        let since = changed(&self.league.hand_in.join(author));
        let since = since.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        self.waiting.wait(author, since.as_secs());
        report.add("Queued for its check.");
        self.send(&report, &Outcome::BeingChecked)
    }

    /// Checks what is in an author's folder, and takes it in.
    fn examine(&mut self, author: &str) -> Result<(), RunOver> {
        let Ok(folder) = AuthorFolder::open(&self.league.hand_in.join(author)).map(Arc::new) else {
            return Ok(());
        };
        let Some(found) = self.read(author, &folder)? else { return Ok(()) };
        let mut report = AuthorReport::new(&folder, &found.digest, &self.places);
        // The organiser may have decided so meanwhile.
        if self.plan.control.closed {
            return Ok(());
        }
        if let Some(why) = self.stranger(author) {
            return self.refuse(author, report, &why);
        }
        if let Some(version) = self.earlier(author, &found.digest)? {
            let name = Entry::name(author, version);
            report.add(&format!("You have handed in these files before, as `{name}`."));
        }
        self.make_place(true)?;
        self.waiting.began(author, now());
        let began = Instant::now();
        let accepted = self.accept(author, (&folder, &found), &mut report);
        self.authors.entry(author.to_owned()).or_default().checked = Some(Instant::now());
        let work = self.league.entrants.join(WORK);
        if let Err(error) = remove_tree(&work) {
            self.warn(&format!("cannot remove {}: {error}", work.display()))?;
        }
        self.make_place(false)?;
        self.waiting.took(began.elapsed());
        let accepted = accepted?;
        let outcome = match &accepted {
            Ok(_) => Some(PastOutcome::Entered { version: self.authors[author].version }),
            Err(NotTaken::Refused(why) | NotTaken::NotReady(why)) => {
                Some(PastOutcome::Refused { why: escape::lines(why) })
            }
            Err(NotTaken::Changed | NotTaken::Later(_)) => None,
        };
        if let Some(outcome) = outcome {
            self.remember_hand_in(author, (&folder, &found.digest), outcome)?;
        }
        match accepted {
            Ok(name) => self.send(&report, &Outcome::Entered(name)),
            Err(NotTaken::Changed) => {
                self.watch.later(author.to_owned(), Instant::now());
                Ok(())
            }
            Err(NotTaken::Later(why)) => self.put_off(author, report, &why),
            Err(NotTaken::Refused(why)) => self.refuse(author, report, &why),
            Err(NotTaken::NotReady(why)) => self.tell_refusal(author, &report, &why),
        }
    }

    /// What is in an author's folder; `None` if there is nothing, or if it cannot be read, which its
    /// author is told once.
    fn read(
        &mut self,
        author: &str,
        folder: &Arc<AuthorFolder>,
    ) -> Result<Option<FoundTree>, RunOver> {
        let error = match hand_in::read(folder, None, self.league.largest) {
            Ok(found) => return Ok(Some(found).filter(|found| found.files > 0)),
            Err(error) => error,
        };
        // What cannot be read has no digest.
        let report = AuthorReport::new(folder, "unreadable", &self.places);
        match NotTaken::of(error) {
            NotTaken::Changed => Ok(()),
            NotTaken::Later(why) => self.put_off(author, report, &why),
            NotTaken::Refused(why) if report.was_refused_for(&escape::lines(&why)) => Ok(()),
            NotTaken::Refused(why) | NotTaken::NotReady(why) => {
                if self.stranger(author).is_none() {
                    let outcome = PastOutcome::Refused { why: escape::lines(&why) };
                    self.remember_hand_in(author, (folder, ""), outcome)?;
                }
                self.refuse(author, report, &why)
            }
        }?;
        Ok(None)
    }

    /// The version that entered with these files, if there is one.
    fn earlier(&self, author: &str, digest: &str) -> Result<Option<u32>, RunOver> {
        let past = match history::read(&self.league.entrants, author) {
            Ok(past) => past,
            Err(error) => {
                self.warn(&format!("cannot read the history of {author}: {error}"))?;
                return Ok(None);
            }
        };
        let same = past.into_iter().filter(|one| one.digest == digest);
        Ok(same.rev().find_map(|one| match one.outcome {
            PastOutcome::Entered { version } => Some(version),
            PastOutcome::Refused { .. } => None,
        }))
    }

    /// Adds a submission to the history of its author.
    fn remember_hand_in(
        &self,
        author: &str,
        (folder, digest): (&AuthorFolder, &str),
        outcome: PastOutcome,
    ) -> Result<(), RunOver> {
        let mut files: Vec<String> =
            folder.handed_in().unwrap_or_default().iter().map(shown).collect();
        files.sort();
        files.truncate(MOST_LISTED);
        let one = PastHandIn {
            at: now(),
            digest: digest.to_owned(),
            files,
            comment: escape::lines(&folder.comment()),
            outcome,
        };
        match history::add(&self.league.entrants, author, one) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write the history of {author}: {error}")),
        }
    }

    /// Tries a submission again after a while: what kept it out is not its fault.
    fn put_off(
        &mut self,
        author: &str,
        mut report: AuthorReport,
        why: &str,
    ) -> Result<(), RunOver> {
        let why = escape::lines(why);
        self.warn(&format!("a submission by {author} is waiting: {why}"))?;
        self.watch.later(author.to_owned(), Instant::now() + AGAIN);
        report.add(&format!(
            "It could not be checked yet, for a reason outside it, and will be retried: {why}"
        ));
        self.send(&report, &Outcome::BeingChecked)
    }

    /// Why the author of this name cannot take part, if so.
    pub(crate) fn stranger(&self, author: &str) -> Option<String> {
        if self.plan.control.removed.contains(author) {
            return Some(REMOVED.to_owned());
        }
        if let Some(problem) = author_problem(author) {
            return Some(format!("invalid author name: {problem}"));
        }
        // A broken list of invitations is reported by everything that needs it.
        let invited = Invitations::read(&self.dir).unwrap_or_default();
        if invited.authors().any(|invited| invited == author) {
            return None;
        }
        let entered = self.authors.keys().map(String::as_str);
        let mut others = entered.chain(invited.authors()).filter(|other| *other != author);
        let known = others.find(|other| are_alike(other, author));
        known.map(|other| format!("the author's name is too similar to `{other}`"))
    }

    pub(crate) fn send(&self, report: &AuthorReport, outcome: &Outcome) -> Result<(), RunOver> {
        match report.send(outcome) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write a report: {error}")),
        }
    }

    fn refuse(&self, author: &str, mut report: AuthorReport, why: &str) -> Result<(), RunOver> {
        report.add(&escape::lines(why));
        self.tell_refusal(author, &report, why)
    }

    /// Tells everyone that a submission is refused. Its report says why.
    fn tell_refusal(&self, author: &str, report: &AuthorReport, why: &str) -> Result<(), RunOver> {
        let (author, reason) = (author.to_owned(), why.to_owned());
        let told = format!("rejected a submission by {author}: {why}");
        self.say(Instruction::Notice(escape::terminal(&told)))?;
        (self.plan.hear)(&DoorEvent::Refused { author, reason });
        self.send(report, &Outcome::Refused)
    }
}

/// The name of a file, for people.
fn shown(name: &OsString) -> String {
    escape::terminal(&name.to_string_lossy())
}

/// Removes a folder and all in it. A missing one is not an error.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
