//! Decides what becomes of what authors hand in.
//!
//! Whatever is in an author's folder is the version that the author wants to play; the log says
//! which one plays. So nothing is lost when the program is killed: the next run compares the two.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Instant, UNIX_EPOCH};

use tokio::sync::{mpsc, oneshot};

use super::author_folder::AuthorFolder;
use super::author_name::author_problem;
use super::author_report::{AuthorReport, Outcome};
use super::challenger::{PlayedPair, RunningChallenge};
use super::checks::{CheckRoom, Checked, RunningCheck};
use super::control::Control;
use super::door_watch::{AGAIN, DoorTask, DoorWatch, changed};
use super::hand_in;
use super::history::{self, PastHandIn, PastOutcome};
use super::intake::{LeagueBuilds, NotTaken};
use super::invitations::Invitations;
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
use referee_record::tree::FoundTree;
use referee_tournament::likeness::are_alike;
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
    /// The last version, as the log has it.
    pub(crate) last: Option<Box<PlayerInfo>>,
    /// When a submission was last checked.
    pub(crate) checked: Option<Instant>,
}

impl Author {
    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.last.as_ref()?.entry.as_ref()
    }

    /// The number of the last version; 0 without one.
    pub(crate) fn version(&self) -> u32 {
        self.entry().map_or(0, |entry| entry.version)
    }

    /// Whether the last version plays, or would if it had not made too many faults.
    pub(crate) fn is_there(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.left.is_none())
    }

    /// Whether the organiser has removed the last version.
    pub(crate) fn is_removed(&self) -> bool {
        let left = self.last.as_ref().and_then(|last| last.left);
        left.is_some_and(|left| left.why == LeavingReason::Removed)
    }

    /// The last version, if it is there.
    fn present(&mut self) -> Option<&mut PlayerInfo> {
        self.last.as_deref_mut().filter(|last| last.left.is_none())
    }
}

/// Works at the door, in a thread of its own: who waits for a check (`checks`), how a version enters
/// (`acceptance`), and who plays a challenge (`challenger`). What [`CheckRoom`] does runs in the
/// threads of checks.
pub(crate) struct Doorkeeper {
    pub(crate) league: LeagueSettings,
    /// The results folder.
    pub(crate) dir: PathBuf,
    /// What players that come must not see: what others hand in.
    pub(crate) hidden: Vec<PathBuf>,
    /// What every check needs.
    pub(crate) room: Arc<CheckRoom>,
    /// What the organiser wants, as far as it was followed.
    pub(crate) control: Control,
    /// Hears what happens.
    pub(crate) hear: Box<dyn Fn(&DoorEvent) + Send>,
    /// How many games are played at once on this machine; `None` if they are played elsewhere, where
    /// a check disturbs none.
    pub(crate) jobs: Option<usize>,
    /// What authors do not learn.
    pub(crate) places: Places,
    pub(crate) authors: BTreeMap<String, Author>,
    /// The random identity of the league, from which pseudonyms follow.
    pub(crate) identity: String,
    /// The names of all players so far.
    pub(crate) names: Vec<String>,
    pub(crate) watch: DoorWatch,
    /// Why folders of authors cannot be opened, as far as the organiser was told.
    pub(crate) unopened: BTreeMap<String, String>,
    /// Who waits for a check.
    pub(crate) waiting: WaitingAuthors,
    /// The authors who wait for a challenge.
    pub(crate) challengers: VecDeque<String>,
    /// The challenge that is being played.
    pub(crate) challenge: Option<RunningChallenge>,
    /// Where its games arrive.
    pub(crate) ended_challenges: (Sender<PlayedPair>, Receiver<PlayedPair>),
    /// The checks that are under way.
    pub(crate) running: Vec<RunningCheck>,
    /// The most checks at once.
    pub(crate) most_checks: usize,
    /// Where checks that have ended arrive.
    pub(crate) checked: (Sender<Checked>, Receiver<Checked>),
    /// Whether the league closes when no check is under way.
    pub(crate) is_closing: bool,
    pub(crate) tell: mpsc::UnboundedSender<Instruction>,
}

/// The league is not played any more.
pub(crate) struct RunOver;

