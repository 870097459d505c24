//! Decides what becomes of what authors hand in.
//!
//! Whatever is in an author's folder is the version that the author wants to play; the log says
//! which one plays. So nothing is lost when the program is killed: the next run compares the two.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;
use std::{fs, io};

use tokio::sync::{mpsc, oneshot};

use super::author_folder::AuthorFolder;
use super::author_report::{AuthorReport, ReportedOutcome};
use super::challenge_games::{PlayedPair, RunningChallenge};
use super::check_queue::QueuedAuthors;
use super::control::LeagueControl;
use super::hand_in_history::{
    PastHandIn, PastOutcome, add_to_hand_in_history, read_hand_in_history,
};
use super::hand_in_watch::{AGAIN, HandInTask, HandInWatch};
use super::prepared_submission::SubmissionBuilds;
use super::running_checks::{CheckContext, FinishedCheck, RunningCheck};
use super::unix_seconds_now;
use referee_check::Exam;
use referee_protocol::escape::{escape_line, escape_lines};
use referee_protocol::path_shortener::PathShortener;
use referee_record::model::league_entry::{LeagueEntry, Leaving, LeavingReason};
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::HeaderPlayer;
use referee_record::model::roster_change::RosterChange;
use referee_tournament::run::instruction::{Instruction, PlayerChange};

/// The folder of submissions that are being checked, beside those that entered.
pub(crate) const WORK: &str = ".being-checked";

/// Something that the intake has to follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntakeEvent {
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

/// What the intake works with.
pub struct IntakePlan {
    /// What every submission is tested for.
    pub exam: Exam,
    /// How submissions are built, if they are.
    pub builds: Option<SubmissionBuilds>,
    /// What the organiser wanted when the run began.
    pub control: LeagueControl,
    /// Hears what happens. Nothing waits for it.
    pub hear: Box<dyn Fn(&IntakeEvent) + Send>,
}

/// The most names of files in the history of an author, for each submission.
const MOST_LISTED: usize = 10;

/// Why a submission of an author is refused whom the organiser has removed. It is looked at again
/// when the author is readmitted.
pub(crate) const REMOVED: &str = "the organiser has removed its author";

/// What the intake knows about an author.
#[derive(Debug, Clone, Default)]
pub(crate) struct IntakeAuthor {
    /// The last version, as the log has it.
    pub(crate) last: Option<Box<HeaderPlayer>>,
    /// When a submission was last checked.
    pub(crate) checked: Option<Instant>,
}

impl IntakeAuthor {
    pub(crate) fn entry(&self) -> Option<&LeagueEntry> {
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
    fn present(&mut self) -> Option<&mut HeaderPlayer> {
        self.last.as_deref_mut().filter(|last| last.left.is_none())
    }
}

/// Does the work of the intake, in a thread of its own: who waits for a check (`running_checks`), how a
/// version enters (`acceptance`), and who plays a challenge (`challenge_games`). What [`CheckContext`]
/// does runs in the threads of checks.
pub(crate) struct IntakeWorker {
    pub(crate) league: LeagueSettings,
    /// The results folder.
    pub(crate) dir: PathBuf,
    /// What players that come must not see: what others hand in.
    pub(crate) hidden: Vec<PathBuf>,
    /// What every check needs.
    pub(crate) room: Arc<CheckContext>,
    /// What the organiser wants, as far as it was followed.
    pub(crate) control: LeagueControl,
    /// Hears what happens.
    pub(crate) hear: Box<dyn Fn(&IntakeEvent) + Send>,
    /// How many games are played at once on this machine; `None` if they are played elsewhere, where
    /// a check disturbs none.
    pub(crate) jobs: Option<usize>,
    /// What authors do not learn.
    pub(crate) places: PathShortener,
    pub(crate) authors: BTreeMap<String, IntakeAuthor>,
    /// The random identity of the league, from which pseudonyms follow.
    pub(crate) identity: String,
    /// The names of all players so far.
    pub(crate) names: Vec<String>,
    pub(crate) watch: HandInWatch,
    /// Why folders of authors cannot be opened, as far as the organiser was told.
    pub(crate) unopened: BTreeMap<String, String>,
    /// Who waits for a check.
    pub(crate) waiting: QueuedAuthors,
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
    pub(crate) checked: (Sender<FinishedCheck>, Receiver<FinishedCheck>),
    /// Whether the league closes when no check is under way.
    pub(crate) is_closing: bool,
    pub(crate) tell: mpsc::UnboundedSender<Instruction>,
}

/// The league is not played any more.
pub(crate) struct RunEnded;

impl IntakeWorker {
    pub(crate) fn remember(&mut self, player: &HeaderPlayer) {
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
            for one in read_hand_in_history(&self.league.entrants, author).unwrap_or_default() {
                self.waiting.began(author, one.at);
            }
        }
    }

    pub(crate) fn work(mut self) {
        // Otherwise nobody listens any more.
        let _ = self.serve();
        // Whoever stops the intake breaks them off.
        self.running.drain(..).for_each(RunningCheck::join);
        self.challenge.take().into_iter().for_each(RunningChallenge::end);
    }

    fn serve(&mut self) -> Result<(), RunEnded> {
        self.follow_control()?;
        // A run that was killed left its queue.
        self.publish_queue()?;
        loop {
            self.conclude_running_checks()?;
            self.conclude_challenge_game()?;
            self.interrupt_challenge_game();
            match self.watch.next(self.next_check_at().or_else(|| self.next_challenge_at())) {
                HandInTask::Begin if self.next_check_at().is_some() => self.begin_next_check()?,
                HandInTask::Begin => self.begin_next_challenge_game()?,
                HandInTask::Close => return Ok(()),
                HandInTask::Control => self.follow_control()?,
                HandInTask::Author(author) => self.read_arrivals(&author)?,
            }
        }
    }