impl Doorkeeper {
    pub(crate) fn remember(&mut self, player: &PlayerInfo) {
        let Some(entry) = &player.entry else { return };
        let known = self.authors.entry(entry.author.clone()).or_default();
        if entry.version > known.version() {
            known.last = Some(player.clone().into());
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
        // Whoever closes the door breaks them off.
        self.running.drain(..).for_each(RunningCheck::join);
        self.challenge.take().into_iter().for_each(RunningChallenge::end);
    }

    fn serve(&mut self) -> Result<(), RunOver> {
        self.follow_control()?;
        // A run that was killed left its queue.
        self.publish_queue()?;
        loop {
            self.conclude_checks()?;
            self.conclude_challenge()?;
            self.give_way();
            match self.watch.next(self.next_check_at().or_else(|| self.next_challenge_at())) {
                DoorTask::Begin if self.next_check_at().is_some() => self.begin_next_check()?,
                DoorTask::Begin => self.begin_next_challenge()?,
                DoorTask::Close => return Ok(()),
                DoorTask::Control => self.follow_control()?,
                DoorTask::Author(author) => self.look_at(&author)?,
            }
        }
    }

    fn say(&self, instruction: Instruction) -> Result<(), RunOver> {
        self.tell.send(instruction).map_err(|_| RunOver)
    }

    /// When each check, and the challenge, began that are under way.
    pub(crate) fn busy(&self) -> impl Iterator<Item = Instant> {
        let checks = self.running.iter().map(|check| check.began);
        checks.chain(self.challenge.as_ref().map(|challenge| challenge.began))
    }

    /// Leaves a place to each of them while it lasts, but never stops all games.
    pub(crate) fn leave_places(&self) -> Result<(), RunOver> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        self.say(Instruction::PlayAtOnce(jobs.saturating_sub(self.busy().count()).max(1)))
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
    pub(crate) fn follow_control(&mut self) -> Result<(), RunOver> {
        let control = match Control::read(&self.dir) {
            Ok(control) => control,
            Err(error) => return self.warn(&error.to_string()),
        };
        // What is being checked when the league closes may still enter.
        self.is_closing = control.closed && !self.running.is_empty();
        if self.is_closing {
            return Ok(());
        }
        let admitted: Vec<String> =
            self.control.removed.difference(&control.removed).cloned().collect();
        for author in &control.removed {
            self.let_go(author, LeavingReason::Removed)?;
        }
        for author in admitted {
            self.watch.later(author, Instant::now());
        }
        let before = std::mem::replace(&mut self.control, control);
        self.bring_back_readmitted()?;
        self.control.instructions_after(&before).into_iter().try_for_each(|next| self.say(next))
    }

    /// Lets the present version of an author go, if there is one.
    pub(crate) fn let_go(&mut self, author: &str, why: LeavingReason) -> Result<(), RunOver> {
        let Some(last) = self.authors.get_mut(author).and_then(Author::present) else {
            return Ok(());
        };
        let (player, leaving) = (last.name.clone(), Leaving { at: now(), why });
        last.left = Some(leaving);
        match self.ask_for(RosterChange::Left { player, leaving }, None)? {
            Ok(()) => Ok(()),
            Err(why) => self.warn(&format!("cannot withdraw {author}: {why}")),
        }
    }

    /// Tells everyone who waits, and whose submissions are being checked.
    pub(crate) fn publish_queue(&self) -> Result<(), RunOver> {
        let checking = self.running.iter().map(RunningCheck::shown).collect();
        match self.waiting.publish(&self.dir, now(), (checking, self.most_checks)) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write the queue of checks: {error}")),
        }
    }

    /// Reads an author's folder, to see whether something is new, and tells everyone who waits now.
    fn look_at(&mut self, author: &str) -> Result<(), RunOver> {
        self.look_into(author)?;
        // While nothing is checked, nobody is told who waits.
        if self.running.is_empty() {
            return Ok(());
        }
        // A report changes the folder, too, and what is later than the queue looks like a submission.
        self.publish_queue()
    }

    /// Queues what is new in an author's folder: a submission for its check, which reads it again,
    /// and a challenge for its games.
    fn look_into(&mut self, author: &str) -> Result<(), RunOver> {
        let path = self.league.hand_in.join(author);
        if self.control.closed {
            return Ok(());
        }
        // An author has one check at a time. What changed meanwhile is read after it.
        if let Some(running) = self.running.iter_mut().find(|it| it.author == author) {
            running.is_outdated = true;
            return Ok(());
        }
        let opened = AuthorFolder::open(&path).map(Arc::new);
        self.note_unopened(author, &path, opened.as_ref().err())?;
        let Ok(folder) = opened else { return Ok(()) };
        self.note_challenge(author, &folder);
        let Some(found) = self.read(author, &folder)? else { return Ok(()) };
        let mut report = AuthorReport::new(&folder, &found.digest, &self.places);
        if let Some(name) = self.playing(author, &found.digest) {
            // What was queued before is not what its author wants now.
            if self.waiting.forget(author) {
                self.publish_queue()?;
            }
            return self.tell_playing(report, name);
        }
        let is_removed = self.control.removed.contains(author);
        if report.was_refused() && (is_removed || !report.was_refused_for(REMOVED)) {
            return Ok(());
        }
        if let Some(why) = self.why_shut_out(author) {
            return self.refuse(author, report, &why);
        }
        let checked = self.authors.get(author).and_then(|known| known.checked);
        if let Some(at) = checked.map(|checked| checked + self.league.every)
            && at > Instant::now()
        {
            self.watch.later(author.to_owned(), at);
            report.add(
                "Queued: an author's submissions are checked one at a time, with a pause in \
                 between.",
            );
            return self.send(&report, &Outcome::BeingChecked);
        }
        let since = changed(&path);
        let since = since.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        self.waiting.wait(author, since.as_secs(), &found.digest);
        report.add("Queued for its check.");
        self.send(&report, &Outcome::BeingChecked)
    }

    /// Warns once of an author's folder at `path` that cannot be opened for this reason. One that is
    /// gone needs no warning.
    fn note_unopened(
        &mut self,
        author: &str,
        path: &Path,
        why: Option<&io::Error>,
    ) -> Result<(), RunOver> {
        let Some(why) = why.filter(|why| why.kind() != io::ErrorKind::NotFound) else {
            self.unopened.remove(author);
            return Ok(());
        };
        let why = why.to_string();
        if self.unopened.get(author) == Some(&why) {
            return Ok(());
        }
        self.warn(&format!("cannot read {}: {why}", path.display()))?;
        self.unopened.insert(author.to_owned(), why);
        Ok(())
    }

    /// The version of an author that plays with the files that have this digest, if there is one.
    pub(crate) fn playing(&self, author: &str, digest: &str) -> Option<String> {
        let known = self.authors.get(author).filter(|known| known.is_there())?;
        let entry = known.entry().filter(|entry| entry.source == digest)?;
        Some(Entry::name(author, entry.version))
    }

    /// Tells an author whose files are those of the version called `name` that nothing is new.
    pub(crate) fn tell_playing(
        &self,
        mut report: AuthorReport,
        name: String,
    ) -> Result<(), RunOver> {
        if report.was_entered(&name) {
            return Ok(());
        }
        report.add(&format!("`{name}` is already playing with these files."));
        self.send(&report, &Outcome::Entered(name))
    }

    /// What is in an author's folder; `None` if there is nothing, or if it cannot be read, which its
    /// author is told once.
    pub(crate) fn read(
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
                if self.why_shut_out(author).is_none() {
                    let outcome = PastOutcome::Refused { why: escape::lines(&why) };
                    self.remember_hand_in(author, (folder, ""), outcome)?;
                }
                self.refuse(author, report, &why)
            }
        }?;
        Ok(None)
    }

    /// The version that entered with these files, if there is one.
    pub(crate) fn earlier(&self, author: &str, digest: &str) -> Result<Option<u32>, RunOver> {
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
    pub(crate) fn remember_hand_in(
        &self,
        author: &str,
        (folder, digest): (&AuthorFolder, &str),
        outcome: PastOutcome,
    ) -> Result<(), RunOver> {
        let files = folder.listed().into_iter().take(MOST_LISTED);
        let files = files.map(|(name, _)| escape::terminal(&name)).collect();
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
    pub(crate) fn put_off(
        &mut self,
        author: &str,
        mut report: AuthorReport,
        why: &str,
    ) -> Result<(), RunOver> {
        let why = escape::lines(why);
        self.warn(&format!("a submission by {author} is waiting: {why}"))?;
        self.watch.later(author.to_owned(), Instant::now() + AGAIN);
        report.add(&format!(
            "It could not be checked yet, through no fault of its own; it will be retried: {why}"
        ));
        self.send(&report, &Outcome::BeingChecked)
    }

    /// Why the author of this name cannot take part, if so.
    pub(crate) fn why_shut_out(&self, author: &str) -> Option<String> {
        if self.control.removed.contains(author) {
            return Some(REMOVED.to_owned());
        }
        if let Some(problem) = author_problem(author) {
            return Some(format!("invalid author name: {problem}"));
        }
        // An invitation does not help: in the final, two players would have one name.
        let mut houses = self.room.template.players.iter().map(|player| &player.name);
        if let Some(house) = houses.find(|house| are_alike(house, author)) {
            return Some(format!(
                "the author's name is too similar to that of the house player `{house}`; hand in \
                 under another name"
            ));
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

    pub(crate) fn refuse(
        &self,
        author: &str,
        mut report: AuthorReport,
        why: &str,
    ) -> Result<(), RunOver> {
        report.add(&escape::lines(why));
        self.tell_refusal(author, &report, why)
    }

    /// Tells everyone that a submission is refused. Its report says why.
    pub(crate) fn tell_refusal(
        &self,
        author: &str,
        report: &AuthorReport,
        why: &str,
    ) -> Result<(), RunOver> {
        let (author, reason) = (author.to_owned(), why.to_owned());
        let told = format!("rejected a submission by {author}: {why}");
        self.say(Instruction::Notice(escape::terminal(&told)))?;
        (self.hear)(&DoorEvent::Refused { author, reason });
        self.send(report, &Outcome::Refused)
    }
}

/// Removes a folder and all in it. A missing one is not an error.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