    fn say(&self, instruction: Instruction) -> Result<(), RunEnded> {
        self.tell.send(instruction).map_err(|_| RunEnded)
    }

    /// When each check, and the challenge, began that are under way.
    pub(crate) fn busy(&self) -> impl Iterator<Item = Instant> {
        let checks = self.running.iter().map(|check| check.began);
        checks.chain(self.challenge.as_ref().map(|challenge| challenge.began))
    }

    /// Leaves a place to each of them while it lasts, but never stops all games.
    pub(crate) fn leave_places(&self) -> Result<(), RunEnded> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        self.say(Instruction::PlayAtOnce(jobs.saturating_sub(self.busy().count()).max(1)))
    }

    pub(crate) fn warn(&self, warning: &str) -> Result<(), RunEnded> {
        self.say(Instruction::Warning(escape_line(warning)))
    }

    /// Asks for a change, and waits for the answer.
    pub(crate) fn request_roster_change(
        &self,
        change: RosterChange,
        program: Option<PlayerSpec>,
    ) -> Result<Result<(), String>, RunEnded> {
        let (done, answer) = oneshot::channel();
        self.say(Instruction::Change(Box::new(PlayerChange { change, program, done })))?;
        // A run that ends drops the instructions that it has not followed.
        answer.blocking_recv().map_err(|_| RunEnded)
    }

    /// Follows what the organiser wants.
    pub(crate) fn follow_control(&mut self) -> Result<(), RunEnded> {
        let control = match LeagueControl::read(&self.dir) {
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
            self.withdraw_version(author, LeavingReason::Removed)?;
        }
        for author in admitted {
            self.watch.later(author, Instant::now());
        }
        let before = std::mem::replace(&mut self.control, control);
        self.bring_back_readmitted()?;
        self.control.instructions_after(&before).into_iter().try_for_each(|next| self.say(next))
    }

    /// Lets the present version of an author go, if there is one.
    pub(crate) fn withdraw_version(
        &mut self,
        author: &str,
        why: LeavingReason,
    ) -> Result<(), RunEnded> {
        let Some(last) = self.authors.get_mut(author).and_then(IntakeAuthor::present) else {
            return Ok(());
        };
        let (player, leaving) = (last.name.clone(), Leaving { at: unix_seconds_now(), why });
        last.left = Some(leaving);
        match self.request_roster_change(RosterChange::Left { player, leaving }, None)? {
            Ok(()) => Ok(()),
            Err(why) => self.warn(&format!("cannot withdraw {author}: {why}")),
        }
    }

    /// Tells everyone who waits, and whose submissions are being checked.
    pub(crate) fn publish_queue(&self) -> Result<(), RunEnded> {
        let checking = self.running.iter().map(RunningCheck::to_begun_check).collect();
        match self.waiting.publish(&self.dir, unix_seconds_now(), (checking, self.most_checks)) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write the queue of checks: {error}")),
        }
    }

    /// The version that entered with these files, if there is one.
    pub(crate) fn find_earlier_version(
        &self,
        author: &str,
        digest: &str,
    ) -> Result<Option<u32>, RunEnded> {
        let past = match read_hand_in_history(&self.league.entrants, author) {
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
    ) -> Result<(), RunEnded> {
        let files = folder.listed().into_iter().take(MOST_LISTED);
        let files = files.map(|(name, _)| escape_line(&name)).collect();
        let one = PastHandIn {
            at: unix_seconds_now(),
            digest: digest.to_owned(),
            files,
            comment: escape_lines(&folder.comment()),
            outcome,
        };
        match add_to_hand_in_history(&self.league.entrants, author, one) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write the history of {author}: {error}")),
        }
    }

    /// Tries a submission again after a while: what kept it out is not its fault.
    pub(crate) fn postpone_submission(
        &mut self,
        author: &str,
        mut report: AuthorReport,
        why: &str,
    ) -> Result<(), RunEnded> {
        let why = escape_lines(why);
        self.warn(&format!("a submission by {author} is waiting: {why}"))?;
        self.watch.later(author.to_owned(), Instant::now() + AGAIN);
        report.add(&format!(
            "It could not be checked yet, through no fault of its own; it will be retried: {why}"
        ));
        self.send(&report, &ReportedOutcome::BeingChecked)
    }

    pub(crate) fn send(
        &self,
        report: &AuthorReport,
        outcome: &ReportedOutcome,
    ) -> Result<(), RunEnded> {
        match report.send(outcome) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write a report: {error}")),
        }
    }

    pub(crate) fn reject_submission(
        &self,
        author: &str,
        mut report: AuthorReport,
        why: &str,
    ) -> Result<(), RunEnded> {
        report.add(&escape_lines(why));
        self.publish_rejection(author, &report, why)
    }

    /// Tells everyone that a submission is refused. Its report says why.
    pub(crate) fn publish_rejection(
        &self,
        author: &str,
        report: &AuthorReport,
        why: &str,
    ) -> Result<(), RunEnded> {
        let (author, reason) = (author.to_owned(), why.to_owned());
        let told = format!("rejected a submission by {author}: {why}");
        self.say(Instruction::Notice(escape_line(&told)))?;
        (self.hear)(&IntakeEvent::Refused { author, reason });
        self.send(report, &ReportedOutcome::Refused)
    }
}

/// Removes a folder and all in it. A missing one is not an error.
pub(crate) fn remove_intake_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
